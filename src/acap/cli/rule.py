"""`acap rule`: what a rule of lint finds, why that matters, and what is to be written instead."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

import click

from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError, suggestion
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.explain import visible
from acap.problems import Example
from acap.publish.lint.catalogue import rules
from acap.publish.lint.diff import diff
from acap.publish.lint.rule import Rule, legible, octets_of
from acap.schema import SCHEMA

FIXES = {
    "safe": "--fix fixes it; that permits nothing more",
    "unsafe": "--fix --unsafe-fixes fixes it; that may change what is permitted",
    None: "by hand",
}
WEIGHS = "Information, if the correction is proved to change no decision as the file stands"


def _complete(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [code for code in rules() if code.startswith(begun)]


@click.command(cls=Command)
@click.argument("code", required=False, shell_complete=_complete)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per rule; see docs/reference/json.md.")
@terminal_options
@pass_terminal
def rule(terminal: Terminal, code: str | None, as_json: bool) -> Exit:
    """What a rule of lint finds, why that matters, and what to write instead.

    Without CODE it lists all rules.

    \b
    # all of them
    acap rule
    # one of them
    acap rule misspelt-field
    """
    known = rules()
    if code is not None and code not in known:
        raise CallError(f"no rule `{code}`{suggestion(code, known, listed_by='acap rule')}")
    wanted = list(known.values()) if code is None else [known[code]]
    if as_json:
        for one in wanted:
            terminal.line(json.dumps(rule_to_json(one)))
    elif code is None:
        longest = max(map(len, known))
        for one in wanted:
            terminal.line(f"{one.code:{longest}}  {one.severity:7}  {one.summary}")
    else:
        for line, bold in _page_lines(wanted[0]):
            terminal.line(line, bold=bold)
    return Exit.PERMITTED


def rule_to_json(rule: Rule) -> dict[str, Any]:
    """A rule with its examples, of types that `json.dumps` takes; octets that are no UTF-8 are shown as escapes."""
    return {
        "schema": SCHEMA,
        "code": rule.code,
        "summary": rule.summary,
        "severity": rule.severity,
        "why": rule.why,
        "clause": rule.clause,
        "kinds": list(rule.kinds),
        "fix": rule.fix,
        "default": rule.default,
        "examples": [
            {
                "kind": example.kind,
                "bad": legible(example.bad),
                "good": legible(example.good),
                "fixed": None if example.fixed is None else legible(example.fixed),
            }
            for example in rule.examples
        ],
    }


def _page_lines(rule: Rule) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is a heading."""
    yield rule.code, True
    yield from ((line, False) for line in _why(rule))
    for example in rule.examples:
        yield from (("", False), ("Wrong", True), *((line, False) for line in _indented(legible(example.bad))))
        yield from (("", False), ("Right", True), *((line, False) for line in _indented(legible(example.good))))
        if example.fixed is not None:
            yield from (("", False), ("The fix", True), *((line, False) for line in _indented(change(example))))
    yield from ((line, False) for line in _notes(rule))


def _why(rule: Rule) -> Iterator[str]:
    yield f"{rule.summary} ({rule.severity})"
    for paragraph in rule.why.split("\n\n"):
        yield ""
        yield from textwrap.wrap(paragraph, 96)


def _notes(rule: Rule) -> Iterator[str]:
    yield ""
    yield f"Fix: {FIXES[rule.fix]}."
    if rule.weighs:
        yield f"{WEIGHS}."
    if not rule.default:
        yield f"It does not run unless it is selected: acap lint --select {rule.code}"
    if rule.clause:
        yield f"Source: {rule.clause}"


def change(example: Example) -> str:
    """What the fix does to the bad document, as a diff without the names of files."""
    assert example.fixed is not None
    lines = diff(octets_of(example.bad), octets_of(example.fixed), "").splitlines(keepends=True)
    return "".join(lines[2:])


def _indented(text: str) -> Iterator[str]:
    yield from (f"    {visible(line)}".rstrip() for line in text.splitlines())

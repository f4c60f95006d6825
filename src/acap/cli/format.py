"""`acap format`: one layout for robots.txt files, and for documents of other dialects; no decision changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.files import complete_file, is_url, read_file, write_file
from acap.cli.io.options import JSON
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import STDIN
from acap.publish.format import format_robots
from acap.publish.lint.diff import diff
from acap.publish.lint.kinds import kind_of_source
from acap.publish.saved_robots import is_response
from acap.schema import layout_to_json


@click.command(cls=Command)
@click.argument("files", nargs=-1, metavar="FILE...|-", shell_complete=complete_file)
@click.option("--check", is_flag=True, help="Write nothing; list the files that would change, and exit with 1.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change, and exit with 1 if anything would.")
@JSON
@terminal_options
@pass_terminal
def format(terminal: Terminal, files: Sequence[str], check: bool, diff: bool, as_json: bool) -> Exit:  # noqa: A001  named for its command
    """One layout for robots.txt files; no decision changes, in any dialect.

    Field names are spelt as in the specifications, with one space after the colon; a blank line separates groups and
    records where that changes nothing; lines end in LF. Values, comments and their order stay. tdmrep.json gets one
    rule per line, ai.txt the layout of a robots.txt, a licence document of RSL one element per line. It refuses a file
    that would lose something. `-` reads standard input and writes standard output.

    Ends with 0, with 1 if --check or --diff finds something to change, with 2 on a wrong call.

    \b
    # write it in one layout
    acap format robots.txt
    # say which files are not
    acap format --check robots.txt staging/robots.txt
    # show what would change
    acap format --diff - < robots.txt
    """
    if as_json and diff:
        raise CallError("`--json` and `--diff` exclude each other; remove one")
    if not files:
        raise CallError("no FILE given; name a robots.txt, or `-` for standard input")
    octets = {name: _read(name) for name in dict.fromkeys(files)}
    formatted = {name: _formatted(name, before) for name, before in octets.items()}
    changed = [name for name in octets if formatted[name] != octets[name]]
    for name in octets:
        if as_json:
            writes = name in changed and name != STDIN and not check
            if writes:
                write_file(Path(name), formatted[name])
            layout = layout_to_json(
                formatted[name], source=name, changed=name in changed, written=name if writes else None
            )
            terminal.line(json.dumps(layout))
        elif diff:
            _show(terminal, octets[name], formatted[name], name)
        elif check:
            if name in changed:
                terminal.line(f"{name}: would change")
        elif name == STDIN:
            terminal.document(formatted[name])
        elif name in changed:
            write_file(Path(name), formatted[name])
            terminal.line(f"{name}: formatted")
    return Exit.PROHIBITED if changed and (check or diff) else Exit.PERMITTED


def _read(name: str) -> bytes:
    if is_url(name):
        raise CallError(f"`{name}` is a URL; fetch the file first: acap fetch {name} > robots.txt")
    octets = read_file(name)
    if octets.lstrip()[:5].lower() in (b"<!doc", b"<html"):
        raise CallError(f"`{name}` is a page; format only lays out robots.txt files")
    if is_response(octets):
        raise CallError(f"`{name}` begins with the head of a response; format only lays out robots.txt files")
    return octets


def _formatted(name: str, octets: bytes) -> bytes:
    kind = kind_of_source(name, octets)
    try:
        if kind is None:
            return format_robots(octets)
        # Readers of other dialects: 50 ms that a robots.txt does without.
        from acap.publish.format_sources import format_source

        return format_source(octets, kind)
    except ValueError as error:
        raise CallError(f"`{name}` is unchanged: {error}") from error


def _show(terminal: Terminal, before: bytes, after: bytes, name: str) -> None:
    terminal.patch(diff(before, after, name))

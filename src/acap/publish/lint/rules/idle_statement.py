"""A line that changes no decision."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import unquote_to_bytes

from acap import _native
from acap.outline import Group
from acap.problems import Example
from acap.publish.analysis import Redundant
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

MOST = 8  # other lines pointed at
REPORTED = 12  # repetitions reported one by one; the rest share one finding
_ALL = ("/", "*", "/*")
_UNSAFE = re.compile(r'["<>\\^`{|}]')
"""What URLs have escapes for, as for blanks and for letters beyond ASCII."""
_VERSION = re.compile(r"[/ ]v?[\d.]+\Z")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each line without which every decision is the same."""
    if not document.path_rules and not document.acap_fields:
        return
    allowed = {rule.line: rule.value for rule in document.path_rules if rule.kind == "Allow"}
    groups = _Groups(document.groups)
    repeated: list[Finding] = []
    for redundant in _idle(document, groups):
        if redundant.because == "overridden" and redundant.line in allowed:
            yield from _powerless(document, redundant, allowed[redundant.line])
            continue
        if redundant.because == "covered" and len(redundant.by) > 1 and len(repeated) < REPORTED:
            at = groups.at(redundant.line)
            redundant = redundant._replace(by=_by(document.groups[at], redundant) if at >= 0 else redundant.by)
        message, help_ = _message(redundant)
        verb = "says it" if redundant.because == "covered" else "wins"
        related = tuple(Related(line, f"this {verb}") for line in redundant.by[:MOST])
        finding = RULE.at_line(document, redundant.line, message, help=help_, related=related)
        if redundant.because == "covered":
            # What is said twice does no harm.
            repeated.append(replace(finding, severity="info"))
        else:
            yield finding
    yield from repeated[:REPORTED]
    if rest := repeated[REPORTED:]:
        lines = _lines(tuple(finding.line for finding in rest))
        message = f"{len(rest)} more lines change no decision: {lines}"
        yield replace(rest[0], message=message, related=())


def idle_lines(document: Document) -> int:
    """How many lines change no decision, without those that say aloud what silence permits."""
    return sum(1 for _ in _idle(document, _Groups(document.groups)))


def _idle(document: Document, groups: _Groups) -> Iterator[Redundant]:
    """The lines that are worth telling of those without which every decision is the same."""
    plain = {
        rule.line for rule in document.path_rules if not rule.value or (rule.kind == "Allow" and rule.value in _ALL)
    }
    acap = {field.line for field in document.acap_fields}
    patterns = {rule.line: rule.value for rule in document.path_rules}
    for redundant in document.analysis.redundant:
        # To say aloud what silence permits is no mistake: `Disallow:`, `Allow: /`, or what is "included for clarity".
        if redundant.line in plain or (redundant.because == "covered" and not redundant.by):
            continue
        # To say it in both vocabularies is no repetition: not every crawler reads both.
        if redundant.because == "covered" and any((line in acap) != (redundant.line in acap) for line in redundant.by):
            continue
        if redundant.because == "covered" and _written_otherwise(redundant, patterns):
            continue
        # Of `Sogou web spider` and `Sogou inst spider` readers read the same, and their operator may not.
        if redundant.because == "covered" and redundant.line in patterns:
            own = groups.at(redundant.line)
            if all(groups.name_others(own, groups.at(line)) for line in redundant.by[:MOST]):
                continue
        yield redundant


def _written_otherwise(redundant: Redundant, patterns: Mapping[int, str]) -> bool:
    """Whether a line says in other escapes what another says: not every crawler takes one for the other."""
    own = patterns.get(redundant.line, "")
    if "%" not in own and " " not in own and own.isascii() and not _UNSAFE.search(own):
        return False
    octets = unquote_to_bytes(own)
    return any(
        own != (other := patterns.get(line, "")) and unquote_to_bytes(other) == octets for line in redundant.by[:MOST]
    )


class _Groups:
    """Groups by the lines of their rules, and which of them name others."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self.groups = groups
        self.named: dict[int, set[str]] = {}

    def at(self, line: int) -> int:
        """The place of the group whose rule stands at a line; -1 if it is in none."""
        return bisect_right(self.groups, line, key=lambda group: group.agents[0].line) - 1

    def name_others(self, group: int, other: int) -> bool:
        """Whether no crawler is named in both, of whose name more is read than its beginning."""
        if group == other or min(group, other) < 0:
            return False
        first, second = self._names(group), self._names(other)
        return "*" not in first and "*" not in second and first.isdisjoint(second)

    def _names(self, at: int) -> set[str]:
        """Whom a group names, without versions."""
        if at not in self.named:
            self.named[at] = {_VERSION.sub("", agent.value).strip().lower() for agent in self.groups[at].agents}
        return self.named[at]


def _by(group: Group, redundant: Redundant) -> tuple[int, ...]:
    """The line of the same group that says the same and more, or those that say it piece by piece, if there are any."""
    ruled = [(rule, _native.canonical_pattern(rule.value.encode())) for rule in group.rules]
    own = next(((rule, pattern) for rule, pattern in ruled if rule.line == redundant.line), None)
    if own is None:
        return redundant.by
    alike = [(rule.line, pattern) for rule, pattern in ruled if rule.kind == own[0].kind]
    others = [(line, pattern) for line, pattern in alike if line != redundant.line]
    containing = [(line, pattern) for line, pattern in others if _native.contains(own[1], pattern)]
    wider = [(line in redundant.by, len(pattern), line) for line, pattern in containing]
    if wider:
        return (max(wider)[2],)
    narrower = tuple(line for line, pattern in others if _native.contains(pattern, own[1]))
    return narrower if narrower and set(narrower).isdisjoint(redundant.by) else redundant.by


def _powerless(document: Document, redundant: Redundant, pattern: str) -> Iterator[Finding]:
    """An Allow line that lifts nothing: a finding if it looks like a general exception, such as `Allow: *.css`."""
    if not pattern.startswith(("*", "/*")):
        return
    own = _native.canonical_pattern(pattern.encode())
    refused = {rule.line: rule.value for rule in document.path_rules}
    # What is narrower is an exception of its own.
    by = tuple(
        line
        for line in redundant.by
        if line in refused and not _native.contains(_native.canonical_pattern(refused[line].encode()), own)
    )
    if by:
        finding = RULE.at_line(
            document,
            redundant.line,
            f"this permits only what is permitted anyway; where others prohibit, they win (see {_lines(by)})",
            help="make it longer than the rule that it is an exception to, or remove it",
            related=tuple(Related(line, "this wins") for line in by[:MOST]),
        )
        yield replace(finding, severity="info")


def _message(redundant: Redundant) -> tuple[str, str]:
    if redundant.because == "unmatchable":
        return "no URL has a path of this form, so this line never decides", "write the path as it appears in URLs"
    if redundant.because == "covered":
        return f"this is already covered by {_lines(redundant.by)}", "remove it, or write what you meant"
    see = f" (see {_lines(redundant.by)})" if redundant.by else ""
    return f"this line never decides, because others always win{see}", "make it narrower, or remove it"


def _lines(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(str(number) for number in numbers[:4])
    more = f" and {len(numbers) - 4} more" if len(numbers) > 4 else ""
    return f"line{'s' if len(numbers) > 1 else ''} {shown}{more}"


RULE = Rule(
    code="idle-statement",
    summary="a line changes no decision of any crawler",
    severity="warning",
    why=(
        "The line was compared with all others, for every path, crawler, purpose and usage at once: every decision is "
        "the same with and without it. Either you do not need it, or it does not do what you meant, so it deserves a "
        "look. A line that only repeats the default, such as `Allow: /`, is not reported."
    ),
    clause="P1 4.3, RFC 9309 2.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private/\nDisallow: /private/old/\n",
            good="User-agent: *\nDisallow: /private/\nDisallow: /old/\n",
        ),
    ),
    check=check,
)

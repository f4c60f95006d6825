"""The crawling rules of a composed policy, for crawlers that read only conventional lines (G 1.5).

Law: never looser. An Allow is written only where, of two lines that match a path, the longer one (RFC 9309 2.2.2) never
permits what ACAP prohibits. Statements that conventional lines cannot express become stricter; where that would affect
crawlers that read ACAP too, a directive tells these to ignore the lines (G 2.1.3, option 1C).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acap import _native
from acap.publish.compare import compare
from acap.publish.compose.draft import ANY
from acap.robots import PolicyStatement, parse_robots

HEADING = "# For crawlers that do not read ACAP"


@dataclass(frozen=True, slots=True)
class _Line:
    permits: bool
    pattern: str

    @property
    def octets(self) -> bytes:
        return self.pattern.encode()


def conventional_lines(acap: str) -> tuple[list[str], bool]:
    """The lines for a text of ACAP fields, none if it prohibits no crawling, and whether they are stricter than it."""
    statements = [
        statement
        for statement in parse_robots(acap).statements
        if statement.cited.usage == "crawl" and _for_anything(statement)
    ]
    names = dict.fromkeys(name for statement in statements for name in statement.crawlers if name != ANY)
    anyone = [line for statement in statements if ANY in statement.crawlers for line in _lines(statement)]
    groups = {ANY: _safe(anyone)}
    for name in names:
        own = [line for statement in statements if name in statement.crawlers for line in _lines(statement)]
        # The crawler's own record decides the paths it covers (P1 4.1); the others are decided by that for any crawler.
        rest = [line for line in anyone if not any(_native.contains(line.octets, one.octets) for one in own)]
        groups[name] = _safe([*own, *(line for line in rest if line not in own)])
    if not any(not line.permits for group in groups.values() for line in group):
        return [], False
    out = [HEADING]
    for name, group in groups.items():
        if group or name != ANY:
            out += [*([""] if len(out) > 1 else []), f"User-agent: {name}", *_written(group)]
    differs = _stricter(acap, "".join(f"{line}\n" for line in out))
    return out, differs


def _for_anything(statement: PolicyStatement) -> bool:
    return not statement.purposes or ANY in statement.purposes


def _lines(statement: PolicyStatement) -> Iterable[_Line]:
    pattern = statement.pattern
    if not pattern.startswith(ANY):
        return [_Line(statement.cited.effect == "permits", pattern)]
    # `*X` stands for `/*X`, and for `X` where that is a path (semantics, Containment).
    rest = pattern.lstrip(ANY)
    forms = [f"/*{rest}" if rest else "/", *([rest] if rest.startswith("/") else [])]
    return [_Line(statement.cited.effect == "permits", form) for form in forms]


def _safe(lines: list[_Line]) -> list[_Line]:
    """The lines without each Allow that could win by its length where ACAP prohibits."""
    refused = [line for line in lines if not line.permits]

    def wins_rightly(allow: _Line) -> bool:
        for line in refused:
            narrower = _native.contains(allow.octets, line.octets) and not _native.contains(line.octets, allow.octets)
            if not narrower and len(allow.octets) >= len(line.octets):
                return False
        return True

    return [line for line in lines if not line.permits or wins_rightly(line)]


def _written(group: list[_Line]) -> list[str]:
    unique = dict.fromkeys(group)
    refused = [f"Disallow: {line.pattern}" for line in unique if not line.permits]
    allowed = [f"Allow: {line.pattern}" for line in unique if line.permits]
    return [*refused, *allowed] if refused else ["Disallow:"]


def _stricter(acap: str, conventional: str) -> bool:
    """Whether the lines change a decision for crawlers that read both, or may change one; by an exact comparison."""
    return compare(parse_robots(acap), parse_robots(conventional + acap), usages=["crawl"]).verdict != "equal"

"""The groups and records of a robots.txt as they stand: which lines belong together, and whom they name.

The lines, their kinds and what they state are the core's; nothing here decides anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from acap.publish.lint.regex import late
from acap.robots import Line, Lines

RULES = ("Allow", "Disallow")


class Named(NamedTuple):
    """A line that names somebody or something, and the name as it is written."""

    line: int
    name: str


Ruling = tuple[Line, str]
"""An Allow or Disallow line, and its pattern as it is written."""


class Group(NamedTuple):
    """A group of conventional lines: its User-agent lines and what is said to them, in the order of the file.

    `body` holds rules and lines of other vocabularies; those between two User-agent lines are in it too.
    """

    agents: tuple[Named, ...]
    body: tuple[Line, ...]
    rules: tuple[Ruling, ...]

    @property
    def is_default(self) -> bool:
        """Whether it is addressed to every crawler."""
        return any(agent.name == "*" for agent in self.agents)


class Field(NamedTuple):
    """An ACAP line: its name in lower case without `acap-`, and its value."""

    line: int
    name: str
    value: str


class Record(NamedTuple):
    """An ACAP record: its crawler lines, and its fields."""

    crawlers: tuple[Named, ...]
    fields: tuple[Field, ...]


_ACAP = late(r"\s*acap[-\s‐-―]+([^:]*?)\s*:(.*)", re.IGNORECASE | re.DOTALL)
_BLANKS = late(r"[\s‐-―]+")
_CONTROLS = bytes((*range(0x09), *range(0x0E, 0x20), 0x7F))
_DEFINITIONS = ("resource-set", "qualified-usage", "composite-usage", "ignore-conventional-records", "version")


def value(line: Line) -> str:
    """What stands after the colon, or after the name where there is none, without blanks at its ends and a comment."""
    octets = line.octets.partition(b"#")[0]
    _, colon, rest = octets.partition(b":")
    if not colon:
        rest = octets.strip().partition(b" ")[2]
    # Before it is decoded: a no-break space is a part of the value. A control character within it ends it.
    trimmed = rest.strip(_CONTROLS + b" \t\v\f")
    end = next((at for at, octet in enumerate(trimmed) if octet in _CONTROLS), len(trimmed))
    return trimmed[:end].rstrip().decode("utf-8", "replace")


def rulings(lines: Lines) -> list[Ruling]:
    """Every Allow and Disallow line."""
    return [(line, value(line)) for line in lines.of(*RULES)]


def groups(lines: Lines, rules: Sequence[Ruling]) -> tuple[Group, ...]:
    """The groups in the order of the file; what stands before the first User-agent line is in none."""
    found: list[Group] = []
    agents: list[Named] = []
    body: list[Line] = []
    own: list[Ruling] = []
    patterns = iter(rules)
    for line in lines.of(*(lines.kinds.keys() - _OUTSIDE)):
        kind = line.kind
        if kind == "User-agent":
            if own:
                found.append(Group(tuple(agents), tuple(body), tuple(own)))
                agents, body, own = [], [], []
            agents.append(Named(line.number, value(line)))
        elif kind in RULES:
            ruling = next(patterns)
            if agents:
                body.append(line)
                own.append(ruling)
        elif agents:
            body.append(line)
    if agents:
        found.append(Group(tuple(agents), tuple(body), tuple(own)))
    return tuple(found)


def said_beside(groups: Sequence[Group], forms: Mapping[int, Collection[str]]) -> set[int]:
    """Of lines, each with patterns by its number, those whose group has one of these on another line of that kind."""
    found: set[int] = set()
    for group in groups if forms else ():
        own = {(line.kind, pattern) for line, pattern in group.rules if line.number not in forms}
        for line, _ in group.rules:
            if not own.isdisjoint((line.kind, form) for form in forms.get(line.number, ())):
                found.add(line.number)
    return found


_OUTSIDE = frozenset({"blank", "comment", "ACAP", "##ACAP", "unknown", "text", "Sitemap", "Host"})


def fields(lines: Lines) -> tuple[Field, ...]:
    """The ACAP lines that have a name and a colon."""
    return tuple(
        Field(line.number, _BLANKS.sub("-", read[1].strip().lower()), read[2].strip())
        for line in lines.of("ACAP")
        if (read := _ACAP.match(line.octets.partition(b"#")[0].decode("utf-8", "replace")))
    )


def records(lines: Sequence[Field]) -> tuple[Record, ...]:
    """The ACAP records in the order of the file."""
    found: list[Record] = []
    crawlers: list[Named] = []
    body: list[Field] = []
    for field in lines:
        if field.name == "crawler":
            if body:
                found.append(Record(tuple(crawlers), tuple(body)))
                crawlers, body = [], []
            crawlers.append(Named(field.line, field.value))
        elif crawlers and field.name not in _DEFINITIONS:
            body.append(field)
    if crawlers:
        found.append(Record(tuple(crawlers), tuple(body)))
    return tuple(found)

"""The outline of a robots.txt: what each line with a field holds, and which lines belong together.

policy.outline.records[0].crawlers[0].value          # "examplebot"
policy.outline.fields[3].texts("resource")           # ("/news/", "the-acap:resource-set:archive")

It has what the reader found, with the places. Code that shows, checks or rewrites a file looks here: no other place
takes a line apart. Nothing here decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from acap import _native

if TYPE_CHECKING:
    from acap._native import _Field  # a name of the stub alone

Role: TypeAlias = Literal["crawler", "purpose", "name", "usage", "resource", "qualifier", "uri", "version"]
"""What a word of a value is; `name`: the name that a definition gives; `uri`: where the permissions of a record are."""

RULES = ("Allow", "Disallow")
"""Kinds of the rules of a group (RFC 9309 2.2)."""

USES = ("Content-Signal", "Content-Usage", "ACAP")
"""Kinds of the lines that speak of uses; `ACAP` are those of all ACAP fields."""

_OUTSIDE = frozenset({"ACAP", "##ACAP", "Sitemap", "Host", "text"})
"""Kinds of lines that belong to no group, wherever they stand (RFC 9309 2.2.4)."""

DEFINITIONS = ("resource-set", "qualified-usage", "composite-usage")
"""Names of the ACAP fields that define a name (P1 4.5.3)."""


class Span(NamedTuple):
    """Octets of the text: from `start`, up to `end`."""

    start: int
    end: int


class Word(NamedTuple):
    """A word of a value, as it is written, and where."""

    role: Role
    text: str
    span: Span


class Field:
    """A line with a field.

    `kind` is that of the line (`User-agent`, `Disallow`, `Sitemap`, `ACAP`, …). `name` is the known name of an ACAP
    field without `acap-` (`disallow-index`, `allow-(q)`), `""` for an unknown one; of another field it is the
    kind. `value` is without blanks at its ends and comment, decoded as UTF-8. `defines` is the name that a definition
    gives, as names are compared. `guessed`: the name has a typo; `cut`: a limit cut the line.
    """

    # A file may have a hundred thousand fields, few of which are looked into: words and spans are made on demand.
    __slots__ = ("_places", "_text", "_words", "cut", "defines", "guessed", "kind", "line", "name", "value")

    def __init__(self, text: bytes, _field: _Field) -> None:
        self.line, (self.kind, acap, self.defines, self.guessed, self.cut), self._places, self._words, _, _ = _field
        self.name = (acap or "") if self.kind == "ACAP" else self.kind
        self.value = self._written(text, *self._places[2:])
        self._text = text

    @property
    def name_span(self) -> Span:
        """The octets of the name."""
        return Span(*self._places[:2])

    @property
    def value_span(self) -> Span:
        """The octets of the value."""
        return Span(*self._places[2:])

    @property
    def span(self) -> Span:
        """The octets of the whole field, its comment aside."""
        name, name_end, value, value_end = self._places
        return Span(min(name, value), max(name_end, value_end))

    @property
    def words(self) -> tuple[Word, ...]:
        """The words of an ACAP value; of a User-agent line the names by which it is found, of `##ACAP` its version."""
        return tuple(
            Word(cast("Role", role), self._written(self._text, start, end), Span(start, end))
            for role, start, end in self._words
        )

    def texts(self, role: Role) -> tuple[str, ...]:
        """The words of one role, as they are written."""
        return tuple(self._written(self._text, start, end) for each, start, end in self._words if each == role)

    def names(self, role: Role) -> tuple[str, ...]:
        """The words of one role, as names are compared: in lower case, with a hyphen for blanks and dashes."""
        return tuple(map(_native.folded_name, self.texts(role)))

    @staticmethod
    def _written(text: bytes, start: int, end: int) -> str:
        return text[start:end].decode("utf-8", "replace")


class Group(NamedTuple):
    """A group of conventional lines (RFC 9309 2.1).

    `agents` are its User-agent lines, `body` its rules and the other fields in it, in the order of the
    file; a line that stands between two User-agent lines is in it too. `rules` are its Allow and Disallow lines.
    `names` are those by which its User-agent lines are found, `*` among them (RFC 9309 2.2.1).
    """

    agents: tuple[Field, ...]
    body: tuple[Field, ...]
    rules: tuple[Field, ...]
    names: tuple[str, ...]

    @property
    def is_default(self) -> bool:
        """Whether it is for the crawlers that no group names."""
        return "*" in self.names


class SubRecord(NamedTuple):
    """A part of a record: its purpose lines, and its permissions and prohibitions (P1 4.5.2.4)."""

    purposes: tuple[Field, ...]
    fields: tuple[Field, ...]


class Record(NamedTuple):
    """An ACAP record (P1 4.5): its crawler lines, and everything that belongs to it, in the order of the file."""

    crawlers: tuple[Field, ...]
    fields: tuple[Field, ...]
    parts: tuple[SubRecord, ...]


class Outline:
    """Every field of a text, its groups and its records; places are octets of `text`."""

    def __init__(self, text: bytes, fields: Sequence[_Field]) -> None:
        self.text = text
        self.fields: tuple[Field, ...] = tuple(Field(text, field) for field in fields)
        """Every line with a field, in order."""
        self._within = [(within, part) for *_, within, part in fields]

    def octets(self, span: Span) -> bytes:
        """The octets of a span."""
        return self.text[span.start : span.end]

    @cached_property
    def by_line(self) -> dict[int, Field]:
        """The fields by the numbers of their lines."""
        return {field.line: field for field in self.fields}

    @cached_property
    def acap(self) -> tuple[Field, ...]:
        """The ACAP fields, unknown ones included."""
        return tuple([field for field in self.fields if field.kind == "ACAP"])

    @cached_property
    def rules(self) -> tuple[Field, ...]:
        """Every Allow and Disallow line, those before the first group included."""
        return tuple([field for field in self.fields if field.kind in RULES])

    @cached_property
    def definitions(self) -> tuple[Field, ...]:
        """The definitions of resource sets and of local usages, wherever they stand (P1 4.5.3)."""
        return tuple(field for field in self.acap if field.name in DEFINITIONS)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups of conventional lines, in the order of the file."""
        return tuple(map(_group, self._together([field.kind not in _OUTSIDE for field in self.fields])))

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The ACAP records, in the order of the file."""
        return tuple(map(_record, self._together([field.kind == "ACAP" for field in self.fields]) if self.acap else ()))

    def _together(self, wanted: Sequence[bool]) -> list[list[tuple[Field, int]]]:
        """The wanted fields of each group or record, each with its part of that."""
        out: list[list[tuple[Field, int]]] = []
        for field, (within, part), is_wanted in zip(self.fields, self._within, wanted, strict=True):
            if is_wanted and within is not None:
                out += [[] for _ in range(within + 1 - len(out))]
                out[within].append((field, part))
        return out


def _group(fields: list[tuple[Field, int]]) -> Group:
    agents = tuple([field for field, _ in fields if field.kind == "User-agent"])
    body = tuple([field for field, _ in fields if field.kind != "User-agent"])
    names = [name for agent in agents for name in agent.texts("crawler")]
    return Group(agents, body, tuple([field for field in body if field.kind in RULES]), tuple(names))


def _record(fields: list[tuple[Field, int]]) -> Record:
    parts: dict[int, tuple[list[Field], list[Field]]] = {}
    crawlers: list[Field] = []
    others: list[Field] = []
    for field, part in fields:
        if field.name == "crawler":
            crawlers.append(field)
            continue
        others.append(field)
        parts.setdefault(part, ([], []))[field.name != "usage-purpose"].append(field)
    sub_records = tuple(SubRecord(tuple(purposes), tuple(rest)) for purposes, rest in parts.values())
    return Record(tuple(crawlers), tuple(others), sub_records)

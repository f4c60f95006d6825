"""Local definitions: qualified usages, composite usages, resource sets (P1 4.5.3).

The first definition of a name stands, wherever it is in the file. Qualified and composite usages share their names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .acap_fields import AcapField
from .acap_values import Value, pattern_of, read_qualifiers, set_name, words_of
from .restrictions import is_of_version_1_1
from .text import hyphened
from .usages import USAGES, singular


@dataclass(frozen=True)
class QualifiedUsage:
    """The name of a usage as written, with its qualifiers."""

    usage_name: str
    qualifiers: Value


@dataclass(frozen=True)
class CompositeUsage:
    """The constituents as written, lower case; local names in parentheses."""

    constituents: tuple[str, ...]


@dataclass
class Definitions:
    """What a file defines."""

    usages: dict[str, QualifiedUsage | CompositeUsage] = field(default_factory=dict)
    sets: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def parts_of(self, name: str) -> list[QualifiedUsage] | None:
        """The usages with qualifiers that a local name stands for; None if it is undefined."""
        defined = self.usages.get(name)
        if defined is None:
            return None
        if isinstance(defined, QualifiedUsage):
            return [defined]
        parts = [self.part_of(constituent) for constituent in defined.constituents]
        return [part for part in parts if part is not None]

    def part_of(self, constituent: str) -> QualifiedUsage | None:
        """The usage a constituent of a composite stands for; None if void: undefined, or a composite itself."""
        in_parentheses = constituent.startswith("(") and constituent.endswith(")")
        defined = self.usages.get(constituent.strip("()"))
        if in_parentheses:
            return defined if isinstance(defined, QualifiedUsage) else None
        if singular(constituent) not in USAGES and isinstance(defined, QualifiedUsage):
            return defined
        return QualifiedUsage(constituent, Value())

    def patterns_of(self, resource: str, site: str | None) -> list[str]:
        """The canonical patterns of a resource: of a set, all of them; none if it is undefined or void.

        A set is made of patterns (P1 4.5.3.3): another set's name in it is void.
        """
        name = set_name(resource)
        members = (resource,) if name is None else self.sets.get(name, ())
        found = [pattern_of(member, site) for member in members if set_name(member) is None]
        return [pattern for pattern in found if pattern is not None]


def read_definitions(fields: Iterable[AcapField], version: tuple[int, int] | None) -> Definitions:
    """The definitions among the fields; one without a body defines nothing."""
    definitions = Definitions()
    for found in fields:
        words = words_of(found.value)
        if len(words) < 2 or (found.line.cut and found.name != "acap-resource-set"):
            continue  # what a limit cut off a usage could be what restricts it
        name = hyphened(words[0])
        if found.name == "acap-resource-set":
            definitions.sets.setdefault(name, tuple(words[1:]))
        if found.name == "acap-composite-usage":
            definitions.usages.setdefault(name, CompositeUsage(tuple(hyphened(word) for word in words[1:])))
        if found.name == "acap-qualified-usage":
            read = read_qualifiers(words[2:])
            qualifiers = Value(qualifiers=read.qualifiers, strange=(*read.strange, *read.resources))
            if not is_too_new(qualifiers, version):
                definitions.usages.setdefault(name, QualifiedUsage(hyphened(words[1]), qualifiers))
    return definitions


def is_too_new(value: Value, version: tuple[int, int] | None) -> bool:
    """Whether a qualifier belongs to a later version than the file states; none stated is no restriction."""
    if version is None or version > (1, 0):
        return False
    return any(is_of_version_1_1(name, written) for name, written in value.qualifiers)

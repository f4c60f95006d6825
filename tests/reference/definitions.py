"""Local definitions: qualified usages, composite usages, resource sets (P1 4.5.3).

The first definition of a name stands, wherever it is in the file. Qualified and composite usages share their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from .acap_fields import DEFINITIONS, AcapField
from .acap_values import Value, is_untold, pattern_of, read_qualifiers, set_name, words_of
from .restrictions import is_of_version_1_1, read_qualifier
from .slips import fold, slipped
from .text import hyphened, tokens
from .usages import EVERY, USAGES, divided, singular


@dataclass(frozen=True)
class QualifiedUsage:
    """The name of a usage as written, with its qualifiers."""

    usage_name: str
    qualifiers: Value
    is_cut: bool = False
    is_later: bool = False
    is_prohibited: bool = False  # what a misspelt definition says, or one with a blank within a usage
    divided: tuple[str, ...] = ()  # the usages that a blank may have divided


@dataclass(frozen=True)
class CompositeUsage:
    """The constituents as written, lower case; local names in parentheses."""

    constituents: tuple[str, ...]
    is_cut: bool = False


@dataclass(frozen=True)
class Guess:
    """A definition whose field is misspelt: it may be one of anything, and of what it says first."""

    read: QualifiedUsage | CompositeUsage | None = None


@dataclass
class Definitions:
    """What a file defines."""

    usages: dict[str, QualifiedUsage | CompositeUsage | Guess] = field(default_factory=dict)
    sets: dict[str, tuple[str, ...] | Guess] = field(default_factory=dict)
    cut_sets: set[str] = field(default_factory=set)
    any_usage_is_cut: bool = False
    any_set_is_cut: bool = False
    is_of_old: bool = False  # of version 1.0 or before
    first_cut_usage: int = 0  # the line of a definition; 0 if none was cut

    def is_cut_set(self, resource: str) -> bool:
        """Whether a resource is a set, or may be one, of whose definition a limit cut something."""
        name = set_name(resource)
        if not (self.any_set_is_cut or self.cut_sets):
            return False
        if not name:
            return is_untold(resource)
        return self.any_set_is_cut or name in self.cut_sets or name not in self.sets

    def used_by(self, name: str) -> list[QualifiedUsage]:
        """The qualified usages that a local usage is, or is made of, misspelt ones as far as they can be read."""
        defined = self.usages.get(name)
        read = defined.read if isinstance(defined, Guess) else defined
        if not isinstance(read, CompositeUsage):
            return [read] if read else []
        parts = []
        for constituent in read.constituents:
            part = self.usages.get(constituent.strip("()"))
            if constituent.startswith("(") or singular(constituent) not in USAGES:
                parts.append(part.read if isinstance(part, Guess) else part)
        return [part for part in parts if isinstance(part, QualifiedUsage)]

    def is_later(self, name: str) -> bool:
        """Whether a local usage is, or may be, defined by a feature of a later version than the file's."""
        is_guess = isinstance(self.usages.get(name), Guess)
        return (self.is_of_old and is_guess) or any(part.is_later for part in self.used_by(name))

    def doubt_of(self, name: str) -> tuple[str, ...]:
        """The usages prohibited in place of a local usage of which a limit cut something; none if it is whole.

        What was cut may have been of a later version.
        """
        defined = self.usages.get(name)
        read = defined.read if isinstance(defined, Guess) else defined
        is_cut = (read is not None and read.is_cut) or any(part.is_cut for part in self.used_by(name))
        if self.any_usage_is_cut or (is_cut and not isinstance(defined, QualifiedUsage)):
            return (EVERY,)
        if is_cut and isinstance(defined, QualifiedUsage):
            base = singular(defined.usage_name)
            return (EVERY,) if base not in USAGES else (base, "other") if self.is_of_old else (base,)
        return ()

    def name_meant(self, name: str) -> str:
        """The defined name that a name may be: itself, or if nothing defines it, what is left without dashes around."""
        bare = name.strip("-")
        return bare if name not in self.usages and bare in self.usages else name

    def parts_of(self, name: str, *, permits: bool) -> list[QualifiedUsage] | None:
        """The usages with qualifiers that a local name stands for; None if it is undefined, or all parts are void."""
        defined = self.usages.get(name)
        if isinstance(defined, Guess):
            return None if permits else [*self.guessed(defined), EVERYTHING]
        if defined is None:
            return None
        if isinstance(defined, QualifiedUsage):
            return [defined]
        return self.parts_among(defined.constituents, permits=permits) or None

    def parts_among(self, constituents: tuple[str, ...], *, permits: bool) -> list[QualifiedUsage]:
        """What constituents stand for. Of two that a blank has made of one usage, that is prohibited, and they are too.

        What nobody knows is permitted under its own name alone, so that can stay.
        """
        found: list[QualifiedUsage] = []
        for place, constituent in enumerate(constituents):
            before = divided(constituents[place - 1], constituent) if place else ()
            after = divided(constituent, constituents[place + 1]) if place + 1 < len(constituents) else ()
            parts = self.parts_in(constituent, permits=permits)
            if (before or after) and singular(constituent) in USAGES:
                parts = [replace(part, is_prohibited=True) for part in parts]
            found += [*parts, *(QualifiedUsage(usage, Value(), is_prohibited=True) for usage in before)]
        return found

    def guessed(self, guess: Guess) -> list[QualifiedUsage]:
        """What a definition says whose field is misspelt, as far as it can be read: nothing of it permits."""
        if isinstance(guess.read, QualifiedUsage):
            return [replace(guess.read, is_prohibited=True)]
        found = self.parts_among(guess.read.constituents, permits=False) if guess.read else []
        return [replace(part, is_prohibited=True) for part in found]

    def parts_in(self, constituent: str, *, permits: bool) -> list[QualifiedUsage]:
        """What a constituent stands for; of one whose own definition is misspelt what that says is prohibited."""
        defined = self.usages.get(constituent.strip("()"))
        is_local = constituent.startswith("(") and constituent.endswith(")")
        if isinstance(defined, Guess) and (is_local or singular(constituent) not in USAGES):
            read = self.guessed(defined) if isinstance(defined.read, QualifiedUsage) else []
            if read:
                return read if permits else [*read, EVERYTHING]
        part = self.part_of(constituent, permits=permits)
        return [] if part is None else [part]

    def part_of(self, constituent: str, *, permits: bool) -> QualifiedUsage | None:
        """The usage a constituent of a composite stands for; None if void: undefined, or a composite itself."""
        in_parentheses = constituent.startswith("(") and constituent.endswith(")")
        defined = self.usages.get(constituent.strip("()"))
        if isinstance(defined, Guess) and (in_parentheses or singular(constituent) not in USAGES):
            return None if permits else EVERYTHING
        if in_parentheses:
            return defined if isinstance(defined, QualifiedUsage) else None
        if singular(constituent) not in USAGES and isinstance(defined, QualifiedUsage):
            return defined
        return QualifiedUsage(constituent, Value())

    def patterns_of(self, resource: str, site: str | None, *, prohibits: bool, guesses: bool) -> list[str] | None:
        """The canonical patterns of a resource: of a set, all of them; None if the set is undefined.

        A set is made of patterns (P1 4.5.3.3): another set's name in it is void. An undefined one in a prohibition is
        the one defined set within one slip, if there is one alone and no digit differs (our choice). A permission that
        prohibits, for it cannot be interpreted, guesses no set.
        """
        name = set_name(resource)
        if is_untold(resource):
            return None
        members: tuple[str, ...] | Guess | None = (resource,) if name is None else self.sets.get(name)
        if name is not None and members is None and guesses:
            near = [other for other in self.sets if is_near(name, other)]
            members = self.sets[near[0]] if len(near) == 1 else None
        if members is None or isinstance(members, Guess):
            return None
        found = [pattern_of(member, site, prohibits=prohibits) for member in members if set_name(member) is None]
        return [pattern for pattern in found if pattern is not None]


EVERYTHING = QualifiedUsage("", Value())
DIGITS = re.compile("[0-9]")


def is_near(one: str, other: str) -> bool:
    """Whether a name of a set may be another, misspelt."""
    return slipped(fold(one), fold(other)) and DIGITS.findall(one) == DIGITS.findall(other)


def read_definitions(fields: Iterable[AcapField], version: tuple[int, int] | None) -> Definitions:
    """The definitions among the fields; one without a body defines nothing."""
    definitions = Definitions(is_of_old=is_old(version))
    for found in fields:
        if found.name not in DEFINITIONS or (found.guessed and found.line.cut):
            continue  # a line of which not even the field can be told defines nothing
        words = tokens(found.value)  # names and usages have no blank around a `=`
        if found.is_cut:
            if found.name != "acap-resource-set":
                definitions.first_cut_usage = definitions.first_cut_usage or found.line.number
            words = words[:-1]  # the last could go on
            if not words:
                definitions.any_set_is_cut |= found.name == "acap-resource-set"
                definitions.any_usage_is_cut |= found.name != "acap-resource-set"
                continue
        elif len(words) < 2:
            continue
        name = hyphened(words[0])
        if found.name == "acap-resource-set" and name not in definitions.sets:
            unsure = found.guessed or any(map(is_untold, words[1:]))  # one that nobody can tell may be any
            definitions.sets[name] = Guess() if unsure else tuple(words[1:])
            definitions.cut_sets |= {name} if found.is_cut else set()
        if found.name == "acap-composite-usage":
            composite = CompositeUsage(tuple(hyphened(word) for word in words[1:]), found.is_cut)
            definitions.usages.setdefault(name, Guess(composite) if found.guessed else composite)
        if found.name == "acap-qualified-usage":
            read = read_qualifiers(words_of(" ".join(words[2:])))
            qualifiers = Value(qualifiers=read.qualifiers, strange=(*read.strange, *read.resources))
            usage_name = hyphened(words[1]) if len(words) > 1 else ""
            whole = divided(usage_name, hyphened(words[2])) if len(words) > 2 else ()
            # what cannot be interpreted, or is misspelt, may be of a later version
            may_be_later = is_old(version) and (found.guessed or is_broken(qualifiers))
            is_later = is_too_new(qualifiers, version) or may_be_later
            qualified = QualifiedUsage(usage_name, qualifiers, found.is_cut, is_later, divided=whole)
            definitions.usages.setdefault(name, Guess(qualified) if found.guessed else qualified)
    return definitions


def is_old(version: tuple[int, int] | None) -> bool:
    """Whether a version has no feature of version 1.1; none stated is no restriction."""
    return version is not None and version <= (1, 0)


def is_broken(value: Value) -> bool:
    """Whether a qualifier cannot be interpreted, whatever the version."""
    return bool(value.strange) or any(
        read_qualifier(name, written, 0) is None and not is_of_version_1_1(name, written)
        for name, written in value.qualifiers
    )


def is_too_new(value: Value, version: tuple[int, int] | None) -> bool:
    """Whether a qualifier belongs to a later version than the file states."""
    if not is_old(version):
        return False
    return any(is_of_version_1_1(name, written) for name, written in value.qualifiers)

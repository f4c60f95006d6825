"""Records to statements: who, what for, which usage, which resources, permitted or prohibited, under what restrictions.

A set is one field per pattern, a composite one field per constituent. A permission that we cannot interpret is read
as a prohibition (P2 2.2.6).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .acap_fields import AcapField, is_local
from .acap_records import Record, SubRecord
from .acap_values import Value, read_value
from .definitions import Definitions, Guess, QualifiedUsage, is_old, is_too_new
from .limits import Limits
from .restrictions import Restriction, read_qualifier
from .usages import EVERY, nearly_known, read_permitted, read_prohibited

SITE, PAGE, HEADER = 0, 1, 1_000_000  # how deep a statement stands; in an element of a page deeper, in a header deepest


@dataclass(frozen=True)
class Statement:
    """A permission or prohibition of one usage on one pattern. No names and not `anybody`: addressed to nobody.

    Of a permission that lifts nothing all that is left is its restrictions. A firm prohibition stands for what a limit
    cut, or is one of which nobody can tell what usage it is of: nothing lifts it. A doubtful one stands for what cannot
    be interpreted, or for resources that nobody can tell: only permissions of an earlier tier of its part lift it. A
    conditional one stands for what a permission restricts; where that lifts nothing it would restrict in every tier,
    and nothing lifts what stands for it. What is for every purpose stands in the tiers of those that match, whatever is
    asked.
    """

    permits: bool
    usage: str
    pattern: str
    purposes: tuple[str, ...]
    names: frozenset[str]
    anybody: bool
    restrictions: tuple[Restriction, ...]
    line: int
    lifts: bool = True
    depth: int = SITE
    firm: bool = False
    doubtful: bool = False
    conditional: bool = False
    every_purpose: bool = False
    every_crawler: bool = False

    @property
    def speaks(self) -> bool:
        """Whether it says more than what is restricted."""
        return self.lifts or not self.permits

    def lifting(self, lifts: bool) -> Statement:
        """The statement where permissions lift something, or nothing."""
        lifts = lifts and self.lifts
        firm = self.firm or (self.conditional and not lifts)
        return self if (lifts, firm) == (self.lifts, self.firm) else replace(self, lifts=lifts, firm=firm)


def statements_of(
    records: list[Record],
    definitions: Definitions,
    *,
    site: str | None,
    version: tuple[int, int] | None,
    limits: Limits,
) -> list[Statement]:
    """All statements of a file; a permission beyond its limits only restricts, one in a record that refers is void."""
    statements = []
    for record_number, record in enumerate(records, start=1):
        for sub_record, found, within in limited_fields(record, limits):
            found = as_local(found, definitions)
            for statement in statements_of_field(found, sub_record, record, definitions, site, version):
                sure = statement.lifts and not (found.guessed or sub_record.is_guessed or record.is_guessed)
                lifts = sure and within and record_number <= limits.records
                whole = not (statement.every_crawler or statement.every_purpose)
                if not statement.permits or (not record.references and (lifts or statement.restrictions)):
                    statements.append(statement.lifting(lifts and whole))
    return statements


def as_local(found: AcapField, definitions: Definitions) -> AcapField:
    """A field with the local usage that is meant where a parenthesis has slipped; in a prohibition if it is defined."""
    name = found.usage_name
    bare = name.strip("()-")
    shorter = (bare[:-1] if name.startswith("(") else bare[1:]).strip("()-")
    if bare not in definitions.usages and shorter in definitions.usages:
        bare = shorter  # a letter beside a parenthesis, or in its place
    odd = bool(bare) and (name.startswith("(") or name.endswith(")")) and not is_local(name)
    if not odd or nearly_known(name) or (found.effect == "disallow" and bare not in definitions.usages):
        return found
    return replace(found, name=f"acap-{found.effect}-({bare})", guessed=found.guessed or found.effect == "allow")


def limited_fields(record: Record, limits: Limits) -> Iterator[tuple[SubRecord, AcapField, bool]]:
    """The permissions and prohibitions of a record, each with whether the limits reach it."""
    in_record = 0
    for number, sub_record in enumerate(record.sub_records):  # the first is what stands before any purpose line
        for in_sub_record, found in enumerate(sub_record.fields, start=1):
            in_record += 1
            within = in_record <= limits.fields_per_record and number <= limits.sub_records
            yield sub_record, found, within and (number == 0 or in_sub_record <= limits.fields_per_sub_record)


def statements_of_field(
    found: AcapField,
    sub_record: SubRecord,
    record: Record,
    definitions: Definitions,
    site: str | None,
    version: tuple[int, int] | None,
) -> Iterator[Statement]:
    """The statements of one field."""
    value = read_value(found.value, *found.others, prohibits=found.effect == "disallow")
    said = Statement(
        permits=False,
        usage=EVERY,
        pattern="/",
        purposes=sub_record.matched_purposes,
        names=frozenset(record.names),
        anybody=record.anybody,
        restrictions=(),
        line=found.line.number,
        lifts=not found.is_controlled,
        every_purpose=sub_record.is_for_every_purpose,
        every_crawler=record.is_cut,
    )
    is_odd = False
    if found.usage_name.startswith("(") and found.usage_name.endswith(")"):
        name = found.usage_name[1:-1]
        meant = definitions.name_meant(name)
        is_odd = meant != name
        found = replace(found, name=f"acap-{found.effect}-({meant})")
    permission = found.effect == "allow"
    broken = permission and restrictions_of([value], found.line.number, version) is None
    prohibits = broken or not permission
    if broken:  # it prohibits what a prohibition with these words would
        value = replace(value, resources=read_value(found.value, *found.others, prohibits=True).resources)
    in_doubt = doubtful_usages(found, value, definitions)
    if in_doubt is not None:
        for usage in in_doubt:
            yield replace(said, usage=usage, firm=True)
        return
    later = is_too_new(value, version) or is_of_later_definition(found, definitions)
    if broken:  # it may have been of a later version, or restrict the usage that is meant
        later |= is_old(version) or bool(nearly_known(found.usage_name))
    if not prohibits and not found.usage_name:
        return
    lost = not permission and found.vague and not value.resources
    if lost:
        value = replace(value, resources=("/",))
    sets = [
        definitions.patterns_of(resource, site, prohibits=prohibits, guesses=not permission)
        for resource in value.resources
    ]
    lifting = [pattern for patterns in sets for pattern in patterns or ()]
    # of a set that is undefined nothing is lifted, and everything restricted
    patterns = [(pattern, True) for pattern in lifting] + [("/", False)] * (None in sets)
    effects = list(effects_of(found, value, definitions, version))
    if is_odd:  # under the name as it is written nothing is defined
        effects.append(("other", False, (), broken))
    for usage, permits, restrictions, conditional in effects:
        for pattern, lifts in patterns:
            yield replace(
                said,
                permits=permits,
                usage=usage,
                pattern=pattern,
                restrictions=restrictions,
                lifts=said.lifts and lifts and not later and not is_odd,
                firm=not permission and found.is_of_several,
                doubtful=not permits and (permission or lost or value.is_ended or not lifts),
                conditional=conditional,
            )
    own = restrictions_of([value], found.line.number, version)
    # what restricts a misspelt usage restricts the one that it may be
    for usage in nearly_known(found.usage_name) if permission and own else []:
        nearly = replace(said, permits=True, usage=usage, restrictions=own or (), lifts=False)
        yield from (replace(nearly, pattern=pattern) for pattern, _ in patterns)


def doubtful_usages(found: AcapField, value: Value, definitions: Definitions) -> tuple[str, ...] | None:
    """The usages prohibited of every resource, for a limit cut the field or what it uses; None if it is whole."""
    cut_usages: tuple[str, ...] = ()
    usages = found.usages_read if found.line.cut else None
    if usages is None and found.usage_name.startswith("(") and found.usage_name.endswith(")"):
        cut_usages = definitions.doubt_of(found.usage_name[1:-1])
    if cut_usages:
        return cut_usages
    if usages is None and (found.line.cut or any(map(definitions.is_cut_set, value.resources))):
        as_prohibition = replace(found, name=found.name.replace("acap-allow-", "acap-disallow-"))
        return tuple(usage for usage, *_ in effects_of(as_prohibition, value, definitions, None))
    return usages


def is_of_later_definition(found: AcapField, definitions: Definitions) -> bool:
    """Whether the field names a local usage that is, or may be, defined by a feature of a later version."""
    return found.usage_name.startswith("(") and definitions.is_later(found.usage_name[1:-1])


def effects_of(
    found: AcapField, value: Value, definitions: Definitions, version: tuple[int, int] | None
) -> Iterator[tuple[str, bool, tuple[Restriction, ...], bool]]:
    """The usages of a field, whether each is permitted, under what restrictions, and whether it stands for some."""
    broken = found.effect == "allow" and restrictions_of([value], found.line.number, version) is None
    permission = found.effect == "allow" and restrictions_of([value], found.line.number, version) is not None
    parts: list[QualifiedUsage] | None = [QualifiedUsage(found.usage_name, Value())]
    if found.usage_name.startswith("(") and found.usage_name.endswith(")"):
        parts = definitions.parts_of(found.usage_name[1:-1], permits=permission)
    local = definitions.usages.get(found.usage_name.strip("()")) if found.usage_name.startswith("(") else None
    if parts is None:
        parts = definitions.guessed(local) if isinstance(local, Guess) else []
        # our choice: we cannot tell what should have been limited
        yield "other", False, (), broken or (found.effect == "allow" and bool(parts))
    if isinstance(local, QualifiedUsage) and local.is_later:
        yield "other", False, (), broken  # to its version nothing of that name is defined
    for part in parts:
        interpreted = permission and not part.is_prohibited
        restrictions = restrictions_of([part.qualifiers, value], found.line.number, version) if interpreted else None
        if restrictions is None:  # what cannot be interpreted is a prohibition like any other
            for usage in (*read_prohibited(part.usage_name), *part.divided):
                yield usage, False, (), found.effect == "allow"
        else:
            yield read_permitted(part.usage_name), True, restrictions, False
            if local is not None:  # what the definition would limit is prohibited
                yield from ((usage, False, (), True) for usage in nearly_known(part.usage_name))


def restrictions_of(values: list[Value], line: int, version: tuple[int, int] | None) -> tuple[Restriction, ...] | None:
    """The restrictions that qualifiers come to; None if one of them cannot be interpreted.

    One of a later version than the file's restricts as far as it can be interpreted.
    """
    if any(value.strange for value in values):
        return None
    qualifiers = [
        (name, written)
        for value in values
        for name, written in value.qualifiers
        if not is_too_new(Value(qualifiers=((name, written),)), version) or read_qualifier(name, written, line)
    ]
    read = [read_qualifier(name, written, line) for name, written in qualifiers]
    known = [restriction for restriction in read if restriction is not None]
    return tuple(known) if len(known) == len(read) else None

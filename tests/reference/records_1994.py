"""The records of 1994, which blank lines end, and the first that counts for a crawler.

They serve the dialects `rep-1994`, `norobots-1996` and `robots-2.0`. A comment line is not blank. A User-agent line
after a rule starts a record too; lines before the first User-agent line of a record are void.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .canonical import canonical_prefix
from .conventional import DISALLOW, Field, Group, Refusal, Verdict, read_field, read_groups
from .crawler import first_named
from .lines import Line
from .text import ascii_lower


def read_records(lines: Iterable[Line]) -> list[Group]:
    """The records in the order of the file."""
    records: list[Group] = []
    block: list[Field] = []
    for line in lines:
        if line.is_blank:
            records += read_groups(block)
            block = []
        elif found := read_field(line):
            block.append(found)
    return records + read_groups(block)


def record_for(records: Sequence[Group], names: Sequence[str]) -> tuple[Group | None, bool]:
    """The first record with a value that contains a name, else the first for everybody; and whether it names it."""

    def first_containing(name: str) -> Group | None:
        return next((record for record in records if contains(record, name)), None)

    name = first_named(names, lambda name: first_containing(name) is not None)
    if name is not None:
        return first_containing(name), True
    return default_record(records), False


def contains(record: Group, name: str) -> bool:
    """Whether the value of one of its User-agent lines contains the name (K2 3.2.1)."""
    return any(name in ascii_lower(agent.value) for agent in record.agents)


def default_record(records: Sequence[Group]) -> Group | None:
    """The first record with a User-agent line `*`."""
    return next((record for record in records if any(agent.value == "*" for agent in record.agents)), None)


def decide(record: Group | None, named: bool, path: str) -> Verdict:
    """The verdict of 1994: the first Disallow that path and query begin with; an empty one says that all is allowed."""
    disallows = [rule for rule in record.rules if rule.kind == DISALLOW] if record else []
    for rule in disallows:
        if rule.line.cut:
            continue  # it refuses apart
        prefix = canonical_prefix(rule.value)
        if prefix and path.startswith(prefix):
            return Verdict(refusals=(Refusal(prefix, rule.line.number, named),))
    return Verdict(allowed_by=next((rule.line.number for rule in disallows if not rule.value and rule.is_whole), None))

"""What the ACAP reader finds in a file: its version, records and statements, and whether REP counts (P1 4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from .acap_fields import IGNORE_CONVENTIONAL, AcapField, read_acap_field, read_version
from .acap_records import Record, names_nobody, read_records
from .crawler import first_named
from .definitions import Definitions, read_definitions
from .limits import Limits
from .lines import Line
from .statements import Statement, statements_of
from .text import tokens
from .usages import USAGES


@dataclass(frozen=True)
class AcapFile:
    """The ACAP records of a file and what they state."""

    version: tuple[int, int] | None = None
    records: tuple[Record, ...] = ()
    statements: tuple[Statement, ...] = ()
    ignores_conventional: bool = False
    definitions: Definitions = field(default_factory=Definitions)
    cuts_names: bool = False
    hides_names: bool = False

    def name_for(self, names: Sequence[str]) -> str | None:
        """The first of the names that a record names; None if none."""
        return first_named(names, lambda name: any(name in record.names for record in self.records))

    def records_for(self, names: Sequence[str]) -> list[tuple[Record, bool]]:
        """The records that address the crawler, each with whether it names it."""
        asked = tuple(names)
        if asked not in self._records_by_names:
            self._records_by_names[asked] = self._records_for(names)
        return list(self._records_by_names[asked])

    @cached_property
    def _records_by_names(self) -> dict[tuple[str, ...], list[tuple[Record, bool]]]:
        """The records that address a crawler, by its names: every question asks for them several times."""
        return {}

    def _records_for(self, names: Sequence[str]) -> list[tuple[Record, bool]]:
        name = self.name_for(names)
        found = [(record, name in record.names or record.is_cut) for record in self.records]
        return [(record, named) for record, named in found if named or record.anybody]

    def statements_for(self, names: Sequence[str]) -> list[tuple[Statement, bool]]:
        """The statements that address the crawler, each with whether it names it.

        Where a name was cut, or cannot be read, the crawler could be called by it: what is said to another than the
        first of its names lifts nothing then.
        """
        asked = tuple(names)
        if asked not in self._addressed:
            self._addressed[asked] = self._statements_for(names)
        return list(self._addressed[asked])

    @cached_property
    def _addressed(self) -> dict[tuple[str, ...], list[tuple[Statement, bool]]]:
        """The statements that address a crawler, by its names: they are asked for with every question."""
        return {}

    def _statements_for(self, names: Sequence[str]) -> list[tuple[Statement, bool]]:
        name = self.name_for(names)
        doubtful = (self.cuts_names or self.hides_names) and name is not None and name != names[0]
        found = [
            (
                statement.lifting(not (doubtful and name in statement.names)),
                name in statement.names or statement.every_crawler,
            )
            for statement in self.statements
        ]
        return [(statement, named) for statement, named in found if named or statement.anybody]


def read_acap(lines: Iterable[Line], site: str | None, limits: Limits) -> AcapFile:
    """What the ACAP reader finds in the lines."""
    lines = list(lines)
    fields: list[AcapField] = [found for found in map(read_acap_field, lines) if found]
    version = next((stated for stated in map(read_version, lines) if stated), None)
    records = read_records(fields)
    definitions = read_definitions(fields, version)
    statements = tuple(statements_of(records, definitions, site=site, version=version, limits=limits))
    permits = any(one.permits and one.lifts and one.usage in USAGES for one in statements)
    return AcapFile(
        version=version,
        records=tuple(records),
        statements=statements,
        definitions=definitions,
        # a prohibition must not switch other prohibitions off (our choice)
        ignores_conventional=permits
        and any(
            found.name == IGNORE_CONVENTIONAL and not (found.guessed or found.line.cut or found.is_controlled)
            for found in fields
        ),
        cuts_names=any(found.name == "acap-crawler" and found.line.cut for found in fields),
        hides_names=any(found.name == "acap-crawler" and names_nobody(found) for found in fields),
    )


def reference_of(found: AcapField) -> str:
    """The URI of a reference, as written; empty if it names none."""
    return next(iter(tokens(found.value)), "")

"""ACAP fields to records and sub-records.

    ACAP-record = (1*named-crawler-identification-field / any-crawler-identification-field) …         P1 4.5.6

A record starts at crawler lines; one after a field of the record starts the next. Definitions, version, directives,
conventional lines and fields we do not know end nothing. Purpose lines gather until a permission or prohibition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from .acap_fields import AcapField
from .text import leading_name

SEPARATORS = re.compile("[ \t\v\f,]+")
RECORD_FIELDS = {
    "acap-usage-purpose",
    "acap-permissions-reference",
    "acap-request-take-down",
    "acap-request-re-crawl",
}


def is_every(purpose: str) -> bool:
    """Whether a purpose pattern is every purpose: `*`, `**`, and with a final `$`, which says nothing more."""
    return re.fullmatch(r"\*+\$?", purpose.strip()) is not None


@dataclass
class SubRecord:
    """Permissions and prohibitions, and the patterns of the purposes they are for; none: for every purpose."""

    purposes: list[str] = field(default_factory=list)
    is_for_every_purpose: bool = False
    fields: list[AcapField] = field(default_factory=list)
    is_guessed: bool = False  # by a purpose line of it: its permissions lift nothing

    @property
    def matched_purposes(self) -> tuple[str, ...]:
        """The patterns of which one must match; none if `*` is among them."""
        return () if any(map(is_every, self.purposes)) or self.is_for_every_purpose else tuple(self.purposes)


@dataclass
class Record:
    """Whom it addresses, its sub-records, its references and its action requests."""

    names: set[str] = field(default_factory=set)
    anybody: bool = False
    is_cut: bool = False
    sub_records: list[SubRecord] = field(default_factory=lambda: [SubRecord()])
    references: list[AcapField] = field(default_factory=list)
    requests: list[AcapField] = field(default_factory=list)
    is_begun: bool = False
    is_guessed: bool = False  # by a crawler line of it: its permissions lift nothing

    @property
    def purposes(self) -> list[str]:
        """The purpose patterns that its statements are for, as written, in order; beside `*` a pattern says nothing."""
        return [purpose for sub_record in self.sub_records for purpose in sub_record.matched_purposes]


def read_records(fields: Iterable[AcapField]) -> list[Record]:
    """The records in the order of the file. Fields before any crawler line are void."""
    records: list[Record] = []
    for found in fields:
        if found.guessed and found.line.cut and not (found.effect or found.is_controlled):
            continue  # a line of which not even the field can be told begins nothing
        if found.name == "acap-crawler":
            if not records or records[-1].is_begun:
                records.append(Record())
            address(records[-1], found)
            records[-1].is_guessed |= found.guessed
        elif records and (found.effect or found.name in RECORD_FIELDS):
            records[-1].is_begun = True
            add(records[-1], found)
    return records


def address(record: Record, found: AcapField) -> None:
    """Address the record to the crawlers of a crawler line: names, or `*` for anybody.

    If a limit cut the line it could be addressed to any, and the last name could be another. So could one that names
    nobody (our choice).
    """
    words = [word for word in SEPARATORS.split(found.value) if word]
    record.is_cut |= found.line.cut or names_nobody(found)
    if found.line.cut:
        words = words[:-1]
    for word in words:
        if word == "*":
            record.anybody = True
        elif leading_name(word):
            record.names.add(leading_name(word))


def names_nobody(found: AcapField) -> bool:
    """Whether a crawler line has no word, or one that is neither `*` nor begins as a name does."""
    words = [word for word in SEPARATORS.split(found.value) if word]
    return any(word != "*" and not leading_name(word) for word in words) or not words


def add(record: Record, found: AcapField) -> None:
    """Put a field where it belongs in the record."""
    if found.effect:
        record.sub_records[-1].fields.append(found)
    elif found.name == "acap-usage-purpose":
        if record.sub_records[-1].fields or len(record.sub_records) == 1:
            record.sub_records.append(SubRecord())
        record.sub_records[-1].is_guessed |= found.guessed
        if found.is_cut or not found.value:  # it may have been any (our choice)
            record.sub_records[-1].is_for_every_purpose = True
        else:
            record.sub_records[-1].purposes.append(found.value)
    elif found.name == "acap-permissions-reference":
        record.references.append(found)
    elif (found.value or found.is_cut) and not (found.guessed and found.name == "acap-request-re-crawl"):
        record.requests.append(found)

"""Qualifiers of permissions: which we can interpret, and what they come to.

qualifier-specification = qualifier-type *WSP "=" *WSP qualifier-value                            P1 4.5.6
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from .text import ascii_lower

NUMERIC_CHARACTER = re.compile(r"%x([0-9A-F]{4})", re.IGNORECASE | re.ASCII)
ACAP_SCHEME = re.compile(r"(?:the-)?acap:", re.IGNORECASE | re.ASCII)
DATE = r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
GRAMMAR = {
    "time-limit": rf"until-recrawled|until-{DATE}|[0-9]{{1,9}}-days",
    "max-length": r"[0-9]{1,9}-(?:chars|words)",
    "must-use-resource": r"(?!(?:the-)?acap:).+|(?:the-)?acap:(?:extract:(?:id|class|meta):.+|(?:id|class|tag)list:.+)",
    "must-include-resource": r"(?!(?:the-)?acap:).+|(?:the-)?acap:(?:credit|link|icon|text):.+",
    "prohibited-modification": r"any|format|style|translation|annotation",
    "prohibited-context": r"within-user-frame",
    "required-context": r"within-original-frame",
}
OLDER_CONTEXTS = {
    "within-frame": ("prohibited-context", "within-user-frame"),
    "within-user-frame": ("prohibited-context", "within-user-frame"),
    "within-original-frame": ("required-context", "within-original-frame"),
}
KNOWN_QUALIFIERS = {*GRAMMAR, "used-resource", "context", "location", "target-condition", "ref"}
ELEMENT_SET = re.compile(r"(?:the-)?acap:(?:id|class|tag)list:", re.IGNORECASE | re.ASCII)
MEASURED_BY_LENGTH = {
    "present",
    "present-snippet",
    "present-extract",
    "present-oldsnippet",
    "present-oldextract",
}


@dataclass(frozen=True)
class Restriction:
    """A condition of a permission: name, value as written, and the line it stands on."""

    name: str
    value: str
    line: int

    @property
    def meaning(self) -> str:
        """The value with its numeric characters resolved and both spellings of the scheme one."""
        return ACAP_SCHEME.sub("the-acap:", resolved(self.value), count=1)


@dataclass(frozen=True)
class Facts:
    """What the asker knows of the resource; aware instants or None."""

    first_indexed: datetime | None = None
    first_preserved: datetime | None = None
    first_available: datetime | None = None
    last_crawled: datetime | None = None

    @classmethod
    def of(cls, facts: Any) -> Facts:
        """The facts of a mapping or of any object that has them as attributes."""
        if isinstance(facts, Mapping):
            return cls(**facts)
        return cls(**{name: getattr(facts, name, None) for name in cls.__dataclass_fields__})


def read_qualifier(name: str, value: str, line: int) -> Restriction | None:
    """The restriction a qualifier states; None if we cannot interpret it (P2 2.2.6).

    After a further `=` nobody can tell where a value begins; one that begins so is written `%x003D`.
    """
    if value.startswith("="):
        return None
    name = ascii_lower(name)
    if name == "used-resource":
        name = "must-use-resource"
    if name == "context":
        if ascii_lower(resolved(value)) not in OLDER_CONTEXTS:
            return None
        name, value = OLDER_CONTEXTS[ascii_lower(resolved(value))]
    if name not in GRAMMAR:
        return None
    read = re.fullmatch(GRAMMAR[name], resolved(value), re.IGNORECASE | re.ASCII | re.DOTALL)
    if read is None:
        return None
    if name == "time-limit" and read[1] and as_date(read) is None:
        return None
    return Restriction(name, value, line)


def resolved(value: str) -> str:
    """A qualifier's value with `%xnnnn` read as the character it stands for (P1 4.5.6)."""
    return NUMERIC_CHARACTER.sub(lambda written: chr(int(written[1], 16)), value)


def as_date(written: re.Match[str]) -> date | None:
    """The date of a time limit; None if the calendar has no such day."""
    try:
        return date(int(written[1]), int(written[2]), int(written[3]))
    except ValueError:
        return None


def is_of_version_1_1(name: str, value: str) -> bool:
    """Whether only version 1.1 has this qualifier, or this value of it."""
    name = ascii_lower(name)
    element_set = name in {"must-use-resource", "used-resource"} and ELEMENT_SET.match(resolved(value))
    return name in {"target-condition", "ref"} or bool(element_set)


def bears(restriction: Restriction, stated_on: str, usage: str) -> bool:
    """Whether a restriction bears on the usage asked for: a length stated on `present` is one of texts only."""
    return restriction.name != "max-length" or stated_on != "present" or usage in MEASURED_BY_LENGTH


def distinct(restrictions: list[Restriction]) -> list[Restriction]:
    """The restrictions, those left out that say what an earlier one says, in other letters or with the other prefix."""
    resources = {"must-use-resource", "must-include-resource", "location"}
    found: dict[tuple[str, str], Restriction] = {}
    for each in restrictions:
        found.setdefault((each.name, each.meaning if each.name in resources else ascii_lower(each.meaning)), each)
    return list(found.values())


def cannot_be_met(restrictions: list[Restriction]) -> list[Restriction]:
    """Those that exclude each other: different resources, of which each must be the one that is used."""
    sources = [restriction for restriction in restrictions if restriction.name == "must-use-resource"]
    return sources if len({source.meaning for source in sources}) > 1 else []


def swallowed(restrictions: list[Restriction]) -> list[Restriction]:
    """The restrictions without the modifications that a prohibition of `any` says already."""
    modifications = {ascii_lower(each.meaning) for each in restrictions if each.name == "prohibited-modification"}
    return [
        each
        for each in restrictions
        if each.name != "prohibited-modification" or "any" not in modifications or ascii_lower(each.meaning) == "any"
    ]


def is_over(restriction: Restriction, usage: str, at: datetime, facts: Facts) -> bool:
    """Whether a time limit of a usage is over at an instant, as far as the facts tell (P1 4.5.3.1)."""
    if restriction.name != "time-limit":
        return False
    value = ascii_lower(resolved(restriction.value))
    first = {"index": facts.first_indexed, "preserve": facts.first_preserved}.get(usage)
    if usage.startswith("present"):
        first = facts.first_available
    until = re.fullmatch(f"until-{DATE}", value, re.ASCII)
    if until:
        last_day = as_date(until)
        assert last_day is not None
        return at.astimezone(UTC).date() > last_day  # our choice: the day itself still belongs to it
    if first is None:
        return False
    if value == "until-recrawled":
        return facts.last_crawled is not None and facts.last_crawled > first
    try:
        return at >= first + timedelta(days=int(value.removesuffix("-days")))
    except OverflowError:
        return False

"""Restrictions: what a permission is subject to, with typed values (P1 4.5.3.1, G 2.5).

The table of names, values and usages is the native core's (`TABLE`); each class here reads the values of its rows.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from acap import _native
from acap.usages import PARENTS, above


@dataclasses.dataclass(frozen=True, slots=True)
class Facts:
    """What the operator knows about a resource; every time is an aware datetime, none is unknown.

    `first_available` is when the resource was first available to be presented: when first crawled unless the caller
    knows better (our choice; P1 4.5.3.1).

    Raises:
        ValueError: a time has no time zone.
    """

    first_indexed: datetime | None = None
    first_preserved: datetime | None = None
    first_available: datetime | None = None
    last_crawled: datetime | None = None

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value: datetime | None = getattr(self, field.name)
            if value is not None and value.utcoffset() is None:
                raise ValueError(f"{field.name} `{value}` has no time zone; add one, UTC for example")

    def first(self, usage: str) -> datetime | None:
        """When a usage first took place, as far as it is known: index, preserve, present and what is below."""
        if usage == "index":
            return self.first_indexed
        if usage == "preserve":
            return self.first_preserved
        if usage == "present" or (usage in PARENTS and "present" in above(usage)):
            return self.first_available
        return None


Form: TypeAlias = Literal["time", "length", "resource", "words", "page", "number"]
"""The grammar of a qualifier's values."""


class RestrictionRow(NamedTuple):
    """One row of the table: the qualifier, the form of its values, and the usages it is for.

    `words` are the values (form `words`) or what may follow `the-acap:` (form `resource`). A usage that ends in `…`
    stands for itself and every usage below it; `*` stands for all. Those that are not ACAP's stand for words of other
    dialects that restrict, such as `max-image-preview:standard`.
    """

    name: str
    form: Form
    words: tuple[str, ...]
    usages: tuple[str, ...]
    acap: bool


def _row(name: str, form: str, words: list[str], usages: list[str], acap: bool) -> RestrictionRow:
    return RestrictionRow(name, cast("Form", form), tuple(words), tuple(usages), acap)


TABLE: Mapping[str, RestrictionRow] = MappingProxyType({row[0]: _row(*row) for row in _native.restriction_table()})
"""Every qualifier by name (semantics, section 6)."""


@dataclasses.dataclass(frozen=True, slots=True)
class Restriction:
    """What a permission is subject to.

    `name` is the qualifier's, `value` as written; `usage` is the part of a composite question it belongs to, or none.
    """

    name: str
    value: str
    usage: str | None = None

    def __str__(self) -> str:
        return f"{self.name}={self.value}"

    @property
    def plain(self) -> str:
        """The value with each `%xnnnn` replaced by the character it stands for (P1 4.5.6)."""
        return re.sub("%[xX]([0-9A-Fa-f]{4})", lambda found: chr(int(found[1], 16)), self.value)


class TimeLimit(Restriction):
    """`until-recrawled`, `until-YYYY-MM-DD` or `N-days` (P1 4.5.3.1, G 2.5.1).

    Of other dialects also an instant, `until-YYYY-MM-DDTHH:MM:SSZ`.
    """

    __slots__ = ()

    @property
    def until(self) -> date | None:
        """The last day of the permission, in UTC; none where no date is named."""
        text = self.plain.lower().removeprefix("until-")
        return None if text == "recrawled" or text.endswith("-days") else date.fromisoformat(text[:10])

    @property
    def instant(self) -> datetime | None:
        """The instant at which the permission is over; none where no time of day is named."""
        text = self.plain.lower().removeprefix("until-")
        return datetime.fromisoformat(text.upper()) if "t" in text and text.endswith("z") else None

    @property
    def days(self) -> int | None:
        """Days after the first use; none where no number is named."""
        text = self.plain.lower()
        return int(text.removesuffix("-days")) if text.endswith("-days") else None

    @property
    def until_recrawled(self) -> bool:
        """Whether the next crawl ends the permission."""
        return self.plain.lower() == "until-recrawled"

    def expires(self, usage: str, facts: Facts | None = None) -> datetime | None:
        """The first instant at which the permission is over; none while that cannot be known.

        A date is over from the start of the following day, UTC (our choice). `N-days` counts from the first use of that
        kind. `until-recrawled` is over when the last crawl is later than the first use.
        """
        facts = facts or Facts()
        if (instant := self.instant) is not None:
            return instant
        if (until := self.until) is not None:
            if until == date.max:
                return None
            following = until + timedelta(days=1)
            return datetime(following.year, following.month, following.day, tzinfo=UTC)
        first = facts.first(usage)
        if first is None:
            return None
        if (days := self.days) is not None:
            try:
                return first + timedelta(days=days)
            except OverflowError:
                return None
        last = facts.last_crawled
        return last if last is not None and last > first else None

    def expired(self, at: datetime, usage: str, facts: Facts | None = None) -> bool:
        """Whether the permission is over at an instant.

        Raises:
            ValueError: the instant has no time zone.
        """
        if at.utcoffset() is None:
            raise ValueError(f"the datetime `{at}` has no time zone; add one, UTC for example")
        end = self.expires(usage, facts)
        return end is not None and at >= end


class MaxLength(Restriction):
    """`N-chars` or `N-words` (G 2.5.3)."""

    __slots__ = ()

    @property
    def amount(self) -> int:
        """How many characters or words may be shown."""
        return int(self.plain.lower().rpartition("-")[0])

    @property
    def unit(self) -> Literal["chars", "words"]:
        """What is counted."""
        return "words" if self.plain.lower().endswith("-words") else "chars"


MUST_USE: Final = "must-use-resource"
"""The name of what limits a use to a part of a page, or to another resource in its place."""


class ResourceRestriction(Restriction):
    """A URI, or a part of the page: `must-use-resource`, `must-include-resource` (P1 4.5.3.1.1, 4.5.3.1.2)."""

    __slots__ = ()

    def _acap(self) -> list[str] | None:
        head, colon, rest = self.plain.partition(":")
        return rest.split(":") if colon and head.lower() in ("the-acap", "acap") else None

    @property
    def uri(self) -> str | None:
        """The URI of another resource; none where a part of the page is named."""
        parts = self._acap()
        if parts is None:
            return self.plain
        if self.name == "must-include-resource" and parts[1:2] and parts[1].lower() not in ("id", "class", "meta"):
            return ":".join(parts[1:])
        return None

    @property
    def kind(self) -> str | None:
        """`id`, `class`, `meta`, `idlist`, `classlist` or `taglist`; none for a URI."""
        parts = self._acap()
        if parts is None or self.uri is not None:
            return None
        return parts[0].lower() if parts[0].lower().endswith("list") else parts[1].lower()

    @property
    def role(self) -> str | None:
        """What has to be included: `credit`, `link`, `icon` or `text`; none where that is left open."""
        parts = self._acap()
        return parts[0].lower() if parts and self.name == "must-include-resource" else None

    @property
    def names(self) -> tuple[str, ...]:
        """The ids, classes, tags or META names; empty for a URI."""
        parts = self._acap()
        kind = self.kind
        if parts is None or kind is None:
            return ()
        text = ":".join(parts[1:] if kind.endswith("list") else parts[2:])
        return tuple(name.strip() for name in text.split(",")) if kind.endswith("list") else (text,)


class Modification(Restriction):
    """What may not be changed: `any`, `format`, `style`, `translation`, `annotation` (G 2.5.5)."""

    __slots__ = ()

    @property
    def modification(self) -> str:
        """The word in lower case."""
        return self.plain.lower()


class OtherRestriction(Restriction):
    """A restriction of which `name` and `value` say all: contexts, media, purposes, previews, parts left out."""

    __slots__ = ()


AnyRestriction: TypeAlias = TimeLimit | MaxLength | ResourceRestriction | Modification | OtherRestriction
"""What a restriction of a decision is: one of the classes of `Restriction`."""

_CLASSES: Mapping[str, Callable[[str, str, str | None], AnyRestriction]] = {
    "time-limit": TimeLimit,
    "max-length": MaxLength,
    MUST_USE: ResourceRestriction,
    "must-include-resource": ResourceRestriction,
    "prohibited-modification": Modification,
}


def restriction(name: str, value: str, usage: str | None = None) -> AnyRestriction:
    """The typed restriction of a name and a value that a reader has accepted."""
    return _CLASSES.get(name, OtherRestriction)(name, value, usage)

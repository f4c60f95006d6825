"""Dates of `unavailable_after`: RFC 822, RFC 850, asctime and ISO 8601, with the zones that pages name.

Dates stand among other words, so a date is the longest beginning of a text that is one; the rest is ignored.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

# Hours from UTC of the zones of RFC 822, and of unambiguous ones seen on pages.
_ZONES = {
    "ut": 0, "utc": 0, "gmt": 0, "z": 0, "wet": 0, "west": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3,
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "akst": -9, "akdt": -8,
    "hst": -10, "jst": 9, "kst": 9, "sgt": 8, "hkt": 8, "awst": 8, "acst": 9.5, "acdt": 10.5, "aest": 10, "aedt": 11,
    "nzst": 12, "nzdt": 13,
}  # fmt: skip

EARLIEST = timedelta(hours=14)
"""No zone is further ahead of UTC; an unknown zone is read as this one, so that the end comes too early and never too
late (our choice)."""

_DAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?(?P<half>\s?[ap]m\b)?"
_BASIC = r"(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?"
_ZONE = r"(?:\s*(?P<offset>(?:gmt|utc)?[+-]\d{2}:?\d{2})(?!\d)|\s*(?P<zone>z)\b|\s+(?P<name>[a-z]{2,5})\b)?"

_FORMS = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"(?P<year>\d{{4}})-(?P<number>\d{{2}})-(?P<day>\d{{2}})(?:(?:t|\s+){_TIME}{_ZONE})?",
        rf"(?P<year>\d{{4}})(?P<number>\d{{2}})(?P<day>\d{{2}})(?:t{_BASIC}{_ZONE})?",
        rf"{_DAY}(?P<day>\d{{1,2}})[\s-]+{_MONTH},?[\s-]+(?P<year>\d{{4}}|\d{{2}})(?:,?\s+{_TIME}{_ZONE})?",
        rf"{_DAY}{_MONTH}\s+(?P<day>\d{{1,2}}),?\s+(?P<year>\d{{4}})(?:,?\s+{_TIME}{_ZONE})?",
        rf"{_DAY}{_MONTH}\s+(?P<day>\d{{1,2}})\s+{_TIME}{_ZONE}\s+(?P<year>\d{{4}})",
    )
)

MAX_LENGTH = 64
"""Longest date; no more of a text is examined."""


class End(NamedTuple):
    """The end of something: an instant, or its last day; and the length of the date in the text."""

    value: datetime | date
    length: int
    unknown_zone: str | None = None

    @property
    def over(self) -> datetime:
        """The instant from which it has ended."""
        if isinstance(self.value, datetime):
            return self.value
        return datetime.combine(self.value, time.max, UTC)

    @property
    def limit(self) -> str:
        """The end as a value of `time-limit`."""
        if isinstance(self.value, datetime):
            return f"until-{self.value:%Y-%m-%dT%H:%M:%SZ}" if self.value.year > 999 else "until-1000-01-01"
        return f"until-{self.value.isoformat()}"


def read(text: str, words: frozenset[str] = frozenset()) -> End | None:
    """The date a text begins with, or None; `words` are none of its zones' names.

    A year of two digits is of 1970 to 2069, as in HTTP. Without a zone a time is UTC.
    """
    text = text[:MAX_LENGTH]
    ends = (end for form in _FORMS if (end := _of(form.match(text), words)) is not None)
    return max(ends, key=lambda end: end.length, default=None)


def _of(match: re.Match[str] | None, words: frozenset[str]) -> End | None:
    if match is None:
        return None
    parts = match.groupdict()
    length = match.end()
    name = (parts.get("name") or "").lower()
    if name in words:
        length, name = match.start("name"), ""
    month = parts.get("month")
    number = int(parts["number"]) if parts.get("number") else _MONTHS.index((month or "jan").lower()[:3]) + 1
    year = int(parts["year"])
    if len(parts["year"]) == 2:
        year += 2000 if year < 70 else 1900
    try:
        if parts.get("hour") is None:
            return End(date(year, number, int(parts["day"])), length)
        hour = _hour(int(parts["hour"]), (parts.get("half") or "").strip().lower())
        local = datetime(
            year, number, int(parts["day"]), hour, int(parts["minute"]), int(parts["second"] or 0), tzinfo=UTC
        )
        ahead = _ahead(parts.get("offset") or parts.get("zone") or name)
        known = ahead is not None
        return End(local - (EARLIEST if ahead is None else ahead), length, None if known else name)
    except (ValueError, OverflowError):
        return None


def _hour(hour: int, half: str) -> int:
    if not half:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError(hour)
    return hour % 12 + (12 if half == "pm" else 0)


def _ahead(zone: str) -> timedelta | None:
    """Distance of a zone ahead of UTC; None for an unknown zone."""
    zone = zone.lower()
    if not zone:
        return timedelta()
    digits = zone.removeprefix("gmt").removeprefix("utc")
    if digits[:1] in ("+", "-"):
        amount = timedelta(hours=int(digits[1:3]), minutes=int(digits[-2:]))
        if amount > timedelta(days=1):
            raise ValueError(zone)
        return amount if digits[0] == "+" else -amount
    hours = _ZONES.get(zone)
    return None if hours is None else timedelta(hours=hours)

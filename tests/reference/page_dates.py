"""The dates of `unavailable_after`: RFC 822 and its successors, RFC 850, asctime, ISO 8601."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
ZONES = {
    **dict.fromkeys(("gmt", "utc", "ut", "z", "wet"), 0),
    "est": -5,
    "edt": -4,
    "cst": -6,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
    "pst": -8,
    "pdt": -7,  # RFC 822 5.1
    "cet": 1,
    "cest": 2,
    "west": 1,
    "eet": 2,
    "eest": 3,
    "msk": 3,
    "jst": 9,
}
EARLIEST = 14  # hours east of Greenwich where every day begins first
DAY_NAME = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
CLOCK = r"(?P<hours>\d{1,2}):(?P<minutes>\d{2})(?::(?P<seconds>\d{2})(?:\.\d+)?)?"
ZONE = r"(?:\s*(?P<offset>[+-]\d{2}:?\d{2})|\s*(?P<zone>[a-z]+))?"
FORMS = [
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"{DAY_NAME}(?P<day>\d{{1,2}})[ -](?P<month>[a-z]{{3,9}})[ -](?P<year>\d{{4}}|\d{{2}})(?:,?\s+{CLOCK}{ZONE})?",
        rf"{DAY_NAME}(?P<month>[a-z]{{3,9}})\s+(?P<day>\d{{1,2}})\s+{CLOCK}{ZONE}\s+(?P<year>\d{{4}})",
        rf"(?P<year>\d{{4}})-(?P<month>\d{{2}})-(?P<day>\d{{2}})(?:[T\s]\s*{CLOCK}{ZONE})?",
    )
]


@dataclass(frozen=True)
class Limit:
    """A limit in time: the instant from which it is over, and how a restriction writes it."""

    over: datetime
    value: str


def read_limit(text: str) -> Limit | None:
    """The limit a date sets; None if it is no date, or none that calendar and clock know.

    A date without time is over from the following day, UTC.
    """
    found = next((found for form in FORMS if (found := form.fullmatch(text.strip()))), None)
    if found is None:
        return None
    try:
        day = date(full_year(found["year"]), month_of(found["month"]), int(found["day"]))
        if found["hours"] is None:
            return Limit(datetime.combine(day + timedelta(days=1), time(), UTC), f"until-{day}")
        clock = time(int(found["hours"]), int(found["minutes"]), int(found["seconds"] or 0))
        at = datetime.combine(day, clock, timezone(ahead(found["offset"], found["zone"]))).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return Limit(at, f"until-{at:%Y-%m-%dT%H:%M:%SZ}")


def full_year(written: str) -> int:
    """A year of two digits is one of the last fifty or the next fifty years (RFC 9110 5.6.7)."""
    if len(written) == 4:
        return int(written)
    now = datetime.now(UTC).year
    year = now // 100 * 100 + int(written)
    return year - 100 if year > now + 50 else year


def month_of(written: str) -> int:
    """The number of a month; 0, which no calendar knows, for another word."""
    if written.isdigit():
        return int(written)
    return next((number for number, name in enumerate(MONTHS, 1) if written[:3].lower() == name), 0)


def ahead(offset: str | None, zone: str | None) -> timedelta:
    """How far local time is ahead of UTC; in a zone that nobody knows as far as can be (our choice)."""
    if offset:
        digits = offset[1:].replace(":", "")
        found = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        return -found if offset[0] == "-" else found
    return timedelta(hours=ZONES.get(zone.lower(), EARLIEST) if zone else 0)

"""Politeness: when and how often a crawler may come. Reported, never part of the outcome.

    Visit-time: HHMM HHMM        Request-rate: n/t[smhd] [HHMM-HHMM]        Crawl-delay: seconds        R2

Times are UTC; a window may cross midnight. Inside a window its rate counts, outside the slowest untimed one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf, isfinite

from . import conventional, google, records_1994, robots_2
from .conventional import Field
from .crawler import Crawler, names_of
from .policy import GROUPED, Policy

CLOCK = r"((?:[01][0-9]|2[0-3])[0-5][0-9]|2400)"
BLANKS = " \t\v\f"
NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
WINDOW = re.compile(rf"{CLOCK}(?:[{BLANKS}]+|[{BLANKS}]*-[{BLANKS}]*){CLOCK}")
RATE = re.compile(
    rf"({NUMBER})[{BLANKS}]*/[{BLANKS}]*({NUMBER})(?:[{BLANKS}]*([smhd]))?(?:[{BLANKS}]+(.+))?", re.IGNORECASE
)
DELAY = re.compile(NUMBER)
UNIT_SECONDS = {None: 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
RULE_OF_THUMB_SECONDS = 10.0


@dataclass(frozen=True)
class Window:
    """From a minute of the day to another, UTC; the end is outside. It crosses midnight if it ends before it begins."""

    begin: int
    end: int

    def holds(self, at: datetime) -> bool:
        """Whether the aware instant is inside."""
        utc = at.astimezone(UTC)
        minute = utc.hour * 60 + utc.minute
        if self.begin <= self.end:
            return self.begin <= minute < self.end
        return minute >= self.begin or minute < self.end


@dataclass(frozen=True)
class Politeness:
    """Visit windows; seconds between requests, untimed (the slowest) and by window; R2's advice; operator comments."""

    visit_times: tuple[Window, ...] = ()
    seconds: float | None = None
    timed_seconds: tuple[tuple[Window, float], ...] = ()
    rule_of_thumb: bool = False
    comments: tuple[str, ...] = ()

    def seconds_at(self, at: datetime) -> float | None:
        """Seconds between requests at an instant: the slowest of the windows it is in, else the untimed."""
        return max((seconds for window, seconds in self.timed_seconds if window.holds(at)), default=self.seconds)


def politeness(policy: Policy, crawler: Crawler) -> Politeness:
    """What the crawler's groups or record ask of it."""
    if policy.dialect == "google":
        groups, named = google.groups_for(policy.groups, google.names_of(crawler.names))
    elif policy.dialect in GROUPED:
        groups, named = conventional.groups_for(policy.groups, names_of(crawler))
    else:
        record, named = records_1994.record_for(policy.groups, names_of(crawler))
        if policy.dialect == "robots-2.0" and record and named and robots_2.form_of(record) == "experimental":
            record, named = records_1994.default_record(policy.groups), False
        groups = [record] if record else []
    fields = [field for group in groups for field in group.others]
    rates = [rate for rate in map(read_rate, fields) if rate]
    untimed = [seconds for window, seconds in rates if window is None]
    versions = policy.dialect in {"auto", "robots-2.0"} and named
    second_form = versions and any(robots_2.form_of(group) == "2.0" for group in groups)
    return Politeness(
        visit_times=tuple(window for window in map(read_visit_time, fields) if window),
        seconds=max(untimed, default=None),
        timed_seconds=tuple((window, seconds) for window, seconds in rates if window is not None),
        rule_of_thumb=second_form and not rates,
        comments=tuple(field.value for field in fields if field.kind == "comment"),
    )


def read_visit_time(field: Field) -> Window | None:
    """The window of a Visit-time line."""
    return read_window(field.value) if field.kind == "visit-time" else None


def read_rate(field: Field) -> tuple[Window | None, float] | None:
    """The window, or None for always, and the seconds a request of a Request-rate or Crawl-delay line."""
    value = field.value.strip(BLANKS)
    if field.kind == "crawl-delay" and DELAY.fullmatch(value) and isfinite(float(value)):
        return None, float(value)
    rate = RATE.fullmatch(value) if field.kind == "request-rate" else None
    if rate is None:
        return None
    documents, unit = float(rate[1]), UNIT_SECONDS[rate[3] and rate[3].lower()]
    seconds = float(rate[2]) * unit
    if not (0 < documents < inf and 0 < seconds < inf):
        return None
    window = read_window(rate[4]) if rate[4] else None
    if rate[4] and window is None:
        return None
    return window, seconds / documents


def read_window(text: str) -> Window | None:
    """The window two times span, with a blank or a hyphen between."""
    written = WINDOW.fullmatch(text.strip(BLANKS))
    if written is None:
        return None
    begin, end = (int(clock[:2]) * 60 + int(clock[2:]) for clock in written.groups())
    return Window(begin, end)

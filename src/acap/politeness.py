"""What a robots.txt asks of the pace of visits: Visit-time, Request-rate, Crawl-delay, Comment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple


class Window(NamedTuple):
    """A part of the day in minutes from midnight, UTC; it may cross midnight."""

    start: int
    end: int

    def contains(self, minute: int) -> bool:
        """Whether a minute of the day (0 to 1439) lies in the window."""
        if self.start <= self.end:
            return self.start <= minute < self.end
        return minute >= self.start or minute < self.end


class Rate(NamedTuple):
    """So many documents in so many seconds, inside a window or, without one, always."""

    documents: float
    seconds: float
    window: Window | None = None
    line: int | None = None

    @property
    def interval(self) -> float:
        """Seconds from one request to the next."""
        return self.seconds / self.documents


class Politeness(NamedTuple):
    """What a crawler is asked to keep to; reported, never part of an outcome.

    `rule_of_thumb` says that only the encouragement of the 2.0.0 proposal applies: the slower of 10 s and twice the
    time the last fetch took.
    """

    visit_times: tuple[Window, ...] = ()
    rates: tuple[Rate, ...] = ()
    delays: tuple[float, ...] = ()
    comments: tuple[str, ...] = ()
    rule_of_thumb: bool = False

    def interval(self, minute: int | None = None) -> float | None:
        """Seconds to leave between requests at a minute of the day, UTC; none if nothing is asked.

        Inside a window its own rate counts, outside the slowest untimed one; Crawl-delay is an untimed rate, and the
        slower wins.
        """
        if minute is not None:
            timed = [rate.interval for rate in self.rates if rate.window is not None and rate.window.contains(minute)]
            if timed:
                return max(timed)
        untimed = [rate.interval for rate in self.rates if rate.window is None]
        return max([*untimed, *self.delays], default=None)

    def may_visit(self, minute: int) -> bool:
        """Whether a minute of the day, UTC, lies in the times at which visits are asked for."""
        return not self.visit_times or any(window.contains(minute) for window in self.visit_times)

    def next_visit(self, at: datetime) -> datetime | None:
        """The first instant from one on at which visits are asked for, in UTC; None if there is none in a day.

        Raises:
            ValueError: the instant has no time zone.
        """
        if at.utcoffset() is None:
            raise ValueError(f"the datetime `{at}` has no time zone; add one, UTC for example")
        at = at.astimezone(UTC)
        minute = at.hour * 60 + at.minute
        for later in range(24 * 60):
            if self.may_visit((minute + later) % (24 * 60)):
                return at if later == 0 else at.replace(second=0, microsecond=0) + timedelta(minutes=later)
        return None

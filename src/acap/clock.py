"""The one clock: code that needs the time gets a `Clock`, so that tests and audits can set it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """What tells the time."""

    def now(self) -> datetime:
        """The instant, aware and in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds since some fixed point; it never goes back, so it measures how long something took."""
        ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """The instant, aware and in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since some fixed point; it never goes back."""
        return time.monotonic()


class FixedClock:
    """A clock that stands until it is moved: for tests, and to ask what was or will be decided at another time."""

    def __init__(self, at: datetime) -> None:
        """`at` is the aware instant it shows. Raises ValueError for a naive one."""
        self._now = _utc(at)
        self._monotonic = 0.0

    def now(self) -> datetime:
        """The instant it was set to, in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Seconds it was moved forward in all."""
        return self._monotonic

    def set(self, at: datetime) -> None:
        """Shows another aware instant; monotonic time moves along, never back. Raises ValueError for a naive one."""
        at = _utc(at)
        self._monotonic += max(0.0, (at - self._now).total_seconds())
        self._now = at

    def advance(self, by: timedelta) -> None:
        """Moves it by `by`, which may be negative."""
        self.set(self._now + by)


def _utc(at: datetime) -> datetime:
    if at.tzinfo is None or at.utcoffset() is None:
        raise ValueError(f"`{at.isoformat()}` has no time zone; an instant must be aware")
    return at.astimezone(UTC)

"""The pace that sites ask for, kept: Crawl-delay, Request-rate, Visit-time. Nothing waits here; callers are told.

Visits are counted by site, which is scheme, host and port. Whoever is told to wait has taken the place: the next one
is told to wait longer.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta

from acap.clock import Clock
from acap.politeness import Politeness

_SITES = 4096  # beyond this many, sites that may be visited again are forgotten
LONGEST = 30 * 86_400.0  # seconds; a file that asks for years says nothing, and must not overflow a clock


@dataclass(frozen=True, slots=True)
class Later:
    """The site is not to be visited now; `when` is the instant, in UTC, from which it may be, or None if never."""

    when: datetime | None


class Pace:
    """When each site may be visited. For any thread."""

    def __init__(self, clock: Clock, patience: float) -> None:
        """`patience`: the longest wait, in seconds, that a request is told."""
        self._clock = clock
        self._patience = patience
        self._free: dict[str, float] = {}  # when each site may be visited again, in seconds of the clock
        self._lock = threading.Lock()

    def take(self, site: str, asked: Politeness, *, always: bool = False) -> float | Later:
        """The seconds to wait before a visit, which is taken with that; or that it must be made later.

        `always`: the visit is welcome at any time of the day.
        """
        with self._lock:
            now = self._clock.monotonic()
            wait = max(0.0, self._free.get(site, now) - now)
            at = self._clock.now() + timedelta(seconds=wait)
            minute = at.hour * 60 + at.minute
            if not always and not asked.may_visit(minute):
                return Later(asked.next_visit(at))
            if wait > self._patience:
                return Later(at)
            if interval := asked.interval(minute):
                self._free[site] = now + wait + min(interval, LONGEST)
                if len(self._free) > _SITES:
                    self._free = {name: free for name, free in self._free.items() if free > now}
            return wait

"""The frontier: URLs of the schedule that are at hand, a queue for each site, and which site has its turn.

The laws of this module:

1. A site's URLs come nearest first, as the schedule has them; sites take turns, so that a slow site delays no other.
2. Nothing is known here that the schedule does not know: what is at hand is read from it anew after each flush.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from datetime import datetime

from acap.clock import Clock
from acap.harvest.store import Schedule, Task

AT_HAND = 128
"""At most this many URLs per site are loaded from the schedule."""

_LOW = 32
_SOON = 0.01  # seconds; a pause that is shorter is left to the downloader


class Frontier:
    """The URLs at hand of one run."""

    def __init__(
        self,
        schedule: Schedule,
        run: int,
        clock: Clock,
        *,
        concurrency: int,
        per_site: int,
        pause: Callable[[str], float],
    ) -> None:
        """`pause`: seconds until a site may be asked again; `per_site`: most requests under way at a site."""
        self._schedule = schedule
        self._run = run
        self._clock = clock
        self._concurrency = concurrency
        self._per_site = per_site
        self._pause = pause
        self._queues: dict[str, deque[Task]] = {}
        self._busy: Counter[str] = Counter()
        self._under_way: dict[int, Task] = {}
        self._ready: deque[str] = deque()
        self._placed: set[str] = set()  # sites that are in `_ready` or `_later`
        self._later: list[tuple[float, str]] = []
        self._held: dict[str, float] = {}
        self._hungry: set[str] = set(schedule.sites(run, clock.now()))
        self._due: list[tuple[datetime, str]] = []
        self.refill()

    @property
    def under_way(self) -> int:
        """How many URLs were handed out and are not decided yet."""
        return len(self._under_way)

    @property
    def is_full(self) -> bool:
        """Whether as many are under way as may be."""
        return len(self._under_way) >= self._concurrency

    @property
    def is_hungry(self) -> bool:
        """Whether a site that could be asked has nothing at hand, but may have something on the schedule."""
        return any(not self._queues.get(site) and self._busy[site] < self._per_site for site in self._hungry)

    def next(self) -> Task | None:
        """The next URL to fetch now, if there is one."""
        if self.is_full:
            return None
        now = time.monotonic()
        while self._later and self._later[0][0] <= now:
            self._ready.append(heapq.heappop(self._later)[1])
        while self._ready:
            site = self._ready.popleft()
            self._placed.discard(site)
            queue = self._queues.get(site)
            if not queue or self._busy[site] >= self._per_site:
                continue
            pause = max(self._pause(site), self._held.get(site, 0.0) - now)
            if pause > _SOON:
                self._placed.add(site)
                heapq.heappush(self._later, (now + pause, site))
                continue
            task = queue.popleft()
            self._under_way[task.id] = task
            self._busy[site] += 1
            self._offer(site)
            return task
        return None

    def wakes_in(self) -> float | None:
        """Seconds until a site that has something at hand may be asked; None if nothing is at hand."""
        if self._ready:
            return 0.0
        return max(0.0, self._later[0][0] - time.monotonic()) if self._later else None

    def done(self, task: Task) -> None:
        """It is decided what becomes of a URL that was handed out."""
        if self._under_way.pop(task.id, None) is None:
            return
        self._busy[task.site] -= 1
        if not self._busy[task.site]:
            del self._busy[task.site]
        self._offer(task.site)

    def added(self, sites: Iterable[str]) -> None:
        """Something was put on the schedule for sites."""
        self._hungry.update(sites)

    def postponed(self, task: Task, due: datetime) -> None:
        """A URL has its turn later."""
        heapq.heappush(self._due, (due, task.site))

    def hold(self, site: str, seconds: float) -> None:
        """Sends no request to the site for so many seconds."""
        self._held[site] = time.monotonic() + seconds

    def refill(self) -> None:
        """Reads from the schedule what is not at hand; everything that was decided must have been written."""
        now = self._clock.now()
        while self._due and self._due[0][0] <= now:
            self._hungry.add(heapq.heappop(self._due)[1])
        for site in [site for site in self._hungry if len(self._queues.get(site, ())) < _LOW]:
            limit = AT_HAND + self._busy[site]
            tasks = self._schedule.waiting(self._run, site, now, limit)
            if len(tasks) < limit:
                self._hungry.discard(site)
            queue = deque(task for task in tasks if task.id not in self._under_way)
            if queue:
                self._queues[site] = queue
                self._offer(site)
            else:
                self._queues.pop(site, None)

    def _offer(self, site: str) -> None:
        """Gives a site its place among those that take turns."""
        if site not in self._placed and self._queues.get(site) and self._busy[site] < self._per_site:
            self._placed.add(site)
            self._ready.append(site)

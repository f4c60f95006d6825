"""The limits of a run, over all calls that work on it."""

from __future__ import annotations

from acap.clock import Clock
from acap.harvest.crawl.options import CrawlOptions
from acap.harvest.store import Run


class CrawlLimits:
    """What a run took so far, and whether it may take more. Times are in seconds of the clock's monotonic time."""

    def __init__(self, options: CrawlOptions, run: Run, done: int, clock: Clock) -> None:
        self._options = options
        self._clock = clock
        self._before = run.seconds
        self._began = self._noted = clock.monotonic()
        self.pages = done
        self.octets = run.octets

    @property
    def seconds(self) -> float:
        """The time of all calls."""
        return self._before + self._clock.monotonic() - self._began

    def lap(self) -> float:
        """The time since the last lap, which is to be noted in the store."""
        now = self._clock.monotonic()
        since, self._noted = now - self._noted, now
        return since

    def took(self, octets: int) -> None:
        """A response came and is kept."""
        self.pages += 1
        self.octets += octets

    def reached(self) -> str | None:
        """The limit that is reached, in words, or None."""
        options = self._options
        if options.pages is not None and self.pages >= options.pages:
            return f"the limit of {options.pages} pages is reached"
        if options.octets is not None and self.octets >= options.octets:
            return f"the limit of {options.octets} octets is reached"
        if options.time is not None and self.seconds >= options.time:
            return f"the limit of {options.time:g} seconds is reached"
        return None

    def leaves_room(self, under_way: int) -> bool:
        """Whether one more may be asked for, if all that is under way arrives."""
        pages = self._options.pages
        return pages is None or self.pages + under_way < pages

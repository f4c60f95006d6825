"""How much the workshop works at once: two heavy answers, and one that marks the text, each with a deadline.

Laws: no more than these are worked out at any time, whoever gave up waiting for them; whoever waits is answered within
the deadline; what nobody waits for is not begun.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from anyio import to_thread

from acap.web.workshop.workspace import Workspace

AT_ONCE = 2
DEADLINE = 20.0
"""Seconds after which a waiting request is refused; its work ends by itself, and keeps its place until then."""
LIGHT = 8_000
"""Characters of a workspace up to which it is worked out at once: that takes a fraction of a second."""
_WAIT = 0.05

T = TypeVar("T")


class BusyError(Exception):
    """There was no place, or no answer, in time; `retry` says after how many seconds it is worth to try again."""

    def __init__(self, message: str, retry: int) -> None:
        super().__init__(message)
        self.retry = retry


class Heavy:
    """The places for heavy answers."""

    def __init__(self, at_once: int = AT_ONCE, deadline: float = DEADLINE) -> None:
        self._places = threading.BoundedSemaphore(at_once)
        self._deadline = deadline
        self._threads = anyio.CapacityLimiter(math.inf)

    async def run(self, work: Callable[[], T], gone: Callable[[], Awaitable[bool]] | None = None) -> T:
        """Works something out in a thread of its own, unless whoever asked is `gone` before that begins.

        Raises BusyError where that is not done in time, or not begun.
        """
        until = anyio.current_time() + self._deadline
        retry = max(1, round(self._deadline))
        while (is_gone := gone is not None and await gone()) or not self._places.acquire(blocking=False):
            if is_gone:
                raise BusyError("the request is gone", 1)
            if anyio.current_time() >= until:
                raise BusyError("the server is busy with long texts; try again in a moment", retry)
            await anyio.sleep(_WAIT)
        place = _Place(self._places)
        try:
            with anyio.fail_after(max(0.0, until - anyio.current_time())):
                return await to_thread.run_sync(place.holding, work, abandon_on_cancel=True, limiter=self._threads)
        except TimeoutError:
            message = f"this takes longer than {self._deadline:g} seconds; use the command line for a text of this size"
            raise BusyError(message, retry) from None
        finally:
            place.leave()


class _Place:
    """One place, given back when its work is done, or when that was never begun."""

    def __init__(self, places: threading.BoundedSemaphore) -> None:
        self._places = places
        self._lock = threading.Lock()
        self._begun = self._left = False

    def holding(self, work: Callable[[], T]) -> T:
        with self._lock:
            if self._left:
                raise BusyError("the request is gone", 1)
            self._begun = True
        try:
            return work()
        finally:
            self._places.release()

    def leave(self) -> None:
        with self._lock:
            if not self._begun and not self._left:
                self._left = True
                self._places.release()


def is_heavy(space: Workspace) -> bool:
    """Whether to work it out may take long."""
    return len(space.text) + len(space.old) + len(space.cases) > LIGHT

"""How long the rest of an audit may take, told only where what is done gives a rate.

A small part of the work tells nothing: most of its time is the start of processes, and the rest is many times as much.
Nor do the first sites that were asked: they are those that answer fast.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from acap.audits.job import AuditProgress

_SECONDS: Final = 3.0
"""Work of a shorter time tells no rate."""

_SHARE: Final = 0.05
"""This share of the work of a call tells a rate, if no part of its resources is judged."""

_LONG: Final = 60.0
"""Work of so many seconds tells a rate, whatever its share is."""

_SITES: Final = 256
"""So many sites tell a rate: twice as many as are asked at once, or the slow ones have not come yet."""

_RECENT: Final = 30
"""Seconds of the last answers: at the end few sites are left to ask at once, those of one domain perhaps."""


class TimeLeft(NamedTuple):
    """The seconds that are left: of the whole audit, or only until all sites are asked."""

    seconds: float
    is_whole: bool = True


class Remaining:
    """What is left of an audit: for an octet as long as what this call did, for a site as those asked.

    The time in which sites were asked says nothing of octets.
    """

    def __init__(self) -> None:
        self._worked = 0.0  # seconds in which octets were read or judged
        self._before: tuple[str, float] | None = None  # the step and the time of what was heard last
        self._parts: int | None = None  # those that were judged before this call
        self._asked: deque[tuple[float, int]] = deque()  # the first count of sites, and those of the last seconds

    def left(self, progress: AuditProgress, now: float) -> TimeLeft | None:
        """The time that is left at a time; None while that is not known."""
        if self._before is not None and progress.step != "sites" and self._before[0] != "sites":
            self._worked += now - self._before[1]
        self._before = progress.step, now
        if progress.step == "resources" and self._parts is None:
            self._parts = progress.parts
        work = self._worked / progress.done * progress.left if self._is_measured(progress) else None
        if progress.step != "sites":
            return None if work is None else TimeLeft(work)
        asking = self._asking(progress, now)
        if asking is None:
            return None
        return TimeLeft(asking, is_whole=False) if work is None else TimeLeft(asking + work)

    def _is_measured(self, progress: AuditProgress) -> bool:
        """Whether what this call did tells how long an octet takes."""
        took = self._worked
        if not progress.done or took < _SECONDS:
            return False
        is_judged = self._parts is not None and progress.parts > self._parts
        return is_judged or progress.done >= _SHARE * (progress.done + progress.left) or took >= _LONG

    def _asking(self, progress: AuditProgress, now: float) -> float | None:
        """The seconds until all sites are asked; None while the answers do not tell."""
        answered = self._asked
        if not answered or now - answered[-1][0] >= 1:
            answered.append((now, progress.asked))
            while len(answered) > _RECENT + 1:
                del answered[1]
        (begin, before), left = answered[0], progress.of_sites - progress.asked
        took, asked = now - begin, progress.asked - before
        is_many = asked >= _SITES and took >= _SECONDS and asked >= _SHARE * (asked + left)
        if not asked or not left or not (is_many or took >= _LONG):
            return None
        since, then = answered[1] if len(answered) > _RECENT else answered[0]
        recent = (now - since) / max(progress.asked - then, 1)
        return max(took / asked, recent) * left

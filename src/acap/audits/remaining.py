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

    def left(self, one: AuditProgress, now: float) -> TimeLeft | None:
        """The time that is left at a time; None while that is not known."""
        if self._before is not None and one.step != "sites" and self._before[0] != "sites":
            self._worked += now - self._before[1]
        self._before = one.step, now
        if one.step == "resources" and self._parts is None:
            self._parts = one.parts
        work = self._worked / one.done * one.left if self._tells(one) else None
        if one.step != "sites":
            return None if work is None else TimeLeft(work)
        asking = self._asking(one, now)
        if asking is None:
            return None
        return TimeLeft(asking, is_whole=False) if work is None else TimeLeft(asking + work)

    def _tells(self, one: AuditProgress) -> bool:
        """Whether what this call did tells how long an octet takes."""
        took = self._worked
        if not one.done or took < _SECONDS:
            return False
        is_judged = self._parts is not None and one.parts > self._parts
        return is_judged or one.done >= _SHARE * (one.done + one.left) or took >= _LONG

    def _asking(self, one: AuditProgress, now: float) -> float | None:
        """The seconds until all sites are asked; None while the answers do not tell."""
        told = self._asked
        if not told or now - told[-1][0] >= 1:
            told.append((now, one.asked))
            while len(told) > _RECENT + 1:
                del told[1]
        (begin, before), left = told[0], one.of_sites - one.asked
        took, asked = now - begin, one.asked - before
        is_many = asked >= _SITES and took >= _SECONDS and asked >= _SHARE * (asked + left)
        if not asked or not left or not (is_many or took >= _LONG):
            return None
        since, then = told[1] if len(told) > _RECENT else told[0]
        recent = (now - since) / max(one.asked - then, 1)
        return max(took / asked, recent) * left

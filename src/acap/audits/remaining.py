"""How long the rest of an audit may take, told only where what is done gives a rate.

A small part of the work tells nothing: most of its time is the start of processes, and the rest is many times as much.
"""

from __future__ import annotations

from typing import Final

from acap.audits.job import AuditProgress

_SECONDS: Final = 3.0
"""Work of a shorter time tells no rate."""

_SHARE: Final = 0.05
"""This share of the work of a call tells a rate, if no part of its resources is judged."""

_LONG: Final = 60.0
"""Work of so many seconds tells a rate, whatever its share is."""


class Remaining:
    """The seconds that are left: for an octet as long as what this call did, for a site as those asked.

    The time in which sites were asked says nothing of octets.
    """

    def __init__(self) -> None:
        self._times: dict[bool, float] = {True: 0.0, False: 0.0}  # those in which sites were asked, and others
        self._since: float | None = None
        self._parts: int | None = None  # those that were judged before this call

    def seconds(self, one: AuditProgress, now: float) -> float | None:
        """The seconds that are left at a time; None while that is not known."""
        is_asking = one.step == "sites"
        self._times[is_asking] += 0 if self._since is None else now - self._since
        self._since = now
        if one.step == "resources" and self._parts is None:
            self._parts = one.parts
        if not self._tells(one) or (is_asking and not one.asked):
            return None
        left = self._times[False] / one.done * one.left
        return left + (self._times[True] / one.asked * (one.of_sites - one.asked) if is_asking else 0)

    def _tells(self, one: AuditProgress) -> bool:
        """Whether what this call did tells how long an octet takes."""
        took = self._times[False]
        if not one.done or took < _SECONDS:
            return False
        is_judged = self._parts is not None and one.parts > self._parts
        return is_judged or one.done >= _SHARE * (one.done + one.left) or took >= _LONG

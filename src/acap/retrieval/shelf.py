"""Policies kept ready: the same file is not read again for every URL that is asked about."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from acap.robots import RobotsPolicy

SHELF_OCTETS = 64 * 2**20  # of the files behind the policies
_POLICY_OCTETS = 4_096  # what a policy costs besides its file, roughly


@dataclass(frozen=True, slots=True)
class _Kept:
    policy: RobotsPolicy
    since: datetime
    until: datetime
    octets: int


class Shelf:
    """Policies by URL, each until it expires; beyond `octets` those not used for longest go. For any thread."""

    def __init__(self, octets: int = SHELF_OCTETS) -> None:
        self._limit = octets
        self._held = 0
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, url: str, now: datetime) -> RobotsPolicy | None:
        """The policy if it still counts at that instant."""
        with self._lock:
            kept = self._kept.get(url)
            if kept is None or not kept.since <= now < kept.until:
                return None
            self._kept.move_to_end(url)
            return kept.policy

    def put(self, url: str, policy: RobotsPolicy, *, since: datetime, until: datetime, octets: int) -> None:
        """Keeps the policy from one instant until another; `octets` is the length of the files behind it."""
        with self._lock:
            self._remove(url)
            self._kept[url] = _Kept(policy, since, until, octets + _POLICY_OCTETS)
            self._held += octets + _POLICY_OCTETS
            while self._held > self._limit and len(self._kept) > 1:
                self._remove(next(iter(self._kept)))

    def _remove(self, url: str) -> None:
        if (old := self._kept.pop(url, None)) is not None:
            self._held -= old.octets

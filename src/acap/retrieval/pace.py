"""The pace at which many sites are asked: so many at once, and of one domain few."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from acap.retrieval.addresses import is_address


@dataclass(slots=True)
class _Lane:
    places: asyncio.Semaphore
    takers: int = 0


class DomainPace:
    """Turns for the tasks of one event loop: `at_once` in all, and `of_one` of one domain.

    Who waits for its domain keeps nobody else waiting.
    """

    def __init__(self, at_once: int, of_one: int) -> None:
        self._places = asyncio.Semaphore(at_once)
        self._of_one = of_one
        self._lanes: dict[str, _Lane] = {}

    @asynccontextmanager
    async def turn(self, domain: str) -> AsyncIterator[None]:
        """A turn, from when there is a place for it."""
        lane = self._lanes.setdefault(domain, _Lane(asyncio.Semaphore(self._of_one)))
        lane.takers += 1
        try:
            async with lane.places, self._places:
                yield
        finally:
            lane.takers -= 1
            if not lane.takers:
                del self._lanes[domain]


def domain_of(site: str) -> str:
    """What hosts of likely one owner share: two labels, or three where the second is short, as in `news.co.uk`."""
    host = urlsplit(site).hostname or ""
    if is_address(host):
        return host
    labels = host.rstrip(".").split(".")
    is_second_level = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3 if is_second_level else -2 :])

"""Where items come from: which response a callback made them of, so that gates can ask what may be done with them.

Items of any kind (dictionaries, dataclasses, Scrapy's own) are known by their identity, and are held as long as the
response is, or until Scrapy is done with them.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

from scrapy.http import Response

from acap.integrations.scrapy.pages import resource_of, robots_of
from acap.pages.page import PagePolicy
from acap.robots import RobotsPolicy


@dataclass(frozen=True, slots=True)
class Origin:
    """What an item was made of; `page` is None where it was no response that a policy could speak of."""

    url: str | None = None
    page: PagePolicy | None = None
    robots: RobotsPolicy | None = None


NOWHERE = Origin()
"""The origin of items that were made of no response."""


class Origins:
    """The origins of all items that are under way."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Any, Origin]] = {}
        self._of: weakref.WeakKeyDictionary[Response, tuple[Origin, list[int]]] = weakref.WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._held)

    def note(self, item: Any, response: Response | None) -> None:
        """An item that a callback gave for a response; for none, where it came with the start requests."""
        if response is None:
            self._held[id(item)] = (item, NOWHERE)
            return
        known = self._of.get(response)
        if known is None:
            known = self._of[response] = (Origin(response.url, resource_of(response), robots_of(response)), [])
            weakref.finalize(response, self._forget_all, *known)
        known[1].append(id(item))
        self._held[id(item)] = (item, known[0])

    def of(self, item: Any) -> Origin | None:
        """The origin of the very same item; None if it is not known."""
        known = self._held.get(id(item))
        return None if known is None else known[1]

    def forget(self, item: Any) -> None:
        """Scrapy is done with the item."""
        self._held.pop(id(item), None)

    def _forget_all(self, origin: Origin, items: list[int]) -> None:
        for number in items:
            # Another item may have the number of one that is gone.
            if (held := self._held.get(number)) is not None and held[1] is origin:
                del self._held[number]

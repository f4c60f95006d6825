"""The operator of a store: the crawler it is for, its purposes, and how it reads policies.

A store belongs to one crawler. Another crawler may have other permissions for the same content, so it gets another
store.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import Any, Literal

from acap.crawlers import Crawler
from acap.restrictions import TABLE

HONOURS = frozenset(TABLE)
"""Restrictions that crawl, sweep and serve keep: all of them, as no video is shown and no model is trained."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Who crawls: `names` as of `Crawler`, `purposes` all of which must permit, `contact` a URL or an address.

    `dialect` as of `parse_robots`; `forbidden` is what 401 and 403 mean for robots.txt; `silence` what silence means.
    """

    names: tuple[str, ...]
    purposes: tuple[str, ...] = ()
    contact: str | None = None
    dialect: str = "auto"
    forbidden: Literal["unavailable", "restricted"] | None = None
    silence: tuple[tuple[str, str], ...] = ()

    @property
    def crawler(self) -> Crawler:
        """Who asks. Raises ValueError as `Crawler` does."""
        return _crawler(self)

    def to_json(self) -> dict[str, Any]:
        """Of types that `json.dumps` takes."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Operator:
        """The operator of the value that `to_json` gave."""
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in told.items() if name in known}
        values["names"], values["purposes"] = tuple(told["names"]), tuple(told["purposes"])
        values["silence"] = tuple((usage, meaning) for usage, meaning in told.get("silence", ()))
        return cls(**values)


@lru_cache(maxsize=8)
def _crawler(operator: Operator) -> Crawler:
    return Crawler(*operator.names, purposes=operator.purposes, honours=HONOURS, silence=dict(operator.silence))

"""The operator of a store: the crawler it is for, its purposes and usages, and how it reads policies.

A store belongs to one crawler. Another crawler may have other permissions for the same content, so it gets another
store, and so do other purposes and usages.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal

from acap.crawlers import Crawler
from acap.licensee import Licensee
from acap.restrictions import TABLE
from acap.usages import USAGES

HONOURS = frozenset(TABLE)
"""Restrictions that crawl, sweep and serve keep: all of them, as no video is shown and no model is trained. Whoever
uses what is kept for a usage of the operator finds its restrictions in the decisions, and has to keep them."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Who crawls: `names` as of `Crawler`, `purposes` all of which must permit, `contact` a URL or an address.

    `dialect` as of `parse_robots`; `forbidden` is what 401 and 403 mean for robots.txt; `silence` what silence means.
    `usages` are those for which content is kept beside search: what is not permitted for all of them is not kept.
    `licensee` is the operator as licences and reservations see it; without it what they make conditional is not kept.

    Raises:
        ValueError: a usage that is not known.
    """

    names: tuple[str, ...]
    purposes: tuple[str, ...] = ()
    contact: str | None = None
    dialect: str = "auto"
    forbidden: Literal["unavailable", "restricted"] | None = None
    silence: tuple[tuple[str, str], ...] = ()
    usages: tuple[str, ...] = ()
    licensee: Licensee | None = None

    def __post_init__(self) -> None:
        if unknown := next((usage for usage in self.usages if usage not in USAGES), None):
            raise ValueError(f"`{unknown}` is not a usage; known are {', '.join(USAGES)}")

    @property
    def crawler(self) -> Crawler:
        """Who asks. Raises ValueError as `Crawler` does."""
        return _crawler(self)

    def to_json(self) -> dict[str, Any]:
        """Of types that `json.dumps` takes."""
        licensee = None if self.licensee is None else asdict(self.licensee, dict_factory=_licensee_members)
        return asdict(replace(self, licensee=None)) | {"licensee": licensee}

    @classmethod
    def from_json(cls, members: dict[str, Any]) -> Operator:
        """The operator of the value that `to_json` gave."""
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in members.items() if name in known}
        values["names"], values["purposes"] = tuple(members["names"]), tuple(members["purposes"])
        values["silence"] = tuple((usage, meaning) for usage, meaning in members.get("silence", ()))
        values["usages"] = tuple(members.get("usages", ()))
        values["licensee"] = Licensee(**licensee) if (licensee := members.get("licensee")) else None
        return cls(**values)


def _licensee_members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of a licensee, of types that `json.dumps` takes."""
    return {name: sorted(value) if isinstance(value, frozenset) else value for name, value in members}


@lru_cache(maxsize=8)
def _crawler(operator: Operator) -> Crawler:
    return Crawler(
        *operator.names,
        purposes=operator.purposes,
        honours=HONOURS,
        silence=dict(operator.silence),
        licensee=operator.licensee,
    )

"""What must be used or included is had for that use, though robots.txt closes it to crawling (P1 4.5.3.1.1, 4.5.3.1.2).

The laws of this module:

1. A resource is opened by a statement of its own site alone, for a page of its own site: no stranger opens anything.
2. It is opened for the uses that its site names now, by pages of which something is held, and for nothing else. What
   its robots.txt prohibits of crawling is put aside; what is said of it otherwise, there or by itself, stands.
3. Nothing of this is remembered: pages are asked again each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acap.decision import Cited, Decision, Outcome, Reason
from acap.restrictions import ResourceRestriction, restriction
from acap.retrieval.locations import resolve, robots_url, site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from acap.crawlers import Crawler
    from acap.robots import RobotsPolicy

INDEX = "index"
_LINKS = ("present-link", "present-original")  # for them a URL is enough
_RESTRICTIONS = ("must-use-resource", "must-include-resource")
_INCLUDED = {"link": (), "icon": ("present-thumbnail",), None: ("present-thumbnail", "present-snippet")}


@dataclass(frozen=True, slots=True)
class Naming:
    """Another resource of the site that one of its own statements names for a usage of a page.

    `own` are the usages of that resource of which one is made so; none where its URL is enough. `statement` is the one
    that names it.
    """

    url: str
    usage: str
    restriction: str
    own: tuple[str, ...]
    statement: Cited


@dataclass(frozen=True, slots=True)
class Use:
    """A use that a page makes of another resource; it lasts until `end`, None: as long as the page."""

    page: str
    naming: Naming
    end: datetime | None = None

    @property
    def needs_copy(self) -> bool:
        """Whether a copy of the resource has to be kept: words of the index are taken from the response."""
        return self.naming.usage != INDEX

    def to_json(self) -> dict[str, Any]:
        """As the ledger tells it."""
        return {"page": self.page, "usage": self.naming.usage, "restriction": self.naming.restriction}


@dataclass(frozen=True, slots=True)
class Opened:
    """A resource that robots.txt closes to crawling, and the uses for which it may be had all the same."""

    refusal: Decision
    uses: tuple[Use, ...]

    @property
    def needs_copy(self) -> bool:
        """Whether a copy has to be kept for any of them."""
        return any(use.needs_copy for use in self.uses)

    def to_json(self) -> list[dict[str, Any]]:
        """As the ledger tells it."""
        return [use.to_json() for use in self.uses]

    def decision(self) -> Decision:
        """The decision to fetch it for these uses: the statements that name it decide."""
        cited = tuple(dict.fromkeys(use.naming.statement for use in self.uses))
        fields = {
            "outcome": Outcome.PERMITTED,
            "stated": True,
            "restrictions": (),
            "reason": Reason("statement", cited),
        }
        return Decision._kept({**self.refusal._fields(), **fields})


def namings(url: str, decision: Decision, usage: str) -> Iterator[Naming]:
    """Other resources of its own site that a permission of a usage of a page names, by statements of that site."""
    site = site_of(url)
    for name, value, told in decision._held() if decision.permitted else ():
        one = restriction(name, value) if name in _RESTRICTIONS else None
        if not isinstance(one, ResourceRestriction) or one.uri is None:
            continue
        statement = Cited(*told)
        try:
            named = resolve(url, one.uri)
            # A page says what it says at its own URL; robots.txt and what it refers to say where they are.
            said_at = url if statement.source is None else resolve(robots_url(url), statement.source)
        except ValueError:
            continue
        if named != url and {site_of(named), site_of(said_at)} == {site}:
            yield Naming(named, usage, str(one), _own(usage, one), statement)


def _own(usage: str, one: ResourceRestriction) -> tuple[str, ...]:
    """The usages of what is named of which one is made when a page is used so (`harvest.presentation`)."""
    if usage == INDEX:
        return (INDEX,) if one.name == "must-use-resource" else ()
    if one.name == "must-include-resource":
        return _INCLUDED.get(one.role, ("present-snippet",))
    if usage in _LINKS:
        return ()
    of = usage.removeprefix("present-").removeprefix("old")
    return ("present-currentcopy",) if of in ("copy", "currentcopy") else (f"present-{of}",)


def refusal(robots: RobotsPolicy, url: str, crawler: Crawler, at: datetime) -> Decision | None:
    """The decision of a robots.txt that closes a URL to crawling by what it says; None if it does not, or for doubt."""
    decision = robots.decide(url, crawler=crawler, at=at)
    return decision if not decision.permitted and decision.kind == "statement" else None


def may(use: Naming, permits: Callable[[str], bool]) -> bool:
    """Whether what is said of a resource otherwise permits the use; `permits` tells it of a usage."""
    if not permits("crawl") or not any(map(permits, use.own)):
        return False
    return use.usage == INDEX or permits("preserve")

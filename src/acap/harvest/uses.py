"""Resources that must be used or included, fetched for that use though closed to crawling (P1 4.5.3.1.1, 4.5.3.1.2).

The laws of this module:

1. Only a statement of its own site exempts a resource, and only for a page of its own site.
2. It is exempt only for the uses that its site names now, by pages of which something is kept. The prohibition of
   crawling in its robots.txt does not count then; all other statements, there or of the resource itself, stand.
3. Exemptions are not stored: pages are judged again each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from acap.crawlers import Crawler
from acap.decision import Cited, Decision, Outcome, Reason, changed, cited, restriction_statements
from acap.restrictions import ResourceRestriction, restriction
from acap.retrieval.locations import resolve, robots_url, site_of
from acap.robots import RobotsPolicy

INDEX = "index"
_LINKS = ("present-link", "present-original")  # for them a URL is enough
_RESTRICTIONS = ("must-use-resource", "must-include-resource")
_INCLUDED = {"link": (), "icon": ("present-thumbnail",), None: ("present-thumbnail", "present-snippet")}


@dataclass(frozen=True, slots=True)
class Naming:
    """Another resource of the site that one of its own statements names for a usage of a page.

    `own` are the usages of that resource that the use makes; empty where its URL is enough. `statement` is the one that
    names it.
    """

    url: str
    usage: str
    restriction: str
    own: tuple[str, ...]
    statement: Cited


@dataclass(frozen=True, slots=True)
class ResourceUse:
    """A use of another resource by a page; it lasts until `end`, or with None as long as the page."""

    page: str
    naming: Naming
    end: datetime | None = None

    @property
    def needs_copy(self) -> bool:
        """Whether a copy of the resource has to be kept; the index takes its words from the response instead."""
        return self.naming.usage != INDEX

    def to_json(self) -> dict[str, Any]:
        """In the form of the ledger."""
        return {"page": self.page, "usage": self.naming.usage, "restriction": self.naming.restriction}


@dataclass(frozen=True, slots=True)
class Exemption:
    """A resource that robots.txt closes to crawling, and the uses for which it may be fetched nevertheless."""

    refusal: Decision
    uses: tuple[ResourceUse, ...]

    @property
    def needs_copy(self) -> bool:
        """Whether any of them needs a copy."""
        return any(use.needs_copy for use in self.uses)

    def to_json(self) -> list[dict[str, Any]]:
        """In the form of the ledger."""
        return [use.to_json() for use in self.uses]

    def decision(self) -> Decision:
        """The decision to fetch it for these uses: the statements that name it decide."""
        reason = Reason("statement", tuple(dict.fromkeys(use.naming.statement for use in self.uses)))
        return changed(self.refusal, outcome=Outcome.PERMITTED, stated=True, restrictions=(), reason=reason)


def namings(url: str, decision: Decision, usage: str) -> Iterator[Naming]:
    """Other resources of its own site that the permission of a page's usage names, by statements of that site."""
    site = site_of(url)
    for name, value, origin in restriction_statements(decision) if decision.permitted else ():
        required = restriction(name, value) if name in _RESTRICTIONS else None
        if not isinstance(required, ResourceRestriction) or required.uri is None:
            continue
        statement = cited(origin)
        try:
            named = resolve(url, required.uri)
            # A statement of a page has no source but the page; robots.txt and its references have their own URL.
            stated_at = url if statement.source is None else resolve(robots_url(url), statement.source)
        except ValueError:
            continue
        if named != url and {site_of(named), site_of(stated_at)} == {site}:
            yield Naming(named, usage, str(required), _own(usage, required), statement)


def _own(usage: str, required: ResourceRestriction) -> tuple[str, ...]:
    """The usages of the named resource that a use of the page makes (`harvest.presentation`)."""
    if usage == INDEX:
        return (INDEX,) if required.name == "must-use-resource" else ()
    if required.name == "must-include-resource":
        return _INCLUDED.get(required.role, ("present-snippet",))
    if usage in _LINKS:
        return ()
    of = usage.removeprefix("present-").removeprefix("old")
    return ("present-currentcopy",) if of in ("copy", "currentcopy") else (f"present-{of}",)


def refusal(robots: RobotsPolicy, url: str, crawler: Crawler, at: datetime) -> Decision | None:
    """The decision by which a statement of robots.txt closes a URL to crawling; None without one, or for a doubt."""
    decision = robots.decide(url, crawler=crawler, at=at)
    return decision if not decision.permitted and decision.kind == "statement" else None


def may(naming: Naming, permits: Callable[[str], bool]) -> bool:
    """Whether the other statements on a resource permit the use; `permits` answers for a usage."""
    if not permits("crawl") or not any(map(permits, naming.own)):
        return False
    return naming.usage == INDEX or permits("preserve")

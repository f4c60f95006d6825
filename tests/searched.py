"""A store with pages in it, kept by the keeper as a crawl keeps them; the site's words are given with each page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from acap.clock import FixedClock
from acap.harvest.keeper import Fetched, Keeper
from acap.harvest.operator import Operator
from acap.harvest.store import Store, open_store
from acap.retrieval.locations import canonical, site_of
from acap.robots import RobotsPolicy, parse_robots

START = datetime(2026, 11, 12, 14, 3, tzinfo=UTC)
SITE = "https://www.example.com"


class Searchable:
    """A store, its clock, and what puts pages into it. The crawler is `examplebot`."""

    def __init__(self, store: Store, clock: FixedClock) -> None:
        self.store = store
        self.clock = clock
        self._said: dict[str, str | None] = {}

    def says(self, robots: str | None, site: str = SITE) -> None:
        """A site's robots.txt from now on, as a crawl fetches it; None: it cannot be had."""
        with self.store.writing(), self.store.transaction():
            policy, at = self._policy(site, robots), self.clock.now()
            _, changed = self.store.policies.note(policy.with_evidence({"fetched_at": at.isoformat()}), at)
            if changed:
                self.store.resources.review_site(site, at)
        self._said[site] = robots

    def keep(
        self,
        url: str,
        content: str | bytes,
        *,
        media: str = "text/html; charset=utf-8",
        headers: tuple[tuple[str, str], ...] = (),
        status: int = 200,
    ) -> int:
        """A response as a crawl got it now; the number of its version."""
        url = url if "://" in url else f"{SITE}{url}"
        octets = content.encode() if isinstance(content, str) else content
        at = self.clock.now()
        robots = self._policy(site_of(url), self._said.get(site_of(url)) or "")
        robots = robots.with_evidence({"fetched_at": at.isoformat()})
        decision = robots.decide(url, crawler=self.store.operator.crawler, usage="crawl", at=at)
        with self.store.writing():
            keeper = Keeper(self.store)
            keeper.keep(Fetched(url, at, status, (("Content-Type", media), *headers), octets, robots, decision))
            keeper.flush()
        resource = self.store.resources.find(canonical(url))
        assert resource is not None
        assert resource.current is not None
        return resource.current

    def refuse(self, url: str) -> None:
        """A URL that a crawl may not ask for now, as it is entered."""
        at = self.clock.now()
        robots = self._policy(site_of(url), self._said[site_of(url)]).with_evidence({"fetched_at": at.isoformat()})
        decision = robots.decide(url, crawler=self.store.operator.crawler, usage="crawl", at=at)
        with self.store.writing():
            keeper = Keeper(self.store)
            keeper.refuse(url, decision, robots, at)
            keeper.flush()

    def _policy(self, site: str, robots: str | None) -> RobotsPolicy:
        url = f"{site}/robots.txt"
        return RobotsPolicy.unreachable(url) if robots is None else parse_robots(robots.encode(), url=url)


@contextmanager
def searchable(where: Path | str, copies: Path | None = None) -> Iterator[Searchable]:
    """A new store: a file, or a database with a directory for copies."""
    clock = FixedClock(START)
    with open_store(where, operator=Operator(("examplebot",)), copies=copies, clock=clock) as store:
        yield Searchable(store, clock)


def acap(*lines: str) -> str:
    """A robots.txt that says something to every crawler in ACAP's words."""
    return "\n".join(("##ACAP version=1.1", "ACAP-crawler: *", *lines, ""))


def article(title: str, text: str, head: str = "") -> str:
    """A page."""
    return (
        f"<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>{title}</title>{head}</head>"
        f"<body><h1>{title}</h1><p>{text}</p></body></html>\n"
    )

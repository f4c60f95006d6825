"""The Harbour Courier of `examples/publisher` as tests see it: its canary words, and what its policy answers.

The answers come from the reference interpreter, so that what a crawler did can be judged without the code that it used.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

import httpx2
from examples.publisher.serve import HERE, Publisher

from tests import reference
from tests.reference.decision import Decision
from tests.reference.page import Page, read_page
from tests.reference.page_hearing import Site
from tests.reference.page_resolution import decide_page

TODAY = datetime(2026, 11, 1, 12, tzinfo=UTC)
CRAWLERS = ("searchbot", "archivebot", "minebot", "otherbot")
PURPOSES = {name: f"https://courier.example/purposes/{name}" for name in ("search", "research")}
MINEBOT = "/policy/minebot.txt"


@dataclass(frozen=True)
class Canary:
    """A word that stands once on the whole site; the fields are those of `canaries.toml`."""

    word: str
    path: str
    element: str
    why: str


def canaries() -> list[Canary]:
    """Every canary word of the site."""
    return [Canary(**one) for one in tomllib.loads((HERE / "canaries.toml").read_text("utf-8"))["canary"]]


@dataclass(frozen=True)
class Served:
    """A resource as the site serves it."""

    path: str
    url: str
    status: int
    headers: Sequence[tuple[str, str]]
    octets: bytes

    @property
    def is_page(self) -> bool:
        """Whether it is HTML."""
        return any(name == "content-type" and value.startswith("text/html") for name, value in self.headers)


class Courier:
    """The site of a running publisher, retrieved without regard to its policy."""

    def __init__(self, publisher: Publisher) -> None:
        self.url = publisher.url
        with httpx2.Client(base_url=publisher.url) as client:
            self.served = {path: self._get(client, path) for path in publisher.paths}

    def _get(self, client: httpx2.Client, path: str) -> Served:
        answer = client.get(path)
        if answer.status_code == 503:
            answer = client.get(path)
        headers = [(name.lower(), value) for name, value in answer.headers.multi_items()]
        return Served(path, self.url + path, answer.status_code, headers, answer.content)

    @cached_property
    def site(self) -> Site:
        """The site's policy, with what it refers to, for the reference interpreter."""
        robots = self.served["/robots.txt"]
        site = Site.read(robots.octets, robots.url)
        return replace(site, policy=reference.with_reference(site.policy, MINEBOT, self.served[MINEBOT].octets))

    @cached_property
    def pages(self) -> dict[str, Page]:
        """What each resource says of itself: its headers, and of a page its tags and elements."""
        return {
            path: read_page(one.octets if one.is_page else None, url=one.url, headers=one.headers)
            for path, one in self.served.items()
        }

    def decide(
        self, path: str, *, crawler: str, usage: str, purpose: str | None = None, at: datetime = TODAY
    ) -> Decision:
        """The decision on a resource as a whole; `purpose` by its short name."""
        full = None if purpose is None else PURPOSES[purpose]
        page = self.pages.get(path) or read_page(None, url=self.url + path)
        return decide_page(page, self.url + path, crawler=crawler, usage=usage, purpose=full, at=at, site=self.site)


@contextmanager
def courier() -> Iterator[Courier]:
    """The site as it is kept, served while it is read."""
    with Publisher() as publisher:
        yield Courier(publisher)

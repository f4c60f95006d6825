"""Options of a crawl: what it may fetch, how much of it, and how politely."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from acap.retrieval.locations import canonical

URL_OCTETS = 2_083
"""Longer URLs are not fetched: useful pages have shorter ones, and calendars and carts make endless ones."""

_LASTING = ("span", "hosts", "pages", "depth", "time", "octets", "page_octets", "sitemaps")


class SeedError(ValueError):
    """A seed is not a URL, or there is none; one line."""


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Options of a crawl. Times are in seconds; None means no limit.

    What is fetched, and so what makes a run the same run:

    - `span`: follow links to other hosts too, to at most `hosts` hosts in all.
    - Upper bounds. `pages`: responses; `depth`: links from the given URLs; `time`: of all calls of the run together;
      `octets`: of all responses, decoded; `page_octets`: of one response.
    - `sitemaps`: fetch the sitemaps that robots.txt names.

    How it is fetched:

    - `delay` between two requests to a site, which may ask for more; `per_site` connections to a site, `concurrency`
      requests in all; `timeout` of a request.
    - `attempts` at a URL whose server fails, the first repetition after `retry_delay`, the next after five times that.
    - `wait`: how long a crawl waits for URLs that are due later.
    - `allow_private`: reach private networks; otherwise only the hosts of the given URLs may be of one.
    - `sweep_every`: seconds between two sweeps of the store during the crawl.
    - `contact`: of whom, in the User-Agent, instead of the operator's.
    - `grace`: how long what is under way may take once the crawl is interrupted.
    """

    span: bool = False
    hosts: int | None = None
    pages: int | None = None
    depth: int | None = None
    time: float | None = None
    octets: int | None = None
    page_octets: int = 32 * 2**20
    sitemaps: bool = True
    delay: float = 1.0
    per_site: int = 1
    concurrency: int = 16
    timeout: float = 60.0
    attempts: int = 3
    retry_delay: float = 5.0
    wait: float = 600.0
    allow_private: bool = False
    sweep_every: float = 60.0
    contact: str | None = None
    grace: float = 5.0

    def lasting(self, seeds: Iterable[str]) -> dict[str, Any]:
        """What a run keeps: calls with the same are the same run."""
        return {"seeds": list(seeds)} | {name: getattr(self, name) for name in _LASTING}


def canonical_seeds(seeds: Iterable[str]) -> tuple[str, ...]:
    """The given URLs in their one form, each once, in order. Raises SeedError."""
    try:
        urls = tuple(dict.fromkeys(canonical(url) for url in seeds))
    except ValueError as error:
        raise SeedError(str(error)) from error
    if not urls:
        raise SeedError("no URL given; give one such as https://example.com/")
    if long := next((url for url in urls if len(url) > URL_OCTETS), None):
        raise SeedError(f"`{long[:60]}…` has {len(long)} octets; no more than {URL_OCTETS} are crawled")
    return urls

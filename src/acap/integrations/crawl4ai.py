"""`PolicyRobotsParser`: takes the place of the part of crawl4ai that asks robots.txt.

    crawler.robots_parser = PolicyRobotsParser("examplebot")

Two laws. Its methods are those of crawl4ai's `RobotsParser`, so that `check_robots_txt=True` asks it. And doubt never
permits: crawl4ai takes every failure for a permission.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence
from typing import Any

from acap.carriers import carriers
from acap.combine import decide
from acap.decision import Decision
from acap.keywords import check_keywords, keywords_of
from acap.retrieval.client import AsyncRetriever
from acap.retrieval.locations import canonical
from acap.robots import Asker

__all__ = ["PolicyRobotsParser"]


class PolicyRobotsParser:
    """Tells crawl4ai which URLs it may fetch, and you what may be done with what it fetched."""

    def __init__(self, crawler: Asker | None = None, **options: Any) -> None:
        """Asks as a crawler; each site is asked once, and again when its answer is no longer fresh.

        Args:
            crawler: who asks; None: the User-Agent that crawl4ai sends, which names a browser unless you set it.
            **options: those of `acap.AsyncRetriever`, such as `cache`, `contact` and `allow_private`.

        Raises:
            ValueError: an option that cannot be.
            TypeError: an option that does not exist.
        """
        check_keywords("PolicyRobotsParser", options, keywords_of(AsyncRetriever))
        self._crawler = crawler
        self._options = {"crawler": crawler, **options}
        self._retriever = AsyncRetriever(**self._options)

    async def can_fetch(self, url: str, user_agent: str = "*") -> bool:
        """Whether a URL may be fetched. It raises nothing."""
        try:
            return (await self.decision(url, user_agent)).permitted
        except Exception:  # noqa: BLE001 - doubt does not permit
            return False

    async def decision(self, url: str, user_agent: str = "*") -> Decision:
        """The decision behind `can_fetch`.

        Raises:
            ValueError: what is not an http or https URL with a host.
        """
        asked = canonical(url)
        policy = await self._retriever.robots(asked, found=True)
        return policy.decide(asked, crawler=self._asker(user_agent), usage="crawl")

    async def judged(self, result: Any, usages: Sequence[str], user_agent: str = "*") -> dict[str, Decision]:
        """What a result of crawl4ai may be used for: by robots.txt, its headers and its page, usage by usage.

        It is asked about where the page came from in the end, after redirects, which crawl4ai follows without asking.
        If that may not be crawled, no usage is permitted.

        Raises:
            ValueError: the result has no page; an unknown usage.
        """
        if not result.success or result.html is None:
            raise ValueError(f"{result.url} has no page: {result.error_message}")
        url = canonical(result.redirected_url or result.url)
        policy = await self._retriever.robots(url, found=True)
        crawler = self._asker(user_agent)
        crawl = policy.decide(url, crawler=crawler, usage="crawl")
        if not crawl.permitted:
            return dict.fromkeys(usages, crawl)
        # The text is decoded already: its mark says so, whatever encoding the headers name.
        octets = BOM_UTF8 + result.html.encode("utf-8", "surrogatepass")
        page = carriers(octets, url=url, headers=result.response_headers or (), status=result.status_code).policy
        return {usage: decide(url, crawler=crawler, usage=usage, robots=policy, page=page) for usage in usages}

    def clear_cache(self) -> None:
        """Forgets what sites answered; a cache that was passed in stays as it is."""
        self._retriever = AsyncRetriever(**self._options)

    def clear_expired(self) -> None:
        """Does nothing: what is no longer fresh is asked for anew."""

    async def aclose(self) -> None:
        """Closes the cache file, if a path was given."""
        await self._retriever.aclose()

    def _asker(self, user_agent: str) -> Asker:
        return user_agent if self._crawler is None else self._crawler

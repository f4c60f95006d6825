"""`acap.Site` and `acap.AsyncSite`: what a site says, gathered when it is asked for, and again when it has expired.

with acap.Site("https://www.example.com/") as site:
    site.decide("https://www.example.com/news/1", crawler="examplebot", usage="ai-train")
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from acap.crawlers import Crawler, check_names
from acap.decision import Decision
from acap.keywords import check_keywords, keywords_of
from acap.retrieval.client import AsyncRetriever, Retriever
from acap.robots import Asker
from acap.sites.documents import SiteDocument
from acap.sites.gathering import Steps, gather
from acap.sites.matrix import Matrix, matrices
from acap.sites.policy import SitePolicy

R = TypeVar("R", Retriever, AsyncRetriever)


class _Site(Generic[R]):
    """The part of both that waits for nothing."""

    _retrieves: type[R]

    def __init__(
        self,
        url: str,
        *,
        page: str | None = None,
        crawlers: Asker | Iterable[Asker] = (),
        retriever: R | None = None,
        found: bool = False,
        **options: Any,
    ) -> None:
        """Asks for nothing yet.

        Args:
            url: any URL of the site; its scheme, host and port count.
            page: the URL of one of its pages, to be read with it: if one of `crawlers` may crawl it, or without them a
                crawler that robots.txt does not name.
            crawlers: who is going to ask: a name, or several, each as `acap.decide` takes it.
            retriever: by whose rules documents are retrieved, and in whose cache they are kept; whoever passes one
                closes it. None: a new one with `options`.
            found: the URL is not the user's own: its host may not be private.
            **options: those of `acap.Retriever`, such as `cache` and `contact`.

        Raises:
            ValueError: a URL that cannot be retrieved, or a page of another site; a crawler's name that would be
                cut; options beside a retriever.
            TypeError: an option that does not exist.
        """
        check_keywords(type(self).__name__, options, keywords_of(_Site) + keywords_of(self._retrieves))
        askers: tuple[Asker, ...] = (crawlers,) if isinstance(crawlers, (str, Crawler)) else tuple(crawlers)
        for one in askers:
            check_names(one)
        if retriever is not None and options:
            raise ValueError("a retriever that is passed in has its options already")
        self._own: R | None = None
        if retriever is None:
            retriever = self._own = self._retrieves(**options)
        self._retriever: R = retriever
        self._url, self._page, self._crawlers, self._found = url, page, askers, found
        self._steps(refresh=False)  # raises for a mistake now
        self._kept: SitePolicy | None = None

    def _fresh(self) -> SitePolicy | None:
        """What was gathered, if none of it has expired, nor is from the future, by a clock that was set back."""
        kept = self._kept
        return kept if kept is not None and kept.checked_at <= self._retriever.clock.now() < kept.expires_at else None

    def _steps(self, *, refresh: bool) -> Steps:
        return gather(
            self._retriever, self._url, page=self._page, crawlers=self._crawlers, refresh=refresh, found=self._found
        )


class Site(_Site[Retriever]):
    """What a site says: robots.txt, tdmrep.json, ai.txt, and the documents that they and a page refer to."""

    _retrieves = Retriever

    def policy(self, *, refresh: bool = False) -> SitePolicy:
        """All of it as a value. What is fresh is not asked for again, unless `refresh`; no trouble raises."""
        policy = None if refresh else self._fresh()
        if policy is None:
            policy = self._kept = self._retriever.gather(self._steps(refresh=refresh))
        return policy

    @property
    def sources(self) -> tuple[SiteDocument, ...]:
        """Every document that was asked for, with its evidence."""
        return self.policy().documents

    @property
    def expires_at(self) -> datetime:
        """When the first of the documents has to be asked for again."""
        return self.policy().expires_at

    def decide(self, url: str, **asked: Any) -> Decision:
        """The decision on one of its resources; arguments and errors as of `SitePolicy.decide`."""
        return self.policy().decide(url, **asked)

    def matrices(self, url: str | None = None, **asked: Any) -> tuple[Matrix, ...]:
        """Who says what of a resource; arguments and errors as of `acap.sites.matrix.matrices`."""
        return matrices(self.policy(), url, **asked)

    def close(self) -> None:
        """Closes the retriever, if it was made here."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class AsyncSite(_Site[AsyncRetriever]):
    """`Site` for the tasks of one event loop (asyncio or Trio)."""

    _retrieves = AsyncRetriever

    async def policy(self, *, refresh: bool = False) -> SitePolicy:
        """As `Site.policy`."""
        policy = None if refresh else self._fresh()
        if policy is None:
            policy = self._kept = await self._retriever.gather(self._steps(refresh=refresh))
        return policy

    async def sources(self) -> tuple[SiteDocument, ...]:
        """As `Site.sources`."""
        return (await self.policy()).documents

    async def decide(self, url: str, **asked: Any) -> Decision:
        """As `Site.decide`."""
        return (await self.policy()).decide(url, **asked)

    async def matrices(self, url: str | None = None, **asked: Any) -> tuple[Matrix, ...]:
        """As `Site.matrices`."""
        return matrices(await self.policy(), url, **asked)

    async def aclose(self) -> None:
        """As `Site.close`."""
        if self._own is not None:
            await self._own.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

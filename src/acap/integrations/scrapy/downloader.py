"""The downloader middleware: nothing is sent that the policy of its site does not permit, at the pace that it asks for.

Redirected and repeated requests come through it again, so each is judged by the policy of its own scheme, host and
port. What was decided is in `request.meta` (and so in `response.meta`): `acap_decision` and `acap_policy`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import timedelta
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.utils.httpobj import urlparse_cached

from acap.decision import Decision
from acap.integrations.scrapy.bodies import check_host
from acap.integrations.scrapy.counts import Counts
from acap.integrations.scrapy.guard import AddressGuard
from acap.integrations.scrapy.options import PolicyOptions, SettingError, given, names_itself
from acap.integrations.scrapy.pace import CrawlPace
from acap.integrations.scrapy.pages import DECISION, POLICY, forget
from acap.integrations.scrapy.refusals import AddressRefused, NoPolicy, NotNow, Refused
from acap.integrations.scrapy.transport import MARK, EngineTransport
from acap.retrieval.client import AsyncRetriever
from acap.robots import RobotsPolicy

_OWN = frozenset({"data", "file", "s3"})  # of no network, or of the project's own store: no site has a say
_SLICE = 1.0  # seconds between two looks at whether the crawl goes on, while a request is held

logger = logging.getLogger(__name__)


class PolicyDownloaderMiddleware:
    """Takes the place of `RobotsTxtMiddleware`, which must be off.

    A subclass may override `retriever_options`, `judge` and `policy_of`; the rest of the middleware goes by them.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Raises SettingError for a setting that is missing or cannot be."""
        reactor = crawler.settings.get("TWISTED_REACTOR")
        if reactor and "asyncio" not in str(reactor).lower():
            raise SettingError(f"TWISTED_REACTOR is `{reactor}`; it must be the asyncio reactor, Scrapy's own choice")
        self.crawler = crawler
        self.options = PolicyOptions.of(crawler.settings)
        self.counts = Counts(crawler.stats)
        self.guard = AddressGuard(crawler.settings, self.options)
        self.pace = CrawlPace(crawler, self.options)
        self._mark = object()
        try:
            self.retriever = self.make_retriever()
        except (ValueError, TypeError) as error:
            raise SettingError(f"policies cannot be retrieved so: {error}") from error
        sent = str(crawler.settings["USER_AGENT"])
        if not names_itself(sent, self.options.crawler):
            name = self.options.crawler.names[0]
            logger.warning(
                "the User-Agent `%s` does not name the crawler `%s`, for which policies are searched (K2 3.2.1)",
                sent,
                name,
            )
        crawler.signals.connect(self._scheduled, signal=signals.request_scheduled)
        crawler.signals.connect(self._closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Made by Scrapy."""
        return cls(crawler)

    def retriever_options(self) -> dict[str, Any]:
        """The options of the retriever, from the settings; ACAP_RETRIEVER_OPTIONS has the last word."""
        options = self.options
        return {
            "crawler": options.crawler,
            "user_agent": options.user_agent,
            "dialect": options.dialect,
            "forbidden": options.forbidden,
            "cache": given(options.cache),
            "clock": options.clock,
            "allow_private": options.allow_private,
            "transport": EngineTransport(self.crawler, self._mark),
            **(given(options.retriever) or {}),
        }

    def make_retriever(self) -> AsyncRetriever:
        """What retrieves policies. Raises ValueError for an option that cannot be."""
        return AsyncRetriever(**self.retriever_options())

    async def policy_of(self, url: str) -> RobotsPolicy:
        """The policy of the URL's site, retrieved if it has to be. Raises NoPolicy for a URL without a host."""
        try:
            policy = await self.retriever.robots(url)
        except ValueError as error:
            raise NoPolicy(str(error)) from error
        self.counts.retrieved(policy)
        return policy

    def judge(self, url: str, policy: RobotsPolicy) -> Decision:
        """The decision on crawling the URL now. Raises NoPolicy for one that cannot be asked about."""
        try:
            return policy.decide(url, crawler=self.options.crawler, at=self.options.clock.now())
        except ValueError as error:
            raise NoPolicy(str(error)) from error

    async def process_request(self, request: Request) -> None:
        """Raises Refused, NotNow, NoPolicy or AddressRefused for a request that is not sent."""
        try:
            await self._process(request)
        except NotNow as error:
            self.counts.add(f"not-now/{error.cause}")
            logger.info("%s", error)
            raise
        except (Refused, NoPolicy, AddressRefused) as error:
            logger.info("%s", error)
            raise

    async def _process(self, request: Request) -> None:
        try:
            self.guard.check(request.url)
        except AddressRefused:
            self.counts.add("crawl/address-refused")
            raise
        if request.meta.get(MARK) is self._mark:
            return
        forget(request)
        scheme = urlparse_cached(request).scheme
        if scheme in _OWN:
            return
        if self.options.respects_dont_obey and request.meta.get("dont_obey_robotstxt"):
            self.counts.add("crawl/not-asked")
            return
        if scheme not in ("http", "https"):
            raise NoPolicy(f"{request.url} has no policy that could be asked: only http and https have one here")
        check_host(request)
        waited = 0.0
        while True:
            policy = await self.policy_of(request.url)
            decision = self.judge(request.url, policy)
            request.meta[DECISION], request.meta[POLICY] = decision, policy
            if not decision.permitted:
                self.counts.decided("crawl", decision)
                raise Refused(decision, policy)
            seconds = self.pace.admit(request, policy, decision)
            if seconds is None:
                self.counts.decided("crawl", decision)
                return
            # The policy may be another one by then.
            waited += seconds
            if waited > self.options.max_wait or not await self._hold(seconds):
                until = self.options.clock.now() + timedelta(seconds=seconds)
                raise NotNow("visit-time", until, decision, policy)

    async def _hold(self, seconds: float) -> bool:
        """Waits; False if the crawl ends meanwhile."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            engine = self.crawler.engine
            slot = engine._slot  # nothing else says that a crawl is being closed
            if not engine.running or slot is None or slot.closing is not None:
                return False
            await asyncio.sleep(min(left, _SLICE))
        return True

    def _scheduled(self, request: Request) -> None:
        # It may be written to disk, with all that it carries.
        forget(request)

    async def _closed(self) -> None:
        await self.retriever.aclose()

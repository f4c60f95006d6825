"""The reactor of a crawl: Scrapy's settings, the ticks, the end, and the signals that end it early."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from scrapy.crawler import AsyncCrawlerRunner
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.reactor import install_reactor

from acap.harvest.crawl.known_policies import KnownPolicies
from acap.harvest.crawl.report import Progress
from acap.harvest.crawl.session import Session
from acap.harvest.crawl.spider import HarvestSpider
from acap.integrations.scrapy.guard import RESOLVER

TICK_SECONDS = 1.0
_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def fetch(session: Session, agent: str, on_progress: Callable[[Progress], None] | None) -> None:
    """Runs the reactor until the session is over."""
    install_reactor(_REACTOR)
    # What a crawl starts with stays to its end: the collector need not look at it again and again.
    gc.freeze()
    runner = AsyncCrawlerRunner(_settings(session, agent))
    with _silent(session):
        _Drive(session, runner, on_progress).run(agent)


def _settings(session: Session, agent: str) -> dict[str, Any]:
    options, operator = session.options, session.store.operator
    clock, crawler, known = session.clock, operator.crawler, KnownPolicies(session.store.policies)
    private = sorted({urlsplit(url).hostname or "" for url in session.seeds})
    resolver = "scrapy.resolver.CachingThreadedResolver" if options.allow_private else RESOLVER
    return {
        "ACAP_CRAWLER": crawler,
        "ACAP_CLOCK": lambda: clock,
        "ACAP_CACHE": lambda: known,
        "ACAP_DIALECT": operator.dialect,
        "ACAP_FORBIDDEN": operator.forbidden,
        "ACAP_ALLOW_PRIVATE": options.allow_private,
        "ACAP_PRIVATE_HOSTS": private,
        "ACAP_VISIT_TIME": "refuse",
        "ACAP_RULE_OF_THUMB": True,
        "TWISTED_DNS_RESOLVER": resolver,
        "SCHEDULER": "acap.harvest.crawl.scheduler.StoreScheduler",
        "USER_AGENT": agent,
        # Everything else of Scrapy that would fetch, drop, repeat or log by itself is off.
        "DOWNLOADER_MIDDLEWARES_BASE": {},
        "DOWNLOADER_MIDDLEWARES": {"acap.harvest.crawl.spider.SessionPolicies": 100},
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS_BASE": {},
        "TELNETCONSOLE_ENABLED": False,
        "LOG_FORMATTER": "acap.harvest.crawl.spider.QuietFormatter",
        # For each response Scrapy starts this many tasks that wait for items; there are no items.
        "CONCURRENT_ITEMS": 1,
        "WARN_ON_GENERATOR_RETURN_VALUE": False,
        "CONCURRENT_REQUESTS": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": options.per_site,
        "DOWNLOAD_DELAY": options.delay,
        "DOWNLOAD_DELAY_JITTER": 0.0,
        "DOWNLOAD_MAXSIZE": options.page_octets,
        # A body that was cut is not read, but the headers count.
        "DOWNLOAD_FAIL_ON_DATALOSS": False,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_TIMEOUT": options.timeout,
        "DOWNLOAD_VERIFY_CERTIFICATES": True,
        # All pages under way may wait for licences that they name; no site holds up another one by that.
        "SCRAPER_SLOT_MAX_ACTIVE_SIZE": (4 + options.concurrency) * options.page_octets,
    }


class _Drive:
    """The reactor of a session: its ticks, its end, and the signals that end it early."""

    def __init__(
        self, session: Session, runner: AsyncCrawlerRunner, on_progress: Callable[[Progress], None] | None
    ) -> None:
        self._session = session
        self._runner = runner
        self._on_progress = on_progress
        self._loop = asyncio.get_event_loop()
        self._reactor: Any = import_module("twisted.internet.reactor")
        self._timer: asyncio.TimerHandle | None = None
        self._wakes_at = float("inf")
        self._signals = 0

    def run(self, agent: str) -> None:
        session, loop, reactor = self._session, self._loop, self._reactor
        session.wake = self._wake
        self._install_resolver()
        failure: list[BaseException] = []
        task = self._runner.crawl(HarvestSpider, session=session, agent=agent)

        def over(done: asyncio.Task[None]) -> None:
            if not done.cancelled() and (error := done.exception()) is not None:
                failure.append(error)
            self._stop()

        task.add_done_callback(over)
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._signalled)
        loop.call_later(TICK_SECONDS, self._tick)
        try:
            reactor.run(installSignalHandlers=False)
        finally:
            for number in _SIGNALS:
                if not loop.is_closed():
                    loop.remove_signal_handler(number)
            # What was broken off is not spoken of.
            loop.set_exception_handler(lambda *_: None)
        if failure:
            raise failure[0]

    def _install_resolver(self) -> None:
        resolver = load_object(self._runner.settings["TWISTED_DNS_RESOLVER"])
        build_from_crawler(resolver, self._runner, reactor=self._reactor).install_on_reactor()  # type: ignore[call-overload]  # the settings name its class

    def _tick(self) -> None:
        self._loop.call_later(TICK_SECONDS, self._tick)
        session = self._session
        session.tick()
        if self._on_progress is not None and session.error is None:
            try:
                self._on_progress(session.progress())
            except Exception as error:  # noqa: BLE001  the loop would only log it
                session.fail(error)
        if session.reason is not None:
            self._nudge()

    def _wake(self, seconds: float) -> None:
        """The engine looks again after so long."""
        at = self._loop.time() + seconds
        if self._timer is not None and at >= self._wakes_at and self._wakes_at > self._loop.time():
            return
        if self._timer is not None:
            self._timer.cancel()
        self._wakes_at = at
        self._timer = self._loop.call_at(at, self._woken)

    def _woken(self) -> None:
        self._timer = None
        self._nudge()

    def _nudge(self) -> None:
        for crawler in self._runner.crawlers:
            engine = crawler._engine
            if engine is not None and engine._slot is not None:
                engine._slot.nextcall.schedule()

    def _signalled(self) -> None:
        self._signals += 1
        self._session.interrupt()
        if self._signals > 1:
            self._stop()
            return
        self._loop.call_later(self._session.options.grace, self._stop)
        self._nudge()

    def _stop(self) -> None:
        if self._reactor.running:
            self._reactor.stop()


@contextmanager
def _silent(session: Session) -> Iterator[None]:
    """Messages of Scrapy and Twisted are dropped; warnings of acap are notes of the session."""
    own = logging.getLogger("acap.integrations.scrapy")
    loggers = [*map(logging.getLogger, ("scrapy", "twisted", "asyncio")), own]
    before = [(logger.level, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    own.setLevel(logging.WARNING)
    own.propagate = False
    handler = _Notes(session)
    own.addHandler(handler)
    try:
        yield
    finally:
        own.removeHandler(handler)
        for logger, (level, propagate) in zip(loggers, before, strict=True):
            logger.setLevel(level)
            logger.propagate = propagate


class _Notes(logging.Handler):
    def __init__(self, session: Session) -> None:
        super().__init__(logging.WARNING)
        self._session = session

    def emit(self, record: logging.LogRecord) -> None:
        self._session.note(record.getMessage())

"""`crawl`: one call's work on a run, from the choice of the run to its report.

Twisted starts once in a process, and so does a crawl; it needs the main thread.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from acap.harvest.crawl.options import CrawlOptions, SeedError, canonical_seeds
from acap.harvest.crawl.report import Progress, Report, SiteReport
from acap.harvest.crawl.session import Session
from acap.harvest.store import StoreError
from acap.harvest.sweep import sweep
from acap.retrieval.agent import user_agent

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.crawler import AsyncCrawlerRunner

    from acap.harvest.store import Run, Store

TICK_SECONDS = 1.0
_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


def crawl(
    store: Store,
    seeds: Iterable[str],
    options: CrawlOptions | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_start: Callable[[Run, bool], None] | None = None,
) -> Report:
    """Crawls into a store, as its operator: goes on with an unfinished run of the same call, or begins one.

    Args:
        store: open, and not being written; its turn to write is taken for as long as the crawl goes on.
        seeds: URLs to begin with.
        options: how; the usual if not given.
        on_progress: called about once a second.
        on_start: told the run, and whether it is gone on with.

    Raises:
        SeedError: no URL, or one that is none.
        StoreBusyError: another crawl, sweep, import or removal writes the store.
        StoreError, OSError: the store cannot be written any more. What was written before is whole, and the same call
            goes on with it.
        ValueError: the name or contact of the operator cannot be sent.
        RuntimeError: this process crawled before, or this is not its main thread.
    """
    options = options or CrawlOptions()
    urls = canonical_seeds(seeds)
    operator = store.operator
    agent = user_agent(operator.crawler, operator.contact)
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("a crawl needs the main thread of its process")
    with store.writing():
        run, resumed = _run_for(store, urls, options)
        if on_start is not None:
            on_start(run, resumed)
        session = Session(store, run, urls, options)
        if not resumed:
            depth = options.depth or 0
            session.want(urls, 0, None)
            session.want(store.requests.open("re-crawl"), depth, None)
        session.flush()
        if session.error is None:
            _fetch(session, agent, on_progress)
        session.flush()
        return _end(session, resumed)


def _run_for(store: Store, urls: tuple[str, ...], options: CrawlOptions) -> tuple[Run, bool]:
    """The run to work on, and whether it was begun before."""
    lasting = options.lasting(urls)
    schedule, now = store.schedule, store.clock.now()
    last = schedule.last()
    with store.transaction():
        if last is not None and last.ended_at is None:
            if last.options == lasting:
                return last, True
            schedule.drop_waiting(last.id, "another crawl was begun")
            schedule.end(last.id, now, "another crawl was begun")
        return schedule.begin(lasting, now), False


def _end(session: Session, resumed: bool) -> Report:
    store, run = session.store, session.run
    if session.error is not None:
        raise session.error
    schedule = store.schedule
    swept: Counter[tuple[str, str]] | None = None
    if session.ended:
        assert session.reason is not None
        with store.transaction():
            schedule.drop_waiting(run.id, session.reason)
            schedule.end(run.id, session.clock.now(), session.reason)
        swept = sweep(store).counts
    run = schedule.run(run.id)
    report = Report(
        run=run.id,
        resumed=resumed,
        ended=session.ended,
        reason=session.reason or "",
        seconds=run.seconds,
        octets=run.octets,
        counts=schedule.counts(run.id),
        reasons=schedule.reasons(run.id),
        sites=_sites(store, run),
        rules=session.rules,
        next_at=None if session.ended else schedule.next_due(run.id),
        interrupted=session.interrupted,
        limited=session.limited,
        left_out=session.scope.left_out,
        faults=session.faults,
        notes=session.notes,
    )
    if swept is not None:
        report.swept = swept
    return report


def _sites(store: Store, run: Run) -> list[SiteReport]:
    held = store.resources.by_site()
    found = []
    for site, states in sorted(store.schedule.by_site(run.id).items()):
        indexed, preserved = held.get(site, (0, 0, 0))[1:]
        found.append(
            SiteReport(
                site, states.get("done", 0), states.get("refused", 0), states.get("failed", 0),
                states.get("waiting", 0), indexed, preserved,
            )
        )  # fmt: skip
    return found


def _settings(session: Session, agent: str) -> dict[str, Any]:
    options, operator = session.options, session.store.operator
    clock, crawler = session.clock, operator.crawler
    private = sorted({host for host in map(_host, session.seeds) if host})
    return {
        "ACAP_CRAWLER": crawler,
        "ACAP_CLOCK": lambda: clock,
        "ACAP_DIALECT": operator.dialect,
        "ACAP_FORBIDDEN": operator.forbidden,
        "ACAP_ALLOW_PRIVATE": options.allow_private,
        "ACAP_PRIVATE_HOSTS": private,
        "ACAP_VISIT_TIME": "refuse",
        "TWISTED_DNS_RESOLVER": "acap.integrations.scrapy.guard.GuardedResolver"
        if not options.allow_private
        else "scrapy.resolver.CachingThreadedResolver",
        "SCHEDULER": "acap.harvest.crawl.scheduler.StoreScheduler",
        "USER_AGENT": agent,
        # Everything else of Scrapy that would fetch, drop, repeat or log by itself is off.
        "DOWNLOADER_MIDDLEWARES_BASE": {},
        "DOWNLOADER_MIDDLEWARES": {"acap.harvest.crawl.spider.SessionPolicies": 100},
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS_BASE": {},
        "TELNETCONSOLE_ENABLED": False,
        "LOG_FORMATTER": "acap.harvest.crawl.spider.QuietFormatter",
        "CONCURRENT_REQUESTS": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": options.per_site,
        "DOWNLOAD_DELAY": options.delay,
        "DOWNLOAD_DELAY_JITTER": 0.0,
        "DOWNLOAD_MAXSIZE": options.page_octets,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_TIMEOUT": options.timeout,
        "DOWNLOAD_VERIFY_CERTIFICATES": True,
        "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 4 * options.page_octets,
    }


def _host(url: str) -> str:
    from urllib.parse import urlsplit

    return urlsplit(url).hostname or ""


def _fetch(session: Session, agent: str, on_progress: Callable[[Progress], None] | None) -> None:
    """Runs the reactor until the session is over."""
    from scrapy.crawler import AsyncCrawlerRunner
    from scrapy.utils.reactor import install_reactor, is_reactor_installed

    if is_reactor_installed():
        raise RuntimeError("a process crawls once; start another process")
    from acap.harvest.crawl.spider import HarvestSpider

    install_reactor(_REACTOR)
    runner = AsyncCrawlerRunner(_settings(session, agent))
    with _silent():
        _Drive(session, runner, on_progress).run(runner.crawl, HarvestSpider, agent)


class _Drive:
    """The reactor of a session: its ticks, its end, and the signals that end it early."""

    def __init__(
        self, session: Session, runner: AsyncCrawlerRunner, on_progress: Callable[[Progress], None] | None
    ) -> None:
        self._session = session
        self._runner = runner
        self._on_progress = on_progress
        self._loop = asyncio.get_event_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._wakes_at = float("inf")
        self._signals = 0

    def run(self, start: Callable[..., asyncio.Task[None]], spider: type[Any], agent: str) -> None:
        from twisted.internet import reactor

        session, loop = self._session, self._loop
        session.wake = self._wake
        self._install_resolver(reactor)
        failure: list[BaseException] = []
        task = start(spider, session=session, agent=agent)

        def over(done: asyncio.Task[None]) -> None:
            if not done.cancelled() and (error := done.exception()) is not None:
                failure.append(error)
            self._stop(reactor)

        task.add_done_callback(over)
        self._stopping = lambda: self._stop(reactor)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._signalled)
        loop.call_later(TICK_SECONDS, self._tick)
        try:
            reactor.run(installSignalHandlers=False)  # type: ignore[attr-defined]
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                if not loop.is_closed():
                    loop.remove_signal_handler(number)
            # What was broken off is not spoken of.
            loop.set_exception_handler(lambda *_: None)
        if failure:
            raise failure[0]

    def _install_resolver(self, reactor: Any) -> None:
        from scrapy.utils.misc import build_from_crawler, load_object

        resolver = load_object(self._runner.settings["TWISTED_DNS_RESOLVER"])
        build_from_crawler(resolver, self._runner, reactor=reactor).install_on_reactor()  # type: ignore[call-overload]

    def _tick(self) -> None:
        session = self._session
        session.tick()
        if self._on_progress is not None:
            self._on_progress(session.progress())
        if session.reason is not None:
            self._nudge()
        self._loop.call_later(TICK_SECONDS, self._tick)

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
            self._stopping()
            return
        self._loop.call_later(self._session.options.grace, self._stopping)
        self._nudge()

    @staticmethod
    def _stop(reactor: Any) -> None:
        if reactor.running:
            reactor.stop()


@contextmanager
def _silent() -> Iterator[None]:
    """Scrapy and Twisted do not speak for us; what matters of it is in the report."""
    loggers = [logging.getLogger(name) for name in ("scrapy", "twisted", "asyncio", "acap.integrations.scrapy")]
    before = [(logger.level, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, (level, propagate) in zip(loggers, before, strict=True):
            logger.setLevel(level)
            logger.propagate = propagate


__all__ = ["CrawlOptions", "SeedError", "StoreError", "crawl"]

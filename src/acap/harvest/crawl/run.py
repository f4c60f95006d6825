"""`crawl`: one call's work on a run, from the choice of the run to its report.

Twisted starts once in a process, and so does a crawl; it needs the main thread.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable

from acap.harvest.crawl.options import CrawlOptions, canonical_seeds
from acap.harvest.crawl.report import Progress, Report, SiteReport
from acap.harvest.crawl.session import Session
from acap.harvest.store import Run, Store
from acap.harvest.sweep import sweep
from acap.retrieval.agent import user_agent


def crawl(
    store: Store,
    seeds: Iterable[str],
    options: CrawlOptions | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    on_start: Callable[[Run, bool], None] | None = None,
) -> Report:
    """Crawls into a store, as its operator: continues an unfinished run of the same call, or begins one.

    Args:
        store: open; the crawl takes the turn to write it.
        seeds: URLs to begin with.
        options: how; the usual if not given.
        on_progress: called about once a second.
        on_start: called with the run, and whether it was begun by an earlier call.

    Raises:
        SeedError: a seed is not a URL, or there is none.
        StoreBusyError: another crawl, sweep, import or removal writes the store.
        StoreError, OSError: the store cannot be written any more. What was written before is whole, and the same call
            continues it.
        ValueError: the name or contact of the operator cannot be sent.
        RuntimeError: this process crawled before, or this is not its main thread.
    """
    options = options or CrawlOptions()
    urls = canonical_seeds(seeds)
    # Scrapy takes 0.2 s to import, and whoever only wants `CrawlOptions` does without.
    from scrapy.utils.reactor import is_reactor_installed

    from acap.harvest.crawl.drive import fetch

    operator = store.operator
    agent = user_agent(operator.crawler, options.contact or operator.contact)
    if is_reactor_installed():
        raise RuntimeError("a process crawls once; start another process")
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("a crawl needs the main thread of its process")
    with store.writing():
        run, resumed = _run_for(store, urls, options)
        if on_start is not None:
            on_start(run, resumed)
        session = Session(store, run, urls, options)
        # For a continued run too: it may have been killed before these were written, and a URL has one turn in a run.
        session.want(urls, 0, None)
        session.want(store.requests.open("re-crawl"), options.depth or 0, None)
        session.flush()
        if session.error is None:
            fetch(session, agent, on_progress)
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
    run, sites = schedule.run(run.id), _sites(store, run)
    report = Report(
        run=run.id,
        resumed=resumed,
        ended=session.ended,
        reason=session.reason or "",
        seconds=run.seconds,
        octets=run.octets,
        counts=schedule.counts(run.id),
        reasons=schedule.reasons(run.id),
        sites=sites,
        rules=session.rules,
        unkept=store.resources.unkept({site.site for site in sites}),
        next_at=session.waits_until,
        interrupted=session.interrupted,
        limited=session.limited,
        left_out=session.scope.left_out,
        faults=session.faults,
        notes=session.notes,
    )
    report.swept = session.swept + swept if swept is not None else session.swept
    return report


def _sites(store: Store, run: Run) -> list[SiteReport]:
    held = store.resources.by_site()
    reports = []
    for site, states in sorted(store.schedule.by_site(run.id).items()):
        indexed, preserved = held.get(site, (0, 0, 0))[1:]
        reports.append(
            SiteReport(
                site, states.get("done", 0), states.get("refused", 0), states.get("failed", 0),
                states.get("waiting", 0), indexed, preserved,
            )
        )  # fmt: skip
    return reports

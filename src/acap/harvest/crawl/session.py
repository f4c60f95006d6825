"""A session: one call's work on a run. It hands out URLs, writes the results, and decides when to end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from acap.harvest.act import RE_CRAWL, REMOVAL
from acap.harvest.changes import ChangeSet, RequestDone
from acap.harvest.commit import commit
from acap.harvest.crawl.frontier import Frontier
from acap.harvest.crawl.limits import CrawlLimits
from acap.harvest.crawl.options import CrawlOptions
from acap.harvest.crawl.report import Progress
from acap.harvest.crawl.scope import Scope, host_of, is_overlong, plain, site_of_canonical
from acap.harvest.keeper import Keeper
from acap.harvest.review import Review
from acap.harvest.store import Run, Store, StoreBusyError, StoreError, Task, Wanted
from acap.harvest.sweep import Swept, sweep
from acap.harvest.uses import Exemption
from acap.robots import RobotsPolicy

DONE = "done"
_NOTES = 50
_RULES = 1_000  # that are counted by themselves
_BUSY_SECONDS = 60.0  # for which a store may be busy before a crawl gives up
_STARVED_SECONDS = 0.05  # between two flushes that are made because there is nothing at hand
_DECIDED = 64  # outcomes that are not written
_KNOWN_URLS = 200_000  # of which it is remembered that they are on the schedule
_SWEEP_SECONDS = 0.5  # at a time
_COUNT_SHARE = 100  # counting takes at most one part in this many of the time


class Session:
    """One call's work on a run; the caller has the turn to write the store."""

    def __init__(self, store: Store, run: Run, seeds: tuple[str, ...], options: CrawlOptions) -> None:
        self.store = store
        self.run = run
        self.options = options
        self.seeds = frozenset(seeds)
        self.clock = store.clock
        self.faults: list[str] = []
        self.keeper = Keeper(store, run=run.id, faults=self.faults)
        counts = store.schedule.counts(run.id)
        self.limits = CrawlLimits(options, run, counts["done"], self.clock)
        self.scope = Scope(seeds, options, store.schedule.sites_of(run.id) if options.span else ())
        self.pause: Callable[[str], float] = lambda _: 0.0
        self.wake: Callable[[float], None] = lambda _: None
        per_site = options.per_site + (1 if options.delay <= 0 else 0)
        self.frontier = Frontier(
            store.schedule,
            run.id,
            self.clock,
            concurrency=options.concurrency,
            per_site=per_site,
            pause=lambda site: self.pause(site),
        )
        self.rules: Counter[tuple[str, str]] = Counter()
        self.notes: list[str] = []
        self.reason: str | None = None
        self.waits_until: datetime | None = None
        self.ended = self.limited = self.interrupted = False
        self.error: Exception | None = None
        self._removed = frozenset(store.requests.open(REMOVAL))
        self._recrawl = set(store.requests.open(RE_CRAWL))
        self._recrawled: list[str] = []
        self._decided = 0
        self._flushed_at = time.monotonic()
        self._known: set[str] = set()
        self._named: dict[str, Wanted] = {}
        self._held_added = False
        self.swept: Counter[tuple[str, str]] = Counter()
        self._sweeps_at = time.monotonic() + options.sweep_every
        self._waited: tuple[datetime, float] | None = None
        self._counts = counts
        self._counted_at = -1.0

    # URLs to fetch.

    def next_task(self) -> Task | None:
        """The next URL to fetch now, if there is one."""
        while not self._is_over():
            if self.frontier.is_full or not self.limits.leaves_room(self.frontier.under_way):
                return None  # the engine looks again when something under way is decided
            task = self.frontier.next()
            if task is None:
                starved = self._decided and self.frontier.is_hungry
                if starved and time.monotonic() - self._flushed_at >= _STARVED_SECONDS:
                    self.flush()
                    task = self.frontier.next()
                elif starved:
                    self.wake(_STARVED_SECONDS)
                if task is None:
                    if (seconds := self.frontier.wakes_in()) is not None:
                        self.wake(seconds)
                    return None
            if (why := self._unwanted(task)) is None:
                return task
            self.dropped(task, why)
        return None

    def goes_on(self) -> bool:
        """Whether there is, or will be, something to fetch; asked when nothing is under way."""
        if self.frontier.under_way:
            return True
        self.flush()
        if self._is_over():
            return False
        seconds = self.frontier.wakes_in()
        if seconds is None and not self._held_added:
            self._held_added = True
            self._add_held()
            seconds = self.frontier.wakes_in()
        if seconds is None:
            return self._waits()
        if seconds > self.options.wait:
            return self._leaves(self.clock.now() + timedelta(seconds=seconds))
        self.wake(seconds)
        return True

    def want(
        self, urls: Iterable[str], depth: int, found_in: str | None, *, kind: str = "page", anywhere: bool = False
    ) -> int:
        """Puts URLs on the schedule that belong to the crawl, and says how many; `anywhere`: of any host and depth."""
        if not (anywhere or self.scope.has_depth(depth)):
            return 0
        wanted: list[Wanted] = []
        if len(self._known) > _KNOWN_URLS:
            self._known.clear()
        for reference in urls:
            if reference in self._known:
                continue
            url = plain(reference)
            if url is None or url in self._known:
                continue
            if not anywhere and not self.scope.has_host(url):
                self.scope.left_out += 1
                continue
            self._known.update((reference, url))
            wanted.append(Wanted(url, site_of_canonical(url), depth, kind, found_in))
        if wanted:
            self.keeper.schedule(wanted, self.clock.now())
            self.frontier.added({one.site for one in wanted})
            self._decided += 1
        return len(wanted)

    def name(self, urls: Iterable[str], depth: int, page: str) -> None:
        """Takes resources that the site of a page names for a use: those that were refused come again."""
        if len(self._named) > _KNOWN_URLS:
            self._named.clear()
        for url in urls:
            if url not in self._named:
                self._named[url] = Wanted(url, site_of_canonical(url), depth, "resource", page)
                self._again(url)

    def exemption(self, url: str, policy: RobotsPolicy) -> Exemption | None:
        """The uses for which a URL may be fetched that its robots.txt closes to crawling; None if there are none."""
        wanted = plain(url)
        if wanted is None or not (wanted in self._named or self.store.resources.any_requires):
            return None
        if wanted in self._named:
            self.flush()  # the page that names it has to be written
        try:
            return Review(self.store, self.clock.now()).exemption(wanted, policy)
        except StoreError as error:
            self.fail(error)
            return None

    def refused(self, task: Task) -> None:
        """A URL was refused; perhaps while the page was read that requires it."""
        if task.kind != "resource" and task.url in self._named:
            self._again(task.url)

    def _again(self, url: str) -> None:
        wanted = self._named[url]
        self.keeper.schedule([wanted], self.clock.now(), again=True)
        self.frontier.added([wanted.site])
        self._decided += 1

    def note(self, text: str) -> None:
        """Adds a note for the caller, once; at most `_NOTES` of them."""
        if len(self.notes) < _NOTES and text not in self.notes:
            self.notes.append(text)

    def blame(self, kind: str, rule: str) -> None:
        """A URL was refused by a rule."""
        key = kind, rule
        self.rules[key if key in self.rules or len(self.rules) < _RULES else (kind, "other rules")] += 1

    # Results.

    def decided(self, task: Task) -> None:
        """Takes a URL that the keeper has a result for."""
        self.frontier.done(task)
        if task.url in self._recrawl:
            self._recrawled.append(task.url)
        self._decided += 1
        if self._decided >= _DECIDED:
            self.flush()

    def dropped(self, task: Task, why: str, state: str = "dropped") -> None:
        """A URL is not fetched, or could not be, and no policy is the reason."""
        self.keeper.dismiss(task, state, why)
        self.decided(task)

    def postponed(self, task: Task, due: datetime, why: str, *, attempt: bool = True) -> None:
        """A URL gets another turn."""
        self.keeper.postpone(task, due, why, attempt=attempt)
        self.frontier.postponed(task, due)
        self.frontier.done(task)
        self._decided += 1

    def flush(self) -> None:
        """Writes all that was decided, and reads what is to be fetched."""
        if self.error is not None:
            return
        now = time.monotonic()
        try:
            self.keeper.spend(self.limits.lap())
            self.keeper.flush()
            if self._recrawled:
                at = self.clock.now()
                commit(self.store, [ChangeSet(tuple(RequestDone(RE_CRAWL, url, at) for url in self._recrawled))])
                self._recrawled.clear()
            if self.reason is None:
                self.frontier.refill()
        except StoreBusyError as error:
            # A reader or a presentation has the store; nothing is lost by writing later.
            if now - self._flushed_at > _BUSY_SECONDS:
                self.fail(error)
            return
        except Exception as error:  # noqa: BLE001  after any error nothing more can be written
            self.fail(error)
            return
        self._decided = 0
        self._flushed_at = now

    # The end.

    def tick(self) -> None:
        """Called about once a second."""
        if self._decided or self.frontier.under_way:
            self.flush()
        self._sweep()
        self._is_over()

    def _sweep(self) -> None:
        """Sweeps the store during the crawl: this process has the turn to write, so no other can."""
        if self.reason is not None or time.monotonic() < self._sweeps_at:
            return
        self.flush()
        if self.error is not None or not self.keeper.is_flushed:
            return
        try:
            swept = sweep(self.store, seconds=_SWEEP_SECONDS)
        except StoreBusyError:
            swept = Swept(is_cut=True)  # a reader or a presentation has the store
        except Exception as error:  # noqa: BLE001  after any error nothing more can be written
            self.fail(error)
            return
        self.swept.update(swept.counts)
        self._sweeps_at = time.monotonic() + (0.0 if swept.is_cut else self.options.sweep_every)

    def lost(self, task: Task) -> None:
        """Takes a URL whose result could not be noted: it continues to wait."""
        self.frontier.done(task)
        self.frontier.added([task.site])

    def fail(self, error: Exception) -> None:
        """Ends the session, as the store cannot be written or read."""
        self.error = self.error or error
        self.reason = self.reason or "the store cannot be written"

    def interrupt(self) -> None:
        """Ends the session at the user's wish; requests under way may finish."""
        self.interrupted = not self.ended
        self.reason = self.reason or "interrupted"

    def progress(self) -> Progress:
        """How far the run is; waiting URLs are counted now and then, not each time."""
        now = time.monotonic()
        if now >= self._counted_at:
            self._counts = self.store.schedule.counts(self.run.id)
            took = time.monotonic() - now
            self._counted_at = now + max(0.5, took * _COUNT_SHARE)
        counts = self._counts
        return Progress(
            waiting=counts["waiting"],
            done=self.limits.pages,
            refused=counts["refused"],
            failed=counts["failed"],
            dropped=counts["dropped"],
            under_way=self.frontier.under_way,
            seconds=self.limits.seconds,
            octets=self.limits.octets,
            reasons=self.keeper.counts.copy(),
        )

    def _is_over(self) -> bool:
        if self.reason is not None:
            return True
        limit = self.limits.reached()
        if limit is not None:
            self.reason, self.ended, self.limited = limit, True, True
        return limit is not None

    def _waits(self) -> bool:
        """Whether to wait for URLs that are due later, as none is due now."""
        schedule, now = self.store.schedule, self.clock.now()
        due = schedule.next_due(self.run.id)
        if due is None:
            self.reason, self.ended = DONE, True
            return False
        if due <= now:
            self.frontier.added(schedule.sites(self.run.id, now))
            self.frontier.refill()
            self.wake(0.0)
            return True
        seconds = (due - now).total_seconds()
        real = time.monotonic()
        if self._waited is None or self._waited[0] != due:
            self._waited = due, real + seconds + 1.0
        # A clock that is not the machine's may stand still, and never reach that instant.
        if seconds > self.options.wait or real > self._waited[1]:
            return self._leaves(due)
        self.wake(seconds)
        return True

    def _leaves(self, until: datetime) -> bool:
        """Leaves the rest to a later call."""
        self.reason, self.waits_until = f"URLs wait until {until:%Y-%m-%d %H:%M} UTC", until
        return False

    def _unwanted(self, task: Task) -> str | None:
        if is_overlong(task.url):
            return "the URL is too long"
        return "removed by the operator" if task.url in self._removed else None

    def _add_held(self) -> None:
        """Adds kept URLs of the hosts that no page led to this time: they may be gone."""
        depth = self.options.depth or 0
        hosts = {host_of(url) for url in self.seeds}
        for site in [f"{scheme}://{host}" for host in sorted(hosts) for scheme in ("http", "https")]:
            held = [
                resource.url
                for resource in self.store.resources.of_site(site)
                if resource.last_crawled is None or resource.last_crawled < self.run.started_at
            ]
            self.want(held, depth, None)
        self.flush()

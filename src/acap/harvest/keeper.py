"""The keeper: keeps what may be kept of each response, and drops what may no longer be kept.

Crawl and import give it responses. Each is judged when it comes; `flush` makes the plans for all of them (`reception`)
and carries them out at once (`commit`): first the copies, synced, then one transaction with versions, index, schedule
and ledger. Nothing is written before, so after a crash the responses only have to be fetched again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain

from acap.archives import Capture
from acap.decision import Decision
from acap.dialects.well_known import brings_document
from acap.harvest.changes import ChangeSet, Closed, Postponed, Scheduled, Spent, WrittenCopy
from acap.harvest.commit import commit, write_copies
from acap.harvest.conclusion import Leads
from acap.harvest.copies import CopiesDamagedError
from acap.harvest.fetched import Fetched
from acap.harvest.judgement import KEPT
from acap.harvest.latest import statements_of
from acap.harvest.reception import (
    Reception,
    leads_of_unchanged,
    plans_of_doubt,
    plans_of_headers,
    plans_of_history,
    plans_of_refusal,
    plans_of_unchanged,
)
from acap.harvest.resource import Version
from acap.harvest.store import Store
from acap.harvest.store.database import StoreError
from acap.harvest.task import Task, Wanted
from acap.pages.page import parse_page
from acap.retrieval.answers import NOT_MODIFIED
from acap.retrieval.exchange import REDIRECTS
from acap.retrieval.locations import canonical
from acap.robots import RobotsPolicy

__all__ = ["BATCH", "FAULT", "Fetched", "Keeper", "Kept"]

BATCH = 64
"""Responses per transaction."""


@dataclass
class Kept:
    """The result for a response: links that may be followed, required resources, and outcomes by usage, for counts.

    `follows`: whether a redirect may be followed. `named`: the required resources that its own site names for a use
    that needs more than their URL.
    """

    links: list[str] = field(default_factory=list)
    follows: bool = True
    required: list[str] = field(default_factory=list)
    named: frozenset[str] = frozenset()
    outcomes: dict[str, str] = field(default_factory=dict)


_OF_STORE = (StoreError, CopiesDamagedError, OSError)
FAULT = "internal error"
"""Why a response was not judged: a bug of this program."""


@dataclass
class _Pending:
    """Plans to make and carry out; `instead` gives others in case that fails by a bug.

    `plans` is given the copy that was written of `capture`.
    """

    plans: Callable[[WrittenCopy | None], Iterable[ChangeSet]]
    capture: Capture | None = None
    url: str | None = None
    instead: Callable[[], _Pending] | None = None


class Keeper:
    """Keeps responses in a store, which the caller has the turn to write."""

    def __init__(
        self, store: Store, *, run: int | None = None, batch: int = BATCH, faults: list[str] | None = None
    ) -> None:
        """`faults` collects bugs of this program, a line each; a response that they affect counts as unread."""
        self.faults: list[str] = [] if faults is None else faults
        self.counts: Counter[tuple[str, str]] = Counter()
        self._store = store
        self._run = run
        self._batch = batch
        self._pending: list[_Pending] = []
        self._urls: set[str] = set()
        self._octets = 0
        self._seconds = 0.0

    def keep(self, fetched: Fetched) -> Kept:
        """Judges a response and keeps what may be kept. Raises StoreError if it has to write and cannot."""
        self._octets += len(fetched.octets)
        kept = self._or_doubt(fetched, self._kept)
        if len(self._pending) >= self._batch:
            self.flush()
        return kept

    def would_keep_more(self, version: Version, fetched: Fetched) -> bool:
        """Whether more may be kept of a version, as it is received again, than is kept of it."""
        try:
            conclusion = Reception(self._store, version.url, fetched).conclusion
        except _OF_STORE:
            raise
        except Exception as error:  # noqa: BLE001  nothing is kept of what a bug keeps from being judged
            self._note_fault(version.url, error)
            return False
        is_new_to_index = conclusion.words is not None and not version.is_indexed
        return is_new_to_index or (conclusion.copy is not None and version.place is None)

    def hear(self, fetched: Fetched) -> None:
        """Takes the headers of a response for a known URL that is fetched again later, because of the same response."""
        self._or_doubt(replace(fetched, task=None), self._headers)

    def _or_doubt(self, fetched: Fetched, judge: Callable[[str, Fetched], Kept]) -> Kept:
        """The result of `judge`; if that fails by a bug, the response counts as a doubt, as it may have prohibited."""
        url = canonical(fetched.url)
        if url in self._urls:
            self.flush()
        pending = len(self._pending)
        try:
            return judge(url, fetched)
        except _OF_STORE:
            raise
        except Exception as error:  # noqa: BLE001  a response that fails by a bug counts as in doubt
            self._note_fault(url, error)
            del self._pending[pending:]
            self._add(self._in_doubt(url, fetched))
            return Kept()

    def _kept(self, url: str, fetched: Fetched) -> Kept:
        self.counts["crawl", fetched.doubt or "done"] += 1
        resource = self._store.resources.find(url) if fetched.status == NOT_MODIFIED else None
        if resource is not None and resource.current is not None:
            self._add_response(url, fetched, lambda _: plans_of_unchanged(self._store, url, fetched))
            return _result(leads_of_unchanged(self._store, url, fetched))
        return self._judged(url, fetched) if fetched.speaks else self._without_content(url, fetched)

    def _judged(self, url: str, fetched: Fetched) -> Kept:
        """Judges a response with content."""
        reception = Reception(self._store, url, fetched)
        conclusion, leads = reception.conclusion, reception.conclusion.leads
        assert leads is not None
        outcomes = {usage: conclusion.record[usage]["outcome"] for usage in ("follow", *KEPT)}
        for usage in KEPT:
            self.counts[usage, outcomes[usage]] += 1
        self.counts["follow", "permitted"] += len(leads.links)
        self.counts["follow", "prohibited"] += leads.refused
        self._add_response(url, fetched, reception.plans, reception.capture)
        return _result(leads, outcomes)

    def _headers(self, url: str, fetched: Fetched) -> Kept:
        if self._store.resources.find(url) is not None and (fetched.doubt or statements_of(fetched.headers)):
            return self._without_content(url, fetched)
        return Kept()

    def _without_content(self, url: str, fetched: Fetched) -> Kept:
        """Takes a redirect, which is a link of its response, or another response without content."""
        follow: Decision | None = None
        if fetched.status in REDIRECTS:
            page = parse_page(None, url=url, headers=fetched.headers)
            follow = page.decide("follow", crawler=self._store.operator.crawler, at=fetched.at, robots=fetched.robots)
        self._add_response(url, fetched, lambda _: plans_of_headers(self._store, url, fetched, follow))
        return Kept(follows=follow is None or follow.permitted)

    def _in_doubt(self, url: str, fetched: Fetched) -> _Pending:
        """Plans for a response that a bug of this program kept from being judged: its headers, and the doubt."""
        status = fetched.status if brings_document(fetched.status) else 0
        unread = replace(fetched, status=status, octets=b"", unread=FAULT)
        return _Pending(
            lambda _: plans_of_headers(self._store, url, unread),
            url=url,
            instead=lambda: _Pending(lambda _: plans_of_doubt(self._store, url, fetched, FAULT), url=url),
        )

    def _note_fault(self, url: str, error: Exception) -> None:
        self.faults.append(f"{url}: {type(error).__name__}: {error}")

    def refuse(
        self, url: str, decision: Decision, robots: RobotsPolicy, at: datetime, task: Task | None = None
    ) -> None:
        """Notes that a URL was not crawled because it may not be."""
        self.counts["crawl", f"refused: {decision.reason.kind}"] += 1
        self._add(_Pending(lambda _: plans_of_refusal(self._store, url, decision, robots, at, task), url=url))

    def learn(self, url: str, history: Iterable[RobotsPolicy], at: datetime) -> None:
        """Keeps the policies of a robots.txt at other times."""
        commit(self._store, plans_of_history(self._store, url, history, at))

    def dismiss(self, task: Task, state: str, why: str) -> None:
        """Notes that a URL is not fetched, for a reason other than a policy."""
        self.counts["crawl", why] += 1
        self._change(Closed(task.id, state, why))

    def postpone(self, task: Task, due: datetime, why: str, *, attempt: bool = True) -> None:
        """Gives a URL another turn."""
        self._change(Postponed(task.id, due, why, attempt))

    def schedule(self, wanted: list[Wanted], at: datetime, *, again: bool = False) -> None:
        """Puts URLs on the schedule of the run; `again`: also those that were refused before a page required them."""
        if wanted and self._run is not None:
            self._change(Scheduled(self._run, tuple(wanted), at, again))

    def _change(self, change: Closed | Postponed | Scheduled) -> None:
        self._add(_Pending(lambda _: (ChangeSet((change,)),)))

    @property
    def is_flushed(self) -> bool:
        """Whether all results are written."""
        return not self._pending

    def spend(self, seconds: float) -> None:
        """Counts time that the run took."""
        self._seconds += seconds

    def flush(self) -> None:
        """Writes everything; all of it or nothing. Raises StoreError."""
        if not self._pending and not self._seconds:
            return
        try:
            self._write(self._pending)
        except _OF_STORE:
            raise
        except Exception as error:  # noqa: BLE001  one change is at fault; the others are written without it
            noted = len(self.faults)
            while self._pending:
                self._write_apart(self._pending[0])
                del self._pending[0]
            if len(self.faults) == noted:
                self._note_fault("several responses, which were written one by one then", error)
        self._pending.clear()
        self._urls.clear()

    def _write_apart(self, change: _Pending) -> None:
        """Writes one change; if that fails by a bug of this program, the one given instead."""
        try:
            self._write([change])
        except _OF_STORE:
            raise
        except Exception as error:
            if change.instead is None:
                raise
            self._note_fault(change.url or "", error)
            self._write_apart(change.instead())

    def _write(self, pending: list[_Pending]) -> None:
        """Writes copies, then makes all plans and carries them out; all of it or nothing."""
        captures = [change.capture for change in pending if change.capture is not None]
        spent = () if self._run is None else (ChangeSet((Spent(self._run, self._seconds, self._octets),)),)
        try:
            copies = iter(write_copies(self._store, captures))
            made = (change.plans(None if change.capture is None else next(copies)) for change in pending)
            commit(self._store, chain(chain.from_iterable(made), spent))
        except BaseException:
            self._store.discard_uncommitted()
            raise
        self._octets, self._seconds = 0, 0.0

    def _add_response(
        self,
        url: str,
        fetched: Fetched,
        plans: Callable[[WrittenCopy | None], Iterable[ChangeSet]],
        capture: Capture | None = None,
    ) -> None:
        self._add(_Pending(plans, capture, url, lambda: self._in_doubt(url, fetched)))

    def _add(self, change: _Pending) -> None:
        self._pending.append(change)
        if change.url is not None:
            self._urls.add(change.url)


def _result(leads: Leads | None, outcomes: dict[str, str] | None = None) -> Kept:
    if leads is None:
        return Kept()
    required = dict.fromkeys(url for _, _, url in leads.requirements)
    return Kept(list(leads.links), required=list(required), named=leads.wanted, outcomes=outcomes or {})

"""The keeper: keeps what may be kept of each response, and drops what may no longer be held.

Crawl and import give it responses. Each is judged when it comes (`judge`); `flush` makes the plans for all of them and
carries them out at once (`commit`): first the copies, synced, then one transaction with versions, index, schedule and
ledger. Nothing is written before, so after a crash the responses only have to be fetched again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from acap.crawlers import Crawler
from acap.decision import Decision
from acap.harvest.account import GONE, is_usable, text_digest
from acap.harvest.act import RE_CRAWL, TAKE_DOWN, Act
from acap.harvest.commit import commit
from acap.harvest.copies import Capture, CopiesDamagedError
from acap.harvest.fetched import NOT_MODIFIED, Fetched
from acap.harvest.judgement import KEPT, Conclusion, Held, Leads, Response, record_of
from acap.harvest.latest import headers_after, headers_in_doubt, is_statement, statements_of
from acap.harvest.passages import UNTOLD
from acap.harvest.plan import (
    NEW,
    ChangeSet,
    Closed,
    Due,
    Holding,
    Postponed,
    Received,
    Requirement,
    Scheduled,
    Spent,
    WrittenCopy,
    closed,
    found_in,
    plan_response,
    received,
)
from acap.harvest.resource import Resource, Version
from acap.harvest.review import Review
from acap.harvest.store import Store
from acap.harvest.store.database import StoreError
from acap.harvest.task import Task, Wanted
from acap.pages.page import parse_page
from acap.restrictions import Facts
from acap.retrieval.answers import Headers
from acap.retrieval.exchange import REDIRECTS
from acap.retrieval.locations import canonical, site_of
from acap.robots import RobotsPolicy

__all__ = ["BATCH", "FAULT", "Fetched", "Keeper", "Kept"]

BATCH = 64
"""Responses per transaction."""

_REQUESTED = 1_000  # requests noted per robots.txt


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
    """What is to be planned and carried out; `instead` gives another in case that fails by a bug.

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
        self._store = store
        self._crawler = store.operator.crawler
        self._run = run
        self._batch = batch
        self._pending: list[_Pending] = []
        self._urls: set[str] = set()
        self._octets = 0
        self._seconds = 0.0
        self.counts: Counter[tuple[str, str]] = Counter()

    def keep(self, fetched: Fetched) -> Kept:
        """Judges a response and keeps what may be kept. Raises StoreError if it has to write and cannot."""
        url = canonical(fetched.url) if fetched.task is None else fetched.task.url
        if url in self._urls:
            self.flush()
        self._octets += len(fetched.octets)
        kept = self._or_doubt(url, fetched, self._kept)
        if len(self._pending) >= self._batch:
            self.flush()
        return kept

    def _or_doubt(self, url: str, fetched: Fetched, judge: Callable[[str, Fetched], Kept]) -> Kept:
        """The result of `judge`; if that fails by a bug, the response counts as a doubt, as it may have prohibited."""
        pending = len(self._pending)
        try:
            return judge(url, fetched)
        except _OF_STORE:
            raise
        except Exception as error:  # noqa: BLE001
            self._note_fault(url, error)
            del self._pending[pending:]
            self._add(self._in_doubt(url, fetched))
            return Kept()

    def _kept(self, url: str, fetched: Fetched) -> Kept:
        self._count("crawl", fetched.doubt or "done")
        if fetched.status == NOT_MODIFIED and self._has_current(url):
            return self._unchanged(url, fetched)
        return self._judged(url, fetched) if fetched.speaks else self._without_content(url, fetched)

    def _in_doubt(self, url: str, fetched: Fetched) -> _Pending:
        """What comes of a response that a bug of this program kept from being judged: its headers, and the doubt."""
        bare = _Pending(lambda _: self._doubt(url, fetched), url=url)
        status = fetched.status if is_usable(fetched.status) else 0
        try:
            change = self._heard(url, replace(fetched, status=status, octets=b"", unread=FAULT))
        except _OF_STORE:
            raise
        except Exception as error:  # noqa: BLE001  only the doubt is written then
            self._note_fault(url, error)
            return bare
        change.instead = lambda: bare
        return change

    def _doubt(self, url: str, fetched: Fetched) -> Iterator[ChangeSet]:
        """Notes that nothing of a URL is shown until another response of it is judged."""
        resource = self._store.resources.find(url)
        versions = () if resource is None else self._store.resources.versions(resource.id)
        if resource is not None and versions:
            version = next((version for version in versions if version.id == resource.current), versions[0])
            headers = headers_in_doubt(resource.heard, FAULT)
            change = Received(version, fetched.at, headers, resource.passages, is_current=False, speaks=False)
            resource = replace(resource, heard=headers)
            detail = {"status": 0, "unread": FAULT, "said": version.digest, "heard": text_digest(resource.said)}
            decision = record_of(fetched.decision)
            act = Act("crawled", fetched.at, url, "crawl", version.id, version.policy, decision, detail)
            yield ChangeSet((change,), (act,))
        yield closed(fetched.task, "failed", FAULT)

    def _note_fault(self, url: str, error: Exception) -> None:
        self.faults.append(f"{url}: {type(error).__name__}: {error}")

    def hear(self, fetched: Fetched) -> None:
        """Takes the headers of a response for a known URL that is fetched again later, because of the same response."""
        url = canonical(fetched.url) if fetched.task is None else fetched.task.url
        if url in self._urls:
            self.flush()
        self._or_doubt(url, replace(fetched, task=None), self._beside)

    def _beside(self, url: str, fetched: Fetched) -> Kept:
        if self._store.resources.find(url) is not None and (fetched.doubt or statements_of(fetched.headers)):
            return self._without_content(url, fetched)
        return Kept()

    def refuse(
        self, url: str, decision: Decision, robots: RobotsPolicy, at: datetime, task: Task | None = None
    ) -> None:
        """Notes that a URL was not crawled because it may not be."""
        record = record_of(decision)
        self._count("crawl", f"refused: {record['kind']}")

        def plans(_: WrittenCopy | None) -> Iterator[ChangeSet]:
            policy = self._note(robots, at)
            # Held versions of it were permitted once; they are judged again.
            resource = self._store.resources.find(url)
            is_due = resource is not None and decision.reason.kind != "unreachable"
            detail = {**found_in(task), **self._store.policies.evidence(policy)}
            act = Act("refused", at, url, "crawl", policy=policy, decision=record, detail=detail)
            due = (Due(resource.id, at, at),) if resource is not None and is_due else ()
            yield closed(task, "refused", record["kind"]) + ChangeSet(due, (act,))

        self._add(_Pending(plans, url=url))

    def learn(self, url: str, history: Iterable[RobotsPolicy], at: datetime) -> None:
        """Keeps the policies of a robots.txt at other times, each with an entry of its own."""
        policies = self._store.policies
        with self._store.transaction():
            before, acts, is_news = policies.last(url), list[Act](), False
            for policy in history:
                number, changed = policies.note(policy, at)
                is_news |= changed
                if detail := policies.evidence(number):
                    acts.append(Act("heard", at, url, "crawl", policy=number, detail=detail))
            if is_news and (last := policies.last(url)) is not None:
                self._news(last[1], None if before is None else before[1], at)
            self._store.ledger.append(acts)

    def dismiss(self, task: Task, state: str, why: str) -> None:
        """Notes that a URL is not fetched, for a reason other than a policy."""
        self._count("crawl", why)
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
        store = self._store
        captures = [one.capture for one in pending if one.capture is not None]
        try:
            copies = iter([WrittenCopy(place, store.copies.digest(place)) for place in store.append(captures)])
            commit(store, self._plans(pending, copies))
        except BaseException:
            store.discard_uncommitted()
            raise
        self._octets, self._seconds = 0, 0.0

    def _plans(self, pending: list[_Pending], copies: Iterator[WrittenCopy]) -> Iterator[ChangeSet]:
        """All plans, and the time the run took."""
        for one in pending:
            yield from one.plans(None if one.capture is None else next(copies))
        if self._run is not None:
            yield ChangeSet((Spent(self._run, self._seconds, self._octets),))

    def _add(self, change: _Pending) -> None:
        self._pending.append(change)
        if change.url is not None:
            self._urls.add(change.url)

    def _count(self, usage: str, outcome: str) -> None:
        self.counts[usage, outcome] += 1

    def _note(self, robots: RobotsPolicy, at: datetime) -> int:
        """Keeps the policy; if it is new, everything that is held of the site becomes due for review."""
        before = None if robots.url is None else self._store.policies.last(robots.url)
        policy, changed = self._store.policies.note(robots, at)
        if changed:
            self._news(robots, None if before is None else before[1], at)
        return policy

    def _news(self, robots: RobotsPolicy, before: RobotsPolicy | None, at: datetime) -> None:
        """Makes everything that is held of a site due for review, as its policy has changed."""
        if robots.url is not None:
            self._store.resources.review_site(site_of(robots.url), at)
            _note_requests(self._store, robots, before, at)

    def _judged(self, url: str, fetched: Fetched) -> Kept:
        """Judges a response with content."""
        resources, at = self._store.resources, fetched.at
        before = resources.find(url)
        review = Review(self._store, self._crawler, at)
        response = Response(url, at, self._crawler, fetched.robots, fetched.headers, fetched.octets)
        # "Until recrawled" starts anew with this crawl; days still count from the first time.
        facts = Facts(at, at, at) if before is None else before.facts(at=at)
        after = () if before is None else self._heard_after(before, fetched)
        held = Held(facts, before, after=after, may_serve=resources.any_requires)
        conclusion = review.conclude(response, held)
        leads = conclusion.leads
        assert leads is not None
        kept = _kept(leads, {usage: conclusion.record[usage]["outcome"] for usage in ("follow", *KEPT)})
        for usage in KEPT:
            self._count(usage, kept.outcomes[usage])
        self.counts["follow", "permitted"] += len(leads.links)
        self.counts["follow", "prohibited"] += leads.refused
        current = None if before is None or before.current is None else resources.version(before.current)
        unchanged = current if current is not None and _is_same(current, fetched, conclusion) else None
        capture = None
        parts = None if unchanged is None or unchanged.place is None else unchanged.parts
        if conclusion.copy is not None and parts != conclusion.parts["preserve"]:
            capture = _capture(url, fetched, conclusion, self._crawler)

        # The octets and the words of the page are in the conclusion alone, and its tree is nowhere: a batch of trees
        # would take hundreds of megabytes.
        def plans(written: WrittenCopy | None) -> Iterator[ChangeSet]:
            return self._response_plans(fetched, conclusion, before, current, unchanged, after, written)

        self._add(_Pending(plans, capture, url, lambda: self._in_doubt(url, fetched)))
        return kept

    def _response_plans(
        self,
        fetched: Fetched,
        conclusion: Conclusion,
        before: Resource | None,
        current: Version | None,
        unchanged: Version | None,
        after: Headers,
        written: WrittenCopy | None,
    ) -> Iterator[ChangeSet]:
        """Plans for a response with content, and for what depends on it."""
        resources, url, at = self._store.resources, conclusion.url, fetched.at
        policy = self._note(fetched.robots, at)
        review = Review(self._store, self._crawler, at)
        crawled = record_of(fetched.decision)
        record = {"crawl": crawled, **conclusion.record}
        known: tuple[Requirement, ...] = ()
        if unchanged is None:
            version = _version(url, fetched, policy, record, conclusion)
        else:
            assert conclusion.leads is not None
            if conclusion.leads.requirements:  # what it requires may have been indexed in its place meanwhile
                unchanged = resources.version(unchanged.id) or unchanged
                known = review.known(unchanged)
            version = _confirmed(unchanged, fetched, policy, fetched.headers, record)
        passages = conclusion.passages
        if passages not in ("", UNTOLD) and (before is None or not resources.versions(before.id, held=True)):
            passages = ""  # no earlier version may contain them
        supply = review.supplied(conclusion)
        holding = Holding(version, policy, at, known=known, supply=supply, written=written)
        change = Received(version, at, after, passages)
        plan = received(fetched, change, crawled, self._store.policies.evidence(policy))
        yield review.noted(plan + plan_response(conclusion, holding) + closed(fetched.task, "done"))
        resource = resources.find(url)
        assert resource is not None
        assert resource.current is not None
        if before is not None:
            is_settled = review.is_settled(before, current, resource, version)
            settled = current if is_settled else None
            yield from review.succeeded(resource, resource.current, fetched.robots, policy, settled=settled)
        yield review.next(resource, policy) + review.release(resource, fetched.robots)
        yield from review.supply(url, conclusion.supply)

    def _heard_after(self, resource: Resource, fetched: Fetched) -> Headers:
        """The headers that were received when an archived response was, or later: they still count."""
        if fetched.captured_at is None or not resource.heard:
            return ()
        versions = self._store.resources.versions(resource.id)
        unread = [version.confirmed_at for version in versions if not version.sha256]
        return resource.heard if any(at >= fetched.captured_at for at in unread) else ()

    def _has_current(self, url: str) -> bool:
        resource = self._store.resources.find(url)
        return resource is not None and resource.current is not None

    def _unchanged(self, url: str, fetched: Fetched) -> Kept:
        """Judges the held version again, by the current policy and the headers of a 304."""
        self._add(
            _Pending(
                lambda _: self._unchanged_plans(url, fetched), url=url, instead=lambda: self._in_doubt(url, fetched)
            )
        )
        resource, version = self._current(url)
        if version.place is None:
            return Kept()
        version = replace(version, headers=_merged(version.headers, fetched.headers))
        resource = replace(
            resource, heard=headers_after(resource.heard, _news(version, fetched), status=fetched.status)
        )
        review = Review(self._store, self._crawler, fetched.at)
        return _kept(review.question(resource, version, fetched.robots).leads(), {})

    def _unchanged_plans(self, url: str, fetched: Fetched) -> Iterator[ChangeSet]:
        """Plans for a response that confirms the held version."""
        policy = self._note(fetched.robots, fetched.at)
        resource, version = self._current(url)
        headers = _merged(version.headers, fetched.headers)
        version = _confirmed(version, fetched, policy, headers, version.decisions)
        now = headers_after(resource.heard, _news(version, fetched), status=fetched.status)
        change = Received(version, fetched.at, now, resource.passages, speaks=False)
        yield received(fetched, change, record_of(fetched.decision), self._store.policies.evidence(policy))
        yield from Review(self._store, self._crawler, fetched.at).resource(self._store.resources.get(resource.id))
        yield closed(fetched.task, "done")

    def _current(self, url: str) -> tuple[Resource, Version]:
        """The resource of a URL, and its current version, which are known."""
        resource = self._store.resources.find(url)
        assert resource is not None
        assert resource.current is not None
        version = self._store.resources.version(resource.current)
        assert version is not None
        return resource, version

    def _without_content(self, url: str, fetched: Fetched) -> Kept:
        """Takes a redirect, or a response without content: no held version of the resource is current any more.

        A passing response, or one that could not be read, does not change that; only its headers count.
        """
        follow = self._follow(url, fetched) if fetched.status in REDIRECTS else None
        pending = self._heard(url, fetched, follow)
        pending.instead = lambda: self._in_doubt(url, fetched)
        self._add(pending)
        return Kept(follows=follow is None or follow.permitted)

    def _heard(self, url: str, fetched: Fetched, follow: Decision | None = None) -> _Pending:
        """What comes of a response without content: its headers, and a doubt about its body."""
        return _Pending(lambda _: self._heard_plans(url, fetched, follow), url=url)

    def _heard_plans(self, url: str, fetched: Fetched, follow: Decision | None) -> Iterator[ChangeSet]:
        """Plans for a response without content."""
        at, lasts = fetched.at, fetched.status in GONE or fetched.status in REDIRECTS
        policy = self._note(fetched.robots, at)
        before = self._store.resources.find(url)
        headers, passages = ((), "") if before is None else (before.heard, before.passages)
        now = headers_after(headers, fetched.headers, status=fetched.status, unread=fetched.doubt, lasts=lasts)
        crawled = record_of(fetched.decision)
        version = _version(url, fetched, policy, {"crawl": crawled})
        change = Received(version, at, now, passages, is_current=lasts, speaks=False)
        plan = received(fetched, change, crawled, self._store.policies.evidence(policy))
        if follow is not None and not follow.permitted:
            act = Act("refused", at, url, "follow", NEW, policy, record_of(follow), {"links": 1})
            plan += ChangeSet(acts=(act,))
        yield plan
        resource = self._store.resources.find(url)
        assert resource is not None
        review = Review(self._store, self._crawler, at)
        if not lasts and resource.heard != headers:
            yield from review.resource(resource)
        if lasts:
            assert resource.current is not None
            yield from review.succeeded(resource, resource.current, fetched.robots, policy)
            yield review.next(resource, policy) + review.release(resource, fetched.robots)
            yield from review.supply(url)
        why = "not modified (304), but nothing is known of it" if fetched.status == NOT_MODIFIED else fetched.doubt
        yield closed(fetched.task, "failed" if why else "done", why or f"status {fetched.status}")

    def _follow(self, url: str, fetched: Fetched) -> Decision:
        """The decision on following a redirect, which is a link of its response."""
        page = parse_page(None, url=url, headers=fetched.headers)
        return page.decide("follow", crawler=self._crawler, at=fetched.at, robots=fetched.robots)


def _kept(leads: Leads, outcomes: dict[str, str]) -> Kept:
    required = dict.fromkeys(url for _, _, url in leads.requirements)
    return Kept(list(leads.links), required=list(required), named=leads.wanted, outcomes=outcomes)


def _version(
    url: str, fetched: Fetched, policy: int, decisions: dict[str, Any], conclusion: Conclusion | None = None
) -> Version:
    """The version that a response brings."""
    at = fetched.taken_at
    media, sha256, skeleton = ("", "", "") if conclusion is None else _content(conclusion)
    return Version(
        NEW, 0, url, at, at, None, fetched.status, fetched.headers, media, len(fetched.octets), sha256, policy,
        skeleton, decisions, is_indexed=False, terms="", parts="", place=None,
    )  # fmt: skip


def _content(content: Conclusion | Version) -> tuple[str, str, str]:
    """By what two responses are told to have the same content."""
    return content.media, content.sha256, content.skeleton


def _is_same(held: Version, fetched: Fetched, conclusion: Conclusion) -> bool:
    """Whether a response is as it is held."""
    return (held.status, _content(held)) == (fetched.status, _content(conclusion))


def _confirmed(version: Version, fetched: Fetched, policy: int, headers: Headers, decisions: dict[str, Any]) -> Version:
    """A held version that was received again as it is."""
    return replace(version, confirmed_at=fetched.taken_at, policy=policy, headers=headers, decisions=decisions)


def _capture(url: str, fetched: Fetched, conclusion: Conclusion, crawler: Crawler) -> Capture:
    """The copy of what may be preserved."""
    assert conclusion.copy is not None
    octets, is_whole = conclusion.copy
    evidence = fetched.robots.evidence
    metadata = {
        "policy": {
            "url": fetched.robots.url,
            "sha256": evidence.get("sha256"),
            "fetched_at": evidence.get("fetched_at"),
        },
        "crawler": list(crawler.names),
        "purposes": list(crawler.purposes),
        "decision": conclusion.record["preserve"],
        "whole": is_whole,
    }
    return Capture(
        url=url, at=fetched.taken_at, status=fetched.status, headers=fetched.headers, body=octets,
        address=fetched.address, metadata=metadata,
    )  # fmt: skip


def _news(version: Version, fetched: Fetched) -> Headers:
    """The headers of a 304 that the version which it confirms does not have itself."""
    said_before = set(statements_of(version.headers))
    return tuple(one for one in fetched.headers if one not in said_before)


def _merged(held: Headers, said_now: Headers) -> Headers:
    """The headers of a response that a 304 confirmed (RFC 9111 3.2)."""
    own = {"connection", "content-encoding", "content-length", "content-range", "transfer-encoding"}
    fresh = [(name, value) for name, value in said_now if name.lower() not in own and not is_statement(name, value)]
    names = {name.lower() for name, _ in fresh}
    # The statements of the page still hold; further ones of a 304 can only prohibit (`Resource.heard`).
    return (*(one for one in held if one[0].lower() not in names or is_statement(*one)), *fresh)


def _note_requests(store: Store, robots: RobotsPolicy, before: RobotsPolicy | None, at: datetime) -> None:
    """Notes requests of a policy that the one before did not have, up to a limit; take-downs of known URLs only.

    Beyond the limit held content goes by the prohibitions of the policy: each request is a prohibition too.
    """

    assert robots.url is not None
    site, crawler = site_of(robots.url), store.operator.crawler
    said_before = set() if before is None else {(one.action, one.path) for one in before.action_requests(crawler)}
    wanted: dict[tuple[str, str], None] = {}
    for request in robots.action_requests(crawler):
        if (request.action, request.path) in said_before:
            continue
        try:
            url = canonical(request.path if "://" in request.path else f"{site}{request.path}")
        except ValueError:
            continue
        wanted[TAKE_DOWN if request.action == "take-down" else RE_CRAWL, url] = None
    known = store.resources.known([url for action, url in wanted if action == TAKE_DOWN])
    noted = [one for one in wanted if one[0] == RE_CRAWL or one[1] in known][:_REQUESTED]
    for action, url in noted:
        store.requests.make(action, url, robots.url, at, again=True)

"""The keeper: keeps what may be kept of each response, and drops what may no longer be held.

Crawl and import give it responses; it judges them, and collects the changes. `flush` writes all changes at once: first
the copies, synced, then one transaction with versions, index, schedule and ledger. Nothing is written before, so after
a crash the responses only have to be fetched again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from acap.carriers import carriers
from acap.decision import Decision
from acap.harvest.account import GONE, is_usable, text_digest
from acap.harvest.act import Act
from acap.harvest.copies import Capture, CopiesDamagedError, Place
from acap.harvest.copies.capture import Digest
from acap.harvest.judgement import KEPT, PRESENT, Judgement, said
from acap.harvest.latest import doubted, heard, is_statement, said_in, statements_of
from acap.harvest.passages import UNTOLD, passages_of
from acap.harvest.resource import Resource, Version
from acap.harvest.review import Review
from acap.harvest.store import Store
from acap.harvest.store.database import StoreError
from acap.harvest.store.requests import RE_CRAWL, TAKE_DOWN
from acap.harvest.store.schedule import Task, Wanted
from acap.harvest.uses import Opened
from acap.pages.headers import PAGES, media_type
from acap.pages.page import PagePolicy, parse_page
from acap.restrictions import Facts
from acap.retrieval.answers import Headers
from acap.retrieval.exchange import REDIRECTS
from acap.retrieval.locations import canonical, site_of
from acap.robots import RobotsPolicy, parse_robots

BATCH = 64
"""Responses per transaction."""

PARTIAL, NOT_MODIFIED = 206, 304
_OF_VERSIONS = frozenset({"crawl", "preserve", "other", "present", *PRESENT})
_REMEMBERED = 1024  # policies
_REQUESTED = 1_000  # requests noted per robots.txt
_NAMED = 20  # refused links that are listed in an entry


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response for a URL, from a crawl or an archive: `octets` are decoded, `decision` is that on crawling it.

    `opened`: the uses for which it was fetched though closed to crawling.
    `chosen`: why it counts as permitted where no policy of the time is known, by the operator's choice.
    `unread`: why its body could not be read as a whole; then there are no octets, and its status may be 0, unknown.
    `at` is when it is judged. `task` is its place in the schedule, None if it was not scheduled; `origin` names the
    archive it came from, `captured_at` is the time of its capture, `payload` the digest of its octets in its record.
    """

    url: str
    at: datetime
    status: int
    headers: Headers
    octets: bytes
    robots: RobotsPolicy
    decision: Decision
    address: str | None = None
    task: Task | None = None
    origin: str | None = None
    captured_at: datetime | None = None
    opened: Opened | None = None
    unread: str = ""
    payload: Digest | None = None
    chosen: str = ""

    @property
    def speaks(self) -> bool:
        """Whether it has a body that is the resource's, and that was read as a whole."""
        return is_usable(self.status) and not self.unread

    @property
    def doubt(self) -> str:
        """Why its statements are unknown: the body is the resource's, but could not be read; else empty."""
        return doubt_of(self.status, self.unread)

    @property
    def taken_at(self) -> datetime:
        """When the response was received."""
        return self.captured_at or self.at


def doubt_of(status: int, unread: str) -> str:
    """As `Fetched.doubt`."""
    if status == PARTIAL:
        return unread or "a part of it came (status 206)"
    return unread if is_usable(status) or not status else ""


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
class _Change:
    """The changes of one response, to be written; `instead` gives others in case writing them fails by a bug."""

    write: Callable[[Place | None], list[Act]]
    capture: Capture | None = None
    url: str | None = None
    instead: Callable[[], _Change] | None = None


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
        self._pending: list[_Change] = []
        self._urls: set[str] = set()
        self._octets = 0
        self._seconds = 0.0
        self._requires: dict[int, tuple[RobotsPolicy, bool]] = {}
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

    def _in_doubt(self, url: str, fetched: Fetched) -> _Change:
        """The changes of a response that a bug of this program kept from being judged: its headers, and the doubt."""
        bare = _Change(lambda _: self._doubt(url, fetched), url=url)
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

    def _doubt(self, url: str, fetched: Fetched) -> list[Act]:
        """Notes that nothing of a URL is shown until another response of it is judged."""
        store = self._store
        resource = store.resources.find(url)
        held = () if resource is None else store.resources.versions(resource.id)
        acts = []
        if resource is not None and held:
            version = next((one for one in held if one.id == resource.current), held[0])
            resource = store.resources.touch(url, site_of(url), fetched.at)
            resource = store.resources.hear(resource, heard=doubted(resource.heard, FAULT))
            detail = {"status": 0, "unread": FAULT, "said": version.digest, "heard": text_digest(resource.said)}
            acts.append(
                Act("crawled", fetched.at, url, "crawl", version.id, version.policy, said(fetched.decision), detail)
            )
        self._close(fetched.task, "failed", FAULT)
        return acts

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
        why = said(decision)
        self._count("crawl", f"refused: {why['kind']}")

        def write(_: Place | None) -> list[Act]:
            policy = self._note(robots, at)
            if task is not None:
                self._store.schedule.close(task.id, "refused", why["kind"])
            # Held versions of it were permitted once; they are judged again.
            resource = self._store.resources.find(url)
            if resource is not None and decision.reason.kind != "unreachable":
                self._store.resources.review(resource.id, at)
            detail = {**_found(task), **self._store.policies.evidence(policy)}
            return [Act("refused", at, url, "crawl", policy=policy, decision=why, detail=detail)]

        self._add(_Change(write, url=url))

    def learn(self, url: str, said: Iterable[RobotsPolicy], at: datetime) -> None:
        """Keeps the policies of a robots.txt at other times, each with an entry of its own."""
        policies = self._store.policies
        with self._store.transaction():
            before, acts, is_news = policies.last(url), list[Act](), False
            for policy in said:
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
        self._add(_Change(lambda _: self._close(task, state, why)))

    def postpone(self, task: Task, due: datetime, why: str, *, attempt: bool = True) -> None:
        """Gives a URL another turn."""

        def write(_: Place | None) -> list[Act]:
            self._store.schedule.postpone(task.id, due, why, attempt=attempt)
            return []

        self._add(_Change(write))

    def schedule(self, wanted: list[Wanted], at: datetime, *, again: bool = False) -> None:
        """Puts URLs on the schedule of the run; `again`: also those that were refused before a page required them."""
        if not wanted or self._run is None:
            return
        run = self._run

        def write(_: Place | None) -> list[Act]:
            self._store.schedule.add(run, wanted, at)
            if again:
                self._store.schedule.reopen(run, wanted, at)
            return []

        self._add(_Change(write))

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

    def _write_apart(self, change: _Change) -> None:
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

    def _write(self, changes: list[_Change]) -> None:
        """Writes changes, and the time the run took; all of it or nothing."""
        store = self._store
        captures = [change.capture for change in changes if change.capture is not None]
        try:
            places = iter(store.append(captures))
            with store.transaction():
                acts: list[Act] = []
                counted: list[Place] = []
                for change in changes:
                    place = None
                    if change.capture is not None:
                        place = next(places)
                        counted.append(place)
                    acts.extend(change.write(place))
                store.commit_copies(counted)
                if self._run is not None:
                    store.schedule.spend(self._run, self._seconds, self._octets)
                store.ledger.append(acts)
        except BaseException:
            store.discard_uncommitted()
            raise
        self._octets, self._seconds = 0, 0.0

    def _may_require(self, robots: RobotsPolicy, page: PagePolicy) -> bool:
        """Whether a policy, a page or its headers may say that another resource must be used or included."""
        if not page.is_silent or any("resource" in value.lower() for _, value in page.headers):
            return True
        known = self._requires.get(id(robots))
        if known is None or known[0] is not robots:
            supplied = (parse_robots(data) for _, data in robots.supplied if data is not None)
            known = robots, any(map(_names_resources, (robots, *supplied)))
            if len(self._requires) >= _REMEMBERED:
                self._requires.clear()
            self._requires[id(robots)] = known
        return known[1]

    def _add(self, change: _Change) -> None:
        self._pending.append(change)
        if change.url is not None:
            self._urls.add(change.url)

    def _count(self, usage: str, outcome: str) -> None:
        self.counts[usage, outcome] += 1

    def _close(self, task: Task | None, state: str, why: str | None = None) -> list[Act]:
        if task is not None:
            self._store.schedule.close(task.id, state, why)
        return []

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
        said_by = carriers(fetched.octets, url=url, headers=fetched.headers, length=len(fetched.octets))
        page = said_by.page
        before = self._store.resources.find(url)
        media = media_type(fetched.headers) or (PAGES[0] if page.is_page else "")
        at = fetched.at
        # "Until recrawled" starts anew with this crawl; days still count from the first time.
        facts = Facts(at, at, at) if before is None else before.facts(at=at)
        text = fetched.octets.decode("utf-8", "replace") if media == "text/plain" else None
        said_after = () if before is None else self._said_after(before, fetched)
        judgement = Judgement(
            url, self._crawler, at, facts, fetched.robots, page, said_by.others, media, text,
            heard=said_in(url, fetched.headers, said_after),
        )  # fmt: skip
        judgement = Review(self._store, self._crawler, at).open(judgement, before)
        kept = Kept(outcomes={usage: str(judgement.decisions[usage].outcome) for usage in ("follow", *KEPT)})
        kept.links, refused, named = judgement.targets()
        requirements = judgement.requirements() if self._may_require(fetched.robots, page) else []
        _require(kept, judgement, requirements)
        digest = hashlib.sha256(fetched.octets).hexdigest()
        skeleton = str(page.skeleton().html) if page.is_page and not page.is_silent else ""
        current = None if before is None or before.current is None else self._store.resources.version(before.current)
        unchanged = (
            current
            if current is not None
            and (current.sha256, current.status, current.media) == (digest, fetched.status, media)
            and current.skeleton == skeleton
            else None
        )
        passages = self._passages(before, judgement)
        copy = judgement.copy_octets(fetched.octets)
        capture = None
        held = None if unchanged is None or unchanged.place is None else unchanged.parts
        if copy is not None and held != judgement.parts("preserve"):
            capture = _capture(url, fetched, copy[0], judgement, is_whole=copy[1])
        words = judgement.index_text()
        supplied = words if judgement.in_use is None else judgement.in_use.index_text()
        crawled = said(fetched.decision)
        record = {"crawl": crawled, **judgement.record}
        # The change must not hold the tree of the page: a batch of trees takes hundreds of megabytes.
        conclusion = judgement.conclusion()
        for usage in KEPT:
            self._count(usage, kept.outcomes[usage])
        self.counts["follow", "permitted"] += len(kept.links)
        self.counts["follow", "prohibited"] += refused

        def write(place: Place | None) -> list[Act]:
            store = self._store
            policy = self._note(fetched.robots, at)
            resource = store.resources.touch(url, site_of(url), at)
            if unchanged is not None:
                version = store.resources.confirm(
                    unchanged, fetched.taken_at, policy=policy, headers=fetched.headers, decisions=record
                )
                if requirements:  # what it requires may have been indexed in its place meanwhile
                    version = store.resources.version(unchanged.id) or version
            else:
                version = store.resources.add(
                    resource, fetched.taken_at, is_current=True, status=fetched.status, headers=fetched.headers,
                    media=media, length=len(fetched.octets), sha256=digest, policy=policy, skeleton=skeleton,
                    decisions=record,
                )  # fmt: skip
            number, touched = version.id, resource
            resource = store.resources.hear(resource, speaking=number, heard=said_after, passages=passages)
            acts = [self._crawled(fetched, resource, version, policy, crawled)]
            acts += store.require(version, requirements, at)
            if refused and not conclusion.permits("follow"):
                acts.append(Act("refused", at, url, "follow", number, policy, record["follow"], {"links": refused}))
            elif refused:
                detail = {"links": refused, "to": dict(named[:_NAMED])}
                acts.append(Act("refused", at, url, "follow", number, policy, detail=detail))
            review = Review(store, self._crawler, at)
            acts += review.settle(version, conclusion, policy, words, place)
            acts += review.refusals(url, number, policy, record)
            if before is not None:
                settled = current if review.is_settled(touched, current, resource, version) else None
                acts += review.succeeded(resource, number, fetched.robots, policy, settled=settled)
            review.set_next(resource, policy)
            review.release(resource, fetched.robots)
            acts += review.supply(url, supplied)
            self._close(fetched.task, "done")
            return acts

        self._add(_Change(write, capture, url, lambda: self._in_doubt(url, fetched)))
        return kept

    def _said_after(self, resource: Resource, fetched: Fetched) -> Headers:
        """The headers that were received when an archived response was, or later: they still count."""
        if fetched.captured_at is None or not resource.heard:
            return ()
        unread = [one.confirmed_at for one in self._store.resources.versions(resource.id) if not one.sha256]
        return resource.heard if any(at >= fetched.captured_at for at in unread) else ()

    def _passages(self, before: Resource | None, judgement: Judgement) -> str:
        """The passages of the elements with statements, where earlier versions may contain them too."""
        beside = {one.usage for source in judgement.others for one in source.statements(judgement.url)}
        if not beside.isdisjoint(_OF_VERSIONS):
            return UNTOLD
        if before is None or not judgement.page.has_parts:
            return ""
        return passages_of(judgement.asking) if self._store.resources.versions(before.id, held=True) else ""

    def _crawled(
        self, fetched: Fetched, resource: Resource, version: Version | None, policy: int, decision: dict[str, Any]
    ) -> Act:
        """The act, with digests of the response's statements and of the policy by which it was judged."""
        detail: dict[str, Any] = {"status": fetched.status, **_found(fetched.task)}
        if fetched.doubt:
            detail["unread"] = fetched.doubt
        if fetched.origin is not None:
            detail["origin"] = fetched.origin
        if fetched.captured_at is not None:
            detail["captured_at"] = fetched.captured_at.isoformat()
        if fetched.payload is not None:
            detail["payload"] = f"{fetched.payload[0]}:{fetched.payload[1].hex()}"
        if version is not None:
            detail["said"] = version.digest
            told = {"heard": resource.said, "passages": resource.passages}
            detail |= {name: text_digest(text) for name, text in told.items() if text}
        if fetched.chosen:
            detail |= {"by": "operator", "why": fetched.chosen}
        if fetched.opened is not None:
            detail |= {"for": fetched.opened.to_json(), "against": said(fetched.opened.refusal)}
        detail |= self._store.policies.evidence(policy)
        number = None if version is None else version.id
        return Act("crawled", fetched.at, resource.url, "crawl", number, policy, decision, detail)

    def _has_current(self, url: str) -> bool:
        resource = self._store.resources.find(url)
        return resource is not None and resource.current is not None

    def _unchanged(self, url: str, fetched: Fetched) -> Kept:
        """Judges the held version again, by the current policy and the headers of a 304."""
        kept = Kept()
        crawled = said(fetched.decision)

        def write(_: Place | None) -> list[Act]:
            store = self._store
            policy = self._note(fetched.robots, fetched.at)
            resource = store.resources.touch(url, site_of(url), fetched.at)
            version = None if resource.current is None else store.resources.version(resource.current)
            assert version is not None
            headers = _merged(version.headers, fetched.headers)
            version = store.resources.confirm(
                version, fetched.taken_at, policy=policy, headers=headers, decisions=version.decisions
            )
            said_now = heard(resource.heard, _news(version, fetched), status=fetched.status)
            resource = store.resources.hear(resource, heard=said_now)
            acts = [self._crawled(fetched, resource, version, policy, crawled)]
            review = Review(store, self._crawler, fetched.at)
            acts += review.resource(resource)
            self._close(fetched.task, "done")
            return acts

        self._add(_Change(write, url=url, instead=lambda: self._in_doubt(url, fetched)))
        known = self._store.resources.find(url)
        version = None if known is None or known.current is None else self._store.resources.version(known.current)
        if known is not None and version is not None and version.place is not None:
            said_now = heard(known.heard, _news(version, fetched), status=fetched.status)
            version = replace(version, headers=_merged(version.headers, fetched.headers))
            known = replace(known, heard=said_now)
            judgement = Review(self._store, self._crawler, fetched.at).judge(known, version, fetched.robots)
            kept.links = judgement.targets().permitted
            if self._may_require(fetched.robots, judgement.page):
                _require(kept, judgement, judgement.requirements())
        return kept

    def _without_content(self, url: str, fetched: Fetched) -> Kept:
        """Takes a redirect, or a response without content: no held version of the resource is current any more.

        A passing response, or one that could not be read, does not change that; only its headers count.
        """
        follow = self._follow(url, fetched) if fetched.status in REDIRECTS else None
        change = self._heard(url, fetched, follow)
        change.instead = lambda: self._in_doubt(url, fetched)
        self._add(change)
        return Kept(follows=follow is None or follow.permitted)

    def _heard(self, url: str, fetched: Fetched, follow: Decision | None = None) -> _Change:
        """The changes of a response without content: its headers, and a doubt about its body."""
        is_current = fetched.status in GONE or fetched.status in REDIRECTS
        crawled = said(fetched.decision)

        def write(_: Place | None) -> list[Act]:
            store = self._store
            policy = self._note(fetched.robots, fetched.at)
            resource = store.resources.touch(url, site_of(url), fetched.at)
            version = store.resources.add(
                resource, fetched.taken_at, is_current=is_current, status=fetched.status, headers=fetched.headers,
                media="", length=len(fetched.octets), sha256="", policy=policy, skeleton="",
                decisions={"crawl": crawled},
            )  # fmt: skip
            before = resource.heard
            said_now = heard(before, fetched.headers, status=fetched.status, unread=fetched.doubt, lasts=is_current)
            resource = store.resources.hear(resource, heard=said_now)
            acts = [self._crawled(fetched, resource, version, policy, crawled)]
            if follow is not None and not follow.permitted:
                acts.append(Act("refused", fetched.at, url, "follow", version.id, policy, said(follow), {"links": 1}))
            review = Review(store, self._crawler, fetched.at)
            if not is_current and resource.heard != before:
                acts += review.resource(resource)
            if is_current:
                acts += review.succeeded(resource, version.id, fetched.robots, policy)
                review.set_next(resource, policy)
                review.release(resource, fetched.robots)
                acts += review.supply(url)
            why = "not modified (304), but nothing is known of it" if fetched.status == NOT_MODIFIED else fetched.doubt
            self._close(fetched.task, "failed" if why else "done", why or f"status {fetched.status}")
            return acts

        return _Change(write, url=url)

    def _follow(self, url: str, fetched: Fetched) -> Decision:
        """The decision on following a redirect, which is a link of its response."""
        page = parse_page(None, url=url, headers=fetched.headers)
        return page.decide("follow", crawler=self._crawler, at=fetched.at, robots=fetched.robots)


def _names_resources(robots: RobotsPolicy) -> bool:
    # `must-use-resource`, `must-include-resource`, the older `used-resource`
    return any("resource" in text.lower() for field in robots.outline.acap for text in field.texts("qualifier"))


def _require(kept: Kept, judgement: Judgement, requirements: list[tuple[str, str, str]]) -> None:
    """Adds the resources that a page requires, to be fetched."""
    kept.required = list(dict.fromkeys(required for _, _, required in requirements))
    usages = dict.fromkeys(usage for usage, _, _ in requirements)
    kept.named = frozenset(one.url for usage in usages for one in judgement.namings(usage) if one.own)


def _found(task: Task | None) -> dict[str, Any]:
    return {} if task is None or task.found_in is None else {"found_in": task.found_in}


def _capture(url: str, fetched: Fetched, octets: bytes, judgement: Judgement, *, is_whole: bool) -> Capture:
    evidence = fetched.robots.evidence
    metadata = {
        "policy": {
            "url": fetched.robots.url,
            "sha256": evidence.get("sha256"),
            "fetched_at": evidence.get("fetched_at"),
        },
        "crawler": list(judgement.crawler.names),
        "purposes": list(judgement.crawler.purposes),
        "decision": judgement.told("preserve"),
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

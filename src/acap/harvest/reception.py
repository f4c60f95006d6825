"""The reception of a response: it is judged when it comes, and its plans are made when they are carried out.

As in a review (`review`), the store is read here, and `commit` carries out each plan before it asks for the next, so
that a plan is made from what the store keeps then. A policy is received before the response that it applies to.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from acap.archives import Capture
from acap.archives.site_documents import documents_of, with_documents
from acap.carriers import WITH_TERMS, terms_in
from acap.decision import Decision
from acap.harvest.account import GONE, text_digest
from acap.harvest.act import RE_CRAWL, TAKE_DOWN, Act, record_of
from acap.harvest.changes import (
    NEW,
    ChangeSet,
    Due,
    PolicyReceived,
    Received,
    Requested,
    Requirement,
    SiteDue,
    WrittenCopy,
)
from acap.harvest.conclusion import Conclusion, Leads, leads_of
from acap.harvest.fetched import Fetched
from acap.harvest.judgement import ResourceState, Response
from acap.harvest.latest import headers_after, headers_in_doubt, is_statement, statements_of
from acap.harvest.passages import UNKNOWN
from acap.harvest.plan import Holding, closed, found_in, plan_received, plan_response
from acap.harvest.resource import Resource, Version
from acap.harvest.review import Review
from acap.harvest.store import Store
from acap.harvest.task import Task
from acap.restrictions import Facts
from acap.retrieval.answers import NOT_MODIFIED, Headers
from acap.retrieval.exchange import REDIRECTS
from acap.retrieval.locations import canonical, site_of
from acap.robots import RobotsPolicy

_REQUESTED = 1_000  # requests noted per robots.txt


class Reception:
    """The reception of a response with content.

    It keeps the conclusion and not the judgement: the page trees of a batch would take hundreds of megabytes.
    """

    def __init__(self, store: Store, url: str, fetched: Fetched) -> None:
        self._store = store
        self._fetched = fetched
        at, before = fetched.at, store.resources.find(url)
        operator = store.operator
        robots = _as_captured(fetched)
        response = Response(url, at, operator.crawler, robots, fetched.headers, fetched.octets, usages=operator.usages)
        # "Until recrawled" starts anew with this crawl; days still count from the first time.
        facts = Facts(at, at, at) if before is None else before.facts(at=at)
        self._after = () if before is None else _headers_received_after(store, before, fetched)
        state = ResourceState(facts, before, after=self._after, may_serve=store.resources.any_requires)
        self.conclusion = Review(store, at).conclude(response, state)
        current = store.resources.current_of(before)
        is_same = current is not None and (current.status, current.media, current.sha256, current.skeleton) == (
            fetched.status,
            self.conclusion.media,
            self.conclusion.sha256,
            self.conclusion.skeleton,
        )
        self._before = before
        self._current = current
        self._unchanged = current if is_same else None

    @property
    def capture(self) -> Capture | None:
        """The copy to write; None if nothing may be preserved, or the same parts are kept already."""
        conclusion, fetched, unchanged = self.conclusion, self._fetched, self._unchanged
        kept = None if unchanged is None or unchanged.place is None else unchanged.parts
        if conclusion.copy is None or kept == conclusion.parts["preserve"]:
            return None
        octets, is_whole = conclusion.copy
        crawler, evidence = self._store.operator.crawler, fetched.robots.evidence
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
            url=conclusion.url, at=fetched.taken_at, status=fetched.status, headers=fetched.headers, body=octets,
            address=fetched.address, metadata=metadata,
        )  # fmt: skip

    def plans(self, written: WrittenCopy | None) -> Iterator[ChangeSet]:
        """The plans for the response, and for everything that depends on it."""
        store, fetched, conclusion, before = self._store, self._fetched, self.conclusion, self._before
        resources, at, url = store.resources, fetched.at, conclusion.url
        policy = yield from _policy(store, fetched.robots, at)
        review = Review(store, at)
        version = _version(url, fetched, policy, conclusion)
        known: tuple[Requirement, ...] = ()
        if (unchanged := self._unchanged) is not None:
            assert conclusion.leads is not None
            if conclusion.leads.requirements:  # what it requires may have been indexed in its place meanwhile
                unchanged = resources.version(unchanged.id) or unchanged
                known = review.known(unchanged)
            version = _confirmed(unchanged, version)
        passages = conclusion.passages
        if passages not in ("", UNKNOWN) and (before is None or not resources.versions(before.id, held=True)):
            passages = ""  # there is no earlier version that may contain them
        holding = Holding(version, policy, at, known=known, supply=review.supplied(conclusion), written=written)
        received = plan_received(fetched, Received(version, at, self._after, passages), store.policies.evidence(policy))
        yield review.noted(received + plan_response(conclusion, holding) + closed(fetched.task, "done"))
        resource = resources.find(url)
        assert resource is not None
        assert resource.current is not None
        if before is not None:
            is_settled = review.is_settled(before, self._current, resource, version)
            settled = self._current if is_settled else None
            yield from review.succeeded(resource, resource.current, fetched.robots, policy, settled=settled)
        yield review.next(resource, policy) + review.release(resource, fetched.robots)
        yield from review.supply(url, conclusion.supply)


def plans_of_headers(store: Store, url: str, fetched: Fetched, follow: Decision | None = None) -> Iterator[ChangeSet]:
    """Plans for a response without content: a lasting one (404, a redirect) ends the current version.

    Of a passing response, or of one that could not be read, only the headers count, and the doubt about its body. Terms
    in the body of an answer count with its headers.
    `follow` is the decision on a redirect.
    """
    at, lasts = fetched.at, fetched.status in GONE or fetched.status in REDIRECTS
    policy = yield from _policy(store, fetched.robots, at)
    before = store.resources.find(url)
    headers, passages = ((), "") if before is None else (before.later_headers, before.passages)
    terms = terms_in(fetched.octets, fetched.status)
    # What could not be read of an answer that may have terms may have had some.
    unread = fetched.doubt or (fetched.unread if fetched.status in WITH_TERMS else "")
    now = headers_after(headers, fetched.headers, status=fetched.status, unread=unread, lasts=lasts, terms=terms)
    change = Received(_version(url, fetched, policy), at, now, passages, is_current=lasts, speaks=False)
    plan = plan_received(fetched, change, store.policies.evidence(policy))
    if follow is not None and not follow.permitted:
        plan += ChangeSet(acts=(Act("refused", at, url, "follow", NEW, policy, record_of(follow), {"links": 1}),))
    yield plan
    resource = store.resources.find(url)
    assert resource is not None
    review = Review(store, at)
    if not lasts and resource.later_headers != headers:
        yield from review.resource(resource)
    if lasts:
        assert resource.current is not None
        yield from review.succeeded(resource, resource.current, fetched.robots, policy)
        yield review.next(resource, policy) + review.release(resource, fetched.robots)
        yield from review.supply(url)
    why = "not modified (304), but nothing is known of it" if fetched.status == NOT_MODIFIED else fetched.doubt
    yield closed(fetched.task, "failed" if why else "done", why or f"status {fetched.status}")


def leads_of_unchanged(store: Store, url: str, fetched: Fetched) -> Leads | None:
    """Where a page leads that a 304 confirmed; None if no copy of it is kept."""
    resource, version = _current(store, url)
    if version.place is None:
        return None
    version = replace(version, headers=_merged(version.headers, fetched.headers))
    headers = headers_after(resource.later_headers, _new_headers(version, fetched), status=fetched.status)
    return leads_of(
        Review(store, fetched.at).judgement(replace(resource, later_headers=headers), version, fetched.robots)
    )


def plans_of_unchanged(store: Store, url: str, fetched: Fetched) -> Iterator[ChangeSet]:
    """Plans for a 304, which confirms the current version: it is judged again."""
    policy = yield from _policy(store, fetched.robots, fetched.at)
    resource, version = _current(store, url)
    version = replace(
        version, confirmed_at=fetched.taken_at, policy=policy, headers=_merged(version.headers, fetched.headers)
    )
    headers = headers_after(resource.later_headers, _new_headers(version, fetched), status=fetched.status)
    change = Received(version, fetched.at, headers, resource.passages, speaks=False)
    yield plan_received(fetched, change, store.policies.evidence(policy))
    yield from Review(store, fetched.at).resource(store.resources.get(resource.id))
    yield closed(fetched.task, "done")


def plans_of_doubt(store: Store, url: str, fetched: Fetched, why: str) -> Iterator[ChangeSet]:
    """Plans for a response of which nothing is known: nothing of its URL is shown until another one is judged."""
    resource = store.resources.find(url)
    versions = () if resource is None else store.resources.versions(resource.id)
    if resource is not None and versions:
        version = next((version for version in versions if version.id == resource.current), versions[0])
        headers = headers_in_doubt(resource.later_headers, why)
        change = Received(version, fetched.at, headers, resource.passages, is_current=False, speaks=False)
        digest = text_digest(replace(resource, later_headers=headers).later_headers_text)
        detail = {"status": 0, "unread": why, "said": version.digest, "heard": digest}
        decision = record_of(fetched.decision)
        yield ChangeSet(
            (change,), (Act("crawled", fetched.at, url, "crawl", version.id, version.policy, decision, detail),)
        )
    yield closed(fetched.task, "failed", why)


def plans_of_refusal(
    store: Store, url: str, decision: Decision, robots: RobotsPolicy, at: datetime, task: Task | None
) -> Iterator[ChangeSet]:
    """Plans for a URL that may not be crawled. Versions of it were permitted once, and are judged again."""
    policy = yield from _policy(store, robots, at)
    resource = store.resources.find(url)
    is_due = resource is not None and decision.reason.kind != "unreachable"
    record, detail = record_of(decision), {**found_in(task), **store.policies.evidence(policy)}
    act = Act("refused", at, url, "crawl", policy=policy, decision=record, detail=detail)
    due = (Due(resource.id, at, at),) if resource is not None and is_due else ()
    yield closed(task, "refused", record["kind"]) + ChangeSet(due, (act,))


def plans_of_history(store: Store, url: str, history: Iterable[RobotsPolicy], at: datetime) -> Iterator[ChangeSet]:
    """Plans for the policies of a robots.txt at other times, each with an entry of its own."""
    before = store.policies.last(url)
    for policy in history:
        yield ChangeSet((PolicyReceived(policy, at),))
        number = store.policies.noted(policy)
        assert number is not None
        if detail := store.policies.evidence(number):
            yield ChangeSet(acts=(Act("heard", at, url, "crawl", policy=number, detail=detail),))
    yield _plan_of_news(store, url, before, at)


def _policy(store: Store, robots: RobotsPolicy, at: datetime) -> Generator[ChangeSet, None, int]:
    """The plans for a policy, and its number."""
    number = store.policies.noted(robots)
    if number is None:
        before = None if robots.url is None else store.policies.last(robots.url)
        yield ChangeSet((PolicyReceived(robots, at),))
        number = store.policies.noted(robots)
        assert number is not None
        if robots.url is not None:
            yield _plan_of_news(store, robots.url, before, at)
    return number


def _plan_of_news(store: Store, url: str, before: tuple[int, RobotsPolicy] | None, at: datetime) -> ChangeSet:
    """If a site says something else than before: everything of it is due, and new requests of it are noted.

    Requests are noted up to a limit; take-downs of known URLs only. Beyond the limit the prohibitions of the policy
    decide on what is kept: each request is a prohibition too.
    """
    last, crawler = store.policies.last(url), store.operator.crawler
    if last is None or (before is not None and store.policies.is_confirmed(before[0], last[0])):
        return ChangeSet()
    known_requests = set() if before is None else {(one.action, one.path) for one in before[1].action_requests(crawler)}
    requests: dict[tuple[str, str], None] = {}
    for request in last[1].action_requests(crawler):
        if (request.action, request.path) in known_requests:
            continue
        try:
            target = canonical(request.path if "://" in request.path else f"{site_of(url)}{request.path}")
        except ValueError:
            continue
        requests[TAKE_DOWN if request.action == "take-down" else RE_CRAWL, target] = None
    known = store.resources.known([target for action, target in requests if action == TAKE_DOWN])
    noted = [(action, target) for action, target in requests if action == RE_CRAWL or target in known][:_REQUESTED]
    changes = (Requested(action, target, url, at, again=True) for action, target in noted)
    return ChangeSet((SiteDue(site_of(url), at), *changes))


def _as_captured(fetched: Fetched) -> RobotsPolicy:
    """The policy that judges a response. A licence counts for a capture as old as it was then, as in an audit."""
    documents = documents_of(fetched.robots)
    if documents is None or fetched.captured_at is None:
        return fetched.robots
    counting = documents.at(fetched.captured_at)
    return fetched.robots if counting is documents else with_documents(fetched.robots, counting)


def _current(store: Store, url: str) -> tuple[Resource, Version]:
    """The resource of a URL, and its current version, which are known."""
    resource = store.resources.find(url)
    version = store.resources.current_of(resource)
    assert resource is not None
    assert version is not None
    return resource, version


def _headers_received_after(store: Store, resource: Resource, fetched: Fetched) -> Headers:
    """The headers of responses that came when an archived response did, or later: they still count."""
    if fetched.captured_at is None or not resource.later_headers:
        return ()
    versions = store.resources.versions(resource.id)
    unread = [version.confirmed_at for version in versions if not version.sha256]
    return resource.later_headers if any(at >= fetched.captured_at for at in unread) else ()


def _version(url: str, fetched: Fetched, policy: int, conclusion: Conclusion | None = None) -> Version:
    """The version that a response brings."""
    at, decisions = fetched.taken_at, {"crawl": record_of(fetched.decision)}
    media, sha256, skeleton = "", "", ""
    if conclusion is not None:
        media, sha256, skeleton = conclusion.media, conclusion.sha256, conclusion.skeleton
        decisions |= conclusion.record
    return Version(
        NEW, 0, url, at, at, None, fetched.status, fetched.headers, media, len(fetched.octets), sha256, policy,
        skeleton, decisions, is_indexed=False, terms="", parts="", place=None,
    )  # fmt: skip


def _confirmed(version: Version, received: Version) -> Version:
    """A version that was received again with the same content."""
    return replace(
        version, confirmed_at=received.confirmed_at, policy=received.policy, headers=received.headers,
        decisions=received.decisions,
    )  # fmt: skip


def _new_headers(version: Version, fetched: Fetched) -> Headers:
    """The headers of a 304 that the version which it confirms does not have itself."""
    known = set(statements_of(version.headers))
    return tuple(one for one in fetched.headers if one not in known)


def _merged(headers: Headers, newer: Headers) -> Headers:
    """The headers of a response that a 304 confirmed (RFC 9111 3.2)."""
    own = {"connection", "content-encoding", "content-length", "content-range", "transfer-encoding"}
    fresh = [(name, value) for name, value in newer if name.lower() not in own and not is_statement(name, value)]
    names = {name.lower() for name, _ in fresh}
    # The statements of the page still count; further ones of a 304 can only prohibit (`Resource.heard`).
    return (*(one for one in headers if one[0].lower() not in names or is_statement(*one)), *fresh)

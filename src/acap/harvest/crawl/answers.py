"""Responses and failures, and what they mean for the crawl: keep, refuse, try again, or give up."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from acap.decision import Decision
from acap.dialects.response import parse_response
from acap.explain import visible
from acap.harvest.crawl.scope import host_of, plain, site_of_canonical
from acap.harvest.crawl.session import Session
from acap.harvest.crawl.sitemaps import PER_SITE, entries
from acap.harvest.keeper import FAULT, Fetched
from acap.harvest.store import Task
from acap.harvest.uses import Exemption
from acap.logs import event
from acap.retrieval.answers import ACCEPTED, Headers, values
from acap.retrieval.body import Body, CodingError, CutBodyError, check_whole
from acap.retrieval.exchange import REDIRECTS
from acap.retrieval.locations import resolve
from acap.robots import RobotsPolicy

MOST_HOPS = 5
LONGEST_RETRY = timedelta(hours=24)
"""A longer time in `Retry-After` counts as this much."""

_PASSING = frozenset({ACCEPTED, 408, 425, 429})  # besides all of 5xx: the server may soon answer otherwise
_GROWTH = 5.0
_RULE_LETTERS = 120
_log = logging.getLogger("acap.harvest")
_COMMENTS, _COMMENT_LETTERS = 5, 300  # of a robots.txt


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """A response to a task's request: `octets` as they came over the wire; the policy and decision of the request.

    `exemption`: the uses for which the request was sent, though the URL is closed to crawling.
    `unread`: why octets are missing. The status is 0 if it is unknown.
    """

    task: Task
    at: datetime
    status: int
    headers: Headers
    octets: bytes
    policy: RobotsPolicy
    decision: Decision
    address: str | None
    exemption: Exemption | None = None
    unread: str = ""


class Outcomes:
    """Carries out, for one session, what follows from each answer and failure."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._options = session.options
        self._hops: dict[str, int] = {}
        self._policies: dict[str, RobotsPolicy] = {}
        self._unreachable: dict[str, tuple[int, str]] = {}
        self.ask_again: set[str] = set()
        """Sites whose robots.txt is to be retrieved anew, even if it is still fresh."""

    def read(self, answer: TaskAnswer) -> tuple[bytes, str]:
        """The octets without content coding; or empty octets, and why they cannot be read as a whole."""
        try:
            return self._read(answer)
        except Exception as error:  # noqa: BLE001  its headers count all the same
            self._session.faults.append(f"{answer.task.url}: {type(error).__name__}: {error}")
            return b"", FAULT

    def answered(self, answer: TaskAnswer, body: tuple[bytes, str] | None = None) -> None:
        """Takes a response, perhaps with its body as it was read.

        Raises StoreError or OSError if the store has to be written and cannot.
        """
        session, task = self._session, answer.task
        self._unreachable.pop(task.site, None)
        octets, unread = body or self.read(answer)
        fetched = Fetched(
            task.url, answer.at, answer.status, answer.headers, octets, answer.policy, answer.decision, answer.address,
            task, opened=answer.exemption, unread=unread,
        )  # fmt: skip
        passing = answer.status >= 500 or answer.status in _PASSING
        cut = bool(unread and fetched.doubt) and unread != self.too_large
        if (passing or cut) and task.attempts + 1 < self._options.attempts:
            session.keeper.hear(fetched)
            self._meet(task.site, answer.policy)
            why = fetched.doubt or f"status {answer.status}"
            self._try_again(task, why, self._asked_to_wait(answer) if passing else None)
            return
        kept = session.keeper.keep(fetched)
        for asked in parse_response(answer.status, headers=answer.headers, url=task.url).found:
            if asked.outcome == "conditional":
                session.note(f"{task.site} answers on a condition: {visible(asked.text)}")
        self._meet(task.site, answer.policy)
        session.limits.took(len(octets))
        if answer.status in REDIRECTS and kept.follows:
            self._redirect(answer)
        elif answer.status in REDIRECTS and task.url in session.seeds:
            session.note(f"{task.url} redirects, and its site does not permit to follow the redirect")
        elif task.kind == "sitemap" and answer.status == 200:
            self._sitemap(task, octets)
        if kept.links:
            session.want(kept.links, task.depth + 1, task.url)
        if kept.required:
            session.want(kept.required, task.depth, task.url, kind="resource", anywhere=True)
            session.name(kept.named, task.depth, task.url)
        self._hops.pop(task.url, None)
        session.decided(task)
        event(_log, logging.INFO, "fetched", f"{task.url}: status {answer.status}", url=task.url, status=answer.status)

    def refused(self, task: Task, decision: Decision, policy: RobotsPolicy, at: datetime) -> None:
        """Takes a refusal. If the policy is unknown, it is retrieved again a few times first."""
        session = self._session
        kind = decision.reason.kind
        if kind == "unreachable":
            failures = self._failures(task.site, policy)
            reason = _failure(policy)
            event(_log, logging.WARNING, "unreachable", f"{policy.url}: {reason}", url=policy.url, failure=reason)
            if failures < self._options.attempts:
                delay = self._backoff(failures - 1)
                self.ask_again.add(task.site)
                session.frontier.hold(task.site, delay)
                session.postponed(
                    task, at + timedelta(seconds=delay), "robots.txt could not be retrieved", attempt=False
                )
                return
            session.note(f"{policy.url} could not be retrieved: {reason}; crawl again once the site answers")
        else:
            self._meet(task.site, policy)
        cited = decision.reason.decided_by
        rule = "" if not cited else f"{cited[0].text} ({cited[0].source}:{cited[0].line})"
        session.blame(kind, rule[:_RULE_LETTERS])
        event(
            _log, logging.INFO, "refused", f"{task.url}: {rule or kind}", url=task.url, reason=kind, rule=rule or None
        )
        session.keeper.refuse(task.url, decision, policy, at, task)
        session.refused(task)
        session.decided(task)

    def not_now(self, task: Task, until: datetime | None, cause: str) -> None:
        """Takes a site's wish not to be visited at this time."""
        if until is None:
            self._session.dropped(task, f"the site is to be visited at no time ({cause})")
        else:
            if cause == "delay":  # as does whatever else is to be fetched there
                self._session.frontier.hold(task.site, (until - self._session.clock.now()).total_seconds())
            self._session.postponed(task, until, f"not now: {cause}", attempt=False)

    def failed(self, task: Task, why: str, *, for_good: bool = False) -> None:
        """Takes a failure: no whole response came."""
        if for_good or task.attempts + 1 >= self._options.attempts:
            self._session.dropped(task, why, "failed")
            event(_log, logging.WARNING, "failed", f"{task.url}: {why}", url=task.url, failure=why)
        else:
            self._try_again(task, why, None)

    def _try_again(self, task: Task, why: str, asked: timedelta | None) -> None:
        delay = timedelta(seconds=self._backoff(task.attempts))
        if asked is not None:
            delay = min(max(asked, timedelta(0)), LONGEST_RETRY)
        self._session.postponed(task, self._session.clock.now() + delay, why)

    def _backoff(self, attempts: int) -> float:
        return self._options.retry_delay * _GROWTH**attempts

    def _asked_to_wait(self, answer: TaskAnswer) -> timedelta | None:
        """What Retry-After says: seconds or a date (RFC 9110 10.2.3)."""
        value = next((header.strip() for name, header in answer.headers if name.lower() == "retry-after"), "")
        if value.isascii() and value.isdigit():
            return timedelta(seconds=min(int(value[:10]), 2**31))
        try:
            date = parsedate_to_datetime(value)
        except (ValueError, TypeError, OverflowError):
            return None
        return (date if date.tzinfo else date.replace(tzinfo=UTC)) - answer.at

    @property
    def too_large(self) -> str:
        """Why a body that is larger than the operator takes is not read."""
        return f"larger than {self._options.page_octets} octets"

    def _read(self, answer: TaskAnswer) -> tuple[bytes, str]:
        if answer.unread:
            return b"", answer.unread
        codings = values(answer.headers, "content-encoding")
        try:
            check_whole(answer.status, answer.headers, len(answer.octets), is_unchunked=True)
            if not codings:
                return answer.octets, ""
            body = Body(codings, self._options.page_octets)
            return (body.finish()[0], "") if body.feed(answer.octets) else (b"", self.too_large)
        except (CodingError, CutBodyError) as error:
            return b"", str(error)

    def _redirect(self, answer: TaskAnswer) -> None:
        session, task = self._session, answer.task
        location = next((value for name, value in answer.headers if name.lower() == "location"), None)
        hops = self._hops.get(task.url, 0) + 1
        if location is None or hops > MOST_HOPS:
            return
        try:
            target = resolve(task.url, location)
        except ValueError:
            return
        anywhere = task.kind == "resource"
        if task.url in session.seeds and not session.scope.move_seed(task.url, target):
            session.note(f"{task.url} redirects to {target}, which is another host; give that URL or --span")
        if session.want([target], task.depth, task.url, kind=task.kind, anywhere=anywhere):
            self._hops[target] = hops

    def _sitemap(self, task: Task, octets: bytes) -> None:
        is_index, urls = entries(octets)
        if is_index and task.depth > 0:
            return  # an index names no index
        host = host_of(task.url)
        own = [url for location in urls if (url := plain(location)) is not None and host_of(url) == host]
        self._session.want(own, 1, task.url, kind="sitemap" if is_index else "page")

    def _meet(self, site: str, policy: RobotsPolicy) -> None:
        """Sitemaps that a policy names are fetched, once a policy, of hosts that belong to the crawl."""
        if self._policies.get(site) is policy:
            return
        self._policies[site] = policy
        session = self._session
        for comment in policy.politeness(session.store.operator.crawler).comments[:_COMMENTS]:
            session.note(f"{policy.url} says: {visible(comment)[:_COMMENT_LETTERS]}")
        if (
            not self._options.sitemaps
            or not session.scope.has_depth(1)
            or host_of(f"{site}/") not in session.scope.hosts
        ):
            return
        named = [url for sitemap in policy.sitemaps if (url := _at_site(policy, sitemap)) is not None]
        session.want(named[:PER_SITE], 0, policy.url, kind="sitemap")

    def _failures(self, site: str, policy: RobotsPolicy) -> int:
        """How often in a row a robots.txt could not be retrieved; several URLs may meet the same failure."""
        failures, last = self._unreachable.get(site, (0, ""))
        at = str(policy.evidence.get("fetched_at", ""))
        if not failures or at > last:
            failures += 1
            self._unreachable[site] = failures, at
        return failures


def _failure(policy: RobotsPolicy) -> str:
    """Why a robots.txt could not be retrieved, without the names and numbers that libraries give the error."""
    failure = policy.evidence.get("failure") or {}
    text = str(failure.get("text") or f"status {policy.evidence.get('status')}")
    return visible(re.sub(r"^\w+Error: |.+: \d+: ", "", text)).rstrip(".")


def _at_site(policy: RobotsPolicy, reference: str) -> str | None:
    try:
        url = resolve(policy.url or "", reference)
    except ValueError:
        return None
    return url if site_of_canonical(url) else None

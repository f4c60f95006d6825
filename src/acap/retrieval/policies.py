"""From retrievals to a policy: what both retrievers do, and how they are set up.

The referenced documents of a policy are retrieved with it. Whatever goes wrong, the policy that results prohibits what
it should have spoken of, and carries the evidence.
"""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Awaitable, Callable, Generator
from datetime import timedelta
from typing import Generic, Literal, TypeVar

import httpx2

from acap.clock import Clock, SystemClock
from acap.crawlers import Crawler, as_crawler
from acap.keywords import for_heirs
from acap.retrieval.addresses import is_private
from acap.retrieval.agent import checked
from acap.retrieval.agent import user_agent as agent_of
from acap.retrieval.answers import Answer, Meaning, Rules
from acap.retrieval.cache import CacheEntry, CacheError, MemoryCache, ResponseCache
from acap.retrieval.exchange import ACCEPT, Request
from acap.retrieval.guard import Resolver, system_resolver
from acap.retrieval.locations import canonical, resolve, robots_url, site, site_of
from acap.retrieval.plan import Plan, Timeouts, WantedUrl
from acap.retrieval.retrieved import Retrieved, was_refused_outright
from acap.retrieval.shelf import Shelf
from acap.retrieval.store import SqliteCache
from acap.robots import Asker, Limits, RobotsPolicy, parse_robots

BODY_OCTETS = 9 * 2**20  # decoded; more than the 8 MiB that the reader reads, so that it sees that there was more
_BEYOND = 2**20  # octets read beyond the reader's limit, whatever that is
T = TypeVar("T", bound=httpx2.BaseTransport | httpx2.AsyncBaseTransport)
MAX_REFERENCES = 4  # documents that one crawler is referred to; real files have one


class BaseRetriever(Generic[T]):
    """The part of both retrievers that waits for nothing."""

    @for_heirs
    def __init__(
        self,
        *,
        crawler: Asker | None = None,
        contact: str | None = None,
        user_agent: str | None = None,
        cache: ResponseCache | str | os.PathLike[str] | None = None,
        timeout: float | Timeouts | None = None,
        dialect: str = "auto",
        limits: Limits | None = None,
        forbidden: Literal["unavailable", "restricted"] | None = None,
        too_many: Literal["unreachable", "unavailable"] = "unreachable",
        stale: timedelta = timedelta(days=30),
        allow_private: bool = False,
        clock: Clock | None = None,
        resolver: Resolver = system_resolver,
        tls: ssl.SSLContext | None = None,
        transport: T | None = None,
        client: object | None = None,
        may: Callable[[str], bool | Awaitable[bool]] | None = None,
        octets: int | None = None,
        accept: str = ACCEPT,
    ) -> None:
        """How to retrieve.

        - `crawler`: the name we scan for. It is sent in the User-Agent (K2 3.2.1), and the documents that the policy
          refers it to (`ACAP-permissions-reference`) are retrieved with the policy; without it they are not, and the
          policy prohibits whatever depends on them.
        - `contact`: a URL or an address, put into the User-Agent. `user_agent`: the whole field instead.
        - `cache`: where answers are kept. None: in memory. A path: in that file. `SqliteCache()`: in the user's own
          cache directory. The caller closes what it passed in.
        - `timeout`: seconds for a whole retrieval, or each bound of its own; None for the usual `Timeouts()`.
        - `dialect`, `limits`: as for `parse_robots`.
        - `forbidden`: what 401 and 403 mean, None for what the dialect says; `too_many`: what 429 means.
        - `stale`: how long a copy may serve while the site cannot be reached, at most 30 days.
        - `allow_private`: let redirects and references lead into private networks.
        - `resolver`, `tls`: how names are resolved and servers trusted; the system's own ways if not given. Nothing is
          taken from the environment: no proxy, no certificates.
        - `transport`: what the requests go out by instead of sockets of our own; then it alone judges addresses, and
          `allow_private`, `resolver` and `tls` have no effect. It may decode bodies itself if it drops the field
          Content-Encoding with the coding.
        - `client`: a client of the caller's that the requests go out by, with its proxies, certificates and pool: an
          httpx2.Client, an httpx.Client or a requests.Session; of an `AsyncRetriever` their AsyncClient or an
          aiohttp.ClientSession. It adds its own headers, cookies and credentials for the site that the caller names,
          and for no other; the caller closes it. Which addresses a name leads to is its affair then, so that redirects
          may lead into private networks by names; `resolver` and `tls` have no effect. Octets and time are bounded.
        - `may`: asked about the URL of every request before it is sent, redirects included; if it says no, nothing is
          sent, and the retrieval fails with `FailureKind.REFUSED`. An `AsyncRetriever` also takes one to be awaited.
        - `octets`: how much of a body is read, decoded; by default what the reader of a policy needs. A policy that is
          cut at less counts as unreachable.
        - `accept`: the value of the field Accept.

        Raises ValueError for an impossible value, TypeError for another `client`, CacheError for a cache file that
        cannot be used.
        """
        if not (crawler is None or isinstance(crawler, (str, Crawler))):
            crawler = tuple(crawler)  # it may be an iterator, and is gone through more than once
        if crawler is not None:
            as_crawler(crawler)  # a name that cannot be asked by is not sent either
        parse_robots(b"", dialect=dialect, limits=limits)  # raises for an unknown dialect now, not at the first policy
        self._needs = max(BODY_OCTETS, getattr(limits, "file_octets", 0) + _BEYOND)
        self._plan = Plan(
            agent=checked(user_agent) if user_agent is not None else agent_of(crawler, contact),
            rules=Rules.of(dialect, forbidden=forbidden, too_many=too_many, stale=stale),
            clock=clock or SystemClock(),
            timeouts=Timeouts.within(timeout) if isinstance(timeout, (int, float)) else timeout or Timeouts(),
            # The reader must be the one that cuts: a line that was cut here would look like a whole one to it.
            octets=octets or self._needs,
            accept=accept,
            allow_private=allow_private,
        )
        self._crawler = crawler
        self._dialect = dialect
        self._limits = limits
        self._shelf = Shelf()
        self._closed = False
        self._spare = MemoryCache()
        self._owned: SqliteCache | None = None
        if isinstance(cache, (str, os.PathLike)):
            cache = self._owned = SqliteCache(cache)
        self._cache: ResponseCache = MemoryCache() if cache is None else cache
        self._may = may
        if transport is not None and client is not None:
            raise ValueError("requests go out by a transport or by a client; give one of them")
        own = self._connect(allow_private, resolver, tls)
        if client is not None:
            own = self._by_client(client, allow_private)
        self._transport: T = own if transport is None else transport

    @property
    def user_agent(self) -> str:
        """The User-Agent that is sent."""
        return self._plan.agent

    @property
    def clock(self) -> Clock:
        """The clock by which answers are fresh."""
        return self._plan.clock

    @property
    def crawler(self) -> Asker | None:
        """The name that is scanned for."""
        return self._crawler

    @property
    def patience(self) -> float:
        """Seconds for a whole retrieval."""
        return self._plan.timeouts.total

    def _permits(self, wanted: WantedUrl, request: Request) -> bool | Awaitable[bool]:
        """Whether a request may be sent."""
        if wanted.may is not None and not wanted.may(request.url):
            return False
        return True if self._may is None else self._may(request.url)

    def _connect(self, allow_private: bool, resolver: Resolver, tls: ssl.SSLContext | None) -> T:
        """Makes what retrieval needs, and returns what the requests go out by."""
        raise NotImplementedError

    def _by_client(self, client: object, allow_private: bool) -> T:
        """What the requests go out by where a client of the caller's sends them."""
        raise NotImplementedError

    def _policy(
        self, url: str, *, refresh: bool, found: bool, exact: bool
    ) -> Generator[WantedUrl, Retrieved, RobotsPolicy]:
        """Asks for what the policy of the URL's site needs, or the one at the URL itself, and returns it."""
        self._check_open()
        at = canonical(url) if exact else robots_url(url)
        if not refresh and (ready := self._shelf.find(at, self._plan.clock.now())) is not None:
            return ready
        first = yield WantedUrl(canonical(at), refresh, typed=not found, kind="robots.txt")
        policy = self.read(at, first)
        followed = yield from self._references(policy, first, refresh=refresh, own=None if found else site_of(at))
        evidence = first.evidence
        until, octets = first.expires_at, len(first.octets)
        if followed:
            evidence["references"] = {uri: second.evidence if second else None for uri, second in followed.items()}
        for uri, second in followed.items():
            speaks = second is not None and second.meaning is Meaning.READ and not self._is_short(second)
            policy = policy.with_reference(uri, second.octets if second and speaks else None)
            if second is not None:
                until, octets = min(until, second.expires_at), octets + len(second.octets)
        policy = policy.with_evidence(evidence)
        if not was_refused_outright(first.answer):  # that depends on who named the host
            self._shelf.put(at, policy, since=first.answer.checked_at, until=until, octets=octets)
        return policy

    def read(self, at: str, first: Retrieved) -> RobotsPolicy:
        """The policy that an answer to the question for a robots.txt at `at` is."""
        if first.meaning is Meaning.READ and not self._is_short(first):
            return parse_robots(first.octets, url=at, dialect=self._dialect, limits=self._limits)
        if first.meaning is Meaning.ABSENT:
            if first.answer.is_other_document:  # no instructions, and its problems are reported
                return parse_robots(first.octets, url=at, dialect=self._dialect, limits=self._limits)
            return RobotsPolicy.absent(at, dialect=self._dialect)
        return RobotsPolicy.unreachable(at, dialect=self._dialect)

    def _is_short(self, retrieved: Retrieved) -> bool:
        """Whether less was received than the reader reads, so that what it does not see might prohibit."""
        cut_at = retrieved.answer.cut_at
        if cut_at is None:
            return False
        # Without the line that was cut as much may be left as the reader takes for the whole file.
        most = (self._limits or Limits()).file_octets
        return cut_at < self._needs or len(retrieved.octets) <= most

    def _references(
        self, policy: RobotsPolicy, first: Retrieved, *, refresh: bool, own: str | None
    ) -> Generator[WantedUrl, Retrieved, dict[str, Retrieved | None]]:
        """The result of each reference of the policy; None for one that was not retrieved at all, which prohibits.

        One level (P1 4.7): what a referenced document refers to is not followed. A reference that leads back to the
        policy is a loop.
        """
        followed: dict[str, Retrieved | None] = {}
        if self._crawler is None or first.meaning is not Meaning.READ:
            return followed
        answer = first.answer
        ours = {answer.url, answer.source, *(hop.url for hop in answer.chain)}
        trusted = site(answer.url) if is_private(answer.first_address) else None
        deadline = time.monotonic() + self._plan.timeouts.total  # for all of them together
        for uri in policy.missing_references(self._crawler):
            followed[uri] = None
            try:
                target = resolve(answer.source, uri)  # RFC 3986 5.1.3: the last URI that was used
            except ValueError:
                continue
            if target in ours or len(followed) > MAX_REFERENCES:
                continue
            second = yield WantedUrl(
                target, refresh, typed=False, trusted=trusted, deadline=deadline, kind="reference", own=own
            )
            if ours.isdisjoint((second.answer.source, *(hop.url for hop in second.chain))):
                followed[uri] = second
        return followed

    def _one(self, url: str, *, refresh: bool, found: bool) -> WantedUrl:
        """The retrieval of that very URL."""
        self._check_open()
        return WantedUrl(canonical(url), refresh, typed=not found)

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("the retriever is closed")

    def _load(self, url: str) -> tuple[CacheEntry, str | None]:
        """What is known of the URL, and why the cache could not say, if it could not."""
        try:
            return self._cache.load(url, self._plan.agent), None
        except CacheError as error:
            return self._spare.load(url, self._plan.agent), str(error)

    def _store(self, answer: Answer) -> str | None:
        """Keeps the answer, in memory if the cache cannot, or each URL would ask again; why it could not, if so."""
        try:
            self._cache.store(answer)
        except CacheError as error:
            self._spare.store(answer)
            return str(error)
        return None

    def _close(self) -> None:
        self._closed = True
        if self._owned is not None:
            self._owned.close()

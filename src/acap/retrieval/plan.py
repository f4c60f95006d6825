"""The steps of one retrieval, written once for threads and for tasks.

`Plan.steps` is a generator: it yields what it needs (`Load`, `Ask`, `StoreAnswer`) and is sent the result. Whoever
drives it knows how to do these things and nothing of why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

import anyio
import httpx2

from acap.clock import Clock
from acap.retrieval.answers import Answer, Failure, FailureKind, Rules, meaning, values
from acap.retrieval.body import Body, CodingError, CutBodyError, check_whole, offered
from acap.retrieval.cache import CacheEntry
from acap.retrieval.exchange import Exchange, Reply, Request
from acap.retrieval.foreign import REFERRED, Kind, kind_at
from acap.retrieval.freshness import expires_at
from acap.retrieval.guard import AddressRefusedError, Passage
from acap.retrieval.locations import site_of
from acap.retrieval.retrieved import Retrieved, beside, choose, kept, public, usable
from acap.retrieval.transport import ADDRESS, BY_CLIENT, PASSAGE

_PROXY_REFUSES = 407  # RFC 9110 15.5.8; without a proxy the site itself says so
_TEXT = 300  # characters of another library's error message that are kept

# Whatever a peer can make the layers below raise. Anything else is a fault of ours and must be seen.
TROUBLE = (
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
    CodingError,
    CutBodyError,
    OSError,
    ValueError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
)


@dataclass(frozen=True)
class Timeouts:
    """In seconds: to connect to one address, to wait for more octets, and for a retrieval with all its redirects."""

    connect: float = 5.0
    read: float = 10.0
    total: float = 30.0

    @classmethod
    def within(cls, seconds: float) -> Timeouts:
        """The usual bounds, each cut to `seconds`, the bound for the whole."""
        return cls(min(cls.connect, seconds), min(cls.read, seconds), seconds)

    def __post_init__(self) -> None:
        """Raises ValueError for a time that is not positive."""
        if not (self.connect > 0 and self.read > 0 and self.total > 0):
            raise ValueError("a timeout is a positive number of seconds")


@dataclass(frozen=True, slots=True)
class WantedUrl:
    """One URL to retrieve, in canonical form; `typed`, `trusted` and `own` as in `Exchange`, for a typed one its own.

    `refresh`: ask the site even if what is known of it is fresh. `deadline` is in seconds of `time.monotonic`, None for
    the usual time from now. `kind`: the document that is wanted, wherever the URL leads; None for any. `octets` and
    `accept` are in place of the plan's own. `may` is asked about the URL of each request before it is sent. `keep`: the
    cache may answer, and keeps the answer. `bodies_of` are the statuses beside 2xx of which the body is wanted.
    """

    url: str
    refresh: bool
    typed: bool
    trusted: str | None = None
    deadline: float | None = None
    kind: Kind | None = None
    octets: int | None = None
    accept: str | None = None
    may: Callable[[str], bool] | None = None
    keep: bool = True
    bodies_of: tuple[int, ...] = ()
    own: str | None = None

    @property
    def is_for_policy(self) -> bool:
        """Whether a policy is wanted, or what one refers a crawler to: nobody may be asked about that first."""
        return self.kind in ("robots.txt", "reference") or kind_at(self.url) == "robots.txt"

    def ended(self, answer: Answer) -> bool:
        """Whether bounds of this question alone ended its answer: nothing for others who ask for the same URL."""
        if answer.failure is not None:
            kind = answer.failure.kind
            return kind is FailureKind.REFUSED or (kind is FailureKind.TIMEOUT and self.deadline is not None)
        is_of_robots = kind_at(self.url) == "robots.txt" and self.kind != "robots.txt"
        return answer.cut_at is not None and is_of_robots  # of which more is read


@dataclass(frozen=True, slots=True)
class Load:
    """Needs the `CacheEntry` of the URL."""

    url: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Needs the exchange brought to its end, before the deadline."""

    exchange: Exchange
    deadline: float


@dataclass(frozen=True, slots=True)
class StoreAnswer:
    """Needs the answer kept."""

    answer: Answer


Steps = Generator[Load | Ask | StoreAnswer, Any, Retrieved]


@dataclass(frozen=True, slots=True)
class Plan:
    """How one retriever retrieves: as whom, by which rules, within which bounds.

    `octets` bounds a decoded body; `accept` is the value of that field. `allow_private`: it may lead into private
    networks. `bodies_of` as in `WantedUrl`.
    """

    agent: str
    rules: Rules
    clock: Clock
    timeouts: Timeouts
    octets: int
    accept: str
    allow_private: bool = False
    bodies_of: tuple[int, ...] = ()

    def of(self, wanted: WantedUrl) -> Plan:
        """The plan for one URL, within the bounds of its own."""
        if wanted.octets is None and wanted.accept is None and not wanted.bodies_of:
            return self
        octets, accept = wanted.octets or self.octets, wanted.accept or self.accept
        return replace(self, octets=octets, accept=accept, bodies_of=wanted.bodies_of)

    def steps(self, wanted: WantedUrl, *, overtaken: bool) -> Steps:
        """One retrieval. `overtaken`: another thread retrieved the URL while this one waited."""
        loaded: CacheEntry = (yield Load(wanted.url)) if wanted.keep else CacheEntry()
        as_robots = wanted.kind == "robots.txt"
        entry = usable(loaded.read_as(as_robots=as_robots), typed=wanted.typed, octets=self.octets)
        if wanted.kind in REFERRED and not self.allow_private:
            entry = public(entry, wanted.trusted)
        if not wanted.refresh or overtaken:
            known = choose(entry, self.rules, self.clock.now(), wanted.kind)
            if known is not None:
                return known
        copy = entry.settled
        exchange = Exchange(
            wanted.url,
            at=self.clock.now(),
            agent=self.agent,
            accept=self.accept,
            accept_encoding=offered(),
            known=copy,
            typed=wanted.typed,
            trusted=wanted.trusted,
            own=site_of(wanted.url) if wanted.typed else wanted.own,
            bodies_of=self.bodies_of,
        )
        # Sockets wait in real time, whatever the clock of the policy says.
        yield Ask(exchange, wanted.deadline if wanted.deadline is not None else time.monotonic() + self.timeouts.total)
        answer = replace(exchange.answer, as_robots=as_robots)
        if wanted.kind is not None:
            answer = beside(answer, entry.settled, wanted.kind)
        if wanted.keep and not wanted.ended(answer):
            yield StoreAnswer(kept(answer, loaded))
        # What has just been said still stands at the instant at which it was asked for, whatever is kept beside it.
        speaks = choose(entry.after(answer), self.rules, answer.checked_at, wanted.kind)
        return speaks or Retrieved(answer, meaning(answer, self.rules), expires_at(answer, self.rules))

    def outgoing(self, request: Request, deadline: float) -> httpx2.Request:
        """The request as httpx2 sends it."""
        timeouts = self.timeouts
        waits = {"connect": timeouts.connect, "read": timeouts.read, "write": timeouts.read, "pool": timeouts.connect}
        return httpx2.Request(
            "GET",
            request.url,
            headers=[(name.encode("ascii"), value.encode("latin-1")) for name, value in request.headers],
            extensions={"timeout": waits, PASSAGE: Passage(request.private, deadline, request.own)},
        )

    def body(self, reply: Reply) -> Body | None:
        """What takes the body, or None if it is not wanted. Raises CodingError for a coding that was not offered."""
        if not (Exchange.wants_body(reply.status) or reply.status in self.bodies_of):
            return None
        return Body(values(reply.headers, "content-encoding"), self.octets)

    def whole(self, reply: Reply, body: Body | None) -> Reply:
        """The reply with its body. Raises CutBodyError if that ended too early."""
        if body is None:
            return reply
        octets, cut = body.finish()
        if not cut:  # otherwise no more was wanted
            check_whole(reply.status, reply.headers, body.received, is_unchunked=True)
        return replace(reply, octets=octets, cut_at=self.octets if cut else None)


def reply_of(response: httpx2.Response) -> Reply:
    """What the response says before its body. Raises httpx2.ProxyError where the client's proxy says it."""
    if response.status_code == _PROXY_REFUSES and response.extensions.get(BY_CLIENT):
        raise httpx2.ProxyError("the client's proxy wants credentials (407), and the site said nothing")
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw)
    return Reply(response.status_code, headers, address=response.extensions.get(ADDRESS))


def refused(request: Request) -> Failure:
    """The failure of a request that the caller does not want sent."""
    return Failure(FailureKind.REFUSED, f"{request.url} may not be crawled")


def failure_of(error: Exception, reply: Reply | None) -> Failure:
    """The trouble as a failure; `reply` is what had come by then."""
    text = (str(error) or type(error).__name__)[:_TEXT]
    match error:
        case AddressRefusedError():
            kind = FailureKind.ADDRESS_REFUSED
        case httpx2.TimeoutException() | TimeoutError():
            kind, text = FailureKind.TIMEOUT, str(error)[:_TEXT] or "the answer took too long"
        case CodingError():
            kind = FailureKind.CODING
        case CutBodyError():
            kind = FailureKind.CUT_BODY
        case _ if reply is not None:
            kind = FailureKind.CUT_BODY
        case httpx2.NetworkError() | OSError():
            kind = FailureKind.CONNECT
        case _:
            kind = FailureKind.PROTOCOL
    return Failure(kind, text)

"""What every client that asks first has in common: the question, the refusal, the pace. Nothing waits or sends here.

The laws of this module:

1. Every HTTP request is decided before it is sent, whatever its method. What carries policy itself is permitted by any
   policy.
2. A refusal raises, so that nobody takes it for an answer; so does doubt. The error is of the client's own library too.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import datetime, timedelta
from inspect import signature
from typing import Any, Generic, Literal, TypedDict, TypeVar, Unpack, cast

import httpx2

from acap.carriers import carriers, why_no_page
from acap.clock import Clock, SystemClock
from acap.crawlers import Crawler, as_crawler
from acap.decision import Decision
from acap.dialects.response import parse_response
from acap.explain import failure_text, headline, summary
from acap.integrations.pace import Later, Pace
from acap.keywords import check_keywords
from acap.pages.page import PagePolicy
from acap.retrieval.answers import Headers, values
from acap.retrieval.body import content_codings
from acap.retrieval.cache import ResponseCache
from acap.retrieval.client import AsyncRetriever, Retriever
from acap.retrieval.errand import is_errand
from acap.retrieval.guard import Resolver
from acap.retrieval.locations import canonical, host_elsewhere, robots_url
from acap.retrieval.passing import Passing
from acap.retrieval.plan import Timeouts
from acap.retrieval.retrieved import failure_in
from acap.robots import Asker, Limits, RobotsPolicy

__all__ = ["DECISION", "AskingOptions", "NotNowError", "RefusedError", "decision_of"]

DECISION = "acap_decision"
"""Where a response carries the decision on its request: an extension with httpx, elsewhere an attribute."""

PATIENCE = 300.0  # seconds; a file must not be able to stop a crawl for a day
# A WebSocket begins as a request to the same host and port (RFC 6455 3).
_SCHEMES = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
T = TypeVar("T")
R = TypeVar("R", bound=Retriever | AsyncRetriever)


class RefusedError(Exception):
    """The policy does not permit the request, and it was not sent.

    The text is one line that names what decided; `decision` is the decision, `request` the request. Where the policy
    could not be retrieved, `failure` says why: `url`, `kind` (a word of `FailureKind`, or `status`), `text`, `status`;
    otherwise it is None. What is raised is an error of the client's library too: `httpx2.RequestError`,
    `requests.RequestException`, `aiohttp.ClientError`.
    """

    decision: Decision
    request: Any
    failure: Mapping[str, Any] | None = None


class NotNowError(Exception):
    """The request is permitted, but not at this time, and it was not sent.

    `when` is the instant from which the site may be visited, in UTC, or None if it names none; `decision`, `request`
    and what else it is as of `RefusedError`.
    """

    decision: Decision
    request: Any
    when: datetime | None


class AskingOptions(TypedDict, total=False):
    """How a client asks: options of every transport, adapter and middleware that asks first.

    - `purpose`: one purpose, or several, all of which must permit.
    - `found`: URLs are not the user's own: policies are not retrieved from private hosts.
    - `polite`: keep Crawl-delay and Request-rate by waiting, and Visit-time by raising `NotNowError`.
    - `patience`: longest wait in seconds, 300 if not given; what would have to wait longer raises `NotNowError`.
    - `clock`: tells the time.

    The rest are options of `acap.Retriever`, for a new one; beside a retriever that is passed in they are a ValueError.
    """

    purpose: str | Iterable[str] | None
    found: bool
    polite: bool
    patience: float
    clock: Clock | None
    contact: str | None
    user_agent: str | None
    cache: ResponseCache | str | os.PathLike[str] | None
    timeout: float | Timeouts | None
    dialect: str
    limits: Limits | None
    forbidden: Literal["unavailable", "restricted"] | None
    too_many: Literal["unreachable", "unavailable"]
    stale: timedelta
    allow_private: bool
    resolver: Resolver
    tls: ssl.SSLContext | None
    transport: httpx2.BaseTransport | httpx2.AsyncBaseTransport | None
    client: object | None
    may: Callable[[str], bool | Awaitable[bool]] | None
    octets: int | None
    accept: str


class ClientAsking(Generic[R]):
    """The questions of one client: whom it asks as, what for, and at which pace."""

    def __init__(
        self,
        retrieves: type[R],
        caller: type[object],
        crawler: Asker,
        *,
        retriever: R | None,
        **options: Unpack[AskingOptions],
    ) -> None:
        """Asks policies of `retriever`; None for a new one of the type `retrieves`. `caller` is what was called.

        Raises ValueError for a retriever beside options of one, and TypeError for an option that does not exist.
        """
        check_options(caller.__name__, options, caller)
        self._crawler = crawler if isinstance(crawler, (str, Crawler)) else tuple(crawler)
        purpose = options.pop("purpose", None)
        self._purpose = purpose if purpose is None or isinstance(purpose, str) else tuple(purpose)
        self._clock = options.pop("clock", None) or SystemClock()
        patience = options.pop("patience", PATIENCE)
        self._pace = Pace(self._clock, patience) if options.pop("polite", False) else None
        self.found = options.pop("found", False)
        as_crawler(self._crawler)  # a name that would be cut is refused, whoever brings the retriever
        if retriever is not None and options:
            raise ValueError("a retriever that is passed in has its options already")
        self.own: R | None = None
        if retriever is None:
            retriever = self.own = retrieves(
                crawler=self._crawler, clock=self._clock, **cast("dict[str, Any]", options)
            )
        self.retriever = retriever

    def url_of(self, written: str, hosts: Iterable[str | bytes]) -> str | None:
        """The URL to ask about; None for what is not asked about.

        That is a scheme of which no robots.txt speaks, and what a retriever sends for a policy by this client.
        Raises ValueError for what is not a URL, or a `Host` header that names another authority.
        """
        before, mark, rest = written.partition("://")
        scheme = _SCHEMES.get(before.lower())
        if scheme is None:
            return None
        url = canonical(scheme + mark + rest)
        if (host := host_elsewhere(url, hosts)) is not None:
            raise ValueError(f"the request to {url} names the host `{host}`, and not its own; give the URL of that")
        return None if is_errand(url) else url

    def decided(self, url: str, policy: RobotsPolicy) -> Decision:
        """The decision, if it permits the request. Raises RefusedError."""
        decision = policy.decide(url, crawler=self._crawler, usage="crawl", purpose=self._purpose, at=self._clock.now())
        if decision.permitted:
            return decision
        failure = _failure_of(decision, policy)
        why = "" if failure is None else f" ({failure['url']}: {failure_text(failure['text'])})"
        refusal = RefusedError(f"{headline(decision)}: {summary(decision)}{why}")
        refusal.decision, refusal.failure = decision, failure
        raise refusal

    def wait(self, decision: Decision, policy: RobotsPolicy) -> float:
        """The seconds to wait before the request is sent. Raises NotNowError."""
        if self._pace is None:
            return 0.0
        welcome = decision.kind == "policy-resource"
        taken = self._pace.take(robots_url(decision.url), policy.politeness(self._crawler), always=welcome)
        if not isinstance(taken, Later):
            return taken
        when = "at any time" if taken.when is None else f"before {taken.when:%Y-%m-%d %H:%M:%S} UTC"
        late = NotNowError(f"{policy.url} asks not to be visited {when}; {decision.url} was not requested")
        late.decision, late.when = decision, taken.when
        raise late


def check_options(called: str, options: Iterable[str], caller: type[object]) -> None:
    """Raises TypeError for an option that `caller` does not take, and names the one that was meant."""
    own = {name for name, taken in signature(caller).parameters.items() if taken.kind is taken.KEYWORD_ONLY}
    check_keywords(called, options, own | AskingOptions.__annotations__.keys())


def _failure_of(decision: Decision, policy: RobotsPolicy) -> dict[str, Any] | None:
    """Why the policy, or the document that it refers to, could not be retrieved; None if something else decided."""
    if decision.kind not in ("unreachable", "reference-missing"):
        return None
    retrievals = [policy.evidence, *(one for one in (policy.evidence.get("references") or {}).values() if one)]
    for retrieval in retrievals if decision.kind == "unreachable" else retrievals[1:]:
        if (failure := failure_in(retrieval)) is not None:
            return {"url": retrieval["url"], **failure}
    return None


def both(mine: type[T], theirs: type[Any]) -> type[T]:
    """A type of ours as one of a library too, so that its users, and itself, know it by its name."""
    if issubclass(mine, theirs):
        return mine
    return type(mine.__name__, (mine, theirs), {"__doc__": mine.__doc__, "__module__": mine.__module__})


def as_theirs(error: RefusedError | NotNowError, theirs: type[Exception], request: Any) -> Exception:
    """The error as one of a library too, with the request that it is about."""
    raised = both(type(error), theirs)(str(error))
    raised.__dict__.update(error.__dict__)
    raised.request = request
    return raised


def decision_of(response: Any) -> Decision | None:
    """The decision on the request that a response answers; None if none was asked for.

    For a response of any client that asks first.
    """
    extensions = getattr(response, "extensions", None)
    found = extensions.get(DECISION) if isinstance(extensions, Mapping) else getattr(response, DECISION, None)
    return found if isinstance(found, Decision) else None


def page_policy_of(
    octets: bytes, url: str, status: int, method: str, headers: Headers, passing: Passing | None
) -> PagePolicy:
    """What a response says: `octets` is its body without coding, and `passing` what was seen of that on its way.

    Raises:
        ValueError: there is no page, or only a part of one, and nothing of fetching it.
    """
    url = canonical(url)
    if why_no_page(status) or method == "HEAD":
        if parse_response(status, headers=headers).found:
            return carriers(octets, url=url, headers=headers, status=status).policy
        raise ValueError(f"{url} answered {method} with {status}: there is no whole page")
    if passing is not None:
        why = passing.fault() or ("" if passing.decoded in (None, len(octets)) else "only a part of it was decoded")
        return carriers(octets, url=url, headers=headers, length=len(octets), unread=why).policy
    coded = content_codings(values(headers, "content-encoding"))
    why = f"whether the {coded[0]} body was complete is unknown" if coded else ""
    return carriers(octets, url=url, headers=headers, unread=why).policy

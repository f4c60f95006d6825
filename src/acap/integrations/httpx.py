"""Transports of httpx that ask first: no request is sent that the policy of its site does not permit.

    client = httpx2.Client(transport=AskingTransport("examplebot"))

The laws of this module:

1. A client sends the targets of redirects through its transport too, so that each request is decided (`asking`).
2. Nothing is used of requests, responses and inner transports but what `httpx2` and the older `httpx` have in common,
   and errors and streams are of the request's own library too.
3. Bodies are watched as they come: clients decode one that breaks off within its coding as if nothing were missing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, TypeVar, Unpack

import anyio
import httpx2

from acap.decision import Decision
from acap.integrations.asking import (
    DECISION,
    AskingOptions,
    ClientAsking,
    NotNowError,
    RefusedError,
    as_theirs,
    both,
    page_policy_of,
)
from acap.pages.page import PagePolicy
from acap.retrieval.answers import Headers
from acap.retrieval.client import AsyncRetriever, Retriever
from acap.retrieval.locations import canonical, site_of
from acap.retrieval.passing import Passing
from acap.robots import Asker, RobotsPolicy

__all__ = ["DECISION", "AskingTransport", "AsyncAskingTransport", "NotNowError", "RefusedError", "page_policy"]

_BODY = "acap_body"  # the extension of a response that holds what was seen of its body
T = TypeVar("T")
R = TypeVar("R", bound=Retriever | AsyncRetriever)


class _Asking(Generic[R]):
    """The part of both transports that waits for nothing."""

    _sender: Callable[[], Any]
    _retrieves: type[R]
    _base: type
    _sleeps: Callable[[float], Any]

    def __init__(
        self,
        crawler: Asker,
        *,
        inner: Any = None,
        retriever: R | None = None,
        policies_by_inner: bool = False,
        sleep: Callable[[float], Any] | None = None,
        **options: Unpack[AskingOptions],
    ) -> None:
        """Asks for the crawler, and passes on to `inner` what is permitted.

        Args:
            crawler: the name the site is to know; the client should send it in its User-Agent.
            inner: the transport that sends, by default an HTTPTransport of httpx2; it is closed with this one. A client
                of another library needs one of that library.
            retriever: where policies come from; whoever passes one closes it. None: a new one with `options`.
            policies_by_inner: what the new retriever asks for goes out by `inner` too, at once.
            sleep: waits for a number of seconds.
            **options: `AskingOptions`, such as `purpose` and `polite`, `contact` and `cache`.

        Raises:
            ValueError: options beside a retriever; policies by an inner transport that is not of httpx2.
        """
        self._sleep = sleep or self._sleeps
        if retriever is not None and policies_by_inner:
            raise ValueError("a retriever that is passed in has its options already")
        if policies_by_inner and not (inner is None or isinstance(inner, self._base)):
            raise ValueError("policies are retrieved by transports of httpx2 alone; leave `policies_by_inner` out")
        self._inner = self._sender() if inner is None else inner
        if policies_by_inner:
            options["transport"] = self._inner
        self._asking = ClientAsking(self._retrieves, type(self), crawler, retriever=retriever, **options)
        self._retriever, self._own = self._asking.retriever, self._asking.own

    @property
    def user_agent(self) -> str:
        """The User-Agent under which policies are retrieved, for the client to send as well."""
        return self._retriever.user_agent

    def _checked_url(self, request: Any) -> str | None:
        """The URL to ask about; None for a scheme of which no robots.txt speaks."""
        try:
            # A caller may send another host or target than that of the URL.
            hosts = [value for name, value in request.headers.raw if name.lower() == b"host"]
            url = self._asking.url_of(str(request.url), hosts)
            target = request.extensions.get("target")
            return url if url is None or target is None else canonical(_targeted(url, target))
        except ValueError as error:
            raise _kind(httpx2.UnsupportedProtocol, request)(str(error), request=request) from error

    def _decided(self, request: Any, url: str, policy: RobotsPolicy) -> tuple[Decision, float]:
        """The decision, if it permits the request, and the seconds to wait before that is sent."""
        try:
            decision = self._asking.decided(url, policy)
            return decision, self._asking.wait(decision, policy)
        except (RefusedError, NotNowError) as error:
            theirs = _theirs(request, "RequestError") or httpx2.RequestError
            raise as_theirs(error, theirs, request) from None


class AskingTransport(_Asking[Retriever], httpx2.BaseTransport):
    """A transport for `httpx2.Client` that sends only what the policies of sites permit."""

    _sender = httpx2.HTTPTransport
    _retrieves = Retriever
    _base = httpx2.BaseTransport
    _sleeps = staticmethod(time.sleep)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises RefusedError or NotNowError instead of sending, and whatever `inner` raises."""
        url = self._checked_url(request)
        decision = None
        if url is not None:
            policy = self._retriever.robots(url, found=self._asking.found)
            decision, wait = self._decided(request, url, policy)
            if wait:
                self._sleep(wait)
        response: httpx2.Response = self._inner.handle_request(request)
        response.extensions = {**response.extensions, DECISION: decision}
        _watch(response, request, _SyncWatched)
        return response

    def close(self) -> None:
        """Closes `inner`, and the retriever if it was made here."""
        if self._own is not None:
            self._own.close()
        self._inner.close()


class AsyncAskingTransport(_Asking[AsyncRetriever], httpx2.AsyncBaseTransport):
    """`AskingTransport` for `httpx2.AsyncClient`; its retriever is an `acap.AsyncRetriever`, its `sleep` is awaited."""

    _sender = httpx2.AsyncHTTPTransport
    _retrieves = AsyncRetriever
    _base = httpx2.AsyncBaseTransport
    _sleeps = staticmethod(anyio.sleep)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """As `AskingTransport.handle_request`."""
        url = self._checked_url(request)
        decision = None
        if url is not None:
            policy = await self._retriever.robots(url, found=self._asking.found)
            decision, wait = self._decided(request, url, policy)
            if wait:
                await self._sleep(wait)
        response: httpx2.Response = await self._inner.handle_async_request(request)
        response.extensions = {**response.extensions, DECISION: decision}
        _watch(response, request, _AsyncWatched)
        return response

    async def aclose(self) -> None:
        """As `AskingTransport.close`."""
        if self._own is not None:
            await self._own.aclose()
        await self._inner.aclose()


def page_policy(response: Any) -> PagePolicy:
    """What a response says: META tags and elements of a page, metadata of a file, every line of its headers.

    It is what `acap.carriers` finds, as one page: what was not read is a doubt. An answer that has no page may say what
    fetching one takes: a payment, a licence. The body must have been read.

    Raises:
        ValueError: the response has no page, or only a part of one, and says nothing of fetching it.
        ImportError: there is HTML, and the extra `pages` is not installed.
    """
    seen = response.extensions.get(_BODY)
    return page_policy_of(
        response.content,
        str(response.url),
        response.status_code,
        response.request.method,
        _headers(response),
        seen if isinstance(seen, Passing) else None,
    )


class _SyncWatched(httpx2.SyncByteStream):
    """A stream, with what passes through it shown to a `Passing`."""

    def __init__(self, stream: Any, passing: Passing) -> None:
        self._stream = stream
        self._passing = passing

    def __iter__(self) -> Iterator[bytes]:
        for octets in self._stream:
            self._passing.feed(octets)
            yield octets

    def close(self) -> None:
        """Closes the stream."""
        self._stream.close()


class _AsyncWatched(httpx2.AsyncByteStream):
    """The same where streams are awaited."""

    def __init__(self, stream: Any, passing: Passing) -> None:
        self._stream = stream
        self._passing = passing

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for octets in self._stream:
            self._passing.feed(octets)
            yield octets

    async def aclose(self) -> None:
        """Closes the stream."""
        await self._stream.aclose()


def _watch(response: Any, request: Any, watched: type[_SyncWatched | _AsyncWatched]) -> None:
    """Has the body of a response watched; of one that was read before only what can be had once more."""
    passing = Passing(response.status_code, _headers(response))
    if not response.is_stream_consumed:
        name = watched.__bases__[0].__name__
        response.stream = _kind(watched, request, name)(response.stream, passing)
    elif isinstance(response.stream, _theirs(request, "ByteStream") or httpx2.ByteStream):
        passing.feed(b"".join(response.stream))
    else:
        return
    response.extensions[_BODY] = passing


def _headers(response: Any) -> Headers:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw)


def _targeted(url: str, target: bytes | str) -> str:
    """The URL of the site with another target. Raises ValueError for one that is no path, as `*` of OPTIONS."""
    path = target.decode("latin-1") if isinstance(target, bytes) else target
    if not path.startswith("/"):
        raise ValueError(f"the request to {url} has the target `{path}`, which is no path that a policy speaks of")
    return site_of(url) + path.replace("#", "%23")


def _theirs(request: Any, name: str) -> Any:
    """What the request's own library has by a name; None if it has nothing."""
    return getattr(sys.modules.get(type(request).__module__.partition(".")[0]), name, None)


def _kind(mine: type[T], request: Any, name: str = "RequestError") -> type[T]:
    """A type of ours as one of the request's own library too, so that its users, and itself, know it by its name."""
    theirs = _theirs(request, name)
    return both(mine, theirs) if isinstance(theirs, type) else mine

"""Transports that send by a client of the caller: of httpx2, the older httpx, requests or aiohttp.

The laws of this module:

1. A client sends one request at a time: it follows no redirect here, so that each hop is seen and judged.
2. Octets are taken as they came, still coded. A body that the client has decoded is not read: nobody saw its end.
3. Which addresses a name leads to is the client's affair, and so are proxies and certificates. An address that stands
   in the URL itself is judged here all the same.
4. Headers, cookies and credentials that the client adds go to the site that the caller named. To any other, wherever a
   redirect or a reference leads, goes what we send ourselves and nothing else, and cookies from there are not kept.
5. The time for the whole holds, whatever a client does with its own (`in_time`).
6. What hooks of the client make of a response does not change what the site said: 404 stays 404 where they raise.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from http.cookies import SimpleCookie
from typing import Any

import httpx2

from acap.retrieval.addresses import is_address
from acap.retrieval.body import CodingError, content_codings
from acap.retrieval.guard import AddressChoice, Passage, system_resolver
from acap.retrieval.in_time import InTime
from acap.retrieval.transport import ADDRESS, BY_CLIENT, PASSAGE

_ANYWHERE = "2606:4700::1111"  # of the public internet
_STEP = 4_096  # octets of a body at a time: for so many a client that is left behind may still wait
_ADDS = "the client has no way by which it adds nothing, and is not used elsewhere"
_DECODES = "the client decodes bodies, and so their end is unknown: give it `auto_decompress=False`"


def of_client(client: Any, *, allow_private: bool) -> httpx2.BaseTransport:
    """A transport by a client that waits: `httpx2.Client`, `httpx.Client` or `requests.Session`.

    Raises TypeError for anything else.
    """
    match _library(client):
        case "httpx2" | "httpx" if hasattr(client, "send") and not hasattr(client, "aclose"):
            return InTime(_ByHttpx(client, allow_private))
        case "requests" if hasattr(client, "prepare_request"):
            return InTime(_ByRequests(client, allow_private))
    raise TypeError("`client` is an httpx2.Client, an httpx.Client or a requests.Session")


def of_async_client(client: Any, *, allow_private: bool) -> httpx2.AsyncBaseTransport:
    """A transport by a client that is awaited: `httpx2.AsyncClient`, `httpx.AsyncClient` or `aiohttp.ClientSession`.

    Raises TypeError for anything else.
    """
    match _library(client):
        case "httpx2" | "httpx" if hasattr(client, "aclose"):
            return _ByAsyncHttpx(client, allow_private)
        case "aiohttp" if hasattr(client, "auto_decompress"):
            return _ByAiohttp(client, allow_private)
    raise TypeError("`client` is an httpx2.AsyncClient, an httpx.AsyncClient or an aiohttp.ClientSession")


def _library(client: Any) -> str | None:
    """The library that a client is of, be it by a class that it inherits from."""
    roots = (kind.__module__.partition(".")[0] for kind in type(client).__mro__)
    return next((root for root in roots if root in ("aiohttp", "httpx", "httpx2", "requests")), None)


class _ByClient:
    """What these transports share: the judgement of addresses that stand in URLs, and the time that is left."""

    def __init__(self, client: Any, allow_private: bool) -> None:
        self._client = client
        self._allow_private = allow_private
        # Of the client's own library, which is there since the client is.
        self._library: Any = sys.modules[_library(client) or ""]

    def _admitted(self, request: httpx2.Request) -> Passage:
        passage: Passage = request.extensions.get(PASSAGE, Passage())
        host, port = request.url.host, request.url.port or (443 if request.url.scheme == "https" else 80)
        choice = AddressChoice(Passage(passage.private or self._allow_private), system_resolver)
        # A name may lead anywhere: its port and its form are judged, and its address is not known here.
        choice.admitted(host, port, [host if is_address(host) else _ANYWHERE])
        return passage

    def _timeout(self, request: httpx2.Request, passage: Passage) -> dict[str, float]:
        """What each step may take: no more than is left for the whole."""
        left = float("inf") if passage.deadline is None else passage.deadline - time.monotonic()
        if left <= 0:
            raise httpx2.ReadTimeout("the time for the whole retrieval is over")
        timeout: dict[str, float] = request.extensions["timeout"]
        return {step: min(seconds, left) for step, seconds in timeout.items()}


class _OfHttpx(_ByClient):
    """What both kinds of client of httpx share."""

    @property
    def _ours(self) -> _Ours:
        library = self._library
        return _Ours(library.TimeoutException, (library.HTTPError, library.InvalidURL, library.StreamError))

    def _bare(self, request: httpx2.Request, passage: Passage) -> Any:
        """The request with nothing of the client's."""
        timeout = {"timeout": self._timeout(request, passage)}
        return self._library.Request("GET", str(request.url), headers=_pairs(request), extensions=timeout)

    def _full(self, request: httpx2.Request, passage: Passage) -> Any:
        """The request with what the client adds by itself."""
        timeout = {"timeout": self._timeout(request, passage)}
        sent = self._client.build_request("GET", str(request.url), headers=_pairs(request), extensions=timeout)
        sent.url = type(sent.url)(str(request.url))  # parameters of the client would ask for another document
        return sent

    def _way(self, bare: Any) -> Any:
        """The transport that the client has for the request, proxies included: past all that adds to requests."""
        if self._client.is_closed:
            raise RuntimeError("the client is closed")
        find = getattr(self._client, "_transport_for_url", None)
        if find is None:
            raise httpx2.UnsupportedProtocol(_ADDS)
        return find(bare.url)

    def _answered(self, error: Exception, sent: Any) -> Any:
        """The response that a hook raised this for, as `raise_for_status` does. Raises the error if it is another."""
        response: Any = getattr(error, "response", None)
        if isinstance(response, self._library.Response) and _answers(response, sent) and not _is_success(response):
            return response
        raise error


class _ByHttpx(_OfHttpx, httpx2.BaseTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        passage, ours = self._admitted(request), self._ours
        with ours:
            response = self._by_client(request, passage) if passage.own else self._past_client(request, passage)
        return _response(
            request, response.status_code, response.headers.raw, _Body(response.iter_raw(), response.close, ours)
        )

    def _by_client(self, request: httpx2.Request, passage: Passage) -> Any:
        sent = self._full(request, passage)
        try:
            return self._client.send(sent, stream=True, follow_redirects=False)
        except Exception as error:  # noqa: BLE001  raised again if it is no answer
            return self._answered(error, sent)

    def _past_client(self, request: httpx2.Request, passage: Passage) -> Any:
        for hook in self._client.event_hooks["request"]:
            hook(self._bare(request, passage))  # it may forbid the request; what it adds is left out
        bare = self._bare(request, passage)
        response = self._way(bare).handle_request(bare)
        response.request = bare
        return response


class _ByAsyncHttpx(_OfHttpx, httpx2.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        passage, ours = self._admitted(request), self._ours
        with ours:
            sends = self._by_client if passage.own else self._past_client
            response = await sends(request, passage)
        body = _AsyncBody(response.aiter_raw(), response.aclose, ours)
        return _response(request, response.status_code, response.headers.raw, body)

    async def _by_client(self, request: httpx2.Request, passage: Passage) -> Any:
        sent = self._full(request, passage)
        try:
            return await self._client.send(sent, stream=True, follow_redirects=False)
        except Exception as error:  # noqa: BLE001  raised again if it is no answer
            return self._answered(error, sent)

    async def _past_client(self, request: httpx2.Request, passage: Passage) -> Any:
        for hook in self._client.event_hooks["request"]:
            await hook(self._bare(request, passage))
        bare = self._bare(request, passage)
        response = await self._way(bare).handle_async_request(bare)
        response.request = bare
        return response


class _ByRequests(_ByClient, httpx2.BaseTransport):
    """Sends by the session's adapters and not by `send`: that reads the body of every redirect, whatever its size."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        passage, library = self._admitted(request), self._library
        ours = _Ours(library.Timeout, (library.RequestException, sys.modules["urllib3"].exceptions.HTTPError))
        with ours:
            response = self._sent(request, passage)
            raw = response.raw
            if getattr(response, "_content_consumed", False) or raw.tell():  # by a hook
                response.close()
                raise httpx2.StreamConsumed
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in raw.headers.items()]
        body = _Body(raw.stream(_STEP, decode_content=False), response.close, ours)
        return _response(request, response.status_code, headers, body)

    def _sent(self, request: httpx2.Request, passage: Passage) -> Any:
        session, library = self._client, self._library
        wanted = library.Request("GET", str(request.url), headers=dict(_pairs(request)))
        sent = session.prepare_request(wanted) if passage.own else wanted.prepare()
        sent.url = str(request.url)  # parameters of the session would ask for another document
        settings = session.merge_environment_settings(sent.url, {}, True, None, None)
        timeout = self._timeout(request, passage)
        settings |= {"stream": True, "timeout": (timeout["connect"], timeout["read"])}
        if not passage.own:
            settings["cert"] = None  # it says who the caller is
        response = session.get_adapter(sent.url).send(sent, **settings)
        return self._hooked(sent, response, settings) if passage.own else response

    def _hooked(self, sent: Any, response: Any, settings: dict[str, Any]) -> Any:
        """What hooks make of a response, those of `auth` among them."""
        try:
            hooked = self._library.hooks.dispatch_hook("response", sent.hooks, response, **settings)
        except Exception as error:
            if getattr(error, "response", None) is response and not _is_success(response):
                return response
            response.close()
            raise
        if not _answers(hooked, sent):
            hooked.close()
            raise httpx2.RemoteProtocolError(
                f"a hook of the session put the answer of {hooked.url} in place of this one"
            )
        return hooked


class _ByAiohttp(_ByClient, httpx2.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        passage, session, library = self._admitted(request), self._client, self._library
        timeout = self._timeout(request, passage)
        ours = _Ours(library.ServerTimeoutError, (library.ClientError,))
        headers = dict(_pairs(request))
        if session.auto_decompress:
            headers["accept-encoding"] = "identity"
        only = {} if passage.own else {"middlewares": (*self._middlewares, _only(headers))}
        with ours:
            response = await session.get(
                sys.modules["yarl"].URL(str(request.url), encoded=True),
                headers=headers,
                allow_redirects=False,
                raise_for_status=False,
                timeout=library.ClientTimeout(sock_connect=timeout["connect"], sock_read=timeout["read"]),
                **only,
            )
        coded = [value.decode("latin-1") for name, value in response.raw_headers if name.lower() == b"content-encoding"]
        if session.auto_decompress and content_codings(coded):
            response.close()
            raise CodingError(f"the body was coded as `{coded[0]}` unasked; {_DECODES}")

        async def close() -> None:
            response.close()

        return _response(
            request, response.status, response.raw_headers, _AsyncBody(_whole(response.content), close, ours)
        )

    @property
    def _middlewares(self) -> tuple[Any, ...]:
        """Those of the session, which may forbid a request: one is not sent past them."""
        middlewares: tuple[Any, ...] | None = getattr(self._client, "_middlewares", None)
        if middlewares is None:
            raise httpx2.UnsupportedProtocol(_ADDS)
        return middlewares


def _only(headers: dict[str, str]) -> Callable[[Any, Callable[[Any], Awaitable[Any]]], Awaitable[Any]]:
    """A middleware of aiohttp, the innermost, that sends these headers alone, and keeps no cookies."""

    async def send(request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        request.headers.clear()
        request.headers.update(headers)
        response = await handler(request)
        response.cookies = SimpleCookie()
        return response

    return send


async def _whole(content: Any) -> AsyncIterator[bytes]:
    """The octets of a body of aiohttp, all of them: what a middleware has read before is missing."""
    count = 0
    async for octets in content.iter_chunked(_STEP):
        count += len(octets)
        yield octets
    if count != content.total_bytes:
        raise httpx2.StreamConsumed


class _Ours(AbstractContextManager[None]):
    """What a library raises, as what httpx2 raises; errors of httpx2 and of the system stay as they are."""

    def __init__(self, timeout: type[Exception], errors: tuple[type[Exception], ...]) -> None:
        self._timeout = timeout
        self._errors = errors

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, self._timeout):
            raise httpx2.ReadTimeout(str(error)) from error
        if isinstance(error, self._errors) and not isinstance(error, httpx2.HTTPError):
            raise httpx2.NetworkError(str(error) or type(error).__name__) from error


class _Body(httpx2.SyncByteStream):
    def __init__(self, octets: Iterable[bytes], close: Callable[[], None], ours: AbstractContextManager[None]) -> None:
        self._octets = octets
        self._close = close
        self._ours = ours

    def __iter__(self) -> Iterator[bytes]:
        with self._ours:
            yield from self._octets

    def close(self) -> None:
        self._close()


class _AsyncBody(httpx2.AsyncByteStream):
    def __init__(
        self, octets: AsyncIterable[bytes], close: Callable[[], Awaitable[None]], ours: AbstractContextManager[None]
    ) -> None:
        self._octets = octets
        self._close = close
        self._ours = ours

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with self._ours:
            async for octets in self._octets:
                yield octets

    async def aclose(self) -> None:
        await self._close()


def _answers(response: Any, sent: Any) -> bool:
    """Whether a response of httpx or requests is one to the request, and not to another that a hook sent."""
    request = getattr(response, "_request", None) or getattr(response, "__dict__", {}).get("request")
    return request is not None and str(request.url) == str(sent.url)


def _is_success(response: Any) -> bool:
    return 200 <= int(response.status_code) < 300


def _pairs(request: httpx2.Request) -> list[tuple[str, str]]:
    """The headers of a request. The host is among them: a client may have another by itself."""
    return list(request.headers.multi_items())


def _response(
    request: httpx2.Request, status: int, headers: Sequence[tuple[bytes, bytes]], body: Any
) -> httpx2.Response:
    host = request.url.host
    address = {ADDRESS: host} if is_address(host) else {}  # where a name led is unknown
    return httpx2.Response(status, headers=list(headers), stream=body, extensions={BY_CLIENT: True, **address})

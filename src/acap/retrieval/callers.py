"""Transports that send by a client of the caller: of httpx2, the older httpx, requests or aiohttp.

The laws of this module:

1. A client sends one request at a time: it follows no redirect here, so that each hop is seen and judged.
2. Octets are taken as they came, still coded. A body that the client has decoded is not read: nobody saw its end.
3. Which addresses a name leads to is the client's affair, and so are proxies, certificates, cookies and headers that it
   adds. An address that stands in the URL itself is judged here all the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import httpx2

from acap.retrieval.addresses import is_address
from acap.retrieval.body import CodingError, content_codings
from acap.retrieval.guard import AddressChoice, Passage, system_resolver
from acap.retrieval.transport import ADDRESS, PASSAGE

_ANYWHERE = "2606:4700::1111"  # of the public internet
_STEP = 16_384  # octets of a body at a time
_DECODES = "the client decodes bodies, and so their end is unknown: give it `auto_decompress=False`"


def of_client(client: Any, *, allow_private: bool) -> httpx2.BaseTransport:
    """A transport by a client that waits: `httpx2.Client`, `httpx.Client` or `requests.Session`.

    Raises TypeError for anything else.
    """
    match _library(client):
        case "httpx2" | "httpx" if hasattr(client, "send") and not hasattr(client, "aclose"):
            return _ByHttpx(client, allow_private)
        case "requests" if hasattr(client, "prepare_request"):
            return _ByRequests(client, allow_private)
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

    def _timeout(self, request: httpx2.Request) -> dict[str, float]:
        timeout: dict[str, float] = request.extensions["timeout"]
        return timeout


class _ByHttpx(_ByClient, httpx2.BaseTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        passage, library = self._admitted(request), self._library
        ours = _Ours(library.TimeoutException, (library.HTTPError, library.InvalidURL, library.StreamError))
        with ours:
            response = self._client.send(_httpx_request(self._client, request), stream=True, follow_redirects=False)
        body = _Body(response.iter_raw(), response.close, passage, ours)
        return _response(request, response.status_code, response.headers.raw, body)


class _ByAsyncHttpx(_ByClient, httpx2.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._admitted(request)
        library = self._library
        ours = _Ours(library.TimeoutException, (library.HTTPError, library.InvalidURL, library.StreamError))
        with ours:
            sent = _httpx_request(self._client, request)
            response = await self._client.send(sent, stream=True, follow_redirects=False)
        return _response(
            request, response.status_code, response.headers.raw, _AsyncBody(response.aiter_raw(), response.aclose, ours)
        )


class _ByRequests(_ByClient, httpx2.BaseTransport):
    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        passage, session, library = self._admitted(request), self._client, self._library
        urllib3 = sys.modules["urllib3"]
        ours = _Ours(library.Timeout, (library.RequestException, urllib3.exceptions.HTTPError))
        timeout = self._timeout(request)
        with ours:
            sent = session.prepare_request(library.Request("GET", str(request.url), headers=dict(_pairs(request))))
            sent.url = str(request.url)  # parameters of the session would ask for another document
            settings = session.merge_environment_settings(sent.url, {}, True, None, None)
            response = session.send(
                sent, allow_redirects=False, timeout=(timeout["connect"], timeout["read"]), **settings
            )
        raw = response.raw
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in raw.headers.items()]
        body = _Body(raw.stream(_STEP, decode_content=False), response.close, passage, ours)
        return _response(request, response.status_code, headers, body)


class _ByAiohttp(_ByClient, httpx2.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._admitted(request)
        session, library = self._client, self._library
        timeout = self._timeout(request)
        ours = _Ours(library.ServerTimeoutError, (library.ClientError,))
        headers = dict(_pairs(request))
        if session.auto_decompress:
            headers["accept-encoding"] = "identity"
        with ours:
            response = await session.get(
                sys.modules["yarl"].URL(str(request.url), encoded=True),
                headers=headers,
                allow_redirects=False,
                timeout=library.ClientTimeout(sock_connect=timeout["connect"], sock_read=timeout["read"]),
            )
        said = [value.decode("latin-1") for name, value in response.raw_headers if name.lower() == b"content-encoding"]
        if session.auto_decompress and content_codings(said):
            response.close()
            raise CodingError(f"the body was coded as `{said[0]}` unasked; {_DECODES}")

        async def close() -> None:
            response.close()

        body = _AsyncBody(response.content.iter_chunked(_STEP), close, ours)
        return _response(request, response.status, response.raw_headers, body)


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
    def __init__(
        self, octets: Iterable[bytes], close: Callable[[], None], passage: Passage, ours: AbstractContextManager[None]
    ) -> None:
        self._octets = octets
        self._close = close
        self._passage = passage
        self._ours = ours

    def __iter__(self) -> Iterator[bytes]:
        with self._ours:
            for octets in self._octets:
                if self._passage.deadline is not None and time.monotonic() > self._passage.deadline:
                    raise httpx2.ReadTimeout("the time for the whole retrieval is over")
                yield octets

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


def _httpx_request(client: Any, request: httpx2.Request) -> Any:
    timeout = {"timeout": request.extensions["timeout"]}
    sent = client.build_request("GET", str(request.url), headers=_pairs(request), extensions=timeout)
    sent.url = type(sent.url)(str(request.url))  # parameters of the client would ask for another document
    return sent


def _pairs(request: httpx2.Request) -> list[tuple[str, str]]:
    """The headers of a request, but for the host, which a client writes itself."""
    return [(name, value) for name, value in request.headers.multi_items() if name.lower() != "host"]


def _response(
    request: httpx2.Request, status: int, headers: Sequence[tuple[bytes, bytes]], body: Any
) -> httpx2.Response:
    host = request.url.host
    address = {ADDRESS: host} if is_address(host) else {}  # where a name led is unknown
    return httpx2.Response(status, headers=list(headers), stream=body, extensions=address)

"""The guard as transports of httpx2: a client made with one of them reaches only what it may.

A request's extension `acap_passage` holds its `Passage`; without one nothing private is reached. A response's extension
`acap_address` is the IP address that was connected to, `acap_by_client` tells that a client of the caller's sent.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import anyio
import httpcore2
import httpx2

from acap.retrieval.guard import AddressChoice, AsyncGuardedBackend, GuardedBackend, Passage, Resolver, system_resolver

PASSAGE = "acap_passage"
ADDRESS = "acap_address"
BY_CLIENT = "acap_by_client"

_TROUBLE = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    httpcore2.UnsupportedProtocol,
)
_CLOSE = (b"Connection", b"close")


class _Guarded:
    """What both transports share: how connections are made, not with whom."""

    def __init__(
        self, *, allow_private: bool = False, resolver: Resolver = system_resolver, tls: ssl.SSLContext | None = None
    ) -> None:
        """`allow_private` opens every address to every request; `tls` is for https, None for the system's own trust."""
        self._allow_private = allow_private
        self._resolver = resolver
        self._tls = tls

    def _context(self, request: httpx2.Request) -> ssl.SSLContext | None:
        """What https needs, made when it is needed: the system's trust takes a while to load."""
        if self._tls is None and request.url.scheme == "https":
            # The environment may name neither proxies nor certificates.
            self._tls = httpx2.create_ssl_context(trust_env=False)
        return self._tls

    def _gate(self, request: httpx2.Request) -> AddressChoice:
        passage: Passage = request.extensions.get(PASSAGE, Passage())
        return AddressChoice(Passage(passage.private or self._allow_private, passage.deadline), self._resolver)


class GuardedTransport(_Guarded, httpx2.BaseTransport):
    """A transport for `httpx2.Client`; one connection a request."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises AddressRefusedError where the guard refuses, and httpx2's errors for everything else."""
        gate = self._gate(request)
        pool = httpcore2.ConnectionPool(
            ssl_context=self._context(request),
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=GuardedBackend(gate),
        )
        try:
            with _as_httpx2():
                response = pool.handle_request(_outgoing(request))
        except BaseException:
            pool.close()
            raise
        return _incoming(response, _BodyStream(response, pool), gate)


class AsyncGuardedTransport(_Guarded, httpx2.AsyncBaseTransport):
    """A transport for `httpx2.AsyncClient`; one connection a request. A deadline is the caller's cancel scope."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises AddressRefusedError where the guard refuses, and httpx2's errors for everything else."""
        gate = self._gate(request)
        pool = httpcore2.AsyncConnectionPool(
            ssl_context=self._context(request),
            max_connections=1,
            max_keepalive_connections=0,
            network_backend=AsyncGuardedBackend(gate),
        )
        try:
            with _as_httpx2():
                response = await pool.handle_async_request(_outgoing(request))
        except BaseException:
            with anyio.CancelScope(shield=True):
                await pool.aclose()
            raise
        return _incoming(response, _AsyncStream(response, pool), gate)


class _BodyStream(httpx2.SyncByteStream):
    def __init__(self, response: httpcore2.Response, pool: httpcore2.ConnectionPool) -> None:
        self._response = response
        self._pool = pool

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx2():
            yield from self._response.iter_stream()

    def close(self) -> None:
        with _as_httpx2():
            self._response.close()
            self._pool.close()


class _AsyncStream(httpx2.AsyncByteStream):
    def __init__(self, response: httpcore2.Response, pool: httpcore2.AsyncConnectionPool) -> None:
        self._response = response
        self._pool = pool

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx2():
            async for part in self._response.aiter_stream():
                yield part

    async def aclose(self) -> None:
        with _as_httpx2(), anyio.CancelScope(shield=True):
            await self._response.aclose()
            await self._pool.aclose()


def _outgoing(request: httpx2.Request) -> httpcore2.Request:
    return httpcore2.Request(
        request.method,
        httpcore2.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        ),
        headers=[*request.headers.raw, _CLOSE],
        content=request.stream,
        extensions=request.extensions,
    )


def _incoming(
    response: httpcore2.Response, stream: httpx2.SyncByteStream | httpx2.AsyncByteStream, gate: AddressChoice
) -> httpx2.Response:
    return httpx2.Response(
        response.status,
        headers=response.headers,
        stream=stream,
        extensions={**response.extensions, ADDRESS: gate.taken},
    )


@contextmanager
def _as_httpx2() -> Iterator[None]:
    """The errors of the layer below as those of httpx2, which bear the same names."""
    try:
        yield
    except _TROUBLE as error:
        named = (getattr(httpx2, kind.__name__, None) for kind in type(error).__mro__)
        same = next(filter(None, named), httpx2.NetworkError)
        raise same(str(error) or type(error).__name__) from error

"""The decision service as an application, and its server.

Its paths: `/v1/decisions` answers questions; `/openapi.json` describes them; `/metrics` counts; `/healthz` says that
the process lives, `/readyz` that it takes requests. Where there are tokens, all but the last two want one.
"""

from __future__ import annotations

import hashlib
import hmac
import ssl
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from acap.clock import Clock, SystemClock
from acap.retrieval import AsyncGuardedTransport, AsyncRetriever, CacheError, MemoryCache, ResponseCache, user_agent
from acap.web.connections import server_of
from acap.web.decisions import bounds, metrics
from acap.web.decisions.openapi import document
from acap.web.decisions.service import JSON, Service, refusal
from acap.web.decisions.sites import Names, Sites
from acap.web.guard import OTHER_HOST, Guard
from acap.web.loopback import LOOPBACK

OPEN = frozenset({"/healthz", "/readyz"})
"""Paths that want no token: what starts and watches the server has none."""

_KEPT = timedelta(days=31)  # answers that can stand in for a site, and a day
_PRUNE_SECONDS = 3_600


def decisions_app(
    *,
    cache: ResponseCache | None = None,
    tokens: Iterable[str] = (),
    hosts: frozenset[str] = LOOPBACK,
    allow_private: bool = False,
    clock: Clock | None = None,
    timeout: float = bounds.FETCH_SECONDS,
    service_of: Callable[[Sites, Clock], Service] = Service,
    **options: Any,
) -> Starlette:
    """The decision service at the root of a server; its `Service` is `app.state.service`.

    Args:
        cache: where answers of sites are kept; None is in memory.
        tokens: of which a request has to bear one; without any every request is answered.
        hosts: the host names that are answered to.
        allow_private: whether sites may be in private networks.
        clock: by which policies are fresh.
        timeout: seconds for the retrieval of a policy.
        service_of: makes the service.
        options: of `AsyncRetriever`, such as `user_agent`.
    """
    clock = clock or SystemClock()
    kept = MemoryCache(octets=bounds.SHELF_OCTETS) if cache is None else cache
    # Whoever is asked about, a site is asked by the service: its answer is one for all crawlers.
    options.setdefault("user_agent", user_agent())
    tls: ssl.SSLContext | None = options.pop("tls", None)
    resolver = {"resolver": options.pop("resolver")} if "resolver" in options else {}
    transport = AsyncGuardedTransport(allow_private=allow_private, tls=tls, **resolver)

    def retriever_of(crawler: Names | None) -> AsyncRetriever:
        return AsyncRetriever(
            crawler=crawler, cache=kept, clock=clock, timeout=timeout, allow_private=allow_private,
            transport=transport, **options,
        )  # fmt: skip

    service = service_of(Sites(retriever_of, clock), clock)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_prune, kept, clock)
            yield
            service.end()
            tasks.cancel_scope.cancel()
        service.close()

    app = Starlette(
        routes=[
            Route("/v1/decisions", service, methods=["POST"]),
            Route("/openapi.json", _openapi),
            Route("/metrics", _metrics),
            Route("/healthz", _healthz),
            Route("/readyz", _readyz),
        ],
        middleware=[Middleware(Guard, hosts=hosts, refusal=_no_host()), Middleware(Bearer, tokens=tokens)],
        exception_handlers={404: _no_path, 405: _no_method},
        lifespan=lifespan,
    )
    app.state.service = service
    return app


class Bearer:
    """Answers only requests that bear a token (RFC 6750 2.1), but for `OPEN` paths.

    Digests are compared, all of them and each in constant time: the time tells nothing of a token or its length.
    """

    def __init__(self, app: ASGIApp, tokens: Iterable[str]) -> None:
        self._app = app
        self._digests = [_digest(token.encode()) for token in tokens]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        is_refused = scope["type"] == "http" and scope["path"] not in OPEN and not self._bears(Headers(scope=scope))
        if not is_refused:
            await self._app(scope, receive, send)
            return
        headers = {"www-authenticate": "Bearer", "content-type": JSON}
        await Response(refusal("a token is wanted: Authorization: Bearer …"), 401, headers)(scope, receive, send)

    def _bears(self, headers: Headers) -> bool:
        if not self._digests:
            return True
        given = headers.getlist("authorization")
        scheme, _, token = (given[0] if len(given) == 1 else "").partition(" ")
        digest = _digest(token.strip().encode("latin-1"))
        known = [hmac.compare_digest(digest, one) for one in self._digests]
        return scheme.lower() == "bearer" and any(known)


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


class DecisionServer(uvicorn.Server):
    """A server that says 503 from when it has to end, and answers what it has taken."""

    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        """Ends the service before the connections, so that nobody waits for a site any more."""
        app = self.config.app
        if isinstance(app, Starlette):
            app.state.service.end()
        await super().shutdown(sockets)


def decision_server(app: Starlette, *, ending_seconds: int) -> DecisionServer:
    """The server of the application; answers under way get `ending_seconds` when it has to end."""
    server = server_of(
        app, ending_seconds=ending_seconds, connections=bounds.CONNECTIONS, idle_seconds=bounds.IDLE_SECONDS
    )
    return DecisionServer(server.config)


async def _prune(cache: ResponseCache, clock: Clock) -> None:
    """Forgets answers that can stand in for nothing any more."""
    while True:
        await anyio.to_thread.run_sync(_pruned, cache, clock)
        await anyio.sleep(_PRUNE_SECONDS)


def _pruned(cache: ResponseCache, clock: Clock) -> None:
    with suppress(CacheError):  # what cannot be pruned now may be in an hour, and nothing depends on it
        cache.prune(clock.now() - _KEPT)


def _service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _openapi(_: Request) -> Response:
    return JSONResponse(document())


async def _metrics(request: Request) -> Response:
    return Response(_service_of(request).text(), media_type=metrics.MEDIA_TYPE)


async def _healthz(_: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _readyz(request: Request) -> Response:
    if _service_of(request).is_ready:
        return PlainTextResponse("ready\n")
    return PlainTextResponse("not ready\n", 503, {"retry-after": str(bounds.RETRY_SECONDS)})


def _no_host() -> Response:
    return Response(refusal(OTHER_HOST), 421, {"content-type": JSON})


async def _no_path(_: Request, __: Exception) -> Response:
    return Response(refusal("there is no such path; /openapi.json lists them"), 404, {"content-type": JSON})


async def _no_method(_: Request, error: Exception) -> Response:
    headers = {**(getattr(error, "headers", None) or {}), "content-type": JSON}
    return Response(refusal("that method is not answered here; /openapi.json lists them"), 405, headers)

"""Connections whose other end is slow: each of them is given so much time, and then it is gone.

A request has to have come as a whole, and a part of an answer has to have been taken, within a time that any working
network keeps; what waits longer holds a connection and memory for nothing.
"""

from __future__ import annotations

import asyncio
import socket
from functools import partial
from typing import Any, cast

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 30.0
"""From the first octet of a request, or the beginning of a connection, to the last octet of the request."""

ANSWER_SECONDS = 30.0
"""Within which the other end has to take what waits of an answer, from when more waits than is sent at once."""

CONNECTIONS = 256
"""Most at once; one more is asked to come again. Each holds one form of a few megabytes at most."""


CUT = "acap.cut"
"""The key in the state of a request of what ends its connection at once, with whatever waits to be sent."""

RETRY_SECONDS = 1
"""After which one that was too many is asked to come again."""


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with an end to waiting."""

    request_seconds = REQUEST_SECONDS
    answer_seconds = ANSWER_SECONDS

    def __init__(self, *args: Any, most: int = CONNECTIONS, **named: Any) -> None:
        """`most` is how many connections there may be at once."""
        super().__init__(*args, **named)
        self._most = most
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # of a TCP server it is always one
        """Begins to wait for a request; one connection too many is told to come again."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, CUT: transport.abort}
        # uvicorn's own limit refuses the requests of connections that were there before, and says not when to come.
        self.app = _too_many if len(self.connections) > self._most else _of_one_length(self.app)
        # asyncio does so only for sockets that name their protocol. Otherwise a piece of an answer waits until the
        # other end has acknowledged the one before, for 40 ms.
        if (connection := transport.get_extra_info("socket")) is not None:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """Goes on waiting as long as the request is not whole."""
        super().data_received(data)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits for nothing any more."""
        self._end("request")
        self._end("answer")
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begins to wait for the other end to take what was sent."""
        super().pause_writing()
        self._begin("answer", self.answer_seconds)

    def resume_writing(self) -> None:
        """The other end has taken enough."""
        self._end("answer")
        super().resume_writing()

    def _await_request(self) -> None:
        """A timer runs while a request is not whole, and no longer."""
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._end("request")
        else:
            self._begin("request", self.request_seconds)

    def _begin(self, name: str, seconds: float) -> None:
        """Ends the connection after `seconds`, unless a timer of this name already runs."""
        if name not in self._timers:
            self._timers[name] = self.loop.call_later(seconds, self.transport.abort)

    def _end(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()


def server_of(
    app: Starlette, *, ending_seconds: int, connections: int = CONNECTIONS, idle_seconds: int = 5
) -> uvicorn.Server:
    """A server whose connections are bounded; answers under way get `ending_seconds` when it has to end.

    `connections` is how many there may be at once, `idle_seconds` how long one waits for its next request.
    """
    return uvicorn.Server(
        uvicorn.Config(
            app, http=cast("type[H11Protocol]", partial(BoundedProtocol, most=connections)),
            timeout_graceful_shutdown=ending_seconds, timeout_keep_alive=idle_seconds, log_config=None,
            access_log=False, server_header=False, ws="none", proxy_headers=False,
        )
    )  # fmt: skip


def _of_one_length(app: ASGIApp) -> ASGIApp:
    """Refuses a request that tells its length in two ways, as one does that hides another (RFC 9112 6.3, 11.2).

    A proxy before this server may have gone by the way that h11 does not. What follows it is not read.
    """

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        names = [name for name, _ in scope.get("headers", ())]
        if b"transfer-encoding" in names and b"content-length" in names:
            body = b'{"error": "the request has a Content-Length and a Transfer-Encoding; send one of them"}\n'
            headers = {"content-type": "application/json", "connection": "close"}
            await Response(body, 400, headers)(scope, receive, send)
            return
        await app(scope, receive, send)

    return checked


async def _too_many(scope: Scope, receive: Receive, send: Send) -> None:
    """Says when to come again, and ends the connection (RFC 9110 15.6.4)."""
    body = b'{"error": "too many connections are open; come again"}\n'
    headers = {"content-type": "application/json", "retry-after": str(RETRY_SECONDS), "connection": "close"}
    await Response(body, 503, headers)(scope, receive, send)

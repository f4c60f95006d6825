"""What every answer is sent with, and which hosts are answered to.

The laws of this module:

1. No page of ours runs a script, loads anything from elsewhere, or stands in a frame of another site.
2. A copy is another's content on our address: it gets no origin, no script, no form and no network.
3. Nothing is kept by a browser or a cache in between, for tomorrow it may not be shown any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names of this machine for itself. A page elsewhere whose name is made to lead here asks for its own name."""

PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-src {frames}; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
COPY_POLICY = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors {ancestors}"
)
_ALWAYS = {
    "cache-control": "no-store",
    "content-security-policy": PAGE_POLICY.format(frames="'none'"),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-dns-prefetch-control": "off",
    "x-frame-options": "DENY",
    "x-robots-tag": "noindex, nofollow",
}


def copy_headers(*, framed: bool) -> dict[str, str]:
    """The headers of a copy that is shown in our frame, or alone.

    In our frame a copy leads nowhere, and a browser that knows how opens no connection for it, not even ahead of a
    request that it then refuses. Alone, its links lead where they say.
    """
    headers = {
        "content-security-policy": COPY_POLICY.format(ancestors="'self'" if framed else "'none'"),
        "x-frame-options": "SAMEORIGIN" if framed else "DENY",
    }
    return {**headers, "connection-allowlist": "()"} if framed else headers


def frame_headers(frames: str) -> dict[str, str]:
    """The headers of a page of ours with a frame: `'self'`, or the schemes of what it shows."""
    return {"content-security-policy": PAGE_POLICY.format(frames=frames)}


def with_headers(send: Send, headers: Mapping[str, str]) -> Send:
    """Sends an answer with the headers that it does not have."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = MutableHeaders(scope=message)
            for name, value in headers.items():
                own.setdefault(name, value)
        await send(message)

    return guarded


class Guard:
    """Answers only to some hosts (None: to any), and adds to each answer the headers that it does not have."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        guarded = with_headers(send, _ALWAYS)
        if self._hosts is not None and _host(Headers(scope=scope).get("host", "")) not in self._hosts:
            refusal = PlainTextResponse("this server does not answer for that host name\n", status_code=421)
            await refusal(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)


def _host(value: str) -> str:
    """The name in a Host header, without its port."""
    name, colon, port = value.strip().lower().rpartition(":")
    return name if colon and port.isdigit() else value.strip().lower()

"""What every answer is sent with, which hosts are answered to, and whose requests count.

The laws of this module:

1. A page of another site, whatever its name is made to lead to, gets nothing and changes nothing here.
2. No page of ours runs a script, loads anything from elsewhere, or stands in a frame of another site.
3. A copy is another's content on our address: it gets no origin, no script, no form and no network.
4. Nothing is kept by a browser or a cache in between, for tomorrow it may not be shown any more.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from acap.web.loopback import LOOPBACK, is_loopback

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
    # No other site gets it; with `no-referrer` a browser would say of a form of our own that it comes from nowhere.
    "referrer-policy": "same-origin",
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


def hosts_of(address: str, allowed: Iterable[str] = ()) -> frozenset[str]:
    """The names that a server answers to: this machine's, those of the address that it listens on, and those allowed.

    Args:
        address: the address that was given, a literal or a name.
        allowed: further names, a proxy's say.
    """
    names = {address, *allowed}
    if not is_loopback(address):
        names.add(socket.gethostname())
    return LOOPBACK | {_bracketed(name.strip().lower().rstrip(".")) for name in names if name.strip()}


def is_ours(headers: Headers) -> bool:
    """Whether a request comes from a page of this server; what says nothing of it does not.

    Browsers send `Sec-Fetch-Site` to this machine and over HTTPS, and `Origin` with whatever is not GET or HEAD.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    try:
        origin = urlsplit(headers.get("origin", ""))
    except ValueError:
        return False
    return origin.scheme in ("http", "https") and origin.netloc.lower() == headers.get("host", "").strip().lower() != ""


def is_of_another_site(headers: Headers) -> bool:
    """Whether a browser says that a page of another site, or of another port of this machine, made it ask.

    Without `Sec-Fetch-Site`, over HTTP from another machine, only the `Referer` can tell, which a page may withhold.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    try:
        referer = urlsplit(headers.get("referer", ""))
    except ValueError:
        return True
    return referer.netloc.lower() not in ("", headers.get("host", "").strip().lower())


OTHER_HOST = "this server does not answer for that host name"


class Guard:
    """Answers only to some hosts, and adds to each answer the headers that it does not have.

    The literal of the address that a connection came in on is always one of them: no name leads a page elsewhere to it.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str], refusal: Response | None = None) -> None:
        """`refusal` is what other hosts get, in words if it is not given."""
        self._app = app
        self._hosts = hosts
        self._refusal = refusal or PlainTextResponse(f"{OTHER_HOST}\n", status_code=421)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        guarded = with_headers(send, _ALWAYS)
        name = _host(Headers(scope=scope).get("host", ""))
        if name not in self._hosts and name != _literal(scope):
            await self._refusal(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)


def _host(value: str) -> str:
    """The name in a Host header, without its port and the dot that may end it."""
    name, colon, port = value.strip().lower().rpartition(":")
    return (name if colon and port.isdigit() else value.strip().lower()).rstrip(".")


def _literal(scope: Scope) -> str | None:
    """The address that a connection came in on, as a Host header has it; None if it has no address."""
    address = (scope.get("server") or ("",))[0]
    try:
        ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return _bracketed(address)


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name

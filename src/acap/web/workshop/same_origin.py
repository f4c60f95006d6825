"""Who may send something to the workshop: its own pages alone.

A page of another site can make a browser send a form here, but not without saying where it comes from.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from acap.web.guard import is_ours, with_headers

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'{styles}; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def page_policy(nonce: str = "") -> str:
    """What a page of the workshop may load: the scripts that acap brings, from this server, none that stands in a page.

    Styles come from files too, and from the editor, which puts them into the page with the `nonce` of that page.
    """
    return _POLICY.format(styles=f" 'nonce-{nonce}'" if nonce else "")


_HEADERS = {
    "content-security-policy": page_policy(),
    "permissions-policy": "camera=(), clipboard-write=(self), geolocation=(), microphone=()",
}


class SameOrigin:
    """Refuses what another site's page sends, and gives answers the headers of the workshop's pages."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        guarded = with_headers(send, _HEADERS)
        if scope["method"] not in ("GET", "HEAD") and not is_ours(Headers(scope=scope)):
            refusal = PlainTextResponse("only a page of this workshop may send this\n", status_code=403)
            await refusal(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)

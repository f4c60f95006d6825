"""What all handlers share, and the law that what is shown is entered in the ledger before it is sent."""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from acap.harvest.presentation import ChangedError, Presentation
from acap.harvest.store import Store, StoreError
from acap.harvest.thumbnails import Thumbnails
from acap.web.guard import is_of_another_site
from acap.web.pages import page

Show = Callable[[Request, Presentation], Response]

_TURNS = 3
_TICKET = timedelta(minutes=10)
_LATER = {"retry-after": "10"}


@dataclass
class Sweeping:
    """What the last sweep of this server came to."""

    every: float = 0.0
    at: datetime | None = None
    reviewed: int = 0
    removed: int = 0
    fault: str = ""


@dataclass
class Serving:
    """A store, and how it is shown. `unable` says why there are no thumbnails, empty where there are.

    `translate_url` leads to a translation; `{url}` in it stands for the URL of the original.
    """

    store: Store
    thumbnails: Thumbnails | None = None
    unable: str = ""
    translate_url: str | None = None
    sweeping: Sweeping = field(default_factory=Sweeping)
    _secret: bytes = field(default_factory=lambda: os.urandom(32), repr=False)

    def ticket(self, version: int, usage: str, at: datetime) -> str:
        """Says that something was entered with the page that shows it, so that it needs no entry of its own."""
        time = int(at.timestamp())
        digest = hmac.digest(self._secret, f"{version} {usage} {time}".encode(), "sha256")
        return f"{time}.{digest[:12].hex()}"

    def is_entered(self, ticket: str, version: int, usage: str, now: datetime) -> bool:
        """Whether a ticket is one of ours for this, and of the last minutes."""
        time, _, _ = ticket.partition(".")
        if not (time.isascii() and time.isdigit() and len(time) < 12):
            return False
        at = datetime.fromtimestamp(int(time), UTC)
        is_ours = hmac.compare_digest(self.ticket(version, usage, at), ticket)
        return is_ours and timedelta(0) <= now - at <= _TICKET

    @property
    def crawler(self) -> str:
        """The name of the crawler whose store it is."""
        return self.store.operator.names[0]

    def no_thumbnails(self) -> str | None:
        """Why no thumbnail can be rendered; None if one can be."""
        return None if self.thumbnails is not None else self.unable or "no thumbnails are made here"


def serving_of(request: Request) -> Serving:
    """What the handlers of a request share."""
    serving: Serving = request.app.state.serving
    return serving


def presented(where: str, show: Show) -> Callable[[Request], Response]:
    """A handler that shows something: `show` notes it, and it is sent once the ledger has it.

    HEAD shows nothing, so nothing is entered. What a browser fetches before somebody wants to see it is refused, and so
    is what a page of another site makes it fetch: whoever follows a link from there is asked to go on from here.
    """

    def handle(request: Request) -> Response:
        if any("prefetch" in request.headers.get(name, "") for name in ("sec-purpose", "purpose", "x-moz")):
            return Response(status_code=503, headers=_LATER)
        if is_of_another_site(request.headers):
            return led_here(request)
        for _ in range(_TURNS):
            presentation = Presentation(serving_of(request).store)
            response = show(request, presentation)
            if request.method == "HEAD":
                return Response(status_code=response.status_code, headers=dict(response.headers))
            try:
                presentation.enter(where)
            except ChangedError:
                continue
            return response
        return unavailable(request, "The page you asked for is changing at this moment.")

    return handle


def led_here(request: Request) -> Response:
    """Nothing is shown and nothing entered for what another site asked for; one click on a page of ours goes on."""
    onward = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    title, text = "Another site led here", "Nothing in the store was shown, and the ledger has no entry."
    return page("notice.html", 403, None, title=title, text=text, onward=onward, **FRAME)


def unavailable(_: Request, error: Exception | str) -> Response:
    """Nothing is shown, for what is shown has to be entered in the ledger."""
    why = str(error) if isinstance(error, (str, StoreError)) else type(error).__name__
    return notice(503, "Not now", f"Nothing is shown without an entry in the ledger. {why}", _LATER)


def not_found(_: Request, __: Exception | None = None) -> Response:
    """There is no such page, or nothing is held of what it was about."""
    return notice(404, "Nothing here", "There is no such page, or the store no longer holds anything of it.")


def notice(status: int, title: str, text: str, headers: dict[str, str] | None = None) -> Response:
    """A page that says one thing."""
    return page("notice.html", status, headers, title=title, text=text, **FRAME)


FRAME: dict[str, Any] = {"query": "", "here": ""}
"""What the frame of a page needs where there is nothing to say."""

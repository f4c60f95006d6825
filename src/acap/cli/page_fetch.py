"""Fetching one page: no request goes out, the first or a redirected one, that the crawler may not send."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from acap.retrieval import Failure, FailureKind, Retriever

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from acap.retrieval import Exchange, Headers, Request, Retrieved

PAGE_OCTETS = 32 * 1024 * 1024  # decoded; the reader's own limit is as many characters

_ACCEPT = ("Accept", "text/html, application/xhtml+xml, */*;q=0.5")
_HTML = ("text/html", "application/xhtml+xml")


class PageRetriever(Retriever):
    """A retriever of pages. Nothing of them is kept: they change when they like, and a policy must be theirs of now."""

    def __init__(
        self,
        may: Callable[[str], bool],
        waiting: Callable[[str], AbstractContextManager[None]],
        **options: Any,
    ) -> None:
        """`may` is asked about the URL of every request before it is sent; `waiting` surrounds each that is."""
        super().__init__(**options)
        self._plan = replace(self._plan, octets=PAGE_OCTETS)
        self._may = may
        self._waiting = waiting

    def _send(self, exchange: Exchange, request: Request, deadline: float) -> None:
        if not self._may(request.url):
            exchange.fail(Failure(FailureKind.REDIRECT, f"{request.url} may not be crawled"))
            return
        headers = tuple(_ACCEPT if name == "Accept" else (name, value) for name, value in request.headers)
        with self._waiting(f"retrieving {request.url}"):
            super()._send(exchange, replace(request, headers=headers), deadline)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it came: its own URL, after redirects; its octets, none if it is no HTML; headers; the way to it."""

    url: str
    html: bytes | None
    media_type: str
    headers: Headers
    way: tuple[str, ...]


def fetched(retrieved: Retrieved) -> Fetched | str:
    """The page that was retrieved, or why there is none, as the rest of a sentence about its URL."""
    answer = retrieved.answer
    if answer.failure is not None:
        return f"cannot be had: {answer.failure.text}"
    if not 200 <= (answer.status or 0) < 300:
        return f"answers {answer.status}: there is no page"
    if answer.cut_at is not None:
        return f"is larger than {PAGE_OCTETS >> 20} MiB; no such page is read"
    named = [value for name, value in answer.headers if name.lower() == "content-type"]
    media_type = named[-1].partition(";")[0].strip().lower() if named else ""
    html = answer.octets if not media_type or media_type in _HTML else None
    way = (*(hop.url for hop in answer.chain), answer.source)
    return Fetched(answer.source, html, media_type, answer.headers, way)

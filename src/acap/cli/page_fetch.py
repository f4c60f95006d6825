"""What came of fetching one page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acap.pages.headers import PAGES, media_type

if TYPE_CHECKING:
    from acap.retrieval import Headers, Retrieved

PAGE_OCTETS = 32 * 1024 * 1024  # decoded; the reader's own limit is as many characters

ACCEPT = "text/html, application/xhtml+xml, */*;q=0.5"


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
    media = media_type(answer.headers)
    html = answer.octets if not media or media in PAGES else None
    way = (*(hop.url for hop in answer.chain), answer.source)
    return Fetched(answer.source, html, media, answer.headers, way)

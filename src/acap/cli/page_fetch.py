"""What came of fetching one page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acap.retrieval import Headers, Retrieved

PAGE_OCTETS = 32 * 1024 * 1024  # decoded; the reader's own limit is as many characters

ACCEPT = "text/html, application/xhtml+xml, */*;q=0.5"


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response as it came: its own URL, after redirects; its octets; headers; the way to it."""

    url: str
    octets: bytes
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
    way = (*(hop.url for hop in answer.chain), answer.source)
    return Fetched(answer.source, answer.octets, answer.headers, way)

"""The documents of a site by their captures: what one capture says, and which of them counts at an instant."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime
from typing import Any, NamedTuple

from acap.archives.archived_answers import came_by, location_of
from acap.archives.capture import Capture
from acap.archives.site_documents import LATER, KeptDocument, Kind
from acap.retrieval.answers import ACCEPTED, PARTIAL, values
from acap.retrieval.exchange import REDIRECTS
from acap.sites.gathering import DOCUMENT_OCTETS


class Reading(NamedTuple):
    """As of when documents are read: by the captures before an instant, or also by the first after it.

    `is_led_later` is the same for what redirects lead to.
    """

    at: datetime
    is_later: bool
    is_led_later: bool = False


class DatedDocument(NamedTuple):
    """What counts of a document after a capture; of a redirect to a `target`, what counted before it as well."""

    at: datetime
    document: KeptDocument
    before: KeptDocument | None
    target: str | None


def how_many(instants: list[datetime], reading: Reading, *, is_any_before: bool) -> int:
    """How many of the captures of a document count in a reading, from the first on."""
    before = bisect_right(instants, reading.at)
    if before == len(instants):
        return before
    is_of_next_day = instants[before] - reading.at <= LATER
    is_any_before = is_any_before or before > 0
    counts = (reading.is_later and is_of_next_day) if is_any_before else (reading.is_later or is_of_next_day)
    return before + counts


def word_of(capture: Capture | None) -> tuple[object, ...] | None:
    """The parts of a capture in which captures of one instant may differ."""
    if capture is None:
        return None
    return capture.status, capture.body, values(capture.headers, "location") if capture.status in REDIRECTS else ()


def target_of(capture: Capture | None) -> str | None:
    """What a capture redirects to; None if it does not, or nowhere."""
    return None if capture is None or capture.status not in REDIRECTS else location_of(capture)


def made_of(kind: Kind, url: str, at: datetime, capture: Capture | None) -> KeptDocument:
    """A document by its capture; one that could not be retrieved without."""
    evidence: dict[str, Any] = {"archive": True, "url": url, "fetched_at": at.isoformat()}
    if capture is None or capture.status == PARTIAL or len(capture.body) > DOCUMENT_OCTETS:
        return KeptDocument(kind, url, None, None, evidence)
    evidence |= {"status": capture.status, "headers": [list(one) for one in capture.headers]}
    if came := came_by(capture):
        evidence |= {"final_url": came[-1], "chain": [{"url": one} for one in came[:-1]]}
    octets = capture.body if 200 <= capture.status < 300 and capture.status != ACCEPTED else None
    return KeptDocument(kind, url, None if 300 <= capture.status < 400 else capture.status, octets, evidence)

"""The documents of a site by their captures: what one capture says, and which of them counts at an instant."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from datetime import datetime
from itertools import product
from math import prod
from typing import Any, NamedTuple

from acap.archives.archived_answers import came_by, location_of
from acap.archives.capture import Capture
from acap.archives.site_documents import LATER, LICENCES, STALE, KeptDocument, Kind, SiteDocuments
from acap.retrieval.answers import ACCEPTED, PARTIAL, values
from acap.retrieval.exchange import REDIRECTS
from acap.sites.gathering import DOCUMENT_OCTETS

_COMBINED = 64
"""What a site said at an instant may be at most so many things, by what each of its documents may have been."""


class DatedDocument(NamedTuple):
    """What counts of a document after a capture; of a redirect to a `target`, what counted before it as well."""

    at: datetime
    document: KeptDocument
    before: KeptDocument | None
    target: str | None

    def counts_at(self, at: datetime) -> bool:
        """Whether it may count as the last before an instant: a licence for 30 days, or as long as it says itself.

        A policy of a tdmrep.json may for 30 days.
        """
        if self.document.kind not in (*LICENCES, "tdm-policy"):
            return True
        is_itself = self.target is None and self.document.last_stated_at == self.at
        return at - self.at <= STALE and (not is_itself or self.document.counts_until >= at)


def counting(history: Sequence[DatedDocument], at: datetime, *, is_any_before: bool) -> list[DatedDocument | None]:
    """The captures of a document that count at an instant, each for itself; None: what was before all of them.

    `is_any_before`: something is lost that was.
    """
    after = bisect_right(history, at, key=lambda dated: dated.at)
    before = history[after - 1] if after else None
    if after == len(history):
        return [before]
    following = history[after]
    is_near = following.at - at <= LATER
    if before is not None:
        if not before.counts_at(at) and is_near:
            return [following]
        return [before, following] if is_near else [before]
    if is_any_before:
        return [None, following] if is_near else [None]
    # One that was captured later alone may have been there before.
    return [following] if is_near else [None, following]


def behind(dated: DatedDocument, target: str, end: KeptDocument | None, at: datetime | None) -> KeptDocument:
    """What was found behind a redirect, as what it is of; without, that it could not be retrieved."""
    kind, url = dated.document.kind, dated.document.url
    if end is None or end.last_stated_at is None:
        return dated.document
    # A licence has an age of its own (RSL 1.0 3.1); of anything else the oldest step tells how old it is.
    stated = end.last_stated_at if kind in LICENCES else min(end.last_stated_at, dated.at)
    chain = [{"url": url}, *end.evidence.get("chain", ())]
    final = end.evidence.get("final_url", target)
    evidence = {**end.evidence, "url": url, "fetched_at": stated.isoformat(), "final_url": final, "chain": chain}
    led = end._replace(url=url, evidence=evidence)
    counts = led.after(dated.before, dated.at)
    is_over = counts is not led and at is not None and counts.counts_until < at
    return dated.document if is_over else counts


class PossibleDocument(NamedTuple):
    """A document of a site, and what it may have been at an instant, each once; None: nothing is known of it."""

    kind: Kind
    url: str
    ways: Sequence[KeptDocument | None]

    @classmethod
    def at(cls, kind: Kind, url: str, ways: Sequence[KeptDocument | None], at: datetime) -> PossibleDocument:
        """That of an instant: ways that come to the same are one."""
        distinct: dict[Hashable, KeptDocument | None] = {}
        for way in ways:
            distinct.setdefault(None if way is None else _worth(way, at), way)
        return cls(kind, url, tuple(distinct.values()))


def _worth(document: KeptDocument, at: datetime) -> Hashable:
    """What a document comes to at an instant."""
    came = document.evidence.get("final_url"), *(hop["url"] for hop in document.evidence.get("chain") or ())
    is_fresh = document.counts_until >= at
    return document.status, document.octets if is_fresh or document.kind not in LICENCES else None, is_fresh, came


def combined(documents: Iterable[PossibleDocument], at: datetime) -> list[SiteDocuments | None]:
    """What a site may have said at an instant, each of which has to permit; None: nothing is known.

    Each document may have been what it was in any of its ways, whichever way another one was. Where these are too many,
    a further document that was not always the same is unknown.
    """
    ways: list[Sequence[KeptDocument | None]] = []
    for document in documents:
        is_bounded = prod(map(len, ways)) * len(document.ways) <= _COMBINED
        ways.append(document.ways if is_bounded else (made_of(document.kind, document.url, at, None),))
    combinations = (tuple(way for way in together if way is not None) for together in product(*ways))
    return [SiteDocuments(known) if known else None for known in combinations]


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
    evidence |= {"status": capture.status, "headers": [list(header) for header in capture.headers]}
    if came := came_by(capture):
        evidence |= {"final_url": came[-1], "chain": [{"url": hop} for hop in came[:-1]]}
    octets = capture.body if 200 <= capture.status < 300 and capture.status != ACCEPTED else None
    return KeptDocument(kind, url, None if 300 <= capture.status < 400 else capture.status, octets, evidence)

"""What earlier crawls know of a site: it serves where the site gives no answer now, or another one in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from acap.archives.site_documents import documents_of
from acap.harvest.store.policies import PolicyShelf
from acap.retrieval.answers import Answer
from acap.retrieval.cache import CacheEntry, MemoryCache
from acap.retrieval.locations import is_robots_url


class KnownPolicies(MemoryCache):
    """The answers of one crawl; and of earlier ones each robots.txt, and the documents beside it, that the store has.

    A robots.txt serves in place of another document alone. A document beside it is an answer like any other: fresh for
    its time, then a copy for thirty days while it cannot be retrieved.
    """

    def __init__(self, policies: PolicyShelf) -> None:
        """`policies` are those of the store that the crawl writes."""
        super().__init__()
        self._policies = policies
        self._documents: dict[str, Answer] = {}

    def load(self, url: str, agent: str) -> CacheEntry:
        """What is known of the URL to that User-Agent."""
        entry = super().load(url, agent)
        if entry.settled is not None:
            return entry
        if not is_robots_url(url):
            known = self._documents.get(url)
            return entry if known is None else replace(entry, settled=replace(known, agent=agent))
        self._documents |= {answer.url: answer for answer in self._documents_beside(url)}
        if (file := self._policies.last_file(url)) is None:
            return entry
        at, octets = file
        return replace(entry, older=Answer(url, agent, url, at, 200, (), octets))

    def _documents_beside(self, url: str) -> Iterator[Answer]:
        """The documents beside the last robots.txt of a URL that the store has, as they were answered."""
        last = self._policies.last(url)
        documents = None if last is None else documents_of(last[1])
        for document in () if documents is None else documents.documents:
            evidence = document.evidence
            if document.octets is None or not evidence.get("fetched_at"):
                continue
            confirmed = evidence.get("confirmed_at")
            yield Answer(
                document.url,
                "",
                str(evidence.get("final_url", document.url)),
                datetime.fromisoformat(evidence["fetched_at"]),
                document.status,
                tuple((name, value) for name, value in evidence.get("headers", ())),
                document.octets,
                confirmed_at=datetime.fromisoformat(confirmed) if confirmed else None,
            )

"""The last known robots.txt of each site: it serves where another document comes in place of the file."""

from __future__ import annotations

from dataclasses import replace

from acap.harvest.store.policies import PolicyShelf
from acap.retrieval.answers import Answer
from acap.retrieval.cache import CacheEntry, MemoryCache


class KnownPolicies(MemoryCache):
    """The answers of one crawl, and the files that the store has of earlier ones."""

    def __init__(self, policies: PolicyShelf) -> None:
        """`policies` are those of the store that the crawl writes."""
        super().__init__()
        self._policies = policies

    def load(self, url: str, agent: str) -> CacheEntry:
        """What is known of the URL to that User-Agent."""
        entry = super().load(url, agent)
        if entry.settled is not None or (file := self._policies.last_file(url)) is None:
            return entry
        at, octets = file
        return replace(entry, older=Answer(url, agent, url, at, 200, (), octets))

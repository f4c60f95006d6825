"""Answers kept: as long as they are fresh the site is not asked again, and a copy outlives the site's failures.

For each URL and User-Agent (sites do answer by User-Agent) two answers are kept: the last one that settled the question
(a file, or that there is none), and the failure that came after it, if one did. A failure never displaces a copy.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from acap.retrieval.answers import Answer

MEMORY_OCTETS = 64 * 2**20  # of bodies and headers; a robots.txt has 2 KB in the mean
_ANSWER_OCTETS = 2_048  # what an answer costs besides them, roughly


class CacheError(Exception):
    """The cache cannot be read or written; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """What is known of one URL: `settled` stands until something else settles it; `passing` is a later failure.

    `older` is a file from another source, an earlier crawl for instance. It only serves in place of a document that
    is not a robots.txt, so that it only prohibits more.
    """

    settled: Answer | None = None
    passing: Answer | None = None
    older: Answer | None = None

    @property
    def answers(self) -> tuple[Answer | None, Answer | None]:
        """Both, settled first."""
        return self.settled, self.passing

    def after(self, answer: Answer) -> CacheEntry:
        """The entry once this answer has come."""
        return CacheEntry(answer) if answer.settled else CacheEntry(self.settled, answer, self.older)

    def read_as(self, *, as_robots: bool) -> CacheEntry:
        """The entry for a reader that wants a robots.txt at the URL, or any document: that decides what settles."""
        known = sorted((answer for answer in self.answers if answer is not None), key=lambda one: one.checked_at)
        entry = CacheEntry()
        for answer in known:
            entry = entry.after(replace(answer, as_robots=as_robots))
        return replace(entry, older=self.older)


class ResponseCache(Protocol):
    """Where answers are kept. Every method may be called from any thread; it raises CacheError if it cannot work."""

    def load(self, url: str, agent: str) -> CacheEntry:
        """What is known of the URL to that User-Agent; an empty entry if nothing is."""
        ...

    def store(self, answer: Answer) -> None:
        """Keeps the answer as `CacheEntry.after` says: whole, or not at all."""
        ...

    def prune(self, before: datetime) -> int:
        """Forgets what was last confirmed before the aware instant; how many answers that were."""
        ...

    def close(self) -> None:
        """Closes its files; it is not used again."""
        ...


class MemoryCache:
    """A `ResponseCache` that lives as long as the process. Beyond `octets` the answers not used for longest go."""

    def __init__(self, *, octets: int = MEMORY_OCTETS) -> None:
        self._limit = octets
        self._held = 0
        self._entries: OrderedDict[tuple[str, str], CacheEntry] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, url: str, agent: str) -> CacheEntry:
        """What is known of the URL to that User-Agent."""
        with self._lock:
            entry = self._entries.get((url, agent))
            if entry is None:
                return CacheEntry()
            self._entries.move_to_end((url, agent))
            return entry

    def store(self, answer: Answer) -> None:
        """Keeps the answer."""
        key = (answer.url, answer.agent)
        with self._lock:
            old = self._entries.pop(key, CacheEntry())
            new = old.after(answer)
            self._entries[key] = new
            self._held += _size(new) - _size(old)
            while self._held > self._limit and len(self._entries) > 1:
                self._held -= _size(self._entries.popitem(last=False)[1])

    def prune(self, before: datetime) -> int:
        """Forgets what was last confirmed before the aware instant."""
        with self._lock:
            gone = 0
            for key, old in list(self._entries.items()):
                new = CacheEntry(
                    *(answer if answer and answer.checked_at >= before else None for answer in old.answers)
                )
                gone += sum(map(bool, old.answers)) - sum(map(bool, new.answers))
                self._held += _size(new) - _size(old)
                if any(new.answers):
                    self._entries[key] = new
                else:
                    del self._entries[key]
            return gone

    def close(self) -> None:
        """Nothing is open."""


def _size(entry: CacheEntry) -> int:
    """Roughly the octets that an entry takes in memory."""
    size = 0
    for answer in entry.answers:
        if answer is not None:
            received = [answer.headers, *(hop.headers for hop in answer.chain)]
            fields = sum(len(name) + len(value) for headers in received for name, value in headers)
            size += _ANSWER_OCTETS + len(answer.octets) + fields
    return size

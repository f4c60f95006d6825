"""What sites on a shelf said, each read when it is asked about."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime

from acap.archives.archived import ArchivedDocuments, document_name, own_documents
from acap.archives.archived_answers import ArchivedAnswer
from acap.archives.shelf import ArchiveShelf, ShelfEvent, ShelfReplay
from acap.archives.site_documents import SiteDocuments, targets_of
from acap.archives.timeline import Timeline, Timelines
from acap.retrieval.answers import Rules
from acap.retrieval.exchange import MAX_REDIRECTS
from acap.retrieval.locations import is_robots_url, site_of
from acap.robots import RobotsPolicy

_AGING = ("tdmrep.json", "ai.txt", "tdm-policy")
"""Documents without an age of their own."""

_HELD = 2048
_HELD_OCTETS = 2**22
"""With so many events of sites in memory, or octets of them, unpacked, timelines are full: others have further sites.

An event takes some 5 KB there, with what is made of it, and each octet another two.
"""

_TOGETHER = 20_000  # events of sites that name each other
_REDIRECTED = 4_000
"""Events of what robots.txt files redirect to: fewer than are held, as very many sites may redirect to one URL."""

_IN_USE = 2**16 + 4 * _REDIRECTED
_IN_USE_OCTETS = 2**27
"""Events and octets that the answer to one question has in memory; what it leads to beyond that is out of reach.

They cannot be let go of meanwhile: a site that leads to two URLs in turn would be read again for each of its captures.
"""


class ShelvedTimelines(Timelines):
    """The timelines of sites on a shelf, each read when it is asked about, and kept.

    Whoever asks about very many takes other ones when these are full (`is_full`), and lets go of these.
    """

    def __init__(
        self,
        shelf: ArchiveShelf,
        dialect: str,
        rules: Rules,
        now: datetime | None = None,
        *,
        like: ShelvedTimelines | None = None,
    ) -> None:
        """Reads what may be of any site, or takes it from others of this shelf. A date after `now` does not count."""
        of_any = ShelfReplay(shelf.of_any() if like is None else ())
        self._known_urls: set[str] = set()
        super().__init__(dialect, rules, of_any.paths, now, read=of_any)
        self._shelf = shelf
        self._of_any: tuple[tuple[ArchivedAnswer, ...], frozenset[str | None]]
        self._of_any = (tuple(self._lost), frozenset(self._undated)) if like is None else like._of_any
        self._lost, self._undated = list(self._of_any[0]), set(self._of_any[1])
        self._events = self._octets = 0  # in memory
        self._room = sys.maxsize, sys.maxsize

    @property
    def is_full(self) -> bool:
        """Whether further sites are for others to read."""
        return self._events > _HELD or self._octets > _HELD_OCTETS

    @property
    def is_overfull(self) -> bool:
        """Whether its sites led to much more, since there are fresh ones for others."""
        return self._events > self._room[0] or self._octets > self._room[1]

    def fresh(self) -> ShelvedTimelines:
        """Timelines of the same shelf, none of which is read: for further sites, where this one is full."""
        self._room = self._events + _HELD, self._octets + _HELD_OCTETS
        return ShelvedTimelines(self._shelf, self.dialect, self.rules, self._now, like=self)

    def let_go(self) -> None:
        """Lets go of what was read: timelines and all of them hold each other, so that it would stay for long."""
        for held in (self._answers_by_url, self._named, self._first, self._sites, self._known_urls):
            held.clear()

    def has_read(self, url: str) -> bool:
        """Whether the timeline of the URL of a robots.txt is in memory."""
        return url in self._sites

    def of(self, url: str) -> Timeline:
        """The timeline of the URL of a robots.txt; empty if nothing is known of it."""
        self._read_site(url)
        return super().of(url)

    def target(self, url: str) -> Timeline:
        """As of `Timelines`; empty for what is more than may be in memory."""
        self._read_site(url)
        return super().of(url) if url in self._known_urls else Timeline(self, url, [])

    def _place(self, url: str) -> str | None:
        """As of `Timelines`, and the URL of what was asked for as the target of a redirect."""
        if (place := super()._place(url)) is not None:
            return place
        return name if (name := document_name(url)) in self._known_urls else None

    def is_certain(self, url: str) -> bool:
        """Whether the time of everything that the archives have of a robots.txt is known."""
        self._read_site(url)
        return super().is_certain(url)

    def _read_site(self, url: str) -> None:
        if url in self._known_urls:
            return
        if self._events > _IN_USE or self._octets > _IN_USE_OCTETS:
            self._undated.add(url)
            self._shelf.leave_out(url, "captures of what leads to it")
            return
        events, urls = self._together(url)
        self._events += len(events) + 1
        before = len(self._revisits)
        replay = self._captures_of = ShelfReplay(events, urls)
        for path in replay.paths:
            self._read(path)
        self._octets += replay.octets
        for unread in filter(None, map(self._place, replay.unread)):
            self._undated.add(unread)
            self._shelf.leave_out(unread, "captures of very many octets")
        together = sorted(self._revisits[before:], key=lambda revisit: revisit.at)  # one may name another
        del self._revisits[before:]
        for revisit in together:
            self._add(revisit.url, self._revisited(revisit))

    def _together(self, url: str) -> tuple[list[ShelfEvent], list[str]]:
        """The events of a URL, and of those that its revisits name, in the order of the archives; and these URLs."""
        events: list[ShelfEvent] = []
        waiting, urls = [url], []
        while waiting and len(events) < _TOGETHER:
            key = waiting.pop()
            if key in self._known_urls:
                continue
            self._known_urls.add(key)
            urls.append(key)
            for event in self._of_key(key):
                events.append(event)
                if event.kind == "revisit":
                    named = self._shelf.named_by(event)
                    waiting += filter(is_robots_url, named) if is_robots_url(url) else named
        return sorted(events, key=lambda event: (event.archive, event.place)), urls

    def _of_key(self, key: str) -> list[ShelfEvent]:
        """The events of a URL; of what robots.txt files redirect to few, as very many sites may redirect to one URL."""
        return self._shelf.of_site(key) if is_robots_url(key) else self._shelf.whole(key, _REDIRECTED)


_CAPTURES = 2**14  # of one document
_LED = 64  # URLs to which the documents of one policy are redirected
_DOCUMENTS = 2**25
"""Octets of the documents of one policy, of all times: packed, and unpacked."""


class DocumentsByTime:
    """What a site says beside a robots.txt, by time; `changes` are the instants at which that may become another."""

    def __init__(self, archived: ArchivedDocuments, robots: RobotsPolicy, named: Sequence[str], octets: int) -> None:
        """`named` are the licences that a page names; `octets` is how many the documents have."""
        self._archived, self._robots, self._named, self.octets = archived, robots, named, octets
        self.changes = archived.changes()

    def speaking(self, at: datetime) -> tuple[SiteDocuments | None, ...]:
        """What counts at an instant: one thing, or several that all have to permit. None: nothing is known then."""
        known = self._archived.at(self._robots, self._named, at)
        return tuple(
            variant for documents in known for variant in _by_age(None if documents is None else documents.at(at), at)
        )


def _packed(events: Iterable[ShelfEvent]) -> int:
    """How many octets events have, packed."""
    return sum(len(event.record) + len(event.body or b"") for event in events)


def _by_age(documents: SiteDocuments | None, at: datetime) -> tuple[SiteDocuments | None, ...]:
    """Documents of an instant; where a tdmrep.json or an ai.txt among them is older than 30 days, also without it.

    Both have to permit (our choice): what an old one prohibits counts until it was captured again, what it permits does
    not. A policy of a tdmrep.json that is as old is unknown, as one that was never captured, and prohibits. What counts
    without the old ones comes first, so that where both permit the row tells whether anybody said so.
    """
    if documents is None:
        return (None,)
    old = {
        document.url
        for document in documents.documents
        if document.kind in _AGING and document.octets is not None and document.counts_until < at
    }
    if not old:
        return (documents,)
    known = tuple(
        document._replace(octets=None, status=None)
        if document.kind == "tdm-policy" and document.url in old
        else document
        for document in documents.documents
    )
    without = tuple(document for document in known if document.kind == "tdm-policy" or document.url not in old)
    both = (SiteDocuments(without), SiteDocuments(known))
    return both[1:] if without == known else both


class ShelvedDocuments:
    """The documents of the sites on a shelf, beside robots.txt."""

    def __init__(self, shelf: ArchiveShelf, now: datetime) -> None:
        """Reads what may be of any site. A date after `now` counts as `now`."""
        self._shelf = shelf
        self._now = now
        self._has_archives = shelf.has_archives
        self._lost: datetime | None = None
        self._lost = self._archived((), ShelfReplay(shelf.of_any())).lost

    def beside(self, robots: RobotsPolicy, named: Iterable[str] = ()) -> DocumentsByTime:
        """What a site says beside its robots.txt, with the licences `named` by a page."""
        of_page = tuple(named)
        events: dict[str, list[ShelfEvent]] = {}
        wanted = (*own_documents(robots.url or ""), *targets_of(robots), *of_page)
        archived, octets = self._read_led(events, wanted)
        if policies := archived.policies_ever(site_of(robots.url or "")):
            # What cannot be a policy stands there without its octets: it says that there was none, or a page.
            archived, octets = self._read_led(events, policies)
        return DocumentsByTime(archived, robots, of_page, octets)

    def _read_led(self, events: dict[str, list[ShelfEvent]], urls: Iterable[str]) -> tuple[ArchivedDocuments, int]:
        """Documents beside those whose events are known, with what they redirect to, and how many octets these have.

        Each URL to which they redirect is read, 64 of them at most: others are as if they were not there.
        """
        archived, octets = self._read(events, urls)
        room = _LED
        for _ in range(MAX_REDIRECTS):
            more = [url for url in archived.targets if url not in events][:room]
            if not more:
                break
            room -= len(more)
            archived, octets = self._read(events, more)
        return archived, octets

    def _read(self, events: dict[str, list[ShelfEvent]], urls: Iterable[str]) -> tuple[ArchivedDocuments, int]:
        """The documents of URLs beside those whose events are known: as many as may be in memory together."""
        room = _DOCUMENTS - sum(map(_packed, events.values()))
        further = [name for name in dict.fromkeys(map(document_name, urls)) if name not in events]
        if 1 < len(further) <= _LED and not self._shelf.has_any(further):  # as of most sites, asked at once
            events |= {url: [] for url in further}
        else:
            for url in further:
                events[url] = self._shelf.whole(url, _CAPTURES, max(room, 0))
                room -= _packed(events[url])
        together = sorted(
            (event for of_url in events.values() for event in of_url), key=lambda event: (event.archive, event.place)
        )
        replay = ShelfReplay(together, events, _DOCUMENTS)
        archived = self._archived(events, replay)
        for unread in replay.unread:
            self._shelf.leave_out(unread, "captures of very many octets")
        return archived, replay.octets

    def _archived(self, named: Iterable[str], replay: ShelfReplay) -> ArchivedDocuments:
        return ArchivedDocuments(
            replay.paths, named, self._now, read=replay, lost=self._lost, is_asked=self._has_archives
        )

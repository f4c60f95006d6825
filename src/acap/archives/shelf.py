"""The shelf: what archives say of sites, on disk, site by site, for those who cannot hold all of it in memory.

    shelf = ArchiveShelf(Path("policies.sqlite"))
    for number, path in enumerate(paths):
        shelf.add(shelve(path, number))
    shelf.finish()
    ShelvedTimelines(shelf, "auto", Rules.of("auto"), now).of("https://example.com/robots.txt").speaking(at)

The laws of this module:

1. A shelf answers as the archives do that it was filled from: each archive is replayed with what it has of one site,
   with all damage that may be of that site, and with the instants of the records around damage.
2. A shelf that was filled part by part (`ShelvedParts`) has what one has that was filled in one.
3. What one question has in memory is bounded, whatever an archive has of a site: beyond that the site, or the document,
   counts as out of reach, and `ArchiveShelf.left_out` says so.
4. Whatever may be a licence (RSL 1.0) or a robots.txt, of any status, can be read as a tdmrep.json or as its policy, or
   was asked for as a document of a site, is shelved under its URL, so that it is there for whoever names it. Of any
   other capture the shelf knows URL, instant, status, form, and where it redirects to, as it may stand in the place of
   a licence, or a robots.txt may lead there. The readers say what is none: there is no other test of it here.

One module writes and replays, for each form of an event is written and read back by functions side by side.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from acap import _native
from acap.archives.archive import ArchiveReader, Damage, Revisit, read_warc
from acap.archives.archived import OWN_PATHS, is_own_document
from acap.archives.archived_answers import came_by, was_asked_for
from acap.archives.capture import Capture, Digest
from acap.dialects.tdmrep import may_be_read
from acap.dialects.well_known import is_page
from acap.retrieval.answers import Headers, values
from acap.retrieval.exchange import REDIRECTS
from acap.retrieval.foreign import is_foreign
from acap.retrieval.locations import ROBOTS_PATH, normal, robots_url

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_BETWEEN = Capture("https://between.invalid/", _EPOCH, 200, (), b"")
"""Stands for a record that says nothing of sites; only its instant counts."""

_RSL = b"rsl"
"""What is in every licence (RSL 1.0), whatever else of it is misspelt."""

_FORMS = {"page": b"<html>", "unreadable": b"?", "binary": b"\x1f\x8b\x08"}
"""What stands for the body of a capture that is no licence, with the digest of the body behind it."""

_EMPTY = "empty"
"""The form of an answer that has neither a body nor a document, as most redirects are."""

_PLACES = (ROBOTS_PATH, *OWN_PATHS)
"""With what the URLs of documents end that have a place of their own."""

_DIGEST = 24
"""Hexadecimal digits by which bodies and URLs are told apart."""

_TO_COME = "its date is to come"

_UNPACKED = 2**27
"""Octets of different bodies that are unpacked for one question: what packs well may be a thousand times as much."""

_MOST_EVENTS = 2**16
_MOST_OCTETS = 2**26
"""Events of one URL that are read, and octets of them, packed; the same body counts once. More is out of reach."""

_MOST_OF_ANY = 100_000
"""Events that are read of those that may be of any site."""

_TOGETHER = 32
"""Events without a body that are given at once."""

_NOWHERE = -1
"""The number of no archive: nothing in it tells a time."""

_LEFT_OUT = 1000
"""At most of so many URLs it is told that they have more."""

_ARCHIVE = "archive"
"""The key of a note for each archive."""

ALWAYS = "always "
"""What begins the key of a robots.txt that counts at every instant."""

Kind = Literal["capture", "revisit", "damage", "other"]


class ShelfEvent(NamedTuple):
    """What an archive says at one place.

    `key` is the URL that it is asked for by, of a robots.txt or a document; None for what may be of any site. `number`
    and `digest` are those by which a revisit may name it. Around damage, `before` is the instant of the last capture,
    `reached` that of the next record that has one, and `after` that of the next capture.
    """

    archive: int
    place: int
    kind: Kind
    key: str | None
    number: str
    digest: str
    before: int | None
    reached: int | None
    after: int | None
    record: str  # as JSON, in the column `told`
    body: bytes | None


class ShelfEdges(NamedTuple):
    """What a part of an archive is to the parts beside it.

    `first` and `last` are the instants of its first and last capture, `reached` that of its first record that has one;
    `places` is how many it has, `before_to_come` how many of them before a date was to come, None if none was.
    """

    first: int | None = None
    reached: int | None = None
    last: int | None = None
    places: int = 0
    before_to_come: int | None = None


def shelve(
    path: Path, archive: int, now: datetime | None = None, *, read: ArchiveReader = read_warc
) -> Iterator[ShelfEvent]:
    """What the archive of this number says of sites. A date after `now` does not count.

    Raises OSError if it cannot be opened.
    """
    return Shelving(archive, now).events(path, read)


def sha256_of(octets: bytes) -> str:
    """SHA-256, in hexadecimal digits."""
    return sha256(octets).hexdigest()


class Shelving:
    """An archive, or a part of one, on its way to the shelf."""

    def __init__(self, archive: int, now: datetime | None, digest_of: Callable[[bytes], str] = sha256_of) -> None:
        """`now` as of `shelve`; `digest_of` gives SHA-256 of octets, which whoever listens as well may know."""
        self._archive = archive
        self._now = now
        self._digest_of = digest_of
        self._is_past_now = False  # whether a date was to come: where that record belongs is not known
        self._place = 0
        self._first: int | None = None  # the instant of the first capture
        self._last: int | None = None  # of the last one
        self._first_reached: int | None = None
        self._before_to_come = 0
        self._waiting: list[ShelfEvent] = []  # damage, until the next capture is known
        self._ready: list[ShelfEvent] = []

    def events(self, path: Path, read: ArchiveReader) -> Iterator[ShelfEvent]:
        yield noted(self._archive, 0, _ARCHIVE, "")
        for capture in read(path, on_problem=self._damaged, on_revisit=self._revisited):
            self._captured(capture)
            # Those of few octets are given together, which whoever writes them does in less time.
            if len(self._ready) >= _TOGETHER or (self._ready and self._ready[-1].body is not None):
                yield from self._ready
                self._ready.clear()
        yield from (*self._ready, *self._waiting)

    @property
    def edges(self) -> ShelfEdges:
        """What it is to other parts of the archive, once it was read."""
        before = self._before_to_come if self._is_past_now else None
        return ShelfEdges(self._first, self._first_reached, self._last, self._place, before)

    def _captured(self, capture: Capture) -> None:
        if self._is_to_come(capture.url, capture.at):
            return
        self._last = _micros(capture.at)
        self._first = self._last if self._first is None else self._first
        self._reached(self._last)
        self._ready += [event._replace(after=self._last) for event in self._waiting]
        self._waiting.clear()
        digest = _digest_text(capture.digest)
        for key in _keys(capture.url):
            if _is_of_site(key) or was_asked_for(capture) or (form := _form(capture)) is None:
                body = zlib.compress(capture.body, 1)
                event = self._event("capture", key, _of_capture(capture), capture.number, digest, body)
            else:
                record = [
                    self._last,
                    capture.status,
                    form,
                    self._digest_of(capture.body)[:_DIGEST],
                    digest,
                    _locations(capture),
                ]
                event = self._event("other", _short(key), record)
            self._ready.append(event)

    def _revisited(self, revisit: Revisit) -> None:
        if self._is_to_come(revisit.url, revisit.at):
            return
        self._reached(_micros(revisit.at))
        for key in _keys(revisit.url):
            is_of_site = _is_of_site(key)
            self._ready.append(self._event("revisit", key if is_of_site else _short(key), _of_revisit(revisit)))

    def _damaged(self, damage: Damage) -> None:
        if damage.at is not None and (self._now is None or damage.at <= self._now):
            self._reached(_micros(damage.at))
        # It may be of its own URL, and of whatever was hidden in it.
        keys: list[str | None] = [] if damage.url is None else [*_keys(damage.url)]
        if damage.hides or damage.url is None:
            keys.append(None)
        for key in keys:
            event = self._event("damage", key, _of_damage(damage))._replace(before=self._last)
            self._waiting.append(event)
            if self._is_past_now and self._now is not None and damage.message != _TO_COME:
                # What a record before it says of the time here may be wrong, so that it may be of now as well.
                self._waiting.append(event._replace(reached=_micros(self._now)))

    def _is_to_come(self, url: str, at: datetime) -> bool:
        if self._now is None or at <= self._now:
            return False
        self._damaged(Damage("", 0, _TO_COME, url, at))
        if not self._is_past_now:
            self._is_past_now, self._before_to_come = True, self._place
        return True

    def _reached(self, at: int) -> None:
        self._first_reached = at if self._first_reached is None else self._first_reached
        self._waiting = [event if event.reached is not None else event._replace(reached=at) for event in self._waiting]

    def _event(
        self, kind: Kind, key: str | None, record: Any, number: str = "", digest: str = "", body: bytes | None = None
    ) -> ShelfEvent:
        self._place += 1
        return ShelfEvent(
            self._archive, self._place, kind, key, number, digest, None, None, None, json.dumps(record), body
        )


def shelved(archive: int, place: int, key: str, answer: Capture | Damage) -> ShelfEvent:
    """What a place of an archive says of a URL, where nothing is damaged around it."""
    if isinstance(answer, Damage):
        return ShelfEvent(archive, place, "damage", key, "", "", None, None, None, json.dumps(_of_damage(answer)), None)
    record, body = json.dumps(_of_capture(answer)), zlib.compress(answer.body, 1)
    return ShelfEvent(archive, place, "capture", key, "", "", None, None, None, record, body)


def noted(archive: int, place: int, key: str, text: str) -> ShelfEvent:
    """A note for whoever fills a shelf; it is no event of an archive."""
    return ShelfEvent(archive, place, "other", key, "", "", None, None, None, json.dumps(text), None)


class ArchiveShelf:
    """What archives say of sites, in a file of SQLite. One process writes it; any number read it."""

    def __init__(self, file: Path | str, *, is_shared: bool = False) -> None:
        """Opens the file, or makes it. Raises `sqlite3.Error` if that fails.

        `is_shared`: it is only read, so that threads and processes may read it together.
        """
        self.left_out: dict[str, str] = {}
        """The URLs of which it has more than is read at once, each with words for it; of too many the first."""
        if is_shared:
            self._base = sqlite3.connect(f"{Path(file).absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        else:
            self._base = sqlite3.connect(file, isolation_level=None)
            # What is half filled is filled again, so nothing has to survive a crash.
            self._base.executescript(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                "CREATE TABLE IF NOT EXISTS event (archive INTEGER, place INTEGER, kind TEXT, key TEXT, number TEXT,"
                " digest TEXT, before INTEGER, reached INTEGER, after INTEGER, told TEXT, body BLOB)"
            )

    def add(self, events: Iterable[ShelfEvent]) -> None:
        """Adds events, of any archive, in any order."""
        self._base.execute("BEGIN")
        self._base.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", events)
        self._base.execute("COMMIT")

    def take(self, other: Path) -> None:
        """Adds the events of another shelf."""
        self._base.execute("ATTACH ? AS other", (str(other),))
        self._base.execute("INSERT INTO event SELECT * FROM other.event ORDER BY archive, place")
        self._base.execute("DETACH other")

    def place(self, other: Path, places: int, before: int | None, *, is_first: bool) -> tuple[int, int]:
        """Adds the events of a part of an archive behind so many places, and a capture; gives the rows between which.

        Of what may have been lost at its beginning, the capture before it is that one. The first part has the note of
        the archive.
        """
        [(begin,)] = self._base.execute("SELECT coalesce(max(rowid), 0) FROM event")
        self._base.execute("ATTACH ? AS other", (str(other),))
        self._base.execute(
            "INSERT INTO event SELECT archive, place + ?1, kind, key, number, digest,"
            " CASE WHEN kind = 'damage' THEN coalesce(before, ?2) END, reached, after, told, body"
            " FROM other.event WHERE ?3 OR key IS NOT ?4 ORDER BY archive, place, rowid",
            (places, before, is_first, _ARCHIVE),
        )
        self._base.execute("DETACH other")
        [(end,)] = self._base.execute("SELECT coalesce(max(rowid), 0) FROM event")
        return int(begin), int(end)

    def damage(self, rows: tuple[int, int]) -> Iterator[tuple[int, ShelfEvent]]:
        """What was damaged, among some rows, each with the number of its row."""
        cursor = self._base.execute(
            "SELECT rowid, * FROM event WHERE rowid > ? AND rowid <= ? AND kind = 'damage'", rows
        )
        return ((row, ShelfEvent._make(event)) for row, *event in cursor.fetchall())

    def settle(self, rows: Iterable[int], reached: int | None, after: int | None) -> None:
        """Gives damage the instants of the records behind it, as far as it has none."""
        self._base.executemany(
            "UPDATE event SET reached = coalesce(reached, ?), after = coalesce(after, ?) WHERE rowid = ?",
            ((reached, after, row) for row in rows),
        )

    def finish(self) -> None:
        """Makes what was added fast to find."""
        for name in ("key", "number", "digest"):
            self._base.execute(f"CREATE INDEX IF NOT EXISTS event_{name} ON event ({name})")

    def close(self) -> None:
        """Closes the file."""
        self._base.close()

    @property
    def has_robots(self) -> bool:
        """Whether it has a robots.txt of any site."""
        return self._base.execute("SELECT 1 FROM event WHERE key LIKE '%/robots.txt' LIMIT 1").fetchone() is not None

    @property
    def has_archives(self) -> bool:
        """Whether it was filled from an archive, and not from tables alone."""
        return self._base.execute("SELECT 1 FROM event WHERE key = ? LIMIT 1", (_ARCHIVE,)).fetchone() is not None

    def knows(self, robots: str) -> bool:
        """Whether it has anything of the URL of a robots.txt."""
        keys = (robots, ALWAYS + robots)
        return self._base.execute("SELECT 1 FROM event WHERE key IN (?, ?) LIMIT 1", keys).fetchone() is not None

    def has_any(self, urls: Sequence[str]) -> bool:
        """Whether it has anything of one of some URLs."""
        keys = [key for url in urls for key in (url, _short(url))]
        marks = ", ".join("?" * len(keys))
        cursor = self._base.execute(f"SELECT 1 FROM event WHERE key IN ({marks}) LIMIT 1", keys)  # noqa: S608
        return cursor.fetchone() is not None

    def of_any(self) -> list[ShelfEvent]:
        """The events that may be of any URL."""
        return self._few(None, (None,), _MOST_OF_ANY, _MOST_OCTETS)

    def of_site(self, robots: str) -> list[ShelfEvent]:
        """The events of a robots.txt."""
        return self._few(robots, (robots,), _MOST_EVENTS, _MOST_OCTETS)

    def always(self, robots: str, most: int) -> list[ShelfEvent]:
        """The events of a robots.txt that count at every instant."""
        return self._few(robots, (ALWAYS + robots,), most, _MOST_OCTETS)

    def whole(self, url: str, most: int, octets: int | None = None) -> list[ShelfEvent]:
        """The events of a URL, with those of which the shelf has no body."""
        return self._few(url, (url, _short(url)), most, _MOST_OCTETS if octets is None else octets)

    def notes(self, key: str) -> Iterator[str]:
        """The notes that were made under a key."""
        for (note,) in self._base.execute("SELECT told FROM event WHERE key = ? ORDER BY archive, place", (key,)):
            yield json.loads(note)

    def leave_out(self, url: str | None, what: str) -> None:
        """Notes that there is more of a URL than is read at once; None: of what may be of any."""
        name, whose = ("*", "every site counts") if url is None else (url, "it counts")
        if len(self.left_out) < _LEFT_OUT:
            text = (
                f"there are {what}, too many to read at once, so {whose} as out of reach; audit fewer archives together"
            )
            self.left_out.setdefault(name, f"{'any URL' if url is None else url}: {text}")

    def _few(self, url: str | None, keys: Sequence[str | None], most: int, octets: int) -> list[ShelfEvent]:
        """The events of the keys of a URL, in the order of their archives.

        Where there are more than so many, or more octets, one damage of an unknown time stands in the place of all.
        """
        events: list[ShelfEvent] = []
        bodies: dict[bytes, bytes] = {}
        for key in keys:
            room = most - len(events)
            rows = self._base.execute(
                "SELECT count(*) FROM (SELECT 1 FROM event WHERE key IS ? LIMIT ?)", (key, room + 1)
            )
            if rows.fetchone()[0] > room:
                return self._crowded(url, f"more than {most:,} captures")
            for row in self._base.execute("SELECT * FROM event WHERE key IS ?", (key,)):
                event = ShelfEvent._make(row)
                octets -= len(event.record)
                if event.body is not None:
                    event = event._replace(body=(known := bodies.setdefault(event.body, event.body)))
                    octets -= len(known) if known is row[-1] else 0
                if octets < 0:
                    return self._crowded(url, "captures of very many octets")
                events.append(event)
        return sorted(events, key=lambda event: (event.archive, event.place))

    def _crowded(self, url: str | None, what: str) -> list[ShelfEvent]:
        self.leave_out(url, what)
        record = json.dumps(_of_damage(Damage("", 0, what, url, hides=url is None)))
        return [ShelfEvent(_NOWHERE, 0, "damage", url, "", "", None, None, None, record, None)]

    def named_by(self, event: ShelfEvent) -> list[str]:
        """The URLs that a revisit may name; of too many the first 64."""
        revisit = _revisit(json.loads(event.record))
        rows = self._base.execute(
            "SELECT key FROM event WHERE number = ?1 AND ?1 <> ''"
            " UNION SELECT key FROM event WHERE digest = ?2 AND ?2 <> '' LIMIT 64",
            (revisit.refers_to, _digest_text(revisit.digest)),
        )
        return [*(str(key) for (key,) in rows if key is not None), *_keys(revisit.refers_url)]


class ShelvedParts:
    """The parts of an archive on their way to a shelf, in order; each was shelved without what is beside it."""

    def __init__(self, shelf: ArchiveShelf, now: datetime) -> None:
        """`now` as of `shelve`."""
        self._shelf = shelf
        self._now = _micros(now)
        self._is_first = True
        self._places = 0
        self._last: int | None = None
        self._is_past_now = False
        self._open: list[int] = []  # rows of damage behind which no capture came yet

    def add(self, file: Path, edges: ShelfEdges) -> None:
        """Adds the next part, which is in a file of its own."""
        self._shelf.settle(self._open, edges.reached, edges.first)
        rows = self._shelf.place(file, self._places, self._last, is_first=self._is_first)
        self._is_first = False
        if self._is_past_now:
            self._repeat(rows, self._places, edges.before_to_come)
            rows = rows[0], sys.maxsize
        if edges.first is not None:
            self._open = []
        self._open += [row for row, event in self._shelf.damage(rows) if event.after is None]
        self._places += edges.places
        self._last = self._last if edges.last is None else edges.last
        self._is_past_now = self._is_past_now or edges.before_to_come is not None

    def _repeat(self, rows: tuple[int, int], places: int, until: int | None) -> None:
        """Damage behind a date that was to come may be of now as well; of the part itself, that behind one in it is."""
        again = (
            event._replace(reached=self._now)
            for _, event in self._shelf.damage(rows)
            if (until is None or event.place <= places + until) and json.loads(event.record)[2] != _TO_COME
        )
        self._shelf.add(list(again))


class ShelfReplay:
    """A reader that gives the captures of sites as their archives gave them; `paths` stand for these."""

    def __init__(self, events: Iterable[ShelfEvent], urls: Iterable[str] = (), most: int = _UNPACKED) -> None:
        """`urls` are those that were asked for. Captures behind so many octets are damage of an unknown time."""
        self.octets = 0
        """Octets that were unpacked."""
        self.unread: set[str] = set()
        """URLs of captures that were too many octets."""
        self._most = most
        self._bodies: dict[bytes, bytes] = {}
        self._events: dict[Path, list[ShelfEvent]] = {}
        self._names: dict[str | None, str] = {_short(url): url for url in urls}
        for event in events:
            self._events.setdefault(Path(str(event.archive)), []).append(event)

    @property
    def paths(self) -> tuple[Path, ...]:
        """One for each archive."""
        return tuple(self._events)

    def __call__(
        self, path: Path, *, on_problem: Callable[[Damage], None], on_revisit: Callable[[Revisit], None]
    ) -> Iterator[Capture]:
        """As `read_warc`; the records around damage have nothing but their instants."""
        for event in self._events[path]:
            record = json.loads(event.record)
            if event.kind == "capture":
                if (body := self._unpacked(event.body or b"")) is None:
                    self.unread.add(record[0])
                    on_problem(Damage(str(path), 0, f"the site has more than {self._most} octets", record[0]))
                else:
                    yield _capture(record, body)
            elif event.kind == "other":
                yield _other(record, self._names.get(event.key, _BETWEEN.url))
            elif event.kind == "revisit":
                on_revisit(_revisit(record))
            else:
                if event.before is not None:
                    yield replace(_BETWEEN, at=_instant(event.before))
                on_problem(_damage(record))
                if event.reached is not None:
                    on_revisit(Revisit(_BETWEEN.url, _instant(event.reached), 200, ()))
                if event.after is not None:
                    yield replace(_BETWEEN, at=_instant(event.after))

    def _unpacked(self, packed: bytes) -> bytes | None:
        """A body, once for all captures that have it; None behind as many octets as may be unpacked."""
        if (known := self._bodies.get(packed)) is not None:
            return known
        if self.octets > self._most:
            return None
        unpacking = zlib.decompressobj()
        body = unpacking.decompress(packed, self._most - self.octets + 1)
        self.octets += len(body)
        if self.octets > self._most:
            return None
        self._bodies[packed] = body
        return body


def _keys(url: str) -> tuple[str, ...]:
    """The URL as it is asked for; empty if it is none."""
    try:
        name = normal(url)
    except ValueError:
        return ()
    return (name,)


def _is_of_site(key: str) -> bool:
    """Whether a URL, in the one form of it, is that of a document with a place of its own at a site."""
    return key.endswith(_PLACES) and (key == robots_url(key) or is_own_document(key))


def _form(capture: Capture) -> str | None:
    """What a capture has instead of a licence, a policy and a robots.txt; None if it may have one.

    A body counts beside any status, as a revisit has a status of its own, and the body of what it names.
    """
    body = capture.body
    is_document = 200 <= capture.status < 300
    if not body and not is_document:
        return _EMPTY
    kind = _native.document_kind(body)
    if kind == "robots.txt":
        return None
    if is_page(body):
        return "page" if kind != "unreadable" and is_foreign("licence", body) else None
    if not is_document:
        return "binary" if kind == "unreadable" else "page"
    if may_be_read(body) or (_RSL in body.replace(b"\0", b"").lower() and not is_foreign("licence", body)):
        return None
    return "binary" if kind == "unreadable" else "unreadable"


def _locations(capture: Capture) -> Headers:
    """Where a response redirects to."""
    if capture.status not in REDIRECTS:
        return ()
    return tuple(("Location", value) for value in values(capture.headers, "location"))


def _short(key: str) -> str:
    """The key of a URL that the shelf has nothing to say of but what stands there."""
    return "#" + _brief(key.encode())


def _brief(octets: bytes) -> str:
    return blake2b(octets, digest_size=_DIGEST // 2).hexdigest()


def _other(record: list[Any], url: str) -> Capture:
    at, status, form, body, digest, locations = record
    pairs = tuple((name, value) for name, value in locations)
    octets = b"" if form == _EMPTY else _FORMS[form] + body.encode()
    return Capture(url, _instant(at), status, pairs, octets, digest=_digest_of(digest))


def _micros(at: datetime) -> int:
    return (at - _EPOCH) // _MICROSECOND


def _instant(micros: int) -> datetime:
    return _EPOCH + micros * _MICROSECOND


def _digest_text(digest: Digest | None) -> str:
    return "" if digest is None else f"{digest[0]} {digest[1].hex()}"


def _digest_of(text: str) -> Digest | None:
    name, _, octets = text.rpartition(" ")
    return (name, bytes.fromhex(octets)) if name else None


def _of_capture(capture: Capture) -> list[Any]:
    return [
        capture.url,
        _micros(capture.at),
        capture.status,
        capture.headers,
        capture.address,
        capture.reason,
        capture.number,
        _digest_text(capture.digest),
        *([came] if (came := came_by(capture)) else []),
    ]


def _capture(record: list[Any], body: bytes) -> Capture:
    url, at, status, headers, address, reason, number, digest, *came = record
    pairs = tuple((name, value) for name, value in headers)
    metadata: dict[str, Any] = {}
    if came:
        [[*chain, final]] = came
        metadata = {"url": url, "meaning": "", "final_url": final, "chain": [{"url": hop} for hop in chain]}
    return Capture(url, _instant(at), status, pairs, body, address, metadata, reason, number, _digest_of(digest))


def _of_revisit(revisit: Revisit) -> list[Any]:
    refers_at = None if revisit.refers_at is None else _micros(revisit.refers_at)
    named = [revisit.is_named, refers_at, revisit.refers_url, revisit.refers_to]
    return [revisit.url, _micros(revisit.at), revisit.status, revisit.headers, *named, _digest_text(revisit.digest)]


def _revisit(record: list[Any]) -> Revisit:
    url, at, status, headers, is_named, refers_at, refers_url, refers_to, digest = record
    pairs = tuple((name, value) for name, value in headers)
    at_named = None if refers_at is None else _instant(refers_at)
    return Revisit(url, _instant(at), status, pairs, is_named, at_named, refers_url, refers_to, _digest_of(digest))


def _of_damage(damage: Damage) -> list[Any]:
    at = None if damage.at is None else _micros(damage.at)
    return [
        damage.file,
        damage.offset,
        damage.message,
        damage.url,
        at,
        damage.status,
        damage.headers,
        damage.is_other,
        damage.is_end,
        damage.hides,
    ]


def _damage(record: list[Any]) -> Damage:
    file, offset, message, url, at, status, headers, *marks = record
    pairs = tuple((name, value) for name, value in headers)
    return Damage(file, offset, message, url, None if at is None else _instant(at), status, pairs, *marks)

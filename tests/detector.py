"""The detector of forbidden words: where in a store, and in what is shown of it, words of a site occur and may occur.

A word is one that stands once in what a site served, so who finds it knows which element it came from. What may be done
with that element is the reference interpreter's answer, by way of a `Proof`. A fault is a word where it may not be, or
one that is missing where it may be: a store that held nothing would otherwise pass.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from acap.harvest.store.database import words_of
from tests.proofs import Proof
from tests.reference.page_html import Element
from tests.served_pages import PRESENT, Version, lies_in, own_texts

if TYPE_CHECKING:
    from acap.harvest.store import Store

Get = Callable[[str], tuple[int, str, bytes]]

SHORTEST_TAIL = 5
CURRENT = ("present-link", "present-snippet", "present-thumbnail")
SHOWS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"/items/\d+", tuple(usage for usage in PRESENT if not usage.endswith(("copy", "original")))),
    (r"/copies/\d+", ("present-link", "present-currentcopy", "present-oldcopy")),
    (r"/copies/\d+/content", ("present-currentcopy", "present-oldcopy")),
    (r"/original/\d+", ("present-link", "present-original")),
    (r"/", CURRENT),
)
"""Pages of the search service, and the usages by which each shows something; others show nothing of content."""

OUR_STYLE = "/static/acap.css"  # which pages of the service have, and copies have not
AS_RECEIVED = ("any", "format", "style")


@dataclass(frozen=True)
class Home:
    """Where a word stands: a version, the element, and whether in its text or in an attribute."""

    version: Version
    element: Element | None
    is_text: bool


class Detector:
    """Looks for words in one store, whose ledger `proof` has read up to now; `copies` is its directory of copies."""

    def __init__(self, proof: Proof, words: Iterable[str], copies: Path) -> None:
        self.proof = proof
        self.copies = copies
        self.words = sorted(words)
        self._homes: dict[str, list[Home]] = {word: [] for word in self.words}
        self._seen: set[int] = set()

    def homes(self, word: str) -> list[Home]:
        """Where a word stands in what was crawled; what a site serves with an error is no content."""
        for version in self.proof.versions.values():
            if version.number not in self._seen and version.answer.status == 200:
                for element, text, is_text in own_texts(version):
                    for found in set(re.findall(r"[a-z]+", text.casefold())) & set(self._homes):
                        self._homes[found].append(Home(version, element, is_text))
            self._seen.add(version.number)
        return self._homes[word]

    def usable(self, word: str, usage: str, at: datetime, *, held: str | None = None) -> list[Home]:
        """The places from which a word may be used; `held`: only those of versions that are held for a usage."""
        return [
            home
            for home in self.homes(word)
            if (held is None or home.version.number in self.proof.held[held])
            and self.proof.may_use(home.version, home.element, usage, at)
        ]

    # What is held.

    def in_index(self, at: datetime) -> list[str]:
        """Words that a search finds and should not, or does not find and should."""
        found = []
        for word in self.words:
            hits = {number for number, _ in self.proof.store.database.search(words_of(word), 100, 0)}
            usable = self.usable(word, "index", at, held="index")
            may = {home.version.number for home in usable}
            must = {home.version.number for home in usable if self._was_taken(home, "index", at)}
            found += [f"{word} is found in {number}" for number in sorted(hits - may)]
            found += [f"{word} is not found in {number}" for number in sorted(must - hits)]
        return found

    def in_database(self, at: datetime) -> list[str]:
        """Words of which octets are in the files or tables of the database, and which no search may find."""
        octets = database_octets(self.proof.store)
        served = b"\0".join(version.answer.octets.lower() for version in self.proof.versions.values())
        found = []
        for word in self.words:
            if self.usable(word, "index", at, held="index"):
                continue
            for tail in (word[cut:] for cut in range(SHORTEST_TAIL) if len(word) - cut >= SHORTEST_TAIL):
                # An index leaves out the letters that a term has in common with the one before.
                is_own = served.count(tail.encode()) <= served.count(word.encode())
                if is_own and tail.encode() in octets:
                    found.append(f"{tail} of {word} is in the database")
                    break
        return found

    def in_copies(self, at: datetime) -> list[str]:
        """Words that are in a copy and may not be kept, or may and are in none."""
        octets = copies_octets(self.copies)
        found = []
        for word in self.words:
            usable = self.usable(word, "preserve", at, held="preserve")
            is_there = word.encode() in octets
            if is_there and not usable:
                found.append(f"{word} is in a copy")
            if not is_there and any(self._was_taken(home, "preserve", at) for home in usable):
                found.append(f"{word} is in no copy")
        return found

    def _was_taken(self, home: Home, usage: str, at: datetime) -> bool:
        """Whether a word must have been taken: it is text, or alone what must be used, and it could be used then."""
        held = self.proof.held[usage][home.version.number]
        restrictions = self.proof.decide(home.version, usage, at).restrictions
        is_required = any(name == "must-use-resource" for name, *_ in restrictions)
        return (home.is_text or is_required) and self.proof.may_use(home.version, home.element, usage, held.since)

    # What is shown.

    def in_pages(self, get: Get, at: datetime, *, reasons: bool = True) -> list[str]:
        """Words on the pages of the search service that may not be shown, or may be and are not.

        `get` gives status, media type and body of a path. The ledger has to tell of each, so it is read again. Pages
        that tell reasons are many; without `reasons` they are passed over.
        """
        wanted = list(self._wanted(at))
        pages = dict(self._pages(get, wanted, reasons=reasons))
        faults = self.proof.faults()
        for path, text in pages.items():
            usages = next((usages for kind, usages in SHOWS if re.fullmatch(kind, path.partition("?")[0])), ())
            for word in self.words:
                if word in text and not self._may_be_shown(word, usages, at):
                    faults.append(f"{word} is shown at {path}")
        for word, number, usage in wanted:
            places = [_about(word, number)]
            if usage == "present-currentcopy":
                places = [f"/copies/{number}/content", f"/copies/{number}"]  # framed or not
            if not any(word in pages[place] for place in places):
                faults.append(f"{word} of {number} is not shown ({usage})")
        return faults

    def _pages(self, get: Get, wanted: list[tuple[str, int, str]], *, reasons: bool) -> Iterator[tuple[str, str]]:
        """All pages that can be reached from those about words and versions."""
        numbers = sorted(self.proof.versions)
        waiting = ["/operator", *(f"/?q={disguised(word)}" for word in self.words)]
        waiting += [f"/items/{number}" for number in numbers]
        waiting += [f"/copies/{number}{more}" for number in numbers for more in ("", "/content")]
        waiting += [_about(word, number) for word, number, usage in wanted if "snippet" in usage]
        known = set(waiting)
        while waiting:
            path = waiting.pop()
            status, media, body = get(path)
            text = body.decode("utf-8", "replace")
            yield path, unescape(text).casefold() if media == "text/html" else text.casefold()
            is_ours = status == 200 and OUR_STYLE in text
            for link in re.findall(r'(?:href|src)="(/[^"]*)"', text) if is_ours else ():
                path = unescape(link).partition("#")[0]
                if path not in known and not path.startswith(("/static/", *(() if reasons else ("/why/",)))):
                    known.add(path)
                    waiting.append(path)

    def _may_be_shown(self, word: str, usages: Sequence[str], at: datetime) -> bool:
        return any(
            (home.version.number, usage) in self.proof.presented and self._shows(home, usage, at)
            for usage in usages
            for home in self.usable(word, usage, at)
        )

    def _shows(self, home: Home, usage: str, at: datetime) -> bool:
        """Whether a usage shows such text at all: links and pictures come with a title, or what goes with them."""
        if usage not in ("present-link", "present-thumbnail", "present-oldthumbnail", "present-original"):
            return True
        if usage == "present-link" and home.element is not None and home.element.tag == "title":
            return True
        restrictions = self.proof.decide(home.version, usage, at).restrictions
        named = [value for name, value, *_ in restrictions if name in ("must-use-resource", "must-include-resource")]
        return any(lies_in(home.version, home.element, value) for value in named)

    def _wanted(self, at: datetime) -> Iterator[tuple[str, int, str]]:
        """Words that have to be shown: the word, the version, and the usage."""
        for word, home in [(each, home) for each in self.words for home in self.homes(each)]:
            version, number = home.version, home.version.number
            is_back = number in self.proof.held["index"] and not self.proof.decide(version, "index", at).permitted
            if number not in self.proof.held["preserve"] or version.succeeded or is_back or not home.is_text:
                continue
            if self._was_taken(home, "preserve", at):
                for usage in ("present-snippet", "present-currentcopy"):
                    if self._must_be_shown(home, usage, at):
                        yield word, number, usage

    def _must_be_shown(self, home: Home, usage: str, at: datetime) -> bool:
        """Whether a word may be shown without a condition that could stand in its way."""
        restrictions = {(name, value) for name, value, *_ in self.proof.decide(home.version, usage, at).restrictions}
        names = {name for name, _ in restrictions}
        in_the_way = {"must-use-resource", "must-include-resource", "required-context"}
        as_received = any(name == "prohibited-modification" and value in AS_RECEIVED for name, value in restrictions)
        if usage.endswith("copy") and as_received:
            in_the_way |= {"excluded-element"}
        return not names & in_the_way and self.proof.may_use(home.version, home.element, usage, at)


def _about(word: str, number: int) -> str:
    return f"/items/{number}?q={disguised(word)}"


def disguised(word: str) -> str:
    """A query that finds a word and does not have it, so that it is not taken for an echo."""
    return quote(word[0] + "\N{COMBINING ACUTE ACCENT}" + word[1:])


def database_octets(store: Store) -> bytes:
    """Everything in the files of a database with its log, or in all tables of a server, in small letters."""
    if store.database.kind == "sqlite":
        file = Path(store.database.place)
        files = sorted(one for one in file.parent.glob(f"{file.name}*") if one.is_file())
        return b"\0".join(one.read_bytes() for one in files).lower()
    names = store.database.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1")
    assert len(names) > 5
    rows = [row for (name,) in names for row in store.database.rows(f"SELECT t::text FROM {name} t")]
    return "\n".join(str(value) for (value,) in rows).lower().encode()


def copies_octets(directory: Path) -> bytes:
    """Everything in the files with copies, as it lies there and unpacked, in small letters."""
    files = sorted(directory.glob("*")) if directory.is_dir() else []
    raw = [file.read_bytes() for file in files]
    return b"\0".join([*raw, *(gzip.decompress(octets) for octets in raw if octets[:2] == b"\x1f\x8b")]).lower()

"""Known crawlers: product tokens with operator and purpose; a dated list, `crawlers.json`.

    known_crawlers("ai-train")          # those that collect for the training of AI models
    known("Googlebot/2.1").operator     # "Google"
    known("Applebot").fallback          # ("Googlebot",)
    nearest("Gogglebot")                # "Googlebot"

The list has what operators had published about their crawlers by its date. Other crawlers exist.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

PURPOSES: Mapping[str, str] = {
    "ads": "advertising",
    "ai-input": "answers of AI systems",
    "ai-train": "training of AI models",
    "archive": "web archives",
    "brand": "monitoring of brands and media",
    "data": "collections of data",
    "download": "software that anybody runs",
    "feed": "feeds and news readers",
    "legal-deposit": "legal deposit in national libraries",
    "monitoring": "checks of sites for their owners",
    "plagiarism": "search for copied texts",
    "preview": "previews of links and pages",
    "research": "research",
    "search": "search engines",
    "security": "security research",
    "seo": "data for search engine optimisation",
    "shopping": "comparison of offers",
}
"""What crawlers are for."""


FIRST = (
    "Googlebot",
    "Bingbot",
    "Google-Extended",
    "GPTBot",
    "OAI-SearchBot",
    "ClaudeBot",
    "PerplexityBot",
    "CCBot",
    "meta-externalagent",
    "Bytespider",
)
"""The ten that matter where none are named (our choice): the two search engines by which most sites are found; the
token by which Google's models are refused; training and search of the makers of models that sites name most; the open
collection from which others train."""


class Verification(NamedTuple):
    """How an operator lets its crawler be recognised.

    The host name of its address ends in one of `host_suffixes` and leads back to it; its addresses are in the document
    at `addresses`; the keys of its signed requests are in the directory at `signatures` (Web Bot Auth).
    """

    host_suffixes: tuple[str, ...] = ()
    addresses: str | None = None
    signatures: str | None = None


class Control(NamedTuple):
    """What a token of robots.txt decides that no request carries: uses, by content that other crawlers fetch.

    `usages` are what a Disallow of the token refuses its operator; `crawlers` are those whose content it is. Without
    a group of its own it obeys that for `*`, if it `obeys_any`. Decisions obey it: the native core has the same table.
    """

    usages: tuple[str, ...]
    crawlers: tuple[str, ...]
    obeys_any: bool = True


class Seed(NamedTuple):
    """A free list that names a crawler: where it is, its licence and its date."""

    url: str
    licence: str
    date: date


class KnownCrawler(NamedTuple):
    """A crawler of the list.

    `purposes` are keys of `PURPOSES`; `page` is where its operator documents it. A `retired` one no longer runs under
    this name; `instead` is the name that asks since. `token_only`: a name for robots.txt, which no request carries;
    `control` says what it decides. `fallback` are the names whose group it obeys where it has none of its own, in
    order. `seeds` are the names of the free lists that have it, as of `seeds()`; without one the row is ours.
    """

    name: str
    operator: str
    purposes: tuple[str, ...]
    page: str | None = None
    retired: bool = False
    instead: str | None = None
    token_only: bool = False
    fallback: tuple[str, ...] = ()
    verification: Verification | None = None
    control: Control | None = None
    seeds: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its own name, and those it falls back to."""
        return (self.name, *self.fallback)

    @property
    def as_of(self) -> date:
        """The date of the newest of the free lists that have it; without one, of this list."""
        return max((seeds()[name].date for name in self.seeds), default=as_of())


class KnownCrawlers(tuple[KnownCrawler, ...]):
    """Crawlers of the list, by name: a tuple, of which pandas and Polars make a table."""

    __slots__ = ()

    @property
    def as_of(self) -> date:
        """The date of the list."""
        return as_of()

    def __repr__(self) -> str:
        return f"<{len(self)} known crawlers, as of {self.as_of}>"


def known_crawlers(*purposes: str) -> KnownCrawlers:
    """The crawlers of the dated list, by name: all of them, or those that are for one of the purposes.

    Args:
        purposes: keys of `PURPOSES`, such as `ai-train`.

    Returns:
        A tuple of `KnownCrawler`, each with its operator, its purposes, the name that asks since it was retired, the
        names that it falls back to, how its requests are recognised, and the date as of which it is listed.

    Raises:
        ValueError: an unknown purpose.
    """
    for purpose in purposes:
        if purpose not in PURPOSES:
            raise ValueError(f"purpose `{purpose}` is none of {', '.join(PURPOSES)}")
    listed = _table().values()
    return KnownCrawlers(crawler for crawler in listed if not purposes or set(purposes).intersection(crawler.purposes))


def as_of() -> date:
    """The date of the list."""
    return date.fromisoformat(_read()["date"])


@cache
def seeds() -> Mapping[str, Seed]:
    """The free lists from which rows were taken or confirmed, by name."""
    return {
        name: Seed(one["url"], one["licence"], date.fromisoformat(one["date"]))
        for name, one in _read()["seeds"].items()
    }


@lru_cache(maxsize=4096)
def known(name: str) -> KnownCrawler | None:
    """The crawler that a User-agent line names, as crawlers read such names: without version and case."""
    table = _table()
    for key in _keys(name):
        if key in table:
            return table[key]
    return None


def fallback(name: str) -> tuple[str, ...]:
    """The names whose group a crawler obeys where it has none of its own, in order."""
    return _fallbacks().get(name.strip().lower(), ())


@cache
def _fallbacks() -> dict[str, tuple[str, ...]]:
    """Read from the few rows that have them, for the whole list is read in twenty times as long."""
    rows = map(json.loads, re.findall(r'^ *(\{.*"fallback": .*\}),?$', _text(), re.MULTILINE))
    return {row["name"].lower(): tuple(row["fallback"]) for row in rows}


def with_fallback(name: str) -> tuple[str, ...]:
    """A name with those whose group a known crawler obeys where it has none of its own, in order."""
    return name, *fallback(name)


def names_in(text: str) -> tuple[str, ...]:
    """The names that commas divide; a User-Agent string (it has a parenthesis) keeps its commas, and is one."""
    pieces = (text,) if "(" in text else text.split(",")
    return tuple(name for piece in pieces if (name := piece.strip()))


def crawler_names(text: str) -> tuple[str, ...]:
    """The names of one crawler as a person writes them, in order; none of an empty text.

    A single name has those behind it whose group a known crawler obeys where it has none of its own.
    """
    names = names_in(text)
    return with_fallback(names[0]) if len(names) == 1 else names


@lru_cache(maxsize=4096)
def nearest(name: str) -> str | None:
    """The known name that was probably meant by one that is not known; None if none is near.

    Near is a name with the same letters and digits (`GPT Bot`), one a single typo away (`Gogglebot`), and a crawler
    whose operator or product is named in its place (`OpenAI`).
    """
    if known(name) is not None:
        return None
    written, product = name.strip().lower(), name.partition("/")[0].rstrip(" *+!").lower()
    if intended := _misnomers().get(written) or _misnomers().get(product):
        return intended
    squeezed = _squeezed(written)
    spellings = _spellings()
    if len(squeezed) >= _FEWEST and (same := spellings.get(squeezed)):
        return same
    if not _FEWEST_TO_SLIP <= len(squeezed) <= _MOST:
        return None
    slips = _slips()
    for variant in (squeezed, *_shorter(squeezed)):
        for candidate in slips.get(variant, ()):
            if _one_slip(squeezed, candidate):
                return spellings[candidate]
    return None


@lru_cache(maxsize=4096)
def near_miss(name: str) -> str | None:
    """The known name that a person who asks may have meant by one that is not known: `nearest`, or a short name.

    A policy may name a short name that is a typo away from a known one, and mean it; who asks by `GTPBot` rarely does.
    """
    if known(name) is not None:
        return None
    if near := nearest(name):
        return near
    written = _squeezed(name.strip().lower())
    if not _FEWEST_TO_ASK <= len(written) <= _MOST:
        return None
    short = (one for one in _spellings() if len(one) >= _FEWEST_TO_ASK and abs(len(one) - len(written)) < 2)
    return next((_spellings()[one] for one in short if _one_slip(written, one)), None)


_FEWEST, _FEWEST_TO_ASK, _FEWEST_TO_SLIP, _FEWEST_TO_REPLACE = 4, 5, 7, 9
"""Fewest letters: a shorter name resembles too many others."""
_MOST = 64
"""Most letters of a misspelt name; the longest known one has half as many."""

_PRODUCT = re.compile(r"[A-Za-z0-9._-]+")
_VERSION = re.compile(r"\s+v?\.?\d[\w.]*\Z")
_TOKEN = re.compile(r"[A-Za-z_-]{3,}")


def _keys(name: str) -> Iterator[str]:
    """The keys under which a name may be in the list, the longest first."""
    name = name.strip().lower()
    yield name
    product = _VERSION.sub("", name.partition("/")[0].rstrip(" *+"))
    yield product
    # The leading product name counts, but a name with blanks must be in the list as a whole.
    if " " not in product and (leading := _PRODUCT.match(product)):
        yield leading[0].rstrip("._-")
        if token := _TOKEN.match(product):
            yield token[0].rstrip("_-")


@cache
def _text() -> str:
    return Path(__file__).with_name("crawlers.json").read_text(encoding="utf-8")


@cache
def _read() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_text())
    return found


@cache
def _table() -> Mapping[str, KnownCrawler]:
    found = _read()
    verification = {name: _verification(one) for name, one in found["verification"].items()}
    return {one["name"].lower(): _crawler(one, verification) for one in found["crawlers"]}


def _crawler(row: Mapping[str, Any], verification: Mapping[str, Verification]) -> KnownCrawler:
    control = row.get("control")
    return KnownCrawler(
        row["name"],
        row["operator"],
        tuple(row["for"]),
        row.get("page"),
        row.get("retired", False),
        row.get("instead"),
        row.get("token_only", False),
        tuple(row.get("fallback", ())),
        verification[row["verified"]] if "verified" in row else None,
        None if control is None else _control(control),
        tuple(row.get("seeds", ())),
    )


def _control(row: Mapping[str, Any]) -> Control:
    return Control(tuple(row["usages"]), tuple(row["crawlers"]), row.get("obeys_any", True))


def _verification(row: Mapping[str, Any]) -> Verification:
    return Verification(tuple(row.get("host_suffixes", ())), row.get("addresses"), row.get("signatures"))


@cache
def _misnomers() -> Mapping[str, str]:
    return {written.lower(): name for written, name in _read()["meant"].items()}


def _squeezed(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum())


@cache
def _spellings() -> Mapping[str, str]:
    """Names by their letters and digits; an active crawler counts before a retired one."""
    names: dict[str, str] = {}
    for crawler in sorted(_table().values(), key=lambda one: one.retired):
        names.setdefault(_squeezed(crawler.name.lower()), crawler.name)
    return names


@cache
def _slips() -> Mapping[str, list[str]]:
    """Each name, and each name without one letter, to the names it comes from: names one typo apart share a key."""
    names: dict[str, list[str]] = {}
    for name in _spellings():
        if len(name) >= _FEWEST_TO_SLIP:
            for variant in (name, *_shorter(name)):
                names.setdefault(variant, []).append(name)
    return names


def _shorter(name: str) -> Iterator[str]:
    return (name[:at] + name[at + 1 :] for at in range(len(name)))


def _one_slip(name: str, other: str) -> bool:
    """Whether one letter is missing, added, replaced or exchanged with its neighbour; a different digit is no typo."""
    longer, shorter = (name, other) if len(name) >= len(other) else (other, name)
    at = next((at for at, letter in enumerate(shorter) if letter != longer[at]), len(shorter))
    if len(longer) == len(shorter) + 1:
        return longer[at].isalpha() and longer[at + 1 :] == shorter[at:]
    if len(longer) != len(shorter) or at == len(shorter):
        return False
    if not (longer[at].isalpha() and shorter[at].isalpha()):
        return False
    swapped = longer[at : at + 2] == shorter[at : at + 2][::-1]
    if swapped and longer[at + 2 :] == shorter[at + 2 :]:
        return True
    # With one other letter a short name may be that of another crawler.
    return len(name) >= _FEWEST_TO_REPLACE and at > 0 and longer[at + 1 :] == shorter[at + 1 :]

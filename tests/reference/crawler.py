"""Who asks: names, lists of names, User-Agent strings; and which lines address them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from .text import ascii_lower, leading_name

PRODUCT_TOKEN = re.compile(r"[A-Za-z_-]*")  # RFC 9309 2.2.1
COMPATIBLE = re.compile(r"compatible[;:](?=([^();,]*))", re.IGNORECASE | re.ASCII)
COMMENT = re.compile(r"\(([^()]*)")
PRODUCT = re.compile(r"([A-Za-z0-9._-]+)(?![A-Za-z0-9._:@-])")
WORD = re.compile(r"[^()\[\];,\"'<>\s]+", re.ASCII)
VERSIONED = re.compile(r"([A-Za-z0-9._-]+)/")
NO_CRAWLERS = [
    "android",
    "chrome",
    "firefox",
    "iphone",
    "linux",
    "macintosh",
    "mozilla",
    "msie",
    "safari",
    "trident",
    "windows",
    "x11",
]

LISTED = {
    one["name"].lower()
    for one in json.loads((Path(__file__).parents[2] / "src/acap/crawlers.json").read_text())["crawlers"]
}
MOST_NAMES = 64


@dataclass(frozen=True)
class Crawler:
    """A crawler by its names, most specific first; the restrictions it can keep (None: all); what silence means."""

    names: Sequence[str]
    honours: frozenset[str] | None = None
    silence: Mapping[str, str] = field(default_factory=dict)


def as_crawler(crawler: str | Sequence[str] | Crawler) -> Crawler:
    """The crawler somebody means. ValueError if there is no name at all."""
    if not isinstance(crawler, Crawler):
        crawler = Crawler([crawler] if isinstance(crawler, str) else list(crawler))
    if not crawler.names or not all(name.strip() for name in crawler.names):
        raise ValueError("the crawler has no name")
    return crawler


@lru_cache(2_000)
def product_name(crawler: str) -> str:
    """The name in a User-Agent string, or the name as it is; lower case, empty if there is none.

    Of a browser's string: the name after `compatible;`, else the product of the last comment that has one, else the
    name after a semicolon behind the comments, else the first name of a known crawler. Of any other a product after
    `compatible;`, else the first one.
    """
    crawler = crawler.strip()
    leading = leading_name(crawler)
    if not is_user_agent(crawler):
        return leading or next(iter(known_names(crawler)), "")
    compatible = COMPATIBLE.findall(crawler)
    if leading != "mozilla":
        return next(crawlers_in(VERSIONED, compatible), leading) or next(iter(known_names(crawler)), "")
    comments = [part for comment in reversed(COMMENT.findall(crawler)) for part in re.split("[;,]", comment)]
    behind = re.split(r"[\[(]", crawler.rpartition(")")[2])[0].split(";")[1:]
    offered = (*crawlers_in(PRODUCT, compatible), *crawlers_in(VERSIONED, comments), *crawlers_in(PRODUCT, behind))
    return next(iter((*offered, *known_names(crawler))), "")


def is_user_agent(text: str) -> bool:
    """Whether a text is a User-Agent string and not a name."""
    return bool(re.search(r"[/();\s]", text, re.ASCII))


@lru_cache(2_000)
def known_names(text: str) -> list[str]:
    """The names of known crawlers that stand in a string as words, or as products; `like Googlebot` is another."""
    words = WORD.findall(text)
    found = [next(crawlers_in(PRODUCT, [re.sub("^[^A-Za-z0-9._-]+", "", word)]), "") for word in words]
    return [
        name
        for before, name in zip(["", *words], found, strict=False)
        if name in LISTED and ascii_lower(before) != "like"
    ]


@lru_cache(2_000)
def other_names(text: str) -> list[str]:
    """The other names in a User-Agent string: the leading product, but for a browser's, and those of known crawlers."""
    text = text.strip()
    if not is_user_agent(text):
        return []
    names = [*crawlers_in(PRODUCT, [text]), *known_names(text)]
    return [name for name in dict.fromkeys(names) if name != product_name(text)]


def askers(crawler: Crawler, is_named: Callable[[str], bool]) -> list[Crawler]:
    """A crawler by its names, and by each further one of its strings that a policy names: each is told it as well.

    ValueError if there are too many of them.
    """
    others = others_of(crawler)
    if len(others) > MOST_NAMES:
        raise ValueError("the crawler has too many further names")
    return [crawler, *(replace(crawler, names=[name]) for name in others if is_named(name))]


def others_of(crawler: Crawler) -> list[str]:
    """The further names of its User-Agent strings."""
    return list(dict.fromkeys(name for text in crawler.names for name in other_names(text)))


def crawlers_in(form: re.Pattern[str], parts: Sequence[str]) -> Iterator[str]:
    """The names, in this form, that parts of a comment begin with; browsers and systems are no crawlers."""
    found = (form.match(part.strip(" \t\n\v\f\r")) for part in parts)
    names = (ascii_lower(product[1]) for product in found if product)
    return (name for name in names if name not in NO_CRAWLERS)


def names_of(crawler: Crawler) -> list[str]:
    """The names to look for, in order."""
    return list(product_names(tuple(crawler.names)))


@lru_cache(2_000)
def product_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names in several texts."""
    return tuple(name for name in map(product_name, names) if name)


def product_token(text: str) -> str:
    """The leading run of the characters of an RFC product token, lower case."""
    found = PRODUCT_TOKEN.match(text)
    return ascii_lower(found[0]) if found else ""


def agent_line_names(value: str, name: str) -> bool:
    """Whether a User-agent line names the crawler: by its whole name, or by its RFC token as Google reads it."""
    return name in {leading_name(value), product_token(value)}


def agent_line_is_default(value: str) -> bool:
    """Whether a User-agent line is for everybody; text after the `*` does not matter."""
    return value == "*" or (value.startswith("*") and value[1] in " \t\v\f")


def first_named(names: Sequence[str], is_named: Callable[[str], bool]) -> str | None:
    """The first of the names that somebody names; None if none."""
    return next((name for name in names if is_named(name)), None)

"""The crawlers that a META element addresses: every one, one by its name, or none."""

from __future__ import annotations

import re
from collections.abc import Iterable

from acap import _native
from acap.pages import words
from acap.pages.html import Meta

NO_CRAWLERS = frozenset(
    {
        "application-name", "author", "color-scheme", "copyright", "description", "format-detection", "generator",
        "keywords", "rating", "referrer", "theme-color", "title", "viewport",
    }
)  # fmt: skip
"""Names of META elements that are not names of crawlers, whatever words their contents have."""

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_ANYBODY = re.compile(r"\*(?:[ \t\v\f]|$)")


def speaks(meta: Meta) -> bool:
    """Whether a META element may have conventional words, or a mark of ACAP after other words."""
    if is_for_all(meta):
        return True
    return not is_prose(meta) and (words.mentions(meta.content) or "acap" in meta.content.lower())


def is_prose(meta: Meta) -> bool:
    """Whether the name of a META element is not a crawler's."""
    return meta.name.lower() in NO_CRAWLERS or ":" in meta.name


def is_for_all(meta: Meta) -> bool:
    return words.plain(meta.name).strip().lower() == "robots"


def addressee(meta: Meta) -> str | None:
    """The crawler that an ACAP tag addresses; none for every crawler."""
    return crawler_named(meta.name)


def crawler_named(name: str) -> str | None:
    """The name of a crawler as written; none for every crawler.

    # DEVIATION: P2 2.2.1 knows `robots` and names of crawlers. A name that is neither, or is `robots` and more, or has
    # an invisible character, may be meant for every crawler: it is read so, and permits nothing.
    """
    found = None if _native.is_hidden(name) else _NAME.match(name)
    return None if found is None or found[0].lower() == "robots" else name


def addressee_of_words(meta: Meta) -> str | None:
    """The crawler that conventional words address, as a User-agent line does; none for every crawler."""
    name = words.plain(meta.name)
    return None if is_for_all(meta) or _ANYBODY.match(name) else name


def is_named(written: str, names: Iterable[str]) -> bool:
    return any(_native.addresses(written, name) for name in names)

"""The crawlers that a META element addresses: every one, one by its name, or none."""

from __future__ import annotations

import re
from collections.abc import Iterable

from acap import _native
from acap.pages import words
from acap.remembered import remembered

NO_CRAWLERS = frozenset(
    {
        "application-name", "author", "color-scheme", "copyright", "description", "format-detection", "generator",
        "keywords", "rating", "referrer", "theme-color", "title", "viewport",
    }
)  # fmt: skip
"""Names of META elements that are not names of crawlers, whatever words their contents have."""

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_ANYBODY = re.compile(r"\*(?:[ \t\v\f]|$)")


def speaks(name: str, content: str) -> bool:
    """Whether a META element may have conventional words, or a mark of ACAP after other words."""
    if is_for_all(name):
        return True
    return not is_prose(name) and (words.mentions(content) or "acap" in content.lower())


def is_prose(name: str) -> bool:
    """Whether the name of a META element is not a crawler's."""
    return name.lower() in NO_CRAWLERS or ":" in name


@remembered
def is_for_all(name: str) -> bool:
    """Whether a META element of a name addresses every crawler."""
    return words.plain(name).strip().lower() == "robots"


@remembered
def crawler_named(name: str) -> str | None:
    """The crawler that an ACAP tag addresses, by its name as written; none for every crawler.

    # DEVIATION: P2 2.2.1 knows `robots` and names of crawlers. A name that is neither, or is `robots` and more, or has
    # an invisible character, may be meant for every crawler: it is read so, and permits nothing.
    """
    found = None if _native.is_hidden(name) else _NAME.match(name)
    return None if found is None or found[0].lower() == "robots" else name


def addressee_of_words(name: str) -> str | None:
    """The crawler that conventional words address, as a User-agent line does; none for every crawler."""
    bare = words.plain(name)
    return None if is_for_all(name) or _ANYBODY.match(bare) else bare


def is_named(written: str, names: Iterable[str]) -> bool:
    return any(_native.addresses(written, name) for name in names)

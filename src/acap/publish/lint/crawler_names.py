"""Names of crawlers in a document: where they stand, and which of them are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acap.crawler_list import known, known_crawlers
from acap.outline import Field, Span
from acap.publish.lint.document import Document

_PRODUCT = re.compile(r"[A-Za-z0-9._-]+")


_DEAF = ("adsbot-google", "mediapartners-google", "google-adwords")
"""Beginnings of names that hear no group for any crawler, as their operator documents."""


class Named(NamedTuple):
    """A line that names a crawler, and the name as it is written, and where."""

    line: int
    name: str
    span: Span


def product(name: str) -> str:
    """The part of a name that crawlers compare, in lower case; `*` and what has no such part stay as they are."""
    match = _PRODUCT.match(name)
    return (match[0] if match else name).lower()


def compared(name: str) -> str:
    """What says whether two lines name one crawler: what follows a blank some readers drop, and others compare."""
    return name.lower() if " " in name else product(name)


def named(document: Document) -> Iterator[Named]:
    """Every name of a crawler in a robots.txt, conventional ones first; `*` and empty names are left out."""
    for group in document.groups:
        for agent in group.agents:
            if agent.value.strip("* "):
                yield Named(agent.line, agent.value, agent.value_span)
    for field in document.acap_fields:
        yield from (one for one in addressed(field) if one.name != "*")


def addressed(field: Field) -> Iterator[Named]:
    """The names on a crawler line of ACAP."""
    return (Named(field.line, word.text, word.span) for word in field.words if word.role == "crawler")


def is_known(document: Document, name: str) -> bool:
    """Whether the list knows a crawler of that name, or the document's configuration names it."""
    own = document.known_crawlers
    return known(name) is not None or (bool(own) and not own.isdisjoint((name, name.lower(), product(name))))


def stands_for_several(name: str) -> bool:
    """Whether no known crawler bears a name, and some begin with it, as with `Google`."""
    return known(name) is None and any(crawler.name.lower().startswith(name.lower()) for crawler in known_crawlers())


def hears_any(name: str) -> bool:
    """Whether the crawler of a name follows the group of `*` where it is not named."""
    crawler = known(name)
    obeys = crawler is None or crawler.control is None or crawler.control.obeys_any
    return obeys and not name.lower().startswith(_DEAF)


def listing(names: Sequence[str], most: int = 4) -> str:
    """Some names in words: `a`, `b` and 3 more."""
    each = [f"`{name}`" for name in dict.fromkeys(names)]
    if len(each) > most + 1:
        return f"{', '.join(each[:most])} and {len(each) - most} more"
    return each[0] if len(each) == 1 else f"{', '.join(each[:-1])} and {each[-1]}"

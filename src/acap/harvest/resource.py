"""A resource, and the versions of it that were crawled: what is kept of each, since when, and until when."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from acap.harvest.copies.place import Place
from acap.harvest.values import microseconds, storable
from acap.pages.headers import PAGES
from acap.restrictions import Facts
from acap.retrieval.answers import Headers

_INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Resource:
    """A URL and what is known of it; `current` is the number of the version last crawled.

    The first times are of any version, and stay when the index entry or copy is gone: a number of days counts from the
    very first time.

    `speaking` is the number of the last version that had a usable body: its statements are those of the resource now.
    `later_headers` are headers with statements of a later response without a body. `passages` are those of the elements
    with statements of the speaking version (`harvest.passages`).
    """

    id: int
    url: str
    site: str
    current: int | None
    first_crawled: datetime | None
    last_crawled: datetime | None
    first_indexed: datetime | None
    first_preserved: datetime | None
    first_presented: datetime | None
    review_at: datetime | None
    speaking: int | None = None
    later_headers: Headers = ()
    passages: str = ""

    @property
    def later_headers_text(self) -> str:
        """`later_headers` as a text to compare; empty where there are none."""
        return headers_text(self.later_headers)

    def facts(self, version: Version | None = None, at: datetime | None = None) -> Facts:
        """What a decision has to know; `last_crawled` only of a version that was succeeded.

        `until-recrawled` ends with the crawl after the one that brought the version, also where an archive brought
        both at once. `at`: what did not take place yet takes place then, if it may.
        """
        firsts = (self.first_indexed or at, self.first_preserved or at, self.first_crawled or at)
        last = None if version is None else version.succeeded_at
        if last is not None:
            last = max([last, *(one + _INSTANT for one in firsts if one is not None)])
        return Facts(*firsts, last)


class Extent(NamedTuple):
    """How much of a resource the index or a copy has, and of what it was made; stored as a text.

    `parts` are those that were permitted (`Judgement.parts`; empty: all). `of_copy` is the extent of the copy that it
    was made of, empty if that had everything or it was made of the response. `supply` is the state of another resource
    whose text is in its place, empty without one.
    """

    parts: str
    of_copy: str = ""
    supply: str = ""

    @classmethod
    def read(cls, text: str) -> Extent:
        """The extent that is stored as a text."""
        made, _, supply = text.partition("\nby ")
        parts, _, of_copy = made.partition("\nof ")
        return cls(parts, of_copy, supply)

    def __str__(self) -> str:
        of_copy = f"\nof {self.of_copy}" if self.of_copy else ""
        return f"{self.parts}{of_copy}" + (f"\nby {self.supply}" if self.supply else "")


@dataclass(frozen=True, slots=True)
class Version:
    """A state of a resource, as one crawl brought it, without its octets.

    `skeleton` is its HTML without content, `headers` are as received, `decisions` those made when it was crawled, by
    usage. `place` is that of its copy, None if none is kept. `terms` and `parts` are the `Extent` of its index
    entry and of its copy, as texts.
    """

    id: int
    resource: int
    url: str
    crawled_at: datetime
    confirmed_at: datetime
    succeeded_at: datetime | None
    status: int
    headers: Headers
    media: str
    length: int
    sha256: str
    policy: int
    skeleton: str
    decisions: dict[str, Any]
    is_indexed: bool
    terms: str
    parts: str
    place: Place | None

    @property
    def digest(self) -> str:
        """SHA-256 of the response and of the decisions: of all fields but those of index and copy."""
        texts = (self.url, self.media, self.sha256, self.skeleton)
        values = [
            *map(storable, texts), microseconds(self.crawled_at), microseconds(self.confirmed_at), self.status,
            json.dumps(self.headers), self.length, self.policy, json.dumps(self.decisions),
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(values).encode()).hexdigest()

    @property
    def is_html(self) -> bool:
        """Whether it is a page."""
        return self.media in PAGES or bool(self.skeleton)


def headers_text(headers: Headers) -> str:
    """Headers as a text to compare; empty where there are none."""
    return json.dumps(headers) if headers else ""

"""What a resource says now: the words of its latest response, which speak for every version that is held of it.

A page is a resource with a history. What its latest response prohibits or restricts is so for its earlier versions too,
and it permits them nothing that they did not permit themselves.

The laws of this module:

1. Of a response without a body that could be read as a whole its headers are heard, to prohibit. What passes (5xx, 429,
   a body that was cut) only adds to what was heard before; what lasts (404, a redirect) speaks in its place.
2. A body that could not be read may have prohibited everything: until one can be read nothing of the resource is shown.
   So it is where the site says that it may not show it (status 451). What is held for that stays held.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from acap.harvest.account import LEGAL
from acap.harvest.passages import UNTOLD
from acap.pages.page import PagePolicy, parse_page
from acap.pages.signals import decides
from acap.pages.skeleton import HEADERS

if TYPE_CHECKING:
    from datetime import datetime

    from acap.harvest.passages import Passages
    from acap.harvest.store.resources import Resource, Resources, Version
    from acap.restrictions import Facts
    from acap.retrieval.answers import Headers

_TYPE = "content-type"
_LENGTHS = ("content-length", "content-range")
_STATUS, _UNREAD = ":status", ":unread"  # no header has such a name
_MOST_LETTERS = 1 << 15  # of what is heard


@dataclass(frozen=True)
class Latest:
    """The words of a resource: of its last response with a usable body, and of the headers of a later one without.

    `version` is what that body brought, `facts` are those of that version.
    """

    version: Version
    facts: Facts
    heard: Headers = ()
    told: str = ""

    @cached_property
    def page(self) -> PagePolicy:
        """The last usable response, without its content."""
        return page_without_content(self.version)

    @cached_property
    def headers(self) -> PagePolicy | None:
        """The headers of a later response without a usable body, as far as they say anything."""
        return said_in(self.version.url, self.version.headers, self.heard)

    @property
    def is_untold(self) -> bool:
        """Whether it says something in words that are not kept, so that nobody can tell what of earlier versions."""
        return self.told == UNTOLD

    def passages(self, number: int) -> Passages | None:
        """What text an element had, by its number among those that say something; None if that cannot be told."""
        return self._passages[number] if number < len(self._passages) else None

    @cached_property
    def _passages(self) -> list[Passages | None]:
        return [] if self.is_untold or not self.told else list(json.loads(self.told))


def latest_of(resources: Resources, resource: Resource, at: datetime | None = None) -> Latest | None:
    """What a resource says now; None if nothing of it was read yet. `at` as of `Resource.facts`."""
    version = None if resource.speaking is None else resources.version(resource.speaking)
    if version is None:
        return None
    return Latest(version, resource.facts(version, at), resource.heard, resource.passages)


def said_in(url: str, headers: Headers, heard: Headers) -> PagePolicy | None:
    """What was heard beside a response with these headers, as far as it says anything."""
    said = statements_of(heard)
    if not said:
        return None
    # Whether a word about images is about the resource itself is told by its type.
    media = [one for one in headers if one[0].lower() == _TYPE]
    return parse_page(None, url=url, headers=(*media, *said))


def page_without_content(version: Version) -> PagePolicy:
    """What a version said, by its skeleton and its headers."""
    html = version.skeleton if version.is_html else None
    return parse_page(html, url=version.url, headers=of_whole(version.headers))


def of_whole(headers: Headers) -> Headers:
    """The headers of a response that was whole when it came: a reduced copy has fewer octets than they say."""
    return tuple(one for one in headers if one[0].lower() not in _LENGTHS)


def statements_of(headers: Headers) -> Headers:
    """The headers of a response that carry statements."""
    return tuple(one for one in headers if is_statement(*one) and one[0].lower() != _TYPE)


def is_statement(name: str, value: str) -> bool:
    """Whether a header says something, or decides what others say."""
    return name.lower() in HEADERS or decides((name.lower(), value))


def heard(before: Headers, headers: Headers, *, status: int, unread: str = "", lasts: bool = False) -> Headers:
    """What is heard of a resource once a response came without a body that could be read, and `before` it.

    `unread`: why a body that would have spoken could not be read. `lasts`: the response is no passing one.
    """
    marks = [(_UNREAD, unread)] if unread else [(_STATUS, str(status))] if status == LEGAL else []
    kept = [one for one in before if one[0].startswith(":") or not lasts]
    found = tuple(dict.fromkeys((*kept, *statements_of(headers), *marks)))
    if sum(len(name) + len(value) for name, value in found) <= _MOST_LETTERS:
        return found
    return ((_UNREAD, "its headers say more than is kept"),)


def doubted(before: Headers, why: str) -> Headers:
    """What is heard of a resource of whose last response nothing is known, and `before` it."""
    return (*(one for one in before if one[0] != _UNREAD), (_UNREAD, why))


def withheld(resource: Resource) -> str:
    """Why nothing of a resource is shown for what it answered last; empty: that is no matter."""
    for name, value in resource.heard:
        if name == _STATUS:
            return f"its site withholds it for legal reasons (status {value})"
        if name == _UNREAD:
            return f"what it answered last could not be read, and may have prohibited it: {value}"
    return ""

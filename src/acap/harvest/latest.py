"""The latest response of a resource, whose statements count for every version of it that is kept.

A page is a resource with a history. Its latest response prohibits and restricts its earlier versions too, but permits
nothing that they did not permit themselves.

The laws of this module:

1. The headers of a response without a body that could be read as a whole count, but only prohibit. A passing response
   (5xx, 429, a body that was cut) adds to the headers before; a lasting one (404, a redirect) replaces them.
2. A body that could not be read may have prohibited everything: until one can be read, nothing of the resource is
   shown. The same applies if the site may not show it (status 451), and if it asks for a payment (402). Copies that are
   kept stay.
3. Terms in the body of an answer (401, 402) are about the resource, as its headers are: they count with them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from acap.decision import STRICTNESS, Cited, Decision, Outcome, Reason, changed, restriction_statements
from acap.dialects.response import PAYMENT_REQUIRED
from acap.dialects.rsl.associations import RslLicences
from acap.harvest.account import LEGAL
from acap.harvest.passages import UNKNOWN, Passages
from acap.harvest.resource import Resource, Version
from acap.pages.page import PagePolicy, parse_page, read_page
from acap.pages.signals import decides
from acap.pages.skeleton import HEADERS
from acap.restrictions import Facts
from acap.retrieval.answers import Headers

_TYPE = "content-type"
_LENGTHS = ("content-length", "content-range")
_STATUS, _UNREAD, _TERMS = ":status", ":unread", ":terms"  # no header has such a name
_WITHHELD = {LEGAL: "its site withholds it for legal reasons", PAYMENT_REQUIRED: "its site asks for a payment"}
_MOST_LETTERS = 1 << 15  # of the headers that are kept


@dataclass(frozen=True)
class Latest:
    """The statements of a resource: of its last response with a usable body, and of the headers of a later one without.

    `version` is that of the body, `facts` are those of that version.
    """

    version: Version
    facts: Facts
    later_headers: Headers = ()
    stored_passages: str = ""

    @cached_property
    def page(self) -> PagePolicy:
        """The last usable response, without its content."""
        return page_without_content(self.version)

    @cached_property
    def headers(self) -> PagePolicy | None:
        """The headers with statements of a later response without a usable body."""
        return page_of_headers(self.version.url, self.version.headers, self.later_headers)

    @property
    def lacks_passages(self) -> bool:
        """Whether it has statements whose words are not kept, so that their effect on earlier versions is unknown."""
        return self.stored_passages == UNKNOWN

    def passages(self, number: int) -> Passages | None:
        """The passages of an element, by its number among those with statements; None if they are unknown."""
        return self._passages[number] if number < len(self._passages) else None

    @cached_property
    def _passages(self) -> list[Passages | None]:
        return [] if self.lacks_passages or not self.stored_passages else list(json.loads(self.stored_passages))


def stricter(own: Decision, more: Decision) -> Decision:
    """The joint decision of two responses: the stricter outcome, and the restrictions of both.

    DEVIATION: a resource that another response says must be used cannot be identified by this one, so the usage that
    requires it is prohibited.
    """
    difference = STRICTNESS[more.outcome] - STRICTNESS[own.outcome]
    if difference or own.outcome == Outcome.PROHIBITED:
        return more if difference > 0 else own
    known = set(map(str, own.restrictions))
    added = [one for one in more.restrictions if one.name != "excluded-element" and str(one) not in known]
    if not added:
        return own
    if any(restriction.name == "must-use-resource" for restriction in added):
        return prohibited(own, more.reason.decided_by)
    return changed(
        own,
        held=[*restriction_statements(own), *restriction_statements(more)],
        stated=own.stated or more.stated,
        restrictions=(*own.restrictions, *added),
        reason=own.reason._replace(decided_by=(*own.reason.decided_by, *more.reason.decided_by)),
    )


def prohibited(own: Decision, cited: tuple[Cited, ...] = ()) -> Decision:
    """The decision as a prohibition by these statements, or without any by an element."""
    reason = Reason("statement" if cited else "element-level", cited)
    return changed(own, outcome=Outcome.PROHIBITED, stated=True, restrictions=(), reason=reason)


def page_of_headers(url: str, headers: Headers, later: Headers) -> PagePolicy | None:
    """The statements of headers that were received beside a response with these headers, and of terms that came with
    them; None without any.
    """
    statements, terms = statements_of(later), tuple(_terms(later))
    if not statements and not terms:
        return None
    # The media type decides whether a statement about images is about the resource itself.
    media = [one for one in headers if one[0].lower() == _TYPE]
    page = parse_page(None, url=url, headers=(*media, *statements))
    return read_page(None, url, page.headers, beside=terms) if terms else page


def _terms(headers: Headers) -> Iterator[RslLicences]:
    """The terms that answers had in their bodies."""
    for name, value in headers:
        if name == _TERMS:
            yield RslLicences(answer=base64.b64decode(value))


def page_without_content(version: Version) -> PagePolicy:
    """The statements of a version, by its skeleton and its headers."""
    html = version.skeleton if version.is_html else None
    return parse_page(html, url=version.url, headers=of_whole(version.headers))


def of_whole(headers: Headers) -> Headers:
    """The headers of a response that was whole when it came: a reduced copy has fewer octets than `Content-Length`."""
    return tuple(one for one in headers if one[0].lower() not in _LENGTHS)


def statements_of(headers: Headers) -> Headers:
    """The headers of a response that carry statements."""
    return tuple(one for one in headers if is_statement(*one) and one[0].lower() != _TYPE)


def is_statement(name: str, value: str) -> bool:
    """Whether a header is a statement, or decides how others are read."""
    return name.lower() in HEADERS or decides((name.lower(), value))


def headers_after(
    before: Headers, headers: Headers, *, status: int, unread: str = "", lasts: bool = False, terms: bytes = b""
) -> Headers:
    """The headers that count for a resource after a response without a readable body; `before` are those before it.

    `unread`: why a body that is the resource's could not be read. `lasts`: the response is not a passing one. `terms`
    are those in the body of an answer.
    """
    marks = [(_UNREAD, unread)] if unread else [(_STATUS, str(status))] if status in _WITHHELD else []
    marks += [(_TERMS, base64.b64encode(terms).decode())] if terms else []
    kept = [one for one in before if one[0].startswith(":") or not lasts]
    joint = tuple(dict.fromkeys((*kept, *statements_of(headers), *marks)))
    if sum(len(name) + len(value) for name, value in joint) <= _MOST_LETTERS:
        return joint
    return ((_UNREAD, "its headers say more than is kept"),)


def headers_in_doubt(before: Headers, why: str) -> Headers:
    """The headers that count for a resource whose last response is unknown; `before` are those before it."""
    return (*(one for one in before if one[0] != _UNREAD), (_UNREAD, why))


def withheld(resource: Resource) -> str:
    """Why nothing of a resource is shown because of its last response; empty if it is shown."""
    for name, value in resource.later_headers:
        if name == _STATUS:
            return f"{_WITHHELD[int(value)]} (status {value})"
        if name == _UNREAD:
            return f"what it answered last could not be read, and may have prohibited it: {value}"
    return ""

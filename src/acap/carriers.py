"""The carriers of a response: headers, a page, metadata in a file. Whoever asks what octets say asks here.

    found = carriers(octets, url="https://example.com/a.jpg", headers=response.headers)
    acap.decide("https://example.com/a.jpg", crawler="examplebot", usage="index", page=found.page, others=found.others)

The laws of this module:

1. The content tells what is read, and the declared type what it may be besides: a file that a browser would take for a
   page is read as one, whatever else it is.
2. What was not read is a doubt, which prohibits what its statements might have prohibited. Only octets that have no
   place for a statement are silent.
3. The body of an answer that is no success is not the resource. What such an answer says of fetching it (a price, a
   refusal) stands; of one that says nothing of that the resource is in doubt.

The tests of what octets may be are one module: each takes only what the one before it left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from acap._native import absolute, format_of, of_open_page
from acap.dialects.response import parse_response
from acap.dialects.rsl.associations import RslLicences
from acap.dialects.well_known import brings_document
from acap.pages.coded import IN_CODING, PACKINGS, begins_as_markup, is_text, names_coding, why_no_text
from acap.pages.embedded import EmbeddedPolicy, parse_embedded
from acap.pages.headers import Headers, media_type, pairs, why_not_all
from acap.pages.media_types import begins_as_binary, is_undecided, is_xml, reading
from acap.pages.page import PagePolicy, parse_page, read_page
from acap.pages.saved import saved
from acap.pages.tags import EVERY_USE
from acap.problems import Problem, problem
from acap.robots import RobotsPolicy
from acap.statement import Source, Statement

Form: TypeAlias = Literal["headers", "page", "open", "file", "text", "empty", "unread"]
"""What octets were read as: a page; open, which is a page as well since nothing decides it; an image or a document;
text without markup and nothing at all, which carry no statement; unread, which may be a page; there are none."""

NOT_READ = ("page-not-read", "response-no-page")
"""Codes of the problem that nothing of a body was read."""

_EXTRAS = {"embedded-missing-package": "images", "embedded-manifest": "c2pa"}
"""The extra that reads what is not read for want of a package, by the code of the problem."""

WITH_TERMS = (401, 402)
"""Statuses of answers whose body may have terms for the resource (RSL 1.0 4.10)."""


@dataclass(frozen=True, slots=True)
class Carriers:
    """What one response says of itself: `page` and `others` as `acap.decide` takes them.

    `page` holds the headers too, and nothing else where there is no page. `name` is the type that the response declares
    or the format that its octets show, empty if neither is known. `missing` is the extra that reading needs and that is
    not installed. `robots` is the robots.txt of its site, if that is known.
    """

    form: Form
    page: PagePolicy
    others: tuple[Source, ...] = ()
    name: str = ""
    missing: str | None = None
    robots: RobotsPolicy | None = None

    def statements(self, url: str | None = None) -> tuple[Statement, ...]:
        """Every statement, whomever it is addressed to.

        Raises:
            ValueError: the URL is not that of the response.
        """
        here = url or self.page.url or "/"
        return (
            *self.page.statements(url),
            *(statement for source in self.others for statement in source.statements(here)),
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the statements, and what could not be read."""
        own = self.page.problems_beside(self.robots)
        return (*own, *(one for source in self.others for one in getattr(source, "problems", ())))

    @property
    def policy(self) -> PagePolicy:
        """All of it as one page: every question takes all carriers into account.

        Of what may be a page, but nothing decides it, the content can be used as of one whose permissions lift nothing.

        Raises:
            ImportError: there is a page, and the extra `pages` is not installed.
        """
        if self.missing is not None:
            raise ImportError(f"reading pages needs the extra `{self.missing}`: pip install 'acap[{self.missing}]'")
        page, beside = self.page, self.others
        for source in self.others if self.form == "open" else ():
            if isinstance(source, OpenPage):
                page = read_page(source.page.html, page.url, page.headers, source.page.complete, certain=False)
                beside = tuple(one for one in self.others if one is not source)
        if not beside:
            return page
        return read_page(page.html, page.url, page.headers, page.complete, page.certain, beside, page.reading)

    @property
    def lacking(self) -> tuple[str, ...]:
        """The extras that are not installed, and without which something of it was not read."""
        files = (source for source in self.others if isinstance(source, EmbeddedPolicy))
        found = (_EXTRAS.get(one.code) for source in files for one in source.problems)
        return tuple(dict.fromkeys(extra for extra in (self.missing, *found) if extra is not None))

    @property
    def unseen(self) -> str | None:
        """What octets that carry no statement are; None where they were read, or are in doubt."""
        if self.form == "text":
            return "text without markup, which has no place for a statement"
        is_empty = self.form == "empty" or (self.form == "page" and not self.page.html)
        return "empty, so that there is nothing to read" if is_empty else None


def carriers(
    octets: bytes | None,
    *,
    url: str | None = None,
    headers: Headers = (),
    status: int | None = None,
    length: int | None = None,
    unread: str = "",
    robots: RobotsPolicy | None = None,
) -> Carriers:
    """Finds every carrier of a response and reads it; never raises on content, nor where a package is missing.

    Args:
        octets: the body, without transfer and content coding; None where there are headers alone.
        url: its own absolute URL; None if it is unknown.
        headers: those of the response, as `acap.parse_page` takes them.
        status: that of the response; None, if it is unknown, is that of a success.
        length: how many octets the body has, where that is known: with fewer of them it is cut, and with all of them no
            coding that the headers name is left on them. It has no fewer than a `Content-Length` among the headers
            says, unless a coding is named there, whose octets it would count.
        unread: why the octets are not known to be the whole body, in a few words; empty if they are.
        robots: the robots.txt of the site, if it is known: it decides nothing here, but whether a usage that the page
            takes from it is defined there is a problem or none.

    Raises:
        ValueError: the URL has no scheme or no host.
        TypeError: octets are neither bytes nor None; headers are neither a mapping nor pairs.
    """
    if octets is not None and not isinstance(octets, bytes):
        raise TypeError("the octets of a response must be bytes or None")
    given = pairs(headers)
    answer = () if status is None or status < 400 else _answer(octets or b"", url, given, status)
    if answer:
        beside = Unread("page-not-read", (unread,), url, EVERY_USE)
        if not unread:
            beside = Unread("response-no-page", (why_no_page(status),), url, ())
        read = Carriers("unread", parse_page(None, url=url, headers=given), (*answer, beside), media_type(given))
    elif why := why_no_page(status):
        read = _read(octets or b"", url, given, length, unread or why)
    else:
        read = _read(octets, url, given, length, unread)
    return read if robots is None else replace(read, robots=robots)


def file_carriers(
    octets: bytes, name: str = "", *, url: str | None = None, headers: Headers = (), robots: RobotsPolicy | None = None
) -> Carriers:
    """Finds every carrier in a file: a page, an image, a document, or a response that was saved with its headers.

    Octets that begin with `HTTP/` are such a response, with the body behind the blank line; a file whose name ends with
    `.headers` has headers, and a body only behind a status line and a blank one. What a client of HTTP would refuse in
    it is a doubt. Its status counts as `carriers` has it.

    Args:
        octets: all that the file has.
        name: its name, which tells a page or headers.
        url: where it is published; None if that is unknown.
        headers: others of the response, as `acap.parse_page` takes them; they come behind those in the file.
        robots: as `carriers` takes it.

    Raises:
        ValueError, TypeError: as `carriers`.
    """
    given, response = pairs(headers), saved(octets, name)
    if response is None:
        return carriers(octets, url=url, headers=declared_by_name(name, given, empty=not octets), robots=robots)
    given = (*response.headers, *given)
    status = response.status or None
    if response.broken:
        return carriers(b"", url=url, headers=given, status=status, unread=response.broken, robots=robots)
    if response.body is not None:
        given = declared_by_name(name, given)
    return carriers(response.body, url=url, headers=given, status=status, robots=robots)


def why_no_page(status: int | None) -> str:
    """Why an answer of this status has not the resource, or not all of it; empty if it has."""
    if status is None or brings_document(status):
        return ""
    return f"a part of it came (status {status})" if status == 206 else f"the answer was {status}"


def terms_in(octets: bytes, status: int) -> bytes:
    """The terms for the resource that the body of an answer has (RSL 1.0 4.10); empty where it has none."""
    return octets if status in WITH_TERMS and _RSL in octets.replace(b"\0", b"") else b""


def _answer(octets: bytes, url: str | None, headers: tuple[tuple[str, str], ...], status: int) -> tuple[Source, ...]:
    """What an answer says of fetching the resource, with the terms in its body (RSL 1.0 4.10); none if nothing."""
    answer = parse_response(status, headers=headers, url=url)
    if not (terms := terms_in(octets, status)):
        return (answer,) if answer.found else ()
    return (answer, RslLicences(answer=terms))


def _read(
    octets: bytes | None, url: str | None, given: tuple[tuple[str, str], ...], length: int | None, why: str
) -> Carriers:
    if url is not None:
        absolute(url)
    declared = media_type(given)

    def alone() -> PagePolicy:
        return parse_page(None, url=url, headers=given)

    if octets is None:
        return Carriers("headers", alone(), name=declared)

    def unread(why: str, name: str, missing: str | None = None) -> Carriers:
        return Carriers("unread", alone(), (Unread("page-not-read", (why,), url, EVERY_USE),), name, missing)

    if why:
        return unread(why, declared)
    if why := why_not_all(len(octets), given, length or 0):
        # What is missing may have prohibited anything.
        return unread(why, declared)
    how = reading(octets, given)
    if not octets and how == "none" and _may_be_text(declared):
        return Carriers("empty", alone(), name=declared)
    shown = format_of(octets)
    if shown in PACKINGS and (how != "none" or declared in ("", *_COMPRESSED)):
        # DEVIATION: no clause speaks of octets that are still packed; inside may be a page that prohibits everything.
        return unread(f"the octets are packed with {shown}", shown)
    if length is None and names_coding(given) and not shown and not is_text(octets):
        # The same of a coding that has no mark: it is named, and these octets are neither text nor a file.
        return unread(IN_CODING, declared)
    if how in ("html", "xhtml"):
        is_file = _begins_as_file(octets)
        if not is_file and (why := why_no_text(octets, given)):
            return unread(why, declared)
        try:
            page = read_page(octets, url, given)
        except ImportError as error:
            return unread(str(error), declared, "pages")
        # A picture that is served as a page is one all the same to readers that show pictures.
        return Carriers("page", page, _metadata(octets, url, declared) if is_file else (), declared)
    name = declared or shown
    if how == "none" and not is_page_within(octets, declared, shown):
        others = _metadata(octets, url, declared, name)
        return Carriers("file" if others else "text", alone(), others, name)
    try:
        opened = OpenPage(read_page(octets, url, (("content-type", "text/html"),)))
    except ImportError as error:
        return unread(str(error), name, "pages")
    # A licence that it names can refuse as well, and license nothing.
    named = tuple(reference._replace(is_whole=False) for reference in opened.page.licence_references())
    return Carriers("open", replace(alone(), named=named), (opened, *_metadata(octets, url, declared, name)), name)


@dataclass(frozen=True, slots=True)
class Unread:
    """The doubt about what was not read: it may have prohibited each of the usages."""

    code: str
    words: tuple[str, ...]
    url: str | None
    usages: tuple[str, ...]

    @property
    def dialect(self) -> str:
        """The dialect of its statements."""
        return "page"

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The one problem."""
        return (problem(self.code, 0, 0, self.words, ""),)

    def statements(self, url: str) -> tuple[Statement, ...]:  # noqa: ARG002  it is of one response
        """A prohibition of each usage."""
        (problem,) = self.problems
        source, text = self.url or "page", problem.message
        return tuple(
            Statement(dialect=self.dialect, usage=usage, outcome="prohibited", source=source, text=text)
            for usage in self.usages
        )


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page of which nothing decides whether it is one: what is prohibited in it holds (semantics, section 7).

    What one of its elements prohibits it prohibits as a whole, for nobody can leave a part out of what is no page. Who
    cannot work on elements has every statement of one against the whole page (P2 2.2.6), permissions too.
    """

    page: PagePolicy

    @property
    def dialect(self) -> str:
        """As of a page."""
        return "page"

    @property
    def without_licences(self) -> OpenPage:
        """The same where somebody has the documents of the licences that it names."""
        return OpenPage(replace(self.page, carried=self.page.carried.without_licences))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """As of a page."""
        return self.page.problems

    def statements(self, url: str) -> tuple[Statement, ...]:
        """Its prohibitions, what conventional words restrict, and the permissions of elements, which lift nothing."""
        return tuple(
            of_open_page(statement)
            for statement in self.page.statements(None if self.page.url is None else url)
            if statement.outcome != "permitted"
            or (statement.dialect != "acap" and statement.restrictions)
            or _is_of_element(statement)
        )


def _is_of_element(statement: Statement) -> bool:
    """Whether it is what an element permits."""
    return statement.part == "element" and statement.outcome == "permitted"


_COMPRESSED = ("application/octet-stream", "binary/octet-stream", "text/plain")
_TEXTS = ("application/json", "application/javascript", "application/yaml", "unknown/unknown", "application/unknown")
_RDF = b"rdf-syntax-ns#"
_RSL = b"rslstandard.org/rsl"
# XMP by itself, or SVG around it, with what XML may have before.
_PACKET = re.compile(
    rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?(?>[\t\n\f\r ]+|<\?xml[^>]*>|<!--.*?-->|<!DOCTYPE[^>]*>)*+"
    rb"<(?:\?xpacket|(?:[\w.-]+:)?(?:xmpmeta|xapmeta|RDF|svg)\b)",
    re.DOTALL | re.IGNORECASE,
)
_UNDECLARED = (("content-type", "application/octet-stream"),)
# ISO 32000-2 H.3 note 13: a PDF file has its mark within this many octets from its beginning.
_BEGINNING = 1024


def _metadata(octets: bytes, url: str | None, declared: str, name: str = "") -> tuple[Source, ...]:
    """What metadata in a file says; nothing of text, where XMP has no place but in RDF.

    Text that is declared to be a picture or the like is a file that is not read.
    """
    is_silent = not format_of(octets) and _may_be_text(declared) and is_text(octets)
    if is_silent and _RDF not in octets.replace(b"\0", b""):
        return ()
    return (parse_embedded(octets, url=url, media_type=name or declared or None),)


def _begins_as_file(octets: bytes) -> bool:
    """Whether octets that are served as a page begin as a file of another format, or are one with a packet in it."""
    if begins_as_markup(octets):
        return _PACKET.match(octets[:_BEGINNING].replace(b"\0", b"")) is not None
    if format_of(octets) or begins_as_binary(octets) or b"%PDF-" in octets[:_BEGINNING]:
        return True
    return _RDF in octets and not is_text(octets)


def is_page_within(octets: bytes, declared: str, shown: str) -> bool:
    """Whether octets that are declared to be a picture or the like may be a page all the same.

    Text, and what begins as markup, is not of such a type; then nothing decides what it is.
    """
    if shown or _may_be_text(declared):
        return False
    return reading(octets, _UNDECLARED) == "open" and (is_text(octets) or begins_as_markup(octets))


def _may_be_text(essence: str) -> bool:
    """Whether octets of a type are text, or whether there is no saying."""
    if not essence or essence.startswith("text/") or essence.endswith("+json"):
        return True
    return essence in _TEXTS or is_xml(essence) or is_undecided(essence)


def declared_by_name(
    name: str, headers: Iterable[tuple[str, str]], *, empty: bool = False
) -> tuple[tuple[str, str], ...]:
    """The headers of a file, with the type of a page that its name tells, as browsers take files.

    Args:
        name: the name of the file.
        headers: those that are known; a `Content-Type` among them stands.
        empty: there are no octets, so that the name alone tells an image or a document, of which none is empty.
    """
    given = tuple(headers)
    if media_type(given):
        return given
    ending = name.lower().rpartition(".")[2]
    media = {"html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml", "xht": "application/xhtml+xml"}
    if empty:
        media |= {"jpg": "image/jpeg", "jpeg": "image/jpeg", "tif": "image/tiff", "pdf": "application/pdf"}
        media |= {kind: f"image/{kind}" for kind in ("png", "webp", "tiff", "gif", "avif", "heic")}
    return (*given, ("content-type", media[ending])) if ending in media else given


__all__ = [
    "Carriers",
    "OpenPage",
    "Unread",
    "carriers",
    "declared_by_name",
    "file_carriers",
    "format_of",
    "terms_in",
    "why_no_page",
]

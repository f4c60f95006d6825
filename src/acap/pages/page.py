"""A page's own statements: META tags, class attributes, response headers (P2; semantics, section 7).

page = parse_page(octets, url="https://example.com/a.html", headers=response.headers)
acap.decide("https://example.com/a.html", crawler="examplebot", usage="index", page=page).permitted

Most of the module is one class, every method of which hands a question to another module of the package.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Unpack
from urllib.parse import urljoin

from acap import _native
from acap._native import Decision, Statement
from acap.dialects.rsl.document import RslReference
from acap.pages import tags, xhtml
from acap.pages.asking import Asking, PageQuestion
from acap.pages.coded import why_coded
from acap.pages.declarations import Doubt
from acap.pages.encoding import decode
from acap.pages.extraction import Content, content_for
from acap.pages.headers import Headers, named_part, pairs, stated_length
from acap.pages.html import MAX_CHARACTERS, EntangledError, PageTree
from acap.pages.links import Link, links
from acap.pages.media_types import begins_as_xml, content_type, extract, is_undecided, is_unknown, is_xml
from acap.pages.reading import LimitError, document_of
from acap.pages.signals import anchored_licences, decides
from acap.pages.skeleton import HEADERS, is_doubted, skeleton
from acap.pages.snippet import Snippet, snippet
from acap.pages.statements import PageCarriers
from acap.problems import Problem, problem
from acap.restrictions import Facts
from acap.robots import Asker, Reading, RobotsPolicy, is_strict
from acap.statement import Source


@dataclass(frozen=True, repr=False)
class PagePolicy:
    """What one page says: frozen; pickles as what it was read from. Made by `parse_page`.

    `html` is what it was read from: octets, text, or none where there are headers alone; `url` is the page's own, none
    if it is unknown; `headers` are those of its response, names in lower case. `complete` is false where its octets are
    known to be cut, or to be packed still, `certain` where nothing decides that it is a page. `beside` is what else its
    response carries, as metadata of a file (`Carriers.policy`): every decision hears it. `reading` is how its headers
    of Content-Signal and Content-Usage are read (`RobotsPolicy.with_reading`). `encoding` is how its octets
    were read, none where text was given; `carried` is what it carries, before anybody asks. `named` are the licences
    that its octets name if they are a page, which nothing decides; they stand beside headers alone.
    """

    html: bytes | str | None
    url: str | None
    headers: tuple[tuple[str, str], ...]
    complete: bool
    certain: bool
    beside: tuple[Source, ...]
    reading: Reading
    encoding: str | None
    carried: PageCarriers = field(compare=False)
    named: tuple[RslReference, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return read_page, (
            self.html, self.url, self.headers, self.complete, self.certain, self.beside, self.reading, self.named,
        )  # fmt: skip

    def __repr__(self) -> str:
        unit = "octets" if isinstance(self.html, bytes) else "characters"
        what = "headers alone" if self.html is None else f"{len(self.html)} {unit}"
        return f"<PagePolicy of {self.url or 'an unknown URL'}: {what}>"

    def with_reading(self, reading: Reading) -> PagePolicy:
        """The same page with its headers of signals read so, as `RobotsPolicy.with_reading`.

        Raises:
            ValueError: an unknown reading.
        """
        if not is_strict(reading) and self.reading == reading:
            return self
        return read_page(
            self.html, self.url, self.headers, self.complete, self.certain, self.beside, reading, self.named
        )

    @property
    def dialect(self) -> str:
        """The name of the source; each statement names its own dialect."""
        return "page"

    @property
    def is_page(self) -> bool:
        """Whether there is HTML, and not headers alone."""
        return self.html is not None

    @property
    def is_silent(self) -> bool:
        """Whether its HTML says nothing to crawlers; its headers may."""
        carried = self.carried
        if any(word.meta for word in carried.words) or any(signal.header is None for signal in carried.signals):
            return False
        return not (carried.acap or carried.carriers or carried.doubts or self.beside)

    @property
    def has_parts(self) -> bool:
        """Whether elements of the page say something of their own."""
        carried = self.carried
        return bool(carried.carriers) and (carried.document is None or carried.document.divided)

    @property
    def version(self) -> str | None:
        """The ACAP version that a META tag names (P2 2.2.7); none means 1.0."""
        return self.carried.page_tags.version

    @property
    def local_usages(self) -> tuple[str, ...]:
        """Local usages that the page names; the site's robots.txt defines them (P1 4.5.3)."""
        carried = self.carried
        named = (*carried.page_tags.local_names, *carried.header_tags.local_names)
        return tuple(dict.fromkeys(name for name, _ in named))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the page's statements, in the order of lines (0: a header, or the page as a whole)."""
        return self.problems_beside(None)

    def problems_beside(self, robots: RobotsPolicy | None) -> tuple[Problem, ...]:
        """The problems of the page where the robots.txt of its site is known: local usages that it defines are none.

        Args:
            robots: the site's robots.txt; None if it is not known, as for `problems`.
        """
        problems = (*self._problems(), *self._undefined_usages(robots))
        problems = (*problems, *(one for source in self.beside for one in getattr(source, "problems", ())))
        return tuple(sorted(problems, key=lambda one: (one.line, one.column)))

    def _undefined_usages(self, robots: RobotsPolicy | None) -> Iterable[Problem]:
        """Local usages that need a definition, each reported once, where the page names it first (P2 3)."""
        carried = self.carried
        seen: set[str] = set()
        for text, where, statement in carried.local_usages():
            if statement.usage in seen:
                continue
            if robots is not None and robots.definitions([(statement.usage, statement.permits)])[0].is_defined:
                continue
            seen.add(statement.usage)
            line, column, _ = (0, 0, None) if where is None else carried.locate(*where)
            code = "page-local-usage" if robots is None else "acap-undefined-usage"
            yield problem(code, line or 0, column or 0, (statement.usage, ""), text)

    def _problems(self) -> Iterable[Problem]:
        carried = self.carried
        for code, place, details in carried.page_tags.problems:
            if place < len(carried.acap):
                meta = carried.acap[place]
                (line, column, _), text = carried.locate("meta", meta.place), meta.content
            else:
                index, text = carried.tokens[place - len(carried.acap)]
                line, column, _ = carried.locate("element", index)
            yield problem(code, line or 0, column or 0, details, text)
        for meta in carried.misaddressed:
            line, column, _ = carried.locate("meta", meta.place)
            yield problem("page-tag-name", line or 0, column or 0, (meta.name,), meta.content)
        for _, content in carried.acap_headers:
            yield problem("page-acap-header", 0, 0, (), content)
        for code, place, details in carried.header_tags.problems:
            yield problem(code, 0, 0, details, carried.acap_headers[place][1])
        for code, words, text in carried.signal_problems:
            yield problem(code, 0, 0, words, text)
        for word, _, of in carried.words:
            if word.problem is not None:
                code, words = word.problem
                line, column, _ = (None, None, None) if of is None else carried.locate("meta", of.place)
                yield problem(code, line or 0, column or 0, words, word.text if of is None else of.content)
        for code, line, column, words in () if carried.document is None else carried.document.remarks:
            yield problem(code, line, column, words, "")
        for code, words in carried.doubts:
            yield problem(code, 0, 0, words, "")

    def statements(self, url: str | None = None) -> tuple[Statement, ...]:
        """Every statement, whomever it is addressed to, as a generic consumer reads it without a robots.txt.

        Args:
            url: the page's, if given.

        Raises:
            ValueError: the URL is not the page's.
        """
        self._check(url)
        applicable = self.carried.applicable("generic", (), None)
        on_page, regions = applicable.statements, applicable.regions
        on_elements = (
            () if regions is None else (statement for region in regions.list for statement in region.own_statements())
        )
        found = (*on_page, *on_elements)
        own = (one if one.place is None else _native.located(one, *self.carried.locate(*one.place)) for one in found)
        return (*own, *(statement for source in self.beside for statement in source.statements(url or self.url or "/")))

    def decide(self, usage: str | Iterable[str] = "index", **asked: Unpack[PageQuestion]) -> Decision:
        """The decision on the page as a whole; `acap.decide` with this page.

        Raises:
            ValueError: as `acap.decide`.
        """
        return self.asking(**asked).decide(usage)

    def content_for(self, usage: str, **asked: Unpack[PageQuestion]) -> Content:
        """The content that may be used in a way: elements left out, `must-use-resource` resolved (P2 2.2.5, G 5.5).

        Args:
            usage: one usage.
            **asked: `crawler`, and `purpose`, `at`, `facts`, `robots`, `others` as `acap.decide` takes them.

        Raises:
            ValueError: as `acap.decide`.
        """
        return content_for(self.asking(**asked), usage)

    def links(self, **asked: Unpack[PageQuestion]) -> tuple[Link, ...]:
        """The links of the page, each with the decision on following it (G 4.1, P2 2.2.5, `rel` of HTML).

        Args:
            **asked: as of `content_for`.

        Raises:
            ValueError: as `acap.decide`.
        """
        return links(self.asking(**asked))

    def snippet(
        self,
        text_or_query: str = "",
        *,
        usage: str = "present-snippet",
        length: int | None = None,
        **asked: Unpack[PageQuestion],
    ) -> Snippet:
        """A snippet that may be shown: the publisher's own, or a passage of the usable content (G 5.8, G 5.10).

        Args:
            text_or_query: a passage of the page, or words by which to find one; empty for the beginning.
            usage: `present-snippet`, or another usage that shows a part of the text.
            length: how many characters are wanted; the page may permit less.
            **asked: as of `content_for`.

        Raises:
            ValueError: as `acap.decide`.
        """
        return snippet(self.asking(**asked), text_or_query, usage, length)

    def skeleton(self) -> PagePolicy:
        """The same page without its content: only what carries statements, as text, and the headers that do.

        It decides as the page does, for every asker and usage: outcome, restrictions, kind of reason and number of
        excluded elements are the same; lines and locators are its own. Of a page that could not be read whole it
        prohibits what the page does. Its `html`, `url` and `headers` can be stored where the page itself must not be.
        """
        headers = tuple(pair for pair in self.headers if pair[0] in HEADERS or decides(pair))
        if self.html is None:
            return read_page(None, self.url, headers, beside=self.beside, reading=self.reading, named=self.named)
        made = read_page(skeleton(self.carried), self.url, headers, beside=self.beside, reading=self.reading)
        # A tree that could just be built may cost too much when each element has its end tag.
        if is_doubted(made.carried) and not is_doubted(self.carried):
            doubtful = skeleton(self.carried, doubtful=True)
            made = read_page(doubtful, self.url, headers, beside=self.beside, reading=self.reading)
        return made

    def asking(
        self,
        *,
        crawler: Asker,
        purpose: str | Iterable[str] | None = None,
        at: datetime | None = None,
        facts: Facts | None = None,
        robots: RobotsPolicy | None = None,
        others: Iterable[Source] = (),
        url: str | None = None,
    ) -> Asking:
        """A question about this page, but for the usage."""
        if url != self.url:
            self._check(url)
        here = url or self.url
        if here is None and robots is not None:
            raise ValueError("the page's URL is unknown, so that no robots.txt can speak of it; give it as `url`")
        here = here or "/"
        others = [source.with_page(self) if hasattr(source, "with_page") else source for source in others]
        carried = self.carried
        if any(hasattr(source, "with_page") for source in others):
            # Whoever has the documents speaks in the place of the page's references.
            carried, others = carried.without_licences, [getattr(one, "without_licences", one) for one in others]
        return Asking.beside(carried, (*self.beside, *others), here, crawler, purpose, at, facts, robots)

    def licence_references(self) -> tuple[RslReference, ...]:
        """The licence documents that it refers to, or has in itself (RSL 1.0 4.5, 4.6)."""
        document = self.carried.document
        of_headers = (
            RslReference(target, is_whole=self._is_here(anchor), header="Link")
            for name, value in self.headers
            if name == "link"
            for target, anchor in anchored_licences(value)
        )
        of_page = () if document is None else document.licence_references()
        return (
            *of_headers,
            *(
                RslReference(
                    one.absolute(self.url), one.text, one.is_whole and self.certain, element='link[rel="license"]'
                )
                for one in of_page
            ),
            *self.named,
        )

    def _is_here(self, anchor: str | None) -> bool:
        """Whether an anchor of a Link header is the page itself, not a part of it or another page (RFC 8288 3.2)."""
        if not anchor:
            return anchor is not None
        here = self.url or ""
        try:
            return bool(here) and urljoin(here, anchor) == here
        except ValueError:
            return False

    def _check(self, url: str | None) -> None:
        """Raises ValueError if a URL is not the page's; its fragment does not matter."""
        if url is None or url == self.url or self.url is None:
            return
        ours = tags.address(self.url)
        if url.startswith("/") and not url.startswith("//"):
            same = ours is None or _native.canonical_path(url.encode("utf-8", "replace")) == ours[1]
        else:
            same = tags.address(url) == ours
        if not same:
            raise ValueError(f"`{url}` is not {self.url}, of which alone this page speaks")


def read_page(
    html: bytes | str | None,
    url: str | None,
    headers: tuple[tuple[str, str], ...],
    complete: bool = True,
    certain: bool = True,
    beside: tuple[Source, ...] = (),
    reading: Reading = "careful",
    named: tuple[RslReference, ...] = (),
) -> PagePolicy:
    """Reads a page of which all is known that `parse_page` works out."""
    encoding = None
    text = html
    declared = content_type(headers)
    if isinstance(html, bytes):
        decoded = decode(html, declared)
        text, encoding = decoded.text, decoded.encoding
    certain = certain and not is_undecided(extract(declared).essence)
    doubts: list[Doubt] = [] if complete else [("page-not-read", (_why(html, headers),))]
    document = None
    if text is not None:
        document = _read(str(text), _as_xml(html, str(text), declared), doubts, doubtful=not certain)
    by_letter = is_strict(reading)
    carried = PageCarriers(document, headers, url, doubts, is_page=html is not None, by_letter=by_letter)
    return PagePolicy(html, url, headers, complete, certain, beside, reading, encoding, carried, named)


def _why(html: bytes | str | None, headers: tuple[tuple[str, str], ...]) -> str:
    """Why a page was not read whole."""
    coded = why_coded(html, headers) if isinstance(html, bytes) else ""
    return coded or "these are not all octets of the page"


def _read(text: str, xml: tuple[str, bool] | None, doubts: list[Doubt], *, doubtful: bool) -> PageTree | None:
    if len(text) > MAX_CHARACTERS:
        doubts.append(("page-cut", (str(len(text)), str(MAX_CHARACTERS))))
        text, xml = text[:MAX_CHARACTERS], None
    if xml is None or doubtful:
        try:
            return PageTree(text, doubtful=doubtful)
        except EntangledError:
            doubts.append(("page-entangled", ()))
            return None
    try:
        return document_of(text, xml)
    except LimitError as error:
        limit, what = error.args
        doubts.append(("page-too-much", (str(limit), what)))
    except EntangledError:
        doubts.append(("page-entangled", ()))
    return None


def _as_xml(html: object, text: str, declared: str | None) -> tuple[str, bool] | None:
    """The text to be read as XML too, and whether octets of it are no text; None if the page is no XML."""
    media = extract(declared)
    if not (is_xml(media.essence) or (is_unknown(media.essence) and begins_as_xml(text))):
        return None
    if not isinstance(html, bytes):
        return text, False
    return xhtml.decode(html, media.charset)


_WIDEST, _MARK = 4, 3  # octets of a character, and of the mark before a text


def parse_page(
    html: bytes | str | None,
    *,
    url: str | None,
    headers: Headers = (),
    complete: bool = True,
    certain: bool = True,
    reading: Reading = "careful",
) -> PagePolicy:
    """Reads what a page says to crawlers; never raises on its content.

    Args:
        html: the octets of a page, decoded as browsers do; or its text; or None where there are headers alone, as of an
            image or a document.
        url: the page's own absolute URL; None if it is unknown.
        headers: those of its response: a mapping, or pairs of name and value, so that no second line is lost.
        complete: whether it is all of the page. What is missing may have prohibited anything, so that everything is.
            Octets that are fewer than a `Content-Length` among the headers says are not all, if no coding is named;
            nor is a text that has not a quarter as many characters. Nor is what a `Content-Range` names a part of, and
            octets that are still packed or coded are no page yet.
        certain: whether it is known to be a page (`media_types.reading`). If not, it permits nothing.
        reading: how headers of signals are read, as for `parse_robots`.

    Raises:
        ValueError: an unknown reading; the URL has no scheme or no host, or what no URL may have.
        TypeError: html is neither octets nor text nor None; headers are neither a mapping nor pairs.
        ImportError: there is HTML, and the extra `pages` is not installed.
    """
    if html is not None and not isinstance(html, (bytes, str)):
        raise TypeError("a page must be bytes, str or None")
    if url is not None:
        _native.absolute(url)
    given = pairs(headers)
    if html is not None:
        length = stated_length(given)
        most = len(html) if isinstance(html, bytes) else _MARK + _WIDEST * len(html)
        complete = complete and (length is None or most >= length) and not named_part(given)
        complete = complete and not (isinstance(html, bytes) and why_coded(html, given))
    return read_page(html, url, given, complete, certain, reading=reading)

"""Which licence documents are about a resource: those that robots.txt, its response and its page refer to (RSL 1.0 4).

Nothing is retrieved: whoever asks gives the documents, or says that they could not be retrieved.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias, runtime_checkable
from urllib.parse import urljoin

from acap import _native
from acap._native import Statement
from acap.conditions import Condition
from acap.crawlers import Crawler, as_crawler
from acap.dialects.rsl.document import RslReference
from acap.dialects.rsl.evaluation import (
    Verdict,
    Verdicts,
    inner_first,
    is_absolute,
    licensing_nothing,
    not_given,
    on_mining,
    statements,
    together,
    unknown,
)
from acap.dialects.rsl.policy import RslDocument, parse_rsl
from acap.dialects.well_known import is_plain, site
from acap.licensee import Licensee
from acap.problems import Problem
from acap.robots import RobotsPolicy, is_reference

_ABSOLUTE = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*:)([^\x00-\x20]*)")

NOT_RETRIEVED: Final = "the licence document could not be retrieved"
"""The end of the text of a statement, behind the name of the document."""

NOT_READ: Final = f"{NOT_RETRIEVED} or read"

_LINE = "License: "
_NOTHING = "is not an absolute URL of https, so it licenses nothing"

_Counted: TypeAlias = set[tuple[int, bool]]
"""The documents that were heard, each with whether its name was one that may license."""


@runtime_checkable
class RefersToLicences(Protocol):
    """A page that says which licence documents are about it."""

    @property
    def url(self) -> str | None:
        """Its URL."""

    def licence_references(self) -> tuple[RslReference, ...]:
        """Its references, of Link headers, LINK and SCRIPT elements."""


def is_of_unknown(dialect: str, text: str) -> bool:
    """Whether a statement is what holds while it is not known what a licence says."""
    if dialect != "rsl":
        return False
    return text.endswith((NOT_RETRIEVED, NOT_READ)) or (text.startswith(_LINE) and not text.endswith(_NOTHING))


def named_documents(page: RefersToLicences) -> list[str]:
    """The licence documents that a page names, as often as it names them; terms in the page itself are none."""
    return [reference.target for reference in page.licence_references() if reference.text is None]


@dataclass(frozen=True, slots=True, init=False)
class RslLicences:
    """Every licence document that is about a resource, as the one source of a decision.

    A reference of the page comes before those of robots.txt, use by use, if its document could be read; otherwise both
    must permit. One that could not be retrieved or read may prohibit every use of content, and so it does. One that is
    referred to and not given does as well, but mining is conditional on it.
    """

    robots: RobotsPolicy | None
    documents: Mapping[str, RslDocument | None]
    page: RefersToLicences | None
    answer: RslDocument | None

    def __init__(
        self,
        *,
        robots: RobotsPolicy | None = None,
        documents: Mapping[str, bytes | str | RslDocument | None] = MappingProxyType({}),
        page: RefersToLicences | None = None,
        answer: bytes | str | RslDocument | None = None,
    ) -> None:
        """Reads the documents.

        Args:
            robots: the site's robots.txt, for its License lines.
            documents: each document by its URL; None: it could not be retrieved.
            page: the page asked about, for its references; `acap.decide(page=…)` gives it by itself.
            answer: the body of an answer 401 or 402 with terms for the resource (RSL 1.0 4.10).

        Raises:
            TypeError: a document is neither octets nor a text, `RslDocument` or None; robots is not read yet.
        """
        if robots is not None and not isinstance(robots, RobotsPolicy):
            raise TypeError("robots must be a policy; read it with acap.parse_robots(octets, url=url)")
        read = {url: _read(document, url) for url, document in documents.items()}
        object.__setattr__(self, "robots", robots)
        object.__setattr__(self, "documents", MappingProxyType(read))
        object.__setattr__(self, "page", page)
        object.__setattr__(self, "answer", None if answer is None else _read(answer, None))

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.robots, dict(self.documents), self.page, self.answer)

    @property
    def dialect(self) -> str:
        """The name of its dialect."""
        return "rsl"

    @property
    def reads_licence_lines(self) -> bool:
        """Whether it speaks in the place of the License lines of its `robots`, and of no others."""
        return self.robots is not None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong in the documents."""
        read = {id(document): document for document in (*self.documents.values(), self.answer)}
        return tuple(problem for document in read.values() if document is not None for problem in document.problems)

    @property
    def max_age(self) -> int | None:
        """The days after which documents and references must be retrieved again; None where no document was read."""
        return min((document.max_age for document in self.documents.values() if document is not None), default=None)

    def with_page(self, page: RefersToLicences) -> RslLicences:
        """The same with the references of a page."""
        return RslLicences(robots=self.robots, documents=self.documents, page=page, answer=self.answer)

    def missing(self, crawler: str | Crawler) -> tuple[str, ...]:
        """The URLs of documents that robots.txt and the page refer to, and that were not given: to be retrieved."""
        referred: list[tuple[str, str | None]] = []
        if (robots := self.robots) is not None:
            targets = [target for target, _ in robots.licences(crawler)]
            targets += [target for target, _, _ in robots.controlled_licences(crawler)]
            referred += [(target, robots.base_url) for target in targets if is_reference(target)]
        if self.page is not None:
            referred += [(target, self.page.url) for target in named_documents(self.page)]
        urls = (joined(base, target) for target, base in referred if self._name(target, base) is None)
        return tuple(dict.fromkeys(filter(is_absolute, urls)))

    def statements(self, url: str) -> tuple[Statement, ...]:
        """What the documents say of a resource to anybody."""
        return self.statements_for(url, as_crawler("*"))

    def statements_for(self, url: str, crawler: Crawler) -> tuple[Statement, ...]:
        """What the documents say of a resource to who asks."""
        licensee = crawler.licensee
        verdicts = together(self._of_site(url, crawler))
        own: list[Verdicts] = []
        parts: list[Verdicts] = []
        is_read = True
        if self.answer is not None:
            body = replace(self.answer, url=url) if is_plain(url) else self.answer
            own.append(body.verdicts(url, licensee, has_scope=True))
            is_read = self.answer.is_whole
        counted: tuple[_Counted, _Counted] = set(), set()
        for reference in self._references(url):
            here = None if self.page is None else self.page.url
            if reference.text is None and self._is_counted(reference.target, here, counted[reference.is_whole]):
                continue
            by_use, could_be_read = self._of_reference(reference, url, licensee)
            if reference.is_whole:
                own.append(by_use)
                is_read = is_read and could_be_read
            else:
                parts.append(_without_permissions(by_use))
        if own:
            inner = together(own)
            verdicts = inner_first(inner, verdicts) if is_read else together([inner, verdicts])
        return tuple(statements(together([verdicts, *parts])))

    def _of_site(self, url: str, crawler: Crawler) -> Iterator[Verdicts]:
        robots = self.robots
        if robots is None:
            return
        counted: _Counted = set()
        put_forward = crawler.product_tokens or "*"
        own = dict(robots.licences(put_forward))
        for target, line in {**own, **dict(robots.licences(crawler))}.items():
            if self._is_counted(target, robots.base_url, counted):
                continue
            by_use = self._of_line(robots, target, line, url, crawler)
            yield by_use if target in own else _breaking_no_silence(by_use)
        # The licence of a control token is for what the token controls.
        of_own_tokens = robots.controlled_licences(put_forward)
        for target, line, usages in robots.controlled_licences(crawler):
            by_use = self._of_line(robots, target, line, url, crawler)
            by_use = {name: by_use[name] for name in usages if name in by_use}
            yield by_use if (target, line, usages) in of_own_tokens else _breaking_no_silence(by_use)

    def _of_line(self, robots: RobotsPolicy, target: str, line: int, url: str, crawler: Crawler) -> Verdicts:
        place = Verdict("conditional", f"{_LINE}{target}", line, source=robots.url)
        if not is_reference(target):
            # A name of terms, which nobody can retrieve: a condition as the line by itself is.
            return on_mining(place._replace(condition=Condition("licence", licence=target)))
        may_license = _native.is_association(target)
        by_use, _ = self._of_target(target, url, robots.base_url, crawler.licensee, place, may_license=may_license)
        if not may_license and self._name(target, robots.base_url) is not None:
            return licensing_nothing(by_use, f"{_LINE}{target} {_NOTHING}")
        return by_use

    def _references(self, url: str) -> tuple[RslReference, ...]:
        """The references of the page, if it is the one asked about."""
        page = self.page
        if page is None or (page.url is not None and not _is_same(page.url, url)):
            return ()
        return page.licence_references()

    def _of_reference(self, reference: RslReference, url: str, licensee: Licensee | None) -> tuple[Verdicts, bool]:
        here = None if self.page is None else self.page.url
        place = Verdict(
            "conditional", reference.target, source=here, header=reference.header, element=reference.element
        )
        if reference.text is None:
            return self._of_target(reference.target, url, here, licensee, place, has_scope=True)
        document = parse_rsl(reference.text, url=here)
        # RSL 1.0 4.6.2: one content.
        if document.is_whole and len(document.contents) != 1:
            return unknown(place._replace(text="a script must have one content of RSL")), False
        return document.verdicts(url, licensee, has_scope=True), document.is_whole

    def _is_counted(self, target: str, base: str | None, counted: _Counted) -> bool:
        """Whether a document was heard by another of its names: a site may give it a thousand. Then it is."""
        known = self._name(target, base)
        document = None if known is None else self.documents[known]
        if document is None:
            return False
        before = len(counted)
        counted.add((id(document), _native.is_association(target)))
        return len(counted) == before

    def _name(self, target: str, base: str | None) -> str | None:
        """The URL by which a document was given; None if it was not."""
        return next((each for each in (target, joined(base, target)) if each in self.documents), None)

    def _of_target(
        self,
        target: str,
        url: str,
        base: str | None,
        licensee: Licensee | None,
        place: Verdict,
        *,
        has_scope: bool = False,
        may_license: bool = True,
    ) -> tuple[Verdicts, bool]:
        """What the document of a reference says, and whether it could be read."""
        known = self._name(target, base)
        if known is None:
            asked_for = joined(base, target)
            return not_given(place, asked_for if may_license and not is_plain(asked_for) else None), False
        document = self.documents[known]
        if document is None:
            text = f"{target}: {NOT_RETRIEVED}"
            return unknown(place._replace(text=text)), False
        return document.verdicts(url, licensee, has_scope=has_scope), document.is_whole


def _read(document: bytes | str | RslDocument | None, url: str | None) -> RslDocument | None:
    if document is None:
        return None
    if isinstance(document, RslDocument):
        return document if document.url is not None else replace(document, url=url)
    return parse_rsl(document, url=url)


_SEMICOLON = "\ue000"
"""Stands for a semicolon while a URL is joined; no URL has it."""


def joined(base: str | None, target: str) -> str:
    """The URL by which a document is asked for and given, its scheme in lower case; a target that is none as it is.

    An absolute one stays as it is written: `urljoin` takes `https:///x` for a path.
    """
    url = target
    if _ABSOLUTE.fullmatch(target) is None:
        with contextlib.suppress(ValueError):
            # It takes a `;` for a mark of parameters, which RFC 3986 no longer has.
            here, there = ((one or "").replace(";", _SEMICOLON) for one in (base, target))
            url = urljoin(here, there).replace(_SEMICOLON, ";")
    return _ABSOLUTE.sub(lambda found: found[1].lower() + found[2], url, count=1)


def _is_same(page: str, url: str) -> bool:
    """Whether a page is the resource asked about: its path, and its site where both tell it."""
    sites = {site(each) for each in (page, url) if not each.startswith("/") or each.startswith("//")}
    return len(sites) < 2 and _path(page) == _path(url)


def _path(url: str) -> bytes:
    return _native.canonical_path(url.encode("utf-8", "replace"))


def _without_permissions(by_use: Verdicts) -> Verdicts:
    """What a part of a page prohibits, or makes conditional, for the page as a whole (our choice)."""
    found = {name: tuple(one for one in verdicts if one.outcome != "permitted") for name, verdicts in by_use.items()}
    return {name: verdicts for name, verdicts in found.items() if verdicts}


def _breaking_no_silence(by_use: Verdicts) -> Verdicts:
    """What a further name of a User-Agent string is told: the name put forward is licensed nothing by it."""
    return {name: tuple(verdict._replace(lifts=False) for verdict in verdicts) for name, verdicts in by_use.items()}


def _restore(
    robots: RobotsPolicy | None,
    documents: dict[str, RslDocument | None],
    page: RefersToLicences | None,
    answer: RslDocument | None,
) -> RslLicences:
    return RslLicences(robots=robots, documents=documents, page=page, answer=answer)

"""A folder as `acap compose --preset` writes it, and what a site serves in the place of each of its documents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from acap.carriers import Carriers, file_carriers
from acap.cli.io.failures import CallError
from acap.cli.io.files import read_file
from acap.cli.io.network import Network
from acap.cli.io.pages import needs_pages
from acap.cli.io.publisher_policies import further
from acap.cli.io.wanted_pages import PageAnswer, PageSources, loosened, missing_statements
from acap.dialects.rsl.associations import RslLicences, joined, named_documents
from acap.dialects.rsl.document import RslContent
from acap.dialects.rsl.policy import parse_rsl
from acap.dialects.well_known import ABSENT
from acap.problems import DocumentKind, Problem
from acap.publish.compare import PATIENT_SECONDS, Comparison, Undecided, other_licences
from acap.publish.crawlers import ANY
from acap.publish.documents import (
    READERS,
    BrokenDocumentError,
    ReadDocument,
    compare_licences,
    compare_read,
    read_document,
    rules_of,
)
from acap.publish.lint.kinds import kind_of_source
from acap.publish.patterns import LateError
from acap.publish.presets.writing import AI_TXT, HEAD, HEADERS, LICENCE, ROBOTS, TDMREP
from acap.retrieval import Retrieved
from acap.retrieval.locations import resolve, site_of
from acap.robots import RobotsPolicy, is_reference, licence_lines, parse_robots
from acap.sites.documents import octets_of, why_not
from acap.sites.policy import SitePolicy
from acap.statement import Statement

Verdict = Literal["equal", "different", "undecided", "missing", "extra", "unreachable"]

# The documents that a site has at one path, by what `SitePolicy.documents` calls them.
_OWN = {"tdmrep.json": TDMREP, "ai.txt": AI_TXT}


class DocumentAnswer(NamedTuple):
    """What became of one document: `missing` where the site has none, `extra` where the folder has none.

    `why` is the reason in a few words, where the comparison does not tell it. `path` is in the folder. `problems` are
    those of the live document that the one in the folder has not: other readers may take it otherwise.
    """

    path: str
    url: str
    verdict: Verdict
    why: str = ""
    comparison: Comparison = Comparison((), ())
    problems: tuple[Problem, ...] = ()


class WantedFolder:
    """The documents of a folder. Raises `CallError` where there are none, or one that cannot be read.

    Looked for are robots.txt, tdmrep.json, ai.txt, `license.xml` and the licence documents of the site to which
    robots.txt and pages refer; what every page is to say stands in `response.headers` and `head.html`.
    """

    def __init__(self, folder: Path, site: str) -> None:
        self._folder = folder
        self._home = site_of(site)
        octets = self._octets(ROBOTS)
        self.robots: RobotsPolicy = parse_robots(octets or b"")
        """What its robots.txt means; nothing where it has none."""
        self._pages: dict[str, bytes] = {
            path: found for path in (HEADERS, HEAD) if (found := self._octets(path)) is not None
        }
        self._unseen: dict[str, tuple[str, str]] = {}
        # As their references have them, with their paths in the folder; and where they are asked for.
        self._named: list[tuple[str, str]] = []
        named = dict(self._licences())
        # A document that is named has to be there; another one is meant where the folder has it.
        held = {path: self._octets(path) for path in (TDMREP, AI_TXT, LICENCE, *named.values())}
        self._documents: dict[str, bytes] = {path: found for path, found in held.items() if found is not None}
        beside = (path for path in (TDMREP, AI_TXT, LICENCE) if path in self._documents and path not in named.values())
        self._paths: dict[str, str] = named | {self._url(path): path for path in beside}
        self._read: dict[str, ReadDocument] = {}
        if octets is None and not self._documents:
            known = ", ".join((ROBOTS, TDMREP, AI_TXT, LICENCE))
            raise CallError(f"`{folder}` has none of {known}; name a folder that acap compose wrote")
        for url, path in self._paths.items():
            if (found := self._documents.get(path)) is None:
                continue
            kind = _kind(path, found)
            broken = f"it is a {kind}"
            if kind in READERS:
                self._read[path] = read_document(kind, found, url)
                broken = self._read[path].broken
            if broken:
                raise CallError(f"`{folder / path}` cannot be read: {broken}; acap lint shows what is wrong")

    @property
    def has_pages(self) -> bool:
        """Whether it says what pages are to say."""
        return bool(self._pages)

    def answers(self, site_policy: SitePolicy, network: Network) -> Iterator[DocumentAnswer]:
        """What became of each document beside robots.txt, and what the site has besides. Raises `CallError`."""
        for document in site_policy.documents:
            path = _OWN.get(document.kind)
            if path is None or document.retrieved is None:
                continue
            if path in self._documents:
                yield self._answer(
                    path, document.retrieved, is_absent=document.state in ("none", "foreign"), why=document.why
                )
            elif document.state == "read" or (
                document.state == "unknown" and octets_of(document.retrieved) is not None
            ):
                yield DocumentAnswer(path, document.url, "extra", document.why)
            elif document.state == "unknown":
                yield DocumentAnswer(path, document.url, "unreachable", document.why)
        for target, (path, why) in self._unseen.items():
            yield DocumentAnswer(path, target, "undecided", why)
        had = {document.url: document.retrieved for document in site_policy.documents}
        for url, path in self._paths.items():
            if path in _OWN.values():
                continue
            retrieved = had.get(url) or network.document(url)
            if path in self._documents:
                yield self._answer(path, retrieved, is_absent=retrieved.status in ABSENT)
            elif retrieved.status in ABSENT:
                yield DocumentAnswer(path, url, "missing", "the folder has none either, but refers to it")
            elif octets_of(retrieved) is None:
                yield DocumentAnswer(path, url, "unreachable", why_not(retrieved))
            else:
                yield DocumentAnswer(path, url, "extra", "the folder refers to it")

    def page(self, site_policy: SitePolicy, url: str) -> PageAnswer:
        """What a page does not say of what every page is to say, and what it takes back. Raises `CallError`."""
        document = next(one for one in site_policy.documents if one.kind == "page")
        carried = site_policy.page
        is_unread = carried is not None and carried.missing is not None and not self._pages
        if carried is None or is_unread or document.state != "read":
            return PageAnswer(url, "/", known=False, missing=())
        named = {reference.target for reference in _readable(carried).page.licence_references()}
        there = carried.statements()
        missing: dict[str, dict[str, None]] = {}
        for path, octets in self._pages.items():
            wanted = _readable(file_carriers(octets, path, url=url))
            for statement in wanted.statements():
                for what in missing_statements([statement], there, in_dialect=True):
                    missing.setdefault(what, {})[_written(statement, path, octets)] = None
            for target in (reference.target for reference in wanted.page.licence_references()):
                if target not in named:
                    missing.setdefault(f"licence {target}", {})[_line_with(target, octets)] = None
        lines = list(dict.fromkeys(tuple(filter(None, either)) for either in missing.values()))
        # What one of several says besides needs no line of its own.
        needed = (one for one in lines if one and not any(set(one) < set(other) for other in lines))
        here = carried.page.url or url  # a redirect may have led on, and a page speaks of itself alone
        everywhere = self._wanted_page(here)
        try:
            looser = () if missing else tuple(self._loosened(site_policy, everywhere, carried, here))
        except LateError:
            return PageAnswer(url, "/", known=False, missing=())
        is_open = not missing and not looser and self._depends(site_policy, everywhere, carried)
        undecided = "it names other licences, and their terms for users or countries were not compared"
        return PageAnswer(url, "/", True, (*missing, *looser), tuple(needed), undecided if is_open else "")

    def _depends(self, site_policy: SitePolicy, everywhere: Carriers, carried: Carriers) -> bool:
        """Whether other licences count at the page than are meant, with terms for users or countries.

        What they come to for an asker of whom nothing is known does not show that they are the same.
        """
        wanted = _in_force(self._wanted_licences.with_page(everywhere.page))
        live = _in_force(site_policy.licences.with_page(carried.page))
        together = {frozenset(document for part in side for document in part) for side in (wanted, live)}
        if wanted == live or (len(together) == 1 and len(*together) < 2):
            return False
        return any(
            given is not None
            for rules in (rules for one in together for rules in one)
            for content in rules
            for licence in content.licences
            for terms in (licence.permits, licence.prohibits)
            for given in (terms.user, terms.geo)
        )

    def _loosened(self, site_policy: SitePolicy, everywhere: Carriers, carried: Carriers, url: str) -> Iterator[str]:
        """What all that is live comes to at the page, in each dialect, where that is less than what is meant."""
        own = [self._read[path].source for path in _OWN.values() if path in self._read]
        licences, page, there = self._wanted_licences, everywhere.page, carried.page
        wanted = PageSources(page, (*own, licences.with_page(page), *everywhere.others), licences.robots or self.robots)
        licensed = (site_policy.licences.with_page(there), site_policy.lost_licences.with_page(there))
        live = PageSources(
            there, (site_policy.tdmrep, site_policy.ai_txt, *licensed, *carried.others), site_policy.robots
        )
        yield from loosened(wanted, live, url)

    def licensed_otherwise(self, site_policy: SitePolicy) -> Comparison:
        """How what is licensed differs where the live robots.txt names other documents."""
        asked, is_cut = other_licences(self.robots, site_policy.robots, seconds=PATIENT_SECONDS)
        if not asked and not is_cut:
            return Comparison(())
        names = [other.crawler for other in asked]
        comparison = compare_licences(self._wanted_licences, site_policy.licences, names, url=f"{self._home}/")
        more = (Undecided(ANY, ANY, ANY),) if is_cut else ()
        return comparison._replace(undecided=(*comparison.undecided, *more))

    @cached_property
    def _wanted_licences(self) -> RslLicences:
        robots = parse_robots(self.robots.octets, url=f"{self._home}/{ROBOTS}")
        return RslLicences(robots=robots, documents={key: self._documents.get(path) for key, path in self._named})

    def _wanted_page(self, url: str) -> Carriers:
        """What every page is to say, of headers and META elements together."""
        headers = file_carriers(self._pages.get(HEADERS, b""), HEADERS, url=url).page.headers
        return _readable(file_carriers(self._pages.get(HEAD, b""), HEAD, url=url, headers=headers))

    def _answer(self, path: str, retrieved: Retrieved, *, is_absent: bool, why: str = "") -> DocumentAnswer:
        url = retrieved.url
        if is_absent:
            return DocumentAnswer(path, url, "missing", why or f"the answer was {retrieved.status}")
        live = octets_of(retrieved)
        if live is None:
            return DocumentAnswer(path, url, "unreachable", why_not(retrieved))
        wanted, served = self._read[path], read_document(_kind(path, self._documents[path]), live, url)
        problems = further(served.source.problems, wanted.source.problems)
        try:
            comparison = compare_read(wanted, served, url=url)
        except BrokenDocumentError as error:
            return DocumentAnswer(path, url, "different", f"it cannot be read: {error}", problems=problems)
        return DocumentAnswer(path, url, comparison.verdict, comparison=comparison, problems=problems)

    def _licences(self) -> Iterator[tuple[str, str]]:
        """The licence documents of the site to which robots.txt and pages refer: URLs, and paths in the folder."""
        written = [(target, ROBOTS) for target in filter(is_reference, licence_lines(self.robots))]
        if self._pages:
            references = self._wanted_page(f"{self._home}/").page.licence_references()
            written += [(one.target, HEADERS if one.header else HEAD) for one in references if one.text is None]
        for target, where in written:
            try:
                url = resolve(f"{self._home}/", target)
            except ValueError:
                self._unseen.setdefault(target, (where, "it is not a URL that can be retrieved"))
                continue
            path = unquote(urlsplit(url).path).lstrip("/")
            if site_of(url) != self._home:
                why = "it is a licence of another site, which the folder does not have"
                self._unseen.setdefault(target, (where, why))
            elif not path or ".." in path.split("/"):
                self._unseen.setdefault(target, (where, "no file of the folder has its path"))
            else:
                self._named.append((joined(f"{self._home}/", target), path))
                yield url, path

    def _octets(self, path: str) -> bytes | None:
        file = self._folder / path
        try:
            is_file = file.is_file()
        except OSError:  # no file can have a name that is too long
            is_file = False
        return read_file(str(file)) if is_file else None

    def _url(self, path: str) -> str:
        return f"{self._home}/{path}"


_Rules: TypeAlias = frozenset[RslContent]


def _in_force(licences: RslLicences) -> tuple[frozenset[_Rules], frozenset[_Rules]]:
    """The rules of the licences that a page names or has, and of those that robots.txt names."""
    page, robots = licences.page, licences.robots
    base = f"{page.url if page else ''}"
    texts = [] if page is None else [parse_rsl(one.text, url=base) for one in page.licence_references() if one.text]
    named = [] if page is None else [licences.documents.get(joined(base, one)) for one in named_documents(page)]
    lines = () if robots is None else filter(is_reference, licence_lines(robots))
    of_site = [licences.documents.get(joined(robots.base_url if robots else None, one)) for one in lines]
    of_page, beside = (frozenset(rules_of(one) for one in each if one) for each in ((*texts, *named), of_site))
    return of_page, beside


def _written(statement: Statement, path: str, octets: bytes) -> str:
    """The line of a file that says something, with that of the terms on which it does."""
    lines = octets.splitlines()
    if path == HEADERS:
        begun = f"{statement.header}:".lower().encode()
        line = next((each for each in lines if each.lower().startswith(begun)), b"")
    else:
        line = lines[statement.line - 1] if statement.line else b""
    terms = statement.condition.documents if statement.condition else ()
    more = (_line_with(one, octets) for one in terms)
    return "; ".join(filter(None, dict.fromkeys((line.strip().decode("utf-8", "replace"), *more))))


def _line_with(text: str, octets: bytes) -> str:
    """The line that has a text."""
    lines = (line.strip() for line in octets.decode("utf-8", "replace").splitlines())
    return next((line for line in lines if text in unescape(line)), "")


def _kind(path: str, octets: bytes) -> DocumentKind:
    """What a document is; whatever has none of the names is a licence."""
    return kind_of_source(path, octets) or "rsl"


def _readable(carried: Carriers) -> Carriers:
    """The same. Raises `CallError` where what reads pages is not installed."""
    if carried.missing is not None:
        raise needs_pages()
    return carried

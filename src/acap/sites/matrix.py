"""Who says what: usages by carriers, for one resource and one crawler, and where carriers contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from acap import combine
from acap._native import Statement
from acap.carriers import Unread
from acap.crawler_list import FIRST, known
from acap.crawlers import Crawler
from acap.decision import Decision, Outcome
from acap.dialects.rsl.associations import RslLicences
from acap.dialects.rsl.policy import RslDocument, whole_documents
from acap.pages.page import PagePolicy, parse_page, read_page
from acap.robots import Asker, licence_lines
from acap.sites.policy import SitePolicy
from acap.statement import Source
from acap.usages import COMPOSITES, PARENTS, asked_usages
from acap.usages import USAGES as EVERY

USAGES = ("crawl", "search", "tdm", "ai-train", "ai-train-generative", "ai-input", "ai-index")
"""The usages of a matrix where none are named, with each further one on which a carrier speaks."""

_SILENT = ("silence", "absent")
_DISAGREE = ("dialect", "carrier")
_FOLLOWS = ("crawl-prohibited", "preserve-prohibited")
_IN_DOUBT = ("unreachable", "unreadable", "reference-missing", "truncated")
_NOTHING = RslDocument(None)


class Cell(NamedTuple):
    """What one carrier says of a usage by itself: its outcome, None if it says nothing, and the decision by it.

    `is_unknown`: a document that was not retrieved or read decides, so that what the carrier says is unknown.
    """

    carrier: str
    outcome: Outcome | None
    decision: Decision
    is_unknown: bool = False


class UsageRow(NamedTuple):
    """One usage: the decision of all carriers together, and what each of them says."""

    usage: str
    decision: Decision
    cells: tuple[Cell, ...]

    @property
    def is_contradiction(self) -> bool:
        """Whether carriers disagree, or two vocabularies within one of them; what is unknown contradicts nothing."""
        speaking = [cell for cell in self.cells if cell.outcome is not None and not cell.is_unknown]
        within = any(lost.key in _DISAGREE for cell in speaking for lost in cell.decision.reason.lost)
        return within or len({cell.outcome for cell in speaking}) > 1


class Matrix(NamedTuple):
    """What may be done with a resource by one crawler, and which carriers say so; a row for each usage.

    `carriers` are those of which a document was found: `robots.txt`, `tdmrep.json`, `ai.txt`, `licences`, and of the
    response of the resource `response`, `headers`, `page` and `file`.
    """

    url: str
    crawler: Asker
    carriers: tuple[str, ...]
    rows: tuple[UsageRow, ...]


def as_known(name: str) -> Asker:
    """The crawler of a name, with the names it falls back to if the list of known crawlers has it."""
    crawler = known(name)
    return name if crawler is None or not crawler.fallback else Crawler(*crawler.names)


def matrices(
    policy: SitePolicy,
    url: str | None = None,
    *,
    crawlers: Iterable[Asker] = (),
    usage: str | Iterable[str] | None = None,
    at: datetime | None = None,
    usages: str | Iterable[str] | None = None,
) -> tuple[Matrix, ...]:
    """Who says what of a resource: for each crawler usages by carriers, with contradictions.

    Args:
        policy: what the site says.
        url: absolute, or a path; None is the page that was gathered, or without one the root of the site.
        crawlers: who asks; without any the ten of `acap.crawler_list.FIRST`.
        usage: one usage, or several; None are those of `USAGES`, and each further one on which a carrier speaks,
            unless the row of crawling, of a usage above it, or of one that it is a part of, says all of it.
        at: the instant asked about.
        usages: the same as `usage`, by its earlier name.

    Raises:
        ValueError, TypeError: as `acap.decide`.
    """
    named = asked_usages(usage, usages, None)
    url = url or policy.resource
    carriers = list(_carriers(policy, url))
    tables: list[Matrix] = []
    for crawler in tuple(crawlers) or tuple(map(as_known, FIRST)):
        asked: dict[str, Any] = {"crawler": crawler, "usage": EVERY if named is None else named, "at": at}
        together = policy.decide_each(url, **asked)
        alone = {
            name: (
                combine.decide_each(url, **asked, **sources),
                {} if known is None else combine.decide_each(url, **asked, **known),
            )
            for name, sources, known in carriers
        }
        rows = {
            usage: UsageRow(
                usage,
                together[usage],
                tuple(_cell(name, decisions[usage], known.get(usage)) for name, (decisions, known) in alone.items()),
            )
            for usage in asked["usage"]
        }
        shown = rows if named is not None else [*USAGES, *_further(rows)]
        tables.append(Matrix(url, crawler, tuple(alone), tuple(map(rows.__getitem__, shown))))
    return tuple(tables)


def _cell(carrier: str, decision: Decision, known: Decision | None) -> Cell:
    """A cell; `known` is the decision by what is known of the carrier, if not all of it is."""
    kind = decision.reason.kind
    in_doubt = kind in _IN_DOUBT or (known is not None and known.outcome != decision.outcome)
    return Cell(carrier, None if kind in _SILENT else decision.outcome, decision, in_doubt)


def _further(rows: Mapping[str, UsageRow]) -> Iterator[str]:
    """The usages beyond `USAGES` of which a carrier says what no row above them has."""
    for usage, row in rows.items():
        above = ["crawl", PARENTS.get(usage), *(whole for whole, parts in COMPOSITES.items() if usage in parts)]
        is_stated_above = any(_says_all_of(rows[one], row) for one in above if one is not None)
        if usage not in USAGES and not is_stated_above and any(map(_speaks, row.cells)):
            yield usage


def _speaks(cell: Cell) -> bool:
    """Whether a carrier speaks of the usage itself, and not only of crawling or of every use because of a doubt."""
    return cell.outcome is not None and not cell.is_unknown and cell.decision.reason.kind not in _FOLLOWS


def _says_all_of(row: UsageRow, other: UsageRow) -> bool:
    """Whether a row has the answers of another one, and all that its use asks for."""
    outcomes = [
        [one.decision.outcome, *((cell.outcome, cell.is_unknown) for cell in one.cells)] for one in (row, other)
    ]
    here, there = ({*map(str, one.decision.restrictions), *one.decision.conditions} for one in (row, other))
    return outcomes[0] == outcomes[1] and there <= here


class _OwnLicences:
    """Stands beside what refers to licence documents, which speak in a column of their own."""

    dialect = "rsl"
    problems = ()
    reads_licence_lines = True

    def with_page(self, _page: object) -> _OwnLicences:
        """The same."""
        return self

    def statements(self, _url: str) -> tuple[Statement, ...]:
        """Nothing."""
        return ()


def _carriers(policy: SitePolicy, url: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any] | None]]:
    """Each carrier that has something to say of a resource, with the sources of a decision by it alone.

    The last are those of a decision by what is known of it; None if nothing of it is in doubt.
    """
    page, others = policy.said_at(url)
    states: dict[str, str] = {document.kind: document.state for document in policy.documents}
    beside: list[Source] = [_OwnLicences()]
    own: dict[str, dict[str, Any]] = {
        "robots.txt": {"robots": policy.robots, "others": beside},
        "tdmrep.json": {"others": [policy.tdmrep]},
        "ai.txt": {"others": [policy.ai_txt]},
    }
    for name, sources in own.items():
        if states[name] in ("read", "unknown"):
            yield name, sources, None if states[name] == "read" else {"others": beside}
    in_answer = [source for source in others if source.dialect == "rsl"]
    is_licensed = policy.licences.documents or licence_lines(policy.robots)
    if is_licensed or in_answer or (page is not None and page.licence_references()):
        every, lost, whole = policy.licences, policy.lost_licences, _whole(policy.licences)
        if page is not None:
            every, lost, whole = every.with_page(page), lost.with_page(page), whole.with_page(page)
        yield "licences", {"others": [every, lost, *in_answer]}, {"others": [whole, *in_answer]}
    if answered := [source for source in others if source.dialect == "response"]:
        yield "response", {"others": answered}, None
    if page is not None:
        headers = parse_page(None, url=page.url, headers=page.headers)
        if headers.statements():
            yield "headers", {"page": headers, "others": beside}, None
    body = None if page is None or not page.html else _without_headers(page)
    in_body = [source for source in others if source.dialect == "page"]
    if body is not None or in_body:
        is_read = not any(isinstance(source, Unread) for source in in_body)
        known = None if is_read else {"page": body, "others": beside}
        yield "page", {"page": body, "others": [*beside, *in_body]}, known
    if in_file := [source for source in others if source.dialect not in ("rsl", "response", "page")]:
        yield "file", {"others": in_file}, None


def _whole(licences: RslLicences) -> RslLicences:
    """The same with documents that could not be retrieved or read as those that say nothing."""
    known = whole_documents(licences.documents)
    documents = {url: document if url in known else _NOTHING for url, document in licences.documents.items()}
    return RslLicences(robots=licences.robots, documents=documents)


def _without_headers(page: PagePolicy) -> PagePolicy:
    """What stands in the page itself; its type tells how it is read."""
    declared = tuple((name, value) for name, value in page.headers if name == "content-type")
    return read_page(page.html, page.url, declared, page.complete, page.certain, reading=page.reading)

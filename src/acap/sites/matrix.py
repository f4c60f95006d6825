"""Who says what: usages by carriers, for one resource and one crawler, and where carriers contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from acap import combine
from acap._native import Statement
from acap.crawlers import Crawler
from acap.decision import Decision, Outcome
from acap.known_crawlers import known
from acap.pages.page import PagePolicy, parse_page, read_page
from acap.robots import Asker
from acap.sites.policy import SitePolicy
from acap.statement import Source

CRAWLERS = (
    "Googlebot",
    "Bingbot",
    "Google-Extended",
    "GPTBot",
    "OAI-SearchBot",
    "ClaudeBot",
    "PerplexityBot",
    "CCBot",
    "meta-externalagent",
    "Bytespider",
)
"""The ten that matter where none are named (our choice): the two search engines by which most sites are found; the
token by which Google's models are refused; training and search of the makers of models that sites name most; the open
collection from which others train."""

USAGES = ("crawl", "search", "tdm", "ai-train", "ai-train-generative", "ai-input", "ai-index")
"""The usages of a matrix where none are named."""

_SILENT = ("silence", "absent")
_DISAGREE = ("dialect", "carrier")


class Cell(NamedTuple):
    """What one carrier says of a usage by itself: its outcome, None if it says nothing, and the decision by it."""

    carrier: str
    outcome: Outcome | None
    decision: Decision


class UsageRow(NamedTuple):
    """One usage: the decision of all carriers together, and what each of them says."""

    usage: str
    decision: Decision
    cells: tuple[Cell, ...]

    @property
    def is_contradiction(self) -> bool:
        """Whether carriers disagree, or two vocabularies within one of them."""
        said = [cell for cell in self.cells if cell.outcome is not None]
        within = any(lost.key in _DISAGREE for cell in said for lost in cell.decision.reason.lost)
        return within or len({cell.outcome for cell in said}) > 1


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
    found = known(name)
    return name if found is None or not found.fallback else Crawler(*found.names)


def matrices(
    policy: SitePolicy,
    url: str | None = None,
    *,
    crawlers: Iterable[Asker] = (),
    usages: Sequence[str] = USAGES,
    at: datetime | None = None,
) -> tuple[Matrix, ...]:
    """Who says what of a resource: for each crawler usages by carriers, with contradictions.

    Args:
        policy: what the site says.
        url: absolute, or a path; None is the page that was gathered, or without one the root of the site.
        crawlers: who asks; without any the ten of `CRAWLERS`.
        usages: one or more usages.
        at: the instant asked about.

    Raises:
        ValueError, TypeError: as `acap.decide`.
    """
    url = url or policy.resource
    carriers = list(_carriers(policy, url))
    found: list[Matrix] = []
    for crawler in tuple(crawlers) or tuple(map(as_known, CRAWLERS)):
        asked: dict[str, Any] = {"crawler": crawler, "usages": usages, "at": at}
        together = policy.decide_each(url, **asked)
        alone = {name: combine.decide_each(url, **asked, **sources) for name, sources in carriers}
        rows = tuple(
            UsageRow(usage, together[usage], tuple(_cell(name, said[usage]) for name, said in alone.items()))
            for usage in usages
        )
        found.append(Matrix(url, crawler, tuple(alone), rows))
    return tuple(found)


def _cell(carrier: str, decision: Decision) -> Cell:
    return Cell(carrier, None if decision.reason.kind in _SILENT else decision.outcome, decision)


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


def _carriers(policy: SitePolicy, url: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each carrier that has something to say of a resource, with the sources of a decision by it alone."""
    page, others = policy.said_at(url)
    states = {document.kind: document.state for document in policy.documents}
    beside: list[Source] = [_OwnLicences()]
    if states["robots.txt"] in ("read", "unknown"):
        yield "robots.txt", {"robots": policy.robots, "others": beside}
    if states["tdmrep.json"] in ("read", "unknown"):
        yield "tdmrep.json", {"others": [policy.tdmrep]}
    if states["ai.txt"] in ("read", "unknown"):
        yield "ai.txt", {"others": [policy.ai_txt]}
    in_answer = [one for one in others if one.dialect == "rsl"]
    is_licensed = policy.licences.documents or any(line.field == "License" for line in policy.robots.extensions)
    if is_licensed or in_answer or (page is not None and page.licence_references()):
        licences: list[Source] = [policy.licences, policy.lost_licences]
        if page is not None:
            licences = [policy.licences.with_page(page), policy.lost_licences.with_page(page)]
        yield "licences", {"others": [*licences, *in_answer]}
    if answered := [one for one in others if one.dialect == "response"]:
        yield "response", {"others": answered}
    if page is not None:
        headers = parse_page(None, url=page.url, headers=page.headers)
        if headers.statements():
            yield "headers", {"page": headers, "others": beside}
    body = None if page is None or not page.html else _without_headers(page)
    in_body = [one for one in others if one.dialect == "page"]
    if body is not None or in_body:
        yield "page", {"page": body, "others": [*beside, *in_body]}
    if in_file := [one for one in others if one.dialect not in ("rsl", "response", "page")]:
        yield "file", {"others": in_file}


def _without_headers(page: PagePolicy) -> PagePolicy:
    """What stands in the page itself; its type tells how it is read."""
    declared = tuple((name, value) for name, value in page.headers if name == "content-type")
    return read_page(page.html, page.url, declared, page.complete, page.certain, reading=page.reading)

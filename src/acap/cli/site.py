"""`acap site`: everything a site says, usages by carriers, with the documents it stands in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from textwrap import wrap

import click

from acap.cli.io.answers import PAGE_NOT_READ, wrong
from acap.cli.io.asking import AT, CrawlerOption, QuestionOptions, asker, complete_usage, usage_names
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit, Tally, exit_for
from acap.cli.io.failures import CallError
from acap.cli.io.network import Network
from acap.cli.io.options import Access, access_options
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import check_url, origin
from acap.crawler_list import FIRST
from acap.decision import STRICTNESS, Decision
from acap.dialects.well_known import is_plain
from acap.explain import (
    STYLES,
    Role,
    condition_text,
    failure_text,
    left_out,
    place,
    quotation,
    restriction_text,
    summary,
    visible,
)
from acap.restrictions import Restriction
from acap.schema import site_to_json
from acap.sites.documents import Kind, SiteDocument, came_from
from acap.sites.matrix import Matrix, UsageRow, as_known, matrices
from acap.sites.policy import SitePolicy
from acap.usages import COMPOSITES

_COLUMNS = 80
# What a carrier says, and how it is called here, in few letters: eight carriers fit into a line.
_SAYS = {"permitted": "yes", "conditional": "cond", "prohibited": "no", None: "."}
_WIDTH = len("cond")
_SHORT = {
    "robots.txt": "robots",
    "tdmrep.json": "tdmrep",
    "ai.txt": "ai.txt",
    "licences": "rsl",
    "response": "status",
    "headers": "header",
    "page": "page",
    "file": "file",
}
_LEGEND = "yes permitted, cond on a condition, no prohibited, . silent, ! they disagree"
_DOUBT = "?"
_LEGEND_OF_DOUBT = "? not known, which counts as a prohibition"
_QUOTED = 300  # characters of a restriction or a condition, which may be of any length

_EVERYTHING = "everything is prohibited"
_TELLS: Mapping[Kind, str] = {
    "robots.txt": "acap lint URL",
    "tdmrep.json": "acap fetch URL | acap lint --kind tdmrep -",
    "ai.txt": "acap fetch URL | acap lint --kind ai-txt -",
    "licence": "acap fetch URL | acap lint --kind rsl -",
    "tdm-policy": "acap fetch URL | acap lint --kind tdm-policy -",
    "reference": "acap fetch URL | acap lint --kind robots -",
    "page": "acap show --page URL",
}
"""What tells the problems of a document of each kind."""

_DOCUMENT = "{:8}  {:12}  {:<6}  {:17}  {:17}  {}"


@click.command(cls=Command)
@click.argument("url", required=False)
@click.option("--page", metavar="URL", help="A page of the site to read too; `/a.html` or the whole URL.")
@click.option(
    "-c", "--crawler", "askers", type=asker, multiple=True, metavar="NAME",
    help="A crawler that asks; give the option again for another one.  [default: ten that matter]",
)  # fmt: skip
@click.option(
    "-u", "--usage", "usages", type=usage_names, shell_complete=complete_usage, multiple=True, metavar="U",
    help="The usage: crawl, index, present-snippet …, or one that robots.txt defines.  [default: crawl, search, tdm, "
    "ai-train, ai-train-generative, ai-input, ai-index, and each further one on which a carrier speaks]",
)  # fmt: skip
@AT
@click.option("--why", is_flag=True, help="Show the statement or document behind each answer.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as one JSON object; see docs/reference/json.md.")
@access_options
@terminal_options
@pass_terminal
def site(
    terminal: Terminal,
    url: str | None,
    page: str | None,
    askers: tuple[CrawlerOption, ...],
    usages: tuple[tuple[str, ...], ...],
    at: datetime | None,
    why: bool,
    as_json: bool,
    access: Access,
) -> Exit:
    """Everything a site says: robots.txt, tdmrep.json, ai.txt, licence documents, and a page.

    Shows for a URL which usages each of these carriers permits, what they permit together, and where they disagree;
    below each table what conditions and restrictions ask for; then each document with its evidence. With --page it
    reads that page too, if one of the crawlers may crawl it. Crawlers with the same answers share a table. Without
    --usage crawl alone counts for the exit code.

    \b
    # every usage by every carrier
    acap site https://example.com
    # one page and one crawler, with the reasons
    acap site https://example.com --page /news/a.html --crawler GPTBot --why
    # two usages, as JSON
    acap site https://example.com/news/ --usage ai-train,search --json
    """
    if url is None and page is None:
        raise CallError("no URL given; give one such as https://example.com/")
    checked = check_url(url or page or "", path_is_enough=False)
    asked = tuple(dict.fromkeys(word for given in usages for word in given))
    question = QuestionOptions(askers or tuple(map(asker, FIRST)), None, asked, at)
    names = [as_known(one.names) if isinstance(one.names, str) else one.names for one in question.askers]
    with Network(access, terminal) as network:
        site_policy = network.site(checked, page, names)
    unknown = list(_unknown(site_policy))
    for line in (*unknown, *_plain(site_policy)):
        terminal.error(line)
    about = site_policy.resource if page is not None else network.canonical(checked)
    try:
        tables = matrices(site_policy, about, crawlers=names, usages=asked or None, at=at)
    except ValueError as error:
        raise wrong(error, question) from error
    tally = Tally()
    for table in tables:
        for row in table.rows:
            if asked or row.usage == "crawl":
                tally.add(exit_for(row.decision))
    if (unknown or site_policy.left_out) and not asked and tally.code is Exit.PERMITTED:
        terminal.note("what is not known did not count: without --usage the exit code is of crawl alone")
    if as_json:
        terminal.line(json.dumps(site_to_json(site_policy, tables)))
        return tally.code
    terminal.line(about, bold=True)
    labels = [one.label for one in question.askers]
    for matrix, who in _alike(tables, labels, why=why):
        terminal.line("")
        for line in wrap(visible(", ".join(who)), _COLUMNS):
            terminal.line(line, bold=True)
        _table(terminal, matrix, why=why)
    terminal.line("")
    terminal.line(_LEGEND)
    if any(cell.is_unknown for matrix in tables for row in matrix.rows for cell in row.cells):
        terminal.line(_LEGEND_OF_DOUBT)
    _documents(terminal, site_policy)
    if page is None and any(row.decision.permitted and row.usage != "crawl" for one in tables for row in one.rows):
        terminal.note(PAGE_NOT_READ)
    return tally.code


def _alike(tables: Sequence[Matrix], labels: Sequence[str], *, why: bool) -> Iterator[tuple[Matrix, list[str]]]:
    """Each matrix that differs from those before it, with the crawlers that it is for."""
    groups: dict[object, tuple[Matrix, list[str]]] = {}
    for matrix, label in zip(tables, labels, strict=True):
        rows = [
            (row.usage, row.is_contradiction, *((cell.outcome, cell.is_unknown) for cell in row.cells))
            for row in matrix.rows
        ]
        terms = [(row.decision.outcome, *_terms(row.decision)) for row in matrix.rows]
        reasons = [cell.decision.reason for row in matrix.rows for cell in row.cells] if why else []
        key = (matrix.carriers, tuple(rows), tuple(terms), tuple(reasons))
        groups.setdefault(key, (matrix, []))[1].append(label)
    yield from groups.values()


def _unknown(site_policy: SitePolicy) -> Iterator[str]:
    """A line for each reason why documents of one host are not known, with what follows of that."""
    groups: dict[tuple[str, str], list[SiteDocument]] = {}
    for document in site_policy.documents:
        if document.doubt:
            groups.setdefault((origin(document.url), document.why), []).append(document)
    for (host, why), documents in groups.items():
        first, *others = (document.url for document in documents)
        names = [first, *(url.removeprefix(host) for url in others)]
        listed = f"{', '.join(names[:-1])} and {names[-1]} are" if others else f"{first} is"
        doubts = list(dict.fromkeys(document.doubt for document in documents))
        follows = _EVERYTHING if _EVERYTHING in doubts else ", ".join(doubts)
        failure = (documents[0].evidence or {}).get("failure") or {}
        advice = " (--allow-private asks for it)" if failure.get("kind") == "address-refused" else ""
        yield f"{listed} not known: {failure_text(why)}; {follows}{advice}"


def _plain(site_policy: SitePolicy) -> Iterator[str]:
    """A line for the licences that came by plain http, if there are any."""
    read = (document for document in site_policy.documents if document.kind == "licence" and document.state == "read")
    urls = [document.url for document in read if is_plain(came_from(document.url, document.evidence or {}))]
    if urls:
        others = f" and {len(urls) - 1} more" if len(urls) > 1 else ""
        yield f"{urls[0]}{others} came by plain http: such a licence prohibits, and licenses nothing; ask for https"


def _table(terminal: Terminal, matrix: Matrix, *, why: bool) -> None:
    """A line for each usage, and with `why` one below it for each carrier that speaks; then what is asked for."""
    from textwrap import wrap

    usage = max(len("usage"), *(len(visible(row.usage)) for row in matrix.rows))
    heads = [_SHORT[carrier].ljust(_WIDTH) for carrier in matrix.carriers]
    gap = "  " if usage + sum(len(head) + 2 for head in heads) + len("  conditional !") <= _COLUMNS else " "
    _line(terminal, [("usage".ljust(usage), None), *((gap + head, None) for head in heads), (gap + "together", None)])
    for row in matrix.rows:
        cells = [
            (gap + (_DOUBT if cell.is_unknown else _SAYS[cell.outcome]).ljust(len(head)), cell.outcome)
            for cell, head in zip(row.cells, heads, strict=True)
        ]
        mark = " !" if row.is_contradiction else ""
        together = [(gap + row.decision.outcome, row.decision.outcome), (mark, None)]
        _line(terminal, [(visible(row.usage).ljust(usage), None), *cells, *together])
        for line in _reasons(row) if why else ():
            _line(terminal, [(line, Role.WHY)])
    asking: dict[str, dict[str, None]] = {}
    for row in matrix.rows:
        for text in _terms(row.decision):
            asking.setdefault(text, {})[visible(row.usage)] = None
    for text, usages in asking.items():
        for line in wrap(
            f"* {', '.join(usages)}: {text}",
            _COLUMNS,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        ):
            _line(terminal, [(line, Role.RESTRICTION)])


def _terms(decision: Decision) -> Iterator[str]:
    """What has to be obtained for a use, and what it is subject to."""
    if decision.outcome == "prohibited":
        return
    limits: dict[str, list[Restriction]] = {}
    for restriction in decision.restrictions:
        if restriction.name != "excluded-element":
            limits.setdefault(str(restriction), []).append(restriction)
    texts = [f"needs {condition_text(one)}" for one in decision.conditions]
    for first, *others in limits.values():
        parts = [one.usage for one in (first, *others)]
        # Where all parts of a usage are under it, the usage is.
        is_all = set(parts) >= set(COMPOSITES.get(str(decision.usage), parts))
        texts.append(restriction_text(first, () if is_all else parts))
    for text in texts:
        yield text if len(text) <= _QUOTED else f"{text[:_QUOTED]} …"
    if elements := left_out(decision):
        parts_left_out = "a part" if len(elements) == 1 else f"{len(elements)} parts"
        yield f"without {parts_left_out} of the page; `acap extract` leaves out what may not be used"


def _reasons(row: UsageRow) -> Iterator[str]:
    for cell in row.cells:
        if cell.outcome is not None:
            outcome = "not known" if cell.is_unknown else cell.outcome
            yield f"  {_SHORT[cell.carrier]}: {outcome}, {summary(cell.decision)}"
            for lost in cell.decision.reason.lost:
                if lost.key in ("dialect", "carrier"):
                    yield f"    against {quotation(lost.statement)}"
            for text in _terms(cell.decision):
                yield f"    {text}"
    yield from _replaced(row.decision)


def _replaced(decision: Decision) -> Iterator[str]:
    """The statements that would refuse more, and that a later carrier of their dialect took the place of."""
    refused = {"conditional": STRICTNESS["conditional"], "prohibits": STRICTNESS["prohibited"]}
    for lost, key in decision.reason.lost:
        winner = next((one for one in decision.reason.decided_by if one.dialect == lost.dialect), None)
        if key == "carrier" and winner and refused.get(lost.effect, 0) > STRICTNESS[decision.outcome]:
            yield f"  together: {place(winner)} replaces {place(lost)}, an earlier carrier of {lost.dialect}"


def _line(terminal: Terminal, parts: Sequence[tuple[str, str | None]]) -> None:
    """A line whose parts have the colours of outcomes on a terminal that shows them."""
    if terminal.quiet or not terminal.rich:
        terminal.line("".join(text for text, _ in parts).rstrip())
        return
    from rich.text import Text

    text = Text.assemble(*((part, STYLES[Role(role)] if role else "") for part, role in parts))
    text.rstrip()
    terminal.show(text)


def _documents(terminal: Terminal, site_policy: SitePolicy) -> None:
    """Each document in two lines: what became of it, and where it is."""
    terminal.line("")
    terminal.line(_DOCUMENT.format("state", "document", "status", "asked", "fresh until", "sha256"), bold=True)
    for document in site_policy.documents:
        came = document.evidence
        if came is None:
            terminal.line(f"{document.state:8}  {document.kind:12}  not asked for")
        else:
            status, digest = came["status"] or "-", (came["sha256"] or "-")[:8]
            times = (f"{came[name][:16]}Z" for name in ("fetched_at", "expires_at"))
            terminal.line(_DOCUMENT.format(document.state, document.kind, status, *times, digest))
        terminal.line(f"          {visible(document.url)}")
        if number := sum(problem.severity != "info" for problem in document.problems if came and came["sha256"]):
            problems = f"{number} problem{'s' if number > 1 else ''}"
            terminal.line(f"          {problems}: {_TELLS[document.kind]}")
    if site_policy.left_out:
        first, number = site_policy.left_out[0], len(site_policy.left_out)
        terminal.error(f"{number} more documents are referred to, and were not asked for, {first} first")

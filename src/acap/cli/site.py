"""`acap site`: everything a site says, usages by carriers, with the documents it stands in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from acap.cli.io.answers import wrong
from acap.cli.io.asking import AT, USAGE, CrawlerOption, QuestionOptions, asker
from acap.cli.io.exits import Exit, Tally, exit_for
from acap.cli.io.network import Network
from acap.cli.io.options import Access, access_options
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import check_url
from acap.explain import STYLES, Role, quotation, summary, visible

if TYPE_CHECKING:
    from acap.sites.matrix import Matrix, UsageRow
    from acap.sites.policy import SitePolicy

_COLUMNS = 80
# What a carrier says, and how it is called, in few letters: eight carriers fit into a line.
_SAYS = {"permitted": "yes", "conditional": "cond", "prohibited": "no", None: "."}
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

_DOCUMENT = "{:8}  {:12}  {:<6}  {:17}  {:17}  {}"


@click.command()
@click.argument("url", required=False)
@click.option("--page", metavar="URL", help="A page of the site, to be read with it; `/a.html` or the whole URL.")
@click.option(
    "-c", "--crawler", "askers", type=asker, multiple=True, metavar="NAME",
    help="A crawler that asks; give the option again for another one.  [default: ten that matter]",
)  # fmt: skip
@USAGE
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

    Shows for a URL which usages each of these carriers permits, what comes of them together, and where they disagree;
    then each document with its evidence. With --page that page is read too, if one of the crawlers may crawl it.
    Crawlers for which everything is alike share a table. Without --usage crawl alone counts for the exit code.

    \b
    acap site https://example.com
    acap site https://example.com --page /news/a.html --crawler GPTBot --why
    acap site https://example.com/news/ --usage ai-train,search --json
    """
    # The rooms of retrieval take longer to import than all else together.
    from textwrap import wrap

    from acap.sites.matrix import CRAWLERS, USAGES, as_known, matrices

    checked = check_url(url or page or "", path_is_enough=False)
    asked = tuple(dict.fromkeys(word for given in usages for word in given))
    question = QuestionOptions(askers or tuple(map(asker, CRAWLERS)), None, asked, at)
    names = [as_known(one.names) if isinstance(one.names, str) else one.names for one in question.askers]
    with Network(access, terminal) as network:
        said = network.site(checked, page, names)
    for document in said.documents:
        if document.doubt:
            terminal.error(f"{document.url} is not known: {document.why}; {document.doubt}")
    about = said.resource if page is not None else network.canonical(checked)
    try:
        found = matrices(said, about, crawlers=names, usages=asked or USAGES, at=at)
    except ValueError as error:
        raise wrong(error, question) from error
    tally = Tally()
    for one in found:
        for row in one.rows:
            if asked or row.usage == "crawl":
                tally.add(exit_for(row.decision))
    if as_json:
        from acap.schema import site_to_json

        terminal.line(json.dumps(site_to_json(said, found)))
        return tally.code
    terminal.line(about, bold=True)
    labels = [one.label for one in question.askers]
    for matrix, who in _alike(found, labels, why=why):
        terminal.line("")
        for line in wrap(visible(", ".join(who)), _COLUMNS):
            terminal.line(line, bold=True)
        _table(terminal, matrix, why=why)
    terminal.line("")
    terminal.line(_LEGEND)
    _documents(terminal, said)
    if page is None and any(row.decision.permitted and row.usage != "crawl" for one in found for row in one.rows):
        terminal.note("the page itself was not read and may prohibit more; `--page URL` reads it")
    return tally.code


def _alike(found: Sequence[Matrix], labels: Sequence[str], *, why: bool) -> Iterator[tuple[Matrix, list[str]]]:
    """Each matrix that differs from those before it, with the crawlers that it is for."""
    groups: dict[object, tuple[Matrix, list[str]]] = {}
    for matrix, label in zip(found, labels, strict=True):
        rows = [
            (row.usage, row.decision.outcome, row.is_contradiction, *(cell.outcome for cell in row.cells))
            for row in matrix.rows
        ]
        reasons = [cell.decision.reason for row in matrix.rows for cell in row.cells] if why else []
        key = (matrix.carriers, tuple(rows), tuple(reasons))
        groups.setdefault(key, (matrix, []))[1].append(label)
    yield from groups.values()


def _table(terminal: Terminal, matrix: Matrix, *, why: bool) -> None:
    """A line for each usage, and with `why` one below it for each carrier that speaks."""
    usage = max(len("usage"), *(len(visible(row.usage)) for row in matrix.rows))
    heads = [_SHORT[carrier] for carrier in matrix.carriers]
    gap = "  " if usage + sum(len(head) + 2 for head in heads) + len("  conditional !") <= _COLUMNS else " "
    _line(terminal, [("usage".ljust(usage), None), *((gap + head, None) for head in heads), (gap + "together", None)])
    for row in matrix.rows:
        cells = [
            (gap + _SAYS[cell.outcome].ljust(len(head)), cell.outcome)
            for cell, head in zip(row.cells, heads, strict=True)
        ]
        mark = " !" if row.is_contradiction else ""
        together = [(gap + row.decision.outcome, row.decision.outcome), (mark, None)]
        _line(terminal, [(visible(row.usage).ljust(usage), None), *cells, *together])
        for line in _reasons(row) if why else ():
            _line(terminal, [(line, Role.WHY)])


def _reasons(row: UsageRow) -> Iterator[str]:
    for cell in row.cells:
        if cell.outcome is not None:
            yield f"  {cell.carrier}: {cell.outcome}, {summary(cell.decision)}"
            for lost in cell.decision.reason.lost:
                if lost.key in ("dialect", "carrier"):
                    yield f"    against {quotation(lost.statement)}"


def _line(terminal: Terminal, parts: Sequence[tuple[str, str | None]]) -> None:
    """A line whose parts have the colours of outcomes on a terminal that shows them."""
    if terminal.quiet or not terminal.rich:
        terminal.line("".join(text for text, _ in parts).rstrip())
        return
    from rich.text import Text

    text = Text.assemble(*((part, STYLES[Role(role)] if role else "") for part, role in parts))
    text.rstrip()
    terminal.show(text)


def _documents(terminal: Terminal, said: SitePolicy) -> None:
    """Each document in two lines: what became of it, and where it is."""
    terminal.line("")
    terminal.line(_DOCUMENT.format("state", "document", "status", "asked", "fresh until", "sha256"), bold=True)
    for one in said.documents:
        came = one.evidence
        if came is None:
            terminal.line(f"{one.state:8}  {one.kind:12}  not asked for")
        else:
            status, digest = came["status"] or "-", (came["sha256"] or "-")[:8]
            times = (f"{came[name][:16]}Z" for name in ("fetched_at", "expires_at"))
            terminal.line(_DOCUMENT.format(one.state, one.kind, status, *times, digest))
        terminal.line(f"          {visible(one.url)}")
    if said.left_out:
        first, number = said.left_out[0], len(said.left_out)
        terminal.error(f"{number} more documents are referred to, and were not asked for, {first} first")

"""`acap check`: may a crawler use these URLs, and in which ways?"""

from __future__ import annotations

import json
from collections.abc import Callable

import click

from acap.cli.io.answers import UrlAnswer, answers
from acap.cli.io.asking import QuestionOptions, note_near_misses, question_options
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit, Tally
from acap.cli.io.options import JSON, PAGE, READING, SourceOptions, source_options
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.decision import Decision
from acap.explain import STYLES, Role, headline, left_out, quotation, summary, visible
from acap.plurals import plural
from acap.schema import decision_to_json


@click.command(cls=Command)
@click.argument("urls", nargs=-1, metavar="URL...|-")
@question_options
@PAGE
@source_options
@READING
@JSON
@terminal_options
@pass_terminal
def check(
    terminal: Terminal, urls: tuple[str, ...], question: QuestionOptions, source: SourceOptions, as_json: bool
) -> Exit:
    """May this crawler use these URLs, and in which ways?

    Asks the site of each URL for its robots.txt unless --robots names one, and for tdmrep.json, ai.txt and licences
    where they could decide: not for crawl and follow. `-` reads URLs from standard input, one per line, and answers
    each at once. Without --usage it shows every usage, and crawl alone counts for the exit code.

    With --page the page's own statements count too: META tags, class attributes and response headers. It fetches the
    page from a URL only if the crawler may crawl it.

    \b
    # ask the site
    acap check --crawler Googlebot https://example.com/news/
    # ask a file
    acap check --robots robots.txt --crawler GPTBot --usage ai-train https://example.com/
    # many URLs, an object for each
    acap check --crawler examplebot --usage index --json - < urls.txt
    # with what a saved page says of itself
    acap check --crawler examplebot --page page.html https://example.com/a.html
    # with what the page says, fetched
    acap check --crawler examplebot --page https://example.com/a.html
    """
    note_near_misses(terminal, (name for asker in question.askers for name in asker.each_name))
    tally = Tally()
    show = _json if as_json else _rich(bool(question.usages)) if terminal.rich else _plain
    for answer in answers(urls, question, source, terminal, tally):
        if not terminal.quiet:
            show(terminal, answer)
        if question.usages:
            _tell_below(terminal, answer)
    return tally.code


def _tell_below(terminal: Terminal, answer: UrlAnswer) -> None:
    """Tells, beside the answers, which narrower uses a permission does not take in, unless they were asked for too."""
    asked = {str(decision.usage) for decision in answer.decisions}
    for decision in answer.decisions:
        below = [usage for usage in decision.reason.prohibited_below if usage not in asked]
        if decision.outcome == "permitted" and below:
            terminal.note(f"{decision.usage} of {answer.url} is permitted, except {', '.join(below)}: prohibited")


def _json(terminal: Terminal, answer: UrlAnswer) -> None:
    for decision in answer.decisions:
        terminal.line(json.dumps(decision_to_json(decision)))


def _plain(terminal: Terminal, answer: UrlAnswer) -> None:
    """Columns between tabs: outcome, usage, crawler, URL, restrictions, kind of reason, the statement that decided."""
    for decision in answer.decisions:
        reason = decision.reason
        cells = (
            decision.outcome,
            decision.usage,
            answer.asker.label,
            answer.url,
            restrictions(decision) or "-",
            reason.kind,
            quotation(reason.decided_by[0], answer.names) if reason.decided_by else "-",
        )
        terminal.line("\t".join(visible(str(cell)) for cell in cells))


def _rich(usages_given: bool) -> Callable[[Terminal, UrlAnswer], None]:
    return _sentences if usages_given else _table


def _sentences(terminal: Terminal, answer: UrlAnswer) -> None:
    """A line an answer, and below it the reason."""
    from rich.text import Text

    for decision in answer.decisions:
        terminal.show(Text(headline(decision), STYLES[Role(decision.outcome)]))
        if found := restrictions(decision, counted=True):
            terminal.show(Text(f"  {found}", STYLES[Role.RESTRICTION]))
        terminal.show(Text(f"  {summary(decision, answer.names)}", STYLES[Role.WHY]))


def _table(terminal: Terminal, answer: UrlAnswer) -> None:
    """All usages of one URL for one crawler."""
    from rich.table import Table
    from rich.text import Text

    title = Text(visible(f"{answer.url} for {answer.asker.label}"), "bold")
    table = Table(title=title, title_justify="left", box=None, expand=True)
    table.add_column("usage", no_wrap=True)
    table.add_column("answer", no_wrap=True)
    if restricted := any(decision.restrictions for decision in answer.decisions):
        table.add_column("restrictions", overflow="fold", ratio=2)
    table.add_column("why", overflow="fold", ratio=3)
    for decision in answer.decisions:
        outcome = Text(str(decision.outcome), STYLES[Role(decision.outcome)])
        why = Text(summary(decision, answer.names, short=True), STYLES[Role.WHY])
        limits = [Text(restrictions(decision, counted=True))] if restricted else []
        table.add_row(Text(str(decision.usage)), outcome, *limits, why)
    terminal.show(table)


def restrictions(decision: Decision, *, counted: bool = False) -> str:
    """The restrictions of an answer in one line: `time-limit=7-days; max-length=20-words`.

    `counted`: parts of a page that are to be left out are counted, as there may be many.
    """
    parts = len(left_out(decision)) if counted else 0
    items = (item for item in decision.restrictions if not (parts and item.name == "excluded-element"))
    shown = [f"{item.usage}: {item}" if item.usage else str(item) for item in items]
    if parts:
        shown.append(f"{plural(parts, 'element')} left out")
    return "; ".join(map(visible, shown))

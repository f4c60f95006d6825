"""Every answer of a call to `check` or `explain`, one URL after the other."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from acap.cli.io.asking import CrawlerOption, QuestionOptions
from acap.cli.io.exits import Exit, Tally, exit_for
from acap.cli.io.failures import CallError, suggestion
from acap.cli.io.network import Network
from acap.cli.io.options import SourceOptions
from acap.cli.io.pages import BESIDE_NOT_READ, Pages, page_url, unseen
from acap.cli.io.policies import SourcePolicies, may_decide_beside
from acap.cli.io.terminal import Terminal
from acap.cli.io.urls import MAX_URL_OCTETS, STDIN, check_url, stdin_urls
from acap.combine import decide
from acap.decision import Decision
from acap.robots import Reading
from acap.usages import USAGES

PAGE_NOT_READ = "the page itself was not read and may prohibit more; `--page URL` reads it"
"""A note where more than crawling is permitted by what a site says."""


class UnknownUsageError(CallError):
    """A usage that neither we nor the policy at hand know: no further URL will make it known."""


class UrlAnswer(NamedTuple):
    """What one crawler may do with one URL: a decision per usage asked for, in the order asked.

    `names` are what sources are called where they are shown. `unread`: documents beside robots.txt were not asked for,
    and may prohibit what is permitted. `copy` says how old a document is that was not asked for now.
    """

    url: str
    asker: CrawlerOption
    decisions: tuple[Decision, ...]
    names: Mapping[str, str]
    unread: bool
    copy: str | None


def answers(
    urls: Sequence[str], question: QuestionOptions, source: SourceOptions, terminal: Terminal, tally: Tally
) -> Iterator[UrlAnswer]:
    """Every answer, in the order of the URLs and crawlers; `tally` gathers the exit code along the way.

    Where more than crawling is permitted, a note at the end tells once what was not read: the page where sites were
    asked, what stands beside robots.txt where that is a file. One at the first kept copy tells how old it is.

    Without usages all are asked and crawl alone counts for the code. A URL of standard input that cannot be asked about
    is an error on its own line, and the stream goes on; every other mistake raises `CallError`.
    """
    open_ = unread = copy_noted = False
    for answer in _answers(urls, question, source, terminal, tally):
        open_ = open_ or any(decision.usage != "crawl" and decision.permitted for decision in answer.decisions)
        unread = unread or answer.unread
        if answer.copy is not None and not copy_noted:
            terminal.note(answer.copy)
            copy_noted = True
        yield answer
    if unread:
        terminal.note(BESIDE_NOT_READ)
    if open_ and source.robots is None and source.page is None and not source.headers:
        terminal.note(PAGE_NOT_READ)


def _answers(
    urls: Sequence[str], question: QuestionOptions, source: SourceOptions, terminal: Terminal, tally: Tally
) -> Iterator[UrlAnswer]:
    began = datetime.now(UTC)
    path_is_enough = source.robots is not None
    if source.page is not None:
        _check_inputs(urls, source)
        urls = [page_url(urls, source.page, path_is_enough=path_is_enough)]
    if not urls:
        raise CallError("no URL given; give one, or `-` to read them from standard input, one per line")
    streamed = STDIN in urls
    if streamed and len(urls) > 1:
        raise CallError("`-` stands alone; give URLs as arguments or on standard input, not both")
    if streamed and source.robots == STDIN:
        raise CallError("standard input cannot be both the URLs and the robots.txt; name a file with --robots FILE")
    checked = [] if streamed else [check_url(url, path_is_enough=path_is_enough) for url in urls]
    with Network(source.access, terminal, source.dialect, source.limits) as network:
        pages = Pages(source, SourcePolicies(source, network, terminal), network, terminal)
        if not streamed:
            for url in checked:
                yield from _decided(url, pages, question, tally, terminal, source.reading, began)
            return
        if sys.stdin.isatty():
            terminal.note("reading URLs from the terminal, one per line; Ctrl-D ends")
        number = 0
        for number, line in stdin_urls():
            try:
                if line is None:
                    raise CallError(f"a URL of more than {MAX_URL_OCTETS} octets; no server accepts it")
                url = check_url(line, path_is_enough=path_is_enough)
                yield from _decided(url, pages, question, tally, terminal, source.reading, began, found=True)
            except UnknownUsageError:
                raise
            except CallError as error:
                terminal.error(f"standard input, line {number}: {error.message}")
                tally.add(Exit.WRONG_CALL)
        if not number:
            raise CallError("no URL on standard input; write one per line")


def _check_inputs(urls: Sequence[str], source: SourceOptions) -> None:
    """Raises `CallError` if standard input was to be several things, of which the page is one."""
    if source.page == STDIN and STDIN in urls:
        raise CallError("standard input cannot be both the URLs and the page; name a file with --page FILE")
    if source.page == STDIN and source.robots == STDIN:
        raise CallError("standard input cannot be both the page and the robots.txt; name a file for one of them")
    if STDIN in urls:
        raise CallError("`-` reads many URLs and --page is one page; give its URL as an argument")


def _decided(
    url: str,
    pages: Pages,
    question: QuestionOptions,
    tally: Tally,
    terminal: Terminal,
    reading: Reading,
    began: datetime,
    *,
    found: bool = False,
) -> Iterator[UrlAnswer]:
    usages = question.usages or USAGES
    for asker in question.askers:
        about = pages.find(url, asker, question.purpose, found=found)
        if about is None:
            tally.add(Exit.UNDETERMINED)
            continue
        if asker is question.askers[0] and (line := unseen(about)) is not None:
            terminal.note(line)
        about = pages.beside(about, asker, usages).with_reading(reading)
        # What stopped a fetch is that crawling is prohibited now, whatever instant is asked about.
        at = None if about.refused else question.at
        try:
            decisions = tuple(
                decide(
                    about.url,
                    crawler=asker.crawler,
                    usage=usage,
                    purpose=question.purpose,
                    at=at,
                    facts=question.facts,
                    robots=about.robots,
                    page=about.page,
                    others=about.others,
                )
                for usage in usages
            )
        except ValueError as error:
            raise wrong(error, question) from error
        for decision in decisions if question.usages else decisions[:1]:
            tally.add(exit_for(decision))
        permitted = [usage for usage, decision in zip(usages, decisions, strict=True) if decision.permitted]
        unread = about.unread and may_decide_beside(about.robots, about.carriers, permitted)
        yield UrlAnswer(about.url, asker, decisions, about.names or {}, unread, about.copy_before(began))


def wrong(error: ValueError, question: QuestionOptions) -> CallError:
    """What the engine calls a mistake of the caller, as a failure of the call."""
    for usage in question.usages:
        if usage not in USAGES and f"`{usage}`" in str(error):
            return UnknownUsageError(f"unknown usage `{usage}`{suggestion(usage, USAGES)}")
    return CallError(str(error))

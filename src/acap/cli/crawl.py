"""`acap crawl`: crawl into a store, as policies permit; the same command goes on where it ended."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from acap.cli.io.asking import CRAWLER, PURPOSE, CrawlerOption
from acap.cli.io.command import Command
from acap.cli.io.crawl_report import ProgressLine, reason_text, show
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.options import DIALECT, FORBIDDEN
from acap.cli.io.quantities import duration, octets
from acap.cli.io.stores import COPIES, KEPT_FOR, LICENSEE, STORE, licensee_of, opened
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import check_url
from acap.explain import visible
from acap.harvest.crawl import crawl as run_crawl
from acap.harvest.crawl.options import CrawlOptions, canonical_seeds
from acap.harvest.crawl.report import Report
from acap.harvest.operator import Operator
from acap.harvest.store import Run, Store
from acap.plurals import plural
from acap.retrieval import user_agent
from acap.schema import SCHEMA

_POSITIVE = click.IntRange(min=1)


_GROUPS = {
    "How far": ("span", "hosts", "pages", "depth", "time", "octets", "page_octets", "no_sitemaps"),
    "Pace": ("delay", "concurrency", "timeout", "retry_delay", "wait"),
}


@click.command(cls=Command, groups=_GROUPS)
@click.argument("urls", nargs=-1)
@CRAWLER
@PURPOSE
@KEPT_FOR
@LICENSEE
@STORE
@COPIES
@click.option("--contact", metavar="TEXT", help="Your URL or e-mail address, put into the User-Agent.")
@click.option("--span", is_flag=True, help="Follow links to other hosts too.")
@click.option("--hosts", type=_POSITIVE, metavar="N", help="With --span: at most N hosts.")
@click.option("--pages", type=_POSITIVE, metavar="N", help="At most N responses.")
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="At most N links away from the URLs.")
@click.option("--time", type=duration, metavar="T", help="At most this long, all calls together: 90s, 30m, 2h, 1d.")
@click.option("--octets", type=octets, metavar="SIZE", help="At most this much in total: 500K, 200M, 2G.")
@click.option("--page-octets", type=octets, metavar="SIZE", help="No response larger than this.  [default: 32M]")
@click.option("--no-sitemaps", is_flag=True, help="Do not fetch the sitemaps that robots.txt names.")
@click.option(
    "--delay", type=duration, metavar="T", help="Between two requests to a site; sites may ask for more.  [default: 1s]"
)
@click.option("--concurrency", type=_POSITIVE, metavar="N", help="Requests at a time, to all sites.  [default: 16]")
@click.option("--timeout", type=duration, metavar="T", help="For one request.  [default: 60s]")
@click.option("--retry-delay", type=duration, metavar="T", help="Before a failed request is repeated.  [default: 5s]")
@click.option("--wait", type=duration, metavar="T", help="How long to wait when every URL has to wait.  [default: 10m]")
@FORBIDDEN
@DIALECT
@click.option("--allow-private", is_flag=True, help="Follow links into private networks.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@terminal_options
@pass_terminal
def crawl(
    terminal: Terminal,
    /,
    urls: tuple[str, ...],
    crawler: CrawlerOption | None,
    purposes: tuple[str, ...],
    usages: tuple[str, ...],
    licensee: Path | None,
    store: str,
    copies: Path | None,
    contact: str | None,
    forbidden: Any,
    dialect: str,
    no_sitemaps: bool,
    as_json: bool,
    **limits: Any,
) -> Exit:
    """Crawl into a store: fetch, index and preserve pages as policies permit, and nothing else.

    Ctrl-C stops it at any time; the same command continues where it stopped. Once a run is complete, the same command
    begins another one, which also checks what is held.

    \b
    # a site
    acap crawl https://example.com/ -c examplebot --store crawl.db
    # a part of it
    acap crawl https://example.com/ -c examplebot --store crawl.db --pages 500 --depth 3

    \b
    Ends with  0 if the run is complete, also by a limit of yours,
               1 if everything was refused,
               2 on a wrong call, or if the store cannot be used or written,
               3 if URLs wait for a later call, or nothing could be retrieved,
               70 if pages failed by an internal error,   130 when interrupted.
    """
    if not urls:
        raise CallError("no URL given; give one such as https://example.com/")
    if crawler is None:
        raise CallError("no crawler given; name yours, for example --crawler examplebot")
    for url in urls:
        check_url(url, path_is_enough=False)
    if limits["hosts"] is not None and not limits["span"]:
        raise CallError("--hosts counts other hosts, which are not followed; give --span with it")
    _check_call(urls, crawler, contact)
    operator = Operator(
        crawler.each_name, purposes, contact, dialect, forbidden, usages=usages, licensee=licensee_of(licensee)
    )
    options = _options(limits | {"contact": contact}, sitemaps=not no_sitemaps)
    report = _crawl(terminal, urls, operator, store, copies, options)
    if as_json:
        terminal.line(json.dumps({"schema": SCHEMA, **report.to_json()}))
    else:
        show(terminal, report)
    for fault in report.faults:
        terminal.error(f"internal error in acap ({' '.join(fault.split())}); the page is skipped")
    code = exit_of(report)
    if code is Exit.UNDETERMINED and report.ended:
        whys = ", ".join(f"{reason_text(why)} ({plural(urls, 'URL')})" for _, why, urls in report.reasons[:3])
        terminal.note(visible(f"no page was retrieved: {whys or 'no URL was asked for'}"))
    return code


def _check_call(urls: tuple[str, ...], crawler: CrawlerOption, contact: str | None) -> None:
    """Raises `CallError` for what a crawl would not begin with, before a store is made for it."""
    try:
        canonical_seeds(urls)
        user_agent(crawler.crawler, contact)
    except ValueError as error:
        raise CallError(str(error)) from error


def _crawl(
    terminal: Terminal,
    urls: tuple[str, ...],
    operator: Operator,
    where: str,
    copies: Path | None,
    options: CrawlOptions,
) -> Report:
    def started(run: Run, resumed: bool) -> None:
        if resumed:
            terminal.note(f"continuing run {run.id}, begun {run.started_at:%Y-%m-%d %H:%M} UTC")

    with opened(where, operator=operator, copies=copies) as store, ProgressLine(terminal, options.pages) as progress:
        _check_reading(store, operator)
        if options.contact is None and store.operator.contact is None:
            terminal.note("no --contact given; with one, sites can write to you before they block the crawler")
        try:
            return run_crawl(store, urls, options, on_progress=progress.show, on_start=started)
        except ValueError as error:
            raise CallError(str(error)) from error


def _check_reading(store: Store, operator: Operator) -> None:
    """Raises `CallError` if robots.txt shall be read in another way than for what the store holds."""
    kept = store.operator
    if operator.dialect not in ("auto", kept.dialect):
        raise CallError(f"the store reads robots.txt as `{kept.dialect}`, not `{operator.dialect}`; name another store")
    if operator.forbidden not in (None, kept.forbidden):
        was = kept.forbidden or "not set"
        raise CallError(f"the store was made with --forbidden {was}, not {operator.forbidden}; name another store")


def _options(given: dict[str, Any], *, sitemaps: bool) -> CrawlOptions:
    known = {field.name for field in fields(CrawlOptions)}
    assert given.keys() <= known
    return CrawlOptions(sitemaps=sitemaps, **{name: value for name, value in given.items() if value is not None})


def exit_of(report: Report) -> Exit:
    """The code for a report."""
    counts = report.counts
    if report.faults:
        return Exit.INTERNAL
    if report.interrupted:
        return Exit.INTERRUPTED
    if not report.ended:
        return Exit.UNDETERMINED
    # Whatever answered with success or a confirmation has no reason beside it.
    if counts["done"] > sum(urls for state, _, urls in report.reasons if state == "done"):
        return Exit.PERMITTED
    unknown = sum(urls for state, why, urls in report.reasons if state == "refused" and why == "unreachable")
    is_refused = counts["refused"] > unknown and not counts["failed"] and not counts["done"]
    return Exit.PROHIBITED if is_refused else Exit.UNDETERMINED

"""`acap show`: what a robots.txt or a page says, in plain words, with its problems."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from acap.cli.exits import Exit, exit_for
from acap.cli.failures import Failure
from acap.cli.files import is_url
from acap.cli.network import Network, is_out_of_reach
from acap.cli.options import (
    CRAWLER,
    DIALECT,
    HEADER,
    PAGE,
    PURPOSE,
    REFERENCE,
    Access,
    Asker,
    Source,
    access_options,
    one_or_all,
)
from acap.cli.pages import Pages, carriers_of, file_carriers, names_of, page_url, read_page
from acap.cli.policies import Policies, file_policy, with_references
from acap.cli.portrait import portrait
from acap.cli.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.urls import check_url

if TYPE_CHECKING:
    from acap.carriers import Carriers


@click.command()
@click.argument("source", required=False, metavar="FILE|URL")
@CRAWLER
@PURPOSE
@PAGE
@HEADER
@DIALECT
@REFERENCE
@click.option("--json", "as_json", is_flag=True, help="A page as one JSON object; see docs/reference/json.md.")
@access_options
@terminal_options
@pass_terminal
def show(
    terminal: Terminal,
    source: str | None,
    crawler: Asker | None,
    purposes: tuple[str, ...],
    page: str | None,
    headers: tuple[tuple[str, str], ...],
    dialect: str,
    references: tuple[tuple[str, str], ...],
    as_json: bool,
    access: Access,
) -> Exit:
    """What a robots.txt or a page says, in plain words, with its problems.

    FILE is a robots.txt, or `-` for standard input; for a URL its site is asked. With --crawler only what concerns that
    crawler is shown. Ends with 3 if the policy is undetermined because it cannot be had.

    With --page a page's own statements are shown instead: META tags, class attributes, headers. From a URL it is
    fetched only for a --crawler that may crawl it.

    \b
    acap show robots.txt
    acap show --crawler Googlebot https://example.com
    acap show --page page.html
    acap show --header 'X-Robots-Tag: noindex, max-snippet: 20'
    """
    if page is not None or headers:
        given = Source(None, dialect, references, access, page, headers)
        return _show_page(terminal, [source] if source else [], given, crawler, purposes, as_json=as_json)
    if as_json:
        raise Failure("`--json` shows a page; name it with --page, or leave --json out")
    if not source:
        raise Failure("no FILE or URL given; name a robots.txt or a site")
    with Network(access, terminal, dialect) as network:
        if is_url(source):
            policy = network.policy(check_url(source, path_is_enough=False), crawler)
        else:
            policy = file_policy(source, dialect)
    policy = with_references(policy, references, all_of_it=True)
    terminal.tree(portrait(policy, source, crawler, purposes))
    return Exit.UNDETERMINED if is_out_of_reach(policy) else Exit.PERMITTED


def _show_page(
    terminal: Terminal,
    urls: list[str],
    source: Source,
    crawler: Asker | None,
    purposes: tuple[str, ...],
    *,
    as_json: bool,
) -> Exit:
    """What one page says."""
    from acap.cli.page_portrait import local_usages, page_portrait, said_by

    found = _page(terminal, urls, source, crawler, purposes)
    if isinstance(found, Exit):
        return found
    said, name = found
    if as_json:
        from acap.schema import page_to_json

        terminal.line(
            json.dumps(
                page_to_json(said.page, said_by(said), local_usages(said.page), source=name, problems=said.problems)
            )
        )
    else:
        terminal.tree(page_portrait(said, name, crawler, purposes))
    return Exit.PERMITTED


def _page(
    terminal: Terminal, urls: list[str], source: Source, crawler: Asker | None, purposes: tuple[str, ...]
) -> tuple[Carriers, str] | Exit:
    """What a response says, with what it is called, or what the command ends with if it cannot be had."""
    if source.page is None or not is_url(source.page):
        url = check_url(urls[0], path_is_enough=True) if urls else None
        if source.page is None:
            return carriers_of(None, url, source.headers), url or "headers"
        said = file_carriers(source.page, read_page(source.page), url, source.headers)
        return said, next(iter(names_of(said.page, source.page).values()))
    url = page_url(urls, source.page, path_is_enough=False)
    if crawler is None:
        raise Failure("a page is fetched only for a crawler that may crawl it; name one with --crawler")
    with Network(source.access, terminal, source.dialect) as network:
        about = Pages(source, Policies(source, network, terminal), network, terminal).find(
            url, crawler, one_or_all(purposes), found=False
        )
    if about is None:
        return Exit.UNDETERMINED
    if about.said is None:
        assert about.robots is not None
        gate = about.robots.decide(about.url, crawler=crawler.crawler, purpose=one_or_all(purposes))
        return exit_for(gate)
    return about.said, about.url

"""`acap show --page`: what one page says, from a file or as it is fetched."""

from __future__ import annotations

import json
from dataclasses import replace

from acap.carriers import Carriers
from acap.cli.io.asking import CrawlerOption, one_or_all
from acap.cli.io.exits import Exit, exit_for
from acap.cli.io.failures import CallError
from acap.cli.io.files import is_url
from acap.cli.io.network import Network
from acap.cli.io.options import SourceOptions
from acap.cli.io.pages import Pages, carriers_of, names_of, page_url, read_page
from acap.cli.io.policies import SourcePolicies
from acap.cli.io.terminal import Terminal
from acap.cli.io.urls import check_url
from acap.publish.page_portrait import local_usages, page_portrait, placed_statements
from acap.schema import page_to_json


def show_page(
    terminal: Terminal,
    urls: list[str],
    source: SourceOptions,
    crawler: CrawlerOption | None,
    purposes: tuple[str, ...],
    *,
    as_json: bool,
) -> Exit:
    """What one page says."""
    response = _page(terminal, urls, source, crawler, purposes)
    if isinstance(response, Exit):
        return response
    carriers, name = response
    carriers = replace(carriers, page=carriers.page.with_reading(source.reading))
    if as_json:
        terminal.line(
            json.dumps(
                page_to_json(
                    carriers.page,
                    placed_statements(carriers),
                    local_usages(carriers.page),
                    source=name,
                    problems=carriers.problems,
                )
            )
        )
    else:
        names, called = (crawler.each_name, crawler.label) if crawler else ((), "")
        terminal.tree(page_portrait(carriers, name, names, purposes, called=called))
    return Exit.PERMITTED


def _page(
    terminal: Terminal, urls: list[str], source: SourceOptions, crawler: CrawlerOption | None, purposes: tuple[str, ...]
) -> tuple[Carriers, str] | Exit:
    """The statements of a response and its name, or the exit code if it cannot be retrieved."""
    if source.page is None or not is_url(source.page):
        url = check_url(urls[0], path_is_enough=True) if urls else None
        if source.page is None:
            return carriers_of(None, url, source.headers), url or "headers"
        carriers = carriers_of(read_page(source.page), url, source.headers, file=source.page)
        return carriers, next(iter(names_of(carriers.page, source.page).values()))
    url = page_url(urls, source.page, path_is_enough=False)
    if crawler is None:
        raise CallError("a page is fetched only for a crawler that may crawl it; name one with --crawler")
    with Network(source.access, terminal, source.dialect) as network:
        about = Pages(source, SourcePolicies(source, network, terminal), network, terminal).find(
            url, crawler, one_or_all(purposes), found=False
        )
    if about is None:
        return Exit.UNDETERMINED
    if about.carriers is None:
        assert about.robots is not None
        gate = about.robots.decide(about.url, crawler=crawler.crawler, purpose=one_or_all(purposes))
        return exit_for(gate)
    return about.carriers, about.url

"""`acap show`: what a robots.txt, a document of another dialect or a page says, in plain words, with its problems."""

from __future__ import annotations

import json

import click

from acap.cli.io.asking import CRAWLER, PURPOSE, CrawlerOption, note_near_misses
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.files import is_url
from acap.cli.io.network import Network, is_out_of_reach
from acap.cli.io.options import DIALECT, HEADER, PAGE, READING, REFERENCE, Access, SourceOptions, access_options
from acap.cli.io.policies import file_policy, with_references
from acap.cli.io.portrait import portrait, verdict_on
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import check_url
from acap.problems import of_the_whole
from acap.publish.lint.kinds import HEADERS, PAGES, kind_of_source
from acap.robots import Reading
from acap.schema import verdict_to_json


@click.command(cls=Command)
@click.argument("source", required=False, metavar="FILE|URL")
@CRAWLER
@PURPOSE
@PAGE
@HEADER
@DIALECT
@REFERENCE
@READING
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object: the verdict, or a page; see docs/reference/json.md."
)
@access_options
@terminal_options
@pass_terminal
def show(
    terminal: Terminal,
    source: str | None,
    crawler: CrawlerOption | None,
    purposes: tuple[str, ...],
    page: str | None,
    headers: tuple[tuple[str, str], ...],
    dialect: str,
    references: tuple[tuple[str, str], ...],
    reading: Reading,
    as_json: bool,
    access: Access,
) -> Exit:
    """What a robots.txt or a page says, in plain words, with its problems.

    FILE is a robots.txt, or `-` for standard input; for a URL it asks the site. With --crawler it shows only what
    concerns that crawler. Ends with 3 if the policy is undetermined because it cannot be retrieved. FILE can also be a
    tdmrep.json, a policy of TDMRep, an ai.txt, a licence document of RSL, or an assertion of CAWG; `acap site` has all
    that a site says.

    With --page, or if FILE ends with .html or .headers, it shows a page's own statements instead: META tags, class
    attributes, headers. It fetches a page from a URL only for a --crawler that may crawl it.

    \b
    # a file
    acap show robots.txt
    # what a site says to one crawler
    acap show --crawler Googlebot https://example.com
    # what a page says of itself
    acap show --page page.html
    # the verdict for a program
    acap show --json robots.txt
    # what a header says
    acap show --header 'X-Robots-Tag: noindex, max-snippet: 20'
    """
    note_near_misses(terminal, () if crawler is None else crawler.each_name)
    if page is None and source and not is_url(source) and source.lower().endswith((*PAGES, HEADERS)):
        source, page = None, source
    if page is not None or headers:
        given = SourceOptions(None, dialect, references, access, page, headers, None, reading)
        # What reads pages takes 0.11 s to import, half as much as the rest.
        from acap.cli.io.show_page import show_page

        return show_page(terminal, [source] if source else [], given, crawler, purposes, as_json=as_json)
    if not source:
        raise CallError("no FILE or URL given; name a robots.txt or a site")
    with Network(access, terminal, dialect) as network:
        if is_url(source):
            policy = network.policy(check_url(source, path_is_enough=False), crawler)
        else:
            policy = file_policy(source, dialect)
            if (kind := kind_of_source(source, policy.octets)) is not None:
                if as_json:
                    raise CallError(f"`--json` shows a robots.txt or a page, and `{source}` is of the kind `{kind}`")
                # Readers of other dialects: 0.12 s that a robots.txt does without.
                from acap.publish.document_portrait import document_portrait

                terminal.tree(document_portrait(kind, policy.octets, source))
                return Exit.PERMITTED
    policy = with_references(policy, references, all_of_it=True).with_reading(reading)
    if as_json:
        found = verdict_on(policy, source, crawler)
        shown = verdict_to_json(found, source=source, problems=of_the_whole(policy.problems))
        terminal.line(json.dumps(shown))
    else:
        terminal.tree(portrait(policy, source, crawler, purposes))
    return Exit.UNDETERMINED if is_out_of_reach(policy) else Exit.PERMITTED

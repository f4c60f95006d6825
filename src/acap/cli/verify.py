"""`acap verify`: is what a site serves what is meant?"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urljoin

import click

from acap.carriers import Carriers
from acap.cli.io.asking import asker
from acap.cli.io.changes import tree
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.files import complete_file
from acap.cli.io.meant_policies import read_policy_table
from acap.cli.io.network import Network
from acap.cli.io.options import Access, SourceOptions, access_options
from acap.cli.io.pages import Pages, needs_pages
from acap.cli.io.policies import SourcePolicies, file_policy
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import check_url
from acap.explain import Node, Role, visible
from acap.pages.page import parse_page
from acap.publish.compare import PATIENT_SECONDS, PATIENT_STEPS, Comparison, compare
from acap.publish.compose import Draft, DraftError, PageRule, robots_octets, rule_tags
from acap.publish.compose.pages import matches
from acap.robots import RobotsPolicy, parse_robots
from acap.schema import comparison_to_json
from acap.statement import Statement
from acap.usages import PARENTS, above

# Pages are fetched under this name, if it may crawl them.
_US = asker("acap")

Stated = tuple[str | None, str, str, tuple[tuple[str, str], ...]]
"""Whom a statement is addressed to, its usage, outcome and restrictions."""


@dataclasses.dataclass(frozen=True, slots=True)
class PageAnswer:
    """What one page was found to say: `missing` is what it should say and does not; `known` is whether it was had.

    `url` is none where the pattern has no sample.
    """

    url: str | None
    pattern: str
    known: bool
    missing: tuple[str, ...]


@click.command()
@click.argument("url", required=False, metavar="URL")
@click.argument("file", required=False, metavar="FILE", shell_complete=complete_file)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@access_options
@terminal_options
@pass_terminal
def verify(terminal: Terminal, url: str | None, file: str | None, as_json: bool, access: Access) -> Exit:
    """Does a site serve what you mean?

    The robots.txt of the site at URL is compared with FILE: a robots.txt, or a TOML file with a [policy] table. With
    such a table the pages are fetched too, at their sample URLs, to see whether they carry their headers or META tags.
    Ends with 0 if both mean the same, 1 if they differ, 3 if that cannot be determined.

    \b
    acap verify https://example.com robots.txt
    acap verify https://example.com acap.toml
    """
    if not url or not file:
        raise CallError("give the site and the file that says what you mean: acap verify https://example.com acap.toml")
    site = check_url(url, path_is_enough=False)
    meant, draft = _meant(file)
    # What is live now is asked for, not what was live when a copy was kept.
    source = SourceOptions(None, "auto", (), access._replace(refresh=True))
    with Network(source.access, terminal) as network:
        policies = SourcePolicies(source, network, terminal)
        live = policies.of_site(site, _US, found=False)

        def page(url: str) -> Carriers | None:
            # Such an object is for the one page of a call.
            found = Pages(source, policies, network, terminal).fetch(url, _US, None)
            return None if found is None else found.carriers

        pages = list(_pages(page, draft, site)) if draft else []
    comparison = _compared(live, meant)
    if as_json:
        terminal.line(json.dumps(_everything(site, file, comparison, pages)))
    else:
        _show(terminal, site, file, comparison, pages)
    if (comparison is not None and comparison.changes) or any(one.missing for one in pages):
        return Exit.PROHIBITED
    known = comparison is not None and comparison.verdict == "equal" and all(one.known for one in pages)
    return Exit.PERMITTED if known else Exit.UNDETERMINED


def _meant(file: str) -> tuple[RobotsPolicy, Draft | None]:
    """The policy that a file means, and the draft of a table."""
    if not file.endswith(".toml"):
        return file_policy(file, "auto"), None
    draft = read_policy_table(file)
    try:
        return parse_robots(robots_octets(draft)), draft
    except DraftError as error:
        raise CallError(f"`{file}`: {error}") from error


def _compared(live: RobotsPolicy, meant: RobotsPolicy) -> Comparison | None:
    """How what is live differs from what is meant; none if the site cannot be reached."""
    if live.state == "unreachable":
        return None
    # Both speak of one site; without its URL they are compared path by path.
    now = parse_robots(live.octets if live.state == "present" else b"")
    return compare(meant, now, steps=PATIENT_STEPS, seconds=PATIENT_SECONDS)


# --- pages ------------------------------------------------------------------------------------------------------------


def _pages(fetch: Callable[[str], Carriers | None], draft: Draft, site: str) -> Iterator[PageAnswer]:
    """What each sample of each page rule was found to say."""
    for rule in draft.pages:
        urls = _samples(rule, draft, site)
        if not urls:
            # Without a URL nothing is known of the page.
            yield PageAnswer(None, rule.pattern, False, ())
        for url in urls:
            page = fetch(url)
            if page is None or page.form == "unread":
                yield PageAnswer(url, rule.pattern, False, ())
                continue
            stated = {_key(statement) for statement in page.statements()}
            missing = [one for one in _wanted(rule, draft) if not _is_stated(one, stated)]
            yield PageAnswer(url, rule.pattern, True, tuple(map(_words, missing)))


def _samples(rule: PageRule, draft: Draft, site: str) -> list[str]:
    """The rule's samples, else those of the policy that it matches, as URLs of the site."""
    samples = rule.samples or tuple(url for url in draft.samples if matches(rule.pattern, url))
    return [check_url(urljoin(site, one), path_is_enough=False) for one in samples]


def _wanted(rule: PageRule, draft: Draft) -> list[Stated]:
    """What the pages of a rule are to say, as the reader finds it in its tags."""
    try:
        page = parse_page("".join(rule_tags(rule, draft)), url=None)
    except DraftError as error:
        raise CallError(str(error)) from error
    except ImportError as error:
        raise needs_pages() from error
    return list(dict.fromkeys(map(_key, page.statements())))


def _key(statement: Statement) -> Stated:
    crawler = statement.crawler.lower() if statement.crawler else None
    return crawler, statement.usage, statement.outcome, tuple(sorted(statement.restrictions))


def _is_stated(one: Stated, stated: set[Stated]) -> bool:
    """Whether a page says it, to the crawler itself or to any; a prohibition is also one of a usage above."""
    crawler, usage, outcome, restrictions = one
    usages = (usage, *(above(usage) if outcome == "prohibited" and usage in PARENTS else ()))
    return any((who, name, outcome, restrictions) in stated for who in {crawler, None} for name in usages)


def _words(stated: Stated) -> str:
    crawler, usage, outcome, restrictions = stated
    limits = "".join(f" {name}={value}" for name, value in restrictions)
    return f"{outcome} {usage}{limits}{f' for {crawler}' if crawler else ''}"


# --- output -----------------------------------------------------------------------------------------------------------


def _show(terminal: Terminal, site: str, file: str, comparison: Comparison | None, pages: Sequence[PageAnswer]) -> None:
    """A tree of what differs, as `acap compare` shows it; what could not be retrieved was printed already."""
    if comparison is not None:
        terminal.tree(tree(comparison, file, site))
    for page in pages:
        if page.url is None:
            terminal.error(f"{page.pattern} has no sample URL, so nothing was asked; give the page rule `samples`")
        elif page.known:
            missing = tuple(Node(Role.PROHIBITED, visible(f"does not say: {one}")) for one in page.missing)
            verdict = "says less than you mean" if missing else "says what you mean"
            terminal.tree(Node(Role.SOURCE, visible(f"{page.url}: {verdict}"), missing))


def _everything(site: str, file: str, comparison: Comparison | None, pages: Sequence[PageAnswer]) -> dict[str, Any]:
    """The comparison as one object, with the pages; without one the verdict is `unreachable`."""
    found = comparison_to_json(comparison or Comparison((), ()), old=file, new=site)
    verdict = "unreachable" if comparison is None else comparison.verdict
    return found | {"verdict": verdict, "pages": [dataclasses.asdict(page) for page in pages]}

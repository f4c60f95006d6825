"""`acap verify`: is what a site serves what is meant?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

import click

from acap._native import unreadable
from acap.carriers import Carriers
from acap.cli.io.asking import asker
from acap.cli.io.changes import tree
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.files import complete_file
from acap.cli.io.network import Network, report
from acap.cli.io.options import Access, SourceOptions, access_options
from acap.cli.io.pages import Pages, needs_pages
from acap.cli.io.policies import SourcePolicies, file_policy
from acap.cli.io.publisher_policies import further, read_policy_table
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import check_url
from acap.cli.io.wanted_folder import DocumentAnswer, WantedFolder
from acap.cli.io.wanted_pages import PageAnswer, PageSources, loosened, missing_statements
from acap.dialects.well_known import ABSENT
from acap.explain import Node, Role, failure_text, visible
from acap.json_types import ProblemJson
from acap.pages.headers import media_type
from acap.pages.page import PagePolicy, parse_page
from acap.problems import Problem
from acap.publish.compare import PATIENT_SECONDS, PATIENT_STEPS, Comparison, compare
from acap.publish.compose import Draft, DraftError, PageRule, robots_octets, rule_tags
from acap.publish.compose.pages import matches
from acap.publish.patterns import LateError
from acap.publish.presets.writing import ROBOTS
from acap.publish.problem_node import problem_node
from acap.retrieval.answers import FailureKind
from acap.robots import RobotsPolicy, parse_robots
from acap.schema import comparison_to_json, problem_to_json
from acap.sites.documents import SiteDocument
from acap.sites.policy import SitePolicy

# Pages are fetched under this name, if it may crawl them.
_US = asker("acap")


@click.command(cls=Command)
@click.argument("url", required=False, metavar="URL")
@click.argument("file", required=False, metavar="FILE", shell_complete=complete_file)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@access_options
@terminal_options
@pass_terminal
def verify(terminal: Terminal, url: str | None, file: str | None, as_json: bool, access: Access) -> Exit:
    """Does a site serve what you mean?

    Compares the robots.txt of the site at URL with FILE: a robots.txt, or a TOML file with a [policy] table. With such
    a table it also fetches the pages, at their sample URLs, and checks that they carry their headers or META tags. FILE
    can be a folder as `acap compose --preset` writes it. Then it compares tdmrep.json, ai.txt and licence documents as
    well, and the page at URL has to carry the folder's headers and META tags, and to take nothing back. Ends with 0 if
    both mean the same, 1 if they differ, 3 if that cannot be determined.

    \b
    # a robots.txt
    acap verify https://example.com robots.txt
    # what a table says
    acap verify https://example.com acap.toml
    # every carrier of a folder
    acap verify https://example.com public/
    """
    if not url or not file:
        raise CallError("give the site and the file that says what you mean: acap verify https://example.com acap.toml")
    site = check_url(url, path_is_enough=False)
    # What is live now is asked for, not what was live when a copy was kept; none stands in for a document.
    source = SourceOptions(None, "auto", (), access._replace(refresh=True, cache=False))
    with Network(source.access, terminal) as network:
        look = _folder_answer if Path(file).is_dir() else _file_answer
        answer = look(site, file, source, network, terminal)
    if as_json:
        terminal.line(json.dumps(_everything(file, answer)))
    else:
        _show(terminal, file, answer)
    return answer.exit


class SiteAnswer(NamedTuple):
    """What was found: how the robots.txt at `served` differs from `wanted`, a file; pages, and other documents.

    `robots` is none if the site cannot be reached. `problems` are those of the live robots.txt that the other has not.
    """

    wanted: str
    served: str
    robots: Comparison | None
    pages: Sequence[PageAnswer]
    documents: Sequence[DocumentAnswer] = ()
    problems: Sequence[Problem] = ()

    @property
    def exit(self) -> Exit:
        """What the call ends with."""
        verdicts: set[str] = {"unreachable" if self.robots is None else self.robots.verdict}
        verdicts |= {one.verdict for one in self.documents}
        verdicts |= {"different" for problems in (self.problems, *(one.problems for one in self.documents)) if problems}
        verdicts |= {"different" if one.missing else "equal" for one in self.pages}
        verdicts |= {"undecided" for one in self.pages if not one.known or one.undecided}
        if not verdicts.isdisjoint(("different", "missing", "extra")):
            return Exit.PROHIBITED
        return Exit.PERMITTED if verdicts == {"equal"} else Exit.UNDETERMINED


def _file_answer(site: str, file: str, source: SourceOptions, network: Network, terminal: Terminal) -> SiteAnswer:
    """How a site differs from a robots.txt or a table."""
    wanted, draft = _wanted_policy(file)
    policies = SourcePolicies(source, network, terminal)
    live = policies.of_site(site, _US, found=False)
    _tell_how_served(live, terminal)

    def page(url: str) -> Carriers | None:
        # Such an object is for the one page of a call.
        found = Pages(source, policies, network, terminal).fetch(url, _US, None)
        return None if found is None else found.carriers

    pages = list(_pages(page, draft, site)) if draft else []
    return SiteAnswer(file, site, _compared(live, wanted), pages, problems=_further(live, wanted))


def _folder_answer(site: str, file: str, _: SourceOptions, network: Network, terminal: Terminal) -> SiteAnswer:
    """How a site differs from a folder."""
    folder = WantedFolder(Path(file), site)
    site_policy = network.site(site, site, [_US.names])
    report(site_policy.robots.evidence, terminal)
    _tell_how_served(site_policy.robots, terminal)
    documents = list(folder.answers(site_policy, network))
    for document in documents:
        if document.verdict == "unreachable":
            terminal.error(f"{document.url} cannot be retrieved: {failure_text(document.why)}; try again later")
    for page in site_policy.documents:
        if page.kind == "page" and page.doubt and folder.has_pages:
            terminal.error(f"{page.url} is not known: {page.why}; {_advice(page, site_policy)}")
    robots = _compared(site_policy.robots, folder.robots, licences=False)
    if robots is not None:
        licensed = folder.licensed_otherwise(site_policy)
        robots = robots._replace(
            changes=(*robots.changes, *licensed.changes), undecided=(*robots.undecided, *licensed.undecided)
        )
    is_equal = robots is not None and {robots.verdict, *(one.verdict for one in documents)} == {"equal"}
    pages = [folder.page(site_policy, site)] if folder.has_pages or is_equal else []
    if not folder.has_pages:
        # Nothing is meant of the page, but what it says may come before what the documents say.
        pages = [one for one in pages if one.missing or one.undecided]
    problems = _further(site_policy.robots, folder.robots)
    return SiteAnswer(str(Path(file) / ROBOTS), f"{site_policy.url}/{ROBOTS}", robots, pages, documents, problems)


def _advice(page: SiteDocument, site_policy: SitePolicy) -> str:
    """What to do where a page is not known."""
    if page.retrieved is None:
        return "try again later" if site_policy.robots.state == "unreachable" else "name a page that crawlers may crawl"
    if page.retrieved.status in ABSENT:
        return "name a page that is there"
    failure = page.retrieved.answer.failure
    # The robots.txt of another host was not asked.
    is_elsewhere = failure is not None and failure.kind is FailureKind.REFUSED
    return "name the page that it leads to" if is_elsewhere else "try again later"


def _wanted_policy(file: str) -> tuple[RobotsPolicy, Draft | None]:
    """The policy that a file means, and the draft of a table."""
    if not file.endswith(".toml"):
        policy = file_policy(file, "auto")
        if unreadable(policy.octets):
            raise CallError(
                f"`{file}` is compressed or binary, so it is not a robots.txt; name the text that the site is to serve"
            )
        return policy, None
    draft = read_policy_table(file)
    try:
        return parse_robots(robots_octets(draft)), draft
    except DraftError as error:
        raise CallError(f"`{file}`: {error}") from error


def _tell_how_served(live: RobotsPolicy, terminal: Terminal) -> None:
    """Tells of an answer by which a site has no robots.txt, and of a media type by which other readers may leave it."""
    served = live.evidence
    if served["failure"] is None and served["meaning"] == "absent":
        terminal.note(f"{served['url']}: the answer was {served['status']}, which counts as no robots.txt")
    declared = media_type((name, value) for name, value in served["headers"])
    # RFC 9309 2.3: it is text/plain. acap reads the lines, whatever they are called.
    if served["meaning"] == "read" and declared not in ("", "text/plain"):
        terminal.note(f"{served['url']} is served as `{declared}`; serve it as `text/plain; charset=utf-8`")


def _compared(live: RobotsPolicy, wanted: RobotsPolicy, *, licences: bool = True) -> Comparison | None:
    """How what is live differs from what is meant; none if the site cannot be reached."""
    if live.state == "unreachable":
        return None
    # Both speak of one site; without its URL they are compared path by path.
    now = parse_robots(live.octets if live.state == "present" else b"")
    return compare(wanted, now, steps=PATIENT_STEPS, seconds=PATIENT_SECONDS, licences=licences)


def _further(live: RobotsPolicy, wanted: RobotsPolicy) -> tuple[Problem, ...]:
    """What is wrong in a live robots.txt and not in the one that is meant; how it is written may differ."""
    problems = live.problems if live.state == "present" else ()
    return further((problem for problem in problems if problem.severity != "info"), wanted.problems)


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
            wanted_page = _wanted(rule, draft)
            missing = missing_statements(wanted_page.statements(), page.statements())
            try:
                wanted, live = PageSources(wanted_page, ()), PageSources(page.page, page.others)
                looser = () if missing else tuple(loosened(wanted, live, page.page.url or url, in_dialect=False))
            except LateError:
                yield PageAnswer(url, rule.pattern, False, ())
                continue
            yield PageAnswer(url, rule.pattern, True, (*missing, *looser))


def _samples(rule: PageRule, draft: Draft, site: str) -> list[str]:
    """The rule's samples, else those of the policy that it matches, as URLs of the site."""
    samples = rule.samples or tuple(url for url in draft.samples if matches(rule.pattern, url))
    return [check_url(urljoin(site, one), path_is_enough=False) for one in samples]


def _wanted(rule: PageRule, draft: Draft) -> PagePolicy:
    """What the pages of a rule are to say, as the reader finds it in its tags."""
    try:
        page = parse_page("".join(rule_tags(rule, draft)), url=None)
        page.statements()
    except DraftError as error:
        raise CallError(str(error)) from error
    except ImportError as error:
        raise needs_pages() from error
    return page


# --- output -----------------------------------------------------------------------------------------------------------


_OTHERWISE = {
    "missing": "the site has none",
    "extra": "the folder has none",
    "different": "it is another document",
    "undecided": "not looked at",
}


def _show(terminal: Terminal, file: str, answer: SiteAnswer) -> None:
    """A tree of what differs, as `acap compare` shows it; what could not be retrieved was printed already."""
    if answer.robots is not None:
        terminal.tree(_with_problems(tree(answer.robots, answer.wanted, answer.served), answer.problems))
    for document in answer.documents:
        path = str(Path(file) / document.path)
        if document.verdict == "unreachable":
            continue
        if document.comparison.verdict == document.verdict:
            found_there = tree(document.comparison, path, document.url)
        else:
            why = (Node(Role.NOTE, visible(document.why)),) if document.why else ()
            found_there = Node(Role.SOURCE, visible(f"{path} → {document.url}: {_OTHERWISE[document.verdict]}"), why)
        terminal.tree(_with_problems(found_there, document.problems))
    for page in answer.pages:
        if page.url is None:
            terminal.error(f"{page.pattern} has no sample URL, so nothing was asked; give the page rule `samples`")
        elif page.known:
            missing = tuple(Node(Role.PROHIBITED, visible(f"does not say: {one}")) for one in page.missing)
            verdict = "says less than you mean" if missing else page.undecided or "says what you mean"
            lines = (" or ".join(f"`{line}`" for line in either) for either in page.lines)
            more = (Node(Role.NOTE, visible(f"to say so: {line}")) for line in lines)
            terminal.tree(Node(Role.SOURCE, visible(f"{page.url}: {verdict}"), (*missing, *more)))


def _with_problems(node: Node, problems: Iterable[Problem]) -> Node:
    return node._replace(children=(*node.children, *(problem_node(problem, "the document") for problem in problems)))


def _everything(file: str, answer: SiteAnswer) -> dict[str, Any]:
    """The comparison as one object, with the pages and the other documents; without one it is `unreachable`."""
    robots = comparison_to_json(answer.robots or Comparison((), ()), old=answer.wanted, new=answer.served)
    verdict = "unreachable" if answer.robots is None else answer.robots.verdict
    documents = [
        comparison_to_json(document.comparison, old=str(Path(file) / document.path), new=document.url)
        | {"verdict": document.verdict, "why": document.why}
        | {"problems": _problems(document.problems, document.url)}
        for document in answer.documents
    ]
    pages = [page._asdict() for page in answer.pages]
    beside = {"pages": pages, "documents": documents, "problems": _problems(answer.problems, answer.served)}
    return robots | {"verdict": verdict} | beside


def _problems(problems: Iterable[Problem], source: str) -> list[ProblemJson]:
    return [problem_to_json(problem, source=source) for problem in problems]

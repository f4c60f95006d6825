"""`acap extract`: what of a page may be used, by one crawler in one way: its text, HTML, links, or a snippet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import click

from acap.cli.io.asking import AT, CRAWLER, NO_ELEMENTS, PROFILE, PURPOSE, USAGE_FOR, CrawlerOption, one_or_all
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit, exit_for
from acap.cli.io.failures import CallError, suggestion
from acap.cli.io.files import complete_file, is_url
from acap.cli.io.network import Network
from acap.cli.io.options import JSON, SourceOptions, source_options
from acap.cli.io.pages import BESIDE_NOT_READ, Pages, UrlPolicies, carriers_of, names_of, needs_pages, read_page
from acap.cli.io.policies import SourcePolicies
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.io.urls import STDIN, check_url
from acap.decision import Decision
from acap.explain import NO_NAMES, RESTRICTIONS, quotation, summary, visible
from acap.pages.snippet import Snippet
from acap.restrictions import MaxLength, Restriction
from acap.schema import SCHEMA, content_to_json, decision_to_json, link_to_json, snippet_to_json
from acap.usages import USAGES

# A crawler without a name is one that no policy names.
_ANYBODY = CrawlerOption("any crawler", "*")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be printed, and for which use."""

    form: str
    query: str
    usage: str
    as_json: bool


@click.command(cls=Command)
@click.argument("file", required=False, metavar="FILE|URL", shell_complete=complete_file)
@CRAWLER
@USAGE_FOR
@PURPOSE
@AT
@click.option("--url", metavar="URL", help="Where the FILE is published.")
@click.option("--html", "as_html", is_flag=True, help="Print the usable content as HTML.")
@click.option("--links", "as_links", is_flag=True, help="Print the links, one per line, and whether to follow them.")
@click.option(
    "--snippet", "query", is_flag=False, flag_value="", metavar="[QUERY]",
    help="Print a snippet: around the words of QUERY, or from the beginning.",
)  # fmt: skip
@NO_ELEMENTS
@PROFILE
@source_options
@JSON
@terminal_options
@pass_terminal
def extract(
    terminal: Terminal,
    file: str | None,
    crawler: CrawlerOption | None,
    usages: tuple[tuple[str, ...], ...],
    purposes: tuple[str, ...],
    at: datetime | None,
    url: str | None,
    as_html: bool,
    as_links: bool,
    query: str | None,
    no_elements: bool,
    profile: str,
    source: SourceOptions,
    as_json: bool,
) -> Exit:
    """Print the part of a page that may be used: its text, or with an option its HTML, links or a snippet.

    FILE is a file, or `-` for standard input; then its own statements count, and those of the robots.txt that --robots
    names: of a FILE alone, or with what else the site of a URL says. A URL is fetched if its site's robots.txt lets the
    --crawler crawl it, and all that its site says counts.

    Text is cut to the max-length of its permission; other restrictions are reported on standard error.

    Ends with 0 if something usable was printed, 1 if all is prohibited, 3 if that is undetermined or another resource
    has to be used instead.

    \b
    # the text that may be indexed
    acap extract --usage index page.html
    # the text that a crawler may train on
    acap extract --crawler examplebot --usage ai-train https://example.com/a.html
    # the links that may be followed
    acap extract --links --url https://example.com/a.html page.html
    # a snippet as long as it may be
    acap extract page.html --snippet 'rate cut'
    """
    wanted = _wanted(usages, as_html=as_html, as_links=as_links, query=query, as_json=as_json)
    if not file:
        hint = f"; --snippet took `{query}` for its QUERY, so name the page before it" if query else ""
        raise CallError(f"no FILE or URL given{hint or '; name the page to print'}")
    asker = (crawler or _ANYBODY).knowing(elements=not no_elements, profile=profile)
    purpose = one_or_all(purposes)
    with Network(source.access, terminal, source.dialect, source.limits) as network:
        if is_url(file) and url is not None:
            raise CallError(f"--url says where a FILE is published, and {file} is a URL; remove it")
        if is_url(file) and crawler is None:
            raise CallError("a page is fetched only for a crawler that may crawl it; name one with --crawler")
        _check_file(file, url, source)
        policies = SourcePolicies(source, network, terminal)
        pages = Pages(source, policies, network, terminal)
        if is_url(file):
            about = pages.fetch(check_url(file, path_is_enough=False), asker, purpose)
        else:
            about = _of_file(file, url, asker, source, policies)
        if about is None:
            return Exit.UNDETERMINED
        about = pages.beside(about, asker, (wanted.usage,))
        asked = {
            "crawler": asker.crawler, "purpose": purpose, "at": None if about.refused else at, "robots": about.robots,
            "others": about.others,
        }  # fmt: skip
        return _Print(terminal, about, wanted, asked).run()


def _wanted(
    usages: tuple[tuple[str, ...], ...], *, as_html: bool, as_links: bool, query: str | None, as_json: bool
) -> _Wanted:
    forms = {"html": as_html, "links": as_links, "snippet": query is not None}
    chosen = [form for form, given in forms.items() if given]
    if len(chosen) > 1:
        raise CallError(f"--{chosen[0]} and --{chosen[1]} are two things to print; choose one")
    if as_html and as_json:
        raise CallError("--json includes the HTML; remove --html")
    form = chosen[0] if chosen else "text"
    names = list(dict.fromkeys(word for given in usages for word in given))
    if len(names) > 1:
        raise CallError(f"{len(names)} usages given; extract for one of them at a time")
    if not names and form not in _USUAL:
        raise CallError("no usage given; say what the page is used for, for example --usage index")
    if form == "links" and names not in ([], ["follow"]):
        raise CallError(f"links are to be followed, not for `{names[0]}`; remove --usage")
    return _Wanted(form, query or "", names[0] if names else _USUAL[form], as_json)


# The usage of each form, unless another one is given.
_USUAL = {"links": "follow", "snippet": "present-snippet"}


def _check_file(file: str, url: str | None, source: SourceOptions) -> None:
    """Raises `CallError` where --robots cannot decide about a page in a file."""
    if is_url(file) or source.robots is None:
        return
    if url is None:
        raise CallError("--robots cannot decide about a page without a URL; give it with --url")
    if file == source.robots == STDIN:
        raise CallError("standard input cannot be both the page and the robots.txt; name a file for one of them")


def _of_file(
    file: str, url: str | None, asker: CrawlerOption, source: SourceOptions, policies: SourcePolicies
) -> UrlPolicies:
    """What decides for the page in a file. Raises `CallError`."""
    if url is not None:
        url = check_url(url, path_is_enough=source.robots is not None)
    robots = None
    if source.robots is not None and url is not None:
        robots = policies.find(url, asker, found=False)
    carriers = carriers_of(read_page(file), url, source.headers, file=file)
    return UrlPolicies(url or "/", robots, carriers, names=names_of(carriers.page, file))


class _Print:
    """Prints what is wanted of one page, and says on standard error why there is nothing."""

    def __init__(self, terminal: Terminal, about: UrlPolicies, wanted: _Wanted, asked: dict[str, Any]) -> None:
        self._terminal = terminal
        self._about = about
        self._wanted = wanted
        self._asked = asked
        self._names: Mapping[str, str] = about.names or NO_NAMES

    def run(self) -> Exit:
        """Raises `CallError` for an unknown usage, and where a package is missing."""
        about = self._about
        try:
            if about.page is None:
                return self._refused()
            code = {"links": self._links, "snippet": self._snippet}.get(self._wanted.form, self._content)()
            if about.unread and code == Exit.PERMITTED:
                self._terminal.note(BESIDE_NOT_READ)
            return code
        except ModuleNotFoundError as error:
            raise needs_pages() from error
        except ValueError as error:
            usage = self._wanted.usage
            if usage not in USAGES and f"`{usage}`" in str(error):
                raise CallError(f"unknown usage `{usage}`{suggestion(usage, USAGES)}") from error
            raise CallError(str(error)) from error

    def _refused(self) -> Exit:
        """Nothing was fetched, and the reason was printed: the exit code of the site's decision."""
        robots = self._about.robots
        assert robots is not None
        decision = robots.decide(self._about.url, usage=self._wanted.usage, **_without(self._asked, "robots", "others"))
        if self._wanted.as_json and self._wanted.form == "snippet":
            self._json(snippet_to_json(Snippet(None, decision, "page")))
        elif self._wanted.as_json and self._wanted.form == "text":
            nothing: dict[str, Any] = {"uri": None, "text": "", "html": "", "pieces": []}
            self._json({"schema": SCHEMA, "decision": decision_to_json(decision), **nothing})
        return exit_for(decision)

    def _content(self) -> Exit:
        assert self._about.page is not None
        content = self._about.page.content_for(self._wanted.usage, **self._asked)
        decisions = [content.decision, *(piece.decision for piece in content.pieces if piece.text)]
        text, is_cut = content.text, False
        if lengths := [restriction for restriction in _restrictions(decisions) if isinstance(restriction, MaxLength)]:
            if self._wanted.form == "html":
                limits = " and ".join(map(str, lengths))
                raise CallError(
                    f"`{self._wanted.usage}` is permitted up to {limits}, and HTML is not cut; print the text"
                )
            within = self._about.page.snippet(usage=self._wanted.usage, length=len(text), **self._asked)
            text, is_cut = within.text or "", True
        if self._wanted.as_json:
            cut: dict[str, Any] = {"text": text, "html": "", "pieces": []} if is_cut else {}
            self._json(content_to_json(content) | cut)
        self._tell(decisions, has_text=bool(text))
        if self._wanted.form == "html":
            # A page without words may have images; with parts left out and nothing else only bare tags would remain.
            usable = bool(text) or (content.decision.permitted and not content.excluded)
            text = content.html if usable else ""
        if text:
            if not self._wanted.as_json:
                self._text(text)
            return Exit.PERMITTED
        missing = content.resource is not None
        return self._nothing(content.decision, content.uri, missing=missing, parts=bool(content.excluded))

    def _links(self) -> Exit:
        assert self._about.page is not None
        links = self._about.page.links(**self._asked)
        for link in links:
            if self._wanted.as_json:
                self._json(link_to_json(link))
                continue
            reason = link.decision.reason
            why = quotation(reason.decided_by[0], self._names) if reason.decided_by else reason.kind
            cells = (link.decision.outcome, link.url, link.tag, " ".join(link.rel) or "-", link.element, why)
            self._terminal.line("\t".join(visible(str(cell)) for cell in cells))
        self._tell([link.decision for link in links], has_text=False)
        if not links:
            return self._nothing(self._decide(), None)
        codes = {exit_for(link.decision) for link in links}
        return next(code for code in (Exit.PERMITTED, Exit.UNDETERMINED, Exit.PROHIBITED) if code in codes)

    def _snippet(self) -> Exit:
        assert self._about.page is not None
        snippet = self._about.page.snippet(self._wanted.query, usage=self._wanted.usage, **self._asked)
        if self._wanted.as_json:
            self._json(snippet_to_json(snippet))
        if snippet.text:
            content = self._about.page.content_for(self._wanted.usage, **self._asked)
            self._tell([snippet.decision, *(piece.decision for piece in content.pieces if piece.text)], has_text=True)
            if not self._wanted.as_json:
                self._text(snippet.text)
            return Exit.PERMITTED
        content = self._about.page.content_for(self._wanted.usage, **self._asked)
        missing = content.resource is not None
        return self._nothing(snippet.decision, snippet.uri, missing=missing, parts=bool(content.excluded))

    def _tell(self, decisions: Iterable[Decision], *, has_text: bool) -> None:
        """Says to what the permissions are subject that is not done here; `has_text`: a text is cut to its length."""
        for restriction in _restrictions(decisions):
            is_done = restriction.name in _DONE or (has_text and isinstance(restriction, MaxLength))
            if not is_done:
                meaning = RESTRICTIONS[restriction.name]
                self._terminal.note(f"{self._wanted.usage} is permitted with {visible(str(restriction))}: {meaning}")

    def _decide(self) -> Decision:
        assert self._about.page is not None
        return self._about.page.decide(self._wanted.usage, **self._asked)

    def _nothing(self, decision: Decision, uri: str | None, *, missing: bool = False, parts: bool = False) -> Exit:
        """Says why nothing can be used: `missing` is what must be used, `parts` of the page are left out."""
        if not decision.permitted:
            self._terminal.error(f"{decision.outcome}: {self._wanted.usage}: {summary(decision, self._names)}")
            return exit_for(decision)
        if uri is not None:
            self._terminal.error(f"the publisher wants {uri} used instead; retrieve it, and ask about it")
            return Exit.UNDETERMINED
        if missing:
            self._terminal.error("prohibited: only one part may be used, and the page does not have it")
            return Exit.PROHIBITED
        if parts:
            self._terminal.error("prohibited: every part of the page with content has to be left out")
            return Exit.PROHIBITED
        carriers = self._about.carriers
        if carriers is not None and carriers.form != "page":
            what = carriers.unseen or f"{carriers.name or 'of an unknown type'}, not a page"
            name = next(iter(self._names.values()), self._about.url)
            self._terminal.error(f"{name} is {what}; there is no text to extract")
            return Exit.UNDETERMINED
        what = "links" if self._wanted.form == "links" else "text"
        self._terminal.note(f"{self._wanted.usage} is permitted, and the page has no {what}")
        return Exit.PERMITTED

    def _json(self, item: Mapping[str, Any]) -> None:
        self._terminal.line(json.dumps(item))

    def _text(self, text: str) -> None:
        """The text as it is; a terminal gets its lines with control characters shown."""
        self._terminal.text(text)


# What is left out is left out, and what must be used is used.
_DONE = ("excluded-element", "must-use-resource")


def _restrictions(decisions: Iterable[Decision]) -> tuple[Restriction, ...]:
    """What permissions are subject to, each once."""
    return tuple(
        dict.fromkeys(
            restriction for decision in decisions if decision.permitted for restriction in decision.restrictions
        )
    )


def _without(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in names}

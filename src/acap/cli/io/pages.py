"""What a response says of itself: read from a file, given as headers, or fetched for a crawler that may crawl it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import click

import acap
from acap.cli.io.asking import CrawlerOption
from acap.cli.io.failures import CallError, missing_extra
from acap.cli.io.files import is_url, read_file
from acap.cli.io.network import FetchedPage, Network
from acap.cli.io.options import SourceOptions
from acap.cli.io.policies import SourcePolicies, may_decide_beside
from acap.cli.io.terminal import Terminal
from acap.cli.io.urls import STDIN, check_url, origin
from acap.explain import failure_text
from acap.robots import Reading, RobotsPolicy
from acap.statement import Source

if TYPE_CHECKING:  # what reads pages takes 0.1 s to import, and a call about robots.txt needs none of it
    from acap.carriers import Carriers
    from acap.sites.policy import SitePolicy

Purpose = str | tuple[str, ...] | None

BESIDE_NOT_READ = "tdmrep.json, ai.txt and licences were not read and may prohibit more; `acap site URL` reads them"
"""A note where something is permitted by a robots.txt in a file, and what stands beside it could decide."""


class UrlPolicies(NamedTuple):
    """What decides for one URL and one crawler.

    `carriers` is what the URL's own response says. `refused`: crawling is prohibited now, so nothing was fetched and
    the site alone answers, as of now. `names` are what sources are called where they are shown. `found` as for
    `Network.policy`. `site_policy` is what the site says beside robots.txt; None where it was not asked for,
    and `unread` where that may have decided.
    """

    url: str
    robots: RobotsPolicy | None
    carriers: Carriers | None = None
    refused: bool = False
    names: Mapping[str, str] | None = None
    found: bool = False
    site_policy: SitePolicy | None = None
    unread: bool = False

    @property
    def page(self) -> acap.PagePolicy | None:
        """As `acap.decide` takes it."""
        return None if self.carriers is None else self.carriers.page

    @property
    def others(self) -> tuple[Source, ...]:
        """As `acap.decide` takes them."""
        of_site = () if self.site_policy is None else self.site_policy.sources
        return (*of_site, *(() if self.carriers is None else self.carriers.others))

    def copy_before(self, began: datetime) -> str | None:
        """Of which time a document is that was at hand before, in a line; None if each was asked for since."""
        evidence = {} if self.robots is None else self.robots.evidence
        times: list[tuple[str, datetime]] = []
        # A response that was saved has a meaning, and no time at which it was fetched.
        if "fetched_at" in evidence and evidence["meaning"] in ("read", "absent") and evidence["failure"] is None:
            asked = evidence["confirmed_at"] or evidence["fetched_at"]
            times.append((evidence["url"], datetime.fromisoformat(asked)))
        times += [
            (document.url, document.retrieved.answer.checked_at)
            for document in (() if self.site_policy is None else self.site_policy.documents)
            if document.retrieved is not None and document.retrieved.failure is None and document.state != "unknown"
        ]
        copies = (f"{url} is a copy of {at:%Y-%m-%d %H:%M} UTC" for url, at in times if at < began)
        return next((f"{copy}; --refresh asks again" for copy in copies), None)

    def with_reading(self, reading: Reading) -> UrlPolicies:
        """The same with the signals of robots.txt and page read so."""
        robots = None if self.robots is None else self.robots.with_reading(reading)
        carriers, site_policy = self.carriers, self.site_policy
        if carriers is not None:
            carriers = replace(carriers, page=carriers.page.with_reading(reading))
        if site_policy is not None and robots is not None:
            site_policy = site_policy.with_robots(robots)
        return self._replace(robots=robots, carriers=carriers, site_policy=site_policy)


class Pages:
    """The page of each URL of a call. Making it reads the file that `--page` names. Raises `CallError`."""

    def __init__(self, source: SourceOptions, policies: SourcePolicies, network: Network, terminal: Terminal) -> None:
        self._source = source
        self._policies = policies
        self._network = network
        self._terminal = terminal
        self._remote = source.page is not None and is_url(source.page)
        self._file = None if source.page is None or self._remote else read_page(source.page)
        self._read: dict[str, Carriers] = {}
        self._fetched: list[tuple[FetchedPage, Carriers]] = []

    def find(self, url: str, asker: CrawlerOption, purpose: Purpose, *, found: bool) -> UrlPolicies | None:
        """What decides for a checked URL; None if the page cannot be retrieved; the reason is printed.

        `found` as for `Network.policy`. Raises `CallError`.
        """
        if self._remote:
            return self.fetch(url, asker, purpose)
        if self._file is None and not self._source.headers:
            return UrlPolicies(url, self._policies.find(url, asker, found=found), found=found)
        carriers = self._carriers(url)
        robots = self._policies.find(url, asker, found=found)
        return UrlPolicies(url, robots, carriers, names=names_of(carriers.page, self._source.page), found=found)

    def beside(self, about: UrlPolicies, asker: CrawlerOption, usages: Collection[str]) -> UrlPolicies:
        """The same with the documents beside robots.txt, where these could decide on one of the usages.

        Raises `CallError`.
        """
        if about.robots is None or about.refused or not may_decide_beside(about.robots, about.carriers, usages):
            return about
        site_policy = self._policies.beside(about.robots, asker, about.carriers, found=about.found)
        return about._replace(site_policy=site_policy, unread=site_policy is None)

    def _carriers(self, url: str) -> Carriers:
        if url not in self._read:
            self._read[url] = carriers_of(self._file, url, self._source.headers, file=self._source.page)
        return self._read[url]

    def fetch(self, url: str, asker: CrawlerOption, purpose: Purpose) -> UrlPolicies | None:
        """The page of a URL, fetched if the crawler may crawl it now, and so each URL that it is redirected to."""
        url = self._network.canonical(url)
        gate = _Gate(url, asker, purpose, self._policies)
        for held, carriers in self._fetched:
            if all(map(gate.may, held.way)):
                return UrlPolicies(held.url, gate.policies[held.url], carriers, found=origin(held.url) != origin(url))
        gate = _Gate(url, asker, purpose, self._policies)
        if not gate.may(url):
            self._terminal.error(f"{url} was not fetched: {asker.label} may not crawl it")
            return UrlPolicies(url, gate.policies[url], refused=True)
        got = self._network.page(url, gate.may)
        if (target := gate.stopped()) is not None:
            self._terminal.error(
                f"{url} leads to {target}, which {asker.label} may not crawl; nothing was fetched there"
            )
            return UrlPolicies(target, gate.policies[target], refused=True)
        if isinstance(got, str):
            advice = "try again later, or use a copy of the page"
            self._terminal.error(f"{url} {failure_text(got)}; its permissions are unknown ({advice})")
            return None
        carriers = carriers_of(got.octets, got.url, (*got.headers, *self._source.headers), status=got.status)
        self._fetched.append((got, carriers))
        return UrlPolicies(got.url, gate.policies[got.url], carriers, found=origin(got.url) != origin(url))


class _Gate:
    """Whether a crawler may crawl a page and what it leads to; the policies of those it was asked about."""

    def __init__(self, url: str, asker: CrawlerOption, purpose: Purpose, sites: SourcePolicies) -> None:
        self._site = origin(url)
        self._asker = asker
        self._purpose = purpose
        self._sites = sites
        self.policies: dict[str, RobotsPolicy] = {}
        self._refused: str | None = None

    def may(self, url: str) -> bool:
        """Whether the crawler may crawl the URL now. Raises `CallError`."""
        asker = self._asker
        # A file given for the page's site says nothing about where it may be redirected to.
        own = origin(url) == self._site
        policy = self._sites.find(url, asker, found=False) if own else self._sites.of_site(url, asker, found=True)
        try:
            decision = policy.decide(url, crawler=asker.crawler, usage="crawl", purpose=self._purpose)
        except ValueError as error:
            raise CallError(str(error)) from error
        self.policies[url] = policy
        if not decision.permitted:
            self._refused = url
        return decision.permitted

    def stopped(self) -> str | None:
        """The last URL that may not be crawled."""
        return self._refused


def carriers_of(
    octets: bytes | None,
    url: str | None,
    headers: Sequence[tuple[str, str]],
    *,
    status: int | None = None,
    file: str | None = None,
) -> Carriers:
    """What a response says; a URL that is a path alone leaves it unknown where it is.

    `file` is the name of the file that the octets are: a page or the like, or a response that was saved with its
    headers. Raises `CallError`, also where it is a page and what reads pages is not installed.
    """
    # 0.1 s to import, half as much as the rest, and needed by a call about a page alone.
    from acap.carriers import carriers, file_carriers

    where = None if url is None or url.startswith("/") else url
    try:
        if file is None or octets is None:
            response = carriers(octets, url=where, headers=headers, status=status)
        else:
            response = file_carriers(octets, file, url=where, headers=headers)
    except ValueError as error:
        raise CallError(str(error)) from error
    if response.missing is not None:
        raise needs_pages()
    return response


def unseen(about: UrlPolicies) -> str | None:
    """What was not looked at in a response, in a line; None where all of it was."""
    if about.carriers is None or about.carriers.unseen is None:
        return None
    return f"{next(iter((about.names or {}).values()), about.url)} is {about.carriers.unseen}"


def needs_pages() -> CallError:
    """The failure where what reads pages is not installed."""
    context = click.get_current_context(silent=True)
    name = (context.info_name if context else None) or "show"
    return missing_extra("pages", name if name == "extract" else f"{name} --page")


def read_page(name: str) -> bytes:
    """The octets of a page's file, an image's or a document's; `-` for standard input. Raises `CallError`."""
    return read_file(name, what="page", example="index.html")


def names_of(page: acap.PagePolicy, file: str | None) -> Mapping[str, str]:
    """The name shown for the page: the file it was read from."""
    if file is None:
        return {}
    return {page.url or "page": "standard input" if file == STDIN else file}


def page_url(urls: Sequence[str], page: str, *, path_is_enough: bool) -> str:
    """The one URL that a call with `--page` is about. Raises `CallError`."""
    if len(urls) > 1:
        raise CallError(f"{len(urls)} URLs and one --page; ask about a page with only its own URL")
    if not is_url(page):
        if not urls:
            raise CallError(f"no URL given; give the one at which `{page}` is published")
        return check_url(urls[0], path_is_enough=path_is_enough)
    url = check_url(page, path_is_enough=False)
    if urls:
        try:
            acap.parse_page(None, url=url).statements(check_url(urls[0], path_is_enough=True))
        except ValueError as error:
            raise CallError(f"`{urls[0]}` is not the page {page}; give one of the two") from error
    return url

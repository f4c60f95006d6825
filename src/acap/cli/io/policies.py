"""The policy that a URL is asked of: one file for all, or each site's own, retrieved when it is first needed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from acap.cli.io.asking import CrawlerOption
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError, suggestion
from acap.cli.io.files import is_url, read_file
from acap.cli.io.network import Network
from acap.cli.io.options import SourceOptions
from acap.cli.io.terminal import Terminal
from acap.cli.io.urls import STDIN, check_url, origin
from acap.publish.saved_robots import is_response, robots_in
from acap.robots import Limits, RobotsPolicy, licence_lines
from acap.usages import USAGES, below

if TYPE_CHECKING:  # what reads pages takes 0.1 s to import, and a call about robots.txt needs none of it
    from acap.carriers import Carriers
    from acap.sites.policy import SitePolicy

# Policies kept at hand while URLs stream by; further sites push out those used longest ago.
_KEPT = 512
_GATHERED = 64  # the same of what stands beside them, which may be larger

_CRAWLING = ("crawl", "follow")
_MINING = ("tdm", *below("tdm"))


class SourcePolicies:
    """Where `answers` gets its policies from. Making it reads the file that `--robots` names. Raises `CallError`."""

    def __init__(self, source: SourceOptions, network: Network, terminal: Terminal | None = None) -> None:
        self._references = source.references
        self._network = network
        self._kept: OrderedDict[str, dict[CrawlerOption, RobotsPolicy]] = OrderedDict()
        self._gathered: OrderedDict[tuple[str | None, tuple[str, ...]], SitePolicy] = OrderedDict()
        self._site: str | None = None
        self._file: RobotsPolicy | None = None
        if source.robots is not None and is_url(source.robots):
            self._site = check_url(source.robots, path_is_enough=False)
        elif source.robots is not None:
            policy = file_policy(source.robots, source.dialect, source.limits, terminal)
            self._file = with_references(policy, source.references, all_of_it=True)

    def find(self, url: str, asker: CrawlerOption, *, found: bool) -> RobotsPolicy:
        """The policy of a checked URL for a crawler; `found` as for `Network.policy`. Raises `CallError`."""
        if self._file is not None:
            return self._file
        if self._site is not None:
            url, found = self._site, False
        return self.of_site(url, asker, found=found)

    def of_site(self, url: str, asker: CrawlerOption, *, found: bool) -> RobotsPolicy:
        """The policy of the URL's own site, whatever `--robots` names; otherwise as `find`."""
        of_site = self._kept_of(origin(url))
        policy = of_site.get(asker)
        if policy is None:
            policy = next(iter(of_site.values()), None)
            if policy is None or policy.references(asker.names):
                # What a policy refers one crawler to need not be what it refers another to.
                policy = with_references(self._network.policy(url, asker, found=found), self._references)
            of_site[asker] = policy
        return policy

    def beside(
        self, robots: RobotsPolicy, asker: CrawlerOption, response: Carriers | None, *, found: bool
    ) -> SitePolicy | None:
        """What the site of a robots.txt says beside it; None where that is a file, for then no site is asked.

        `response` and `found` as for `Network.beside`. Raises `CallError`.
        """
        if robots is self._file:
            return None
        key = (robots.url, tuple(named_by(response)))
        if key in self._gathered:
            self._gathered.move_to_end(key)
            return self._gathered[key]
        if self._site is not None and origin(self._site) == origin(robots.url or ""):
            found = False
        policy = self._gathered[key] = self._network.beside(robots, asker, response, found=found)
        if len(self._gathered) > _GATHERED:
            self._gathered.popitem(last=False)
        return policy

    def _kept_of(self, site: str) -> dict[CrawlerOption, RobotsPolicy]:
        """What is at hand of a site, by the crawler it was retrieved for."""
        if site in self._kept:
            self._kept.move_to_end(site)
        elif len(self._kept) >= _KEPT:
            self._kept.popitem(last=False)
        return self._kept.setdefault(site, {})


def may_decide_beside(robots: RobotsPolicy | None, response: Carriers | None, usages: Collection[str]) -> bool:
    """Whether what stands beside a robots.txt could decide: tdmrep.json and ai.txt on mining, licences on any content.

    A usage that the file defines may stand for any.
    """
    of_content = [usage for usage in usages if usage not in _CRAWLING]
    if robots is None or robots.state == "unreachable" or not of_content:
        return False
    if any(usage in _MINING or usage not in USAGES for usage in of_content):
        return True
    return bool(licence_lines(robots) or named_by(response))


def named_by(response: Carriers | None) -> list[str]:
    """The URLs of licence documents that a response names."""
    if response is None or not response.page.licence_references():
        return []
    # 17 ms to import, which a call without a page does without.
    from acap.dialects.rsl.associations import joined, named_documents

    return [joined(response.page.url, target) for target in named_documents(response.page)]


def file_policy(
    name: str, dialect: str, limits: Limits | None = None, terminal: Terminal | None = None
) -> RobotsPolicy:
    """The policy in a file, `-` for standard input, bare or with the head of its response (`curl -i`).

    A note says so if it is not a robots.txt. Raises `CallError`, with code 3 for a response that leaves the meaning
    unknown.
    """
    policy = robots_in(read_file(name), dialect=dialect, limits=limits)
    if doubt := policy.evidence.get("doubt"):
        file = "standard input" if name == STDIN else f"`{name}`"
        raise CallError(f"{file} is a response that says nothing about the site: {doubt}", code=Exit.UNDETERMINED)
    if terminal is not None:
        warn_of_no_robots(name, policy, terminal)
    return policy


def warn_of_no_robots(name: str, policy: RobotsPolicy, terminal: Terminal) -> None:
    """Says so if what was read is not a robots.txt at all."""
    for problem in policy.problems:
        if problem.code == "no-robots-txt":
            terminal.error(f"{name}: {problem.message}, so it forbids nothing, whatever its author meant")
        elif problem.code == "packed-file":
            terminal.error(f"{name}: {problem.message}")


def _referenced(octets: bytes) -> bytes | None:
    """What a document that is referred to says; None where its response has none, which prohibits."""
    if not is_response(octets):
        return octets
    policy = robots_in(octets)
    return None if policy.state != "present" else policy.octets


def with_references(
    policy: RobotsPolicy, references: Iterable[tuple[str, str]], *, all_of_it: bool = False
) -> RobotsPolicy:
    """The policy with the documents that `--reference` supplies from files.

    `all_of_it`: one that the policy does not refer to is a mistake, for there is no other policy. Raises `CallError`.
    """
    given = list(references)
    if not given:
        return policy
    known = list(dict.fromkeys(uri for name in policy.crawlers for uri in policy.references(name)))
    for uri, file in given:
        if uri in known:
            policy = policy.with_reference(uri, _referenced(read_file(file)))
        elif all_of_it:
            raise CallError(
                f"the policy does not refer to `{uri}`{suggestion(uri, known) if known else '; leave it out'}"
            )
    return policy

"""The policies of a publisher's own files: a `[policy]` table, and what the site of a file of cases serves now.

What reads these files takes twice as long to import as `acap check` has, so that they stand apart from its policies.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from urllib.parse import urljoin

from acap.cli.io.asking import asker
from acap.cli.io.failures import CallError
from acap.cli.io.files import read_file
from acap.cli.io.network import Network, report
from acap.cli.io.terminal import Terminal
from acap.problems import Problem
from acap.publish.cases import CaseFile, DocumentOctets, Documents
from acap.publish.compose import Draft, DraftError, draft_from_toml
from acap.robots import DIALECTS, RobotsPolicy, parse_robots


class SitePolicies:
    """The site's policy, for each crawler with what it is referred to. Raises `CallError` if the cases name no site."""

    def __init__(self, file: CaseFile, network: Network, terminal: Terminal) -> None:
        if file.site is None:
            raise CallError(f"{file.name}: `site` is missing, so --live does not know which site to ask")
        self._site = file.site
        self._network = network
        self._terminal = terminal
        self._kept: dict[tuple[str, str], RobotsPolicy] = {}

    def find(self, crawler: str, dialect: str) -> RobotsPolicy:
        """As `acap.publish.cases.Policies`."""
        key = (crawler, dialect)
        if key not in self._kept:
            self._kept[key] = self._retrieved(crawler) if dialect == DIALECTS[0] else self._reread(crawler, dialect)
        return self._kept[key]

    def documents(self, file: CaseFile) -> Documents:
        """The documents of other dialects that the cases name, as the site serves them. Raises `CallError`."""
        return Documents(file, {where: self._served(where) for where in file.documents})

    def _served(self, where: str) -> DocumentOctets:
        # What reads answers takes 90 ms to import, and most cases name no documents.
        from acap.sites.documents import octets_of

        came = self._network.document(urljoin(self._site, where), found=True)
        report(came.evidence, self._terminal)
        failed = came.answer.failure is not None
        return DocumentOctets(octets_of(came), 200 if failed else came.status or 200)

    def _retrieved(self, crawler: str) -> RobotsPolicy:
        first = next((policy for (_, dialect), policy in self._kept.items() if dialect == DIALECTS[0]), None)
        if first is not None and (first.state != "present" or not first.references(crawler)):
            return first
        # The site stands in a file that may be anybody's: it is not asked in a private network unless that is allowed.
        return self._network.policy(self._site, asker(crawler), found=True)

    def _reread(self, crawler: str, dialect: str) -> RobotsPolicy:
        policy = self.find(crawler, DIALECTS[0])
        if policy.state == "present":
            return parse_robots(policy.octets, url=policy.url, dialect=dialect)
        make = RobotsPolicy.absent if policy.state == "absent" else RobotsPolicy.unreachable
        return make(policy.url, dialect=dialect)


def read_policy_table(name: str) -> Draft:
    """The draft of the table in a file, `-` for standard input. Raises `CallError`."""
    octets = read_file(name, what="TOML file", example="acap.toml")
    try:
        table = tomllib.loads(octets.decode())
    except UnicodeDecodeError as error:
        raise CallError(f"`{name}` is not UTF-8; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise CallError(f"`{name}` is not TOML: {error}") from error
    if "policy" not in table:
        raise CallError(f"`{name}` has no [policy] table; make one from a robots.txt: acap compose robots.txt --toml")
    try:
        return draft_from_toml(table["policy"])
    except DraftError as error:
        raise CallError(f"`{name}`: {error}") from error


def further(problems: Iterable[Problem], known: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems of a live document that the one that is meant has not, once or more."""
    codes = {problem.code for problem in known}
    return tuple(problem for problem in problems if problem.code not in codes)

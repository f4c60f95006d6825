"""The policy that a site serves now, in the place of the file that its cases name."""

from __future__ import annotations

from acap.cli.failures import Failure
from acap.cli.network import Network
from acap.cli.options import asker
from acap.publish.cases import CaseFile
from acap.robots import RobotsPolicy, parse_robots


class SitePolicies:
    """The site's policy, for each crawler with what it is referred to. Raises `Failure` if the cases name no site."""

    def __init__(self, file: CaseFile, network: Network) -> None:
        if file.site is None:
            raise Failure(f"{file.name}: `site` is missing, so --live does not know which site to ask")
        self._site = file.site
        self._network = network
        self._kept: dict[tuple[str, str], RobotsPolicy] = {}

    def find(self, crawler: str, dialect: str) -> RobotsPolicy:
        """As `acap.publish.cases.Policies`."""
        key = (crawler, dialect)
        if key not in self._kept:
            self._kept[key] = self._retrieved(crawler) if dialect == "auto" else self._reread(crawler, dialect)
        return self._kept[key]

    def _retrieved(self, crawler: str) -> RobotsPolicy:
        first = next((policy for (_, dialect), policy in self._kept.items() if dialect == "auto"), None)
        if first is not None and (first.state != "present" or not first.references(crawler)):
            return first
        # The site stands in a file that may be anybody's: it is not asked in a private network unless that is allowed.
        return self._network.policy(self._site, asker(crawler), found=True)

    def _reread(self, crawler: str, dialect: str) -> RobotsPolicy:
        policy = self.find(crawler, "auto")
        if policy.state == "present":
            return parse_robots(policy.octets, url=policy.url, dialect=dialect)
        make = RobotsPolicy.absent if policy.state == "absent" else RobotsPolicy.unreachable
        return make(policy.url, dialect=dialect)

"""`RobotsTxtComplianceChecker`: the class of robots-checker (`url_checker`) with the decisions of acap.

    from acap.integrations.robots_checker import RobotsTxtComplianceChecker

Two laws. Names, arguments and kinds of results are those of robots-checker 1.2.3, so that changing the import is
enough. And doubt never permits: a site without a known robots.txt, or with two that differ, a URL that is none, a
question for no crawler and a fault of ours are "NonCompliant".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from acap.crawlers import Crawler
from acap.decision import Decision
from acap.retrieval.locations import canonical, site_named, site_of
from acap.robots import RobotsPolicy, parse_robots
from acap.table import Missing
from acap.usages import asked_usages

__all__ = ["USER_AGENTS", "RobotsTxtComplianceChecker", "load_robots"]

USER_AGENTS: Final = (
    "AI2Bot", "Applebot-Extended", "Bytespider", "CCBot", "CCBot/2.0", "CCBot/1.0", "ClaudeBot",
    "cohere-training-data-crawler", "Diffbot", "FacebookBot", "Meta-ExternalAgent", "Google-Extended", "GPTBot",
    "PanguBot", "*",
)  # fmt: skip
"""The crawlers that robots-checker asks for, in its order."""

COMPLIANT: Final = "Compliant"
NON_COMPLIANT: Final = "NonCompliant"
_VERSIONS = {"Jan-2025": "swiss-ai/fineweb-robots-txt-files-compressed"}
_KEPT = 8192
"""Policies that are kept read, as in robots-checker."""

_PLAIN = re.compile(r"[a-z0-9.-]*[a-z0-9-]")  # a domain as URLs have it
_PORT_80 = re.compile(r":0*80\Z")
_BESIDE_DOMAIN = re.compile(r"[\s\\/?#@]")


def load_robots(version: str = "Jan-2025") -> dict[str, str | bytes | None]:
    """The robots.txt files of a version, by domain, from Hugging Face; it needs the package `datasets`.

    Raises:
        ValueError: an unknown version.
        ImportError: `datasets` is not installed.
    """
    if version not in _VERSIONS:
        raise ValueError(f"version `{version}` is unknown; known are {', '.join(_VERSIONS)}")
    # Whoever comes from robots-checker has it; whoever gives files of his own does not need it.
    rows = import_module("datasets").load_dataset(_VERSIONS[version], split="train")
    return {row["domain"]: row["content"] for row in rows}


class RobotsTxtComplianceChecker:
    """Tells whether URLs are compliant: whether the robots.txt of their site lets each of some crawlers fetch them.

    `robots_dict` has the files by domain, as in robots-checker; each is read when it is asked for, and kept.
    """

    def __init__(
        self,
        version: str = "Jan-2025",
        *,
        robots: Mapping[str, str | bytes | None] | Iterable[tuple[str, str | bytes | None]] | None = None,
        usage: str | Iterable[str] | None = None,
        missing: Missing = "prohibited",
        dialect: str = "auto",
        usages: str | Iterable[str] | None = None,
    ) -> None:
        """Loads the files of a version, unless files are given.

        Args:
            version: as `load_robots` takes it.
            robots: files by domain, as `www.example.com` or `www.example.com:8080`, or by the URL of the file or its
                site; a null is a site that is not known, and of one with several files that differ it is unknown which
                counts.
            usage: what has to be permitted to each crawler, by default crawl; `("crawl", "ai-train")` hears words on
                training.
            missing: what decides of a site without a file; in robots-checker it is `permitted`.
            dialect: one of `acap.robots.DIALECTS`.
            usages: the same as `usage`, by its earlier name.

        Raises:
            ValueError: an unknown version, usage, dialect or word; a file beside the URL of a page, or beside another
                text that is no domain.
            ImportError: `datasets` is not installed, and no files are given.
        """
        if missing not in ("prohibited", "permitted"):
            raise ValueError(f"missing is `{missing}`; it may be prohibited or permitted")
        files = load_robots(version) if robots is None else robots
        self.robots_dict: dict[str, str | bytes | None] = {}
        self._usages = asked_usages(usage, usages, ("crawl",))
        parse_robots(b"", dialect=dialect).decide_many(["/"], crawler="*", usage=self._usages)
        self._dialect = dialect
        self._missing = missing
        # A domain may be written as no URL has it, and in several ways.
        self._names: dict[str, str] = {}
        self._doubtful: set[str] = set()
        for domain, octets in files.items() if isinstance(files, Mapping) else files:
            self._add(domain, octets)
        self._policy = lru_cache(maxsize=_KEPT)(self._read)

    def is_compliant(self, url: str, user_agents: str | Crawler | Iterable[str | Crawler] = USER_AGENTS) -> str:
        """`Compliant` if each of the crawlers may use the URL as asked, else `NonCompliant`. It raises nothing."""
        try:
            return COMPLIANT if self.refusal(url, user_agents) is None else NON_COMPLIANT
        except Exception:  # noqa: BLE001 - doubt does not permit
            return NON_COMPLIANT

    def refusal(self, url: str, user_agents: str | Crawler | Iterable[str | Crawler] = USER_AGENTS) -> Decision | None:
        """The first decision that refuses one of the crawlers the URL, with its reason; None if it is compliant.

        Raises:
            ValueError: what is not an http or https URL with a host; an empty name; no crawler, as of an iterator that
                has ended.
        """
        agents = (user_agents,) if isinstance(user_agents, (str, Crawler)) else tuple(user_agents)
        if not agents:
            raise ValueError("no crawler was named")
        asked = canonical(url)
        policy = self._policy(_name(site_of(asked).partition("://")[2]))
        for agent in agents:
            for usage in self._usages:
                decision = policy.decide(asked, crawler=agent, usage=usage)
                if not decision.permitted:
                    return decision
        return None

    def _add(self, domain: str, octets: str | bytes | None) -> None:
        """One more file; a null says nothing against a file that is known."""
        name = _domain(domain)
        known = self.robots_dict.get(self._names.get(name, name))
        if octets is None and known is not None:
            return
        if known is not None and known != octets:
            self._doubtful.add(name)
        self.robots_dict[domain] = octets
        self._names[name] = domain

    def _read(self, domain: str) -> RobotsPolicy:
        if domain in self._doubtful:
            return RobotsPolicy.unreachable(None)
        octets: Any = self.robots_dict.get(self._names.get(domain, domain))
        if octets is None:
            known = RobotsPolicy.absent if self._missing == "permitted" else RobotsPolicy.unreachable
            return known(None)
        # It has no URL: the files are of domains, whatever the scheme.
        return parse_robots(octets, dialect=self._dialect)


def _domain(written: str) -> str:
    """The domain that a file stands beside. Raises ValueError for what is none: its file would be lost in silence."""
    named = written.strip()
    if "://" in named:
        named = site_named(named).partition("://")[2]
    if not named or _BESIDE_DOMAIN.search(named):
        raise ValueError(f"`{written}` is not a domain; write it as www.example.com")
    return _name(named)


def _name(domain: str) -> str:
    """A domain as URLs have it: in ASCII and small letters, without the port that its scheme has."""
    if _PLAIN.fullmatch(domain):
        return domain
    try:
        return site_of(f"{'http' if _PORT_80.search(domain) else 'https'}://{domain}/").partition("://")[2]
    except ValueError:
        return domain.lower()

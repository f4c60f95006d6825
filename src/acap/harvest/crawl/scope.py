"""Which URLs belong to a crawl: by host, by depth, and in one form."""

from __future__ import annotations

import re
from collections.abc import Iterable

from acap.harvest.crawl.options import URL_OCTETS, CrawlOptions
from acap.retrieval.locations import canonical

# What is already as `canonical` would make it: nothing to escape, no final dot of a host, default port or dot segments.
_CANONICAL = re.compile(
    r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9-])?(?::(?!80/|443/)(?:[1-9]\d{1,3}|[1-5]\d{4}))?(?:/(?!\.)[\w~!$&'()*+,;=:@.-]*)+",
    re.ASCII,
)
_QUERY = re.compile(r"[\w~!$&()*+,;=:@/.-]*", re.ASCII)


def plain(url: str) -> str | None:
    """The URL in its one form, without fragment; None if it is not http or https."""
    url = url.partition("#")[0]
    path, mark, query = url.partition("?")
    if _CANONICAL.fullmatch(path) and (not mark or (query and _QUERY.fullmatch(query))):
        return url
    try:
        return canonical(url)
    except ValueError:
        return None


def host_of(url: str) -> str:
    """Host and port of a canonical URL: http and https of a host count as the same."""
    return url.split("/", 3)[2]


def site_of_canonical(url: str) -> str:
    """Scheme, host and port of a canonical URL."""
    return url[: url.index("/", 8)]


class Scope:
    """The hosts of a crawl; with `span` more are added."""

    def __init__(self, seeds: Iterable[str], options: CrawlOptions, known: Iterable[str] = ()) -> None:
        """`known`: sites that the run has already."""
        self._seeds = frozenset(host_of(url) for url in seeds)
        self._hosts = set(self._seeds)
        self._options = options
        if options.span:
            self._hosts.update(site.partition("://")[2] for site in known)
        self.left_out = 0

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts so far."""
        return frozenset(self._hosts)

    def has_host(self, url: str) -> bool:
        """Whether the host of a canonical URL belongs to the crawl; with `span` it may begin to."""
        host = host_of(url)
        if host in self._hosts:
            return True
        options = self._options
        if not options.span or (options.hosts is not None and len(self._hosts) >= options.hosts):
            return False
        self._hosts.add(host)
        return True

    def has_depth(self, depth: int) -> bool:
        """Whether it is near enough."""
        return self._options.depth is None or depth <= self._options.depth

    def move_seed(self, url: str, target: str) -> bool:
        """A given URL redirects: the host is the same one if they differ in `www.` alone; whether it belongs now."""
        host, moved = host_of(url), host_of(target)
        if host in self._seeds and host.removeprefix("www.") == moved.removeprefix("www."):
            self._hosts.add(moved)
        return self.has_host(target)


def is_overlong(url: str) -> bool:
    """Whether it is too long to be fetched."""
    return len(url) > URL_OCTETS

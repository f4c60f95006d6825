"""No request reaches a private network that the project did not open (ACAP_ALLOW_PRIVATE = False).

Two parts: `GuardedResolver` filters the addresses that connections are made to, so that a name cannot mean one address
when it is judged and another when it is used; `AddressGuard` judges URLs, and refuses everything where that resolver is
not in use. A proxy resolves names by itself: behind one, only addresses in URLs are judged.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Self
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy.crawler import Crawler
from scrapy.resolver import CachingThreadedResolver
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object
from twisted.internet.base import ReactorBase
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from acap.integrations.scrapy.options import PolicyOptions, SettingError
from acap.integrations.scrapy.refusals import AddressRefused
from acap.retrieval.addresses import is_address, is_blocked_port, is_odd_number, refusal

RESOLVER = "acap.integrations.scrapy.guard.GuardedResolver"
"""What the setting TWISTED_DNS_RESOLVER is for the guard to hold; the add-on sets it."""

# Those that leave it to the reactor to resolve names.
_HANDLERS = frozenset({"scrapy.core.downloader.handlers.http11", "scrapy.core.downloader.handlers.http2"})
_REMEMBERED = 4096
_PORTS = {"http": 80, "https": 443}

logger = logging.getLogger(__name__)


class GuardedResolver(CachingThreadedResolver):
    """Resolves as Scrapy's usual resolver does, to addresses of the public internet and those of ACAP_PRIVATE_HOSTS."""

    private_hosts: frozenset[str] = frozenset()

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> Self:
        """Made by Scrapy's process, from the settings of the project."""
        resolver = super().from_crawler(crawler, reactor)
        resolver.private_hosts = frozenset(host.lower() for host in crawler.settings.getlist("ACAP_PRIVATE_HOSTS"))
        return resolver

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802  Twisted's name
        """The address, cached or not; fails with DNSLookupError for one that may not be reached."""
        return super().getHostByName(name, timeout).addCallback(self._admit, name)

    def _admit(self, address: str, name: str) -> str:
        why = refusal(address)
        if why is None or name.lower().rstrip(".") in self.private_hosts:
            return address
        # Twisted keeps the words of the error to itself.
        logger.warning("`%s` is at %s, which is not of the public internet: %s", name, address, why)
        raise DNSLookupError(f"`{name}` is at {address}: {why}")


class AddressGuard:
    """Judges the URLs of one crawl."""

    def __init__(self, settings: BaseSettings, options: PolicyOptions) -> None:
        """Raises SettingError where the guard is asked for and cannot hold."""
        self._open = options.allow_private
        self._hosts = options.private_hosts
        self._holds = False
        self._judged: dict[str, str | None] = {}  # origins, each with why it is refused
        if self._open:
            return
        if not settings.getbool("TWISTED_REACTOR_ENABLED", True):
            raise SettingError("ACAP_ALLOW_PRIVATE = False needs a Twisted reactor; set TWISTED_REACTOR_ENABLED")
        if settings.getbool("HTTPPROXY_ENABLED") and getproxies():
            logger.warning("the environment names a proxy, which resolves names by itself: it must guard its networks")
        handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
        for scheme in _PORTS:
            if not handlers.get(scheme):
                continue
            handler = load_object(handlers[scheme])
            if _HANDLERS.isdisjoint(base.__module__ for base in handler.__mro__):
                raise SettingError(
                    f"ACAP_ALLOW_PRIVATE = False does not hold with the download handler {handler.__name__}, "
                    "which resolves names by itself"
                )

    def check(self, url: str) -> None:
        """Raises AddressRefused for a URL that leads, or may lead, into a private network or to a local file."""
        if self._open or url.startswith("data:"):
            return
        if not self._holds:
            self._holds = _is_installed()
        if not self._holds:
            raise AddressRefused(f"{url} is refused: set TWISTED_DNS_RESOLVER to `{RESOLVER}`")
        origin = url[: url.find("/", 8)] if url.startswith(("http://", "https://")) and url.find("/", 8) > 0 else url
        if origin not in self._judged:
            if len(self._judged) >= _REMEMBERED:
                self._judged.clear()
            self._judged[origin] = self._why(origin)
        if (why := self._judged[origin]) is not None:
            raise AddressRefused(f"{url} is refused: {why}")

    def _why(self, url: str) -> str | None:
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)
        except ValueError:
            return "it is not a URL"
        if parts.scheme not in _PORTS or not host:
            return f"only http, https and data may be fetched, not {parts.scheme}"
        if host.rstrip(".") in self._hosts:
            return None
        if is_odd_number(host):
            return "its host is an address in an odd spelling"
        if is_address(host) and (why := refusal(host)) is not None:
            return f"its address is not of the public internet: {why}"
        return f"port {port} belongs to another protocol than HTTP" if is_blocked_port(port) else None


def _is_installed() -> bool:
    from twisted.internet import reactor  # which must not be imported before Scrapy chooses one

    return isinstance(getattr(reactor, "resolver", None), GuardedResolver)

"""URLs that may be retrieved: one strict form, and what follows from it.

What a URL is and which host it names is the core's answer, so that a policy is asked about what was retrieved. The form
is checked and then rebuilt from its parts, so that nothing downstream (the HTTP client, the name resolver) can read
another host out of it than the one that was judged: `http://good.example\\@127.0.0.1/` is refused here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote_from_bytes

import httpx2

from acap import _native
from acap.remembered import remembered

ROBOTS_PATH = "/robots.txt"  # RFC 9309 2.3
_NAME = ROBOTS_PATH[1:]

_HTTP = re.compile(r"https?://", re.IGNORECASE)
_TO_AUTHORITY = re.compile(r"[^:/?#]*://[^/?#]*")  # RFC 3986 3.2: it ends at the first slash, question mark or hash
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_BESIDE_HOST = re.compile(r"[\x00-\x20\x7f\\/?#@]")  # what no `Host` has, and would end or begin one in a URL
_AS_SENT = re.compile(
    r"/[A-Za-z0-9/_.~-]*(?:\?[A-Za-z0-9/_.~=&-]+)?"
)  # nothing of it is escaped, or otherwise in a URL
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_ASCII_PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
_MERGED_PORTS = (None, 80, 443)
_SHOWN = 200  # characters of a URL in a message


@remembered
def canonical(url: str) -> str:
    """The URL as it is sent: scheme and host in lower case and ASCII, no user information, default port or fragment.

    The core removes its dot segments, so that a policy answers the same of what was written and of what is sent.
    Raises ValueError if it is not an absolute http or https URL with a host.
    """
    origin, rest = _parts(url)
    if _AS_SENT.fullmatch(rest):
        _native.absolute(origin + rest)
        return origin + rest
    try:
        sent = origin + httpx2.URL(origin + rest).raw_path.decode("ascii")
    except httpx2.InvalidURL as error:
        raise ValueError(f"`{url!a}` is not a URL: {error}") from error
    _native.absolute(sent)  # escaped it may be longer than a URL may be
    return sent


def robots_url(url: str) -> str:
    """The URL of the robots.txt for the URL: same scheme, host and port (RFC 9309 2.3).

    Raises ValueError as `canonical` does, but for the authority alone: whatever follows it makes no difference here.
    """
    written = _TO_AUTHORITY.match(url)
    return _robots_url(url if written is None else written[0])


@remembered
def normal(url: str) -> str:
    """The one form of all spellings of a URL (RFC 3986 6.2.2): it tells what is named, and is not how it is sent.

    Raises ValueError as `canonical`.
    """
    sent = canonical(url)
    home = site_of(sent)
    return home + _native.canonical_path(sent.removeprefix(home).encode()).decode()


def is_robots_url(url: str) -> bool:
    """Whether a URL is that of the robots.txt of its site, however it is spelled; false if it is not a URL."""
    if _NAME not in url and "%" not in url and url.isascii() and url.isprintable():
        return False  # so are most URLs of a crawl: the one form has no name that was not written
    try:
        known = normal(url)
    except ValueError:
        return False
    return known == robots_url(known)


def site_of(url: str) -> str:
    """Scheme, host and port of a URL, as `robots_url` has them. Raises ValueError as that does."""
    return robots_url(url).removesuffix(ROBOTS_PATH)


def site_named(url: str) -> str:
    """The site of a URL that stands for a site: its origin, or its robots.txt.

    Raises ValueError as `site_of`, and for a page: what is kept beside its URL need not be the robots.txt of its site.
    """
    site = site_of(url)
    if url.removeprefix(site) not in ("", "/", ROBOTS_PATH) and normal(url).removeprefix(site) not in (
        "/",
        ROBOTS_PATH,
    ):
        shown = url if len(url) <= _SHOWN else f"{url[:_SHOWN]}…"
        raise ValueError(f"`{shown}` is neither a site nor its robots.txt; write {site}{ROBOTS_PATH}")
    return site


def host_elsewhere(url: str, hosts: Iterable[str | bytes]) -> str | None:
    """The first `Host` header of a request that names another authority than its URL; None if each names that.

    It is the authority that is asked, wherever the request is sent to (RFC 9110 7.2). Raises ValueError as `site_of`.
    """
    site, scheme = site_of(url), url.partition("://")[0]
    for host in hosts:
        named = host.decode("latin-1") if isinstance(host, bytes) else host
        try:
            is_elsewhere = _BESIDE_HOST.search(named) is not None or site_of(f"{scheme}://{named}") != site
        except ValueError:
            is_elsewhere = True
        if is_elsewhere:
            return named
    return None


@lru_cache(maxsize=4096)  # a crawl asks for the same few sites all the time
def _robots_url(site_url: str) -> str:
    return _parts(site_url)[0] + ROBOTS_PATH


def _parts(url: str) -> tuple[str, str]:
    if not _HTTP.match(url):
        raise ValueError(f"`{url}` is not an http or https URL with a host")
    return _native.absolute(url)


def resolve(base: str, reference: str) -> str:
    """The reference (a Location header, or a URI in a policy) against the URL it was found at, in canonical form.

    A header's text holds one character per octet: octets that are UTF-8 are read so, others are percent-encoded.
    Raises ValueError if it does not lead to an http or https URL with a host.
    """
    try:
        reference = reference.encode("latin-1").decode()
    except UnicodeEncodeError:
        pass  # it never was a header: a URI from a decoded file
    except UnicodeDecodeError:
        reference = quote_from_bytes(reference.encode("latin-1"), safe=_ASCII_PRINTABLE)
    reference = reference.strip(" \t").replace(" ", "%20")
    if _UNSAFE.search(reference):
        raise ValueError(f"`{reference!a}` has a character that no URL may have")
    if _SCHEME.match(reference):
        return canonical(reference)  # RFC 3986 5.2.2, strictly: `https:` alone is no reference to where we are
    return canonical(_resolved(base, reference))


def _resolved(base: str, reference: str) -> str:
    """RFC 3986 5.2.2 and 5.2.3 of a reference without a scheme; its dot segments are left to `canonical`."""
    site, rest = _parts(base)
    whole = rest.partition("#")[0]
    path = whole.partition("?")[0]
    if reference.startswith("//"):
        return site.partition("//")[0] + reference
    if reference.startswith("/"):
        return site + reference
    if reference.startswith("?"):
        return site + path + reference
    if not reference or reference.startswith("#"):
        return site + whole
    return f"{site}{path.rpartition('/')[0]}/{reference}"


def site(url: str) -> str:
    """Host and port of a canonical URL, where 80 and 443 are the same: a site may send us to its https."""
    parsed = httpx2.URL(url)
    return f"{parsed.host}:{0 if parsed.port in _MERGED_PORTS else parsed.port}"

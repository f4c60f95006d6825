"""Sitemaps: which URLs one names, within bounds (sitemaps.org: 50,000 entries and 50 MiB each)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.retrieval.body import Body, CodingError, CutBodyError

ENTRIES = 50_000
OCTETS = 50 * 2**20
PER_SITE = 32
"""At most this many sitemaps per robots.txt are fetched."""

_GZIP = b"\x1f\x8b"
_LINE = re.compile(rb"https?://[^\s<>]+\Z", re.IGNORECASE)


def entries(octets: bytes) -> tuple[bool, list[str]]:
    """Whether it is an index of sitemaps, and the URLs it names; none if it is not a sitemap. Never raises."""
    octets = _unpacked(octets)
    if octets.lstrip()[:1] != b"<":
        return False, _lines(octets)
    from lxml import etree  # type: ignore[import-untyped]  # it has no types
    from scrapy.utils.sitemap import Sitemap

    urls: list[str] = []
    is_index = False
    try:
        sitemap = Sitemap(octets)
        is_index = sitemap.type == "sitemapindex"
        if sitemap.type not in ("sitemapindex", "urlset"):
            return False, []
        for entry in sitemap:
            if entry["loc"]:
                urls.append(str(entry["loc"]))
            if len(urls) >= ENTRIES:
                break
    except (etree.LxmlError, StopIteration, ValueError):
        pass  # the URLs before the fault count
    return is_index, urls


def _unpacked(octets: bytes) -> bytes:
    if not octets.startswith(_GZIP):
        return octets[:OCTETS]
    body = Body(["gzip"], OCTETS)
    try:
        body.feed(octets)
        return body.finish()[0]
    except (CodingError, CutBodyError):
        return b""


def _lines(octets: bytes) -> list[str]:
    return [line.decode("utf-8", "replace") for line in _wanted(octets)][:ENTRIES]


def _wanted(octets: bytes) -> Iterator[bytes]:
    for line in octets.split(b"\n"):
        if _LINE.match(line.strip()):
            yield line.strip()

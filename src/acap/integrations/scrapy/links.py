"""What a page says of following its links, looked up by the URLs of the requests that a spider makes of them.

A URL is the page's link if Scrapy's duplicate filter would take both for one. Where several links lead there, one that
may be followed is enough. Everything else that a callback asks for is judged by what the page says as a whole.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from urllib.parse import quote, unquote, urlsplit

from scrapy import Request
from scrapy.http import Response, TextResponse
from w3lib.url import canonicalize_url

from acap._native import resolve
from acap.crawlers import Crawler
from acap.decision import Decision
from acap.integrations.scrapy.pages import is_page, page_of, robots_of
from acap.retrieval.locations import ROBOTS_PATH

_ROOT_OCTETS = 2048  # where the root element of a sitemap is looked for
_GZIP = b"\x1f\x8b"
_ESCAPES = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")


class Following:
    """Decisions on following what one response leads to."""

    def __init__(self, response: Response, crawler: Crawler, at: datetime) -> None:
        self._page = page_of(response)
        self._robots = robots_of(response)
        self._crawler = crawler
        self._at = at
        self._is_list = is_list(response)
        request = response.request
        asked = () if request is None else (request.url, *request.meta.get("redirect_urls", ()))
        self._own = frozenset(same_url(url) for url in (response.url, *asked))
        self._encoding = response.encoding if isinstance(response, TextResponse) else "utf-8"

    def decide(self, request: Request) -> Decision | None:
        """The decision on a request that was made of the response; None where nothing is followed.

        That is: the page itself once more, an entry of a sitemap, and what came by no network.
        """
        if self._page is None or self._is_list:
            return None
        url = same_url(request.url)
        if url in self._own:
            return None
        decision = self._links.get(url)
        return self._whole if decision is None else decision

    @cached_property
    def _whole(self) -> Decision:
        assert self._page is not None
        return self._page.decide("follow", crawler=self._crawler, robots=self._robots, at=self._at)

    @cached_property
    def _links(self) -> dict[str, Decision]:
        assert self._page is not None
        decisions: dict[str, Decision] = {}
        for link in self._page.links(crawler=self._crawler, robots=self._robots, at=self._at):
            for spelling in {link.url, _encoded(link.url, self._encoding)}:
                url = same_url(spelling)
                known = decisions.get(url)
                if known is None or (link.decision.permitted and not known.permitted):
                    decisions[url] = link.decision
        return decisions


def same_url(url: str) -> str:
    """The URL as duplicates are known by: without fragment and default port, its query sorted, escaped in one way."""
    with suppress(UnicodeError):  # a surrogate
        url = resolve("", url) or url  # what is no URL to a browser is none of the links
    return canonicalize_url(url)


def is_list(response: Response) -> bool:
    """Whether it is a list of URLs that a publisher made for crawlers: a sitemap, or a robots.txt that names some."""
    if urlsplit(response.url).path == ROBOTS_PATH:
        return True
    if is_page(response):
        return False
    start = _start(response.body)
    return b"<urlset" in start or b"<sitemapindex" in start


def _start(body: bytes) -> bytes:
    if not body.startswith(_GZIP):
        return body[:_ROOT_OCTETS]
    try:
        return gzip.GzipFile(fileobj=io.BytesIO(body)).read(_ROOT_OCTETS)
    except (OSError, EOFError, zlib.error):
        return b""


def _encoded(url: str, encoding: str) -> str:
    """The URL with its query in the encoding of the page, as Scrapy and browsers write it; links have it in UTF-8."""
    before, mark, query = url.partition("?")

    def again(escaped: re.Match[str]) -> str:
        return quote(unquote(escaped[0], errors="strict"), encoding=encoding)

    try:
        return before + mark + _ESCAPES.sub(again, query)
    except (UnicodeError, LookupError):
        return url

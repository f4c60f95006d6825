"""By which names the columns of tables go: of pages, of policies, of surveys. Every reader of tables takes these."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "url": ("url", "target_uri", "warc_target_uri", "uri"),
        "at": ("fetch_time", "warc_date", "crawl_time", "timestamp", "at", "date"),
        "status": ("status", "fetch_status", "http_status", "status_code", "response_status"),
        "headers": ("headers", "http_headers", "response_headers", "header", "http_header", "response_header"),
        "x-robots-tag": ("x_robots_tag",),
        "content-usage": ("content_usage",),
        "content-signal": ("content_signal",),
        "tdm-reservation": ("tdm_reservation",),
        "tdm-policy": ("tdm_policy",),
        "content": ("content", "html", "body", "octets"),
        "robots": ("robots", "robots_txt", "robots.txt", "content", "body", "octets"),
        "site": ("site", "host", "domain"),
        "state": ("state",),
        "cut": ("cut",),
        "surtkey": ("url_surtkey", "surtkey", "urlkey"),
        "crawl": ("crawl",),
    }
)
"""The names of each column, as `folded` has them; Common Crawl's are among them.

`site`, `robots`, `state` and `cut` are of policies. Where a row of an audit has several, `value_of` of
`acap.audits.columns` says what counts; a `PolicyTable` and a survey refuse two for one thing.
"""


HEADER_COLUMNS = ("x-robots-tag", "content-usage", "content-signal", "tdm-reservation", "tdm-policy")
"""Headers to crawlers that tables have columns of their own for. `link` is none of them, as it may be anything."""


def folded(name: str) -> str:
    """A name as names are compared: in lower case, `-` is `_`; without what stands around it, or unseen in it.

    Behind a comma of CSV those are blanks and quotation marks, at the beginning of a file marks of UTF-8.
    """
    bare = _UNSEEN.sub("", name).strip().strip(_QUOTES).strip()
    return bare.lower().replace("-", "_").replace(" ", "_")


_UNSEEN = re.compile("[\\x00\\xad\\u200b-\\u200f\\u2060\\ufeff]|\\xef\\xbb\\xbf")
_QUOTES = "\"'`\u2018\u2019\u201c\u201d"

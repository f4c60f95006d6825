"""Files at a known place of a site, as tdmrep.json and ai.txt are: of what they speak, and what is none."""

from __future__ import annotations

import re

from acap import _native

TDMREP_PATH = "/.well-known/tdmrep.json"  # TDMRep 6.1
AI_TXT_PATH = "/ai.txt"
ABSENT = (404, 410)
"""Statuses by which a site says that it has no such file."""
PASSING = (408, 421, 425, 429)
"""Statuses of 4xx that say nothing of the file: another request may have another answer."""

UNWHOLE = (202, 206)
"""Statuses of 2xx whose body is not the document: it may come later, or is a part (RFC 9110 15.3.3, 15.3.7)."""

# Each repetition is possessive: what was taken for a comment is never taken for anything else.
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<!--(?:-?>|.*?--!?>))*+<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE | re.DOTALL
)


def octets_of(given: bytes | str | None, what: str) -> bytes | None:
    """The octets of a document, or of its text in UTF-8: half a character, which has none there, makes it damaged.

    Raises:
        TypeError: it is neither bytes, nor str, nor None.
    """
    if isinstance(given, str):
        return given.encode("utf-8", "surrogatepass")
    if given is not None and not isinstance(given, bytes):
        raise TypeError(f"{what} must be bytes, str or None")
    return given


def is_page(octets: bytes) -> bool:
    """Whether an HTML page stands in the place of a file: servers answer so for whatever they do not have."""
    return _PAGE.match(octets) is not None


def brings_document(status: int) -> bool:
    """Whether the body of an answer is the whole document that was asked for."""
    return 200 <= status < 300 and status not in UNWHOLE


def site(url: str) -> tuple[str, str] | None:
    """The scheme of a URL, and its host with the port; None of a path."""
    origin = _native.origin(url)
    if origin is None:
        return None
    scheme, _, authority = origin.partition("://")
    return scheme, authority


def is_plain(url: str | None) -> bool:
    """Whether what a URL leads to may be changed on its way: plain http, but to one's own machine.

    The machine itself is an address of loopback, or `localhost` (W3C Secure Contexts 3.1). What begins as such a URL
    and is none is plain too.
    """
    return url is not None and _native.is_plain(url)

"""Response headers as callers hold them: mappings, pairs, clients' own objects; none of several lines is lost."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from acap.pages.media_types import HTML, XHTML, content_type, extract

Headers: TypeAlias = Mapping[str, Any] | Iterable[tuple[str | bytes, Any]]
"""A mapping of names to a value or a sequence of values, or pairs of name and value; texts or octets (Latin-1)."""


def pairs(headers: Headers) -> tuple[tuple[str, str], ...]:
    """Names in lower case with each value, in order.

    Raises:
        TypeError: neither a mapping nor pairs.
    """
    out: list[tuple[str, str]] = []
    for name, value in _items(headers):
        if type(name) is str and type(value) is str:  # as nearly all are
            out.append((name.strip().lower(), value))
            continue
        values = value if isinstance(value, (list, tuple)) else (value,)
        out.extend((_text(name).strip().lower(), _text(one)) for one in values)
    return tuple(out)


# Each up to a line end without a fold after it. If no line ends in LF, CR ends them; else it is a blank (RFC 9112 2.2).
_FIELD = re.compile(rb"(?:[^\r\n]|\r(?!\n)|\r?\n(?=[ \t]))+")
_FIELD_OF_CR = re.compile(rb"(?:[^\r]|\r(?=[ \t]))+")
_LINE_END = str.maketrans("\r\n", "  ")


class HeaderField(NamedTuple):
    """A field of headers that are written down: where it begins, its name, where its value begins, and its value."""

    start: int
    name: str
    value_start: int
    value: str


def fields(text: bytes) -> Iterator[HeaderField]:
    """The fields of headers as they were received, status line aside; folded lines are one field (RFC 9112 5.2)."""
    for match in (_FIELD if b"\n" in text else _FIELD_OF_CR).finditer(text):
        name, colon, value = match[0].decode("latin-1").translate(_LINE_END).partition(":")
        if colon:
            bare = value.lstrip(" \t")
            yield HeaderField(match.start(), name.strip(" \t"), match.end() - len(bare), bare.rstrip(" \t"))


PAGES = (HTML, XHTML)
"""The types of pages."""


def media_type(headers: Iterable[tuple[str, str]]) -> str:
    """The type of a response without parameters, in lower case; empty if it names none (Fetch standard)."""
    return extract(content_type(headers)).essence


def stated_length(headers: Iterable[tuple[str, str]]) -> int | None:
    """The number of octets of a body by its headers, names in lower case; None where they do not tell.

    `Content-Length` counts octets in their content coding, so it tells nothing where one is named. A `Content-Range`
    names the length of the whole. The greatest of several counts; one that is not a number may be any, and so may the
    length of a body in a transfer coding other than `chunked`.

    # DEVIATION: RFC 9112 6.3 voids it beside `chunked`, whose last chunk shows that all came. Clients decode the chunks
    # but leave the header, so it is unknown here whether all came; a sender may not send both (RFC 9112 6.2).
    """
    lengths: list[str] = []
    is_coded = False
    for name, value in headers:
        if name == "transfer-encoding" and any(one != "chunked" for one in codings(value)):
            return sys.maxsize
        is_coded = is_coded or (name == "content-encoding" and bool(codings(value)))
        if name == "content-length":
            lengths += [part.strip() for part in value.split(",")]
        elif name == "content-range":
            lengths.append(value.rpartition("/")[2].strip())
    if not lengths or is_coded:
        return None
    return max([int(one) if _NUMBER.fullmatch(one) else sys.maxsize for one in lengths])


_NUMBER = re.compile("[0-9]{1,18}")
_WHOLE = re.compile(r"bytes 0-([0-9]{1,18})/([0-9]{1,18})", re.IGNORECASE)


def named_part(headers: Iterable[tuple[str, str]]) -> str:
    """The `Content-Range` that does not name all octets of the whole, names in lower case; empty if there is none.

    `bytes 0-(n-1)/n` does (RFC 9110 14.4). Any other may be of a part, whatever the status.
    """
    for name, value in headers:
        if name == "content-range":
            match = _WHOLE.fullmatch(value.strip())
            if match is None or int(match[1]) + 1 != int(match[2]):
                return value.strip()[:_SHOWN] or "Content-Range"
    return ""


def why_not_all(size: int, headers: Iterable[tuple[str, str]], length: int = 0) -> str:
    """Why so many octets are not all of a body, in words: by its headers, names in lower case, or its known length.

    Empty if nothing says so.
    """
    given = [pair for pair in headers if pair[0] in _OF_LENGTH]
    if part := named_part(given):
        return f"a part of it came (`{part}`)"
    length = max(length, stated_length(given) or 0)
    if size >= length:
        return ""
    return f"only {size} of its {'untold' if length == sys.maxsize else length} octets are there"


_OF_LENGTH = frozenset({"content-encoding", "content-length", "content-range", "transfer-encoding"})
"""The names of headers that tell the length of a body, or of what in it."""

_SHOWN = 60  # characters of a value


def codings(value: str) -> list[str]:
    """The codings that a value of `Content-Encoding`, or of `Transfer-Encoding`, names, but for `identity`."""
    names = (part.strip().lower() for part in value.split(","))
    return [name for name in names if name not in ("", "identity")]


def _items(headers: Any) -> Iterable[tuple[Any, Any]]:
    if type(headers) is tuple and all(type(pair) is tuple and len(pair) == 2 for pair in headers):
        return headers
    # `multi_items` is httpx's and `raw_items`, `getlist` others': `items` of several clients joins or drops lines.
    if multi := getattr(headers, "multi_items", None):
        return list(multi())
    if isinstance(headers, Mapping):
        return list(headers.items())
    if items := getattr(headers, "items", None):
        return list(items())
    pairs = list(headers)
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
        raise TypeError("headers must be a mapping or pairs of name and value")
    return pairs


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)

"""The headers of a response in a table: pairs, structs, a mapping, JSON of these, or the lines of the response itself.

Where it cannot be told where a header ends, what a line of it says may have been another header, which prohibited: that
cannot be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from acap.audits.written import UnreadableValueError, brief, from_repr
from acap.json_members import Repeated, members
from acap.retrieval.answers import Headers

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2
_FOLDED_STATUS = re.compile(r"[\r\n]*HTTP/[^\r\n]*\r?\n[ \t]+[^ \t\r\n]")
_STATUS_LINE = re.compile(r"HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?:[ \t][^:\\\x00-\x08\x0a-\x1f\x7f]*)?", re.ASCII)
# RFC 9110 5.5: no value has these.
_NO_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# Ends of lines to some readers and none to HTTP, with what would be a header behind.
_SPLIT_BY_SOME = re.compile(r"[\x85\u2028\u2029][ \t]*[!#$%&'*+.^_`|~0-9A-Za-z-]*[ \t]*:")
_NAMES_OF_PAIRS = (("name", "value"), ("key", "value"), ("k", "v"))


def headers_of(value: Any) -> Headers:
    """Headers: of pairs, structs, a mapping, JSON of these, or lines `Name: value`; none of null and an empty text.

    Raises:
        UnreadableValueError: it is none of these, or a part of it is not.
    """
    if value is None:
        return ()
    try:
        found = tuple(_headers(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableValueError(f"headers cannot be read: {brief(value)}") from error
    if not all(map(_is_header, found)):
        raise UnreadableValueError(f"headers cannot be read: {brief(value)}")
    return found


def status_line_of(value: Any) -> int | None:
    """The status of the line that leads headers; None if none does. The headers are such as `headers_of` reads."""
    value = from_repr(value)
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    led = _STATUS_LINE.match(value.lstrip("\r\n")) if isinstance(value, str) else None
    return None if led is None else int(led[1])


def _is_header(one: tuple[str, str]) -> bool:
    name, said = one
    if _TOKEN.fullmatch(name) is None:
        return False
    return _NO_VALUE.search(said) is None and _SPLIT_BY_SOME.search(said) is None


def _headers(value: Any) -> Iterator[tuple[str, str]]:
    value = from_repr(value)
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        if value.lstrip().startswith(("{", "[")):
            value = json.loads(value, object_pairs_hook=members)
        else:
            yield from _header_lines(value)
            return
    if isinstance(value, Mapping):
        value = list(value.items())
    if not isinstance(value, (list, tuple)):
        raise ValueError("it is not a list")
    for one in value:
        name, said = _pair(one)
        for text in said if isinstance(said, (list, tuple)) else (said,):
            yield _text(name), _text(text)


def _pair(one: Any) -> tuple[Any, Any]:
    """Name and value of one header."""
    if isinstance(one, (str, bytes)):
        (found,) = _header_lines(_text(one))
        return found
    if isinstance(one, (Mapping, Repeated)):
        pairs = list(one.items() if isinstance(one, Mapping) else one)
        known = {str(name).lower(): said for name, said in pairs}
        if len(known) < len(pairs):
            raise ValueError("a member is there twice")
        for name, said in _NAMES_OF_PAIRS:
            if known.keys() == {name, said}:
                return known[name], known[said]
        (found,) = pairs
        return found
    name, said = one
    return name, said


def _header_lines(text: str) -> Iterator[tuple[str, str]]:
    """Lines of headers, with those that are folded as one (RFC 9112 5.2); a status line may lead them.

    Raises ValueError for a line without a name, and for one that would be a part of the status line (RFC 9112 2.2).
    """
    if _FOLDED_STATUS.match(text):
        raise ValueError("a blank leads the first header")
    if "\\n" in text or "\\r" in text:
        raise ValueError("line ends are written as two characters")
    unfolded = re.sub(r"\r?\n[ \t]+", " ", text.strip("\r\n"))
    for number, line in enumerate(re.split(r"\r?\n", unfolded)):
        if not line.strip():
            continue
        if number == 0 and line.startswith("HTTP/"):
            if _STATUS_LINE.fullmatch(line) is None:
                raise ValueError("what leads them is no line of a status alone")
            continue
        name, colon, said = line.partition(":")
        if not colon:
            raise ValueError("a line has no name")
        yield _text(name.strip()), _text(said.strip(" \t\r"))


def _text(value: Any) -> str:
    value = from_repr(value)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ValueError("it is not a text")
    return str(value)

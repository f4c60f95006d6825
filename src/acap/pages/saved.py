"""A saved response: a head as it was received, and the body behind its blank line, in one file (`curl -i`).

The laws of this module:

1. Octets that begin with `HTTP/` and a digit are a response. Interim responses, and redirects that were followed, are
   passed over: what counts is the last one.
2. What a client of HTTP would refuse is a doubt: a head that breaks off or has a line that is no field, an answer that
   is no success, a body in chunks (RFC 9112 2.2, 5, 7.1). So are several answers, of which nobody knows which counts.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from acap.pages.headers import fields

HEADERS = ".headers"
"""What names of files with headers end with; the status line may be left out in one, and so may the blank line."""

_BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?=HTTP/[0-9])", re.IGNORECASE)
_STATUS = re.compile(rb"HTTP/[0-9]+(?:\.[0-9]+)?[ \t]+([0-9]{3})(?:[ \t][^\r\n\v\f\0]*)?", re.IGNORECASE)
_END = re.compile(rb"\r?\n\r?\n")
_END_OF_CR = re.compile(rb"\r\r")
_FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\0]*")
_FOLDED = re.compile(rb"[ \t][^\r\0]*")
_CHUNK = re.compile(rb"[0-9A-Fa-f]{1,16}[ \t]*(?:;[^\r\n]*)?\r?\n")
_ANSWERS = 32  # that one file is looked through for


class Saved(NamedTuple):
    """What a file holds of a response: headers, body (None: headers alone), and why it is in doubt, if it is."""

    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    doubt: str = ""


def saved(octets: bytes, name: str = "") -> Saved | None:
    """What a file holds of a response, by its octets or its name; None if it is none."""
    is_named = name.lower().endswith(HEADERS)
    begun = _BEGINS.match(octets)
    if begun is None:
        return Saved(_pairs(octets), None, _strange(octets, is_named=True)) if is_named else None
    at = begun.end()
    for _ in range(_ANSWERS):
        end = (_END if b"\n" in octets[at:] else _END_OF_CR).search(octets, at)
        head, body = (octets[at:], b"") if end is None else (octets[at : end.start()], octets[end.end() :])
        line, headers = _lines(head)[0], _pairs(head)
        status = _STATUS.fullmatch(line)
        following = _BEGINS.match(body)
        if status is None:
            return Saved(headers, body, "it begins as a response, and has no status line")
        code = int(status[1])
        if following is not None and (100 <= code < 200 or 300 <= code < 400) and end is not None:
            at = end.end() + following.end()
            continue
        if end is None and not is_named:
            doubt = "the response ends within its headers"
        elif not 200 <= code < 300:
            doubt = f"the answer was {code}"
        elif following is not None:
            doubt = "several answers are in it, and nobody knows which counts"
        elif any(one == "transfer-encoding" for one, _ in headers) and _CHUNK.match(body):
            doubt = "its octets are still in chunks"
        else:
            doubt = _strange(head, is_named=is_named)
        return Saved(headers, None if is_named and not body else body, doubt)
    return Saved((), b"", f"more than {_ANSWERS} answers are in it")


def _pairs(head: bytes) -> tuple[tuple[str, str], ...]:
    return tuple((field.name.lower(), field.value) for field in fields(head))


def _lines(head: bytes) -> list[bytes]:
    return re.split(rb"\r?\n" if b"\n" in head else rb"\r", head)


def _strange(head: bytes, *, is_named: bool) -> str:
    """Why lines of a head are a doubt; comments and blank lines in a file of headers are none."""
    lines = _lines(head)
    for number, line in enumerate(lines):
        if _STATUS.fullmatch(line) and not number:
            continue
        if is_named and (not line.strip() or line.lstrip().startswith(b"#")):
            continue
        if not _FIELD.fullmatch(line) and not (number and _FOLDED.fullmatch(line)):
            return "a line among its headers is no header"
    return ""

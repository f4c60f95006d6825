"""A saved response: a head as it was received, and the body behind its blank line, in one file (`curl -i`).

The laws of this module:

1. Octets that begin with `HTTP/` and a digit, after blanks and byte order marks, are a response. Interim responses, and
   redirects that were followed, are skipped: the last response counts.
2. A response that an HTTP client would refuse is a doubt: its head breaks off or has a line that is no field, its
   status is no success or that of a part, its body is in chunks (RFC 9112 2.2, 5, 7.1). Several final responses are a
   doubt too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from acap.pages.headers import fields, named_part

HEADERS = ".headers"
"""Ending of the names of files with headers, in which the status line may be missing, and the blank line with it."""

# A byte order mark may be cut, and one may stand before another.
_BEGINS = re.compile(rb"\s*\xef?\xbb?\xbf?(?:\xef\xbb\xbf)*\s*(?=HTTP/[0-9])", re.IGNORECASE)
_STATUS = re.compile(rb"HTTP/[0-9]+(?:\.[0-9]+)?[ \t]+([0-9]{3})(?:[ \t][^\r\n\v\f\0]*)?", re.IGNORECASE)
_END = re.compile(rb"\r?\n\r?\n")
_END_OF_CR = re.compile(rb"\r\r")
_FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\0]*")
_FOLDED = re.compile(rb"[ \t][^\r\0]*")
_CHUNK = re.compile(rb"[0-9A-Fa-f]{1,16}[ \t]*(?:;[^\r\n]*)?\r?\n")
_ANSWERS = 32  # most responses searched for in one file


class Saved(NamedTuple):
    """A response in a file: headers, body (None: headers only), status (0: without a status line).

    `broken` is why an HTTP client could not read it, in a few words.
    """

    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    broken: str = ""
    status: int = 0

    @property
    def is_success(self) -> bool:
        """Whether what was asked for was sent, and the whole of it, whatever other headers say: not of 202 and 206."""
        return 200 <= self.status < 300 and self.status not in (202, 206)  # RFC 9110 15.3.3, 15.3.7


def saved(octets: bytes, name: str = "") -> Saved | None:
    """The response in a file, recognised by its octets or its name; None if it is no saved response."""
    is_named = name.lower().endswith(HEADERS)
    begun = _BEGINS.match(octets)
    if begun is None:
        if not is_named:
            return None
        headers = _pairs(octets)
        return Saved(headers, None, _strange(octets, is_named=True) or _part(headers))
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
        if end is None:
            doubt = "the response ends within its headers"
        elif following is not None:
            doubt = "several answers are in it, and it is unknown which counts"
        elif any(one == "transfer-encoding" for one, _ in headers) and _CHUNK.match(body):
            doubt = "its octets are still in chunks"
        else:
            doubt = _strange(head, is_named=is_named) or _part(headers)
        return Saved(headers, None if is_named and not body else body, doubt, code)
    return Saved((), b"", f"more than {_ANSWERS} answers are in it")


def _pairs(head: bytes) -> tuple[tuple[str, str], ...]:
    return tuple((field.name.lower(), field.value) for field in fields(head))


def _lines(head: bytes) -> list[bytes]:
    return re.split(rb"\r?\n" if b"\n" in head else rb"\r", head)


def _strange(head: bytes, *, is_named: bool) -> str:
    """Why lines of a head are a doubt; comments and blank lines in a file of headers are none."""
    lines = _lines(head)
    if is_named and head and not _STATUS.fullmatch(lines[0]) and not _ends_a_line(head):
        return "the last line among its headers has no end"
    for number, line in enumerate(lines):
        if _STATUS.fullmatch(line) and not number:
            continue
        if is_named and (not line.strip() or line.lstrip().startswith(b"#")):
            continue
        if not _FIELD.fullmatch(line) and not (number and _FOLDED.fullmatch(line)):
            return "a line among its headers is not a header"
    return ""


def _part(headers: tuple[tuple[str, str], ...]) -> str:
    part = named_part(headers)
    return f"a part of it came (`{part}`)" if part else ""


def _ends_a_line(head: bytes) -> bool:
    if b"\n" in head:
        return head.endswith(b"\n")
    return head.endswith(b"\r") and b"\r" in head[:-1]  # one CR alone may be the first half of a line's end

"""Octets to numbered lines.

UTF-8 with or without a byte order mark, of which a part is skipped too; UTF-16 with a mark is decoded. Octets that
are no UTF-8 stay as they are. A line ends in CR, LF or CRLF.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .limits import GOOGLE_LINE_OCTETS, Limits

UTF_8_MARK = b"\xef\xbb\xbf"
UTF_16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
LINE_END = re.compile(b"\r\n|\r|\n")


@dataclass(frozen=True)
class Line:
    """A line without its end: its number from 1, what is read of it, and whether a limit cut it."""

    number: int
    octets: bytes
    cut: bool = False

    @property
    def text(self) -> str:
        """The line as text; octets that are no UTF-8 become lone surrogates."""
        return self.octets.decode("utf-8", "surrogateescape")

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space; a comment is something."""
        return not self.octets.strip(b" \t\v\f")


def read_lines(octets: bytes, limits: Limits) -> list[Line]:
    """The lines of a file within the limits of its octets; a last line that the file limit cut is dropped."""
    encoding = UTF_16_MARKS.get(octets[:2])
    kept = octets[: limits.file_octets // 2 * 2 if encoding else limits.file_octets]
    beyond = octets[len(kept) :]
    if encoding:
        text = kept[2:].decode(encoding, "replace").encode()
        beyond = beyond.decode(encoding, "replace").encode()
    else:
        text = without_mark(kept)
    lines = LINE_END.split(text)
    if beyond and lines[-1] and beyond[:1] not in {b"\r", b"\n"}:
        lines.pop()
    return [
        Line(number, line[: limits.line_octets], cut=len(line) > limits.line_octets)
        for number, line in enumerate(lines, start=1)
    ]


def read_google_lines(octets: bytes) -> list[Line]:
    """The lines as Google's matcher buffers them: no limit of the file, a zero octet ends a line's text."""
    return [
        Line(number, line[:GOOGLE_LINE_OCTETS].partition(b"\0")[0])
        for number, line in enumerate(LINE_END.split(without_mark(octets)), start=1)
    ]


def without_mark(octets: bytes) -> bytes:
    """The octets after as much of a UTF-8 byte order mark as they begin with."""
    for length in (3, 2, 1):
        if octets.startswith(UTF_8_MARK[:length]):
            return octets[length:]
    return octets

"""Octets to numbered lines.

UTF-8 with or without a byte order mark, of which a part is skipped too; UTF-16 with a mark is decoded, unless the mark
is false. Octets that are no UTF-8 stay as they are. A line ends in CR, LF or CRLF.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .limits import GOOGLE_LINE_OCTETS, Limits
from .text import BLANKS, CONTROLS, ascii_lower, without_controls

UTF_8_MARK = b"\xef\xbb\xbf"
UTF_16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
LINE_END = re.compile(b"\r\n|\r|\n")


@dataclass(frozen=True)
class Line:
    """A line without its end: its number from 1, what is read of it, and whether a limit cut more than comment of it.

    `plain`: control characters are characters like others, and only blank and tab are blanks between words.
    """

    number: int
    octets: bytes
    cut: bool = False
    plain: bool = False

    @property
    def text(self) -> str:
        """The line as text; octets that are no UTF-8 become lone surrogates."""
        return self.octets.decode("utf-8", "surrogateescape")

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space; a comment is something."""
        return not self.octets.decode("latin-1").strip(BLANKS + CONTROLS)


def read_lines(octets: bytes, limits: Limits, has_field: Callable[[list[Line]], bool]) -> list[Line]:
    """The lines of a file within the limits of its octets; a last line that the file limit cut is dropped.

    `has_field` tells whether a field that we know stands on one of some lines.
    """
    kept = octets[: limits.file_octets]
    beyond = octets[len(kept) :]
    encoding = UTF_16_MARKS.get(octets[:2])
    if encoding:
        even = kept[2 : len(kept) // 2 * 2]
        decoded = even.decode(encoding, "replace").encode()
        is_false = has_field(unlimited(kept[2:])) and not has_field(unlimited(decoded))
        lines = LINE_END.split(kept[2:] if is_false else decoded)
        if beyond:
            lines[-1] = b""
    else:
        lines = LINE_END.split(without_mark(kept))
        if beyond and beyond[:1] not in {b"\r", b"\n"}:
            lines[-1] = b""
    return [
        Line(number, line[: limits.line_octets], cut=len(line) > limits.line_octets and is_more_cut(line, limits))
        for number, line in enumerate(lines, start=1)
    ]


def unlimited(octets: bytes) -> list[Line]:
    """The lines of octets, each as it is."""
    return [Line(number, line) for number, line in enumerate(LINE_END.split(octets), start=1)]


def is_more_cut(line: bytes, limits: Limits) -> bool:
    """Whether what is cut of an overlong line may be more than comment. A version stands in a comment of its own."""
    text = line[: limits.line_octets].decode("utf-8", "surrogateescape")
    if "#" not in text:
        return True
    begun = ascii_lower(without_controls(text).strip(BLANKS))
    if begun == "#":
        return True
    rest = begun.removeprefix("##").strip(BLANKS)
    return begun.startswith("##") and "#" not in rest and (rest.startswith("acap") or "acap".startswith(rest))


def read_google_lines(octets: bytes) -> list[Line]:
    """The lines as Google's matcher buffers them: no limit of the file, a zero octet ends a line's text."""
    return [
        Line(number, line[:GOOGLE_LINE_OCTETS].partition(b"\0")[0], plain=True)
        for number, line in enumerate(LINE_END.split(without_mark(octets)), start=1)
    ]


def without_mark(octets: bytes) -> bytes:
    """The octets after as much of a UTF-8 byte order mark as they begin with."""
    for length in (3, 2, 1):
        if octets.startswith(UTF_8_MARK[:length]):
            return octets[length:]
    return octets

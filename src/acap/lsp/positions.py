"""Positions in a text as editors count them, and as readers do.

An editor counts lines, and in a line the units of an encoding that it agreed on; readers count octets of UTF-8.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right

from lsprotocol.types import Position, PositionEncodingKind, Range

_LINE_END = re.compile(r"\r\n?|\n")
_UNITS = {PositionEncodingKind.Utf8: 1, PositionEncodingKind.Utf16: 2, PositionEncodingKind.Utf32: 4}
_CODECS = {
    PositionEncodingKind.Utf8: "utf-8",
    PositionEncodingKind.Utf16: "utf-16-le",
    PositionEncodingKind.Utf32: "utf-32-le",
}


class Positions:
    """The places of one text; `octets` is it as readers take it, with a mark at its begin if `marked`."""

    def __init__(self, text: str, encoding: PositionEncodingKind | str, *, marked: bool = False) -> None:
        self.text = text
        self._encoding = PositionEncodingKind(encoding)
        self._mark = codecs.BOM_UTF8 if marked else b""
        self.octets = self._mark + text.encode("utf-8", "replace")
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
        # The octet at which each line begins.
        self._octets: list[int] = []
        at = len(self._mark)
        for start, end in zip(self._starts, [*self._starts[1:], len(text)], strict=True):
            self._octets.append(at)
            at += len(text[start:end].encode("utf-8", "replace"))

    def line(self, number: int) -> str:
        """A line, from 0, without its end; empty if there is none."""
        if number >= len(self._starts):
            return ""
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[number] : end].rstrip("\r\n")

    def position(self, octet: int) -> Position:
        """Where an octet is."""
        number = max(bisect_right(self._octets, octet) - 1, 0)
        before = self.octets[self._octets[number] : max(octet, self._octets[number])].decode("utf-8", "ignore")
        return Position(number, self._width(before))

    def range(self, start: int, end: int) -> Range:
        """From an octet up to another."""
        return Range(self.position(start), self.position(end))

    def of_line(self, number: int) -> Range:
        """A line, from 0, without its end."""
        return Range(Position(number, 0), Position(number, self._width(self.line(number))))

    def whole(self) -> Range:
        """All of it."""
        return self.range(len(self._mark), len(self.octets))

    def octet(self, position: Position) -> int:
        """The octet at a position; the end of the line if that is shorter, of the text if there is no such line."""
        if position.line >= len(self._starts):
            return len(self.octets)
        return self._octets[position.line] + len(self.before(position).encode("utf-8", "replace"))

    def before(self, position: Position) -> str:
        """What stands in the line before a position."""
        width = position.character * _UNITS[self._encoding]
        octets = self.line(position.line).encode(_CODECS[self._encoding], "surrogatepass")
        return octets[:width].decode(_CODECS[self._encoding], "ignore")

    def _width(self, text: str) -> int:
        return len(text.encode(_CODECS[self._encoding], "replace")) // _UNITS[self._encoding]

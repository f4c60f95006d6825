"""Columns of a text: which character of its line an octet is, and the reverse.

A line may have megabytes and thousands of findings. So characters are counted once, by blocks of the line, and from a
block on it is never far.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from codecs import IncrementalDecoder, getincrementaldecoder
from typing import NamedTuple

BLOCK = 4096  # octets
_MARK = b"\xef\xbb\xbf"


class _Block(NamedTuple):
    """Where a block begins: how many characters of the line stand before, and how far the decoder has come."""

    before: int
    state: tuple[bytes, int]


class Columns:
    """Characters of a text in an encoding, by its name in Python; none is one of an octet a character.

    Lines are known by the octets at which they begin. A byte order mark is no character.
    """

    def __init__(self, text: bytes, codec: str | None) -> None:
        self._text = text
        self._decoder = None if codec is None else getincrementaldecoder(codec)("replace")
        self._lines: dict[int, list[_Block]] = {}

    def before(self, start: int, octet: int) -> int:
        """How many characters stand between the start of a line and an octet of it."""
        start = self._first(start)
        decoder = self._decoder
        if decoder is None or octet <= start:
            return max(octet - start, 0)
        number = (octet - start) // BLOCK
        block = self._blocks(decoder, start, number, None)[number]
        return block.before + self._count(decoder, block, start + number * BLOCK, octet)

    def octet(self, start: int, end: int, characters: int) -> int:
        """The octet behind the first `characters` characters of a line, or its end."""
        start = self._first(start)
        decoder = self._decoder
        if decoder is None or characters == 0:
            return min(start + characters, end)
        blocks = self._blocks(decoder, start, (end - start) // BLOCK, characters)
        number = bisect_left(blocks, characters, key=lambda block: block.before) - 1
        block, first = blocks[number], start + number * BLOCK
        lengths = range(min(BLOCK, end - first) + 1)

        def count(length: int) -> int:
            return self._count(decoder, block, first, first + length)

        return first + bisect_right(lengths, characters - block.before, key=count) - 1

    def _first(self, start: int) -> int:
        return len(_MARK) if start == 0 and self._text.startswith(_MARK) else start

    def _blocks(self, decoder: IncrementalDecoder, start: int, last: int, characters: int | None) -> list[_Block]:
        """The known blocks of a line, extended up to the `last` or to the first behind `characters` characters."""
        blocks = self._lines.get(start)
        if blocks is None:
            decoder.reset()
            blocks = self._lines[start] = [_Block(0, decoder.getstate())]
        while len(blocks) <= last and (characters is None or blocks[-1].before < characters):
            before, state = blocks[-1]
            at = start + (len(blocks) - 1) * BLOCK
            decoder.setstate(state)
            read = decoder.decode(self._text[at : at + BLOCK])
            blocks.append(_Block(before + len(read), decoder.getstate()))
        return blocks

    def _count(self, decoder: IncrementalDecoder, block: _Block, start: int, end: int) -> int:
        """Characters between the beginning of a block and an octet; one that is cut there is one."""
        decoder.setstate(block.state)
        return len(decoder.decode(self._text[start:end], final=True))

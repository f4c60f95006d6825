"""The lines around converted ones: comments, and lines that mean the same in any form."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from acap.robots import Line

INDEPENDENT = frozenset({"Sitemap", "License"})
"""Kinds of lines that belong to no group."""


class Surroundings:
    """The comments and the independent lines of a file.

    `before`: the lines at the top; `beside`: independent lines, with the comments before them and those at the end.
    The other comments belong to a line of one of the converted kinds: the one that they stand before or on.
    """

    def __init__(self, lines: Sequence[Line], converted: Iterable[str], kept: Iterable[str] = INDEPENDENT) -> None:
        kinds, independent = frozenset(converted), frozenset(kept)
        self.before: list[str] = []
        self.beside: list[str] = []
        self._of_line: dict[int, list[str]] = {}
        waiting: list[str] = []
        top = True
        for line in lines:
            text = line.octets.decode("utf-8", "surrogateescape").lstrip("\ufeff").strip()
            comment = line.comment.decode("utf-8", "surrogateescape").strip()
            if line.kind == "comment":
                waiting.append(comment)
            elif line.kind == "blank" and top and waiting:
                self.before += waiting
                waiting = []
            elif line.kind in kinds:
                top = False
                if comments := [*waiting, *([comment] if comment else [])]:
                    self._of_line[line.number] = comments
                waiting = []
            elif line.kind in independent:
                self.beside += [*waiting, text]
                waiting = []
        self.beside += waiting

    def commented(self, numbers: Iterable[int]) -> deque[int]:
        """The lines with comments that have not been taken yet, in order."""
        return deque(sorted(number for number in numbers if number in self._of_line))

    def take(self, numbers: Iterable[int]) -> Iterator[str]:
        """The comments of these lines, each once."""
        for number in numbers:
            yield from self._of_line.pop(number, ())


def joined(blocks: Iterable[Sequence[str]]) -> bytes:
    """Blocks of lines with a blank line between them."""
    written = ["\n".join(block) for block in blocks if block]
    return ("\n\n".join(written) + "\n").encode("utf-8", "surrogateescape") if written else b""

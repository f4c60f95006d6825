"""Patterns that contain another, found without comparing each with each.

    index = PatternIndex(["/a/", "/*.pdf"])
    list(index.containing("/a/b*"))          # ["/a/"]

Patterns are in their canonical form. One that contains another begins, up to its first `*`, as that does, and what it
has between stars stands in that too: only patterns of which both are true are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acap import _native


class PatternIndex:
    """Patterns by what their matches begin with, and by the longest piece that they need behind it."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._by_beginning: dict[str, dict[str, list[str]]] = {}
        for pattern in dict.fromkeys(patterns):
            beginning, *pieces = pattern.removesuffix("$").split("*")
            by_piece = self._by_beginning.setdefault(beginning, {})
            by_piece.setdefault(max(pieces, key=len, default=""), []).append(pattern)
        self._lengths = sorted({len(beginning) for beginning in self._by_beginning})

    def containing(self, pattern: str) -> Iterator[str]:
        """The patterns that match every path that another matches, and maybe it itself."""
        octets = _octets(pattern)
        # All paths begin with `/`, and a pattern that begins with a star leaves it out.
        whole = f"/{pattern}" if pattern.startswith("*") else pattern
        beginning = whole.removesuffix("$").partition("*")[0]
        for length in self._lengths:
            if length > len(beginning):
                break
            for piece, patterns in self._by_beginning.get(beginning[:length], {}).items():
                if piece in whole:
                    yield from (one for one in patterns if _native.contains(octets, _octets(one)))


def _octets(pattern: str) -> bytes:
    return pattern.encode("utf-8", "surrogateescape")

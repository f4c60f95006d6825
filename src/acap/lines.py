"""The lines of a robots.txt: nothing of the text is lost, and the kind of each is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import eq
from typing import NamedTuple, overload


class Line(NamedTuple):
    """A line as it stands: its number from 1, its octets with the line end, and the kind of its field."""

    number: int
    octets: bytes
    kind: str

    @property
    def body(self) -> bytes:
        """What stands before the comment."""
        return self.octets.partition(b"#")[0]

    @property
    def comment(self) -> bytes:
        """The comment with its `#`, without the line end; empty if there is none (RFC 9309 2.2)."""
        return self.octets[len(self.body) :].rstrip(b"\r\n")


class Lines(Sequence[Line]):
    """Every line of a text, nine octets of memory each: a `Line` is made of one when it is asked for.

    `starts` has the octet of the text at which each begins; the line of number n is at n - 1, there as here.
    """

    __slots__ = ("_kinds", "_names", "_text", "starts")

    def __init__(self, text: bytes, starts: Sequence[int], kinds: bytes, names: Sequence[str]) -> None:
        self.starts = starts
        self._text = text
        self._kinds = kinds
        self._names = names

    def __len__(self) -> int:
        return len(self._kinds)

    @overload
    def __getitem__(self, place: int) -> Line: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Line, ...]: ...
    def __getitem__(self, place: int | slice) -> Line | tuple[Line, ...]:
        each = range(len(self))[place]
        return self._line(each) if isinstance(each, int) else tuple(map(self._line, each))

    def __iter__(self) -> Iterator[Line]:
        return map(self._line, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lines) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # it is not hashable

    def __repr__(self) -> str:
        return f"<Lines: {len(self)}>"

    @property
    def kinds(self) -> Counter[str]:
        """How many lines there are of each kind."""
        return Counter({name: self._kinds.count(place) for place, name in enumerate(self._names)})

    def kind(self, number: int) -> str:
        """The kind of the line of a number from 1."""
        return self._names[self._kinds[number - 1]]

    def numbers(self, *kinds: str) -> Iterator[int]:
        """The numbers of the lines of these kinds, in order."""
        wanted = bytes(name in kinds for name in self._names)
        if any(wanted):
            marks = self._kinds.translate(wanted.ljust(256, b"\0"))
            at = marks.find(1)
            while at >= 0:
                yield at + 1
                at = marks.find(1, at + 1)

    def of(self, *kinds: str) -> Iterator[Line]:
        """The lines of these kinds, in order."""
        return (self._line(number - 1) for number in self.numbers(*kinds))

    def _line(self, place: int) -> Line:
        beyond = self.starts[place + 1] if place + 1 < len(self) else len(self._text)
        octets = self._text[self.starts[place] : beyond]
        return Line(place + 1, octets, self._names[self._kinds[place]])

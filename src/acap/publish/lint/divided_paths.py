"""Blanks within the paths of ACAP fields: `/my files/` is the path `/my` and a word that is no qualifier.

Behind a prohibition that word is another path, read from the root; behind a permission it makes it a prohibition. It is
one mistake, which is told at the first of such words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acap.outline import Field, Span
from acap.publish.loose_words import LONGEST


class DividedPath(NamedTuple):
    """A path and the words behind it that may be the rest of it: its words, and their places, of the path too."""

    words: tuple[str, ...]
    spans: tuple[Span, ...]

    @property
    def written(self) -> str:
        """The whole as it is written."""
        return " ".join(self.words)

    @property
    def fix(self) -> str:
        """What to write."""
        several = [one if one.startswith(("/", "*")) else f"/{one}" for one in self.words]
        return f"write `{'%20'.join(self.words)}` for one path, or `{' '.join(several)}` for {_number(len(several))}"

    @property
    def mistake(self) -> str:
        """What is wrong, in one clause."""
        return f"`{self.written}` has a blank, which divides it into {_number(len(self.words))} paths"


def _number(count: int) -> str:
    return "two" if count == 2 else str(count)


def divided_paths(field: Field, relative: Iterable[Span], known: Iterable[Span] = ()) -> Iterator[DividedPath]:
    """The paths of a field with words behind them that are `relative`; words that complete a value are `known`.

    Behind `/` alone a permission has a note for people, which makes it a prohibition: `/ except images`.
    """
    if len(field.value) > LONGEST:
        return
    rest, taken = {*relative}, {*known}
    permits = field.name.startswith("allow")
    words: list[str] = []
    spans: list[Span] = []
    for word in sorted(field.words, key=lambda one: one.span):
        if word.span in rest and word.span not in taken and words:
            words.append(word.text)
            spans.append(word.span)
            continue
        if len(words) > 1:
            yield DividedPath(tuple(words), tuple(spans))
        begins = word.text.startswith(("/", "*")) and (not permits or word.text.strip("/*"))
        words, spans = ([word.text], [word.span]) if begins else ([], [])
    if len(words) > 1:
        yield DividedPath(tuple(words), tuple(spans))

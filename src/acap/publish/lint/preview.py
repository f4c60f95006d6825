"""What a fix changes, in lines: those it takes away and those it puts in their place, at each of its places.

    shown = preview(document, finding.fix)
    for hunk in shown.hunks:
        print(hunk.line, hunk.before, hunk.after)

Every edit of a fix is in it, and what is cut is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from acap.explain import visible
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.mending import edited

LINES = 12
"""At most this many lines that a fix takes away are shown, and as many that it puts in their place."""
_LONG = 160
"""Characters of a line."""


class Hunk(NamedTuple):
    """Lines that follow each other: those that go, those that come, and the number of the first as the file stands."""

    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]


class FixPreview(NamedTuple):
    """The places that a fix changes, in order, and how many more lines it takes away or puts in their place."""

    hunks: tuple[Hunk, ...]
    more: int


def preview(document: Document, fix: Fix, encoding: str = "utf-8", *, most: int = LINES) -> FixPreview | None:
    """What a fix changes; None where its edits are none of the lines of the document, or touch each other.

    Args:
        document: the one in which it was found.
        fix: its edits.
        encoding: that of the text.
        most: lines that go, and lines that come, which are shown.
    """
    edits = sorted(fix.edits)
    if not edits or not document.editable or any(one.end > other.start for one, other in pairwise(edits)):
        return None
    hunks: list[Hunk] = []
    taken = put = more = 0
    for first, last, place in _places(document, edits):
        hunk = _hunk(document, first, last, place, encoding)
        before, after = hunk.before[: most - taken], hunk.after[: most - put]
        more += len(hunk.before) - len(before) + len(hunk.after) - len(after)
        taken, put = taken + len(before), put + len(after)
        if before or after:
            hunks.append(Hunk(hunk.line, tuple(map(_cut, before)), tuple(map(_cut, after))))
    return FixPreview(tuple(hunks), more)


def _places(document: Document, edits: Sequence[Edit]) -> Iterator[tuple[int, int, list[Edit]]]:
    """Edits of the same lines together, with the first and the last of these lines."""
    together: list[Edit] = []
    first = last = 0
    for edit in edits:
        begins = document.place(edit.start)[0]
        ends = document.place(max(edit.end - 1, edit.start))[0]
        if together and begins > last:
            yield first, last, together
            together = []
        first, last = (first, max(last, ends)) if together else (begins, ends)
        together.append(edit)
    yield first, last, together


def _hunk(document: Document, first: int, last: int, edits: Sequence[Edit], encoding: str) -> Hunk:
    """The lines as they are and as they become; those at both ends that stay say nothing."""
    start = document.starts[first - 1] if document.starts else 0
    end = document.starts[last] if last < len(document.starts) else len(document.text)
    text = document.text[start:end]
    before, after = (octets.decode(encoding, "replace").splitlines() for octets in (text, edited(text, edits, start)))
    line = first
    while before and after and before[0] == after[0]:
        del before[0], after[0]
        line += 1
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    return Hunk(line, tuple(before), tuple(after))


def _cut(line: str) -> str:
    return visible(line[:_LONG]) + ("…" if len(line) > _LONG else "")

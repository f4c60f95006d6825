"""What a text has that another did not: lines with their numbers, marked, and in between how many stayed.

    + 4  ACAP-crawler: *
    + 5  ACAP-disallow-crawl: /a/

For people at a terminal, who have the rest already; a file or a pipe gets the whole. A large change is shorter: records
and groups with the same lines for other crawlers are told once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from acap.robots import parse_robots

LARGE = 40
"""Added lines above which what repeats is told once."""
_SHORT = 3
"""Lines of a record that are shown again, for the sentence about them is no shorter."""


def added_lines(before: bytes, after: bytes) -> list[str]:
    """The lines of `after` that are not in `before`, those that are gone, and how many stayed between them."""
    # Octets are divided at the line ends of the reader alone.
    old, new = ([line.decode("utf-8", "replace") for line in text.splitlines()] for text in (before, after))
    width = len(str(max(len(old), len(new), 1)))
    listed: list[str] = []
    repeats = _repeats(after, new)
    for kind, start, end, first, last in _changes(old, new):
        if kind == "equal":
            stayed = last - first
            listed.append(f"  {'…':>{width}}  {stayed} line{'' if stayed == 1 else 's'} as before")
            continue
        listed += (f"- {number + 1:>{width}}  {old[number]}" for number in range(start, end))
        listed += _marked(new, range(first, last), width, repeats if last - first > LARGE else {})
    return listed


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """What `SequenceMatcher` gives; where nothing is gone, in time that is linear in the texts."""
    places = _within(old, new)
    if places is None:
        yield from SequenceMatcher(None, old, new).get_opcodes()
        return
    kept = set(places)
    before = 0
    for stays, run in groupby(range(len(new)), kept.__contains__):
        lines = list(run)
        after = before + len(lines) if stays else before
        yield "equal" if stays else "insert", before, after, lines[0], lines[-1] + 1
        before = after


def _within(old: Sequence[str], new: Sequence[str]) -> list[int] | None:
    """The places of the old lines in the new text, if all are there in their order."""
    lines = iter(enumerate(new))
    found = [next((place for place, line in lines if line == one), None) for one in old]
    return None if None in found else [place for place in found if place is not None]


def _repeats(after: bytes, new: Sequence[str]) -> dict[int, tuple[int, int]]:
    """The first lines of bodies that stand above already, with their last and with the first line of that above.

    A body is what stands in a record or group below the names of its crawlers; all numbers count from 0.
    """
    heads = {field.line for field in parse_robots(after).outline.fields if field.name in ("crawler", "User-agent")}
    seen: dict[tuple[str, ...], int] = {}
    found: dict[int, tuple[int, int]] = {}
    for is_body, run in groupby(range(len(new)), lambda number: bool(new[number].strip()) and number + 1 not in heads):
        numbers = list(run)
        if is_body and len(numbers) > _SHORT:
            above = seen.setdefault(tuple(new[number] for number in numbers), numbers[0])
            if above != numbers[0]:
                found[numbers[0]] = (numbers[-1], above)
    return found


def _marked(new: Sequence[str], lines: range, width: int, repeats: dict[int, tuple[int, int]]) -> Iterator[str]:
    number = lines.start
    while number < lines.stop:
        end, above = repeats.get(number, (number, number))
        if end >= lines.stop or end == number:
            yield f"+ {number + 1:>{width}}  {new[number]}"
            number += 1
        else:
            count = end - number + 1
            yield f"+ {number + 1:>{width}}  … the same {count} lines as {above + 1} to {above + count}"
            number = end + 1

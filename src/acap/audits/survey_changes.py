"""What became of sites between two crawls: how many went from none to some to all refused, by crawler.

Each crawl is marked in files in a temporary folder, a record a capture, sorted into parts by a digest of the site: two
parts are compared at a time, so that neither crawl need be in memory as a whole.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Self

from acap import _native
from acap.audits.survey_counts import MARKS

_PARTS = 64
"""Parts of a crawl: of a hundred million sites one has some gigabytes of marks for 160 crawlers."""


class Turns(NamedTuple):
    """For a crawler and a usage: the number of sites that went from each mark to each."""

    name: str
    usage: str
    numbers: Mapping[tuple[str, str], int]

    @property
    def stricter(self) -> int:
        """Sites that refuse more than before: from none to some, or from either to all."""
        return sum(self.numbers[turn] for turn in (("none", "some"), ("none", "all"), ("some", "all")))

    @property
    def looser(self) -> int:
        """Sites that refuse less than before."""
        return sum(self.numbers[turn] for turn in (("some", "none"), ("all", "none"), ("all", "some")))


class SurveyChanges(NamedTuple):
    """Two crawls beside each other: sites in both, only in the earlier, only in the later; and by crawler and usage."""

    in_both: int
    gone: int
    new: int
    turns: Mapping[tuple[str, str], Turns]


class CrawlMarks:
    """The marks of a crawl; its files go with the context that it is entered in."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="acap-audit-")))
        self._files = [self._stack.enter_context((folder / f"{part}").open("w+b")) for part in range(_PARTS)]
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, panel: _native.Panel, judged: _native.Judgements) -> None:
        """Marks captures. Raises OSError."""
        for file, records in zip(self._files, panel.marks(judged, _PARTS), strict=True):
            file.write(records)

    def part(self, number: int) -> bytes:
        """The records of a part."""
        self._files[number].seek(0)
        return self._files[number].read()


def compared(
    panel: _native.Panel, before: CrawlMarks, after: CrawlMarks, names: tuple[str, ...], usages: tuple[str, ...]
) -> SurveyChanges:
    """What became of the sites. Raises OSError."""
    sums = [[0] * len(MARKS) ** 2 for _ in range(len(names) * len(usages))]
    in_both, gone, new = 0, 0, 0
    for part in range(_PARTS):
        turns, counts = _native.survey_changes(panel, before.part(part), after.part(part))
        sums = [[a + b for a, b in zip(row, more, strict=True)] for row, more in zip(sums, turns, strict=True)]
        in_both, gone, new = in_both + counts[0], gone + counts[1], new + counts[2]
    pairs = [(was, is_) for was in MARKS for is_ in MARKS]
    keys = [(name, usage) for name in names for usage in usages]
    turns_of = {key: Turns(*key, dict(zip(pairs, row, strict=True))) for key, row in zip(keys, sums, strict=True)}
    return SurveyChanges(in_both, gone, new, turns_of)

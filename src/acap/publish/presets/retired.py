"""Names that nobody asks by any more: a block does not repeat them, and what the file says of them stays.

A name stays in the block where to leave it out would free somebody:

1. A crawler that is run obeys its group, as Bingbot obeys that of msnbot where it has none of its own.
2. No line of the block is for every crawler whatever group it has, as the lines of ACAP are, and the file does not
   refuse the name everything. Somebody may bear it still.
"""

from __future__ import annotations

from collections.abc import Iterable

from acap.crawler_list import known, known_crawlers
from acap.publish.compare import compare
from acap.publish.presets.preset import Preset
from acap.robots import RobotsPolicy, parse_robots

_WALL = parse_robots(b"User-agent: *\nDisallow: /\n")


def not_repeated(asked: Preset, kept: RobotsPolicy, names: Iterable[str]) -> frozenset[str]:
    """Which names of a file, in lower case and without version, the block of a preset leaves out."""
    written = {*map(_bare, names), *(crawler.name.lower() for crawler in asked.closed)}
    obeyed = {
        name.lower()
        for crawler in known_crawlers()
        if not crawler.retired and crawler.name.lower() not in written
        for name in crawler.fallback
    }
    retired = (name for name in written - obeyed if _is_retired(name))
    return frozenset(name for name in retired if asked.acap or _is_shut(kept, name))


def repeated(names: Iterable[str], left_out: frozenset[str]) -> list[str]:
    """Names without those that are left out."""
    return [name for name in names if _bare(name) not in left_out]


def _bare(name: str) -> str:
    return name.partition("/")[0].strip().lower()


def _is_retired(name: str) -> bool:
    """Whether the list has exactly this name: a longer one that begins so may be somebody else's."""
    crawler = known(name)
    return crawler is not None and crawler.retired and crawler.name.lower() == name


def _is_shut(kept: RobotsPolicy, name: str) -> bool:
    """Whether a file is proved to refuse a name every path."""
    comparison = compare(_WALL, kept, crawlers=[name], usages=["crawl"])
    return not comparison.undecided and all(change.after.outcome == "prohibited" for change in comparison.changes)

"""Whether one robots.txt or page permits more than another, asked at all paths, crawlers and usages they speak of.

A net below the rules: what this finds is no proof, as `acap.publish.compare` gives one, but it is quick, and it hears
with the ears of whoever crawls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acap.usages import USAGES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from acap.pages.page import PagePolicy
    from acap.robots import RobotsPolicy

# A grid of 40 crawlers by 25 usages by 400 paths takes about half a second; larger files are sampled.
_CRAWLERS = 40
_PATHS = 400
_NOBODY = "a-crawler-that-no-file-names"
_PROHIBITED = 2
_RANK = {"prohibited": 0, "conditional": 1, "permitted": 2}
_ADDRESS = "https://example.com/"


@dataclass(frozen=True, slots=True)
class Looser:
    """A question to which the second file gives a looser answer, or None where it is only read less well."""

    crawler: str
    usage: str
    path: str


def looser(before: RobotsPolicy, after: RobotsPolicy, at: datetime) -> Looser | None:
    """The first question to which `after` gives a looser answer than `before`, or None."""
    if after.truncated and not before.truncated:
        return Looser("*", "crawl", "/")
    paths = list(_spread([*_paths(before), *_paths(after)], _PATHS))
    for crawler in _spread([_NOBODY, *_crawlers(before), *_crawlers(after)], _CRAWLERS):
        for purpose in (None, *before.purposes[:3]):
            found = _first_looser(before, after, paths, crawler, purpose, at)
            if found is not None:
                return found
    return None


def _first_looser(
    before: RobotsPolicy, after: RobotsPolicy, paths: list[str], crawler: str, purpose: str | None, at: datetime
) -> Looser | None:
    one = before.decide_many(paths, crawler=crawler, usages=USAGES, purpose=purpose, at=at)
    other = after.decide_many(paths, crawler=crawler, usages=USAGES, purpose=purpose, at=at)
    lists = (one.outcomes, other.outcomes, one.restricted, other.restricted)
    for row, (strict, loose, restricted, _) in enumerate(zip(*lists, strict=True)):
        # An outcome is its place among permitted, conditional, prohibited.
        if loose > strict or (loose == strict and (not restricted or strict == _PROHIBITED)):
            continue
        path, usage = one[row][:2]  # a composite usage has a row for each part
        if loose < strict or not _restricted_alike(before, after, path, usage, crawler, purpose, at):
            return Looser(crawler, usage, path)
    return None


def _restricted_alike(
    before: RobotsPolicy, after: RobotsPolicy, path: str, usage: str, crawler: str, purpose: str | None, at: datetime
) -> bool:
    """Whether the second answer has every restriction of the first."""
    one = before.decide(path, crawler=crawler, usage=usage, purpose=purpose, at=at)
    other = after.decide(path, crawler=crawler, usage=usage, purpose=purpose, at=at)
    return set(one.restrictions) <= set(other.restrictions)


def looser_page(before: PagePolicy, after: PagePolicy, at: datetime) -> Looser | None:
    """The first question about the page as a whole to which `after` gives a looser answer than `before`, or None."""
    names = [said.crawler for page in (before, after) for said in page.statements(_ADDRESS) if said.crawler]
    for crawler in _spread([_NOBODY, *names], _CRAWLERS):
        one, other = (page.asking(url=page.url or _ADDRESS, crawler=crawler, at=at) for page in (before, after))
        for usage in USAGES:
            strict, loose = one.decide(usage), other.decide(usage)
            if _RANK[loose.outcome] > _RANK[strict.outcome] or (
                loose.outcome == strict.outcome != "prohibited"
                and not set(strict.restrictions) <= set(loose.restrictions)
            ):
                return Looser(crawler, usage, "/")
    return None


def _spread(names: list[str], most: int) -> Iterator[str]:
    """Each name once, and if there are too many some from the whole list."""
    each = list(dict.fromkeys(names))
    step = -(-len(each) // most)
    yield from each if step <= 1 else each[::step]


def _crawlers(policy: RobotsPolicy) -> Iterator[str]:
    yield from (name for name in policy.crawlers if name != "*")


def _paths(policy: RobotsPolicy) -> Iterator[str]:
    """The root, and for each pattern a path that matches it, one below and one beside it."""
    yield "/"
    for statement in policy.statements:
        if statement.pattern.startswith("/"):
            path = statement.pattern.replace("*", "x").removesuffix("$")
            yield from (path, f"{path}/y", path[:-1] or "/")

"""A policy at a glance: what each crawler may use the site for, and how much of it.

    for row in overview(parse_robots(octets)):
        print(row.crawlers, [(part.usages, part.text) for part in row.parts])

The crawlers that matter most to publishers come first, those that the policy names after them, and those that are told
the same are one row. Extents are proved, as `acap.publish.compare` proves them, against a policy that says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from acap.crawler_list import FIRST
from acap.crawlers import each_crawler
from acap.decision import Outcome
from acap.publish.compare import PATIENT_STEPS, STEPS, Change, Paths, compare
from acap.publish.containing import PatternIndex
from acap.publish.crawlers import ANY, as_written, everyone, names_written, once
from acap.publish.questions import every_usage, parts_of
from acap.robots import RobotsPolicy, parse_robots
from acap.usages import asked_usages

Extent: TypeAlias = Literal["all", "some", "none", "conditional", "undecided"]
"""How much of the site may be used; `conditional`: all of it, at least some of it under conditions."""

SECONDS: Final = 2.0
"""Time for the proofs; what is left then is undecided."""
MOST: Final = 500
"""Crawlers of a policy that are asked about, if no others are given."""
_NAMES = 6  # crawlers of a policy that are named; of more the number
_SETS = 3  # sets of paths that are named; of more the number
_WHOLE = re.compile(r"[\w.-]+")
"""A name as a crawler may bear it; a list of names or a User-Agent string is heard as the one that it begins with."""
_LESS = " but not "
_MANY = re.compile(r"(all but|only) (.+) and (\d+) more(, under conditions|)")
_IN_PARENTHESES = re.compile(r"\([^()]*\)")
_EVERYTHING = frozenset({"", "/"})
"""What is left without stars of a pattern that matches every path."""


class OverviewPart(NamedTuple):
    """Usages of which as much of the site is permitted, how much that is, and the same in words."""

    usages: tuple[str, ...]
    extent: Extent
    text: str


class OverviewRow(NamedTuple):
    """Crawlers that are told the same, `*` for any other, and what they are told of every usage.

    `named` are those of them that the policy names.
    """

    crawlers: tuple[str, ...]
    parts: tuple[OverviewPart, ...]
    named: tuple[str, ...]

    @property
    def text(self) -> str:
        """The crawlers in words, at most so many as are worth reading."""
        others = [name for name in self.crawlers if name not in self.named and name != ANY]
        named = _listed(self.named, _NAMES)
        if ANY not in self.crawlers:
            return ", ".join(filter(None, (_listed(others, _NAMES), named)))
        if not named and {*FIRST} <= {*others}:
            return "any crawler"
        among = f" ({', '.join(others)})" if others else ""
        return f"{named}{' and ' if named else ''}any other crawler{among}"

    def of(self, usage: str) -> OverviewPart:
        """What they are told of a usage. Raises KeyError for one that was not asked about."""
        for part in self.parts:
            if usage in part.usages:
                return part
        raise KeyError(usage)


def overview(
    policy: RobotsPolicy,
    *,
    crawlers: str | Iterable[str] | None = None,
    usage: str | Iterable[str] | None = None,
    at: datetime | None = None,
    seconds: float = SECONDS,
    usages: str | Iterable[str] | None = None,
) -> tuple[OverviewRow, ...]:
    """What crawlers may use a site for that has this policy, asked without a purpose.

    Args:
        policy: the policy; licence documents that it names are not read.
        crawlers: a name, or several; by default those of `acap.crawler_list.FIRST`, the first `MOST` that the policy
            names, and any other.
        usage: one usage, or several; by default every one.
        at: the instant asked about, with a time zone; by default now.
        seconds: how long proofs may take.
        usages: the same as `usage`, by its earlier name.

    Raises:
        ValueError: an unknown usage, a crawler's name that is empty or would be cut.
    """
    named = [name for name in everyone(policy) if name != ANY]
    without_versions = once(name.partition("/")[0] for name in named)
    usual = [*FIRST, *islice(filter(_WHOLE.fullmatch, without_versions), MOST), ANY]
    names = once(usual if crawlers is None else each_crawler(crawlers))
    given = asked_usages(usage, usages, None)
    about = _askable(policy) if given is None else parts_of(policy, policy, given)
    compared = compare(
        parse_robots(b"", dialect=policy.dialect, url=policy.url),
        policy,
        crawlers=names,
        usage=about,
        purposes=[""],
        at=at,
        # Within one search nobody looks at the clock.
        steps=PATIENT_STEPS if seconds >= 1 else int(STEPS * seconds),
        seconds=seconds,
        licences=False,
    )
    # Thousands of changes may be of the same crawlers and usages.
    blocks: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Change]] = {}
    for change in compared.changes:
        blocks.setdefault((change.crawlers, change.usages), []).append(change)
    of: dict[tuple[str, str], list[int]] = {}
    for number, (who, uses) in enumerate(blocks):
        for name in who:
            for use in uses:
                of.setdefault((name.lower(), use), []).append(number)
    changes = list(blocks.values())

    @cache
    def extent_of(*numbers: int) -> tuple[Extent, str]:
        return _extent([change for number in numbers for change in changes[number]])

    rows: dict[tuple[OverviewPart, ...], list[str]] = {}
    for name in names:
        open_ = {undecided.usage for undecided in compared.undecided if undecided.crawler in (ANY, name)}
        by_extent: dict[tuple[Extent, str], list[str]] = {}
        for usage in about:
            is_open = ANY in open_ or usage in open_
            extent = _UNDECIDED if is_open else extent_of(*of.get((name.lower(), usage), ()))
            by_extent.setdefault(extent, []).append(usage)
        parts = tuple(OverviewPart(tuple(alike), *extent) for extent, alike in by_extent.items())
        rows.setdefault(parts, []).append(name)
    # A name that begins one of the policy's own, without being written, is of interest where it is told more.
    written = names_written(policy) - {ANY}
    shown = {ANY, *written, *(name.lower() for name in FIRST)}
    out = []
    for parts, alike in rows.items():
        of_row = tuple(name for name in as_written(alike, policy) if ANY not in alike or name.lower() in shown)
        out.append(OverviewRow(of_row, parts, tuple(name for name in of_row if name.lower() in written)))
    return tuple(out)


def _askable(policy: RobotsPolicy) -> list[str]:
    """Every usage that the policy has an answer about; of what it names beside, some is no name of a usage."""
    usages: list[str] = []
    for usage in every_usage(policy, policy):
        try:
            usages += parts_of(policy, policy, (usage,))
        except ValueError:
            continue
    return usages


_UNDECIDED: tuple[Extent, str] = ("undecided", "not worked out")


def _extent(changes: Sequence[Change]) -> tuple[Extent, str]:
    """How much is permitted where a policy changes so much of what silence permits."""
    # In one order, so that whoever is told the same paths is told the same words.
    ordered = sorted(changes, key=lambda one: one.paths.within)
    prohibited = dict.fromkeys(change.paths for change in ordered if change.after.outcome == Outcome.PROHIBITED)
    refused = _simplified(list(prohibited))
    limited = (change.after for change in changes if change.after.outcome != Outcome.PROHIBITED)
    under = "under conditions" if any(one.restrictions or one.outcome == Outcome.CONDITIONAL for one in limited) else ""
    if not refused:
        return ("conditional", under) if under else ("all", "everything")
    if any(_is_everything(paths) and _is_whole(paths) for paths in refused):
        return "none", "nothing"
    all_but = [paths for paths in refused if not _is_everything(paths)]
    if len(all_but) != len(refused) - 1:
        text = f"all but {_listed([one.as_part() for one in refused])}"
    else:
        # Everything is refused but some paths, and of these some again.
        whole = next(paths for paths in refused if _is_everything(paths))
        less = dict.fromkeys(paths.as_part() for paths in all_but)
        only = [one for one in whole.excluded()[0] if less.pop(one, less) is less]
        if not only:
            return "none", "nothing"
        less = {one: None for one in less if not all(_are_apart(one, other) for other in only)}
        text = f"only {_listed(only)}{f'{_LESS}{_listed(list(less))}' if less else ''}"
    return "some", f"{text}, {under}" if under else text


def _simplified(refused: Sequence[Paths]) -> list[Paths]:
    """The same paths without exceptions that are refused as well, and without sets that lie within others."""
    if any(paths.form != "canonical" for paths in refused):
        return list(refused)
    alone = {paths.within for paths in refused if _is_whole(paths)}
    wider = [_without_refused(paths, alone) for paths in refused]
    index = PatternIndex(paths.within[0] for paths in wider if len(paths.within) == 1 and _is_whole(paths))
    return [paths for paths in wider if not _is_within(paths, index)]


def _without_refused(paths: Paths, alone: Collection[tuple[str, ...]]) -> Paths:
    """A set without the exceptions that are refused as a whole."""
    kept = tuple(less for less in paths.without if less.within not in alone or less.without)
    return paths if len(kept) == len(paths.without) else replace(paths, without=kept)


def _is_whole(paths: Paths) -> bool:
    """Whether nothing is left out of a set but resources that carry policy."""
    return all(less.carries_policy for less in paths.without)


def _is_within(paths: Paths, index: PatternIndex) -> bool:
    """Whether a set lies in another of one pattern, and is not the same."""
    return any((other,) != paths.within for own in paths.within for other in index.containing(own))


def _are_apart(prefix: str, other: str) -> bool:
    """Whether two sets have plainly no path in common: prefixes of which neither begins with the other."""
    return not {*"*$( "} & {*prefix, *other} and not prefix.startswith(other) and not other.startswith(prefix)


def _is_everything(paths: Paths) -> bool:
    return all(pattern.rstrip("*") in _EVERYTHING for pattern in paths.within)


def in_short(text: str) -> str:
    """How much that is, of a text that names the first of many sets of paths: `all but 46 paths`."""
    if (match := _MANY.fullmatch(text)) is None:
        return text
    kind, named, more, under = match.groups()
    # Of two lists the number of the first would be too much.
    what = "a part" if kind == "only" and _LESS in _IN_PARENTHESES.sub("", named) else f"{_SETS + int(more)} paths"
    return f"{kind} {what}{under}"


def _listed(texts: Sequence[str], most: int = _SETS) -> str:
    named = ", ".join(texts[:most])
    return f"{named} and {len(texts) - most} more" if len(texts) > most else named

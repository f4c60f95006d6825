"""Two versions of a policy: what changes, with a path at which it shows, and the lines that were changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import NamedTuple

from acap.decision import STRICTNESS
from acap.explain import KINDS, visible
from acap.publish.change_words import of_pages, only_of_policy, with_names_written
from acap.publish.compare import Change, Comparison, Paths, Side, compare
from acap.web.workshop.documents import documents_compared
from acap.web.workshop.workspace import Workspace

MOST = 200
"""At most this many cards of changes are shown."""

_PLACES = 200
"""At most this many places of a card are shown."""

LONG = 24_000
"""Characters of both versions from which on it can take a minute to compare what is unlike."""

_DIFFED = 4_000
"""Lines of both versions up to which the changed ones are shown."""

_ROWS = 2_000
"""At most this many rows of lines are shown."""

_FEW = 3
"""Crawlers, or sets of them, with places of their own up to which each has a card."""

_AROUND = 2
_LINE = 400
_SETS = 8


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A line of either version: `kind` is `same`, `old`, `new` or `gap`."""

    kind: str
    old: int | None
    new: int | None
    text: str


class ChangePlace(NamedTuple):
    """A set of paths at which decisions change alike, for whom, and the lines that decide before and now.

    `first` has the words of it; it differs from what else is here in crawlers and lines alone.
    """

    first: Change
    crawlers: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]


class ChangeCard(NamedTuple):
    """Changes from one outcome to another, of the same usages and purposes, with the first of their places.

    `crawlers` are those of all places; none where these are about different ones. `more` places are not shown.
    """

    way: str
    first: Change
    crawlers: tuple[str, ...]
    places: tuple[ChangePlace, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Compared:
    """What changes in decisions, and in lines; `more` cards are not shown. `looser` permit more than before.

    `listed` are all changes that count here, `cards` those that are shown, what is alike together. `of_policy` are at
    `resources` alone, which carry policy. `wrong` says why decisions are not compared.
    """

    comparison: Comparison
    listed: int
    cards: tuple[ChangeCard, ...]
    more: int
    of_policy: int
    resources: tuple[str, ...]
    looser: int
    stricter: int
    rows: tuple[DiffRow, ...]
    wrong: str = ""


def compared(space: Workspace) -> Compared:
    """What changes from the old version to the text."""
    wrong = ""
    try:
        comparison = _robots_compared(space) if space.kind == "robots" else documents_compared(space)
    except ValueError as error:
        comparison, wrong = Comparison(()), str(error)
    listed = of_pages(comparison.changes)
    directions = [_direction(change) for change in listed]
    cards = tuple(_cards(listed))
    of_policy, resources = only_of_policy(comparison.changes)
    return Compared(
        comparison,
        len(listed),
        cards[:MOST],
        max(len(cards) - MOST, 0),
        of_policy if of_policy < len(comparison.changes) else 0,
        tuple(map(_cut, resources)),
        directions.count("looser"),
        directions.count("stricter"),
        changed_lines(space.old, space.text),
        wrong,
    )


def _cards(changes: Sequence[Change]) -> Iterator[ChangeCard]:
    """The changes, those that are alike on one card, each where its first stands."""
    alike: dict[object, dict[object, list[Change]]] = {}
    for change in changes:
        before, after = (side._replace(line=0) for side in (change.before, change.after))
        outcomes = tuple((side.outcome, side.restrictions) for side in (before, after))
        places = alike.setdefault((change.usages, change.purposes, outcomes), {})
        places.setdefault((change.paths, before, after), []).append(change)
    for found in alike.values():
        by_crawlers: dict[tuple[str, ...], list[ChangePlace]] = {}
        for place in map(_place, found.values()):
            by_crawlers.setdefault(place.crawlers, []).append(place)
        if len(by_crawlers) <= _FEW:
            yield from (_card(places, crawlers) for crawlers, places in by_crawlers.items())
        else:
            yield _card([place for places in by_crawlers.values() for place in places], ())


def _card(places: Sequence[ChangePlace], crawlers: tuple[str, ...]) -> ChangeCard:
    first = places[0].first
    return ChangeCard(_direction(first), first, crawlers, tuple(places[:_PLACES]), max(len(places) - _PLACES, 0))


def _place(changes: Sequence[Change]) -> ChangePlace:
    """Changes at the same paths, by lines of the same words."""
    crawlers = tuple(dict.fromkeys(name for change in changes for name in change.crawlers))
    before = tuple(sorted({change.before.line for change in changes} - {0}))
    after = tuple(sorted({change.after.line for change in changes} - {0}))
    return ChangePlace(changes[0], crawlers, before, after)


def _robots_compared(space: Workspace) -> Comparison:
    old, new = space.old_policy, space.policy
    return with_names_written(compare(old, new, at=space.instant), old, new)


def takes_long(space: Workspace) -> bool:
    """Whether the versions are long and have little in common, so that it is worth to ask before they are compared."""
    old, new = (set(text.splitlines()) for text in (space.old, space.text))
    return len(space.old) + len(space.text) > LONG and 2 * len(old & new) < min(len(old), len(new))


def _direction(change: Change) -> str:
    if (change.before.outcome, change.before.restrictions) == (change.after.outcome, change.after.restrictions):
        return "other reason"
    before, after = (STRICTNESS[side.outcome] for side in (change.before, change.after))
    return "looser" if after < before else "stricter" if after > before else "other limits"


@dataclass(frozen=True, slots=True)
class Patterns:
    """A set of paths for people: the patterns that all match, those that do not count, and how many more of these.

    `only` are the few paths of which it is, where it is all but all others: of what matches, if `within` has patterns.
    """

    within: tuple[str, ...]
    only: tuple[str, ...]
    without: tuple[str, ...]
    more: int


def patterns_of(paths: Paths) -> Patterns:
    """A set of paths, as much of it as is of use; resources that carry policy are left out, as in `str(paths)`."""
    without, more = paths.excluded(_SETS)
    only = tuple(map(_cut, paths.only(_SETS)))
    within = () if only and not paths.is_part else paths.within
    return Patterns(tuple(map(_cut, within)), only, tuple(map(_cut, without)), more)


def side_text(side: Side) -> str:
    """Why a side decides as it does, where no line does."""
    return KINDS.get(side.kind, side.kind)


def changed_lines(old: str, new: str) -> tuple[DiffRow, ...]:
    """The lines that differ, with those around them; none where the texts are too long for it."""
    before, after = (text.split("\n") if text else [] for text in (old, new))
    if before == after or len(before) + len(after) > _DIFFED:
        return ()
    return tuple(islice(_rows(before, after), _ROWS))


def _rows(old: list[str], new: list[str]) -> Iterator[DiffRow]:
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND):
        yield DiffRow("gap", None, None, "")
        for kind, from_old, to_old, from_new, to_new in group:
            if kind == "equal":
                for step in range(to_old - from_old):
                    yield DiffRow("same", from_old + step + 1, from_new + step + 1, _cut(old[from_old + step]))
                continue
            for place in range(from_old, to_old):
                yield DiffRow("old", place + 1, None, _cut(old[place]))
            for place in range(from_new, to_new):
                yield DiffRow("new", None, place + 1, _cut(new[place]))


def _cut(text: str) -> str:
    return visible(text[:_LINE]) + ("…" if len(text) > _LINE else "")

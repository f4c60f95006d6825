"""Which changes are listed, and the words for one, the same in a terminal and in a browser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acap.publish.compare import Change, Comparison
from acap.publish.crawlers import as_written
from acap.robots import RobotsPolicy
from acap.usages import PARENTS

_USAGES = 6  # usages that are named; of more the number
_BUT = 3  # usages that are named as exceptions of all


def usages_text(usages: Sequence[str]) -> str:
    """What a change is about: one usage, several, all, or all but a few."""
    others = [name for name in PARENTS if name not in usages]
    if not others:
        return "every usage"
    if len(others) <= _BUT < len(usages):
        return f"every usage except {', '.join(others)}"
    if len(usages) <= _USAGES + 1:
        return ", ".join(usages)
    return f"{', '.join(usages[:_USAGES])} and {len(usages) - _USAGES} more usages"


def with_names_written(comparison: Comparison, old: RobotsPolicy, new: RobotsPolicy) -> Comparison:
    """The comparison without names that nobody wrote beside those that begin so, such as `AI` beside `AI2Bot`."""
    changes = (change._replace(crawlers=as_written(change.crawlers, old, new)) for change in comparison.changes)
    return comparison._replace(changes=tuple(changes))


def of_pages(changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes that are listed, each once: of resources that carry policy alone only where all are of such."""
    return tuple(_each_once([change for change in changes if not change.paths.is_policy] or changes))


def only_of_policy(changes: Iterable[Change]) -> tuple[int, tuple[str, ...]]:
    """How many changes are of resources that carry policy alone, for which nobody looks here, and these resources."""
    resources = [change.paths.policy_resources for change in changes if change.paths.is_policy]
    return len(resources), tuple(dict.fromkeys(path for paths in resources for path in paths))


def _each_once(changes: Iterable[Change]) -> Iterator[Change]:
    """Without those of which another says the same in the same words, of more crawlers, purposes or usages.

    They differ in resources that carry policy alone.
    """
    alike: dict[object, list[Change]] = {}
    listed = list(changes)
    for change in listed:
        alike.setdefault((str(change.paths), change.before, change.after), []).append(change)
    within = {id(one) for group in alike.values() for one in group if any(_is_within(one, other) for other in group)}
    return (change for change in listed if id(change) not in within)


def _is_within(one: Change, other: Change) -> bool:
    """Whether another change is of all crawlers, purposes and usages of one, and of more."""
    mine, its = ((change.crawlers, change.purposes, change.usages) for change in (one, other))
    return mine != its and all(set(less) <= set(more) for less, more in zip(mine, its, strict=True))

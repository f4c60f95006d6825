"""A comparison as a tree of sentences: each change with its paths, what decided before and after, and a witness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acap.explain import KINDS, Node, Role, visible
from acap.usages import PARENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from acap.publish.compare import Change, Comparison, Side

_MOST = 100  # changes that are told one by one
_NAMES = 8  # crawlers and usages that are named; of more the number


def tree(comparison: Comparison, old: str, new: str) -> Node:
    """All that changes from the policy called `old` to the one called `new`."""
    number = len(comparison.changes)
    title = {
        "equal": "no decision changes",
        "undecided": "no change was found, but not everything could be worked out",
        "different": f"{number} change{'' if number == 1 else 's'}",
    }[comparison.verdict]
    return Node(Role.SOURCE, visible(f"{old} → {new}: {title}"), tuple(_parts(comparison)))


def _parts(comparison: Comparison) -> Iterator[Node]:
    for change in comparison.changes[:_MOST]:
        yield _change(change)
    if (more := len(comparison.changes) - _MOST) > 0:
        yield Node(Role.NOTE, f"and {more} more; --json tells them all")
    for one in comparison.undecided[:_MOST]:
        yield Node(Role.NOTE, visible(f"undecided: {one}; {one.because}"))
    for sign, lines in (("no longer there", comparison.removed), ("new", comparison.added)):
        for line in lines[:_MOST]:
            yield Node(Role.NOTE, visible(f"{sign}, decides nothing: {line}"))


def _change(change: Change) -> Node:
    before, after = change.before, change.after
    if before.outcome == after.outcome:
        head = f"{after.outcome}, with other restrictions: {change.paths}"
    else:
        head = f"{before.outcome} → {after.outcome}: {change.paths}"
    children = (
        Node(Role.NOTE, visible(f"for {_who(change)}")),
        Node(Role.NOTE, visible(f"before: {_side(before)}")),
        Node(Role.NOTE, visible(f"after: {_side(after)}")),
        Node(Role.NOTE, visible(f"for example {change.witness}")),
    )
    return Node(Role(after.outcome), visible(head), children)


def _who(change: Change) -> str:
    crawlers = ["any other crawler" if name == "*" else name for name in change.crawlers]
    usages = "every usage" if set(PARENTS) <= set(change.usages) else _listed(change.usages, "usages")
    named = [purpose for purpose in change.purposes if purpose]
    without = "without a purpose or " if "" in change.purposes else ""
    purpose = f", {without}for {_listed(named, 'purposes')}" if named else ""
    return f"{_listed(crawlers, 'crawlers')}: {usages}{purpose}"


def _listed(names: Sequence[str], what: str) -> str:
    if len(names) <= _NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMES])} and {len(names) - _NAMES} more {what}"


def _side(side: Side) -> str:
    limits = f" ({'; '.join(side.restrictions)})" if side.restrictions else ""
    if side.line:
        return f"{side.outcome}{limits}, line {side.line}: {side.text}"
    return f"{side.outcome}{limits}, {KINDS.get(side.kind, side.kind)}"

"""What of a file stands against a preset: lines by which a crawler may do what it refuses, or not do what it permits.

Law: it is the engine that says so. The file with the preset is compared with the preset alone, over all paths, for the
usages of which the preset speaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acap.explain import visible
from acap.publish.compare import Change, compare
from acap.publish.compose.draft import Draft, Rule
from acap.publish.compose.sentences import addressed, audience
from acap.publish.compose.starts import Start, begun
from acap.publish.compose.text import lines_of, robots_octets
from acap.publish.convert.proof import looser
from acap.robots import parse_robots
from acap.usages import PARENTS, above

_SECONDS = 2.0
"""A person waits for it, in a browser too."""
_MOST = 8
"""Lines that are named; of more the number."""


class ContraryLine(NamedTuple):
    """A line that stands against a preset: where it is, its text, whom it is for, what they may or must not do."""

    where: str
    text: str
    whom: str
    what: str

    def __str__(self) -> str:
        """One sentence, with what to do."""
        by = f"{self.where}, `{self.text}`, stands" if self.text else f"{self.where} stands"
        return visible(f"{by} against the preset: {self.whom} {self.what}; remove the line if that is not meant")


def contrary_lines(start: Start, draft: Draft, *, terms: str | None = None) -> tuple[str, ...]:
    """A sentence for each line of a draft that stands against a preset which was added to it.

    Raises:
        DraftError: the draft cannot be written.
    """
    if not start.rules:
        return ()
    stated = {rule.usage for rule in start.rules}
    usages = [usage for usage in PARENTS if stated.intersection((usage, *above(usage)))]
    alone = parse_robots(robots_octets(begun(start, Draft(), terms=terms)))
    comparison = compare(alone, parse_robots(robots_octets(draft)), usages=usages, seconds=_SECONDS)
    sentences = [str(one) for one in _by_lines(comparison.changes, draft)]
    more = [f"{len(sentences) - _MOST} more lines stand against the preset"] if len(sentences) > _MOST else []
    unknown = (
        ["whether more lines stand against the preset would take too long to compute"] if comparison.undecided else []
    )
    return (*sentences[:_MOST], *more, *unknown)


def _by_lines(changes: Iterable[Change], draft: Draft) -> Iterator[ContraryLine]:
    """The changes by the lines that decide them, each told by the widest usage that it is for."""
    origins = [origin for _, origin in lines_of(draft)]
    of_lines = {rule.origin: part.purposes for _, part, rule in draft.rules()}
    lines: dict[tuple[int, str, str], list[Change]] = {}
    for change in changes:
        side = change.after
        origin = origins[side.line - 1] if 0 < side.line <= len(origins) else ""
        is_own = origin.startswith("line ")
        # What the preset does not speak of it leaves to the file, and where no crawler may fetch, no other use is open.
        if looser([change]) or (is_own and change.before.kind == "statement"):
            where = origin if is_own else f"line {side.line} of the result" if side.line else "the file"
            lines.setdefault((side.line, where, side.outcome), []).append(change)
    for (_, where, outcome), found in lines.items():
        usages = dict.fromkeys(usage for change in found for usage in change.usages)
        usage = min(usages, key=lambda one: len(above(one)))
        first = next(change for change in found if usage in change.usages)
        limits = tuple((name, value) for name, _, value in (one.partition("=") for one in first.after.restrictions))
        rule = Rule(outcome == "permitted", usage, (first.paths.text(3),), limits)
        crawlers = tuple(dict.fromkeys(name for change in found for name in change.crawlers))
        yield ContraryLine(where, first.after.text, *addressed(audience(crawlers, of_lines.get(where, ())), rule))

"""Statements put into an order of lengths, so that the longest decides as ACAP's rules do (P1 4.3, RFC 9309 2.2.2).

Of each permission and prohibition that match a common path, one wins. If these pairs form no circle, they give an
order, and the first statement in it that matches a path decides there as all of them do in ACAP. A circle is divided:
every set of paths in which some of its statements meet becomes a rule of its own, the smaller the set, the longer the
rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from graphlib import TopologicalSorter

from acap import _native
from acap.publish.convert.records import widened
from acap.publish.patterns import TooManyError, check_time, contains, glob, intersection, meet, pattern, spelling

MOST_PARTS = 300
"""Most rules that a circle is divided into; beyond that, its permissions are left out."""


@dataclass(frozen=True, slots=True)
class ApplicableStatement:
    """A statement about crawling that applies to a crawler.

    `tier`: of two ACAP fields, a permission of the earlier tier overcomes a prohibition of the later; within one tier
    the narrower does. `rank` is the key of a conventional rule, and None of an ACAP field.
    """

    pattern: str
    permits: bool
    line: int
    tier: int
    rank: int | None = None

    def overcomes(self, other: ApplicableStatement) -> bool:
        """Whether this permission overcomes a prohibition that applies to the same path."""
        if self.rank is not None:
            return other.rank is not None and self.rank > other.rank
        if self.tier != other.tier:
            return self.tier < other.tier
        return _native.overcomes(self.pattern.encode(), other.pattern.encode(), other.rank is not None)


@dataclass(frozen=True, slots=True)
class GroupLine:
    """A line of a group, and its line in the original."""

    text: str
    line: int
    added: bool = False


@dataclass(slots=True, eq=False)
class _Node:
    """A rule to be given a length; `depth` orders the rules of a circle, `fixed` ones are not written."""

    pattern: str
    permits: bool
    line: int
    statement: ApplicableStatement | None = None
    depth: int = 0
    fixed: bool = False

    @property
    def natural(self) -> str:
        return self.pattern if self.fixed else pattern(glob(self.pattern)) if self.depth else self.pattern


def ordered(statements: Iterable[ApplicableStatement]) -> tuple[tuple[GroupLine, ...], tuple[ApplicableStatement, ...]]:
    """Lines of one group that decide as the statements do, and the permissions that cover less than before."""
    remaining = _that_matter(list(statements))
    left_out: list[ApplicableStatement] = []
    while True:
        lines: tuple[GroupLine, ...] = ()
        weak: list[ApplicableStatement] = []
        try:
            lines, failed, weak = _Ordering(remaining).lines()
        except TooManyError:
            failed = [applicable for applicable in remaining if applicable.permits]
        if not failed:
            return lines, (*left_out, *weak)
        left_out += failed
        remaining = _that_matter([applicable for applicable in remaining if applicable not in failed])


def _that_matter(statements: list[ApplicableStatement]) -> list[ApplicableStatement]:
    """The statements without prohibitions that are overcome everywhere, and permissions that overcome nothing."""
    may = [applicable for applicable in statements if applicable.permits]
    must = [
        one
        for one in statements
        if not one.permits and not any(contains(a.pattern, one.pattern) and a.overcomes(one) for a in may)
    ]
    kept = {one for one in may if any(meet(one.pattern, d.pattern) and one.overcomes(d) for d in must)}
    kept.update(_distinct(must))
    return [applicable for applicable in statements if applicable in kept]


def _distinct(must: list[ApplicableStatement]) -> list[ApplicableStatement]:
    """The prohibition that is hardest to overcome, of those of the same paths, if that can be told.

    The draft reads ACAP patterns character by character, so two that are spelled otherwise are two (P1 4.5.2.5.3).
    """
    best: dict[tuple[str, bool], ApplicableStatement] = {}
    for applicable in must:
        key = (applicable.pattern, True) if applicable.rank is None else (glob(applicable.pattern), False)
        if key not in best or (applicable.tier, -(applicable.rank or 0)) < (best[key].tier, -(best[key].rank or 0)):
            best[key] = applicable
    return list(best.values())


class _Ordering:
    """The rules, and which must be longer than which."""

    def __init__(self, statements: list[ApplicableStatement]) -> None:
        self._statements = statements
        self._nodes = [_Node(one.pattern, one.permits, one.line, one) for one in statements]
        self._below: dict[_Node, dict[_Node, int]] = {}
        self._relate(self._nodes)
        self._part_circles()
        self._mind_indexes()

    def lines(self) -> tuple[tuple[GroupLine, ...], list[ApplicableStatement], list[ApplicableStatement]]:
        """The lines; the permissions in the way of a prohibition, and those, that cannot be made longer."""
        spelt: dict[_Node, str] = {}
        failed: list[ApplicableStatement] = []
        weak: list[ApplicableStatement] = []
        for node in TopologicalSorter(self._below).static_order():
            check_time()
            needed = max((len(spelt[low]) + more for low, more in self._below[node].items()), default=0)
            text = node.natural
            longer = None if node.fixed and needed > len(text) else spelling(text, needed)
            if longer is None and not node.permits:
                failed += [
                    low.statement
                    for low, more in self._below[node].items()
                    if low.statement and low.permits and len(spelt[low]) + more > len(text)
                ]
            elif longer is None and node.statement and not node.fixed:
                weak.append(node.statement)
            spelt[node] = longer or text
        written = sorted((node for node in self._nodes if not node.fixed), key=lambda node: (node.line, node.depth))
        lines = {
            GroupLine(
                f"{'Allow' if node.permits else 'Disallow'}: {spelt[node]}", node.line, node.statement is None
            ): None
            for node in written
        }
        return tuple(lines), failed, weak

    def _relate(self, nodes: list[_Node]) -> None:
        for node in nodes:
            self._below.setdefault(node, {})
        must = [node for node in nodes if not node.permits]
        for a in (node for node in nodes if node.permits):
            for d in must:
                if a.statement and d.statement and meet(a.pattern, d.pattern):
                    if a.statement.overcomes(d.statement):
                        self._below[a][d] = 0  # Of equals, the one that permits wins.
                    else:
                        self._below[d][a] = 1

    def _part_circles(self) -> None:
        """Replaces the rules of circles by the sets of paths in which they meet."""
        circle = self._circle()
        if not circle:
            return
        core = [node for node in self._nodes if node in circle]
        parts = _parts([node.statement for node in core if node.statement])
        outer = [node for node in self._nodes if node not in circle]
        above: dict[_Node, Callable[[_Node], bool]] = {}
        for node in outer:
            if any(low in circle for low in self._below[node]):
                above[node] = lambda _part: True
        lower = dict.fromkeys(low for node in core for low in self._below[node] if low not in circle)
        for node in core:
            del self._below[node]
        for node in outer:
            for low in [low for low in self._below[node] if low in circle]:
                del self._below[node][low]
        for part in parts:
            self._below[part] = {}
        for part in parts:
            for other in parts:
                if part.depth > other.depth and part.permits != other.permits and meet(part.pattern, other.pattern):
                    self._below[part][other] = 0 if part.permits else 1
            for node in above:
                if meet(node.pattern, part.pattern) and node.permits != part.permits:
                    self._below[node][part] = 0 if node.permits else 1
            for node in lower:
                if meet(node.pattern, part.pattern) and node.permits != part.permits:
                    self._below[part][node] = 0 if part.permits else 1
        self._nodes = [*outer, *parts]

    def _circle(self) -> set[_Node]:
        """The rules of circles, and the rules between two of them."""
        core = set(self._nodes)
        while True:
            lower = {low for node in core for low in self._below[node] if low in core}
            check_time()
            kept = {node for node in core if node in lower and any(low in core for low in self._below[node])}
            if kept == core:
                return core
            core = kept

    def _mind_indexes(self) -> None:
        """`Allow: …/index.htm(l)` permits the directory as well; where that is prohibited, a longer rule says so."""
        for node in [node for node in self._nodes if node.permits]:
            wide = widened(node.pattern)
            if wide is None or "*" in wide or not self._prohibits(path := wide[:-1]):
                continue
            fixed = _Node(wide, True, node.line, node.statement, fixed=True)
            self._nodes.append(fixed)
            self._below[fixed] = {}
            for other in self._nodes:
                if not other.permits and _native.matches(other.pattern.encode(), path.encode()):
                    self._below[other][fixed] = 1

    def _prohibits(self, path: str) -> bool:
        return _prohibits([one for one in self._statements if _native.matches(one.pattern.encode(), path.encode())])


def _prohibits(statements: list[ApplicableStatement]) -> bool:
    """The outcome of statements that all apply."""
    may = [applicable for applicable in statements if applicable.permits]
    return any(not applicable.permits and not any(a.overcomes(applicable) for a in may) for applicable in statements)


def _parts(core: list[ApplicableStatement]) -> list[_Node]:
    """Every set of paths in which some statements meet, with the outcome there."""
    patterns = {glob(applicable.pattern): applicable.pattern for applicable in core}
    new = list(patterns.values())
    while new:
        one = new.pop()
        for other in [statement.pattern for statement in core]:
            for part in intersection(one, other):
                if glob(part) not in patterns:
                    patterns[glob(part)] = part
                    new.append(part)
                    if len(patterns) > MOST_PARTS:
                        raise TooManyError
    out = []
    for part in patterns.values():
        within = [applicable for applicable in core if contains(applicable.pattern, part)]
        line = min((applicable.line for applicable in within), default=0)
        own = next((applicable for applicable in within if applicable.pattern == part), None)
        out.append(_Node(part, not _prohibits(within), own.line if own else line, own, len(within)))
    return out

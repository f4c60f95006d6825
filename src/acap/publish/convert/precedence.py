"""From one order of precedence to another: the longest pattern (RFC 9309 2.2.2), the narrower resources (P1 4.3).

Both orders compare rules two by two. Where for each permission and each prohibition that meet the same one wins in
both, both decide alike at every path:

- the longest rule is a permission: it is narrower than every prohibition that applies, so all are overcome;
- the longest is a prohibition: no permission that applies is narrower than it, so it stands.

Where neither resources contain the other's, the draft compares the patterns character by character, and the first `*`
that stands against another character makes its pattern the broader one (P1 4.5.2.5.3). So of two patterns with the same
beginning up to their first `*` the one with more stars there is the broader, and stars change no set of paths: `/**a`
matches what `/*a` matches. Where the beginnings differ, the pattern with the shorter one is the broader. If it is to
win nevertheless, its part below the other's beginning is written as a rule of its own, with its effect and its rank:
being a part, it changes nothing among the longest, and it begins as the other does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from acap import _native
from acap.publish.patterns import TooManyError, below, check_time, contains, glob, head, meet, pattern

FEW_ADDED = 40
"""Most rules added for permissions of what silence permits; beyond that, these permissions are left out."""

MOST_ADDED = 2_000
"""Most rules added per record; a permission that needs more is left out. Of 2,500 files few need 100."""


@dataclass(frozen=True, slots=True)
class PathRule:
    """A rule of a group: its pattern in canonical form, its effect, its line, and its rank.

    `rank` is the length of the pattern that it is, or is a part of; `added`: no line of the original is this rule.
    """

    pattern: str
    permits: bool
    line: int
    rank: int
    added: bool = False

    @property
    def key(self) -> int:
        """The greater key wins: the longer pattern, and of equals the one that permits (RFC 9309 2.2.2)."""
        return 2 * self.rank + self.permits

    def permits_over(self, prohibition: PathRule) -> bool:
        """Whether, as a permission, it wins over a prohibition."""
        return self.key > prohibition.key

    @property
    def wild(self) -> bool:
        """Whether it can share paths with a rule that neither contains it nor is contained in it."""
        return "*" in self.pattern


@dataclass(frozen=True, slots=True)
class Settled:
    """Rules of which the narrower wins where the longest won before, except for the permissions in `dropped`.

    `redundant` are permissions left out that permitted only what silence permits.
    """

    rules: tuple[PathRule, ...]
    dropped: tuple[PathRule, ...] = ()
    redundant: tuple[PathRule, ...] = ()


def settle(rules: Iterable[PathRule]) -> Settled:
    """Rules that decide by the narrower resources as these do by the longest pattern.

    A rule that never decides, as a longer one matches all that it matches, is left out.
    """
    deciding = _deciding(_distinct(rules))
    try:
        return _Settlement(deciding, FEW_ADDED).settled()
    except TooManyError:
        return _Settlement(deciding, None).settled()


def beginning(rule: PathRule) -> str | None:
    """The part of a pattern before its first `*`; None without a `*`."""
    before, star, _ = rule.pattern.partition("*")
    return before if star else None


def overcomes(permission: PathRule, prohibition: PathRule) -> bool:
    """Whether a permission of crawling is narrower than a prohibition (P1 4.3, 4.5.2.5.3)."""
    return _native.overcomes(permission.pattern.encode(), prohibition.pattern.encode())


def _distinct(rules: Iterable[PathRule]) -> list[PathRule]:
    """The rule that decides, of those on the same paths."""
    best: dict[str, PathRule] = {}
    for written in rules:
        rule = replace(written, pattern=pattern(glob(written.pattern))) if "**" in written.pattern else written
        form = glob(rule.pattern)
        known = best.get(form)
        if known is None or rule.key > known.key:
            best[form] = rule
    return sorted(best.values(), key=lambda rule: rule.line)


def _deciding(rules: list[PathRule]) -> list[PathRule]:
    """The rules, without those that never decide."""
    # A pattern without stars is longer than one that it contains only if stars made it so, or if that one is `*`.
    able = [rule for rule in rules if rule.wild or rule.rank > len(rule.pattern) or rule.pattern == "/"]
    return [rule for rule in rules if not any(_hides(other, rule) for other in able)]


def _hides(rule: PathRule, other: PathRule) -> bool:
    return rule.key > other.key and contains(rule.pattern, other.pattern)


@lru_cache(maxsize=8192)
def _part(written: str, beginning: str) -> tuple[str, ...]:
    """`below`, cached, as rules with the same beginning need it again and again. Raises TooManyError."""
    return tuple(below(written, beginning))


class _Settlement:
    """The rules so far, and those that have not met all others yet."""

    def __init__(self, rules: list[PathRule], few: int | None) -> None:
        self._first = rules
        self._few = few
        self._rules: dict[tuple[str, bool], PathRule] = {}
        # Each rule with the beginning of every path it matches: rules with other beginnings need not be compared.
        self._sides: dict[bool, dict[PathRule, str]] = {True: {}, False: {}}
        self._hiding = [(head(rule.pattern), rule) for rule in rules]
        self._new: deque[PathRule] = deque()
        # In the order of their discovery.
        self._dropped: dict[PathRule, None] = {}
        self._redundant: dict[PathRule, None] = {}
        self._stars: dict[PathRule, dict[PathRule, int]] = {}
        self._added = 0
        for rule in rules:
            self._take(rule)

    def settled(self) -> Settled:
        """Compares every rule with every other one."""
        while self._new:
            rule = self._new.popleft()
            check_time()
            for other in self._opponents(rule):
                a, d = (rule, other) if rule.permits else (other, rule)
                if a not in self._dropped and a not in self._redundant:
                    self._meet(a, d)
        gone = self._dropped | self._redundant
        kept = [rule for rule in self._rules.values() if rule not in gone]
        return Settled(tuple(self._with_stars(kept)), tuple(self._dropped), tuple(self._redundant))

    def _take(self, rule: PathRule) -> None:
        self._rules[(glob(rule.pattern), rule.permits)] = rule
        self._sides[rule.permits][rule] = head(rule.pattern)
        if rule.wild or rule.added:
            self._new.append(rule)

    def _opponents(self, rule: PathRule) -> list[PathRule]:
        mine = head(rule.pattern)
        others = self._sides[not rule.permits].items()
        return [other for other, begun in others if mine.startswith(begun) or begun.startswith(mine)]

    def _meet(self, a: PathRule, d: PathRule) -> None:
        """Ensures that the rule with the greater key wins."""
        if _by_stars(a, d):
            first, second = (a, d) if a.key > d.key else (d, a)
            if meet(a.pattern, d.pattern):
                right = overcomes(a, d) == a.permits_over(d)
                self._stars.setdefault(second, {})[first] = 0 if right else 1
        elif a.added and a.permits_over(d):
            pass  # It is a part of a permission that overcomes the prohibition itself, or by other parts.
        elif overcomes(a, d) != a.permits_over(d) and meet(a.pattern, d.pattern):
            self._part(a, d)

    def _part(self, a: PathRule, d: PathRule) -> None:
        """Writes the part of the longer rule below the beginning of the other as rules of their own."""
        if self._few is None and not a.added and not a.permits_over(d) and self._lifts_nothing(a):
            self._redundant[a] = None
            return
        if self._few is None and self._added > MOST_ADDED:
            # Rules that cannot be separated prohibit.
            self._dropped[a] = None
            return
        winner, loser = (a, d) if a.permits_over(d) else (d, a)
        try:
            parts = _part(winner.pattern, head(loser.pattern))
        except TooManyError:
            self._dropped[a] = None
            return
        for part in parts:
            if not self._is_ensured(part, winner, a, d):
                self._add(PathRule(part, winner.permits, winner.line, winner.rank, added=True))

    def _lifts_nothing(self, a: PathRule) -> bool:
        """Whether a permission is shorter than every prohibition that it meets, and so says no more than silence."""
        shorter = (d for d in self._first if not d.permits and a.permits_over(d))
        return not any(meet(a.pattern, d.pattern) for d in shorter)

    def _add(self, rule: PathRule) -> None:
        mine = head(rule.pattern)
        if any(mine.startswith(begun) and _hides(other, rule) for begun, other in self._hiding):
            return
        form = (glob(rule.pattern), rule.permits)
        known = self._rules.get(form)
        if known is not None and known.key >= rule.key:
            return
        self._added += 1
        if self._few is not None and self._added > self._few:
            raise TooManyError
        if known is not None:
            del self._sides[rule.permits][known]
        self._take(rule)

    def _is_ensured(self, part: str, winner: PathRule, a: PathRule, d: PathRule) -> bool:
        """Whether another rule already ensures that the winner wins on this part."""
        mine = head(part)
        around = (
            other
            for other, begun in self._sides[winner.permits].items()
            if mine.startswith(begun) and contains(other.pattern, part)
        )
        if winner.permits:
            gone = self._dropped | self._redundant
            return any(other not in gone and _will_overcome(other, d) for other in around)
        return any(other.rank == winner.rank and not _will_overcome(a, other) for other in around)

    def _with_stars(self, rules: list[PathRule]) -> Iterator[PathRule]:
        """The rules with as many stars at their first one as it takes to make the longer rule the narrower."""
        stars: dict[PathRule, int] = {}
        for rule in sorted(rules, key=lambda rule: -rule.key):
            check_time()
            longer = self._stars.get(rule, {})
            stars[rule] = max((stars[one] + more for one, more in longer.items() if one in stars), default=1)
        for rule in rules:
            yield replace(rule, pattern=rule.pattern.replace("*", "*" * stars[rule], 1)) if stars[rule] > 1 else rule


def _by_stars(a: PathRule, d: PathRule) -> bool:
    """Whether stars decide which of two is the narrower: they begin alike, and neither contains the other."""
    return (
        a.wild
        and beginning(a) == beginning(d)
        and not (contains(a.pattern, d.pattern) or contains(d.pattern, a.pattern))
    )


def _will_overcome(a: PathRule, d: PathRule) -> bool:
    """Whether a permission overcomes a prohibition once both have their stars."""
    if not _by_stars(a, d):
        return overcomes(a, d)
    return a.permits_over(d)

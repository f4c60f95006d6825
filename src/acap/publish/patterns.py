"""Patterns as sets of paths: their intersections, and their spellings.

    intersection("/shop/", "/*?sort=")      # ["/shop/*?sort="]
    intersection("/*/a", "/b/")             # ["/b/*/a", "/b/a"]

Patterns are in their canonical form (`acap._native.canonical_pattern`). A glob is a pattern over whole paths: the final
`$` gone or a `*` appended, runs of `*` collapsed; in a glob only `*` is special.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from acap import _native

MOST = 256
"""Most patterns per intersection; those of real files have one to four."""

MOST_STEPS = 50_000
"""Most pairs of places in two patterns that are examined; real patterns have a hundred octets."""


def spelling(pattern: str, octets: int) -> str | None:
    """The pattern spelled with at least `octets` octets, by stars that change nothing; None if none fits in."""
    more = octets - len(pattern)
    if more <= 0:
        return pattern
    if not pattern.endswith("$"):
        return pattern + "*" * more
    return pattern.replace("*", "*" * (more + 1), 1) if "*" in pattern else None


class TooManyError(Exception):
    """An intersection needs more patterns, or more work, than the limits allow."""


def glob(pattern: str) -> str:
    """A pattern as a glob over whole paths."""
    whole = pattern[:-1] if pattern.endswith("$") else pattern + "*"
    return re.sub(r"\*+", "*", whole) if "**" in whole else whole


def pattern(glob: str) -> str:
    """The shortest spelling of the pattern of a glob."""
    if glob in ("*", "/*"):
        return "/"
    return glob[:-1] if glob.endswith("*") else glob + "$"


_until: ContextVar[float] = ContextVar("until", default=inf)


class LateError(Exception):
    """The time was up before the end."""


@contextmanager
def in_time(seconds: float) -> Iterator[None]:
    """After `seconds`, each comparison of patterns within, and `check_time`, raises LateError."""
    token = _until.set(min(time.monotonic() + seconds, _until.get()))
    try:
        yield
    finally:
        _until.reset(token)


def check_time() -> None:
    """Raises LateError once the time is up."""
    if time.monotonic() > _until.get():
        raise LateError


def time_left(most: float) -> float:
    """Seconds left, at most `most`."""
    return max(min(_until.get() - time.monotonic(), most), 0.0)


def contains(outer: str, inner: str) -> bool:
    """Whether every path that `inner` matches is matched by `outer`; exact. Raises LateError."""
    check_time()
    return _native.contains(inner.encode(), outer.encode())


def head(pattern: str) -> str:
    """The literal octets with which every path that matches begins."""
    return "/" if pattern.startswith("*") else pattern.removesuffix("$").partition("*")[0]


def meet(a: str, b: str) -> bool:
    """Whether there is a path that both match; exact. Raises LateError."""
    check_time()
    if "*" not in (p := glob(a)):
        return _native.matches(b.encode(), p.encode())
    if "*" not in (q := glob(b)):
        return _native.matches(a.encode(), q.encode())
    # Each has a star that matches whatever the other needs; only the ends must fit.
    left, right = head(a), head(b)
    if not (left.startswith(right) or right.startswith(left)):
        return False
    left, right = p.rpartition("*")[2], q.rpartition("*")[2]
    return left.endswith(right) or right.endswith(left)


def intersection(a: str, b: str) -> list[str]:
    """Patterns that together match exactly the paths that both match; none is contained in another.

    Raises:
        TooManyError: there are more than `MOST`, or finding them takes too long.
    """
    if not meet(a, b):
        return []
    if contains(b, a):
        return [pattern(glob(a))]
    if contains(a, b):
        return [pattern(glob(b))]
    return _widest([pattern(one) for one in _common(_rooted(a), _rooted(b))], contains)


def below(written: str, beginning: str) -> list[str]:
    """Patterns that match those paths of a pattern that have a beginning; each has that beginning itself.

    Raises:
        TooManyError: as for `intersection`.
    """
    if beginning == "/":
        return [pattern(whole) for whole in _rooted(written)]
    return intersection(written, beginning)


def _rooted(written: str) -> list[str]:
    """The globs of a pattern that begin with `/`, as all paths do."""
    whole = glob(written)
    if not whole.startswith("*"):
        return [whole]
    rest = whole[1:]
    return ["/" + whole, rest] if rest.startswith("/") else ["/" + whole]


def _common(left: list[str], right: list[str]) -> list[str]:
    return [one for p in left for q in right for one in _Meeting(p, q).globs()]


class _Meeting:
    """The intersection of two globs, computed for each pair of places in them that matters."""

    def __init__(self, p: str, q: str) -> None:
        self._p, self._q = p, q
        self._known: dict[tuple[int, int], list[str]] = {}

    def globs(self) -> list[str]:
        """The globs, for the pairs of places that are reached from both beginnings, the last ones first."""
        waiting = [(0, 0)]
        while waiting:
            at = waiting[-1]
            missing = [one for one in self._further(*at) if one not in self._known]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if at not in self._known:
                self._known[at] = self._at(*at)
            if len(self._known) > MOST_STEPS:
                raise TooManyError
        return self._known[(0, 0)]

    def _further(self, i: int, j: int) -> tuple[tuple[int, int], ...]:
        """The pairs of places that a pair depends on."""
        p, q = self._p, self._q
        if i == len(p) or j == len(q):
            return ()
        if p[i] == "*" or q[j] == "*":
            return (i + 1, j), (i, j + 1)
        return ((i + 1, j + 1),) if p[i] == q[j] else ()

    def _at(self, i: int, j: int) -> list[str]:
        """The intersection of `p` from `i` and `q` from `j`."""
        p, q, known = self._p, self._q, self._known
        if i == len(p) or j == len(q):
            return [""] if not (p[i:] or q[j:]).strip("*") else []
        star, other = p[i] == "*", q[j] == "*"
        if not star and not other:
            return [p[i] + one for one in known[i + 1, j + 1]] if p[i] == q[j] else []
        left, right = known[i + 1, j], known[i, j + 1]
        if star and other:
            # One of the two stars matches at least as much as the other.
            return _widest_globs(["*" + one.lstrip("*") for one in (*left, *right)])
        if star:
            return _widest_globs([*left, *(q[j] + one for one in right)])
        return _widest_globs([*right, *(p[i] + one for one in left)])


def _widest_globs(globs: list[str]) -> list[str]:
    return _widest(globs, _glob_contains)


def _glob_contains(outer: str, inner: str) -> bool:
    # After its `/` a pattern is a glob.
    return contains(f"/{outer}$", f"/{inner}$")


def _widest(candidates: list[str], contained: Callable[[str, str], bool]) -> list[str]:
    """The globs that no other one contains, in order."""
    if len(candidates) < 2:
        return candidates
    kept: list[str] = []
    for candidate in dict.fromkeys(candidates):
        if any(contained(other, candidate) for other in kept):
            continue
        kept = [other for other in kept if not contained(candidate, other)]
        kept.append(candidate)
        if len(kept) > MOST:
            raise TooManyError
    return kept

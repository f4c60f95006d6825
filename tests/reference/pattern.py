"""Patterns of paths: what they match, when one contains another, and the draft's comparison.

All patterns and paths here are canonical. `*` is any run of characters, a final `$` the end of the path; a pattern
without it is a prefix (P1 4.5.1, RFC 9309 2.2.3).

Laws: containment is exact inclusion of the sets of paths, all of which start with `/`; the draft's comparison is
antisymmetric.
"""

from __future__ import annotations

from functools import lru_cache

END = "$"
ANY = "*"
FRESH = "\0"  # a character no canonical pattern holds


@lru_cache(20_000)
def glob(pattern: str) -> str:
    """The pattern as one that must match in full: a final `$` dropped, else `*` appended; runs of `*` are one."""
    whole = pattern[:-1] if pattern.endswith(END) else pattern + ANY
    while ANY + ANY in whole:
        whole = whole.replace(ANY + ANY, ANY)
    return whole


@lru_cache(50_000)
def matches_in_full(whole: str, text: str) -> bool:
    """Whether the text is one the glob stands for. A `*` of the text is an ordinary character."""
    first, *runs = whole.split(ANY)
    if not runs:
        return text == first
    *between, last = runs
    if not text.startswith(first):
        return False
    read = len(first)
    for run in between:  # the leftmost place leaves most to the rest
        found = text.find(run, read)
        if found < 0:
            return False
        read = found + len(run)
    return text.endswith(last) and read + len(last) <= len(text)


def matches(pattern: str, path: str) -> bool:
    """Whether the path is one of the pattern's resources."""
    return matches_in_full(glob(pattern), path)


def contains(broad: str, narrow: str) -> bool:
    """Whether every path of `narrow` is a path of `broad`.

    A `*` at the start of `narrow` stands for the `/` all paths start with; any other `*` for a run that `broad` has
    no letters for, so that only a `*` of `broad` can take it.
    """
    whole = glob(narrow)
    forms = [whole]
    if whole.startswith(ANY):
        forms = ["/" + whole]
        if whole.startswith("*/"):
            forms.append(whole[1:])
    return all(matches_in_full(glob(broad), form.replace(ANY, FRESH)) for form in forms)


def same_resources(one: str, other: str) -> bool:
    """Whether both patterns have the same set of paths, as `/`, `/*` and `*` have."""
    return contains(one, other) and contains(other, one)


def draft_says_narrower(one: str, other: str) -> bool:
    """Whether the draft's character-by-character comparison finds `one` narrower than `other` (P1 4.5.2.5.3)."""
    for position in range(max(len(one), len(other))):
        mine = symbol(one, position)
        theirs = symbol(other, position)
        if mine != theirs:
            # A pattern that ran out is broader than any, a final `$` broader than all but that, `*` than all others.
            broadness = {None: 3, END: 2, ANY: 1}
            return broadness.get(mine, 0) < broadness.get(theirs, 0)
    return False


def symbol(pattern: str, position: int) -> str | None:
    """The character at a position; None after the end."""
    return pattern[position] if position < len(pattern) else None

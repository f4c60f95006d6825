"""What a misspelt word may have been.

A slip is one insertion, deletion, replacement or exchange of neighbours. Names are compared folded: lower case, without
blanks, `_` and dashes.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from .text import DASHES, ascii_lower

JOINTS = re.compile(f"[ \t\v\f\xa0_{re.escape(DASHES)}]+")
PROHIBITING = ("disallow", "deny", "forbid", "prohibit", "block")
MARKS = ("acap", "theacap")


@lru_cache(2_000)
def fold(name: str) -> str:
    """A name as names are compared. What is left of a character that was cut is one letter, whatever octets it has."""
    return JOINTS.sub("", ascii_lower(name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")))


@cache
def slips(one: str, other: str) -> int:
    """How many slips make one text the other, none of them where another was."""
    if not one or not other:
        return len(one) + len(other)
    if one[-1] == other[-1]:
        return slips(one[:-1], other[:-1])
    least = min(slips(one[:-1], other), slips(one, other[:-1]), slips(one[:-1], other[:-1]))
    if one[-2:] == other[-2:][::-1] and len(one) > 1:
        least = min(least, slips(one[:-2], other[:-2]))
    return least + 1


def slipped(one: str, other: str) -> bool:
    """Whether one slip at most makes one text the other: beside what both begin and end with, little may be left."""
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])


def may_permit(word: str) -> bool:
    """Whether a word that prohibits, being two slips from `disallow`, may be `allow` by one."""
    return verb(word) == ("disallow", 2) and slipped(word, "allow")


def verb(word: str) -> tuple[str, int] | None:
    """What a word says where a verb is due, and by how many slips: `allow`, `disallow`, or `allow` that has slipped."""
    if word == "allow":
        return "allow", 0
    if word in PROHIBITING:
        return "disallow", 0
    if abs(len(word) - len("disallow")) <= 2 and slips(word, "disallow") <= 2:
        return "disallow", slips(word, "disallow")
    return ("slipped", 1) if slipped(word, "allow") else None

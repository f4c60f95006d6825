"""What blanks, dashes and letters are: those of ASCII, and the Unicode dashes that word processors put for hyphens."""

from __future__ import annotations

import re
from functools import lru_cache

BLANKS = " \t\v\f"
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
BLANK_RUN = re.compile(f"[{BLANKS}]+")
SEPARATOR_RUN = re.compile(f"[{BLANKS}{re.escape(DASHES)}]+")
CONTROLS = "".join(map(chr, (*range(9), *range(14, 32), 127)))
WITHOUT_CONTROLS = dict.fromkeys(map(ord, CONTROLS))
UNSEEN = re.compile("[\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\udca0]+")  # no-break spaces, marks
NAME = re.compile(r"[A-Za-z0-9._-]*")
LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def ascii_lower(text: str) -> str:
    """Lower case of the letters A to Z; every other character stays."""
    return text.translate(LOWER)


def without_controls(text: str) -> str:
    """The text less its control characters; what they divided is whole again."""
    left = text.translate(WITHOUT_CONTROLS)
    return left if left == text else left.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def before_control(text: str) -> str:
    """The text up to its first control character, without blanks at the ends."""
    return re.split(f"[{re.escape(CONTROLS)}]", text, maxsplit=1)[0].strip(BLANKS)


def hyphened(name: str) -> str:
    """A name in lower case, each run of blanks and dashes one hyphen."""
    return SEPARATOR_RUN.sub("-", ascii_lower(name))


def tokens(value: str) -> list[str]:
    """The words between blanks."""
    return [token for token in BLANK_RUN.split(value) if token]


@lru_cache(20_000)
def leading_name(text: str) -> str:
    """The leading run of the characters names are made of, lower case (P1 4.5.6)."""
    found = NAME.match(text)
    return ascii_lower(found[0]) if found else ""

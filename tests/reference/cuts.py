"""Lines that a limit cut: whether their field can be told, and what is left of a pattern.

What a limit cuts is replaced by the strictest that it may have been (P1 4.6).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .acap_fields import STATEMENT, is_known, read_acap_field
from .conventional import AGENT, ALLOW, DISALLOW, SPELLINGS, WHOLE_NAMES, is_acap_line, key_of, kind_of, without_unseen
from .lines import Line
from .text import BLANKS, ascii_lower, hyphened, tokens, without_controls

DECIDING = [
    *(name for kind in (AGENT, ALLOW, DISALLOW) for name in SPELLINGS[kind]),
    "robot-version",
    "content-signals",
    "content-usage",
    "license",
    "licence",
]
HALF_MARK = re.compile("acap[\udce2\udcef]", re.IGNORECASE)  # the cut went through a dash


def torn_line(lines: Iterable[Line], *, acap: bool) -> int | None:
    """The number of the first line that may have been anything."""
    return next((line.number for line in lines if line.cut and may_be_anything(line, acap=acap)), None)


def may_be_anything(line: Line, *, acap: bool) -> bool:
    """Whether the field of a cut line cannot be told from what was read."""
    text = without_controls(line.text)
    read = text.strip(BLANKS)
    if read.startswith("#"):
        return False
    if is_acap_line(read):
        return acap and not is_acap_name_read(line, text.lstrip(BLANKS))
    if acap and (
        HALF_MARK.match(read) or (kind_of(key_of(read)) not in {*SPELLINGS, *WHOLE_NAMES} and may_be_marked(read))
    ):
        return True
    if ":" in read:
        return kind_of(key_of(read.partition(":")[0])) == "robot-version"
    begun = without_unseen(ascii_lower(read))
    if kind_of(begun) == DISALLOW:
        return False
    return any(name.startswith(begun) or begun.startswith(name) for name in DECIDING)


def may_be_marked(read: str) -> bool:
    """Whether a line may begin with a mark of ACAP that a slip changed, for all that was read of it."""
    letters = [letter for letter in ascii_lower(read) if letter.isascii() and letter not in f"{BLANKS}-_"]
    missing = list("acapacap")[: max(0, 8 - len(letters))]
    first = letters + missing
    return sum(letter in "acp" for letter in first[:5]) >= 3 or sum(letter in "theacp" for letter in first[:8]) >= 6


def is_acap_name_read(line: Line, text: str) -> bool:
    """Whether the name of an ACAP field was read whole, or at least that it permits or prohibits."""
    if re.match("acap-(?:dis)?allow-.", hyphened(text.strip(BLANKS))):
        return True
    first, *more = tokens(text)
    if more and is_known(name := hyphened(first)) and not STATEMENT.match(name):
        return True  # a blank ends it, whatever follows
    found = read_acap_field(line)
    if found is None or found.guessed:
        return False
    if STATEMENT.match(found.name):
        return found.usage_name != ""
    return ":" in text or text != text.rstrip(BLANKS) or hyphened(text) != found.name

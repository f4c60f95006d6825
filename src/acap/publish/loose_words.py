"""Words behind a restriction that complete its value: `time-limit=7 days`, which is `time-limit=7-days`.

A value has no blanks (P1 4.5.6), so its first word is no value and the others are nothing. Law: what is offered instead
is a value to the reader, or nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from acap.outline import Field, Span
from acap.robots import parse_robots

LONGEST = 1_000
"""Letters of a value in which words are looked at one by one: no person writes more."""
_MOST = 3
"""Words that a value may lack: `within user frame` lacks two."""
_COUNT = re.compile(r"(\d+)[\s_-]*(day|char|word)s?", re.IGNORECASE)


class LooseWords(NamedTuple):
    """A restriction whose value has blanks: its name, the value as written and as it should be, and their place.

    `words` are the places of the words behind its first.
    """

    name: str
    written: str
    value: str
    span: Span
    words: tuple[Span, ...] = ()

    @property
    def mistake(self) -> str:
        """What is wrong, in one clause."""
        return f"`{self.name}={self.written}` has a blank, which ends the value"

    @property
    def fix(self) -> str:
        """What to write."""
        return f"write `{self.name}={self.value}`"


def spelt(name: str, value: str) -> str | None:
    """A value that is a number and its unit as it must be written; none if it is something else."""
    match = _COUNT.fullmatch(value.strip())
    unit = "" if match is None else match[2].lower()
    units = {"time-limit": ("day",), "max-length": ("char", "word")}.get(name.lower(), ())
    return f"{match[1]}-{unit}s" if match is not None and unit in units else None


def completed(name: str, value: str, following: Sequence[str]) -> tuple[int, str] | None:
    """How many of the words that follow complete a value, and the value; none if they do not."""
    if _is_value(name, value):
        return None
    for number in range(1, min(_MOST, len(following)) + 1):
        whole = "-".join(one.strip("-") for one in (value, *following[:number]))
        for one in filter(None, (spelt(name, whole), whole)):
            if _is_value(name, one):
                return number, one
    return None


@lru_cache
def _is_value(name: str, value: str) -> bool:
    line = f"ACAP-crawler: *\nACAP-allow-preserve: / {name}={value}\n"
    found = parse_robots(line.encode("utf-8", "surrogateescape"))
    return not any(problem.severity == "error" for problem in found.problems)


def loose_words(field: Field) -> tuple[LooseWords, ...]:
    """The restrictions of a field whose values have blanks."""
    if len(field.value) > LONGEST:
        return ()
    words = sorted((word for word in field.words if word.role in ("qualifier", "resource")), key=lambda one: one.span)
    loose: list[LooseWords] = []
    for place, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if word.role != "qualifier" or not equals:
            continue
        following = []
        for later in words[place + 1 : place + 1 + _MOST]:
            if "=" in later.text or later.text.startswith(("/", "*")):
                break
            following.append(later)
        whole = completed(name.strip(), value.strip(), [one.text for one in following])
        if whole is not None:
            rest = following[: whole[0]]
            text = " ".join((value.strip(), *(one.text for one in rest)))
            span = Span(word.span.start, rest[-1].span.end)
            loose.append(LooseWords(name.strip(), text, whole[1], span, tuple(one.span for one in rest)))
    return tuple(loose)

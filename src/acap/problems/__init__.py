"""What readers find wrong: a catalogue of codes, and the sentences for them.

The native core names a code, a place and the words that matter; the sentence is made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from acap.outline import Span
from acap.problems.acap_fields import ACAP_FIELDS
from acap.problems.ai_txt import AI_TXT
from acap.problems.cawg import CAWG
from acap.problems.embedded import EMBEDDED
from acap.problems.kind import Doc, DocumentKind, Example, Long, ProblemKind, Severity
from acap.problems.pages import PAGES
from acap.problems.response import RESPONSE
from acap.problems.robots_txt import ROBOTS_TXT
from acap.problems.rsl import RSL
from acap.problems.tdmrep import TDMREP
from acap.problems.visible import visible


class Problem(NamedTuple):
    """Something wrong, and where; `line` and `column` count from 1 (0: the file as a whole).

    In `message` and `fix` foreign text is shown as `visible` has it; `words` and `text` are as they were read.
    `words` are what the message is about, in the order of its numbers: a reader's word is `""` where it has none.
    `span` is the octets of the policy's text that it is about: a word, a name or a whole field. It is None for a
    problem of a whole file, and in pages, whose text was decoded in many ways.
    """

    code: str
    severity: Severity
    line: int
    column: int
    message: str
    fix: str | None = None
    text: str = ""
    words: tuple[str, ...] = ()
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.severity}: {self.message} [{self.code}]"


CATALOGUE: Mapping[str, ProblemKind] = MappingProxyType(
    {**ROBOTS_TXT, **ACAP_FIELDS, **PAGES, **EMBEDDED, **RESPONSE, **RSL, **TDMREP, **CAWG, **AI_TXT}
)
"""Every code with what it means."""


def of_the_whole(problems: Sequence[Problem]) -> Sequence[Problem]:
    """What to tell people: of a file that is not a robots.txt the one problem that says so, else every one."""
    return [one for one in problems if one.code == "no-robots-txt"] or problems


def legible(text: str) -> str:
    """A stranger's text in one line, with U+FFFD for what a terminal would obey and for what UTF-8 does not have."""
    return "".join(mark if mark.isprintable() else "\ufffd" for mark in " ".join(text.split()))


def problem(
    code: str, line: int, column: int, words: Iterable[str], text: str, span: tuple[int, int] | None = None
) -> Problem:
    """The problem of a code found at a place."""
    kind = CATALOGUE[code]
    words = tuple(words)
    shown = [visible(word) for word in words]
    fix = kind.fix
    if fix is not None:
        used = [number for number in range(len(words)) if f"{{{number}}}" in fix]
        fix = None if any(not words[number] for number in used) else fix.format(*shown)
    message, at = kind.message.format(*shown), None if span is None else Span(*span)
    return Problem(code, kind.severity, line, column, message, fix, text, words, at)


__all__ = [
    "CATALOGUE",
    "Doc",
    "DocumentKind",
    "Example",
    "Long",
    "Problem",
    "ProblemKind",
    "Severity",
    "legible",
    "problem",
]

"""An entry of the catalogue of problems, and the documents that show it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "info"]
DocumentKind = Literal["robots", "page", "headers", "tdmrep", "tdm-policy", "ai-txt", "rsl", "cawg"]


class Long(NamedTuple):
    """A text that is too long to be written out: a beginning, and then a piece again and again."""

    beginning: str
    piece: str
    times: int


class Example(NamedTuple):
    """A document that shows a problem or a rule of lint; `bad` has the finding and `good` has it not.

    `fixed` is what `--fix --unsafe-fixes` makes of `bad`, where the rule has a fix: None if it fixes nothing.
    """

    bad: str | bytes | Long
    good: str | bytes | Long
    fixed: str | bytes | None = None
    kind: DocumentKind = "robots"


class Doc(NamedTuple):
    """What a person should know of a problem: in a line, why it matters, and how it is written well."""

    summary: str
    why: str
    examples: tuple[Example, ...]
    kinds: tuple[DocumentKind, ...] = ("robots",)


class ProblemKind(NamedTuple):
    """One entry of the catalogue: how bad it is, what it says, what to do about it, and the clause.

    `{0}`, `{1}` are the words that the reader names; a sentence with an empty word is left out where it is a fix.
    `doc` is None where lint has a file for it, as it can mend it, or where lint does not read such documents. Then
    `why` says why it matters.
    """

    severity: Severity
    message: str
    fix: str | None = None
    clause: str = ""
    doc: Doc | None = None
    why: str = ""

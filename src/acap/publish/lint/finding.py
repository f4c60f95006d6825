"""A finding: what a rule says of a place in a document, and how it could be fixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from acap.problems import Severity


class Edit(NamedTuple):
    """Octets of the document's text from `start` up to `end`, to be replaced by others."""

    start: int
    end: int
    octets: bytes


class Fix(NamedTuple):
    """Edits that fix a finding; `safe`: no decision can become looser by it, and what was meant is beyond doubt."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


class Related(NamedTuple):
    """Another place that belongs to a finding: its line, and what it has to do with it."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found.

    `line` and `column` count from 1, columns in characters; line 0 is the document as a whole. `start` and `end` are
    octets of the document's text: what a caret underlines. `witness` is a URL's path at which it shows. If a
    finding says how many more there are, `stands_for` is the code of the others, and their number.
    """

    code: str
    severity: Severity
    message: str
    line: int
    column: int
    start: int
    end: int
    help: str | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    witness: str | None = None
    stands_for: tuple[str, int] | None = None

    @property
    def counted(self) -> tuple[str, int]:
        """What it counts as: a code, and how many findings of it."""
        return self.stands_for or (self.code, 1)


class RuleFindings(NamedTuple):
    """The findings of one rule in a document.

    `reported` are the first of those that no comment ignores; `more` stands for the others, if there are any.
    `anywhere` says whether the rule found anything at all, and `marked` are lines of findings on which a comment
    ignores something.
    """

    reported: tuple[Finding, ...] = ()
    more: Finding | None = None
    anywhere: bool = False
    marked: frozenset[int] = frozenset()

"""What the fixes of problems share: the words of a problem, a place in a line, and the check that nothing changed.

A fix that is safe because it changes no meaning is proved by the readers themselves: the line is read with and without
it, and what is read must be the same. Nothing here reads a robots.txt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from acap.outline import Span
from acap.problems import Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.robots import parse_robots

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""

UNSEEN = re.compile("[\u00a0\u00ad\u2000-\u200f\u202a-\u202f\u2060\u3000\ufeff]")
"""Letters that nobody sees."""


def eol(document: Document) -> bytes:
    """The line end that the document uses: its first."""
    match = re.search(rb"\r\n?|\n", document.text)
    return match[0] if match else b"\n"


def line_start(document: Document, line: int) -> int:
    """The octet at which a line begins, behind a byte order mark."""
    start = document.starts[line - 1]
    return start + len(MARK) if line == 1 and document.text.startswith(MARK) else start


def line_end(document: Document, line: int) -> int:
    """The octet behind a line and its end."""
    return document.starts[line] if line < len(document.starts) else len(document.text)


def removal(document: Document, line: int) -> Edit:
    """The edit that takes a whole line away."""
    return Edit(line_start(document, line), line_end(document, line), b"")


def insertion(document: Document, line: int, octets: bytes) -> Edit:
    """The edit that puts a line above another."""
    at = line_start(document, line)
    return Edit(at, at, octets + eol(document))


def token(document: Document, problem: Problem, new: str) -> tuple[Edit, ...]:
    """The edit that replaces the word that a problem is about; none if it is not written as it is read."""
    word, span = problem.words[0].encode(), problem.span
    return (Edit(*span, new.encode()),) if word and span and document.outline.octets(span) == word else ()


def within(document: Document, problem: Problem, pattern: str, new: str) -> tuple[Edit, ...]:
    """The edit that replaces what the pattern finds first in what a problem is about, in any case."""
    return () if problem.span is None else changed(document, problem.span, pattern, new)


def changed(document: Document, span: Span, pattern: str, new: str) -> tuple[Edit, ...]:
    """The edit that replaces what the pattern finds first at a place, in any case."""
    octets = document.outline.octets(span)
    if match := re.search(pattern.encode(), octets, re.IGNORECASE):
        start = span.start + match.start()
        return (Edit(start, span.start + match.end(), match.expand(new.encode())),)
    return ()


def edited(octets: bytes, edits: Sequence[Edit], offset: int = 0) -> bytes:
    """The octets, of which the first stands at `offset`, with edits that do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        octets = octets[: edit.start - offset] + edit.octets + octets[edit.end - offset :]
    return octets


def _reading(line: bytes, code: str) -> tuple[object, int]:
    """What an ACAP line says in a record by itself, and how many problems of a code it has."""
    policy = parse_robots(b"ACAP-crawler: *\n" + line)
    statements = [
        (
            statement.cited.effect,
            statement.cited.usage,
            statement.crawlers,
            statement.purposes,
            statement.pattern,
            statement.restrictions,
        )
        for statement in policy.statements
    ]
    other = [(problem.code, problem.message) for problem in policy.problems if problem.code != code]
    requests = [(one.action, one.path) for one in policy.action_requests("any")]
    meaning = (statements, other, requests, policy.references("any"), policy.crawlers, policy.purposes)
    return meaning, sum(problem.code == code for problem in policy.problems)


_LONGEST, _MOST = 1_000, 1_000
"""Longest line, and most findings per code, that are read again to prove a fix: no person writes more."""


def unchanged(document: Document, problem: Problem, edits: Sequence[Edit]) -> bool:
    """Whether an ACAP line says with the edits what it says without them, and has a problem less."""
    line = document.line_octets(problem.line).removeprefix(MARK)
    if len(line) > _LONGEST or len(document.problems[problem.code]) > _MOST:
        return False
    before, count = _reading(line, problem.code)
    offset = document.starts[problem.line - 1]
    if problem.line == 1 and document.text.startswith(MARK):
        offset += len(MARK)
    after, left = _reading(edited(line, edits, offset), problem.code)
    return before == after and left < count


def rewrite(document: Document, problem: Problem, title: str, edits: Sequence[Edit]) -> Fix | None:
    """The safe fix that changes the writing of an ACAP line and not its meaning; none if it would change more."""
    if not edits or not unchanged(document, problem, edits):
        return None
    return Fix(title, tuple(edits))

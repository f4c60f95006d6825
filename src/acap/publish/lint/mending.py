"""What the fixes of problems share: the words of a problem, a place in a line, and the check that nothing changed.

A fix that is safe because it changes no meaning is proved by the readers themselves: the line is read with and without
it, and what is read must be the same. Nothing here reads a robots.txt.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from acap.problems import CATALOGUE, Problem
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.regex import late
from acap.publish.lint.rule import field_span
from acap.robots import parse_robots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acap.publish.lint.document import Document

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8."""

DASHES = rb"(?:[-\s]|\xe2\x80[\x90-\x95]|\xe2\x88\x92|\xef\xb9[\x98\xa3]|\xef\xbc\x8d)+"
"""What reads as a hyphen in the name of an ACAP field."""

UNSEEN = late("[\u00a0\u00ad\u2000-\u200f\u202a-\u202f\u2060\u3000\ufeff]")
"""Letters that nobody sees."""

CRAWLER = late(rb"\s*ACAP" + DASHES + rb"crawler(?![A-Za-z0-9_.])", re.IGNORECASE)
"""How a line begins that names a crawler to ACAP."""

_BEFORE = frozenset(b" \t\n\r\f\v,:")
_AFTER = frozenset(b" \t\n\r\f\v,")


@cache
def _pattern(code: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\d)\}", CATALOGUE[code].message)
    seen: set[str] = set()
    out = []
    for number, part in enumerate(parts):
        if number % 2 == 0:
            out.append(re.escape(part))
        elif part in seen:
            out.append(f"(?P=w{part})")
        else:
            seen.add(part)
            out.append(f"(?P<w{part}>.*)")
    return re.compile("".join(out), re.DOTALL)


def words(problem: Problem) -> tuple[str, ...]:
    """The words that the reader named, in the order of their numbers; none where the message has none."""
    found = _pattern(problem.code).fullmatch(problem.message)
    return () if found is None else tuple(word for _, word in sorted(found.groupdict().items()))


def one_slip(a: str, b: str) -> bool:
    """Whether a name is another, or becomes it by one letter more, less or other, or by two exchanged."""
    if a == b:
        return True
    same = next((place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    a, b = a[same:], b[same:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def eol(document: Document) -> bytes:
    """The line end that the document uses: its first."""
    found = re.search(rb"\r\n?|\n", document.text)
    return found[0] if found else b"\n"


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


def token(document: Document, line: int, word: str, new: bytes) -> tuple[Edit, ...]:
    """The edit that replaces a word that stands by itself in the field of a line; none if it is not there so."""
    start, end = field_span(document, line)
    octets, at = word.encode(), start
    while octets and (at := document.text.find(octets, at, end)) >= 0:
        beyond = at + len(octets)
        if (at == start or document.text[at - 1] in _BEFORE) and (beyond == end or document.text[beyond] in _AFTER):
            return (Edit(at, beyond, new),)
        at += 1
    return ()


def within(document: Document, line: int, pattern: bytes, new: bytes) -> tuple[Edit, ...]:
    """The edit that replaces what the pattern finds first in the field of a line, in any case."""
    start, end = field_span(document, line)
    found = re.search(pattern, document.text[start:end], re.IGNORECASE)
    return () if found is None else (Edit(start + found.start(), start + found.end(), found.expand(new)),)


def edited(octets: bytes, edits: Sequence[Edit], offset: int = 0) -> bytes:
    """The octets, of which the first stands at `offset`, with edits that do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        octets = octets[: edit.start - offset] + edit.octets + octets[edit.end - offset :]
    return octets


def _reading(line: bytes, code: str) -> tuple[object, int]:
    """What an ACAP line says in a record by itself, and how many problems of a code it has."""
    policy = parse_robots(b"ACAP-crawler: *\n" + line)
    said = [
        (one.cited.effect, one.cited.usage, one.crawlers, one.purposes, one.pattern, one.restrictions)
        for one in policy.statements
    ]
    other = [(one.code, one.message) for one in policy.problems if one.code != code]
    requests = [(one.action, one.path) for one in policy.action_requests("any")]
    meaning = (said, other, requests, policy.references("any"), policy.crawlers, policy.purposes)
    return meaning, sum(one.code == code for one in policy.problems)


_LONGEST, _MOST = 1_000, 1_000
"""So long a line, and so many findings of a code, are still read again to prove a fix: no person writes more."""


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

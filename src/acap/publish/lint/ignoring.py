"""`# acap: ignore[code]`: findings that the author of a document does not want to see.

    Disallow: /a*b    # acap: ignore[idle-statement]    findings of that rule on this line; without codes all findings
    # acap: ignore-file[idle-statement]                 findings of that rule in the document

In a page the same words stand in `<!-- acap: ignore[code] -->`, on the line of the finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from acap.publish.lint.finding import Finding

UNUSED = "unused-ignore"  # the rule on marks, which a mark must name to silence it

_WORDS = rb"acap:[ \t]*ignore(?P<file>-file)?(?![\w-])(?P<list>[ \t]*\[(?P<codes>[^\]\r\n]{0,2000})\]?)?"
_IN_ROBOTS = re.compile(rb"#[ \t]*" + _WORDS, re.IGNORECASE)
_IN_PAGE = re.compile(rb"<!--[ \t]*" + _WORDS + rb"[^>\r\n]{0,2000}-->", re.IGNORECASE)
_CODE = rb"[^\s,]+"


class IgnoreMark(NamedTuple):
    """One `acap: ignore`: its line, its octets in the text, the codes it names; `bare`: it is about every code."""

    line: int
    start: int
    end: int
    codes: tuple[str, ...]
    bare: bool
    whole_file: bool

    def covers(self, finding: Finding) -> bool:
        """Whether it is about a finding."""
        about = finding.code != UNUSED if self.bare else finding.code in self.codes
        return about and (self.whole_file or finding.line == self.line)


class Ignoring:
    """The marks of a document, each looked for where a finding is."""

    def __init__(self, marks: tuple[IgnoreMark, ...]) -> None:
        self.marks = marks
        of_file = [mark for mark in self.marks if mark.whole_file]
        self._silent = {code for mark in of_file for code in mark.codes}
        self._mute = any(mark.bare for mark in of_file)
        self._of_line: dict[int, list[IgnoreMark]] = {}
        for mark in self.marks:
            self._of_line.setdefault(mark.line, []).append(mark)

    def marks_line(self, line: int) -> bool:
        """Whether a mark stands on a line."""
        return line in self._of_line

    def silences(self, code: str) -> bool:
        """Whether all findings of a code are ignored."""
        return code in self._silent or (self._mute and code != UNUSED)

    def ignores(self, finding: Finding) -> bool:
        """Whether a mark is about a finding."""
        return self.silences(finding.code) or any(mark.covers(finding) for mark in self._of_line.get(finding.line, ()))


def marks(text: bytes, line_of: Callable[[int], int], *, in_page: bool) -> Iterator[IgnoreMark]:
    """Every mark in a text, in order; `line_of` tells the line of an octet."""
    lowered = text.lower()
    if b"ignore" not in lowered or b"acap:" not in lowered:
        return  # Most documents have none: a search for two words is cheaper than the pattern.
    for match in (_IN_PAGE if in_page else _IN_ROBOTS).finditer(text):
        line = line_of(match.start())
        words = re.findall(_CODE, match["codes"] or b"")
        codes = tuple(dict.fromkeys(word.decode("utf-8", "replace") for word in words))
        yield IgnoreMark(line, match.start(), match.end(), codes, match["list"] is None, match["file"] is not None)

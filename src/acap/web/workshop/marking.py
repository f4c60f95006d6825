"""What the editor marks in the text: what each line comes to, the findings with their places, and what a line says.

Places are those of the text that the form carries: a line from 1, and in it UTF-16 units, as a browser counts. A fix is
only named here; what it does to the text is worked out when somebody asks for it.
"""

from __future__ import annotations

from bisect import bisect_right
from codecs import BOM_UTF8
from typing import Any

from acap.explain import visible
from acap.publish.line_words import line_sentences
from acap.publish.lint.catalogue import chosen, rule
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.run import all_findings
from acap.web.workshop.deciding_lines import SIGNS, LineMark, shown_lines
from acap.web.workshop.linting import MOST, document_of, is_partial, key_of
from acap.web.workshop.workspace import CRAWLER, Workspace

COMPARING = ("contradiction-in-doubt", "dialects-disagree", "idle-statement")
"""Rules that compare lines with each other, and are left out where that takes longer than somebody types."""

_PLAIN = (LineMark.BLANK, LineMark.COMMENT)
_SENTENCES = 12
_RELATED = 5


def marks(space: Workspace) -> dict[str, Any]:
    """What the editor shows of the text, as `json.dumps` takes it.

    Each line that decides something or could has a mark, a sign and words. What `pending` rules find is not known yet:
    what they found before stays.
    """
    document = document_of(space)
    try:
        findings, failed = all_findings(document, chosen())
    except ImportError:
        findings, failed = (), ("pages are not read here: the server lacks a package for it",)
    partial = is_partial(space, document)
    return {
        "kind": space.kind,
        "lines": _lines(space),
        "findings": [_finding(space, document, finding) for finding in findings[:MOST]],
        "more": max(len(findings) - MOST, 0),
        "failed": list(failed),
        "pending": list(COMPARING) if partial else [],
    }


def _lines(space: Workspace) -> list[list[int | str]]:
    if space.kind != "robots" or not space.text:
        return []
    policy = space.policy
    try:
        shown = shown_lines(policy, space.question, 1, len(policy.lines), space.encoding)
    except ValueError:
        return []  # the fields of the question say what is wrong with it
    return [[one.number, one.mark, SIGNS[one.mark], one.says] for one in shown if one.mark not in _PLAIN]


def _finding(space: Workspace, document: Document, finding: Finding) -> dict[str, Any]:
    fix = finding.fix
    return {
        "key": key_of(finding),
        "code": finding.code,
        "severity": finding.severity,
        "message": visible(finding.message),
        "help": visible(finding.help or ""),
        "why": rule(finding.code).why,
        "line": finding.line,
        "start": _place(space, document, finding.start) if finding.line else [1, 0],
        "end": _place(space, document, finding.end) if finding.line else [1, 0],
        "fix": None if fix is None else {"title": visible(fix.title), "safe": fix.safe},
        "related": [[other.line, visible(other.message)] for other in finding.related[:_RELATED]],
    }


def _place(space: Workspace, document: Document, octet: int) -> list[int]:
    """The line and the UTF-16 units before an octet of the document's text."""
    starts = document.starts
    line = max(bisect_right(starts, octet), 1)
    start = starts[line - 1] if starts else 0
    encoding = space.encoding if document.editable else "utf-8"
    before = document.text[start:octet].rstrip(b"\r\n").decode(encoding, "replace")
    # What the reader takes for a mark of the encoding is a character of the text.
    is_marked = line == 1 and space.text.startswith("\ufeff") and not document.text.startswith(BOM_UTF8)
    return [line, len(before.encode("utf-16-le", "replace")) // 2 + is_marked]


def line_sentences_json(space: Workspace) -> dict[str, Any]:
    """What a line of the text says to whom, as `json.dumps` takes it; the line is the form's."""
    number = space.form["at_line"]
    line = int(number[:7]) if number.isascii() and number.isdigit() else 0
    asked = (space.crawler or CRAWLER).partition(",")[0].strip()
    sentences = list(dict.fromkeys(line_sentences(document_of(space), line, asked=asked)))
    return {
        "sentences": [list(one) for one in sentences[:_SENTENCES]],
        "more": max(len(sentences) - _SENTENCES, 0),
    }

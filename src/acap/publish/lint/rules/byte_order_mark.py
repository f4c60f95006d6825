"""A byte order mark before the first line."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.rule import Rule

MARK = b"\xef\xbb\xbf"


def check(document: Document) -> Iterator[Finding]:
    """A finding at the mark."""
    if document.octets.startswith(MARK) and document.editable:
        first = document.lines[0].kind if document.lines else "blank"
        if first in ("blank", "comment"):
            return  # whoever does not know the mark passes over a line that says nothing
        yield RULE.finding(
            document,
            0,
            len(MARK),
            "the file begins with a byte order mark, which some crawlers read as part of the first line",
            help="save the file as UTF-8 without it",
            fix=Fix("remove the mark", (Edit(0, len(MARK), b""),)),
        )


RULE = Rule(
    code="byte-order-mark",
    summary="the file begins with a byte order mark",
    severity="info",
    why=(
        "Some editors write three octets before the text to mark it as UTF-8. Google and readers of RFC 9309 skip "
        "them. Simple readers do not: they do not see a User-agent line in the first line, and lose the rules below it."
    ),
    clause="RFC 9309 2.3",
    examples=(
        Example(
            bad=b"\xef\xbb\xbfUser-agent: *\nDisallow: /private/\n",
            good=b"User-agent: *\nDisallow: /private/\n",
            fixed=b"User-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
    fix="safe",
)

"""Lines that end in a carriage return alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.rule import Rule

_ALONE = re.compile(rb"(?<!\r)\r(?![\r\n])(?=.)", re.DOTALL)
_JOINED = re.compile(rb"\S[ \t]*(\r)[ \t]*[^\s#]")
"""One between two lines that say something; that of an empty line is a blank before the next, and a comment may end
any line."""


_PERMIT = frozenset({"User-agent", "Allow", "Disallow", "blank", "comment"})


def check(document: Document) -> Iterator[Finding]:
    """A finding at the first such line, unless the file only permits."""
    text = document.text
    if b"\r" not in text or (match := _JOINED.search(text)) is None:
        return
    # Who takes all for one line permits all, as the file does.
    if document.kinds.keys() <= _PERMIT and not any(
        rule.value for rule in document.path_rules if rule.kind == "Disallow"
    ):
        return
    line, _ = document.place(match.start(1))
    mended = _ALONE.sub(b"\n", text)
    yield RULE.at_line(
        document,
        line,
        "the line ends in CR alone; readers that know only LF join it with the next",
        help="save the file with LF or CRLF",
        fix=Fix("end lines in LF", (Edit(0, len(text), mended),)),
    )


RULE = Rule(
    code="carriage-return-lines",
    summary="lines end in CR alone",
    severity="warning",
    why=(
        "Until 2001 the Macintosh ended lines in CR alone, and RFC 9309 makes crawlers accept it. Not all programs do: "
        "one that looks for LF sees the whole file as one line, often a comment."
    ),
    clause="RFC 9309 2.2",
    examples=(
        Example(
            bad="User-agent: *\rDisallow: /private/",
            good="User-agent: *\nDisallow: /private/",
            fixed="User-agent: *\nDisallow: /private/",
        ),
    ),
    check=check,
    fix="safe",
)

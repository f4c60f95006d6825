"""A document of a word processor where a robots.txt should be."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_BEGINS = b"{\\rtf"


def check(document: Document) -> Iterator[Finding]:
    """A finding on the first line, if it is that of RTF."""
    if document.text[:64].lstrip(b"\xef\xbb\xbf\r\n\t ").startswith(_BEGINS):
        line, _ = document.place(document.text.find(_BEGINS))
        yield RULE.at_line(
            document,
            line,
            "this is rich text (RTF), not a robots.txt: its lines end in `\\`, and no rule in it holds as it is meant",
            help="save it as plain text",
        )


RULE = Rule(
    code="rich-text",
    summary="the file is rich text (RTF)",
    severity="error",
    why=(
        "TextEdit, WordPad and word processors save rich text unless they are told otherwise. The file looks like a "
        "robots.txt in them, but what the server sends begins with `{\\rtf1` and has control words between the lines: "
        "`Disallow: /private/\\` disallows only a path with a backslash. In TextEdit, choose Format, Make Plain Text."
    ),
    clause="RFC 9309 2.3",
    examples=(
        Example(
            bad="{\\rtf1\\ansi\n\\f0\\fs24 User-agent: *\\\nDisallow: /private/\\\n}\n",
            good="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
)

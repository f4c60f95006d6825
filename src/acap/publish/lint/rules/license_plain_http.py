"""A License line with a document of plain http."""

from __future__ import annotations

from collections.abc import Iterator

from acap.dialects.well_known import is_plain
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each such line."""
    if not document.kinds["License"]:
        return
    for extension in document.extensions:
        if extension.field == "License" and is_plain(extension.value):
            yield RULE.at_line(
                document,
                extension.line,
                f"`{extension.value}` is plain http, and a licence document that comes by it licenses nothing",
                help="serve the licence document by https, and write its URL so",
            )


RULE = Rule(
    code="license-plain-http",
    summary="a License line has a URL of plain http",
    severity="warning",
    why=(
        "On the way of plain http anybody can write terms of their own into a document. RSL asks for https; a careful "
        "crawler keeps to what such a document prohibits, and takes nothing that it offers."
    ),
    clause="RSL 1.0 4",
    examples=(
        Example(
            bad="User-agent: *\nAllow: /\n\nLicense: http://example.com/license.xml\n",
            good="User-agent: *\nAllow: /\n\nLicense: https://example.com/license.xml\n",
        ),
    ),
    check=check,
)

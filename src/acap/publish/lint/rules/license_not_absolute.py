"""A License line without an absolute URI."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:\S+", re.IGNORECASE)


def check(document: Document) -> Iterator[Finding]:
    """A finding for each such line."""
    if not document.kinds["License"]:
        return
    for extension in document.extensions:
        if extension.field == "License" and not _ABSOLUTE.fullmatch(extension.value):
            yield RULE.at_line(
                document,
                extension.line,
                f"`{extension.value}` is not an absolute URI, and a License line needs one",
                help="write the whole URL of the licence document",
            )


RULE = Rule(
    code="license-not-absolute",
    summary="a License line has no absolute URI",
    severity="warning",
    why=(
        "A License line gives the whole URI of an RSL licence document. A crawler that cannot find the document does "
        "not know the terms: a careful one treats the content as unlicensed, and others see no licence at all."
    ),
    clause="RSL 1.0, robots.txt",
    examples=(
        Example(
            bad="User-agent: *\nAllow: /\n\nLicense: /license.xml\n",
            good="User-agent: *\nAllow: /\n\nLicense: https://example.com/license.xml\n",
        ),
    ),
    check=check,
)

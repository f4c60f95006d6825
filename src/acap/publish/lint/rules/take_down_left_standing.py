"""A request to take something down, which prohibits as long as it stands."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each such request."""
    for field in document.acap_fields:
        if field.name == "request-take-down":
            yield RULE.at_line(
                document,
                field.line,
                f"as long as this line is here, its crawlers may not index, keep or show `{field.value}`",
                help="remove the line once the request is met, or prohibit these uses if you mean that",
            )


RULE = Rule(
    code="take-down-left-standing",
    summary="a take-down request prohibits as long as it is in the file",
    severity="info",
    why=(
        "`ACAP-request-take-down` asks for one act. A crawler visits again and again and cannot know whether you ask "
        "anew, so it leaves the resource alone while the line is there. Remove requests that were met."
    ),
    clause="P1 4.5.2.3",
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-request-take-down: /news/story.html\nACAP-allow-index: /\n",
            good="ACAP-crawler: *\nACAP-allow-index: /\n",
        ),
    ),
    check=check,
)

"""A request to take something down, which prohibits as long as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Example, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.publish.lint.document import Document


def check(document: Document) -> Iterator[Finding]:
    """A finding for each such request."""
    for field in document.fields:
        if field.name == "request-take-down":
            yield RULE.at_line(
                document,
                field.line,
                f"as long as this stands, nobody it is addressed to may index, keep or show `{field.value}`",
                help="remove the line once the request was met, or prohibit these uses if that is meant",
            )


RULE = Rule(
    code="take-down-left-standing",
    summary="a request to take down prohibits as long as it stands",
    severity="info",
    why=(
        "`ACAP-request-take-down` asks for one act. A crawler comes by again and again, and cannot know whether it "
        "is asked anew; so it keeps its hands off the resource while the line is there. Requests that were met "
        "should go."
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

"""A blank line inside a group, at which crawlers of 1994 end it."""

from __future__ import annotations

from collections.abc import Iterator

from acap.outline import RULES
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each group with such a line: at the first rule behind it."""
    lines = document.lines
    for group in document.groups:
        first = group.agents[0].line
        blank = False
        for number in range(first, group.body[-1].line if group.body else first):
            kind = lines.kind(number + 1)
            if kind == "blank":
                blank = True
            elif blank and kind in RULES:
                yield RULE.at_line(
                    document,
                    number + 1,
                    f"crawlers that follow the 1994 agreement end the group of line {first} at the blank line above",
                    help="remove the blank line",
                )
                break


RULE = Rule(
    code="blank-line-inside-group",
    summary="a blank line stands inside a group",
    severity="info",
    why=(
        "In the agreement of 1994 blank lines divide records, and rules after one apply to no crawler. RFC 9309 and "
        "today's crawlers ignore blank lines."
    ),
    clause="A Standard for Robot Exclusion, 1994",
    examples=(
        Example(
            bad="User-agent: *\n\nDisallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
    default=False,
)

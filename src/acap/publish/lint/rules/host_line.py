"""Host lines, whose only reader gave them up."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.mending import removal
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Host line."""
    for number in document.lines.numbers("Host"):
        yield RULE.at_line(
            document,
            number,
            "no crawler reads Host lines any more",
            help="redirect the other names of the site to the main one",
            fix=Fix("remove the line", (removal(document, number),)),
        )


RULE = Rule(
    code="host-line",
    summary="a Host line is not read any more",
    severity="info",
    why=(
        "Only Yandex read Host lines, to learn which of several names of a site is the main one. Yandex stopped in "
        "2018 and asks for redirects instead."
    ),
    clause="Yandex, Host directive, 2018",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private/\nHost: www.example.com\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
    fix="safe",
)

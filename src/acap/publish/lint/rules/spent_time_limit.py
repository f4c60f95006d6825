"""A permission whose time is over, or soon will be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule
from acap.publish.lint.time_limits import endings, place

SOON = timedelta(days=30)


def check(document: Document) -> Iterator[Finding]:
    """A finding for each permission that is over; one that is no more than information if it soon will be."""
    for ending in endings(document):
        if ending.over > document.today + SOON:
            continue
        start, end = place(document, ending)
        last = f"{ending.over - timedelta(microseconds=1):%Y-%m-%d}"
        if ending.over <= document.today:
            message = f"this permission expired after {last}; {ending.usage} is prohibited"
            yield RULE.finding(
                document, start, end, message, help="remove it if you mean that, or give it a later date"
            )  # fmt: skip
        else:
            message = f"this permission expires after {last}; {ending.usage} is prohibited then"
            yield replace(RULE.finding(document, start, end, message), severity="info")


RULE = Rule(
    code="spent-time-limit",
    summary="a permission's time limit has expired, or soon will",
    severity="warning",
    why=(
        "`time-limit=until-2019-12-31` permits up to the end of that day, by UTC. After that the permission prohibits, "
        "because it was given only for that time. `unavailable_after` in a page does the same for search results. "
        "Thirty days before the end there is a reminder of severity info."
    ),
    clause="P1 4.5.3.1, G 2.5.1",
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-index: /offer/ time-limit=until-2019-12-31\n",
            good="ACAP-crawler: *\nACAP-allow-index: /offer/ time-limit=until-2999-12-31\n",
        ),
        Example(
            bad='<!DOCTYPE html><title>A</title>\n<meta name="robots" content="unavailable_after: 2019-12-31">\n',
            good='<!DOCTYPE html><title>A</title>\n<meta name="robots" content="unavailable_after: 2999-12-31">\n',
            kind="page",
        ),
    ),
    check=check,
    kinds=("robots", "page", "headers"),
)

"""A value of politeness, or a version, that cannot be read."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.rule import of_problem, replaced

_SECONDS = re.compile(r"(\d+(?:\.\d+)?)\s*s(?:ec(?:ond)?s?\.?)?", re.ASCII | re.IGNORECASE)


def mend(document: Document, problem: Problem) -> Fix | None:
    """Takes away the unit of a delay in seconds: seconds are what it is in. Manners are no part of any decision."""
    name, value = problem.words
    match = _SECONDS.fullmatch(value)
    if name != "Crawl-delay" or problem.span is None or match is None:
        return None
    return Fix("write the number of seconds alone", replaced(document, problem.span, match[1]))


RULE = of_problem(
    "unreadable-value",
    summary="a delay, rate, time or version has an invalid value",
    why=(
        "Crawl-delay takes a number of seconds, Request-rate a number of documents and a time (`1/10s`), Visit-time "
        "two times of the day in UTC (`0100-0545`), Robot-version a version (`2.0.0`). A crawler that cannot read the "
        "value ignores the line and comes as often as it likes. Write a valid value."
    ),
    examples=(
        Example(
            bad="User-agent: *\nCrawl-delay: ten\nDisallow:\n",
            good="User-agent: *\nCrawl-delay: 10\nDisallow:\n",
        ),
        Example(
            bad="User-agent: *\nCrawl-delay: 10 seconds\nDisallow:\n",
            good="User-agent: *\nCrawl-delay: 10\nDisallow:\n",
            fixed="User-agent: *\nCrawl-delay: 10\nDisallow:\n",
        ),
    ),
    mend=mend,
    fix="safe",
)

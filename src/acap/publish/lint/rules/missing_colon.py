"""A field without its colon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.harmless import skipped_lines, weighed
from acap.publish.lint.mending import within
from acap.publish.lint.rule import from_problem, of_problem


def check(document: Document) -> Iterator[Finding]:
    """What the reader finds; many crawlers skip the line."""
    skipped = skipped_lines(document)
    for problem in document.problems.get("missing-colon", ()):
        yield weighed(document, from_problem(document, problem, mend(document, problem)), unread=skipped)


def mend(document: Document, problem: Problem) -> Fix | None:
    """Puts a colon behind the name."""
    edits = within(document, problem, r"\Z", ":")
    return Fix("insert the colon", edits) if edits else None


_REPORTED = of_problem(
    "missing-colon",
    summary="a field has no colon",
    why=(
        "Every field of a robots.txt is a name, a colon and a value. Google's matcher adds the colon if a line has "
        "exactly two words. Many other crawlers, and most libraries for crawlers, skip the line. A Disallow without "
        "its colon therefore keeps some crawlers out and lets others in. Write the colon."
    ),
    examples=(
        Example(
            bad="User-agent: *\nDisallow /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    fix="safe",
)
RULE = replace(_REPORTED, check=check, weighs=True)

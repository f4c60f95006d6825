"""A field without its colon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.harmless import skipped_lines, weighed
from acap.publish.lint.mending import within
from acap.publish.lint.rule import from_problem, of_problem


def check(document: Document) -> Iterator[Finding]:
    """What the reader finds; many crawlers skip the line."""
    skipped = skipped_lines(document)
    for problem in document.problems.get("missing-colon", ()):
        fix = mend(document, problem)
        finding = from_problem(document, problem, fix)
        if fix is not None and fix.title.startswith("write"):
            finding = replace(finding, help=fix.title)
        yield weighed(document, finding, unread=skipped)


def mend(document: Document, problem: Problem) -> Fix | None:
    """Puts a colon behind the name; one that only a reader of beginnings knows is written as it is read."""
    field = next((one for one in document.outline.fields if one.line == problem.line), None)
    if field is not None and not field.guessed and field.kind in _READ_BY_BEGINNING:
        written = document.outline.octets(field.name_span).decode("utf-8", "replace")
        if written.lower() != field.kind.lower():
            return Fix(f"write `{field.kind}:`", (Edit(*field.name_span, f"{field.kind}:".encode()),))
    edits = within(document, problem, r"\Z", ":")
    return Fix("insert the colon", edits) if edits else None


_READ_BY_BEGINNING = ("User-agent", "Allow", "Disallow", "Sitemap")
"""Fields that Google's matcher knows by how a line begins."""


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
        Example(
            bad="User-agent: *\nDisallowed /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    fix="safe",
)
RULE = replace(_REPORTED, check=check, weighs=True)

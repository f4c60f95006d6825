"""Several crawlers on one line."""

from __future__ import annotations

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.mending import eol
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Gives each its line; lines that follow each other are one record."""
    field = document.outline.by_line.get(problem.line)
    if field is None:
        return None
    head = document.text[field.span.start : field.value_span.start]
    names = (document.outline.octets(word.span) for word in field.words)
    lines = eol(document).join(head + name for name in names)
    return Fix("give each a line of its own", (Edit(*field.span, lines),))


RULE = of_problem(
    "acap-several-crawlers",
    summary="one ACAP-crawler line names several crawlers",
    why=(
        "ACAP takes one crawler a line; several such lines in a row begin one record together. Several names on a line "
        "are told apart here, but a strict reader takes the whole line for one name, which is not its own, and misses "
        "the record. Give each crawler a line of its own."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: SearchBot1, SearchBot2\nACAP-allow-crawl: /\n",
            good="ACAP-crawler: SearchBot1\nACAP-crawler: SearchBot2\nACAP-allow-crawl: /\n",
            fixed="ACAP-crawler: SearchBot1\nACAP-crawler: SearchBot2\nACAP-allow-crawl: /\n",
        ),
    ),
    mend=mend,
    fix="safe",
)

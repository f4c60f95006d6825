"""A purpose line without a purpose."""

from __future__ import annotations

from bisect import bisect_right

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import removal
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Removes the line, unless it is what keeps two records apart; what follows is for more purposes then."""
    fields = document.acap_fields
    after = bisect_right(fields, problem.line, key=lambda field: field.line)
    if any(field.name == "crawler" for field in fields[after : after + 1]):
        return None
    return Fix("remove the line", (removal(document, problem.line),), safe=False)


RULE = of_problem(
    "acap-empty-purpose",
    summary="an ACAP-usage-purpose line names no purpose",
    why=(
        "A purpose line says which purpose the lines below it are for. If it names none, prohibitions below it count "
        "for every purpose here, and permissions do not count, because you may have meant them for one service. Other "
        "readers may skip the line and apply a permission to every purpose. Name the purpose, or remove the line."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-usage-purpose:\nACAP-allow-crawl: /\n",
            good="ACAP-crawler: *\nACAP-allow-crawl: /\n",
            fixed="ACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
    ),
    mend=mend,
    fix="unsafe",
)

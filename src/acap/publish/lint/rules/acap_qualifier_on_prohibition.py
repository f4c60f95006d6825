"""A prohibition with a qualifier."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.carriers import rewritten, written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.mending import rewrite
from acap.publish.lint.rule import of_problem

_TITLE = "remove the qualifier"
_QUALIFIER = re.compile(r"(?<!\s)\s+[A-Za-z][\w.-]*\s*=\s*[^\s,]*(?:,\s*[^\s,=]+(?=[\s,]|\Z))*")


def mend(document: Document, problem: Problem) -> Fix | None:
    """Removes what is ignored."""
    if document.kind == "page":
        place = written(document, problem)
        if place is None:
            return None
        return rewritten(document, problem, place, _TITLE, _QUALIFIER.sub("", place.text))
    field = document.outline.by_line.get(problem.line)
    if field is None:
        return None
    begin, spans = field.span.start, [word.span for word in field.words if word.role == "qualifier"]
    # With the blanks before it.
    edits = [Edit(begin + len(document.text[begin:start].rstrip()), end, b"") for start, end in spans]
    return rewrite(document, problem, _TITLE, edits)


RULE = of_problem(
    "acap-qualifier-on-prohibition",
    summary="a prohibition has a qualifier, which is ignored",
    why=(
        "Qualifiers such as `time-limit=30-days` limit a permission. A prohibition cannot be limited: "
        "`ACAP-disallow-preserve: / time-limit=30-days` prohibits keeping any copy, not only one older than 30 days. "
        "To permit copies for 30 days, write `ACAP-allow-preserve: / time-limit=30-days`; else remove the qualifier."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-preserve: /news/ time-limit=30-days\n",
            good="ACAP-crawler: *\nACAP-disallow-preserve: /news/\n",
            fixed="ACAP-crawler: *\nACAP-disallow-preserve: /news/\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP disallow-index time-limit=30-days">\n',
            good='<meta name="robots" content="ACAP disallow-index">\n',
            fixed='<meta name="robots" content="ACAP disallow-index">\n',
            kind="page",
        ),
    ),
    mend=mend,
    kinds=("robots", "page", "headers"),
    mends=("robots", "page"),
    fix="safe",
)

"""Several crawlers on one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.mending import CRAWLER, MARK, eol
from acap.publish.lint.rule import Example, field_span, of_problem

if TYPE_CHECKING:
    from acap.problems import Problem
    from acap.publish.lint.document import Document


def mend(document: Document, problem: Problem) -> Fix | None:
    """Gives each its line; lines that follow each other are one record."""
    start, end = field_span(document, problem.line)
    field = document.text[start:end]
    mark = len(MARK) if field.startswith(MARK) else 0
    name = CRAWLER.match(field, mark)
    colon = re.match(rb"\s*:\s*", field[name.end() :]) if name else None
    if name is None or colon is None:
        return None
    head = field[mark : name.end() + colon.end()]
    each = [word for word in re.split(rb"[\s,]+", field[name.end() + colon.end() :]) if word]
    lines = eol(document).join(head + word for word in each)
    return Fix("give each a line of its own", (Edit(start + mark, end, lines),))


RULE = of_problem(
    "acap-several-crawlers",
    summary="one ACAP-crawler line names several crawlers",
    why=(
        "ACAP takes one crawler a line; as many lines as you like may follow each other and begin one record together. "
        "Several names on a line are told apart here. A crawler that reads by the letter takes the whole line for one "
        "name that is not its own, and misses the record. Give each a line of its own."
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

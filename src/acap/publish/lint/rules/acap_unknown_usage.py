"""A permission of a usage that nobody knows."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.carriers import written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.mending import within
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the known usage next to it; what is then permitted was not before."""
    name, suggested = problem.words
    if not suggested or not name:
        return None
    title, usage = f"write `{suggested}`", re.escape(name) + r"(?![\w-])"
    if document.kind == "page":
        place = written(document, problem)
        if place is None or not place.text.isascii():
            return None
        text = re.sub(usage, suggested, place.text, count=1, flags=re.IGNORECASE)
        edits: tuple[Edit, ...] = (Edit(place.start, place.end, text.encode()),) if text != place.text else ()
    else:
        edits = within(document, problem, usage, suggested)
    return Fix(title, edits, safe=False) if edits else None


RULE = of_problem(
    "acap-unknown-usage",
    summary="a permission names an unknown usage",
    why=(
        "ACAP's usages are `crawl`, `follow`, `index`, `preserve`, `present` with its kinds (`present-snippet`, …) and "
        "`other`. A permission of an unknown usage permits none of these: if a prohibition covers the usage that you "
        "meant, it stays prohibited. Write a usage of the standard."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-presnt: /\n",
            good="ACAP-crawler: *\nACAP-allow-present: /\n",
            fixed="ACAP-crawler: *\nACAP-allow-present: /\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP allow-presrve">\n',
            good='<meta name="robots" content="ACAP allow-preserve">\n',
            fixed='<meta name="robots" content="ACAP allow-preserve">\n',
            kind="page",
        ),
    ),
    mend=mend,
    kinds=("robots", "page", "headers"),
    mends=("robots", "page"),
    fix="unsafe",
)

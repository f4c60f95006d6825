"""A usage in the plural."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.carriers import rewritten, written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import rewrite, within
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the singular, which is what is read."""
    name = problem.words[0]
    stem = name.removesuffix("y")
    plural = re.escape(stem) + (r"ies\b" if stem != name else r"s\b")
    title = f"write `{name}`"
    if document.kind == "page":
        place = written(document, problem)
        if place is None:
            return None
        return rewritten(document, problem, place, title, re.sub(plural, name, place.text, flags=re.IGNORECASE))
    return rewrite(document, problem, title, within(document, problem, plural, name))


RULE = of_problem(
    "acap-plural",
    summary="a usage is written in the plural",
    why=(
        "The guide itself writes `present-links` in an example where the standard has `present-link`, so the plural is "
        "understood here. A crawler that knows only the standard's list skips the line or sees an unknown usage. Write "
        "the singular."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-present-links: /news/\n",
            good="ACAP-crawler: *\nACAP-allow-present-link: /news/\n",
            fixed="ACAP-crawler: *\nACAP-allow-present-link: /news/\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP disallow-present-snippets">\n',
            good='<meta name="robots" content="ACAP disallow-present-snippet">\n',
            fixed='<meta name="robots" content="ACAP disallow-present-snippet">\n',
            kind="page",
        ),
    ),
    mend=mend,
    kinds=("robots", "page", "headers"),
    mends=("robots", "page"),
    fix="safe",
)

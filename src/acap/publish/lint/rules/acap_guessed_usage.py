"""A prohibition of a usage that is guessed."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.carriers import rewritten, written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import rewrite, within
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes what is read; where that is the usage above (`present` for `present-video`), more may have been meant."""
    name, usage = problem.words
    title, pattern = f"write `{usage}`", re.escape(name) + r"(?![\w-])"
    if document.kind == "page":
        place = written(document, problem)
        if place is None:
            return None
        fix = rewritten(document, problem, place, title, re.sub(pattern, usage, place.text, flags=re.IGNORECASE))
    else:
        edits = within(document, problem, pattern, usage)
        fix = rewrite(document, problem, title, edits)
    return fix and fix._replace(safe=not name.startswith(f"{usage}-"))


RULE = of_problem(
    "acap-guessed-usage",
    summary="a prohibition names an unknown usage and is read as the nearest one",
    why=(
        "Doubt never permits: a prohibition of `presnt` is read as one of `present`, which it nearly spells, and one "
        "of `present-video` as one of `present`, because it must be a kind of it. Other readers may guess otherwise, "
        "or skip the line and use what you meant to protect. Write a usage of the standard."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-presnt: /\n",
            good="ACAP-crawler: *\nACAP-disallow-present: /\n",
            fixed="ACAP-crawler: *\nACAP-disallow-present: /\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-present-video: /clips/\n",
            good="ACAP-crawler: *\nACAP-disallow-present: /clips/\n",
            fixed="ACAP-crawler: *\nACAP-disallow-present: /clips/\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP disallow-indx">\n',
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

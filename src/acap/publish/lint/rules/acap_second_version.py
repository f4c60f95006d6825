"""A second version."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.carriers import written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.mending import removal
from acap.publish.lint.rule import of_problem

_TITLE = "remove it"
_VERSION = re.compile(r"\s*ACAP\s+version\s+[\d.]+\s*", re.IGNORECASE)


def mend(document: Document, problem: Problem) -> Fix | None:
    """Removes the line; in a page the tag, where it says nothing else."""
    if document.kind == "robots":
        return Fix(_TITLE, (removal(document, problem.line),))
    place = written(document, problem)
    if place is None or not _VERSION.fullmatch(place.text):
        return None
    end = re.compile(rb"[ \t]*\r?\n").match(document.text, place.outer_end)
    return Fix(_TITLE, (Edit(place.outer_start, end.end() if end else place.outer_end, b""),))


RULE = of_problem(
    "acap-second-version",
    summary="a second ACAP version is declared and ignored",
    why=(
        "The first version that a file or page declares counts. A later one is ignored here, and may win elsewhere. It "
        "matters for fields that came with version 1.1, which are ignored in a file of version 1.0. Keep one "
        "declaration, of the highest version whose features you use."
    ),
    examples=(
        Example(
            bad="##ACAP version=1.1\n##ACAP version=1.0\nACAP-crawler: *\nACAP-allow-crawl: /\n",
            good="##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-crawl: /\n",
            fixed="##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP Version 1.1">\n<meta name="robots" content="ACAP Version 1.0">\n',
            good='<meta name="robots" content="ACAP Version 1.1">\n',
            fixed='<meta name="robots" content="ACAP Version 1.1">\n',
            kind="page",
        ),
    ),
    mend=mend,
    kinds=("robots", "page"),
    fix="safe",
)

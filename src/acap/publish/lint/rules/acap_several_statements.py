"""Several statements in one tag."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.carriers import divided, written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.rule import of_problem

_BEGINS = re.compile(r"(?:(?<=[\s,;])|\A)(?=(?:dis)?allow\b|version\s+\d)", re.IGNORECASE)


def mend(document: Document, problem: Problem) -> Fix | None:
    """Gives each statement a tag, where the tags together say what the one said."""
    place = written(document, problem)
    if place is None or place.is_token:
        return None
    content = place.text.strip()[len("ACAP") :].strip()
    first, *others = [part.strip(" \t\r\n,;") for part in _BEGINS.split(content) if part.strip(" \t\r\n,;")]
    # A purpose stands before the first statement, and belongs to it.
    if others and not _BEGINS.match(first):
        first = f"{first} {others.pop(0)}"
    parts = [f"ACAP {part}" for part in (first, *others)]
    return divided(document, problem, place, "give each a tag of its own", parts)


RULE = of_problem(
    "acap-several-statements",
    summary="one META tag holds several ACAP statements",
    why=(
        "ACAP takes one statement a META tag; a page may have many tags. Here every statement counts. A strict reader "
        "takes the first and reads the rest as unknown qualifiers: a permission becomes a prohibition, or the rest is "
        "lost. Give each statement a tag of its own."
    ),
    examples=(
        Example(
            bad='<meta name="robots" content="ACAP allow-index disallow-follow">\n',
            good=(
                '<meta name="robots" content="ACAP allow-index">\n<meta name="robots" content="ACAP disallow-follow">\n'
            ),
            fixed=(
                '<meta name="robots" content="ACAP allow-index">\n<meta name="robots" content="ACAP disallow-follow">\n'
            ),
            kind="page",
        ),
    ),
    mend=mend,
    kinds=("page", "headers"),
    mends=("page",),
    fix="safe",
)

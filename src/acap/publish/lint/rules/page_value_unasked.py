"""A value behind a word that takes none."""

from __future__ import annotations

import re

from acap.pages.words import WORDS
from acap.problems import Example, Problem
from acap.publish.lint.carriers import rewritten, written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Puts a comma for the colon before a known word, and takes a `true` away."""
    place = written(document, problem)
    if place is None:
        return None
    name = problem.words[0]
    match = re.search(rf"(?<![^\s,;:]){re.escape(name)}(\s*:\s*)([^\s,;:]*)", place.text, re.IGNORECASE)
    if match is None:
        return None
    value = match[2].lower()
    if value in WORDS:
        new, beyond = ", ", match.end(1)
    elif value in ("", "true", "yes", "on", "1"):
        new, beyond = "", match.end()
    else:
        return None
    text = place.text[: match.start(1)] + new + place.text[beyond:]
    return rewritten(document, problem, place, f"write `{name}` alone", text)


RULE = of_problem(
    "page-value-unasked",
    summary="a word for robots has a value but takes none",
    why=(
        "`noindex` needs no value. In `noindex: true` or `noindex: nofollow` one search engine reads `noindex`, "
        "another sees one unknown word, and in a header the part before a colon may even be read as the name of a "
        "crawler. Write the word alone, and a comma before the next one."
    ),
    examples=(
        Example(
            bad="X-Robots-Tag: noindex: nofollow\n",
            good="X-Robots-Tag: noindex, nofollow\n",
            fixed="X-Robots-Tag: noindex, nofollow\n",
            kind="headers",
        ),
        Example(
            bad='<meta name="robots" content="noindex: true">\n',
            good='<meta name="robots" content="noindex">\n',
            fixed='<meta name="robots" content="noindex">\n',
            kind="page",
        ),
    ),
    mend=mend,
    kinds=("page", "headers"),
    fix="safe",
)

"""Words for robots divided by semicolons."""

from __future__ import annotations

from acap.problems import Example, Problem
from acap.publish.lint.carriers import rewritten, written
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Puts commas for semicolons, where the same words are read."""
    place = written(document, problem)
    if place is None:
        return None
    text = place.text.rstrip("; \t\r\n").replace(";", ",")
    return rewritten(document, problem, place, "put commas between words", text)


RULE = of_problem(
    "page-semicolon",
    summary="words for robots are separated by semicolons",
    why=(
        "Commas separate the words of a robots META tag and of an X-Robots-Tag header. Readers that know only commas "
        "see one unknown word in `noindex; nofollow`, and index the page. Write commas."
    ),
    examples=(
        Example(
            bad='<meta name="robots" content="noindex; nofollow">\n',
            good='<meta name="robots" content="noindex, nofollow">\n',
            fixed='<meta name="robots" content="noindex, nofollow">\n',
            kind="page",
        ),
        Example(
            bad="X-Robots-Tag: noindex; nofollow\n",
            good="X-Robots-Tag: noindex, nofollow\n",
            fixed="X-Robots-Tag: noindex, nofollow\n",
            kind="headers",
        ),
    ),
    mend=mend,
    kinds=("page", "headers"),
    fix="safe",
)

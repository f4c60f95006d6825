"""A crawler's name with more than a name."""

from __future__ import annotations

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import token
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the part that is read as the name."""
    name = problem.words[1]
    edits = token(document, problem, name) if name else ()
    return Fix(f"write `{name}`", edits) if edits else None


RULE = of_problem(
    "acap-crawler-name",
    summary="a crawler's name has characters that no name may have",
    why=(
        "A crawler's name in ACAP consists of letters, digits, dots, hyphens and underscores; a version or a whole "
        "User-Agent string is not a name. The part before the first other character is read as the name here. Another "
        "crawler may not find its name in the line and then follows the record for all. Write the name that the "
        "crawler's operator publishes, without a version."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: ExampleBot/1.0\nACAP-allow-crawl: /\n",
            good="ACAP-crawler: ExampleBot\nACAP-allow-crawl: /\n",
            fixed="ACAP-crawler: ExampleBot\nACAP-allow-crawl: /\n",
        ),
    ),
    mend=mend,
    fix="safe",
)

"""A crawler's name with more than a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import token
from acap.publish.lint.rule import Example, of_problem

if TYPE_CHECKING:
    from acap.problems import Problem
    from acap.publish.lint.document import Document


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the part that is read as the name."""
    written, name = problem.words
    edits = token(document, problem.line, written, name.encode()) if name else ()
    return Fix(f"write `{name}`", edits) if edits else None


RULE = of_problem(
    "acap-crawler-name",
    summary="a crawler is named with characters that no name has",
    why=(
        "A crawler's name in ACAP is made of letters, digits, dots, hyphens and underscores; a version or a whole "
        "User-Agent string is none. The part up to the first other character is read as the name here. A crawler that "
        "looks for its bare name among yours may not find itself, and then reads what you say to all. Write the name "
        "that the crawler's operator publishes, without a version."
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

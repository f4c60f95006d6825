"""A known misspelling of a field's name."""

from __future__ import annotations

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import token
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the name as which it is read."""
    meant = problem.words[1]
    edits = token(document, problem, meant)
    return Fix(f"write `{meant}`", edits) if edits else None


RULE = of_problem(
    "misspelt-field",
    summary="the name of a field is misspelt in a way that only some crawlers understand",
    why=(
        "Google's matcher knows a short list of common typos, such as `Dissallow` and `Useragent`, and corrects them. "
        "RFC 9309 does not require that: other crawlers see an unknown field and skip the line. A misspelt Disallow "
        "protects nothing from them, and rules below a misspelt User-agent line go to the crawlers named before. "
        "Correct the spelling."
    ),
    examples=(
        Example(
            bad="User-agent: *\nDissallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
        Example(
            bad="Useragent: ExampleBot\nDisallow: /\n",
            good="User-agent: ExampleBot\nDisallow: /\n",
            fixed="User-agent: ExampleBot\nDisallow: /\n",
        ),
    ),
    mend=mend,
    fix="safe",
)

"""A field whose name is guessed."""

from __future__ import annotations

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import token
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes what is read; permissions after a crawler line count then, and may permit."""
    read = problem.words[1]
    if document.kind == "page":
        return None
    edits = token(document, problem, read)
    return Fix(f"write `{read}`", edits, safe=False) if edits else None


RULE = of_problem(
    "acap-guessed-field",
    summary="a misspelt field is read as the nearest ACAP field",
    why=(
        "Doubt never permits: `ACAP-dissallow-index` is read as the prohibition it nearly spells, and `ACAP- crawlr` "
        "as a crawler line, but permissions below such a line have no effect. Other readers skip the line and use what "
        "you meant to protect. Write the field as the standard spells it."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-dissallow-index: /drafts/\n",
            good="ACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
            fixed="ACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
        ),
        Example(
            bad="ACAP-crawler: *\nACAP-deny-index: /drafts/\n",
            good="ACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
            fixed="ACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP deny-index">\n',
            good='<meta name="robots" content="ACAP disallow-index">\n',
            kind="page",
        ),
    ),
    mend=mend,
    kinds=("robots", "page", "headers"),
    mends=("robots", "page"),
    fix="unsafe",
)

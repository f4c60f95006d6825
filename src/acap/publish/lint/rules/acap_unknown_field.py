"""A field that begins as ACAP's do and is none."""

from __future__ import annotations

from difflib import SequenceMatcher

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import token
from acap.publish.lint.rule import of_problem

_NEAR = 0.85


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the name that is all but the same; the field then counts, and may permit."""
    name, suggested = problem.words
    if not suggested or SequenceMatcher(None, name.lower(), suggested.lower()).ratio() < _NEAR:
        return None
    edits = token(document, problem, suggested)
    return Fix(f"write `{suggested}`", edits, safe=False) if edits else None


RULE = of_problem(
    "acap-unknown-field",
    summary="a field begins with `ACAP-` but is not an ACAP field",
    why=(
        "ACAP has a dozen kinds of fields: permissions begin with `ACAP-allow-`, prohibitions with `ACAP-disallow-`. A "
        "name that nearly spells one of these is read as a prohibition, never as a permission. Any other name is "
        "skipped, and what it was to prohibit stays permitted. Write the name as the guide spells it."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-permit-crawl: /\n",
            good="ACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
        Example(
            bad="ACAP-ignore-conventional-record\nACAP-crawler: *\nACAP-allow-index: /\n",
            good="ACAP-ignore-conventional-records\nACAP-crawler: *\nACAP-allow-index: /\n",
            fixed="ACAP-ignore-conventional-records\nACAP-crawler: *\nACAP-allow-index: /\n",
        ),
    ),
    mend=mend,
    fix="unsafe",
)

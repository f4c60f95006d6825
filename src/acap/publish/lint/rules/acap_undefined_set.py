"""A resource set that nothing defines."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import within
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the defined name next to it; the field then counts, and may permit."""
    name, suggested, *_ = problem.words
    if not suggested:
        return None
    written = rf"(resource-set:){re.escape(name)}(?!\S)"
    edits = within(document, problem, written, r"\1" + suggested.replace("\\", r"\\"))
    return Fix(f"write `{suggested}`", edits, safe=False) if edits else None


RULE = of_problem(
    "acap-undefined-set",
    summary="a resource set is not defined in the file",
    why=(
        "`the-acap:resource-set:name` stands for the paths of a line `ACAP-resource-set: name …`. Without that line "
        "the paths are unknown. A prohibition then covers the set with nearly the same name, or every path if there is "
        "none; a permission has no effect. Define the set, or write the name of one that is defined."
    ),
    examples=(
        Example(
            bad=(
                "ACAP-resource-set: images /*.gif$ /*.png$\nACAP-crawler: *\nACAP-disallow-index: "
                "the-acap:resource-set:image\n"
            ),
            good=(
                "ACAP-resource-set: images /*.gif$ /*.png$\nACAP-crawler: *\nACAP-disallow-index: "
                "the-acap:resource-set:images\n"
            ),
            fixed=(
                "ACAP-resource-set: images /*.gif$ /*.png$\nACAP-crawler: *\nACAP-disallow-index: "
                "the-acap:resource-set:images\n"
            ),
        ),
    ),
    mend=mend,
    fix="unsafe",
)

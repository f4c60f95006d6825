"""A local usage that nothing defines."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import within
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Writes the defined name next to it; it permits what was prohibited in doubt."""
    name, suggested = problem.words
    if not suggested:
        return None
    written = rf"\({re.escape(name)}\)"
    edits = within(document, problem, written, f"({suggested})".replace("\\", r"\\"))
    return Fix(f"write `({suggested})`", edits, safe=False) if edits else None


RULE = of_problem(
    "acap-undefined-usage",
    summary="a usage in parentheses is not defined in the file",
    why=(
        "`ACAP-allow-(name)` permits what a line `ACAP-qualified-usage: name …` or `ACAP-composite-usage: name …` "
        "defines. Without such a line the limits of the permission are unknown. It permits nothing, and every other "
        "use of those resources (`other`) is prohibited instead. Define the name, or write one that is defined."
    ),
    examples=(
        Example(
            bad=(
                "ACAP-qualified-usage: short-copy preserve time-limit=7-days\nACAP-crawler: *\nACAP-allow-(shortcopy): "
                "/\n"
            ),
            good=(
                "ACAP-qualified-usage: short-copy preserve time-limit=7-days\nACAP-crawler: "
                "*\nACAP-allow-(short-copy): /\n"
            ),
            fixed=(
                "ACAP-qualified-usage: short-copy preserve time-limit=7-days\nACAP-crawler: "
                "*\nACAP-allow-(short-copy): /\n"
            ),
        ),
    ),
    mend=mend,
    kinds=("robots", "page"),
    fix="unsafe",
)

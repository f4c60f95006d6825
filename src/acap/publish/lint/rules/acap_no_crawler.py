"""A crawler line without a name."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-no-crawler",
    summary="an ACAP-crawler line names no crawler",
    why=(
        "The line begins a record that is for nobody, so its permissions and its prohibitions do not count, and every "
        "crawler does as if they were not there. Whom it was meant for cannot be told. Write `ACAP-crawler: *` for all "
        "crawlers, or a name."
    ),
    examples=(
        Example(
            bad="ACAP-crawler:\nACAP-disallow-index: /private/\n",
            good="ACAP-crawler: *\nACAP-disallow-index: /private/\n",
        ),
    ),
)

"""A part of a composite usage that is no usage."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-void-constituent",
    summary="a part of a composite usage is not a defined qualified usage",
    why=(
        "A composite usage lists standard usages (`index`) and qualified usages of the same file, in parentheses. A "
        "part that is not defined, or is itself a composite, is left out: a permission permits less than it lists, and "
        "a prohibition prohibits less. Define the part with an `ACAP-qualified-usage:` line."
    ),
    examples=(
        Example(
            bad="ACAP-composite-usage: archive index (short-copy)\nACAP-crawler: *\nACAP-allow-(archive): /\n",
            good=(
                "ACAP-qualified-usage: short-copy preserve time-limit=7-days\nACAP-composite-usage: archive index "
                "(short-copy)\nACAP-crawler: *\nACAP-allow-(archive): /\n"
            ),
        ),
    ),
)

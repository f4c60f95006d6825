"""A permission whose name is misspelt."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-nearly-permission",
    summary="a permission is misspelt and permits nothing",
    why=(
        "`allow` alone permits. `ACAP-alow-index` may be a permission, but nobody can be sure, so it lifts no "
        "prohibition; what it restricts stays restricted. Write the field as the standard spells it."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-alow-index: /\n",
            good="ACAP-crawler: *\nACAP-allow-index: /\n",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

"""A permission whose name is misspelt."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-nearly-permission",
    summary="a misspelt permission permits nothing",
    why=(
        "Only `allow` permits. `ACAP-alow-index` may be a permission, but that is not certain, so it lifts no "
        "prohibition; its restrictions still hold. Write the field as the standard spells it."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-alow-index: /\n",
            good="ACAP-crawler: *\nACAP-allow-index: /\n",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

"""A permission or prohibition of no resource."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-empty-resource",
    summary="a permission, prohibition or request names no resource",
    why=(
        "In a robots.txt of 1994 an empty Disallow means that nothing is forbidden. ACAP has no such custom: each "
        "field names what it is about, and one that names nothing says nothing. A prohibition without a path therefore "
        "protects nothing. Write `/` for the whole site, or the paths that you mean."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-index:\n",
            good="ACAP-crawler: *\nACAP-disallow-index: /\n",
        ),
    ),
)

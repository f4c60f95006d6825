"""A permission or prohibition of no resource."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-empty-resource",
    summary="a permission, prohibition or request names no resource",
    why=(
        "In robots.txt an empty Disallow forbids nothing. ACAP has no such convention: each field names the resource "
        "it is about, and a field without a resource has no effect. A prohibition without a path therefore protects "
        "nothing. Write `/` for the whole site, or the paths that you mean."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-index:\n",
            good="ACAP-crawler: *\nACAP-disallow-index: /\n",
        ),
    ),
)

"""A page that is longer than what is read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, Long, of_problem

RULE = of_problem(
    "page-cut",
    summary="the page is longer than the limit",
    why=(
        "No reader takes in a page of so many megabytes. The part beyond the limit may prohibit anything, so the page "
        "is treated as if it prohibited everything. Search engines read even less, and decide by that. Divide the "
        "page, and keep its META tags in the head."
    ),
    examples=(
        Example(
            bad=Long("<p>", "a", 32 * 1024 * 1024),
            good="<p>aaa",
            kind="page",
        ),
    ),
    kinds=("page",),
)

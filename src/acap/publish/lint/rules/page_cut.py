"""A page that is longer than what is read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, Long, of_problem

RULE = of_problem(
    "page-cut",
    summary="the page is longer than what is read of one",
    why=(
        "So many megabytes are not read whole, by browsers either. What stands beyond the bound may prohibit, so the "
        "page is treated as if it prohibited everything; search engines read less still, and decide by that. Divide "
        "the page, and keep its META tags in the head."
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

"""A page whose tree cannot be built."""

from __future__ import annotations

from acap.problems import Example
from acap.publish.lint.rule import of_problem

RULE = of_problem(
    "page-entangled",
    summary="the markup is too entangled to build its tree",
    why=(
        "If elements are not closed in the order in which they were opened, browsers repair the page by copying them, "
        "again and again. Here that would cost too much time or memory, so the page is not read. Because it may "
        "prohibit anything, everything is prohibited. Close elements where they end; an HTML validator shows where."
    ),
    examples=(
        Example(
            bad="<p>\n" + "".join(f"<b id={number}>\n" for number in range(1_000)) + "<p>x\n" * 1_000,
            good="<p>\n<b>x</b>\n<p>x\n",
            kind="page",
        ),
    ),
    kinds=("page",),
)

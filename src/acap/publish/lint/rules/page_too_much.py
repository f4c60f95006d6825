"""More statements in a page than are weighed."""

from __future__ import annotations

from acap.publish.lint.rule import Example, Long, of_problem

RULE = of_problem(
    "page-too-much",
    summary="the page has more statements than are read",
    why=(
        "A page usually has a handful of META statements. One with thousands, or with statements on tens of thousands "
        "of elements, is not read; because any of them may prohibit, everything is prohibited. State a rule for many "
        "once: in one tag for all robots, or on the element around the others."
    ),
    examples=(
        Example(
            bad=Long("", '<p class="the-acap:disallow-index">x</p>\n', 20_001),
            good='<body class="the-acap:disallow-index">\n<p>x</p>\n',
            kind="page",
        ),
    ),
    kinds=("page", "headers"),
)

"""A prohibition of a usage that nobody knows."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-unknown-prohibition",
    summary="a prohibition names an unknown usage",
    why=(
        "ACAP's usages are `crawl`, `follow`, `index`, `preserve`, `present` with its kinds (`present-snippet`, …) and "
        "`other`. A prohibition of any other word is kept under that word. It also counts for `other` and for text and "
        "data mining, because it may have meant one of these. Write a usage of the standard."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-screenshots: /\n",
            good="ACAP-crawler: *\nACAP-disallow-present-thumbnail: /\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP disallow-screenshots">\n',
            good='<meta name="robots" content="ACAP disallow-present-thumbnail">\n',
            kind="page",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

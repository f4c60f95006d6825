"""A word for several usages."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-broad-usage",
    summary="a prohibition names no usage, or a word for several",
    why=(
        "The standard has no word for every use. `ACAP-disallow-all`, and a prohibition that names no usage at "
        "all, are read as prohibitions of every use, `ai` and `train` as one of training, input and indexing for "
        "models. Other readers skip the line. Name each usage on a line of its own."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-everything: /drafts/\n",
            good="ACAP-crawler: *\nACAP-disallow-crawl: /drafts/\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP disallow-all">\n',
            good='<meta name="robots" content="ACAP disallow-index">\n',
            kind="page",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

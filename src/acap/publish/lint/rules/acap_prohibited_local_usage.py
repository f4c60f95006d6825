"""A prohibition of a usage that the file defines."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-prohibited-local-usage",
    summary="a prohibition names a local usage",
    why=(
        "Names in parentheses stand for usages with limits. A prohibition has no limits, and the standard says in one "
        "place that it cannot use such names. Here it prohibits the usages themselves: if `short-copy` stands for "
        "`preserve time-limit=7-days`, keeping any copy is prohibited, not only for a week. Other crawlers may skip "
        "the line. Name the usage: `ACAP-disallow-preserve`."
    ),
    examples=(
        Example(
            bad=(
                "ACAP-qualified-usage: short-copy preserve time-limit=7-days\nACAP-crawler: "
                "*\nACAP-disallow-(short-copy): /\n"
            ),
            good="ACAP-crawler: *\nACAP-disallow-preserve: /\n",
        ),
        Example(
            bad='<p class="the-acap:disallow-(short-copy)">Text</p>\n',
            good='<p class="the-acap:disallow-preserve">Text</p>\n',
            kind="page",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

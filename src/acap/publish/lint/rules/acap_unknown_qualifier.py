"""A qualifier that nobody knows."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-unknown-qualifier",
    summary="a permission with an unknown qualifier prohibits",
    why=(
        "A qualifier limits a permission. A crawler that does not understand the limit must not act on the permission: "
        "by the standard it reads the line as a prohibition of that usage. So one unknown word turns `allow` into "
        "`disallow` for those resources. Known are `time-limit`, `max-length`, `must-use-resource`, "
        "`must-include-resource`, `prohibited-modification`, `prohibited-context`, `required-context` and, in pages, "
        "`location`."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-index: / max-age=7-days\n",
            good="ACAP-crawler: *\nACAP-allow-index: / time-limit=7-days\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP allow-index max-age=7-days">\n',
            good='<meta name="robots" content="ACAP allow-index time-limit=7-days">\n',
            kind="page",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

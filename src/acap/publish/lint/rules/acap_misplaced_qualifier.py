"""A qualifier at a usage that it is not for."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-misplaced-qualifier",
    summary="a qualifier limits a usage that it does not apply to",
    why=(
        "Each qualifier belongs to certain usages: a time limit says how long something may be indexed, kept or shown, "
        "and has no meaning for crawling. Here it stays a restriction that a crawler has to respect. Others may read "
        "the permission as a prohibition, or ignore the limit. Put the qualifier on the usage that it limits."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-crawl: / time-limit=7-days\n",
            good="ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-allow-preserve: / time-limit=7-days\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP allow-follow time-limit=7-days">\n',
            good='<meta name="robots" content="ACAP allow-index time-limit=7-days">\n',
            kind="page",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

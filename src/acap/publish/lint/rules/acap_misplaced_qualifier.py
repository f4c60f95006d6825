"""A qualifier at a usage that it is not for."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-misplaced-qualifier",
    summary="a qualifier stands at a usage that it is not for",
    why=(
        "Each qualifier belongs to certain usages: a time limit says how long something may be indexed, kept or shown, "
        "and means nothing for the act of crawling. It is kept here as a restriction that a crawler has to respect; "
        "others may take the permission for a prohibition, or pass the limit over. Put the qualifier at the usage that "
        "it limits."
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

"""Text beside a permission or prohibition."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-stray-text",
    summary="text stands beside a statement that is no qualifier",
    why=(
        "Behind the resource only qualifiers may stand, each a name, `=` and a value. Any other word may have been "
        "meant as a limit, and a limit that cannot be read turns a permission into a prohibition; beside a prohibition "
        "it narrows nothing. If it is a note for people, put `#` before it in a robots.txt, and take it out of a META "
        "tag. If it was to be an exception, write a prohibition of its own."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-index: / except images\n",
            good="ACAP-crawler: *\nACAP-allow-index: / # see the next line\nACAP-disallow-index: /images/\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP allow-index please">\n',
            good='<meta name="robots" content="ACAP allow-index">\n',
            kind="page",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

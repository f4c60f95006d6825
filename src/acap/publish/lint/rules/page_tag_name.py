"""A META tag whose name is no crawler's."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-tag-name",
    summary="a META tag names no crawler",
    why=(
        "The name of a META tag is `robots`, which is for every crawler, or the name of one. `*` is how robots.txt "
        "speaks to all; in a page no crawler listens to it. Whoever wrote the tag meant somebody: what it prohibits is "
        "taken here for every crawler, and what it permits does not count."
    ),
    examples=(
        Example(
            bad='<meta name="*" content="ACAP disallow-index">\n',
            good='<meta name="robots" content="ACAP disallow-index">\n',
            kind="page",
        ),
    ),
    kinds=("page",),
)

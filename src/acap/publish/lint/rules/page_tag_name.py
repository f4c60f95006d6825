"""A META tag whose name is no crawler's."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-tag-name",
    summary="a META tag names no crawler",
    why=(
        "The name of a META tag is `robots`, which is for every crawler, or the name of one. `*` addresses all "
        "crawlers in robots.txt, but none in a page. The author meant some crawler, so the tag's prohibitions apply to "
        "every crawler here, and its permissions do not count."
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

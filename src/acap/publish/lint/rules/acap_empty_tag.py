"""A tag marked as ACAP that states nothing."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-empty-tag",
    summary="a META tag is marked as ACAP, but nothing in it is understood",
    why=(
        "`ACAP` at the beginning of the content says that an ACAP statement follows: `allow-…`, `disallow-…` or a "
        "version. Search engines that do not read ACAP find no word of theirs in it either, so the tag protects "
        "nothing. `ACAP no-index` mixes the two languages: write `ACAP disallow-index` in one tag, and `noindex` in "
        "another."
    ),
    examples=(
        Example(
            bad='<meta name="robots" content="ACAP no-index">\n',
            good='<meta name="robots" content="ACAP disallow-index">\n',
            kind="page",
        ),
    ),
    kinds=("page", "headers"),
)

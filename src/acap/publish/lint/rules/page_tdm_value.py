"""A reservation of text and data mining with a value that nobody defines."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-tdm-value",
    summary="a TDM reservation has a value other than 0 and 1",
    why=(
        "`tdm-reservation`, a header or a META tag, is `1` where rights to text and data mining are reserved, and `0` "
        "where they are not. Any other value counts as `1` here; others ignore it."
    ),
    examples=(
        Example(
            bad='<meta name="tdm-reservation" content="yes">\n',
            good='<meta name="tdm-reservation" content="1">\n',
            kind="page",
        ),
    ),
    kinds=("page", "headers"),
)

"""A tag or class whose mark is misspelt."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-nearly-tag",
    summary="the mark of a tag or class is one letter from that of ACAP",
    why=(
        "`ACP disallow-index` in a META tag, or a class `the-acp:disallow-index`, is a slip: what it prohibits "
        "counts here, what it permits does not. Other readers take it for words that they do not know. Begin with "
        "`ACAP` in a tag, and with `the-acap:` in a class."
    ),
    examples=(
        Example(
            bad='<meta name="robots" content="ACP disallow-index">\n',
            good='<meta name="robots" content="ACAP disallow-index">\n',
            kind="page",
        ),
    ),
    kinds=("page", "headers"),
)

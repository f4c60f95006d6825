"""A tag or class whose mark is misspelt."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-nearly-tag",
    summary="the mark of a tag or class is one letter off that of ACAP",
    why=(
        "`ACP disallow-index` in a META tag, or a class `the-acp:disallow-index`, is a typo: its prohibitions count "
        "here, its permissions do not. Other readers see words that they do not know. Begin with `ACAP` in a tag, and "
        "with `the-acap:` in a class."
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

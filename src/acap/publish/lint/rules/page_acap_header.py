"""ACAP in a header."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-acap-header",
    summary="a header is marked as ACAP, which is not defined for headers",
    why=(
        "ACAP speaks in robots.txt, in META tags and in class attributes. A header `X-Robots-Tag: ACAP …` is outside "
        "the specification, and most crawlers find no word of theirs in it. Its prohibitions count here; its "
        "permissions do not. Say it in a META tag of the page, or in the usual words of the header."
    ),
    examples=(
        Example(
            bad="X-Robots-Tag: ACAP disallow-present\n",
            good="X-Robots-Tag: noindex\n",
            kind="headers",
        ),
    ),
    kinds=("headers",),
)

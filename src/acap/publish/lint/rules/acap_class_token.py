"""A token of a class that neither allows nor disallows."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-class-token",
    summary="a class begins with `the-acap:` but neither allows nor disallows",
    why=(
        "Classes such as `the-acap:disallow-index` mark elements of a page. A class with that prefix and any other "
        "word is ignored, and crawlers use the element like the rest of the page. Write `the-acap:disallow-` or "
        "`the-acap:allow-` and a usage."
    ),
    examples=(
        Example(
            bad='<p class="the-acap:noindex">Text</p>\n',
            good='<p class="the-acap:disallow-index">Text</p>\n',
            kind="page",
        ),
    ),
    kinds=("page",),
)

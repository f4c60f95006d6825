"""A usage that only the site's robots.txt can define."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-local-usage",
    summary="a page uses a usage of the robots.txt, which was not checked with it",
    why=(
        "`allow-(name)` in a META tag or a class means what a line `ACAP-qualified-usage: name …` or "
        "`ACAP-composite-usage: name …` of the site's robots.txt defines. Without that line the meaning is unknown, so "
        "a META tag prohibits every other use of the page, and a class every use of its element. Lint the page "
        "together with the robots.txt beside or above it: then a name is reported only if it is not defined."
    ),
    examples=(
        Example(
            bad='<p class="the-acap:allow-(quotation)">Text</p>\n',
            good='<p class="the-acap:allow-present-snippet">Text</p>\n',
            kind="page",
        ),
    ),
    kinds=("page", "headers"),
)

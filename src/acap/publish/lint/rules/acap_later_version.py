"""A feature of a later version than the one declared."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-later-version",
    summary="a field uses a feature of a later version than declared",
    why=(
        "Lists of elements (`the-acap:idlist:…`), `target-condition` and `ref` came with version 1.1. A robots.txt "
        "that declares 1.0, or a page that declares nothing, says that it does not use them. A permission that uses "
        "them anyway has no effect, but its restrictions hold; other statements then decide about the usage. Declare "
        "1.1: `##ACAP version=1.1` in the robots.txt, `ACAP Version 1.1` in a META tag of the page."
    ),
    examples=(
        Example(
            bad=(
                "##ACAP version=1.0\nACAP-crawler: *\nACAP-allow-index: / must-use-resource=the-acap:idlist:lead,body\n"
            ),
            good=(
                "##ACAP version=1.1\nACAP-crawler: *\nACAP-allow-index: / must-use-resource=the-acap:idlist:lead,body\n"
            ),
        ),
        Example(
            bad='<meta name="robots" content="ACAP allow-index must-use-resource=the-acap:idlist:lead,body">\n',
            good=(
                '<meta name="robots" content="ACAP Version 1.1">\n'
                '<meta name="robots" content="ACAP allow-index must-use-resource=the-acap:idlist:lead,body">\n'
            ),
            kind="page",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

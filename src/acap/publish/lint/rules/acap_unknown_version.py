"""A version of ACAP that nobody knows."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-unknown-version",
    summary="an unknown ACAP version is declared",
    why=(
        "There are versions 1.0 and 1.1 of ACAP, and 0.2 of its pilot. Any other is a mistake; it counts as later than "
        "1.0 if it is greater. Declare the version whose features you use."
    ),
    examples=(
        Example(
            bad="ACAP-version: 3.0\nACAP-crawler: *\nACAP-allow-crawl: /\n",
            good="ACAP-version: 1.1\nACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP Version 3.0">\n',
            good='<meta name="robots" content="ACAP Version 1.1">\n',
            kind="page",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

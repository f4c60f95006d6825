"""Text beside a permission or prohibition."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-stray-text",
    summary="a statement is followed by text that is not a qualifier",
    why=(
        "Only qualifiers may follow the resource, each a name, `=` and a value. Any other word may be meant as a "
        "limit, and an unreadable limit turns a permission into a prohibition; it does not narrow a prohibition. If it "
        "is a note for people, put `#` before it in a robots.txt, and remove it from a META tag. If it is an "
        "exception, write a separate prohibition."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-index: / except images\n",
            good="ACAP-crawler: *\nACAP-allow-index: / # see the next line\nACAP-disallow-index: /images/\n",
        ),
        Example(
            bad='<meta name="robots" content="ACAP allow-index please">\n',
            good='<meta name="robots" content="ACAP allow-index">\n',
            kind="page",
        ),
    ),
    kinds=("robots", "page", "headers"),
)

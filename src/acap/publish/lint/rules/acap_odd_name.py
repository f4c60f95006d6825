"""A definition with an odd name."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-odd-name",
    summary="a definition has a name that the specification does not allow",
    why=(
        "Names of sets and usages are made of letters, digits, `.`, `_` and `-`. A definition whose name is "
        "something else is often one whose name was forgotten, so that its first path became the name; fields "
        "that use the set find nothing. Give it a name."
    ),
    examples=(
        Example(
            bad="ACAP-resource-set: /news/ /sport/\nACAP-crawler: *\nACAP-allow-crawl: /\n",
            good="ACAP-resource-set: news /news/ /sport/\nACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
    ),
)

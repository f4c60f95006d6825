"""A definition with an odd name."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-odd-name",
    summary="a definition has a name that the specification does not allow",
    why=(
        "Names of sets and usages consist of letters, digits, `.`, `_` and `-`. In most cases the author forgot the "
        "name, so the first path is read as the name, and fields that use the set find nothing. Give the definition a "
        "name."
    ),
    examples=(
        Example(
            bad="ACAP-resource-set: /news/ /sport/\nACAP-crawler: *\nACAP-allow-crawl: /\n",
            good="ACAP-resource-set: news /news/ /sport/\nACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
    ),
)

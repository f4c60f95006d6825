"""A name that is defined twice."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-duplicate-definition",
    summary="a name is defined a second time",
    why=(
        "If a name is defined twice, the first definition counts and the second is ignored, with every path and limit "
        "in it. Paths that the second was to add are missing from the set. Put all of them into one definition, or "
        "give the second another name and use that."
    ),
    examples=(
        Example(
            bad=(
                "ACAP-resource-set: open /news/\nACAP-resource-set: open /sport/\nACAP-crawler: *\nACAP-allow-crawl: "
                "the-acap:resource-set:open\n"
            ),
            good=(
                "ACAP-resource-set: open /news/ /sport/\nACAP-crawler: *\nACAP-allow-crawl: "
                "the-acap:resource-set:open\n"
            ),
        ),
    ),
)

"""A purpose without statements."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-idle-purpose",
    summary="a purpose is named, but nothing is permitted or prohibited for it",
    why=(
        "The permissions and prohibitions after an `ACAP-usage-purpose` line are for that purpose. None follows this "
        "one, so this purpose has the same rules as every other. Add its fields, or remove the line."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-usage-purpose: news\n",
            good="ACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
    ),
)

"""A crawler line without a name that can be read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-no-crawler",
    summary="an ACAP-crawler line names no crawler, or one that cannot be read",
    why=(
        "A crawler's name in ACAP is made of letters, digits, dots, hyphens and underscores. Whom a line is for that "
        "has no name, or one in quotation marks, cannot be told: what its record prohibits is taken here for every "
        "crawler, and what it permits does not count. Most crawlers pass over the record. Write `ACAP-crawler: *` for "
        "all crawlers, or the bare name."
    ),
    examples=(
        Example(
            bad="ACAP-crawler:\nACAP-disallow-index: /private/\n",
            good="ACAP-crawler: *\nACAP-disallow-index: /private/\n",
        ),
        Example(
            bad='ACAP-crawler: "ExampleBot"\nACAP-disallow-index: /private/\n',
            good="ACAP-crawler: ExampleBot\nACAP-disallow-index: /private/\n",
        ),
    ),
)

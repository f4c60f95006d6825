"""A crawler line without a name that can be read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-no-crawler",
    summary="an ACAP-crawler line names no crawler, or one that cannot be read",
    why=(
        "A crawler's name in ACAP consists of letters, digits, dots, hyphens and underscores. If a line has no name, "
        "or one in quotation marks, it is unknown whom it addresses. Prohibitions of its record then apply to every "
        "crawler here, and permissions do not count. Most crawlers skip the record. Write `ACAP-crawler: *` for all "
        "crawlers, or the bare name."
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

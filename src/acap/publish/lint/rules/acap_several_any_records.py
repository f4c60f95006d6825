"""More than one record for any crawler."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-several-any-records",
    summary="more than one record addresses any crawler",
    why=(
        "ACAP expects one record for any crawler; two or more are merged here, and each of their lines counts. Another "
        "reader may take only the first or the last. Put everything for all crawlers under one `ACAP-crawler: *` line."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-crawl: /\n\nACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
            good="ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-disallow-index: /drafts/\n",
        ),
    ),
)

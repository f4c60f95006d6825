"""A record without fields."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-empty-record",
    summary="a record names crawlers and says nothing to them",
    why=(
        "A record begins with `ACAP-crawler` lines, and its permissions and prohibitions follow. This one has "
        "none: either they were forgotten, or the record is a remnant. Write them, or remove the lines."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-crawler: SearchBot1\n",
            good="ACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
    ),
)

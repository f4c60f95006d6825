"""A record without fields."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-empty-record",
    summary="a record names crawlers but says nothing to them",
    why=(
        "A record begins with `ACAP-crawler` lines, and its permissions and prohibitions follow. This one has none: "
        "someone forgot them, or left the crawler lines behind. Add the fields, or remove the lines."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-crawler: SearchBot1\n",
            good="ACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
    ),
)

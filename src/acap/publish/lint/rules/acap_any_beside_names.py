"""Any crawler, and named ones, in one record."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-any-beside-names",
    summary="`*` stands beside named crawlers in one record",
    why=(
        "A record addresses either any crawler or the crawlers it names. The difference matters: a statement to a "
        "crawler by name outranks a statement to any. A record for both is read here as both, so the named crawlers "
        "get everything twice, with two ranks. If you mean all crawlers, remove the names; if the named ones get more, "
        "give them a record of their own."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-crawler: SearchBot1\nACAP-allow-crawl: /\n",
            good="ACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
    ),
)

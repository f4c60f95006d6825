"""Any crawler, and named ones, in one record."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-any-beside-names",
    summary="`*` stands beside named crawlers in one record",
    why=(
        "A record is either for any crawler or for those that it names. It matters which: what is said to a crawler by "
        "name goes before what is said to all, so one record for both says everything to the named ones twice, with "
        "two ranks. It is read here as both. If all are meant, take the names away; if the named ones get more, give "
        "them a record of their own."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-crawler: SearchBot1\nACAP-allow-crawl: /\n",
            good="ACAP-crawler: *\nACAP-allow-crawl: /\n",
        ),
    ),
)

"""More ACAP than is read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, Long, of_problem

RULE = of_problem(
    "acap-too-much",
    summary="the file has more ACAP fields or records than are read",
    why=(
        "Readers bound how many records a file may have, and how many fields a record, as ACAP allows them to. Beyond "
        "the bound prohibitions still count and permissions do not, so part of what you permit is not permitted. "
        "Gather paths in an `ACAP-resource-set`, and use `*` in place of lists of pages."
    ),
    examples=(
        Example(
            bad=Long("ACAP-crawler: *\n", "ACAP-allow-index: /a\n", 10_001),
            good="ACAP-crawler: *\nACAP-allow-index: /a\n",
        ),
    ),
)

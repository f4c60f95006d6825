"""More ACAP than is read."""

from __future__ import annotations

from acap.publish.lint.rule import Example, Long, of_problem

RULE = of_problem(
    "acap-too-much",
    summary="the file has more ACAP fields or records than are read",
    why=(
        "Readers limit the records of a file and the fields of a record, as ACAP allows. Beyond the limit prohibitions "
        "still count, but permissions do not, so some of your permissions are lost. Gather paths in an "
        "`ACAP-resource-set`, and use `*` in place of lists of pages."
    ),
    examples=(
        Example(
            bad=Long("ACAP-crawler: *\n", "ACAP-allow-index: /a\n", 10_001),
            good="ACAP-crawler: *\nACAP-allow-index: /a\n",
        ),
    ),
)

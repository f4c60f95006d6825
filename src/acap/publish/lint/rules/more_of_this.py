"""More problems of one kind than are told one by one."""

from __future__ import annotations

from acap.publish.lint.rule import Example, Long, of_problem

RULE = of_problem(
    "more-of-this",
    summary="the file has more problems of one kind than are told one by one",
    why=(
        "Five thousand problems of one kind are told by their lines; of those beyond only the number is, so that a "
        "file which is wrong on every line stays quick to look at. Mend the first ones, most often with one "
        "replacement, and look again."
    ),
    examples=(
        Example(
            bad=Long("User-agent: *\n", "Disalow: /a\n", 5_001),
            good="User-agent: *\nDisallow: /a\n",
        ),
    ),
)

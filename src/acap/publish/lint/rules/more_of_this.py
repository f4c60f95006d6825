"""More problems of one kind than are told one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from acap.publish.lint.rule import Example, Long, from_problem, of_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.publish.lint.document import Document
    from acap.publish.lint.finding import Finding


def check(document: Document) -> Iterator[Finding]:
    """What the readers leave out; what lint itself does, it tells with the rule."""
    for problem in document.problems.get("more-of-this", ()):
        code, number = problem.words
        yield replace(from_problem(document, problem), stands_for=(code, int(number)))


_REPORTED = of_problem(
    "more-of-this",
    summary="the file has more problems of one kind than are told one by one",
    why=(
        "Five thousand findings of one rule are told by their lines; of those beyond only the number is, so that a "
        "file which is wrong on every line stays quick to look at. Mend the first ones, most often with one "
        "replacement, and look again. It is as bad as the worst that it stands for, and goes only with the rule: who "
        "ignores that hears nothing of it."
    ),
    examples=(
        Example(
            bad=Long("User-agent: *\n", "Disalow: /a\n", 5_001),
            good="User-agent: *\nDisallow: /a\n",
        ),
    ),
)
RULE = replace(_REPORTED, check=check)

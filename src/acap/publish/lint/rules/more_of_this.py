"""More problems of one kind than are told one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example, Long
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import from_problem, of_problem


def check(document: Document) -> Iterator[Finding]:
    """What the readers leave out; what lint itself does, it tells with the rule."""
    for problem in document.problems.get("more-of-this", ()):
        code, number = problem.words
        yield replace(from_problem(document, problem), stands_for=(code, int(number)))


_REPORTED = of_problem(
    "more-of-this",
    summary="the file has more problems of one kind than are listed",
    why=(
        "Five thousand findings of one rule are listed with their lines; beyond that only their number is reported, so "
        "that a file with a mistake on every line stays quick to check. Fix the first ones, most often with one "
        "replacement, and check again. This finding is as severe as the worst it stands for. It disappears if you "
        "ignore the rule itself."
    ),
    examples=(
        Example(
            bad=Long("User-agent: *\n", "Disalow: /a\n", 5_001),
            good="User-agent: *\nDisallow: /a\n",
        ),
    ),
)
RULE = replace(_REPORTED, check=check)

"""The native core and the reference interpreter, written from the same text and not from each other, answer alike.

`ACAP_CASES` says how many policies are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.property.engines import by_native, by_reference
from tests.property.strategies import Case, generate, shrunk

CASES = int(os.environ.get("ACAP_CASES", "5000"))
SEED = int(os.environ.get("ACAP_SEED", "1"))


def disagree(case: Case) -> bool:
    """Whether the engines differ on a question of the case."""
    return by_native(case) != by_reference(case)


def report(seed: str, case: Case) -> str:
    """A case and the answers to it, to be read by whoever has to settle it."""
    lines = [f"the engines disagree on a case of seed {seed!r}", f"octets: {case.octets!r}"]
    lines += [f"{number:4}  {line.octets!r}" for number, line in enumerate(case.lines, start=1)]
    lines.append(f"url={case.url!r} dialect={case.dialect!r} limits={case.limits} supplied={case.supplied}")
    for asked, native, reference in zip(case.questions, by_native(case), by_reference(case), strict=True):
        if native != reference:
            lines += [f"{asked}", f"  native:    {native}", f"  reference: {reference}"]
    return "\n".join(lines)


def test_both_engines_give_the_same_answers() -> None:
    """Outcome, kind, stated, restrictions and deciding lines are the same for every question of every case."""
    for number in range(CASES):
        seed = f"{SEED}.{number}"
        case = generate(Random(seed))
        try:
            differ = disagree(case)
        except Exception as error:
            error.add_note(f"seed {seed!r}: {case}")
            raise
        if differ:
            pytest.fail(report(seed, shrunk(case, disagree)), pytrace=False)

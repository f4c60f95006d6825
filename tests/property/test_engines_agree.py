"""The native core and the reference interpreter, written from the same text and not from each other, answer alike.

`ACAP_CASES` says how many policies are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import os
from functools import partial

from tests.property.engines import by_native, by_reference
from tests.property.rounds import agree
from tests.property.strategies import Case, generate, shrunk

CASES = int(os.environ.get("ACAP_CASES", "500"))
SEED = int(os.environ.get("ACAP_SEED", "1"))


def described(case: Case) -> list[str]:
    """A case, to be read by whoever has to settle it."""
    return [
        f"octets: {case.octets!r}",
        *(f"{number:4}  {line.octets!r}" for number, line in enumerate(case.lines, start=1)),
        f"url={case.url!r} dialect={case.dialect!r} limits={case.limits} supplied={case.supplied}",
    ]


def test_both_engines_give_the_same_answers() -> None:
    """Outcome, kind, stated, restrictions and deciding lines are the same for every question of every case."""
    agree(CASES, SEED, generate, (by_native, by_reference), shrunk, described)


def test_both_engines_read_signals_by_the_letter_alike() -> None:
    """The same of the reading that takes no doubt for a refusal."""
    engines = (partial(by_native, reading="strict"), partial(by_reference, reading="strict"))
    agree(CASES // 5, SEED + CASES, generate, engines, shrunk, described)

"""Cases without end, for two engines that must answer alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol, TypeVar

import pytest


class Asks(Protocol):
    """A case, whatever it is about: it has questions."""

    @property
    def questions(self) -> Sequence[object]:
        """What is asked of it."""


C = TypeVar("C", bound=Asks)
Engine = Callable[[C], Sequence[object]]


def agree(
    cases: int,
    seed: int,
    generate: Callable[[Random], C],
    engines: tuple[Engine[C], Engine[C]],
    shrunk: Callable[[C, Callable[[C], bool]], C],
    described: Callable[[C], list[str]],
) -> None:
    """Fails at the first case to which the native engine and the reference answer differently, made small."""
    native, reference = engines

    def disagree(case: C) -> bool:
        return native(case) != reference(case)

    for number in range(cases):
        name = f"{seed}.{number}"
        case = generate(Random(name))
        try:
            differ = disagree(case)
        except Exception as error:
            error.add_note(f"seed {name!r}: {case}")
            raise
        if differ:
            small = shrunk(case, disagree)
            lines = [f"the engines disagree on a case of seed {name!r}", *described(small)]
            for asked, ours, theirs in zip(small.questions, native(small), reference(small), strict=True):
                if ours != theirs:
                    lines += [f"{asked}", f"  native:    {ours}", f"  reference: {theirs}"]
            pytest.fail("\n".join(lines), pytrace=False)

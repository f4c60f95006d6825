"""The outcome of each usage of one resource, and the fewest statements that express them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from acap import _native
from acap.decision import Decision
from acap.publish.patterns import check_time
from acap.restrictions import TABLE

State = tuple[str, tuple[tuple[str, str], ...]]
"""An outcome and its restrictions."""

PERMITTED: State = ("permitted", ())
PROHIBITED: State = ("prohibited", ())
USAGES = tuple(name for name, _ in _native.usages() if name != "crawl")
PARENTS = dict(_native.usages())
ANYBODY = "any-other-crawler"
"""A name for crawlers that no statement names."""


def states(decide: Callable[[str], Decision], usages: Iterable[str] = USAGES) -> dict[str, State]:
    """The outcome of each usage; one that is permitted under a restriction ACAP has no word for is prohibited.

    Purposes are asked for one by one, so that `excluded-purpose` is not needed. Raises LateError.
    """
    check_time()
    out: dict[str, State] = {}
    for usage in usages:
        decision = decide(usage)
        limits = tuple(
            (restriction.name, restriction.value)
            for restriction in decision.restrictions
            if restriction.name != "excluded-purpose"
        )
        has_words = all(has_acap_word(name) for name, _ in limits)
        outcome = str(decision.outcome) if has_words else "prohibited"
        out[usage] = (outcome, limits if outcome == "permitted" else ())
    return out


def has_acap_word(restriction: str) -> bool:
    """Whether ACAP has a word for a restriction."""
    return restriction in TABLE and TABLE[restriction].acap


def above(usage: str) -> list[str]:
    """A usage and those that it is a part of."""
    out = [usage]
    while (parent := PARENTS.get(out[-1])) is not None:
        out.append(parent)
    return out


def new(wanted: dict[str, State], known: dict[str, State]) -> dict[str, State]:
    """The states that must be written: those that follow neither from known ones nor from a usage above."""
    out: dict[str, State] = {}
    for usage, state in wanted.items():
        nearest = next((one for one in above(usage)[1:] if one in out), None)
        if state != (out[nearest] if nearest is not None else known[usage]):
            out[usage] = state
    return out

"""A crawler line and a purpose line that name nothing may have named anything: the strictest of that counts."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.property import strategies
from tests.property.engines import REFUSED, Answer, Engine, by_native, by_reference
from tests.property.strategies import Case, Palette, acap_record, plain
from tests.reference.resolution import purpose_matches

ENGINES = pytest.mark.parametrize("engine", [by_native, by_reference])
UNREAD_NAMES = ("", "# a comment", '"bot"', "“bot”", "@bot", "*bot", "(bot)", "„*“")
NAMES = ("bot", "bot2", "news-bot", "searchbot1", "unnamed", "*")
UNREAD_PURPOSES = ("", " ", "# a comment", "\x01")
PURPOSES = ("news", "sports", "*", "n*", "other")


def with_record(case: Case, random: Random) -> Case:
    """The case with one more ACAP record, so that there is a line to change."""
    return replace(case, lines=(*case.lines, *acap_record(random, Palette.drawn(random))), limits=None, encoding="")


def is_not_looser(whole: Answer, cut: Answer) -> bool:
    """Whether an answer is at least as strict as another.

    That `any` modification is prohibited swallows each kind, and an excluded purpose pattern those it stands for.
    """
    if REFUSED in (whole, cut) or cut.outcome == "prohibited":
        return True
    everything = {
        usage for name, value, usage in cut.restrictions if (name, value) == ("prohibited-modification", "any")
    }
    swallowed = {one for one in whole.restrictions if one[0] == "prohibited-modification" and one[2] in everything}
    patterns = {value for name, value, _ in cut.restrictions if name == "excluded-purpose"}
    excluded = {
        one
        for one in whole.restrictions
        if one[0] == "excluded-purpose" and any(purpose_matches(pattern, one[1]) for pattern in patterns)
    }
    return whole.outcome == cut.outcome and whole.restrictions - swallowed - excluded <= cut.restrictions


def is_not_looser_anywhere(engine: Engine, case: Case, at: int, line: str, unread: str) -> None:
    """Fails where a line that names nothing is answered looser than one in its place."""
    lines = [(*case.lines[:at], plain(text), *case.lines[at + 1 :]) for text in (line, unread)]
    named, unnamed = (replace(case, lines=each) for each in lines)
    for whole, cut in zip(engine(named), engine(unnamed), strict=True):
        assert is_not_looser(whole, cut), (named, unnamed, whole, cut)


@ENGINES
@given(case=strategies.cases(), random=st.randoms(use_true_random=False))
def test_a_crawler_line_that_names_nobody_is_not_looser_than_any_name(
    engine: Engine, case: Case, random: Random
) -> None:
    """Whatever name stood in the place of one that cannot be read, no answer would be stricter."""
    case = with_record(case, random)
    places = [at for at, line in enumerate(case.lines) if line.octets.startswith(b"ACAP-crawler:")]
    assume(places)
    line, unread = f"ACAP-crawler: {random.choice(NAMES)}", f"ACAP-crawler: {random.choice(UNREAD_NAMES)}"
    is_not_looser_anywhere(engine, case, random.choice(places), line, unread)


@ENGINES
@given(case=strategies.cases(), random=st.randoms(use_true_random=False))
def test_a_purpose_line_that_names_none_is_not_looser_than_any_purpose(
    engine: Engine, case: Case, random: Random
) -> None:
    """Whatever purpose stood in the place of one that is not there, no answer would be stricter."""
    case = with_record(case, random)
    places = [at for at, line in enumerate(case.lines) if line.octets.startswith(b"ACAP-usage-purpose:")]
    assume(places)
    line = f"ACAP-usage-purpose: {random.choice(PURPOSES)}"
    is_not_looser_anywhere(
        engine, case, random.choice(places), line, f"ACAP-usage-purpose: {random.choice(UNREAD_PURPOSES)}"
    )

"""Conventional words of pages are read as other implementations read them, differences listed and explained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache

import pytest

import acap
from tests.page_peers import USAGES, Case, Difference, differences, recorded, seen_by

AT = datetime(2026, 11, 1, tzinfo=UTC)  # no date of a case is within decades of it
PAGE, IMAGE = "https://www.example.com/a.html", "https://www.example.com/a.jpg"

EVERY_PEER = pytest.mark.parametrize("peer", USAGES)


@cache
def prohibited(case: Case) -> frozenset[str]:
    """The usages that we say are prohibited."""
    url = IMAGE if case.image else PAGE
    page = acap.parse_page(case.html, url=url, headers=case.lines)
    asked = sorted({usage for usages in USAGES.values() for usage in usages})
    found = acap.decide_each(url, crawler=case.crawler or "*", usages=asked, at=AT, page=page)
    return frozenset(usage for usage, one in found.items() if one.outcome is acap.Outcome.PROHIBITED)


def of(peer: str) -> list[Difference]:
    """The differences of a peer."""
    return [difference for difference in differences() if difference.peer == peer]


def unlike(peer: str, listed: list[Difference]) -> Iterator[tuple[int, str]]:
    """Where a peer's answer is not ours on what it sees, if it differs from us in the listed ways alone."""
    excepted = {(number, usage) for one in listed for number in one.cases for usage in one.usages}
    for number, one in enumerate(recorded(), 1):
        if peer in one.prohibited:
            ours = prohibited(seen_by(one.case, listed))
            for usage in USAGES[peer]:
                alike = (usage in ours) == (usage in one.prohibited[peer])
                if alike == ((number, usage) in excepted):
                    yield number, usage


@EVERY_PEER
def test_a_peer_differs_in_the_listed_ways_and_in_no_other(peer: str) -> None:
    """Every case, read with the listed differences of a peer, is answered as that peer answered it."""
    assert list(unlike(peer, of(peer))) == []


@EVERY_PEER
def test_four_cases_of_five_are_answered_alike_as_they_stand(peer: str) -> None:
    """Differences are exceptions: on each usage a peer answers most cases as we do without any."""
    unlike_ones = Counter(usage for _, usage in unlike(peer, []))
    asked = sum(peer in one.prohibited for one in recorded())
    assert [usage for usage in USAGES[peer] if unlike_ones[usage] > asked / 5] == []


@pytest.mark.parametrize("difference", differences(), ids=lambda one: f"{one.peer}: {one.why}")
def test_a_difference_is_still_one(difference: Difference) -> None:
    """Left out, a difference leaves cases unexplained, on the usages it names and no other."""
    others = [other for other in of(difference.peer) if other is not difference]
    assert {usage for _, usage in unlike(difference.peer, others)} == set(difference.usages)
    assert difference.clause


def test_a_difference_is_steps_or_cases() -> None:
    """A difference says how a peer reads, or names its cases, and never both."""
    assert [one.why for one in differences() if bool(one.steps) == bool(one.cases)] == []

"""Conventional records are answered as other implementations' suites record it, differences listed apart."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from typing import Any

import pytest

import acap
from tests.vector_files import VECTORS

RECORDED = [json.loads(line) for line in (VECTORS / "rep/conformance.jsonl").read_text(encoding="utf-8").splitlines()]
DIFFERENCES = tomllib.loads((VECTORS / "rep/differences.toml").read_text(encoding="utf-8"))["difference"]
DIALECTS = ("google", "auto")


def allowed(case: dict[str, Any], dialect: str) -> bool | None:
    """Whether a recorded case may be crawled; None if its question is rejected."""
    octets = bytes.fromhex(case["body_hex"]) if "body_hex" in case else case["body"].encode()
    policy = acap.parse_robots(octets, dialect=dialect)
    try:
        return policy.decide(case["url"], crawler=case["agent"]).permitted
    except ValueError:
        return None


def listed(dialect: str) -> list[int]:
    """The cases in which a dialect is said to differ."""
    return [case for one in DIFFERENCES if dialect in one["dialects"] for case in one["cases"]]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_recorded_case_is_answered_as_recorded_or_listed(dialect: str) -> None:
    differing = [number for number, case in enumerate(RECORDED, 1) if allowed(case, dialect) != case["allowed"]]
    assert differing == sorted(listed(dialect))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_difference_is_listed_once(dialect: str) -> None:
    assert [case for case, times in Counter(listed(dialect)).items() if times > 1] == []


def test_the_google_dialect_passes_all_of_googles_own_cases_that_have_a_name() -> None:
    own = [number for number in listed("google") if RECORDED[number - 1]["suite"] in {"google", "spec_ctc"}]
    assert [number for number in own if RECORDED[number - 1]["agent"] not in {"", "Foo Bar"}] == []


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda difference: difference["why"])
def test_a_difference_says_where_and_why(difference: dict[str, Any]) -> None:
    assert set(difference) == {"dialects", "clause", "why", "cases"}
    assert set(difference["dialects"]) <= set(DIALECTS)
    assert difference["clause"]
    assert all(1 <= case <= len(RECORDED) for case in difference["cases"])

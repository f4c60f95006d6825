"""The class in place of the standard library's passes CPython's own tests, but for what is listed and explained."""

from __future__ import annotations

import re
import sys
import urllib.robotparser
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from acap.integrations.robotparser import RobotFileParser
from tests.robotparser_cases import LISTED, RECORDED, Case, Difference, Question, cases, differences, unlike

GUIDE = Path(__file__).parent.parent / "docs/how-to/urllib-robotparser.md"
SEMANTICS = GUIDE.parent.parent / "semantics.md"

FOLLOWS_RFC_9309 = sys.version_info >= (3, 14, 5)
"""Whether the standard library at hand is the one whose tests were recorded; 3.13.14 and later are nearly so."""


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_answer_is_the_expected_or_the_listed_one(case: Case) -> None:
    """An answer that differs and is not listed fails, and so does a listed one that no longer differs."""
    listed = {asked: answer for one in differences() for asked, answer in one.answers.items() if asked[0] == case.name}
    assert unlike(RobotFileParser, [case]) == listed


def test_a_difference_is_listed_once_and_of_a_question_that_is_asked() -> None:
    """The list speaks of the recorded questions alone, and of each with one reason."""
    listed = Counter(asked for one in differences() for asked in one.answers)
    assert [asked for asked, times in listed.items() if times > 1] == []
    assert set(listed) <= {asked for case in cases() for asked in case.expected}


@pytest.mark.parametrize("difference", differences(), ids=lambda difference: difference.why)
def test_a_difference_has_a_clause_that_is_there(difference: Difference) -> None:
    """Chapters of the semantics are named as they are headed."""
    headings = re.findall(r"^##+ (.+)$", SEMANTICS.read_text(encoding="utf-8"), re.MULTILINE)
    assert difference.clause
    assert difference.answers
    for clause in difference.clause.split("; "):
        if clause.startswith("Semantics, "):
            assert clause.removeprefix("Semantics, ") in headings


@pytest.mark.parametrize("difference", [one for one in differences() if one.unless], ids=lambda one: one.why)
def test_a_difference_that_is_a_choice_goes_with_the_option(difference: Difference) -> None:
    """With the option that is listed beside it the answers are those of CPython."""
    names = {name for name, _, _ in difference.answers}
    chosen = partial(RobotFileParser, **difference.unless)
    assert unlike(chosen, [case for case in cases() if case.name in names]) == {}


def test_no_test_of_cpython_is_missing() -> None:
    """What was recorded and what was left out make the whole file."""
    recorded = [f"{case.name.partition(',')[0]}.{method}" for case in cases() for method in case.table["methods"]]
    left_out = [name for one in LISTED["left_out"] for name in one["tests"]]
    assert len({*recorded, *left_out}) == len(recorded) + len(left_out) == RECORDED["tests"]


def method(case: Case, asked: Question, expected: object) -> str:
    """The method of CPython's test that asks this."""
    methods = case.table["methods"]
    if len(methods) == 1:
        return str(methods[0])
    of = {"text": "test_string_formatting", "site_maps": "test_site_maps"}
    return of.get(asked[2], "test_good_urls" if expected is True else "test_bad_urls")


def test_the_guide_counts_and_explains_the_differences() -> None:
    """Its numbers are those of the lists, its reasons those of each difference."""
    text = " ".join(GUIDE.read_text(encoding="utf-8").split())
    listed = {asked for one in differences() for asked in one.answers}
    expected = {asked: (case, answer) for case in cases() for asked, answer in case.expected.items()}
    differing = {
        (asked[0], method(case, asked, answer)) for asked, (case, answer) in expected.items() if asked in listed
    }
    left_out = sum(len(one["tests"]) for one in LISTED["left_out"])
    alike = RECORDED["tests"] - len(differing) - left_out
    assert f"Of **{RECORDED['tests']} tests** {alike} pass, {len(differing)} have an answer that differs" in text
    assert f"{left_out} are left out: {LISTED['left_out'][0]['why']}." in text
    assert f"Of the {len(expected)} answers that they expect {len(listed)} differ:" in text
    said = re.findall(r"- \*\*(\d+)\*\*: (.+?)\.(?= - \*\*|$)", text)
    assert said == [(str(len(one.answers)), f"{one.why} ({one.clause})") for one in differences()]


def test_the_recorded_answers_are_those_of_the_standard_library_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it follows RFC 9309 it answers all as recorded; older ones raise or answer otherwise."""
    monkeypatch.setenv("no_proxy", "*")
    try:
        alike = unlike(urllib.robotparser.RobotFileParser) == {}
    except ValueError:
        alike = False
    assert alike is FOLLOWS_RFC_9309

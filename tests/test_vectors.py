"""Both engines answer every conformance vector, and report what the vectors say of the file itself."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.vector_engines import ENGINES, Answer, Native, can_read
from tests.vector_files import Policy, Question, Table, policies

DESCRIPTIONS = {"version", "truncated", "crawlers", "purposes", "sitemaps"}
REQUESTS = {"missing_references", "action_requests"}


def of_engines(*keys: str) -> list[Any]:
    """Every engine with every policy it can read, of those that have one of the keys."""
    return [
        pytest.param(engine, policy, id=f"{engine}: {policy.name}")
        for engine in ENGINES
        for policy in policies()
        if can_read(engine, policy) and (not keys or set(keys) & set(policy.table))
    ]


def of_native(*keys: str) -> list[Any]:
    """The policies that have one of the keys."""
    return [pytest.param(policy, id=policy.name) for policy in policies() if set(keys) & set(policy.table)]


def differences(question: Question, answer: Answer, expected: Table) -> Iterator[str]:
    """How an answer differs from what a case expects."""

    def compare(what: str, found: Any, wanted: Any) -> Iterator[str]:
        if found != wanted:
            yield f"{question}: {what} is {found}, not {wanted}; {answer}"

    yield from compare("outcome", answer.outcome, expected["outcome"])
    for what in ("kind", "stated"):
        if what in expected:
            yield from compare(what, getattr(answer, what), expected[what])
    if "truncated" in expected and answer.truncated is not None:
        yield from compare("truncated", answer.truncated, expected["truncated"])
    if "below" in expected:
        yield from compare("below", set(answer.below), set(expected["below"]))
    if "lost" in expected and answer.lost is not None:
        wanted = {(one["line"], one["key"]) for one in expected["lost"]}
        yield from compare("lost", answer.lost & wanted, wanted)
    if "line" in expected:
        yield from compare("line", set(answer.lines), set(expected["line"]))
    if "restriction_names" in expected:
        names = {name.lower() for name, _, _ in answer.restrictions}
        yield from compare("restriction_names", names, set(expected["restriction_names"]))
    else:
        yield from compare("restrictions", *of_restrictions(answer, expected.get("restrictions", [])))


def of_restrictions(answer: Answer, wanted: list[list[str]]) -> tuple[set[Any], set[Any]]:
    """The restrictions found and wanted, with their part of the question where the vector names one."""
    depth = max(map(len, wanted), default=2)
    found = {(name.lower(), *rest)[:depth] for name, *rest in answer.restrictions}
    return found, {(name.lower(), *rest) for name, *rest in wanted}


@pytest.mark.parametrize(("engine", "policy"), of_engines())
def test_every_question_is_answered_as_the_vector_says(engine: str, policy: Policy) -> None:
    read = {dialect: ENGINES[engine](policy, dialect) for dialect in {asked.dialect for asked, _ in policy.cases}}
    started = time.perf_counter()
    wrong = [
        difference
        for question, expected in policy.cases
        for difference in differences(question, read[question.dialect].ask(question), expected)
    ]
    assert wrong == []
    if engine == "native" and "seconds" in policy.table:
        assert time.perf_counter() - started < policy.table["seconds"]


@pytest.mark.parametrize("policy", of_native(*DESCRIPTIONS))
def test_the_file_is_described_as_the_vector_says(policy: Policy) -> None:
    read = Native(policy, policy.dialects[0]).policy
    for what in DESCRIPTIONS & set(policy.table):
        found, wanted = getattr(read, what) or "", policy.table[what] or ""
        assert (sorted(found) == sorted(wanted)) if isinstance(wanted, list) else (found == wanted)


@pytest.mark.parametrize("policy", of_native("problem", "clean"))
def test_problems_are_found_where_the_vector_says(policy: Policy) -> None:
    problems = Native(policy, policy.dialects[0]).policy.problems
    if "clean" in policy.table:
        assert [problem for problem in problems if problem.severity != "info"] == []
    for wanted in policy.table.get("problem", []):
        assert any(all(getattr(problem, name) == value for name, value in wanted.items()) for problem in problems), (
            f"{wanted} is none of {[(problem.line, problem.severity, problem.code) for problem in problems]}"
        )


@pytest.mark.parametrize(("engine", "policy"), of_engines(*REQUESTS))
def test_references_and_requests_are_those_of_the_vector(engine: str, policy: Policy) -> None:
    read = ENGINES[engine](policy, policy.dialects[0])
    for crawler, missing in policy.table.get("missing_references", {}).items():
        assert list(read.missing_references(crawler)) == missing
    for wanted in policy.table.get("action_requests", []):
        assert (wanted["action"], wanted["path"], wanted["line"]) in read.action_requests(wanted["crawler"])


@pytest.mark.parametrize(("engine", "policy"), of_engines("politeness"))
def test_politeness_is_reported_as_the_vector_says(engine: str, policy: Policy) -> None:
    for dialect in policy.dialects:
        read = ENGINES[engine](policy, dialect)
        for wanted in policy.table["politeness"]:
            pace = read.pace(wanted["crawler"], wanted.get("at"))
            delay = max(10.0, 2 * wanted.get("fetch_seconds", 0.0)) if pace.encouraged else pace.delay
            if {"delay", "no_delay"} & set(wanted):
                assert delay == wanted.get("delay"), wanted
            for what in {"encouraged", "open", "comments"} & set(wanted):
                assert getattr(pace, what) == wanted[what], wanted

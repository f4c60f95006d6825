"""The result of a check in words, in JSON and as JUnit's cases: one explanation for every reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from acap.explain import summary, visible
from acap.publish.cases.case import CaseFile
from acap.publish.cases.check import Result
from acap.publish.coverage import Coverage, Unreached
from acap.publish.junit import JUnitCase, JUnitFailure, JUnitSuite
from acap.schema import SCHEMA, decision_to_json

# Failing checks listed per case; further ones are only counted, as one fault can fail thousands.
MOST_LISTED = 10


def lines_of(result: Result) -> list[str]:
    """A failing check in a few lines: the question, the expectation, the decision, and why."""
    lines = [f"asked     {result.check}"]
    for miss in result.missed:
        lines += [f"expected  {miss.expected}", f"decided   {miss.decided}"]
    lines.append(f"why       {because(result)}")
    return [visible(line) for line in lines]


def because(result: Result) -> str:
    """The reason of a decision: the statement that decided, else the kind of reason."""
    return summary(result.decision, result.names)


def failures(results: Sequence[Result], *, most: int = MOST_LISTED) -> list[str]:
    """The failing checks of one case in lines, the first `most` of them; the rest is counted."""
    failed = [result for result in results if not result.passed]
    lines = [line for result in failed[:most] for line in lines_of(result)]
    if len(failed) > most:
        lines.append(f"and {len(failed) - most:,} more of {len(results):,} checks")
    return lines


def result_to_json(file: CaseFile, result: Result, *, undetermined: bool = False) -> dict[str, Any]:
    """A check with its decision, of types that `json.dumps` takes."""
    return {
        "schema": SCHEMA,
        "file": file.name,
        "line": result.case.line or None,
        "case": result.case.name,
        "status": "undetermined" if undetermined else "passed" if result.passed else "failed",
        "missed": [{"expected": miss.expected, "decided": miss.decided} for miss in result.missed],
        "decision": decision_to_json(result.decision),
    }


def coverage_to_json(name: str, coverage: Coverage, unreached: Iterable[Unreached]) -> dict[str, Any]:
    """The coverage of one robots.txt, of types that `json.dumps` takes."""
    return {
        "schema": SCHEMA,
        "robots": name,
        "lines": len(coverage.lines),
        "reached": len(coverage.reached),
        "percent": round(coverage.percent, 2),
        "unreached": [
            {
                "line": one.line,
                "text": one.text,
                "seen": one.seen,
                "ask": None
                if one.suggestion is None
                else {
                    "path": one.suggestion.path,
                    "crawler": one.suggestion.crawler,
                    "usage": one.suggestion.usage,
                    "purpose": one.suggestion.purpose,
                    "dialect": one.suggestion.dialect,
                },
                "instead": list(one.instead),
            }
            for one in unreached
        ],
    }


def suite(file: CaseFile, results: Iterable[Result], undetermined: frozenset[int] = frozenset()) -> JUnitSuite:
    """The results of a file as a JUnit suite, a case each.

    `undetermined` are the `id`s of results without meaning, as the policy could not be retrieved.
    """
    cases = []
    for case, group in groupby(results, lambda result: result.case):
        found = list(group)
        failed = [result for result in found if not result.passed and id(result) not in undetermined]
        unknown = [result for result in found if id(result) in undetermined]
        cases.append(
            JUnitCase(
                name=case.name,
                classname=file.name,
                file=file.name,
                line=case.line or None,
                failures=tuple(
                    JUnitFailure(_message(result), "\n".join(lines_of(result)), "expectation")
                    for result in failed[:MOST_LISTED]
                ),
                error=JUnitFailure(f"undetermined: {because(unknown[0])}", type="undetermined") if unknown else None,
            )
        )
    return JUnitSuite(file.name, tuple(cases))


def _message(result: Result) -> str:
    miss = result.missed[0]
    return f"{result.check}: expected {miss.expected}, decided {miss.decided}"

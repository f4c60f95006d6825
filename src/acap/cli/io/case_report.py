"""How `acap test` tells of cases and of coverage."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.text import Text

from acap.cli.io.terminal import Terminal
from acap.explain import visible
from acap.plurals import plural
from acap.publish.cases import Case, CaseFile, Result
from acap.publish.cases.report import because, coverage_to_json, failures, result_to_json
from acap.publish.coverage import Coverage

_COLOURS = {"passed": "green", "failed": "bold red", "undetermined": "bold yellow"}


@dataclass(slots=True)
class CheckedFile:
    """One file with its results; `unknown` are the `id`s of those that a policy out of reach left undetermined."""

    file: CaseFile
    results: Sequence[Result]
    unknown: frozenset[int] = frozenset()

    @property
    def failed(self) -> int:
        """How many checks came out otherwise than expected."""
        return sum(not result.passed and id(result) not in self.unknown for result in self.results)


def by_case(checked: CheckedFile) -> Iterator[tuple[Case, list[Result]]]:
    for case, results in groupby(checked.results, lambda result: result.case):
        yield case, list(results)


def show_json(terminal: Terminal, checked: CheckedFile, results: Sequence[Result]) -> None:
    for result in results:
        terminal.line(json.dumps(result_to_json(checked.file, result, undetermined=id(result) in checked.unknown)))


def show_case(
    terminal: Terminal, checked: CheckedFile, case: Case, results: Sequence[Result], *, verbose: bool
) -> None:
    """A case that fails, with its failing checks; with `verbose` every case, with every check."""
    unknown = [result for result in results if id(result) in checked.unknown]
    known = [result for result in results if id(result) not in checked.unknown]
    failed = any(not result.passed for result in known)
    status = "failed" if failed else "undetermined" if unknown else "passed"
    if status == "passed" and not verbose:
        return
    _status(terminal, status, visible(f"{checked.file.place(case)}: {case.name}"))
    if verbose:
        for one in known:
            if one.passed:
                terminal.line(visible(f"  {one.check}: {one.decision.outcome}, {because(one)}"))
    for line in failures(known, most=len(known)) if verbose else failures(known):
        terminal.line(f"  {line}")
    if unknown:
        terminal.line(visible(f"  {len(unknown)} of {len(results)} checks: {because(unknown[0])}"))


def _status(terminal: Terminal, status: str, text: str) -> None:
    if terminal.quiet:
        return
    if not terminal.rich:
        terminal.line(f"{status}: {text}")
        return
    terminal.show(Text.assemble((f"{status}: ", _COLOURS[status]), text))


def show_summary(terminal: Terminal, checked: Sequence[CheckedFile]) -> None:
    cases, checks = sum(len(one.file.cases) for one in checked), sum(len(one.results) for one in checked)
    failed, unknown = sum(one.failed for one in checked), sum(len(one.unknown) for one in checked)
    parts = [f"{checks - failed - unknown:,} passed"]
    parts += [f"{failed:,} failed"] if failed else []
    parts += [f"{unknown:,} undetermined"] if unknown else []
    terminal.line(f"{plural(cases, 'case')}, {plural(checks, 'check')}: {', '.join(parts)}")


def show_coverage(terminal: Terminal, name: str, coverage: Coverage, *, as_json: bool) -> None:
    """How many lines are reached, and for each that is not what would reach it."""
    unreached = list(coverage.unreached())
    if as_json:
        terminal.line(json.dumps(coverage_to_json(name, coverage, unreached)))
        return
    reached = f"{len(coverage.reached):,} of {plural(len(coverage.lines), 'line')} reached, {coverage.percent:.1f} %"
    terminal.line(visible(f"{name}: {reached}"))
    for missed in unreached:
        seen = "only lost" if missed.seen else "not reached"
        terminal.line(visible(f"  line {missed.line}, {seen}: {missed.text}"))
        if missed.suggestion is not None:
            terminal.line(visible(f"    try: {missed.suggestion}"))
        elif missed.instead:
            lines = " and ".join(f"line {line}" for line in missed.instead)
            terminal.line(f"    no question found that it decides; {lines} decided those that were tried")
        else:
            terminal.line("    no question found that it decides")

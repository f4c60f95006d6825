"""The items of pytest that the cases of a policy are; the plugin imports them once there is a file of cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from acap.publish.cases import Case, CaseFile, CasesError, FilePolicies, Policies, Result, check_case, read_cases
from acap.publish.cases.report import failures


class CaseFailedError(Exception):
    """A case of which some checks failed; `results` are those of all its checks."""

    def __init__(self, results: Sequence[Result]) -> None:
        super().__init__(f"{sum(not one.passed for one in results)} of {len(results)} checks failed")
        self.results = results


class CaseItem(pytest.Item):
    """One case as a test."""

    file: CaseFile
    case: Case
    policies: Policies

    def runtest(self) -> None:
        """Raises `CaseFailedError` if something is decided otherwise than expected."""
        results = list(check_case(self.file, self.case, self.policies))
        if not all(result.passed for result in results):
            raise CaseFailedError(results)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failing checks in words; anything else as pytest shows it."""
        if isinstance(excinfo.value, CaseFailedError):
            return "\n".join([f"{self.file.place(self.case)}: {self.case.name}", *failures(excinfo.value.results)])
        if isinstance(excinfo.value, CasesError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the case is written."""
        return self.path, self.case.line - 1 if self.case.line else None, self.case.name


class CasesFile(pytest.File):
    """A file of cases."""

    def collect(self) -> Iterator[CaseItem]:
        """An item a case; skipped where only `acap test --live` has a policy to check."""
        try:
            file = read_cases(self.path, name=self.nodeid or None)
            if file.robots is None:
                pytest.skip("names no `robots` file; check it with acap test --live", allow_module_level=True)
            policies = FilePolicies(file)
        except CasesError as error:
            raise self.CollectError(str(error)) from error
        for case in file.cases:
            item = CaseItem.from_parent(self, name=case.name)
            item.file, item.case, item.policies = file, case, policies
            yield item

"""A plugin for pytest: a case of a policy is a test.

Files named `*.acap.toml`, and those that the ini option `acap_cases` names, are collected as they are found; each
`[[case]]` is an item. Laws: a run without such files pays for the import of this module and nothing more; nothing is
fetched; a failing case shows what `acap test` shows, and no traceback.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from acap.publish.cases import Case, CaseFile, Policies, Result

_ENDING = ".acap.toml"
_INI = "acap_cases"


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
        from acap.publish.cases import check_case

        results = list(check_case(self.file, self.case, self.policies))
        if not all(one.passed for one in results):
            raise CaseFailedError(results)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failing checks in words; anything else as pytest shows it."""
        from acap.publish.cases import CasesError
        from acap.publish.cases.report import failures

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
        from acap.publish.cases import CasesError, FilePolicies, read_cases

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


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the ini option `acap_cases`."""
    parser.addini(
        _INI, f"patterns of files with cases for acap, beside those named *{_ENDING}", type="args", default=[]
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CasesFile | None:
    """Takes the files that hold cases."""
    if file_path.name.endswith(_ENDING) or any(file_path.match(pattern) for pattern in parent.config.getini(_INI)):
        return CasesFile.from_parent(parent, path=file_path)
    return None

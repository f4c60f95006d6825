"""Cases: what a publisher expects of a policy, written down, and checked as unit tests are.

    file = read_cases(Path("policy.acap.toml"))
    results = check_file(file)
    [result for result in results if not result.passed]

Laws: a case is asked of the same engine as everybody's; nothing is fetched here. Lists multiply out into checks. A file
that is not as the format says is refused whole, with the case and the key at fault: no check passes by being misread.
"""

from __future__ import annotations

from acap.publish.cases.case import Case, CaseFile, CasesError, Expectation
from acap.publish.cases.check import (
    Check,
    DocumentOctets,
    Documents,
    FilePolicies,
    Miss,
    Policies,
    Result,
    check_case,
    check_file,
)
from acap.publish.cases.file import read_cases

__all__ = [
    "Case",
    "CaseFile",
    "CasesError",
    "Check",
    "DocumentOctets",
    "Documents",
    "Expectation",
    "FilePolicies",
    "Miss",
    "Policies",
    "Result",
    "check_case",
    "check_file",
    "read_cases",
]

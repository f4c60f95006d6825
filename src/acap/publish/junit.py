"""JUnit XML, the form of test results that continuous integration reads: suites of cases, each passed or failed.

Laws: what is written is always well-formed XML 1.0: names and texts are escaped, and characters that XML 1.0 forbids
(controls, surrogates) are left out. The same suites give the same text: no time, no host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

# XML 1.0 2.2: Char. What is not in it cannot be written at all, not even as a character reference.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# In an attribute a parser makes blanks of these unless they are references; of CR it makes LF everywhere.
_ATTRIBUTE = {'"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_TEXT = {"\r": "&#13;"}


@dataclass(frozen=True, slots=True)
class JUnitFailure:
    """Why a case failed: `message` in one line, `text` in full, `type` the sort of failure, such as a rule's code."""

    message: str
    text: str = ""
    type: str = "failure"


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """One test: its `name`, the group it is of (`classname`), where it is written, its failures (none: it passed)."""

    name: str
    classname: str = ""
    file: str | None = None
    line: int | None = None
    """1-based; None: not known."""
    failures: tuple[JUnitFailure, ...] = ()
    error: JUnitFailure | None = None
    """What kept the test from being decided at all: counted as an error, not as a failure."""


@dataclass(frozen=True, slots=True)
class JUnitSuite:
    """The cases of one file or one rule set, in order."""

    name: str
    cases: tuple[JUnitCase, ...] = field(default=())


def junit(suites: Iterable[JUnitSuite]) -> str:
    """The JUnit XML document of `suites`: UTF-8 declared, two spaces a level, a newline at the end.

    A case with several failures is written with one `<failure>` each, and counts once.
    """
    written = [_suite(suite) for suite in suites]
    tests, failures, errors = (sum(counts[n] for _, counts in written) for n in range(3))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites tests="{tests}" failures="{failures}" errors="{errors}">',
        *(line for lines, _ in written for line in lines),
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _suite(suite: JUnitSuite) -> tuple[list[str], tuple[int, int, int]]:
    counts = (
        len(suite.cases),
        sum(case.error is None and bool(case.failures) for case in suite.cases),
        sum(case.error is not None for case in suite.cases),
    )
    tests, failures, errors = counts
    numbers = f'tests="{tests}" failures="{failures}" errors="{errors}" skipped="0"'
    lines = [
        f"  <testsuite name={_attribute(suite.name)} {numbers}>",
        *(line for case in suite.cases for line in _case(case)),
        "  </testsuite>",
    ]
    return lines, counts


def _case(case: JUnitCase) -> list[str]:
    opening = f"<testcase name={_attribute(case.name)} classname={_attribute(case.classname)}"
    if case.file is not None:
        opening += f" file={_attribute(case.file)}"
    if case.line is not None:
        opening += f' line="{case.line}"'
    inside = [_failure("failure", failure) for failure in case.failures] if case.error is None else []
    if case.error is not None:
        inside.append(_failure("error", case.error))
    if not inside:
        return [f"    {opening}/>"]
    return [f"    {opening}>", *(f"      {line}" for line in inside), "    </testcase>"]


def _failure(element: str, failure: JUnitFailure) -> str:
    attributes = f"message={_attribute(failure.message)} type={_attribute(failure.type)}"
    return f"<{element} {attributes}>{escape(_allowed(failure.text), _TEXT)}</{element}>"


def _attribute(text: str) -> str:
    return f'"{escape(_allowed(text), _ATTRIBUTE)}"'


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("", text)

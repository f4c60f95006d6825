"""Findings as JUnit XML: a test case for each document, with a failure for each finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acap.explain import visible
from acap.publish.junit import JUnitCase, JUnitFailure, JUnitSuite, junit
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.formats import Style

_SHOWN = 1000  # octets of a line that are shown


def part(document: Document, findings: Sequence[Finding], style: Style) -> JUnitCase:
    """One document; mere information fails it where the call is strict."""
    wrong = [finding for finding in findings if style.strict or finding.severity != "info"]
    line = min((finding.line for finding in wrong if finding.line), default=None)
    name = visible(document.name)
    return JUnitCase(name, "acap.lint", name, line, tuple(_failure(document, finding) for finding in wrong))


def whole(parts: Iterable[JUnitCase], _style: Style) -> Iterator[str]:
    """The suite of all documents; it begins with their number, so it comes when all are done."""
    yield junit([JUnitSuite("acap lint", tuple(parts))])


def _failure(document: Document, finding: Finding) -> JUnitFailure:
    place = f"{visible(document.name)}:{finding.line}:{finding.column}" if finding.line else visible(document.name)
    message = visible(finding.message)
    lines = [f"{place}: {finding.severity}: {message} [{finding.code}]"]
    if finding.line:
        start, end = document.bounds(finding.line)
        lines.append(visible(document.text[start : min(end, start + _SHOWN)].decode("utf-8", "backslashreplace")))
    if finding.help:
        lines.append(f"help: {visible(finding.help)}")
    return JUnitFailure(f"line {finding.line}: {message}" if finding.line else message, "\n".join(lines), finding.code)

"""Findings as commands of a GitHub workflow, which shows each beside its line.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acap.explain import visible
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.formats import Style, end_of

LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def part(document: Document, findings: Sequence[Finding], _style: Style) -> str:
    """The findings of one document."""
    return "".join(f"{_command(document, finding)}\n" for finding in findings)


def whole(parts: Iterable[str], _style: Style) -> Iterator[str]:
    """The commands of each document."""
    yield from parts


def _command(document: Document, finding: Finding) -> str:
    properties = {"file": document.name}
    if finding.line:
        line, column = end_of(document, finding)
        properties |= {"line": str(finding.line), "col": str(finding.column)}
        if line == finding.line and column > finding.column:
            properties["endColumn"] = str(column)
    properties["title"] = finding.code
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = f"{finding.message}; {finding.help}" if finding.help else finding.message
    return f"::{LEVELS[finding.severity]} {written}::{_data(message)}"


def _data(text: str) -> str:
    """A message as such commands take it: a line break in it would begin a command of the document's own."""
    return visible(text.replace("%", "%25")).replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

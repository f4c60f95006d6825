"""Findings for programs: one JSON object a line, in ASCII, as docs/reference/json.md says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.formats import Style, end_of
from acap.schema import finding_to_json


def part(document: Document, findings: Sequence[Finding], _style: Style) -> str:
    """The findings of one document."""
    objects = (finding_to_json(finding, source=document.name, end=end_of(document, finding)) for finding in findings)
    return "".join(f"{json.dumps(one)}\n" for one in objects)


def whole(parts: Iterable[str], _style: Style) -> Iterator[str]:
    """The lines of each document."""
    yield from parts

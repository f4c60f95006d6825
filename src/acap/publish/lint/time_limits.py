"""Permissions that end on a day: which day, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from acap.publish.lint.document import Document
from acap.publish.lint.rule import field_span
from acap.restrictions import TimeLimit


class Ending(NamedTuple):
    """A permission with its usage, its line (0: unknown), and the first instant at which it is over."""

    line: int
    usage: str
    over: datetime


def endings(document: Document) -> Iterator[Ending]:
    """Every permission of a document that ends at a known instant, each line and instant once."""
    if document.kind == "robots":
        if not document.acap_fields:
            return
        permissions = [
            (statement.cited.line, statement.cited.usage, statement.restrictions)
            for statement in document.statements
            if statement.restrictions
        ]
    else:
        statements = document.page.statements()
        permissions = [
            (one.line or document.header_line(one.text, one.crawler), one.usage, tuple(one.restrictions))
            for one in statements
            if one.restrictions
        ]
    seen = set()
    for line, usage, restrictions in permissions:
        for name, value in restrictions:
            if name == "time-limit" and (over := _over(value, usage)) is not None and (line, over) not in seen:
                seen.add((line, over))
                yield Ending(line or 0, usage, over)


def _over(value: str, usage: str) -> datetime | None:
    return TimeLimit("time-limit", value).expires(usage)


def place(document: Document, ending: Ending) -> tuple[int, int]:
    """The octets that a finding underlines: the field of its line, or nothing."""
    if not 0 < ending.line <= len(document.starts):
        return (0, 0)
    if document.kind == "robots":
        return field_span(document, ending.line)
    octets = document.line_octets(ending.line)
    start = document.starts[ending.line - 1] + len(octets) - len(octets.lstrip())
    return start, document.starts[ending.line - 1] + len(octets.rstrip())

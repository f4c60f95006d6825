"""Where a robots.txt names a crawler already, so that a line is not corrected to a name that stands there.

A second line with the name in one group says nothing, and in another group it makes one group of two (RFC 9309 2.2.1).
"""

from __future__ import annotations

from typing import NamedTuple

from acap.publish.lint.crawler_names import compared
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit
from acap.publish.lint.mending import removal


class Already(NamedTuple):
    """A line that names a crawler, and whether it is of the same group as the line that is to be corrected."""

    line: int
    in_group: bool


class NamedAlready:
    """The User-agent lines of a document by their names; made when a rule finds its first line to be corrected."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._groups: dict[int, int] = {}
        self._written: dict[tuple[str, int | None], int] = {}
        self._compared: dict[tuple[str, int | None], int] = {}
        for number, group in enumerate(document.groups):
            for agent in group.agents:
                self._groups[agent.line] = number
                for place in (number, None):
                    self._written.setdefault((agent.value.lower(), place), agent.line)
                    self._compared.setdefault((compared(agent.value), place), agent.line)

    def beside(self, line: int, name: str) -> Already | None:
        """Where the name that a line should have stands already, or stands once lines before it are corrected too."""
        group = self._groups.get(line)
        if group is None:  # an ACAP field
            return None
        for place in (group, None):
            named_at = self._written.get((name.lower(), place))
            if named_at is None:
                first = self._compared.get((compared(name), place), line)
                named_at = first if first < line else None
            if named_at is not None and named_at != line:
                return Already(named_at, place is not None)
        return None

    def removed(self, line: int) -> tuple[Edit, ...]:
        """The edit that takes a line away; none if its comment would go with it."""
        return () if self._document.lines[line - 1].comment else (removal(self._document, line),)

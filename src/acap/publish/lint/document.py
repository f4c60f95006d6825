"""A document that is linted: a robots.txt, a page, or the headers of a response.

What is read of it is read once, when the first rule asks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from acap.publish.lint.groups import Field, Group, Record, Ruling, fields, groups, records, rulings
from acap.robots import Extension, Line, PolicyStatement, RobotsPolicy, parse_robots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from acap.pages.page import PagePolicy
    from acap.problems import Problem
    from acap.publish.analysis import Analysis
    from acap.publish.lint.finding import Finding

Kind = Literal["robots", "page", "headers"]


class Document:
    """Octets with a name.

    `kind` says what they are; `headers`: one `Name: value` a line, as `curl -I` prints them. `url` is the document's
    own, if it is known. `today` is the instant at which time limits are spent. `known_crawlers` are names of crawlers
    that are no slips of the pen. `found` is what each rule has found, once it has run.
    """

    def __init__(
        self,
        octets: bytes,
        name: str,
        kind: Kind = "robots",
        *,
        url: str | None = None,
        today: datetime | None = None,
        known_crawlers: frozenset[str] = frozenset(),
    ) -> None:
        self.octets = octets
        self.name = name
        self.kind = kind
        self.url = url
        self.today = today or datetime.now(UTC)
        self.known_crawlers = known_crawlers
        self.found: dict[str, tuple[Finding, ...]] = {}

    @cached_property
    def policy(self) -> RobotsPolicy:
        """What a robots.txt says; of another document what an empty one says."""
        return parse_robots(self.octets if self.kind == "robots" else b"", url=self.url)

    @cached_property
    def page(self) -> PagePolicy:
        """What a page or its headers say."""
        from acap.pages.page import parse_page

        if self.kind == "headers":
            pairs = (line.partition(":") for line in self.octets.decode("latin-1").splitlines())
            headers = [(name.strip(), value.strip()) for name, colon, value in pairs if colon]
            return parse_page(None, url=self.url, headers=headers)
        return parse_page(self.octets, url=self.url)

    @cached_property
    def text(self) -> bytes:
        """The octets that lines and findings refer to: of UTF-16 what they were decoded to."""
        return self.policy._text() if self.kind == "robots" else self.octets

    @property
    def editable(self) -> bool:
        """Whether edits of the text are edits of the octets."""
        return self.text == self.octets

    @cached_property
    def lines(self) -> Sequence[Line]:
        """Every line of a robots.txt, with the kind of its field; line n is at n - 1."""
        return self.policy.lines

    @cached_property
    def kinds(self) -> Counter[str]:
        """How many lines there are of each kind."""
        return Counter(line.kind for line in self.lines)

    @cached_property
    def statements(self) -> Sequence[PolicyStatement]:
        """Every statement of a robots.txt, conventional ones first."""
        return self.policy.statements

    @cached_property
    def extensions(self) -> Sequence[Extension]:
        """Lines of other vocabularies."""
        return self.policy.extensions

    @cached_property
    def rules(self) -> Sequence[Ruling]:
        """Every Allow and Disallow line with its pattern as it is written."""
        return rulings(self.lines)

    @cached_property
    def groups(self) -> Sequence[Group]:
        """Groups of conventional lines, as they stand."""
        return groups(self.lines, self.rules)

    @cached_property
    def fields(self) -> Sequence[Field]:
        """ACAP lines."""
        return fields(self.lines) if self.kinds["ACAP"] else ()

    @cached_property
    def records(self) -> Sequence[Record]:
        """ACAP records, as they stand."""
        return records(self.fields)

    @cached_property
    def analysis(self) -> Analysis:
        """What follows from the statements together."""
        from acap.publish.analysis import analysis

        return analysis(self.policy)

    @cached_property
    def starts(self) -> Sequence[int]:
        """The octet of the text at which each line begins; line n is at n - 1."""
        if self.kind == "robots":
            return [start for _, start, _, _, _ in self.policy._lines()]
        starts, at = [0], 0
        for line in self.text.splitlines(keepends=True):
            at += len(line)
            starts.append(at)
        return starts

    def place(self, octet: int) -> tuple[int, int]:
        """Line and column, each from 1, of an octet of the text."""
        line = max(bisect_right(self.starts, octet), 1)
        before = self.text[self.starts[line - 1] : octet] if self.starts else b""
        return line, len(before.decode("utf-8", "replace")) + 1

    def line_octets(self, line: int) -> bytes:
        """A line without its end."""
        start = self.starts[line - 1]
        beyond = self.starts[line] if line < len(self.starts) else len(self.text)
        return self.text[start:beyond].rstrip(b"\r\n")

    @cached_property
    def problems(self) -> Mapping[str, Sequence[Problem]]:
        """What the readers found wrong, by code."""
        found: dict[str, list[Problem]] = defaultdict(list)
        for problem in self.policy.problems if self.kind == "robots" else self.page.problems:
            found[problem.code].append(problem)
        return found

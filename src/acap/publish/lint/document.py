"""A document that is linted: a robots.txt, a page, the headers of a response, a document of another dialect.

What is read of it is read once, when the first rule asks. The readers of pages are loaded for pages alone: they take
longer than everything else that lint loads for a robots.txt.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain, islice
from math import inf
from typing import TYPE_CHECKING

from acap.outline import Field, Group, Outline, Record, Span
from acap.problems import DocumentKind, Problem
from acap.publish.analysis import Analysis, analysis
from acap.publish.lint.columns import Columns
from acap.publish.lint.divided_paths import DividedPath, divided_paths
from acap.publish.lint.finding import RuleFindings
from acap.publish.lint.ignoring import Ignoring, marks
from acap.publish.loose_words import LooseWords, loose_words
from acap.robots import Extension, Limits, Lines, PolicyStatement, RobotsPolicy, parse_robots
from acap.statement import Source

if TYPE_CHECKING:  # `_page` and `_other` say why
    from acap.pages.declarations import Addressed
    from acap.pages.page import PagePolicy
    from acap.publish.lint.markup import Tag
    from acap.publish.lint.pages import Header, ReadHeaders, ReadPage
    from acap.publish.lint.sources import ReadSource

_MENDED = 500
"""Lines whose values are put together from words: no person writes more."""

_LINE_END = re.compile(rb"\r\n?|\n")
TAGGED = 2 * 1024 * 1024
"""Octets of a page in which tags are searched; of a longer page its reader gives no places of them either."""

_PLACED = 8 * 1024 * 1024
"""Octets of a page in which lines are told apart; its reader gives no places beyond them, whatever the encoding."""


class Document:
    """Octets with a name.

    `kind` says what they are; `headers`: one `Name: value` a line, as `curl -I` prints them. `url` is the document's
    own, if it is known. `today` is the instant at which time limits are spent. `known_crawlers` are names of crawlers
    that are not typos. `found` has the findings of each rule that has run, and `spans` the octets of lines
    without a field that were asked for; `prints` what a baseline knows lines by. `tried` are corrections that were
    compared, and `tried_octets` what was read for them. `site` is the robots.txt of a page's
    site, if it is known, and `beside` are other documents of the site that speak for all of it; `path` is
    where in it a page stands. `prepended` is the block that is served before a robots.txt. After
    `seconds` no more lines are compared with each other.
    """

    def __init__(
        self,
        octets: bytes,
        name: str,
        kind: DocumentKind = "robots",
        *,
        url: str | None = None,
        today: datetime | None = None,
        known_crawlers: frozenset[str] = frozenset(),
        site: bytes | None = None,
        beside: Sequence[Document] = (),
        path: str = "/",
        prepended: bytes | None = None,
        seconds: float = inf,
    ) -> None:
        self.octets = octets
        self.name = name
        self.kind = kind
        self.url = url
        self.today = today or datetime.now(UTC)
        self.known_crawlers = known_crawlers
        self.site = site
        self.beside = beside
        self.path = path
        self.prepended = prepended
        self.seconds = seconds
        self.of_rules: dict[str, RuleFindings] = {}
        self.spans: dict[int, Span] = {}
        self.prints: dict[int, str] = {}
        self.tried = 0
        self.tried_octets = 0

    @cached_property
    def policy(self) -> RobotsPolicy:
        """What a robots.txt says; of another document what an empty one says."""
        return parse_robots(self.octets if self.kind == "robots" else b"", url=self.url)

    @cached_property
    def _page(self) -> ReadPage | ReadHeaders:
        # A robots.txt does without the readers of pages, whose import takes 90 ms.
        from acap.publish.lint.pages import ReadHeaders, ReadPage

        if self.kind == "headers":
            return ReadHeaders(self.octets, self.url, self.starts)
        return ReadPage(self.octets if self.kind == "page" else b"", self.name, self.url)

    @cached_property
    def _reading(self) -> ReadPage | ReadHeaders | ReadSource:
        return self._page if self.kind in ("page", "headers") else self._other

    @cached_property
    def _other(self) -> ReadSource:
        # 27 ms, for other dialects alone.
        from acap.publish.lint.sources import ReadSource

        return ReadSource(self.octets, self.kind, self.url)

    @cached_property
    def page(self) -> PagePolicy:
        """What a page or its headers say; of another document what an empty page says."""
        return self._page.policy

    @cached_property
    def source(self) -> RobotsPolicy | Source | None:
        """What it says, in whatever dialect; of a policy of TDMRep nothing, for it speaks of no resource."""
        if self.kind == "robots":
            return self.policy
        if self.kind in ("page", "headers"):
            return self.page
        return self._other.source

    @cached_property
    def tags(self) -> Sequence[Tag]:
        """The tags of a page, as they stand; of another document none."""
        return self._page.tags(self.text[:TAGGED]) if self.kind == "page" else ()

    @cached_property
    def headers(self) -> Sequence[Header]:
        """Every header, in order; of another document none."""
        return self._page.headers if self.kind == "headers" else ()

    def word_span(self, addressed: Addressed) -> tuple[int, int]:
        """Where the META element or the header with a conventional word stands in the text."""
        if addressed.meta is None:
            line = self.header_line(addressed.word.text, addressed.crawler)
        else:
            line = self.page.carried.locate("meta", addressed.meta.place)[0] or 0
        start = self.starts[line - 1] if 0 < line <= len(self.starts) else 0
        return start, start + len(self.line_octets(line)) if line else 0

    def header_line(self, text: str, crawler: str | None) -> int:
        """The line of the header that says a word to a crawler (none: to any); 0 if none does."""
        return self._page.lines.get((text, crawler), 0) if self.kind == "headers" else 0

    @cached_property
    def text(self) -> bytes:
        """The octets that lines and findings refer to: of UTF-16 what they were decoded to."""
        if self.kind == "robots":
            return self.policy.text
        if self.kind == "page" and (self.page.encoding or "").startswith("UTF-16"):
            read = self.page.carried.document
            return self.octets if read is None else read.text.encode("utf-8", "replace")
        return self.octets

    @property
    def editable(self) -> bool:
        """Whether edits of the text are edits of the octets."""
        return self.text == self.octets

    @cached_property
    def _within(self) -> RobotsPolicy:
        """The same policy without the lines behind the one in which reading ends: of those there may be millions."""
        end = _LINE_END.search(self.text, Limits().file_octets) if self.kind == "robots" else None
        return self.policy if end is None else parse_robots(self.text[: end.end()], url=self.url)

    @cached_property
    def lines(self) -> Lines:
        """Every line of a robots.txt that is read, with the kind of its field; line n is at n - 1."""
        return self._within.lines

    @cached_property
    def kinds(self) -> Counter[str]:
        """How many lines there are of each kind."""
        return self.lines.kinds

    @cached_property
    def statements(self) -> Sequence[PolicyStatement]:
        """Every statement of a robots.txt, conventional ones first."""
        return self.policy.statements

    @cached_property
    def extensions(self) -> Sequence[Extension]:
        """Lines of other fields, such as Sitemap."""
        return self.policy.extensions

    @cached_property
    def outline(self) -> Outline:
        """What each line of a robots.txt with a field holds, and where; of another document nothing."""
        return self._within.outline

    @property
    def path_rules(self) -> Sequence[Field]:
        """Every Allow and Disallow line."""
        return self.outline.rules

    @property
    def groups(self) -> Sequence[Group]:
        """Groups of conventional lines."""
        return self.outline.groups

    @property
    def acap_fields(self) -> Sequence[Field]:
        """ACAP lines."""
        return self.outline.acap

    @property
    def records(self) -> Sequence[Record]:
        """ACAP records."""
        return self.outline.records

    @cached_property
    def analysis(self) -> Analysis:
        """What follows from the statements together."""
        return analysis(self._within, seconds=self.seconds)

    @cached_property
    def starts(self) -> Sequence[int]:
        """The octet of the text at which each line begins; line n is at n - 1."""
        if self.kind == "robots":
            return self.lines.starts
        # The reader of pages counts line feeds alone.
        ends = re.finditer(b"\n", self.text[:_PLACED]) if self.kind == "page" else _LINE_END.finditer(self.text)
        return array("Q", chain([0], (end.end() for end in ends)))

    @cached_property
    def _columns(self) -> Columns:
        """Columns of the text, in characters."""
        if self.kind == "headers":
            return Columns(self.text, None)
        if self.kind == "robots" or self.text is not self.octets:
            return Columns(self.text, "utf-8")
        return Columns(self.text, self._reading.codec)

    def place(self, octet: int) -> tuple[int, int]:
        """Line and column, each from 1, of an octet of the text."""
        line = max(bisect_right(self.starts, octet), 1)
        return line, (self._columns.before(self.starts[line - 1], octet) if self.starts else 0) + 1

    def octet(self, line: int, column: int) -> int:
        """The octet of the text at a line and column, each from 1; the end of the line if that is shorter."""
        start, end = self.bounds(line)
        return self._columns.octet(start, end, max(column, 1) - 1)

    def bounds(self, line: int) -> tuple[int, int]:
        """The octets of a line without its end."""
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        for sign in (b"\n", b"\r"):
            if end > start and self.text.startswith(sign, end - 1):
                end -= 1
        return start, end

    def line_octets(self, line: int) -> bytes:
        """A line without its end."""
        start, end = self.bounds(line)
        return self.text[start:end]

    @cached_property
    def ignoring(self) -> Ignoring:
        """Which findings the author does not want to hear of."""
        found = marks(self.text, lambda octet: self.place(octet)[0], in_page=self.kind in ("page", "rsl"))
        return Ignoring(tuple(found))

    @cached_property
    def loose_words(self) -> Mapping[int, LooseWords]:
        """The values of a robots.txt that have blanks, by the octet at which each restriction begins."""
        if self.kind != "robots":
            return {}
        lines = dict.fromkeys(problem.line for problem in self.problems.get("acap-bad-value", ()))
        fields = (self.outline.by_line[line] for line in islice(lines, _MENDED) if line in self.outline.by_line)
        return {one.span.start: one for field in fields for one in loose_words(field)}

    @cached_property
    def divided_paths(self) -> Mapping[Span, DividedPath]:
        """The ACAP paths of a robots.txt that have blanks, by the place of the word behind the first."""
        if self.kind != "robots":
            return {}
        relative: dict[int, list[Span]] = {}
        for problem in self.problems.get("acap-relative-pattern", ()):
            if problem.span is not None and problem.line in self.outline.by_line:
                relative.setdefault(problem.line, []).append(problem.span)
        values = [span for one in self.loose_words.values() for span in one.words] if relative else []
        each = (divided_paths(self.outline.by_line[line], spans, values) for line, spans in relative.items())
        return {one.spans[1]: one for one in chain.from_iterable(each)}

    @cached_property
    def completing(self) -> frozenset[Span]:
        """The places of words that complete a value or a path: what is wrong with them is told with that."""
        values = (span for one in self.loose_words.values() for span in one.words)
        return frozenset(chain(values, (span for one in self.divided_paths.values() for span in one.spans[1:])))

    @cached_property
    def problems(self) -> Mapping[str, Sequence[Problem]]:
        """What the readers found wrong, by code."""
        by_code: dict[str, list[Problem]] = defaultdict(list)
        for problem in self._problems():
            by_code[problem.code].append(problem)
        return by_code

    def _problems(self) -> Iterable[Problem]:
        if self.kind == "robots":
            return self.policy.problems
        return self._reading.problems(self.site)

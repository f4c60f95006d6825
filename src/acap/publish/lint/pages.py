"""What the readers of pages find in a page, or in the headers of a response."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from acap.carriers import NOT_READ, file_carriers
from acap.pages import words
from acap.pages.declarations import speaks_in_header
from acap.pages.headers import fields
from acap.pages.page import PagePolicy, parse_page
from acap.pages.saved import HEADERS
from acap.problems import Problem
from acap.problems.response import RESPONSE
from acap.publish.lint.markup import Tag, tags
from acap.robots import parse_robots

# Encodings of more than one octet a character, with the codec of Python's by which characters are counted.
# The core decodes a text as a whole, and a column needs a decoder that goes on from within a line.
_CODECS = {
    "UTF-8": "utf-8",
    "UTF-16LE": "utf-16-le",
    "UTF-16BE": "utf-16-be",
    "GBK": "gb18030",
    "gb18030": "gb18030",
    "Big5": "big5hkscs",
    "EUC-JP": "euc_jp",
    "ISO-2022-JP": "iso2022_jp",
    "Shift_JIS": "cp932",
    "EUC-KR": "cp949",
}


class Header(NamedTuple):
    """A header as it stands: its line, its name and value, and the octet of the text at which the value begins."""

    line: int
    name: str
    value: str
    start: int


class ReadPage:
    """A page as its readers see it; it has no headers of its own."""

    headers: Sequence[Header] = ()
    lines: Mapping[tuple[str, str | None], int] = MappingProxyType({})

    def __init__(self, octets: bytes, name: str, url: str | None) -> None:
        self._octets, self._name, self._url = octets, name, url

    @cached_property
    def policy(self) -> PagePolicy:
        """What the page says."""
        return file_carriers(self._octets, self._name, url=self._url).policy

    @cached_property
    def codec(self) -> str | None:
        """Python's name for the encoding; none if each octet is a character."""
        return _CODECS.get(self.policy.encoding or "")

    def tags(self, text: bytes) -> Sequence[Tag]:
        """The tags of its text."""
        return tuple(tags(text))

    def problems(self, site: bytes | None) -> Iterable[Problem]:
        """What the readers find wrong; `site` is the robots.txt of the page's site, if it is known."""
        return self.policy.problems_beside(None if site is None else parse_robots(site))


class ReadHeaders:
    """The headers of a response as their readers see them; `starts` are the first octets of the lines."""

    codec: str | None = None

    def __init__(self, octets: bytes, url: str | None, starts: Sequence[int]) -> None:
        self._octets, self._url = octets, url
        self.headers = tuple(
            Header(bisect_right(starts, field.start), field.name, field.value, field.value_start)
            for field in fields(octets)
        )

    @cached_property
    def policy(self) -> PagePolicy:
        """What the headers say."""
        return self._read(self.headers)

    @cached_property
    def lines(self) -> Mapping[tuple[str, str | None], int]:
        """The line of the first header that says a word to a crawler; none: to any."""
        lines: dict[tuple[str, str | None], int] = {}
        for header in self.headers:
            if header.name.lower() == "x-robots-tag":
                for word in words.read_header(header.value)[0]:
                    lines.setdefault((word.text, word.agent), header.line)
        return lines

    def tags(self, _text: bytes) -> Sequence[Tag]:
        """None."""
        return ()

    def problems(self, _site: bytes | None) -> Iterator[Problem]:
        """What the reader finds wrong. It knows of no lines: each header is read by itself, and then all together."""
        known = set()
        for header in (header for header in self.headers if speaks_in_header(header.name.lower())):
            for problem in self._read([header]).problems:
                known.add((problem.code, problem.message))
                yield problem._replace(line=header.line, column=1)
        yield from (problem for problem in self.policy.problems if (problem.code, problem.message) not in known)
        # By any name: headers may have a body behind them, of which it is asked here whether it is whole.
        carriers = file_carriers(self._octets, HEADERS, url=self._url)
        yield from (problem for problem in carriers.problems if problem.code in (*NOT_READ, *RESPONSE))

    def _read(self, headers: Iterable[Header]) -> PagePolicy:
        return parse_page(None, url=self._url, headers=[(header.name, header.value) for header in headers])

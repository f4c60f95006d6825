"""Of a document that is a page, or the headers of a response: what its readers say."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from acap.carriers import file_carriers
from acap.pages import words
from acap.pages.decoders import MULTIPLE
from acap.pages.headers import fields
from acap.pages.page import PagePolicy, parse_page
from acap.pages.saved import HEADERS
from acap.pages.statements import SPEAKING
from acap.problems import Problem
from acap.publish.lint.document import Document
from acap.robots import parse_robots


class Header(NamedTuple):
    """A header as it stands: its line, its name and value, and the octet of the text at which the value begins."""

    line: int
    name: str
    value: str
    start: int


def page(document: Document) -> PagePolicy:
    """What a page or its headers say."""
    if document.kind == "headers":
        return parse_page(None, url=document.url, headers=[(one.name, one.value) for one in document.headers])
    return file_carriers(document.octets, document.name, url=document.url).policy


def codec(document: Document) -> str | None:
    """Python's name for the encoding of a page; none if each octet is a character."""
    return MULTIPLE.get(document.page.encoding or "")


def headers(document: Document) -> Iterator[Header]:
    """Every header, in order."""
    for field in fields(document.octets):
        yield Header(bisect_right(document.starts, field.start), field.name, field.value, field.value_start)


def header_lines(document: Document) -> Mapping[tuple[str, str | None], int]:
    """The line of the first header that says a word to a crawler; none: to any."""
    lines: dict[tuple[str, str | None], int] = {}
    for header in document.headers:
        if header.name.lower() == "x-robots-tag":
            for word in words.read_header(header.value)[0]:
                lines.setdefault((word.text, word.agent), header.line)
    return lines


def problems(document: Document) -> Iterable[Problem]:
    """What the readers find wrong with a page or headers."""
    if document.kind == "headers":
        return _problems_of_headers(document)
    return document.page.problems_beside(None if document.site is None else parse_robots(document.site))


def _problems_of_headers(document: Document) -> Iterator[Problem]:
    """The reader knows of no lines: each header is read by itself, and then all together."""
    known = set()
    for header in (header for header in document.headers if header.name.lower() in SPEAKING):
        for problem in parse_page(None, url=document.url, headers=[(header.name, header.value)]).problems:
            known.add((problem.code, problem.message))
            yield replace(problem, line=header.line, column=1)
    yield from (one for one in document.page.problems if (one.code, one.message) not in known)
    # By any name: headers may have a body behind them, of which it is asked here whether it is whole.
    found = file_carriers(document.octets, HEADERS, url=document.url)
    yield from (one for one in found.problems if one.code == "page-not-read")

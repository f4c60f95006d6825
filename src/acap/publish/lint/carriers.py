"""Where in a page or among headers a statement is written, so that a fix can change it there.

A fix changes the content of a META element, a token of a class, or the value of a header; it is safe because the
readers read the same of both, or because it only takes more away.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from acap import _native
from acap.pages import tags, words
from acap.pages.words import PageWord
from acap.problems import Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix

_TAG = re.compile(rb"""<[A-Za-z](?:[^>"']|"[^"]*"|'[^']*')*>""")


class Written(NamedTuple):
    """A statement as it stands: its octets, and those of the tag or header line around it."""

    start: int
    end: int
    text: str
    outer_start: int
    outer_end: int
    is_token: bool = False


def written(document: Document, problem: Problem) -> Written | None:
    """Where the statement of a problem stands; none if it is not written literally, or in more than one place."""
    # What nobody writes by hand is not mended by hand: each place costs a look at the whole line.
    if len(problem.text) > _LONGEST or len(document.problems[problem.code]) > _MOST:
        return None
    if document.kind == "headers":
        return _in_header(document, problem)
    return _in_tag(document, problem) if problem.line and problem.text else None


_LONGEST, _MOST = 2_000, 200
"""Longest statement, and most findings per code, that are mended."""


def _in_tag(document: Document, problem: Problem) -> Written | None:
    if problem.line > len(document.starts):
        return None
    tag = _TAG.match(document.text, document.octet(problem.line, problem.column))
    places = [] if tag is None else list(re.finditer(_literally(problem.text), tag[0]))
    if tag is None or len(places) != 1:
        return None
    is_token = not tag[0].lower().startswith(b"<meta")
    first, last = (tag.start() + place for place in places[0].span())
    return Written(first, last, problem.text, tag.start(), tag.end(), is_token)


def _literally(text: str) -> bytes:
    return rb"(?<=[\s\"'=])" + re.escape(text.encode()) + rb"(?=[\s\"'>])"


def _in_header(document: Document, problem: Problem) -> Written | None:
    for header in document.headers:
        if header.line == problem.line:
            return Written(header.start, header.start + len(header.value), header.value, *document.bounds(header.line))
    return None


def rewritten(document: Document, problem: Problem, place: Written, title: str, new: str) -> Fix | None:
    """The safe fix that writes a statement anew; none if the readers would read something else, or no better."""
    if not new.isascii() or new == place.text or not _same(document, problem, place, [new]):
        return None
    return Fix(title, (Edit(place.start, place.end, new.encode()),))


def divided(document: Document, problem: Problem, place: Written, title: str, parts: list[str]) -> Fix | None:
    """The safe fix that gives each part of a META element's content an element of its own."""
    if not all(part.isascii() for part in parts) or not _same(document, problem, place, parts):
        return None
    head = document.text[place.outer_start : place.start]
    tail = document.text[place.end : place.outer_end]
    indent = re.search(rb"[ \t]*\Z", document.text[: place.outer_start])
    between = b"\n" + (indent[0] if indent else b"")
    tags = between.join(head + part.encode() + tail for part in parts)
    return Fix(title, (Edit(place.outer_start, place.outer_end, tags),))


def _same(document: Document, problem: Problem, place: Written, new: list[str]) -> bool:
    """Whether contents say together what one says, and have fewer problems of this code."""
    before, count = meaning(document, place, [place.text], problem.code)
    after, left = meaning(document, place, new, problem.code)
    return before == after and left < count


def meaning(document: Document, place: Written, contents: list[str], code: str) -> tuple[object, int]:
    """What contents of META elements, tokens of a class, or values of a header say; how many problems of a code."""
    if place.is_token or (document.kind == "page" and _native.is_tag(place.text) is not None):
        version = document.page.version
        first = [] if version is None else [f"ACAP Version {version}"]
        read = tags.read(first, contents) if place.is_token else tags.read([*first, *contents], ())
        statements = [tag._replace(place=0) for tag in (*read.tags, *read.tokens)]
        other = [(found, list(named)) for found, _, named in read.problems if found != code]
        return (statements, other), sum(found == code for found, _, _ in read.problems)
    agents = document.kind == "headers"
    every: list[PageWord] = [word for content in contents for word in words.read(content, agents=agents)]
    stated_words = [(word.name, word.agent, word.rules) for word in every if word.rules]
    return stated_words, sum(word.problem is not None and word.problem[0] == code for word in every)

"""The places of statements in the text of a page: computed for explanations, not for decisions.

The tree does not have the places of its elements, so the text is searched once more; tags found there are matched with
the tree by their values and their order. META elements of a plain head were read with their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from html import unescape

from acap.pages.html import Carrier, PageTree, stated

MAX_CHARACTERS = 2 * 1024 * 1024
"""Largest text in which places are computed; in a larger one statements are cited without."""

QUOTED = 1_000
"""Most characters quoted of a tag, which may be as long as its page."""

Place = tuple[int | None, int | None]
"""Line and column, from 1."""


class Places:
    """Places of META elements, and of elements with class tokens or `data-nosnippet`."""

    def __init__(self, document: PageTree | None, carriers: Sequence[Carrier]) -> None:
        self._document = document
        self._carriers = carriers
        # One tag may make thousands of statements, and finding it compares all of its text.
        self._known: dict[tuple[str, int], tuple[int | None, int | None, str | None]] = {}
        self._found: dict[tuple[str, str, str], list[Place]] = {}

    def of(self, kind: str, number: int) -> tuple[int | None, int | None, str | None]:
        """Line, column and locator of a META element (`meta`) or an element with statements (`element`).

        Line and column are none if they are unknown, or if only the locator is asked for (`locator`).
        """
        if kind == "locator" and self._document is not None:
            return None, None, self._document.locator(self._carriers[number].node)
        if (kind, number) not in self._known and kind == "meta":
            self._known |= self._read_before
        if (kind, number) not in self._known:
            written, turn = self._turns[kind, number]
            line, column = self._place(written, turn)
            if kind == "meta" or self._document is None:
                locator = f'meta[name="{quoted(written[1])}"]'
            else:
                locator = self._document.locator(self._carriers[number].node)
            self._known[kind, number] = line, column, locator
        return self._known[kind, number]

    def _place(self, written: tuple[str, str, str], turn: int) -> Place:
        """Where a tag is written for the `turn`th time, from 0. META elements are near the beginning, mostly."""
        places = self._found.setdefault(written, [])
        while turn >= len(places):
            found = next(self._finding, None)
            if found is None:
                return None, None
            self._found.setdefault(found[0], []).append(found[1])
        return places[turn]

    @cached_property
    def _read_before(self) -> dict[tuple[str, int], tuple[int | None, int | None, str | None]]:
        """Those of META elements whose places were found when they were read."""
        found: dict[tuple[str, int], tuple[int | None, int | None, str | None]] = {}
        if (document := self._document) is None:
            return found
        lines = _CountedLines(document.text)
        for meta in document.metas:
            if (begin := document.begin_of(meta.place)) is None:
                break
            found["meta", meta.place] = *lines.place(begin), f'meta[name="{quoted(meta.name)}"]'
        return found

    @cached_property
    def _finding(self) -> Iterator[tuple[tuple[str, str, str], Place]]:
        """The tags of the text as written, each with its place, as far as it has been searched."""
        text = "" if self._document is None else self._document.text
        return _find(text) if len(text) <= MAX_CHARACTERS else iter(())

    @cached_property
    def _turns(self) -> dict[tuple[str, int], tuple[tuple[str, str, str], int]]:
        """Each META element and each carrier as written, with the number of identical ones before it."""
        counts: dict[tuple[str, str, str], int] = {}
        turns: dict[tuple[str, int], tuple[tuple[str, str, str], int]] = {}
        metas = () if self._document is None else self._document.metas
        elements = [
            *((("meta", meta.place), ("meta", meta.name, meta.content)) for meta in metas),
            *((("element", number), carrier.written) for number, carrier in enumerate(self._carriers)),
        ]
        for key, written in elements:
            turn = counts.get(written, 0)
            turns[key] = written, turn
            counts[written] = turn + 1
        return turns


def quoted(text: str) -> str:
    """A text as statements quote it."""
    return text if len(text) <= QUOTED else text[:QUOTED] + "…"


# One pass from left to right: possessive quantifiers, so that nothing is tried twice.
_MARKUP = re.compile(
    r"""
    <!--(?:-?>|.*?(?:--!?>|\Z))
    | <(?P<tag>[a-z][^\s/>]*+)(?P<attributes>(?:[^>=]|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?)*+)(?:>|\Z)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_TEXT = {
    tag: re.compile(rf"</{tag}(?=[\s/>])|\Z", re.IGNORECASE)
    for tag in ("title", "textarea", "script", "style", "xmp", "iframe", "noembed", "noframes", "template")
}
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")


class _CountedLines:
    """Lines and columns of a text, asked for in its order: what stands before a place is counted once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line, self._start, self._counted = 1, 0, 0

    def place(self, at: int) -> tuple[int, int]:
        """The line and the column of an offset, both from 1 on."""
        self._line += self._text.count("\n", self._counted, at)
        self._start = max(self._text.rfind("\n", self._counted, at) + 1, self._start)
        self._counted = at
        return self._line, at - self._start + 1


def _find(text: str) -> Iterator[tuple[tuple[str, str, str], Place]]:
    lines, at = _CountedLines(text), 0
    while match := _MARKUP.search(text, at):
        start, at = match.span()
        tag = (match["tag"] or "").lower()
        if tag in _TEXT and (end := _TEXT[tag].search(text, at)):
            at = end.start()
        if what := _named(tag, match["attributes"] or ""):
            yield what, lines.place(start)


def _named(tag: str, attributes: str) -> tuple[str, str, str] | None:
    lower = attributes.lower()
    if not tag or (tag != "meta" and "class" not in lower and "data-nosnippet" not in lower):
        return None
    values: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(attributes):
        values.setdefault(name.lower(), unescape(double or single or bare))
    if tag == "meta":
        name, content = stated(values)
        return tag, name.strip(), content
    if "class" in values or "data-nosnippet" in values:
        return tag, values.get("class", ""), "data-nosnippet" if "data-nosnippet" in values else ""
    return None

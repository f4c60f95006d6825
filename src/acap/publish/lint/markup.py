"""The tags of a page as they stand in its octets; comments, scripts and what else is no markup are passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

# One pass from left to right: possessive quantifiers, so that nothing is tried twice. An unquoted value has no `>`.
_MARKUP = re.compile(
    rb"""
    <!--(?:-?>|.*?(?P<comment>--!?>|\Z))
    | <(?P<tag>/?[a-z][^\s/>]*+)(?P<attributes>(?:[^>=]|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?)*+)(?P<end>>|\Z)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_TEXTS = (b"title", b"textarea", b"script", b"style", b"xmp", b"iframe", b"noembed", b"noframes", b"template")
_TEXT = {tag: re.compile(rb"</" + tag + rb"(?=[\s/>])|\Z", re.IGNORECASE) for tag in _TEXTS}
_ATTRIBUTE = re.compile(rb"""(?P<name>[^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")


class Attribute(NamedTuple):
    """An attribute: its name in lower case, its value, and the octets of the name and of all of it in the text."""

    name: str
    value: str
    name_start: int
    name_end: int
    end: int


class Tag(NamedTuple):
    """A tag, or a comment or text that never ends: its octets, its name in lower case, and whether it has its end."""

    start: int
    end: int
    name: str
    closed: bool
    inside: int

    def attributes(self, text: bytes) -> list[Attribute]:
        """The attributes, the first of each name."""
        attributes: dict[str, Attribute] = {}
        for match in _ATTRIBUTE.finditer(text, self.inside, self.end):
            name = match["name"].decode("latin-1").lower()
            value = unescape((match[2] or match[3] or match[4] or b"").decode("utf-8", "replace"))
            attributes.setdefault(name, Attribute(name, value, *match.span("name"), match.end()))
        return list(attributes.values())


def tags(text: bytes) -> Iterator[Tag]:
    """The tags in their order; one that the text ends in is not closed, `!--` and the names of texts included."""
    at = 0
    while match := _MARKUP.search(text, at):
        start, at = match.span()
        name = match["tag"]
        if name is None:
            if match["comment"] == b"":
                yield Tag(start, at, "!--", closed=False, inside=at)
            continue
        low = name.lower()
        yield Tag(start, at, low.decode("latin-1"), match["end"] != b"", match.end("tag"))
        if low in _TEXT and (end := _TEXT[low].search(text, at)):
            at = end.start()
            if at == len(text):
                yield Tag(start, at, low.decode("latin-1"), closed=False, inside=match.end("tag"))

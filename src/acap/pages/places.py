"""The places of statements in the text of a page: computed for explanations, not for decisions.

The tree does not have the places of its elements, so the text is searched once more; tags found there are matched with
the tree by their values and their order.
"""

from __future__ import annotations

import re
from html import unescape

from acap.pages.html import stated

MAX_CHARACTERS = 2 * 1024 * 1024
"""Largest text in which places are computed; in a larger one statements are cited without."""

Place = tuple[int | None, int | None]
"""Line and column, from 1."""


class Places:
    """Places of META elements and of elements with class tokens or `data-nosnippet`."""

    __slots__ = ("_found",)

    def __init__(self, text: str) -> None:
        self._found = _find(text) if len(text) <= MAX_CHARACTERS else {}

    def of(self, what: tuple[str, str, str], turn: int) -> Place:
        """The place of the n-th element, `turn` from 0, with this tag and these two values; none if it isn't found."""
        places = self._found.get(what, [])
        return places[turn] if turn < len(places) else (None, None)


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


def _find(text: str) -> dict[tuple[str, str, str], list[Place]]:
    found: dict[tuple[str, str, str], list[Place]] = {}
    line, line_start, counted, at = 1, 0, 0, 0
    while match := _MARKUP.search(text, at):
        start, at = match.span()
        tag = (match["tag"] or "").lower()
        if tag in _TEXT and (end := _TEXT[tag].search(text, at)):
            at = end.start()
        if what := _named(tag, match["attributes"] or ""):
            # The text before was counted for the previous place.
            line += text.count("\n", counted, start)
            line_start = max(text.rfind("\n", counted, start) + 1, line_start)
            counted = start
            found.setdefault(what, []).append((line, start - line_start + 1))
    return found


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

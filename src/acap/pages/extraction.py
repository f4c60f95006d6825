"""The content of a page that a usage may use: which parts, and why (P2 2.2.5, G 5.5).

Law: a text is given only if every element around it may be used, and, where the publisher names a resource that must be
used, only if it lies in that resource. Of an omitted part nothing remains: neither its text nor its attributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from acap import _native
from acap._native import Decision
from acap.pages.asking import Asking
from acap.pages.elements import Region
from acap.pages.html import PageTree
from acap.pages.resource import Resource, resolve
from acap.pages.serialization import serialize, serialize_with_statements
from acap.pages.walk import UNSEEN, Walk

_BLOCKS = frozenset(
    {
        "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details",
        "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2",
        "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu",
        "nav", "ol", "optgroup", "option", "p", "pre", "search", "section", "select", "summary", "table",
        "tbody", "textarea", "tfoot", "thead", "title", "tr", "ul",
    }
)  # fmt: skip
_CELLS = frozenset({"td", "th"})
_WITH_ALT = frozenset({"img", "area", "input"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the page of which one decision is made.

    `element` is the element that has it, or none where it is the page itself; `text` is empty if it may not be used. An
    element that others interrupt gives several pieces.
    """

    element: str | None
    decision: Decision
    text: str


class Content:
    """What may be used of a page: `pieces` in their order, `text` and `html` of those that may.

    `decision` is that on the page as a whole. `resource` is what the page's permission says must be used, if anything;
    where it is another URI, `uri` names it, and getting it is left to the caller.
    """

    __slots__ = ("__dict__", "_asking", "decision", "resource", "usage")

    def __init__(self, asking: Asking, usage: str, decision: Decision, resource: Resource | None) -> None:
        self._asking = asking
        self.usage = usage
        self.decision = decision
        self.resource = resource

    def __repr__(self) -> str:
        return f"<Content for {self.usage}: {len(self.text)} characters, {len(self.excluded)} parts left out>"

    @property
    def uri(self) -> str | None:
        """The URI of another resource that must be used instead of this page."""
        return None if self.resource is None else self.resource.uri

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Every part of the page with the decision on it."""
        return tuple(self._pieces())

    @property
    def is_whole(self) -> bool:
        """Whether all of the page may be used, so that its text is that of the page."""
        return self.resource is None and self.decision.permitted and self._asking.regions is None

    @cached_property
    def text(self) -> str:
        """The usable text: white space collapsed, a line for each block, images as their `alt`."""
        document = self._asking.carried.document
        if self.is_whole:
            return whole_text_of(document)
        gathered = _Text()
        gathered.add(self._meta[1])
        gathered.line()
        for node, begins, _, usable in self._walk:
            if usable:
                _gather(gathered, node, begins)
            else:
                # The texts before and after an omitted part are not one word.
                gathered.add(" ")
        return gathered.take()

    @cached_property
    def html(self) -> str:
        """The usable content as HTML, without scripts, templates and comments, which may hold what is left out."""
        return serialize(self._asking.carried.document, self._walk, self.resource, self._meta[1])

    @cached_property
    def html_with_statements(self) -> str:
        """As `html`, with what is left out standing for its statements: tags with nothing but those, and META elements.

        Read again, it is decided as the page was, whatever is asked of what is left of it.
        """
        return serialize_with_statements(self._asking.carried, self._walk, self._meta[1], self.resource)

    @property
    def excluded(self) -> tuple[Piece, ...]:
        """The parts that may not be used."""
        return tuple(piece for piece in self.pieces if not piece.decision.permitted)

    @cached_property
    def _walk(self) -> Walk:
        return Walk(self._asking, self.usage)

    @cached_property
    def _meta(self) -> tuple[Decision | None, str]:
        """The decision on the META element that must be used, which may stand in one that may not, and its text."""
        if self.resource is None or self.resource.text is None:
            return None, ""
        regions = self._asking.regions
        region = None if regions is None else regions.around(self.resource.meta)
        decision = self._asking.decide_on(region, self.usage)
        return decision, self.resource.text.replace("\0", " ") if decision.permitted else ""

    def _pieces(self) -> Iterator[Piece]:
        decision, text = self._meta
        if decision is not None and self.resource is not None:
            yield Piece(self.resource.locator, decision, " ".join(text.split()))
        gathered = _Text()
        current: Region | None = None
        begun = False

        def piece() -> Iterator[Piece]:
            decision = self._walk.decision(current)
            taken = gathered.take()
            if taken or not decision.permitted:
                yield Piece(None if current is None else current.locator, decision, taken)

        for node, begins, region, usable in self._walk:
            if region is not current or not begun:
                if begun:
                    yield from piece()
                current, begun = region, True
            if usable:
                _gather(gathered, node, begins)
        if begun:
            yield from piece()


def content_for(asking: Asking, usage: str) -> Content:
    """The content of a page that a usage may use."""
    decision = asking.decide(usage)
    return Content(asking, usage, decision, resolve(asking.carried.document, decision))


def whole_text_of(document: PageTree | None) -> str:
    """The text of a page that may be used as a whole."""
    if document is None:
        return ""
    text = document.text_as_written
    return _whole_text(document.root) if text is None else text


class _Text:
    """Text in the making: white space collapsed, lines where blocks begin and end."""

    __slots__ = ("parts",)

    def __init__(self) -> None:
        self.parts: list[str] = []

    def add(self, text: str) -> None:
        self.parts.append(text)

    def line(self) -> None:
        self.parts.append("\0")

    def take(self) -> str:
        # U+0000 cannot occur in the text of a tree.
        lines = ("".join(self.parts)).split("\0")
        self.parts = []
        return "\n".join(filter(None, [" ".join(line.split()) for line in lines]))


def _whole_text(root: Any) -> str:
    """The text of a tree that may be used as a whole: the same as from a walk, but without a decision at each node."""
    # The core reads it from the tree as it is written out, but for some elements that no page of today has.
    written = None if root is None else root.html
    found = None if written is None else _native.text_of(written)
    return _walked_text(root) if found is None else found


def _walked_text(root: Any) -> str:
    if root is None:
        return ""
    text = _Text()
    parts = text.parts
    around: list[tuple[Any, str]] = []  # the elements around the node, each with what its end adds
    node = root
    while True:
        if node.is_element_node:
            tag = node.tag
            mark = "\0" if tag in _BLOCKS else " " if tag in _CELLS else ""
            if mark:
                parts.append(mark)
            elif tag in _WITH_ALT:
                _gather(text, node, begins=True)
            child = node.child if tag not in UNSEEN else None
            if child is not None:
                around.append((node, mark))
                node = child
                continue
            parts.append(mark)
        elif node.is_text_node:
            parts.append(node.text_content or "")
        following = node.next if around else None
        while following is None:
            if not around:
                return text.take()
            node, mark = around.pop()
            parts.append(mark)
            following = node.next if around else None
        node = following


def _gather(text: _Text, node: Any, begins: bool) -> None:
    if node.is_text_node:
        text.add(node.text_content or "")
    elif node.is_element_node:
        tag = node.tag
        if tag in _BLOCKS:
            text.line()
        elif tag in _CELLS:
            text.add(" ")
        elif begins and tag in _WITH_ALT and (alt := node.attributes.get("alt")):
            text.add(f" {alt} ")

"""The content of a page that a usage may use: which parts, and why (P2 2.2.5, G 5.5).

Law: a text is given only if every element around it may be used, and, where the publisher names a resource that must be
used, only if it lies in that resource. Of an omitted part nothing remains: neither its text nor its attributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from acap._native import Decision
from acap.pages.resource import Resource, resolve, resolve_each

if TYPE_CHECKING:
    from acap.pages.asking import Asking
    from acap.pages.elements import Region

UNSEEN = frozenset({"script", "style", "template", "noframes", "noembed", "iframe"})
"""Elements whose content is not text of the page."""

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

    @cached_property
    def text(self) -> str:
        """The usable text: white space collapsed, a line for each block, images as their `alt`."""
        document = self._asking.carried.document
        if self.resource is None and self.decision.permitted and self._asking.heard.regions is None:
            return "" if document is None else _whole_text(document.root)
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
        from acap.pages.serialization import serialize

        return serialize(self._asking.carried.document, self._walk, self.resource, self._meta[1])

    @cached_property
    def html_with_statements(self) -> str:
        """As `html`, with what is left out standing for its statements: tags with nothing but those, and META elements.

        Read again, it is decided as the page was, whatever is asked of what is left of it.
        """
        from acap.pages.serialization import serialize_with_statements

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
        regions = self._asking.heard.regions
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


class Walk:
    """Walks a tree in order, and tells for each node whether it may be used.

    It gives each node at its beginning (True) and elements at their end (False), the region of the node, and whether
    the node may be used: the statements on the region permit it, and the node lies in the resource that must be used,
    if they name one. Iterative, as trees may be deep.
    """

    __slots__ = ("_decisions", "_resources", "_starts", "asking", "usage")

    def __init__(self, asking: Asking, usage: str) -> None:
        self.asking = asking
        self.usage = usage
        self._decisions: dict[Region | None, Decision] = {}
        self._resources: dict[Region | None, frozenset[str]] = {}
        self._starts: dict[int, frozenset[str]] = {}
        regions = asking.heard.regions
        known: dict[str, Resource] = {}
        for region in (None, *(() if regions is None else regions.list)):
            decision = self._decisions[region] = asking.decide_on(region, usage)
            resources = resolve_each(asking.carried.document, decision, known)
            self._resources[region] = frozenset(resource.restriction.value for resource in resources)
            for resource in resources:
                for mem_id in resource.nodes:
                    self._starts[mem_id] = self._starts.get(mem_id, frozenset()) | {resource.restriction.value}

    def decision(self, region: Region | None) -> Decision:
        """The decision on a region."""
        return self._decisions[region]

    def __iter__(self) -> Iterator[tuple[Any, bool, Region | None, bool]]:
        document = self.asking.carried.document
        root = None if document is None else document.root
        if root is None:
            return
        regions = self.asking.heard.regions
        # For each element around the node: its region, and the resources that contain it.
        stack: list[tuple[Region | None, frozenset[str]]] = [(None, frozenset())]
        node: Any = root
        while True:
            region, within = stack[-1]
            if node.is_element_node:
                region = (regions.at(node.mem_id) if regions is not None else None) or region
                within = within | self._starts.get(node.mem_id, frozenset())
                yield node, True, region, self._may(region, within)
                child = node.child if node.tag not in UNSEEN else None
                if child is not None:
                    stack.append((region, within))
                    node = child
                    continue
                yield node, False, region, self._may(region, within)
            else:
                yield node, True, region, self._may(region, within)
            while node.next is None or node.mem_id == root.mem_id:
                if node.mem_id == root.mem_id:
                    return
                node = node.parent
                region, within = stack.pop()
                yield node, False, region, self._may(region, within)
                if node.mem_id == root.mem_id:
                    return
            node = node.next

    def _may(self, region: Region | None, within: frozenset[str]) -> bool:
        return self._decisions[region].permitted and self._resources[region] <= within


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

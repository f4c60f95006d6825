"""The text of a page → its tree: HTML, or XHTML, which is read as XML and as HTML, and either reading prohibits.

The laws of this module:

1. A META element that both readings have counts as in an HTML page. One that only one reading has prohibits and
   restricts, but permits nothing.
2. A statement of an element counts for the whole page unless both readings have the same text in the same elements.
3. Where the XML reading breaks off, nothing in the page permits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from acap.pages import xhtml
from acap.pages.html import Carrier, LicenceReference, Meta, PageTree, Remark
from acap.pages.xhtml import Event, LimitError, Xhtml


class XhtmlDocument(PageTree):
    """A page read twice. Its tree is that of the XML reading, which browsers show, or after a fault that of HTML."""

    __slots__ = ("_html", "_outside", "_xml")

    def __init__(self, text: str, xml: Xhtml) -> None:
        html = PageTree(text)
        super().__init__(f"<!DOCTYPE html>{xml.html}" if xml.fault is None else text)
        self._html, self._xml = html, xml
        self._outside: frozenset[tuple[str, str]] | None = None
        own = [meta._replace(node=super(XhtmlDocument, self).node_of(meta)) for meta in self.metas]
        self._begins = ()  # it is asked of elements of both readings
        # Places are searched for in the original text.
        self.text = html.text
        self.lifts = xml.fault is None
        self.metas = tuple(self._both(own))
        self.divided = self._is_divided()
        self.remarks = tuple(self._remarks())

    def _both(self, own: Iterable[Meta]) -> Iterator[Meta]:
        """Every META element of either reading; one that only one reading has lifts nothing."""
        nodes = {(meta.name, meta.content): meta.node for meta in own}
        pairs = [(name, content) for name, content in self._xml.metas if name and content]
        left = Counter(pairs)
        both = Counter((meta.name, meta.content) for meta in self._html.metas) & left
        for place, pair in enumerate(pairs):
            yield Meta(*pair, place, nodes.get(pair, self.parser.root), lifts=pair in both)
        for place, meta in enumerate(self._html.metas, len(pairs)):
            if not both[meta.name, meta.content]:
                yield meta._replace(place=place, node=self._html.node_of(meta), lifts=False)

    def node_of(self, meta: Meta) -> Any:
        """That of a META element in the tree of its reading."""
        return meta.node

    def _is_divided(self) -> bool:
        carries = bool(self._xml.carriers or self._html.carriers())
        if not carries:
            return True
        events = list(self._xml.events)
        return self.lifts and events == list(_events(self._html)) and events == list(_events(self))

    def _remarks(self) -> Iterator[Remark]:
        if (fault := self._xml.fault) is not None:
            yield "page-ill-formed", fault.line, fault.column, (fault.message,)
        elif not self.divided:
            yield "page-two-readings", 0, 0, ()

    @property
    def has_metas_alone(self) -> bool:
        """Two readings may differ."""
        return False

    @property
    def text_as_written(self) -> str | None:
        """Two readings may differ."""
        return None

    @property
    def quirks(self) -> bool:
        """XML is never in quirks mode."""
        return False if self.lifts else super().quirks

    def licence_references(self) -> list[LicenceReference]:
        """Those of both readings; one that only one reading has is of a part."""
        one, other = super().licence_references(), self._html.licence_references()
        both = {*one} & {*other}
        return [each if each in both else each._replace(is_whole=False) for each in dict.fromkeys([*one, *other])]

    def is_in_head(self, meta: Meta) -> bool:
        """Whether both readings have it there, however often they have it."""
        if not super().is_in_head(meta):
            return False
        if self._outside is None:
            # One search for all: a page may have any number of them.
            html = self._html
            self._outside = frozenset((one.name, one.content) for one in html.metas if not html.is_in_head(one))
        return (meta.name, meta.content) not in self._outside

    def carriers(self) -> list[Carrier]:
        """Elements with statements; where their content is uncertain, those of both readings."""
        if self.divided:
            return super().carriers()
        root: Any = self.parser.root
        loose = [Carrier(root, one.tokens or (), one.nosnippet) for one in self._xml.carriers]
        return [*self._html.carriers(), *loose]


def document_of(text: str, xml: tuple[str, bool] | None) -> PageTree:
    """The tree of a page; `xml` is the text to be read as XML as well, and whether some of its octets are not text.

    Raises:
        EntangledError: building the tree would take too much time or memory.
        LimitError: entities expand to too much text.
    """
    if xml is None:
        return PageTree(text)
    found = xhtml.read(xml[0])
    if found is None:
        return PageTree(text)
    if xml[1] and found.fault is None:
        found.fault = xhtml.Fault(0, 0, "octets that are not a character in its encoding")
    return XhtmlDocument(text, found)


_TEXTLESS = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes"})


def _events(document: PageTree) -> Iterator[Event]:
    """The content of elements with statements, in the order of the tree, in the form of the XML reading."""
    carriers = {carrier.node.mem_id: carrier for carrier in PageTree.carriers(document)}
    text: list[str] = []
    for node, begins in document.nodes():
        carrier = carriers.get(node.mem_id) if node.is_element_node else None
        if carrier is not None:
            yield from xhtml.text_event(text)
            text = []
            yield Event(carrier.tokens, carrier.nosnippet) if begins else Event()
        elif node.is_text_node and begins and getattr(node.parent, "tag", None) not in _TEXTLESS:
            text.append(node.text_content or "")
    yield from xhtml.text_event(text)


__all__ = ["LimitError", "XhtmlDocument", "document_of"]

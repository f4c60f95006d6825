"""The elements of an HTML page, in document order, as the HTML standard builds them with scripting off.

What is inside a comment, script, style, title or textarea is text; what is inside a template is no part of the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element as Node

import html5lib

WHITE_SPACE = " \t\n\f\r"  # HTML's


@dataclass(frozen=True, eq=False)
class Element:
    """An element, equal to itself alone: its tag and attributes, the element around it, and where it is."""

    tag: str
    attributes: Mapping[str, str]
    parent: Element | None
    locator: str

    @property
    def chain(self) -> list[Element]:
        """The element and those around it, innermost first."""
        return [self, *(self.parent.chain if self.parent else [])]


def read_elements(html: bytes | str, charset: str | None) -> list[Element]:
    """The elements of a page. `charset` is the one its header names, for octets."""
    if isinstance(html, bytes):
        root = html5lib.parse(html, namespaceHTMLElements=False, transport_encoding=charset)
    else:
        root = html5lib.parse(html, namespaceHTMLElements=False)
    return list(walk(root, None, 1))


def walk(node: Node, parent: Element | None, place: int) -> Iterator[Element]:
    """An element and all below it. `place` counts the elements of its tag that its parent has."""
    tag = plain(node.tag)
    attributes = {plain(name): value for name, value in node.attrib.items()}
    own = f"{tag}#{attributes['id']}" if attributes.get("id") else None
    step = tag if tag in ("head", "body") else f"{tag}:nth-of-type({place})"
    around = f"{parent.locator} > {step}" if parent else tag
    element = Element(tag, attributes, parent, own or around)
    yield element
    if tag == "template":
        return
    counted: dict[str, int] = {}
    for child in node:
        if isinstance(child.tag, str):  # a comment has none
            counted[child.tag] = counted.get(child.tag, 0) + 1
            yield from walk(child, element, counted[child.tag])


def plain(name: str) -> str:
    """A name without its namespace, in lower case."""
    return name.rpartition("}")[2].lower()

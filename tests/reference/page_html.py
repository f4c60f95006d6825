"""The elements of an HTML page, in document order, as the HTML standard builds them with scripting off.

What is inside a comment, script, style, title or textarea is text. XHTML is read as XML as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from typing import Any
from xml.etree.ElementTree import Element as Node
from xml.etree.ElementTree import ParseError, XMLPullParser

import html5lib

XHTML = "{http://www.w3.org/1999/xhtml}"
PUBLIC = ("-//W3C//DTD XHTML 1.0 Strict//EN", "-//W3C//DTD XHTML 1.1//EN")
XML_NAMES = ("amp", "lt", "gt", "quot", "apos")
TEXTLESS = ("script", "style", "xmp", "iframe", "noembed", "noframes")
WHITE_SPACE = " \t\n\f\r"  # HTML's


@dataclass(frozen=True, eq=False)
class Element:
    """An element, equal to itself alone: its tag and attributes, the element around it, and where it is."""

    tag: str
    attributes: Mapping[str, str]
    parent: Element | None
    locator: str
    text: str = ""
    in_template: bool = False

    @property
    def chain(self) -> list[Element]:
        """The element and those around it, innermost first."""
        return [self, *(self.parent.chain if self.parent else [])]


@lru_cache(64)
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
    sheltered = parent is not None and (parent.in_template or parent.tag == "template")
    element = Element(tag, attributes, parent, own or around, "".join(texts(node)), sheltered)
    yield element
    counted: dict[str, int] = {}
    for child in node:
        if isinstance(child.tag, str):  # a comment has none
            counted[child.tag] = counted.get(child.tag, 0) + 1
            yield from walk(child, element, counted[child.tag])


def texts(node: Any) -> Iterator[str]:
    """The words below an element, those of scripts and styles aside."""
    if isinstance(node.tag, str) and plain(node.tag) not in TEXTLESS:
        yield from (node.text or "").split()
        for child in node:
            yield from texts(child)
            yield from (child.tail or "").split()


def read_xml(text: str) -> tuple[list[Element], bool] | None:
    """The elements of XHTML, and whether the text is well-formed; None if its root is another."""
    parser: Any = XMLPullParser(("start",))
    root, well_formed = None, True
    try:
        parser.feed(with_characters(text))
        for _, node in parser.read_events():
            root = node if root is None else root
        parser.close()
    except ParseError:
        well_formed = False
    if root is not None and root.tag != XHTML + "html":
        return None
    return ([] if root is None else list(walk(root, None, 1))), well_formed


def with_characters(text: str) -> str:
    """A text with the characters that HTML's entities stand for, if its public identifier is one of XHTML."""
    if not any(name in text for name in PUBLIC):
        return text
    return re.sub(
        r"&(\w+);", lambda found: found[0] if found[1] in XML_NAMES else f"&#{ord(html5[found[1] + ';'][0])};", text
    )


def plain(name: str) -> str:
    """A name without its namespace, in lower case."""
    return name.rpartition("}")[2].lower()

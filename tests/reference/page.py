"""A page as its readers see it: ACAP in META tags and class attributes, conventional words, headers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .page_html import Element, read_elements
from .page_statements import Said, read_classes, read_tag
from .page_words import BLANKS, Word, is_conventional, read_words
from .text import ascii_lower

Headers = Mapping[str, str] | Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Page:
    """A page: its URL if known, whether it is an image, what its parts say, and its elements in document order.

    `named` are the crawlers that its ACAP tags name, whatever they say.
    """

    url: str | None
    is_image: bool
    version: str | None
    named: frozenset[str]
    tags: tuple[Said, ...]
    classes: tuple[Said, ...]
    words: tuple[Word, ...]
    elements: tuple[Element, ...]

    @property
    def nosnippet(self) -> list[Element]:
        """The elements with `data-nosnippet`, whatever its value."""
        return [element for element in self.elements if "data-nosnippet" in element.attributes]

    @property
    def version_number(self) -> tuple[int, int]:
        """The ACAP version; 1.0 if none is stated (P2 2.2.7)."""
        if self.version is None:
            return (1, 0)
        major, minor, *_ = self.version.split(".")
        return int(major), int(minor)


def read_page(html: bytes | str | None, *, url: str | None = None, headers: Headers = ()) -> Page:
    """Read a page, or the headers alone of a resource that is none. Never fails on content."""
    pairs = list(headers.items()) if isinstance(headers, Mapping) else list(headers)
    content_type = next((value for name, value in pairs if ascii_lower(name) == "content-type"), "")
    elements = read_elements(html, charset_of(content_type)) if html is not None else []
    version = None
    named: set[str] = set()
    tags: list[Said] = []
    words: list[Word] = []
    for element in elements:
        if element.tag != "meta" or not {"name", "content"} <= set(element.attributes):
            continue
        name, content = element.attributes["name"], element.attributes["content"]
        tag = read_tag(name, content)
        if tag:
            tags += tag.said
            named |= {tag.addressee} if tag.addressee is not None else set()
            version = version or tag.version
        else:
            label = ascii_lower(name.strip(BLANKS))
            found = list(read_words(content, None if label == "robots" else label, is_header=False))
            words += found if is_conventional(label, found) else []
    for name, value in pairs:
        if ascii_lower(name) == "x-robots-tag":
            words += read_words(value, None, is_header=True)
    return Page(
        url=url,
        is_image=content_type.lower().startswith("image/") or (html is None and not content_type),
        version=version,
        named=frozenset(named),
        tags=tuple(tags),
        classes=tuple(said for element in elements for said in read_classes(element)),
        words=tuple(words),
        elements=tuple(elements),
    )


def charset_of(content_type: str) -> str | None:
    """The charset parameter of a media type; None if it has none."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if ascii_lower(name.strip()) == "charset":
            return value.strip().strip('"') or None
    return None

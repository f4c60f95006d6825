"""What sites served to crawlers, from instant to instant, and what stands in it: links, elements, other resources.

Everything is read as the reference interpreter reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

import html5lib

from tests.reference.page import Page, charset_of, read_page
from tests.reference.page_hearing import Site
from tests.reference.page_html import Element

PRESENT = (
    "present-link", "present-original", "present-currentcopy", "present-oldcopy", "present-snippet", "present-extract",
    "present-thumbnail", "present-oldsnippet", "present-oldextract", "present-oldthumbnail",
)  # fmt: skip
PART = re.compile(r"(?:the-)?acap:(extract:(?:id|class|meta)|idlist|classlist|taglist):(.+)", re.IGNORECASE | re.DOTALL)
ROLE = re.compile(r"(?:the-)?acap:(?:credit|link|icon|text):(.+)", re.IGNORECASE | re.DOTALL)
ROLE_PART = re.compile(r"(id|class|meta):(.+)", re.DOTALL)


class Answered(Protocol):
    """A resource as a site serves it: `Served` of `tests.courier` is one."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Sequence[tuple[str, str]]: ...
    @property
    def octets(self) -> bytes: ...


class Snapshot(Protocol):
    """What a site serves at an instant, by path; `site` is its policy for the interpreter, None if unreachable."""

    @property
    def url(self) -> str: ...
    @property
    def served(self) -> dict[str, Any]: ...
    @property
    def site(self) -> Site | None: ...


@dataclass
class Chronicle:
    """What one site served: each snapshot from its instant to the next one's."""

    epochs: list[tuple[datetime, Snapshot]] = field(default_factory=list)

    def add(self, since: datetime, snapshot: Snapshot) -> None:
        """From an instant on the site serves this; every crawl from then on met it."""
        self.epochs.append((since, snapshot))

    def at(self, instant: datetime) -> Snapshot:
        """What it served at an instant, and what was known of its policy then."""
        return [snapshot for since, snapshot in self.epochs if since <= instant][-1]


@dataclass(eq=False)
class Version:
    """A response as the proof knows it: `number` as the ledger names it."""

    number: int
    url: str
    crawled: datetime
    answer: Answered
    page: Page
    succeeded: datetime | None = None

    @property
    def media(self) -> str:
        """Its type."""
        return dict(self.answer.headers).get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True)
class Nothing:
    """The answer of a site that has no such resource."""

    status: int
    headers: Sequence[tuple[str, str]] = ()
    octets: bytes = b""


def path_of(url: str) -> str:
    """Path and query of a URL."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def robots_of(snapshot: Snapshot) -> bytes:
    """The robots.txt of a site; nothing if it has none."""
    robots = snapshot.served["/robots.txt"]
    return bytes(robots.octets) if robots.status == 200 else b""


def page_of(url: str, answer: Answered) -> Page:
    """What a response says of itself, as the interpreter reads it."""
    is_page = dict(answer.headers).get("content-type", "").startswith("text/html")
    return read_page(answer.octets if is_page else None, url=url, headers=answer.headers)


def resource_uri(value: str) -> str | None:
    """The URI of the other resource that a restriction names; None if it names a part of the page."""
    if PART.fullmatch(value):
        return None
    role = ROLE.fullmatch(value)
    target = role[1] if role else value
    return None if ROLE_PART.fullmatch(target) and role else target


def usages_with_resources(octets: bytes) -> list[str]:
    """The usages of which something in a text may require another resource."""
    said = re.findall(r"allow-([a-z()-]+)[^\n]*?must-(?:use|include)-resource=(\S+)", octets.decode("utf-8", "replace"))
    named = {usage for usage, value in said if resource_uri(value) is not None}
    return [usage for usage in ("index", *PRESENT) if any(usage.startswith(one) or one[0] == "(" for one in named)]


def lies_in(version: Version, element: Element | None, value: str) -> bool:
    """Whether an element lies in the part of its page that a restriction names."""
    part = PART.fullmatch(value)
    role = ROLE.fullmatch(value)
    inner = ROLE_PART.fullmatch(role[1]) if role else None
    if part is not None:
        kind, names = part[1].lower().removeprefix("extract:"), [name.strip() for name in part[2].split(",")]
        every = kind.endswith("list") and kind != "idlist"
        kind = kind.removesuffix("list")
    elif inner is not None:
        kind, names, every = inner[1], [inner[2]], False
    else:
        return False
    if element is None:
        return False
    found = []
    for name in names:
        matching = [one for one in version.page.elements if _is_named(one, kind, name)]
        found += matching if every else matching[:1]
    return any(one in found for one in element.chain)


def _is_named(element: Element, kind: str, name: str) -> bool:
    match kind:
        case "id":
            return element.attributes.get("id") == name
        case "class":
            return name in element.attributes.get("class", "").split()
        case "tag":
            return element.tag == name.lower()
        case _:
            return element.tag == "meta" and element.attributes.get("name", "").lower() == name.lower()


def own_texts(version: Version) -> list[tuple[Element | None, str, bool]]:
    """Each element with its own text, and again with its attributes, marked by False; what is no page as it is."""
    if not version.page.elements:
        return [(None, version.answer.octets.decode("utf-8", "replace"), True)]
    charset = charset_of(dict(version.answer.headers).get("content-type", ""))
    root = html5lib.parse(version.answer.octets, namespaceHTMLElements=False, transport_encoding=charset)
    found: list[tuple[Element | None, str, bool]] = []
    for element, node in zip(version.page.elements, _nodes(root), strict=True):
        found.append((element, "".join([node.text or "", *(child.tail or "" for child in node)]), True))
        found.append((element, " ".join(node.attrib.values()), False))
    return found


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    if node.tag.rpartition("}")[2].lower() != "template":
        for child in node:
            if isinstance(child.tag, str):
                yield from _nodes(child)

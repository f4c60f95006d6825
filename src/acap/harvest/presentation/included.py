"""`must-include-resource`: what has to be shown with a representation, or it is not shown (P1 4.5.3.1.2, G 2.5).

A part of the page comes from its copy, another resource from its own copy as its own policy permits. A link needs no
copy. Nothing is fetched here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acap.harvest.presentation.judged import Judged, WithheldError
from acap.harvest.presentation.presentation import NamedUse, Presentation
from acap.harvest.presentation.representation import Included, Shown
from acap.pages.asking import Asking
from acap.pages.resource import find
from acap.pages.walk import UNSEEN
from acap.restrictions import ResourceRestriction

IMAGES = ("image/",)
_LONGEST = 400  # characters of the text of another resource
_MOST = 4_000  # characters of a part of the page: a credit is shown whole or not at all
_ROLES = {"credit": "credit", "link": "link", "icon": "icon", "text": "text", None: "resource"}


def included(presentation: Presentation, judged: Judged, usage: str) -> tuple[tuple[Included, ...], tuple[Shown, ...]]:
    """All that a permission wants shown with it, and the uses that showing it makes.

    Raises:
        WithheldError: something of it is missing, or may not be shown.
    """
    parts: list[Included] = []
    uses: list[Shown] = []
    for restriction in judged.must_include(usage):
        one, more = _included(presentation, judged, usage, restriction)
        parts.append(one)
        uses += more
    return tuple(dict.fromkeys(parts)), tuple(uses)


def _included(
    presentation: Presentation, judged: Judged, usage: str, restriction: ResourceRestriction
) -> tuple[Included, list[Shown]]:
    role = _ROLES.get(restriction.role, "resource")
    absent = WithheldError(f"the {role} that must be shown with it is missing ({restriction})")
    if restriction.uri is not None:
        url = judged.resolved(restriction.uri)
        if url is None:
            raise absent
        return _other(presentation, judged, role, url, absent, (judged, usage))
    if judged.page is None:
        raise absent
    asking = judged.page.asking(**judged.judgement.question)
    resource = find(asking.carried.document, restriction)
    if resource.text is not None:
        region = None if asking.regions is None else asking.regions.around(resource.meta)
        if not resource.text.strip() or not asking.decide_on(region, usage).permitted:
            raise absent
        return _from_text(presentation, judged, role, " ".join(resource.text.split()), absent)
    for node in asking.carried.document.parser.css("*") if asking.carried.document and resource.nodes else ():
        if node.mem_id in resource.nodes:
            return _element(presentation, judged, usage, role, node, asking, absent)
    raise absent


def _other(
    presentation: Presentation, judged: Judged, role: str, url: str, absent: WithheldError, use: NamedUse = None
) -> tuple[Included, list[Shown]]:
    """Another resource; `use` where a statement names it, not an element of the page."""
    if role == "link":
        return _link(presentation, role, url, absent, use)
    other = presentation.of_url(url, use)
    if other is not None and role in ("icon", "resource") and other.version.media.startswith(IMAGES):
        if other.permits("present-thumbnail") and not other.must_include("present-thumbnail"):
            of = judged.version.url
            return Included(role, image=other.version.id), [Shown(other, "present-thumbnail", of)]
        raise absent
    if role == "icon":
        raise absent
    may = other is not None and other.permits("present-snippet") and not other.must_include("present-snippet")
    if may and other is not None and other.page is not None:
        shown = other.page.snippet("", usage="present-snippet", length=_LONGEST, **other.judgement.question)
        if shown.text:
            target = url if presentation.may_lead(url, "present-link", use) else None
            return Included(role, shown.text, target), [Shown(other, "present-snippet", judged.version.url)]
    return _link(presentation, role, url, absent, use)


def _link(
    presentation: Presentation, role: str, url: str, absent: WithheldError, use: NamedUse
) -> tuple[Included, list[Shown]]:
    """The URL of another resource."""
    if not presentation.may_lead(url, "present-link", use):
        raise absent
    return Included(role, url, url), []


def _from_text(
    presentation: Presentation, judged: Judged, role: str, text: str, absent: WithheldError
) -> tuple[Included, list[Shown]]:
    """What the content of a META element says: a text, or for links and icons a URL."""
    if role in ("link", "icon"):
        url = judged.resolved(text)
        if url is None:
            raise absent
        return _other(presentation, judged, role, url, absent)
    if len(text) > _MOST:
        raise absent
    return Included(role, text), []


def _element(
    presentation: Presentation, judged: Judged, usage: str, role: str, node: Any, asking: Asking, absent: WithheldError
) -> tuple[Included, list[Shown]]:
    """An element of the page."""
    attributes = node.attributes
    text = text_of(asking, node, usage)
    if role == "icon":
        image = node if node.tag == "img" else node.css_first("img")
        source = None if image is None or not may_use(asking, image, usage) else image.attributes.get("src")
        url = None if not source else judged.resolved(source)
        if url is None:
            raise absent
        return _other(presentation, judged, role, url, absent)
    target = None
    if role in ("link", "resource", "credit"):
        anchor = node if attributes.get("href") else node.css_first("a[href]")
        reference = None if anchor is None or not may_use(asking, anchor, usage) else anchor.attributes.get("href")
        target = _reference(presentation, judged, reference)
    if role == "link" and target is None:
        raise absent
    if len(text) > _MOST or (not text and target is None):
        raise absent
    return Included(role, text or target or "", target, is_in_page=True), []


def _reference(presentation: Presentation, judged: Judged, reference: str | None) -> str | None:
    url = judged.resolved(reference) if reference else None
    return url if url is not None and presentation.may_lead(url, "present-link") else None


def may_use(asking: Asking, node: Any, usage: str) -> bool:
    """Whether the statements on an element, and on those around it, permit."""
    regions = asking.regions
    return asking.decide_on(None if regions is None else regions.around(node), usage).permitted


def text_of(asking: Asking, node: Any, usage: str) -> str:
    """The text of an element, but for parts of it that may not be used."""
    return " ".join("".join(_texts(asking, node, usage)).split())


def _texts(asking: Asking, top: Any, usage: str) -> Iterator[str]:
    known: dict[object, bool] = {}
    regions = asking.regions
    node = top
    while True:
        if node.is_text_node:
            region = None if regions is None else regions.around(node)
            if region not in known:
                known[region] = asking.decide_on(region, usage).permitted
            yield (node.text_content or "") if known[region] else " "
        elif node.is_element_node and node.tag in ("br", "p", "div", "li", "td", "th", "tr"):
            yield " "
        child = node.child if node.is_element_node and node.tag not in UNSEEN else None
        if child is not None:
            node = child
            continue
        while node.mem_id != top.mem_id and node.next is None:
            node = node.parent
        if node.mem_id == top.mem_id:
            return
        node = node.next

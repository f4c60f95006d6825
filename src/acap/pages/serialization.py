"""The usable content of a page as HTML.

Written from the tree, so that what is left out is never in it. Elements that may not be used vanish with their
attributes; elements within them that may be used stay. Scripts, templates and comments are left out: they may repeat
what may not be used. Where all of a page may be used, so may its own octets.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from acap.pages.extraction import UNSEEN, Walk

if TYPE_CHECKING:
    from acap.pages.asking import Asking
    from acap.pages.elements import Region
    from acap.pages.resource import Resource

_VOID = frozenset(
    [
        "area",
        "base",
        "basefont",
        "bgsound",
        "br",
        "col",
        "embed",
        "frame",
        "hr",
        "img",
        "input",
        "keygen",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)
_DROPPED = UNSEEN - {"style", "iframe"}


def serialize(asking: Asking, usage: str, resource: Resource | None) -> str:
    """The HTML of what may be used."""
    if resource is not None and resource.text is not None:
        return escape(resource.text, quote=False) if asking.decide(usage).permitted else ""
    allowed: dict[Region | None, bool] = {}

    def may(region: Region | None) -> bool:
        if region not in allowed:
            allowed[region] = asking.decide_on(region, usage).permitted
        return allowed[region]

    out: list[str] = []
    document = asking.carried.document
    if resource is None and document is not None and not document.quirks:
        out.append("<!DOCTYPE html>")
    for node, begins, region, inside in Walk(asking, usage, resource):
        if not inside or not may(region):
            continue
        out.append(_markup(node, begins))
    return "".join(out)


def _markup(node: Any, begins: bool) -> str:
    if node.is_text_node:
        return escape(node.text_content or "", quote=False)
    if not node.is_element_node or node.tag in _DROPPED:
        return ""
    tag = node.tag
    if not begins:
        return "" if tag in _VOID else f"</{tag}>"
    attributes = "".join(
        f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in node.attributes.items()
    )
    # Style is no part of the walk, and yet of the page.
    return f"<{tag}{attributes}>" + (node.inner_html or "" if tag == "style" else "")

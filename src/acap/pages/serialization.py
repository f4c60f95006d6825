"""The usable content of a page as HTML.

Written from the tree, so that what is left out is never in it. Elements that may not be used vanish with their
attributes; elements within them that may be used stay.
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
    {
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
        "meta", "param", "source", "track", "wbr",
    }
)  # fmt: skip
_RAW = frozenset({"style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext"})


def serialize(asking: Asking, usage: str, resource: Resource | None, *, partial: bool) -> str:
    """The HTML of what may be used; with `partial` without scripts, templates, comments and other unseen content."""
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
        if partial and node.is_element_node and node.tag in UNSEEN:
            continue
        out.append(_markup(node, begins, partial=partial))
    return "".join(out)


def _markup(node: Any, begins: bool, *, partial: bool) -> str:
    if node.is_text_node:
        text = node.text_content or ""
        parent = node.parent
        raw = parent is not None and parent.tag in _RAW
        return text if raw else escape(text, quote=False)
    if node.is_comment_node:
        # A comment that ends early would let its rest out.
        text = "" if partial else (node.comment_content or "")
        return f"<!--{text}-->" if text and "--" not in text and not text.startswith((">", "->")) else ""
    if not node.is_element_node:
        return ""
    tag = node.tag
    if not begins:
        return "" if tag in _VOID else f"</{tag}>"
    attributes = "".join(
        f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in node.attributes.items()
    )
    opening = f"<{tag}{attributes}>"
    if tag in UNSEEN:
        # Their content is no part of the walk.
        inner = node.inner_html or ""
        return opening + inner
    return opening

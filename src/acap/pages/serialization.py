"""The usable content of a page as HTML.

It is written from the tree, so that omitted parts are never in it. Elements that may not be used are omitted with their
attributes; usable elements within them stay. Scripts, templates and comments are omitted, as they may repeat content
that may not be used. Where all of a page may be used, its own octets may be used too.
"""

from __future__ import annotations

from html import escape
from typing import Any

from acap.pages.html import PageTree
from acap.pages.resource import Resource
from acap.pages.skeleton import in_templates, metas, tokens_of
from acap.pages.statements import PageCarriers
from acap.pages.walk import UNSEEN, Walk

_VOID = frozenset(
    {
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
        "link", "meta", "param", "source", "track", "wbr",
    }
)  # fmt: skip
_DROPPED = UNSEEN - {"style", "iframe"}


def serialize(document: PageTree | None, walk: Walk, resource: Resource | None, meta: str) -> str:
    """The HTML of the usable content; `meta` is the text of a META element that must be used."""
    out: list[str] = []
    if resource is None and document is not None and not document.quirks:
        out.append("<!DOCTYPE html>")
    out.append(escape(meta, quote=False))
    out.extend(_markup(node, begins) for node, begins, _, usable in walk if usable)
    return "".join(out)


def serialize_with_statements(carried: PageCarriers, walk: Walk, meta: str, resource: Resource | None) -> str:
    """As `serialize`, with the statements of omitted elements, which still hold for the content within.

    Omitted elements stay as bare tags where something remains in them, so that the nesting is as it was.
    """
    document = carried.document
    templates = in_templates(carried)
    out: list[str] = []
    if document is not None and not document.quirks:
        out.append("<!DOCTYPE html>")
    head = 0
    tokens = tokens_of(carried)
    open_: list[tuple[int, bool]] = []  # omitted elements: where they begin, and whether they have statements
    for node, begins, region, usable in walk:
        if begins and node.mem_id in templates:
            out.append(templates[node.mem_id])
            continue
        if usable:
            out.append(_markup(node, begins))
            if begins and node.is_element_node and node.tag == "head":
                head = len(out)
            continue
        if not node.is_element_node or node.tag in _DROPPED:
            continue
        if begins:
            says = region is not None and region.carrier.node.mem_id == node.mem_id
            is_frame = node.tag in ("html", "head", "body")
            open_.append((len(out), says or is_frame))
            attributes = tokens.get(region.number, "") if says and region is not None else ""
            out.append(f"<{node.tag}{attributes}>")
            if node.tag == "head":
                head = len(out)
            if resource is not None and resource.meta is not None and resource.meta.mem_id == node.mem_id and meta:
                out[-1] = _markup(node, begins=True)
                open_[-1] = (len(out), True)
        else:
            begin, says = open_.pop()
            if not says and not any(out[place] for place in range(begin + 1, len(out))):
                del out[begin:]
            elif node.tag not in _VOID:
                out.append(f"</{node.tag}>")
    out.insert(head, "".join(metas(carried)))
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
        f" {name}" if value is None else f' {name}="{escape(value)}"'
        for name, value in node.attributes.items()
        # A page within the page has statements of its own.
        if name != "srcdoc"
    )
    # The walk has no style, but the page has: as text, since where it is not HTML it may contain elements.
    return f"<{tag}{attributes}>" + (_style(node) if tag == "style" else "")


def _style(node: Any) -> str:
    out = []
    child = node.child
    while child is not None:
        if child.is_text_node:
            out.append(child.text_content or "")
        child = child.next
    text = "".join(out)
    return "" if "</" in text else text

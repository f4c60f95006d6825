"""`must-use-resource` resolved in a page: the only parts of it that may be used (P1 4.5.3.1.1, G 5.5–5.10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acap._native import Decision
from acap.pages.html import SPACE, PageTree
from acap.restrictions import MUST_USE, ResourceRestriction

if TYPE_CHECKING:  # of the extra `pages`
    from selectolax.lexbor import LexborNode

ELEMENT_SETS = {"idlist": "id", "classlist": "class", "taglist": "tag"}


@dataclass(frozen=True, slots=True)
class Resource:
    """What must be used: nodes of the page by their numbers, or the text of a `meta` element, or another URI.

    With neither, the page does not have what must be used, and nothing of it may be.
    """

    restriction: ResourceRestriction
    nodes: frozenset[int] = frozenset()
    text: str | None = None
    meta: LexborNode | None = None
    uri: str | None = None
    locator: str | None = None


def resolve(document: PageTree | None, decision: Decision) -> Resource | None:
    """The resource that must be used by a permission; None if it names none.

    Of several parts of the page it is the first: content that lies in all of them may be used. The text of a `meta`
    element, or another resource, may not be used beside a different one: nothing is both.
    """
    resources = resolve_each(document, decision, {})
    if len(resources) > 1 and any(resource.text is not None or resource.uri is not None for resource in resources):
        return Resource(resources[0].restriction)
    return resources[0] if resources else None


def resolve_each(document: PageTree | None, decision: Decision, known: dict[str, Resource]) -> list[Resource]:
    """Every resource that must be used by a permission or by those it depends on: all of them hold together.

    `known` caches resources by the value of the restriction.
    """
    wanted = {
        one.value: one for one in decision.restrictions if isinstance(one, ResourceRestriction) and one.name == MUST_USE
    }
    for value, restriction in wanted.items():
        if value not in known:
            known[value] = find(document, restriction)
    return [known[value] for value in wanted]


def find(document: PageTree | None, restriction: ResourceRestriction) -> Resource:
    """The parts of a page that a restriction names; neither nodes nor text where the page does not have them."""
    if restriction.uri is not None:
        return Resource(restriction, uri=restriction.uri)
    if document is None or restriction.kind is None:
        return Resource(restriction)
    names = restriction.names
    if restriction.kind == "meta":
        return _meta(document, restriction, names[0])
    kind = ELEMENT_SETS.get(restriction.kind, restriction.kind)
    nodes = _elements(document, kind, names, every=restriction.kind in ELEMENT_SETS)
    return Resource(restriction, frozenset(node.mem_id for node in nodes))


def _meta(document: PageTree, restriction: ResourceRestriction, name: str) -> Resource:
    # META names compare without case (HTML 4.2.5).
    for meta in document.metas:
        if meta.name.lower() == name.strip().lower():
            node, locator = document.node_of(meta), f'meta[name="{meta.name}"]'
            return Resource(restriction, text=meta.content, meta=node, locator=locator)
    return Resource(restriction)


def _elements(document: PageTree, kind: str, names: tuple[str, ...], *, every: bool) -> list[LexborNode]:
    """Elements by id, class or tag, as HTML compares them: in quirks mode ids and classes without case.

    The first match for an id or a class; for a set, the first match of each id and every match of classes and tags.
    """
    fold = str.lower if document.quirks or kind == "tag" else str
    wanted = {fold(name) for name in names if name}
    seen: set[str] = set()
    out: list[LexborNode] = []
    selector = "*" if kind == "tag" else f"[{kind}]"
    for node in document.parser.css(selector):
        if kind == "tag":
            own = {fold(node.tag or "")}
        elif kind == "class":
            own = {fold(word) for word in SPACE.split(node.attributes.get("class") or "")}
        else:
            own = {fold(node.attributes.get("id") or "")}
        hit = own & wanted
        if kind == "id":
            hit -= seen
            seen |= hit
        if hit:
            out.append(node)
            if not every:
                break
    return out

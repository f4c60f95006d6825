"""The statements of a page without its content: META elements and elements with statements, and nothing else.

The laws of this module:

1. Whoever asks, the skeleton is decided like the page: outcome, restrictions, kind of reason, number of excluded
   elements. Lines, columns and locators of what is cited are the skeleton's own.
2. No text, no id and no other attribute stays. A statement stays as written, as it is the evidence, a licence in the
   page too; META elements that seem to address a crawler but may be about the content (`dc.description`) keep only the
   words that count.
3. Of a page that could not be read whole, the skeleton prohibits what the page does, however it is stored.
4. The skeleton of a skeleton is itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any

from acap import _native
from acap.dialects.rsl.document import NAMESPACE as RSL
from acap.dialects.tdmrep import RESERVATION, reserves
from acap.pages.elements import Region
from acap.pages.html import Meta, PageTree
from acap.pages.signals import POLICY, is_reservation, odd_policy
from acap.pages.statements import MAX_KINDS, NOSNIPPET, PageCarriers
from acap.pages.words import plain
from acap.pages.xhtml import NAMESPACE

HEADERS = frozenset({"x-robots-tag", "content-type"})
"""The headers that decide: by the media type a word about images may be about the resource itself."""

# Elements that the HTML standard puts where they are written, whatever stands around them.
_ORDINARY = frozenset(
    {
        "abbr", "address", "article", "aside", "bdi", "bdo", "blockquote", "cite", "data", "del", "details", "dfn",
        "div", "dl", "fieldset", "figcaption", "figure", "footer", "header", "hgroup", "ins", "kbd", "label", "main",
        "mark", "menu", "nav", "ol", "output", "q", "samp", "search", "section", "span", "sub", "summary", "sup",
        "time", "ul", "var",
    }
)  # fmt: skip
_OTHER = "div"
"""The name for all other elements: those that the standard moves, closes or fills with text only."""

# More kinds of statements than are weighed, so that everything is prohibited, without a mark that only this package
# would know. Later versions may weigh some more.
_MANY = " ".join(f"the-acap:allow-(unread-{number})" for number in range(4 * MAX_KINDS))
_REFUSED = (
    f'<rsl xmlns="{RSL}"><content url=""><license><prohibits type="usage">all</prohibits></license></content></rsl>'
)
"""A licence in the place of one that cannot be written."""
_DOUBT = f'<!-- the page could not be read whole: this prohibits everything -->\n<div class="{_MANY}"></div>\n'


def skeleton(carried: PageCarriers, *, doubtful: bool = False) -> str:
    """The skeleton of a page as text; with `doubtful`, or where the page is doubted, one that prohibits everything."""
    if doubtful or is_doubted(carried):
        body = _DOUBT
    elif carried.is_read_twice:
        return _of_xml(carried)
    else:
        regions = carried.applicable("generic", (), None).regions
        body = "" if regions is None else "".join(_elements(carried, regions.list))
    head = "".join((*metas(carried), *_licences(carried, whole=True)))
    body = "".join((*_licences(carried, whole=False), body))
    # Upper case is right in XML too: a document whose root is not XHTML's is read as HTML only, whatever its type.
    return f"<!DOCTYPE html>\n<html><head>\n{head}</head><body>\n{body}</body></html>\n"


def _of_xml(carried: PageCarriers) -> str:
    """The skeleton of a page that XML and HTML read differently, or that is ill-formed: again such a page."""
    document = carried.document
    lifts = document is not None and document.lifts
    alone = "".join(metas(carried, lifts=False)) if lifts else ""
    # HTML reads the content of these tags as a script, XML does not.
    alone = alone and f"<script/>\n{alone}<script></script>\n"
    words = dict.fromkeys(token for _, token in carried.tokens)
    hides = any(carrier.nosnippet for carrier in carried.carriers)
    attributes = f' class="{_escaped(" ".join(words))}"' if words else ""
    attributes += f' {NOSNIPPET}=""' if hides else ""
    # XML ends the element at once, HTML continues in it.
    body = f"<div{attributes}/>*\n" if attributes else ""
    return (
        f'<?xml version="1.0"?>\n<!DOCTYPE html>\n<html xmlns="{NAMESPACE}"><head>\n'
        f"{''.join(metas(carried, lifts=True if lifts else None))}{''.join(_licences(carried, whole=True))}{alone}"
        f"</head><body>\n{''.join(_licences(carried, whole=False))}{body}</body>\n" + ("</html>\n" if lifts else "")
    )


def is_doubted(carried: PageCarriers) -> bool:
    """Whether a page could not be read whole; limits are only met when its elements and tags are read."""
    carried.applicable("generic", (), None)
    return bool(carried.doubts)


def metas(carried: PageCarriers, *, lifts: bool | None = None) -> Iterator[str]:
    """META elements with statements, in the order of the page, each once; those that lift, or do not, alone."""
    says = {tag.place for tag in carried.page_tags.tags}
    end = "/>" if carried.is_read_twice else ">"
    written = {} if carried.document is None else {meta.place: meta for meta in carried.document.metas}
    kept: set[int] = set()
    counting: dict[int, list[str]] = {}
    marked: set[int] = set()
    for number, meta in enumerate(carried.acap):
        # Even without a statement it names a crawler, or a version.
        if number in says or _is_for_all(meta) or _native.read_tags([meta.content], [])[0] is not None:
            kept.add(meta.place)
        marked.add(meta.place)
    for word, _, of in carried.words:
        if of is not None:
            counting.setdefault(of.place, []).extend([word.text] if word.rules else [])
            if _is_for_all(of):
                kept.add(of.place)
    reserving = {
        place: mining_words for place, meta in written.items() if (mining_words := _of_mining(meta, carried.document))
    }
    seen: set[tuple[str, str]] = set()
    for place in sorted({*marked, *counting, *reserving}):
        meta = written[place]
        parts = [*counting.get(place, ()), *(["ACAP"] if place in marked else ())]
        content = meta.content if place in kept else ", ".join(parts)
        mining = reserving.get(place, "")
        is_near = bool(mining) and meta.name.lower() not in (RESERVATION, POLICY)
        # A name that is almost that of a reservation may be cut to what can name a crawler.
        pairs = [(_name(meta), content), (RESERVATION, mining)] if is_near else [(_name(meta), content or mining)]
        for name, content in pairs if lifts in (None, meta.lifts) else ():
            if name and content and (name, content) not in seen:
                seen.add((name, content))
                yield f'<meta name="{_escaped(name)}" content="{_escaped(content)}"{end}\n'


def _of_mining(meta: Meta, document: PageTree | None) -> str:
    """What a META element says of mining, without words that say nothing: all are in the head of a skeleton."""
    name = meta.name.lower()
    if is_reservation(name, meta.content) and reserves(meta.content):
        return "1"
    if document is None or not document.is_in_head(meta):
        return ""
    if name == RESERVATION and reserves(meta.content) is False:
        return "0"
    if name == POLICY and (content := meta.content.strip()):
        return "#" if odd_policy(content, "https://example.com/") else content
    return ""


def _licences(carried: PageCarriers, *, whole: bool) -> Iterator[str]:
    """LINK and SCRIPT elements of licences, each once: those about the page as a whole, or the others."""
    end = "/>" if carried.is_read_twice else ">"
    references = () if carried.document is None else carried.document.licence_references()
    for target, text in dict.fromkeys(
        (one.absolute(carried.url), one.text) for one in references if one.is_whole == whole
    ):
        if text is None or carried.is_read_twice:
            # XML reads a script in another way than HTML does, so that its terms are unknown.
            href = "about:invalid" if text is not None else _escaped(target)
            yield f'<link rel="license" type="application/rsl+xml" href="{href}"{end}\n'
        else:
            # Within a comment `<script` keeps the element from ending.
            body = _REFUSED if re.search("</?script", text, re.IGNORECASE) else text
            yield f'<script type="application/rsl+xml">{body}</script>\n'


def _is_for_all(meta: Meta) -> bool:
    return meta.name.lower() == "robots"


def _name(meta: Meta) -> str:
    """The part of a META element's name that can name a crawler; only a sign if it names none, `*` if any."""
    if _is_for_all(meta):
        return meta.name
    bare = plain(meta.name)
    if bare != meta.name and re.fullmatch(r"[A-Za-z0-9._-]+|\*", bare):
        return meta.name  # words read it without invisible characters
    leading = re.match(r"[A-Za-z0-9._-]*", bare)
    name = leading[0] if leading else ""
    if not name:
        return "*" if re.match(r"\*(?:[ \t\v\f]|$)", meta.name) else "#"
    # With more after it `robots` is a name that permits nothing.
    return f"{name} *" if name != meta.name else name


def _elements(carried: PageCarriers, regions: list[Region]) -> Iterator[str]:
    """Elements with statements, nested as they are."""
    attributes = tokens_of(carried)
    open_: list[tuple[Region, str]] = []
    for region in regions:
        while open_ and open_[-1][0] is not region.parent:
            yield f"</{open_.pop()[1]}>\n"
        tag = region.carrier.node.tag or ""
        name = tag if tag in _ORDINARY else _OTHER
        yield f"<{name}{attributes.get(region.number, '')}>"
        open_.append((region, name))
    # The end of the page closes open elements: end tags would double the cost of building a deep tree.
    yield "\n"


def in_templates(carried: PageCarriers) -> dict[int, str]:
    """The statements of elements in templates, and of templates: empty templates, by their nodes."""
    regions = carried.applicable("generic", (), None).regions
    document = carried.document
    if regions is None or document is None:
        return {}
    around: dict[int, list[Region]] = {}
    own: dict[int, Region] = {}
    hosts: dict[int, int | None] = {}
    for region in regions.list:
        node: Any = region.carrier.node
        if node.tag == "template":
            own[node.mem_id] = region
        host = _outermost(document, node, hosts) if document.has_templates else None
        if host is not None and host != node.mem_id:
            around.setdefault(host, []).append(region)
    tokens = tokens_of(carried)
    templates: dict[int, str] = {}
    for number in {*around, *own}:
        attributes = tokens.get(own[number].number, "") if number in own else ""
        inside = "".join(_elements(carried, around.get(number, [])))
        templates[number] = f"<template{attributes}>{inside}</template>"
    return templates


def _outermost(document: PageTree, node: Any, hosts: dict[int, int | None]) -> int | None:
    """The outermost template around a node, or the node; `hosts` are those of nodes that were met."""
    path: list[Any] = []
    while node is not None and node.mem_id not in hosts:
        path.append(node)
        node = document.parent_of(node)
    host = None if node is None else hosts[node.mem_id]
    for each in reversed(path):
        if host is None and each.tag == "template":
            host = each.mem_id
        hosts[each.mem_id] = host
    return host


def tokens_of(carried: PageCarriers) -> dict[int, str]:
    """The attributes of elements that are statements, as they are written in a tag, by the number of the carrier."""
    tokens: dict[int, dict[str, None]] = {}
    for statement in carried.page_tags.tokens:
        place, token = carried.tokens[statement.place - len(carried.acap)]
        tokens.setdefault(place, {})[token] = None
    found = {number: f' class="{_escaped(" ".join(words))}"' for number, words in tokens.items()}
    for number, carrier in enumerate(carried.carriers):
        if carrier.nosnippet:
            found[number] = f"{found.get(number, '')} {NOSNIPPET}"
    return found


def _escaped(value: str) -> str:
    # A parser takes a bare carriage return for a line feed.
    return escape(value).replace("\r", "&#13;")

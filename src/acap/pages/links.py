"""The links of a page, each with the decision on following it (G 4.1; P2 2.2.5; `rel` of HTML).

The target of a link needs its own decision on crawling (G 2.4.1), which is up to the target's site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from acap._native import Decision, Statement, resolve
from acap.pages.asking import Asking
from acap.pages.elements import Region
from acap.pages.html import PageTree

if TYPE_CHECKING:  # of the extra `pages`
    from selectolax.lexbor import LexborNode

REFUSING = ("nofollow", "ugc", "sponsored")
"""Words of `rel` by which a publisher does not vouch for a link. Some crawlers take them for hints; we refuse."""

# The URL standard removes these from references, wherever they stand.
_DROPPED = {ord(letter): None for letter in "\t\n\r"}

_LINKS = "a[href], area[href], frame[src], iframe[src]"
_TARGETS = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}


@dataclass(frozen=True, slots=True)
class Link:
    """A link: where it leads; the tag and `rel` of its element; and whether it may be followed.

    `hint`: nothing refuses but `rel`, which some crawlers take for a hint only.
    """

    url: str
    tag: str
    rel: tuple[str, ...]
    decision: Decision
    hint: bool
    _locate: partial[str]

    @property
    def element(self) -> str:
        """Where the element is."""
        return self._locate()


class Targets(NamedTuple):
    """Where the links of a page lead, each URL once: those that may be followed, and how many may not.

    `named` are those that may not, each with what refuses it.
    """

    permitted: list[str]
    refused: int
    named: list[tuple[str, str]]


def links(asking: Asking) -> tuple[Link, ...]:
    """The links that lead to http and https, in the order of the page."""
    document = asking.carried.document
    if document is None:
        return ()
    return tuple(
        Link(url, node.tag or "", rel, decision, hint, partial(document.locator, node))
        for url, node, rel, (decision, hint) in _each_link(asking)
    )


def targets(asking: Asking) -> Targets:
    """Where the links lead. A URL may be followed if one of the links to it may be."""
    permitted: dict[str, None] = {}
    refused: dict[str, str] = {}
    if asking.regions is None:
        _of_whole(asking, permitted, refused)
    else:
        for url, _, _, (decision, _) in _each_link(asking):
            if decision.outcome == "permitted":
                permitted[url] = None
            elif url not in refused:
                cited = decision.reason.decided_by
                refused[url] = cited[0].text if cited else decision.reason.kind
    named = [(url, why) for url, why in refused.items() if url not in permitted]
    return Targets(list(permitted), len(named), named)


def _of_whole(asking: Asking, permitted: dict[str, None], refused: dict[str, str]) -> None:
    """The targets of a page without element statements: one decision for all, except where `rel` refuses."""
    document = asking.carried.document
    if document is None:
        return
    base = _base(document, asking.carried.url)
    permits = asking.decide_on(None, "follow").outcome == "permitted"
    for node in document.parser.css(_LINKS):
        attributes = node.attributes
        url = _resolve(base, _target(node.tag or "", attributes))
        if url is None:
            continue
        rel = attributes.get("rel")
        if permits and not (rel and any(word in REFUSING for word in _BETWEEN.split(rel.lower()))):
            permitted[url] = None
        else:
            refused.setdefault(url, rel or "")


def refused_by_rel(document: PageTree | None, url: str | None) -> tuple[str, frozenset[tuple[str, bool]]] | None:
    """Which links `rel` refuses, and the base of all, whatever else the page says; None if it has no links.

    A URL that is refused once stands with every way in which it is linked.
    """
    if document is None:
        return None
    base = _base(document, url)
    refused: set[tuple[str, bool]] = set()
    for node in document.parser.css(_LINKS):
        attributes = node.attributes
        target = _resolve(base, _target(node.tag or "", attributes))
        if target is not None:
            words = _BETWEEN.split((attributes.get("rel") or "").lower())
            refused.add((target, any(word in REFUSING for word in words)))
    return (base, frozenset(one for one in refused if (one[0], True) in refused)) if refused else None


def _each_link(asking: Asking) -> Iterator[tuple[str, LexborNode, tuple[str, ...], tuple[Decision, bool]]]:
    """Each link: its URL, element, words of `rel`, and the decision, with whether nothing but `rel` refuses."""
    document = asking.carried.document
    if document is None:
        return
    base = _base(document, asking.carried.url)
    regions = asking.regions
    decided: dict[tuple[Region | None, tuple[str, ...]], tuple[Decision, bool]] = {}
    for node in document.parser.css(_LINKS):
        attributes = node.attributes
        url = _resolve(base, _target(node.tag or "", attributes))
        if url is None:
            continue
        written = attributes.get("rel")
        rel = tuple(word for word in _BETWEEN.split(written.lower()) if word) if written else ()
        refusing = tuple(word for word in REFUSING if word in rel) if rel else ()
        key = (None if regions is None else regions.around(node), refusing)
        if key not in decided:
            decided[key] = _decide(asking, *key)
        yield url, node, rel, decided[key]


def _decide(asking: Asking, region: Region | None, refusing: tuple[str, ...]) -> tuple[Decision, bool]:
    plain = asking.decide_on(region, "follow")
    if not refusing:
        return plain, False
    statements = [
        Statement(
            dialect="rel", usage="follow", outcome="prohibited", part="element", source=asking.carried.source, text=word
        )
        for word in refusing
    ]
    return asking.decide_on(region, "follow", statements), plain.permitted


def _base(document: Any, url: str | None) -> str:
    found = document.parser.css_first("base[href]")
    own = "" if found is None else (found.attributes.get("href") or "")
    return _join(url or "", own) or url or ""


def _resolve(base: str, target: str) -> str | None:
    url = _join(base, target)
    if url is None:
        return None
    return url if url.lower().startswith(("http://", "https://")) or (url and not base and _is_path(url)) else None


def _target(tag: str, attributes: Mapping[str, str | None]) -> str:
    # Links of SVG may have the attribute of XLink alone.
    return attributes.get(_TARGETS.get(tag, "href")) or attributes.get("xlink:href") or ""


def _is_path(url: str) -> bool:
    return not re.match("[a-zA-Z][a-zA-Z0-9+.-]*:", url)


def _join(base: str, target: str) -> str | None:
    """The absolute URL of a reference; as written if the base is unknown, None if it is no URL."""
    if not base:
        return _written(target)
    try:
        return resolve(base, target)
    except UnicodeError:  # a surrogate
        return None


def _written(target: str) -> str:
    """The reference without what browsers drop, and with the slashes that they see."""
    target = target.strip().translate(_DROPPED)
    if "\\" not in target:
        return target
    path, mark, rest = re.match(r"([^?#]*)([?#]?)(.*)", target, re.DOTALL).groups()  # type: ignore[union-attr]  # it matches any text
    return path.replace("\\", "/") + mark + rest


_BETWEEN = re.compile(r"[\s,]+")

"""The tree of a page, as browsers build it, and what in it carries statements.

META elements count wherever the tree has them, in `noscript` and in the body too; what stands in comments, scripts,
templates, titles and text areas is text and no element. Everything beyond META is looked for when someone asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from acap import _native

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_CHARACTERS = 32 * 1024 * 1024
"""So much of a page is read; browsers' own limits lie far above any page that people read. What is beyond is not used,
and because it may prohibit, everything is (our choice)."""

MAX_TAGS = 1_000
"""So many different META statements are weighed; pages have a handful. With more of them everything is prohibited."""

MAX_ELEMENTS = 20_000
"""So many elements with statements are told apart; with more of them everything is prohibited."""

MAX_STEPS = 300_000_000
"""So much searching may building the tree cost, about a second. Real pages need a thousandth of it."""

MAX_COPIES = 500_000
"""So many elements may the HTML standard's repair of misnested markup add; each takes some 500 octets."""


_DOCTYPE = re.compile(
    r"""(?:\s|<!--(?:-?>|.*?--!?>)|<[?].*?>)*+<!doctype\s+html\s*
    (?:(?:public\s*["'](?P<public>[^"'>]*)["']\s*)?(?:(?:system\s*)?["'](?P<system>[^"'>]*)["']\s*)?)?>""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


SPACE = re.compile(r"[ \t\n\f\r]+")
"""HTML's white space, which divides the tokens of a class attribute."""


class Meta(NamedTuple):
    """A META element with a name and a content, and its place among those."""

    name: str
    content: str
    place: int
    node: LexborNode


class Carrier(NamedTuple):
    """An element that carries statements: its tokens of ACAP, and whether it has `data-nosnippet`."""

    node: LexborNode
    tokens: tuple[str, ...]
    nosnippet: bool

    @property
    def written(self) -> tuple[str, str, str]:
        """Tag and values, by which it is found again in the text."""
        attributes = self.node.attributes
        return self.node.tag or "", attributes.get("class") or "", "data-nosnippet" if self.nosnippet else ""


class EntangledError(Exception):
    """The tree would cost too much."""


@cache
def _parser() -> type[LexborHTMLParser]:
    # Who has headers alone needs no parser.
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ModuleNotFoundError as error:
        raise ImportError("reading pages needs selectolax; install it with: pip install 'acap[pages]'") from error
    return LexborHTMLParser


class Document:
    """A page's tree.

    Raises:
        EntangledError: building the tree would take more time or memory than any page that people read.
        ImportError: the extra `pages` is not installed.
    """

    __slots__ = ("_mentioned", "_nosnippet", "_nth", "_tokens", "metas", "parser", "text")

    def __init__(self, text: str) -> None:
        try:
            survey = _native.survey(text)
        except UnicodeEncodeError:
            # Lone surrogates have no octets.
            text = text.encode("utf-8", "replace").decode("utf-8")
            survey = _native.survey(text)
        self._mentioned, self._tokens, self._nosnippet, simple = survey
        if not simple:
            steps, copies, _ = _native.tree_cost(text)
            if steps > MAX_STEPS or copies > MAX_COPIES:
                raise EntangledError
        self.text = text
        self.parser = _parser()(text)
        self.metas = tuple(self._metas())
        self._nth: dict[int, int] = {}

    def _metas(self) -> Iterator[Meta]:
        # The head has them all, unless the text has more.
        head = self.parser.head
        nodes = [] if head is None else head.css("meta")
        if len(nodes) < self._mentioned:
            nodes = self.parser.css("meta")
        for place, node in enumerate(nodes):
            attributes = node.attributes
            name, content = attributes.get("name"), attributes.get("content")
            if name and content:
                yield Meta(name.strip(), content, place, node)

    @property
    def quirks(self) -> bool:
        """Whether ids and classes compare without case, as in pages without a doctype of today (HTML 13.2.6.4.1)."""
        found = _DOCTYPE.match(self.text)
        if found is None:
            return True
        public, system = (found["public"] or "").lower(), found["system"]
        known = public.startswith(("-//w3c//dtd xhtml 1", "-//w3c//dtd html 4.01//"))
        limited = public.startswith(("-//w3c//dtd html 4.01 transitional//", "-//w3c//dtd html 4.01 frameset//"))
        return bool(public) and not known and not (limited and system is not None)

    @property
    def root(self) -> LexborNode | None:
        """The `html` element."""
        return self.parser.root

    def carriers(self) -> list[Carrier]:
        """Elements with ACAP tokens or `data-nosnippet`, in the order of the page; one more than the limit at most."""
        selectors = (('[class*="acap:" i], [class*="isallow" i]', self._tokens), ("[data-nosnippet]", self._nosnippet))
        asked = ", ".join(selector for selector, mentioned in selectors if mentioned)
        out: list[Carrier] = []
        last = None
        for node in self.parser.css(asked) if asked else ():
            # What both selectors match comes twice.
            if node.mem_id == last:
                continue
            last = node.mem_id
            attributes = node.attributes
            own = tuple(word for word in SPACE.split(attributes.get("class") or "") if _native.is_token(word))
            hides = "data-nosnippet" in attributes
            if own or hides:
                out.append(Carrier(node, own, hides))
                if len(out) > MAX_ELEMENTS:
                    break
        return out

    def locator(self, node: LexborNode) -> str:
        """Where an element is: `tag#id`, or its place among its kind in its parent, up to one that has an id."""
        steps: list[str] = []
        at: Any = node
        while at is not None and at.is_element_node:
            tag, own = at.tag, at.attributes.get("id")
            if own:
                plain = own.replace("-", "").replace("_", "").isalnum()
                steps.append(f"{tag}#{own}" if plain else f'{tag}[id="{own}"]')
                break
            # There is one of each of these.
            unique = tag in ("html", "body", "head")
            steps.append(tag if unique else f"{tag}:nth-of-type({self._place(at)})")
            if len(steps) >= _DEEPEST:
                steps.append("…")
                break
            at = at.parent
        return " > ".join(reversed(steps))

    def _place(self, node: LexborNode) -> int:
        """The place of an element among its siblings of the same tag, from 1."""
        if node.mem_id not in self._nth:
            counts: dict[str, int] = {}
            parent: Any = node.parent
            sibling = parent.child if parent is not None else node
            while sibling is not None:
                if sibling.is_element_node:
                    tag = sibling.tag or ""
                    counts[tag] = counts.get(tag, 0) + 1
                    self._nth[sibling.mem_id] = counts[tag]
                sibling = sibling.next
        return self._nth[node.mem_id]


_DEEPEST = 32
"""A locator has so many steps; a tree may have many more."""

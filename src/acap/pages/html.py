"""The tree of a page, as browsers build it, and the elements in it that carry statements.

META elements count wherever the tree has them, in `noscript` and in the body too; the content of comments, scripts,
templates, titles and text areas is text without elements. Everything beyond META is searched for on demand.
The tree and the elements that it gives are one module, for they share the limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin

from acap import _native

if TYPE_CHECKING:  # of the extra `pages`
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_CHARACTERS = 32 * 1024 * 1024
"""Most characters read of a page; browsers' own limits lie far above any page that people read. The rest is not used,
and because it may prohibit, everything is prohibited (our choice)."""

MAX_TAGS = 1_000
"""Most different META statements weighed per page; pages have a handful. Beyond that everything is prohibited."""

MAX_ELEMENTS = 20_000
"""At most this many elements with statements. Beyond that everything is prohibited."""

MAX_STEPS = 300_000_000
"""Most search steps for building the tree, about a second. Real pages need a thousandth of it."""

MAX_COPIES = 500_000
"""Most elements that the HTML standard's repair of misnested markup may add; each takes some 500 octets."""


_DOCTYPE = re.compile(
    r"""(?:\s|<!--(?:-?>|.*?--!?>)|<[?].*?>)*+<!doctype\s+html\s*
    (?:(?:public\s*["'](?P<public>[^"'>]*)["']\s*)?(?:(?:system\s*)?["'](?P<system>[^"'>]*)["']\s*)?)?>""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


SPACE = re.compile(r"[ \t\n\f\r]+")
"""HTML's white space, which divides the tokens of a class attribute."""


class Meta(NamedTuple):
    """A META element with a name and a content, and its place among those.

    `node` is none where the tree was not asked: of a plain head (`PageTree`).
    """

    name: str
    content: str
    place: int
    node: LexborNode | None
    lifts: bool = True


QUOTES = "\"'\u00ab\u00bb\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f"
"""Quotation marks. HTML knows two of them; what stands in others is several attributes.

They are those of `is_quote` in `rust/markup/src/metas.rs`.
"""

_QUOTE = re.compile(f"[{QUOTES}]")
_MARKED = re.compile(r"content\s*=\s*(?=acap)", re.IGNORECASE)


def stated(attributes: Mapping[str, str | None]) -> tuple[str, str]:
    """The name and content of a META element, either of which may be empty.

    `content=“ACAP disallow-index”` is a content `“ACAP` and an attribute `disallow-index”` to HTML. The content of a
    tag of ACAP is put together again, a quotation mark before it, so that it prohibits and never permits (G 5.10,
    G 5.11). A name with a quotation mark within is none, and then everybody is meant.

    `is_odd` in `rust/markup/src/metas.rs` asks whether anything may be changed here.
    """
    name, content = attributes.get("name") or "", attributes.get("content") or ""
    in_name = _QUOTE.search(name) is not None
    if not in_name and (len(attributes) == 2 or _QUOTE.match(content.lstrip()) is None):
        return name, content
    written = " ".join(
        f"{key}={value}" if value else key for key, value in attributes.items() if in_name or key != "name"
    )
    match = _MARKED.search(plain := _QUOTE.sub(" ", written))
    whole = "" if match is None else f"\u201c{plain[match.end() :].rstrip()}"
    if _native.is_tag(whole) is not False:
        return name, content
    name = name.strip(f"{QUOTES} \t\n\f\r")
    return (name if name and _QUOTE.search(name) is None else "robots"), whole


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


class LicenceReference(NamedTuple):
    """A LINK to a licence of RSL, a SCRIPT that names one, or one with its text.

    `base` is the URL of the page's BASE element, if any.

    `is_whole`: it is about the page as a whole, for it is in the head.
    """

    target: str
    text: str | None
    is_whole: bool
    base: str

    def absolute(self, page: str | None) -> str:
        """The target as the BASE element has it; as written where there is none, or one that is no URL."""
        try:
            return urljoin(urljoin(page or "", self.base), self.target) if self.base else self.target
        except ValueError:
            return self.target


Remark = tuple[str, int, int, tuple[str, ...]]
"""A problem of a page as a whole: a code of the catalogue, line and column, and its words."""


class Survey(NamedTuple):
    """What the text of a page may hold, seen before its tree is built.

    `metas` is the most META elements. `acap` says that a class attribute may have a token of ACAP's, `acap_in_metas`
    that one may only if some `<meta` is no element. `simple` says that the tree is sure to cost little.
    """

    metas: int
    acap: bool
    acap_in_metas: bool
    nosnippet: bool
    templates: bool
    licences: bool
    simple: bool


def surveyed(text: str) -> Survey:
    """What the text of a page may hold.

    Raises:
        UnicodeEncodeError: it has lone surrogates.
    """
    return Survey(*_native.survey(text))


_HEAD = 4
"""The beginning of a text is looked at alone if it is at most this part of it."""

_META = re.compile("<meta", re.IGNORECASE)


def _plain(text: str, survey: Survey) -> list[tuple[str, str, int]] | None:
    """Name, content and place of the META elements of a plain head that has all of them; None of another one."""
    _parser()  # a page is read with the extra or not at all, however plain it is
    return _native.plain_metas(text, survey.metas) if survey.simple else None


def _beginning(text: str, survey: Survey) -> str | None:
    """A text up to the tag behind its last `<meta`; None if that is not worth while."""
    last = 0
    if survey.metas:
        match = next(islice(_META.finditer(text), survey.metas - 1, None), None)
        last = len(text) if match is None else text.find("<", match.end())
    return text[:last] if 0 <= last * _HEAD <= len(text) else None


def _in_head(parser: LexborHTMLParser) -> list[LexborNode]:
    """The META elements that are children of the head."""
    head = parser.head
    return [] if head is None else [node for node in head.iter() if node.tag == "meta"]


def _metas(elements: Iterable[tuple[str, str, LexborNode | None]]) -> Iterator[Meta]:
    """Those of META elements that have a name and a content."""
    for place, (name, content, node) in enumerate(elements):
        if name and content:
            yield Meta(name.strip(), content, place, node)


def _once(nodes: Iterable[LexborNode]) -> Iterator[LexborNode]:
    """Elements, each once, although several selectors may match it."""
    last = None
    for node in nodes:
        if node.mem_id != last:
            yield node
        last = node.mem_id


_WITHOUT_EVENTS = 1
"""`LexborDocumentOptions.WO_EVENTS`."""


class EntangledError(Exception):
    """The tree would cost too much."""


@cache
def _parser() -> type[LexborHTMLParser]:
    # Callers with headers only need no parser.
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ModuleNotFoundError as error:
        raise ImportError("reading pages needs selectolax; install it with: pip install 'acap[pages]'") from error
    return LexborHTMLParser


class PageTree:
    """A page's tree, built when more is asked for than its META elements, if these are all in the head.

    A text that is cut behind its last `<meta` has the same META elements in its head as the whole text, if they are as
    many as the whole text may have at all: what follows adds none, and nothing is taken out of a head or moved in it
    (HTML 13.2.6). So the first part of a simple text tells them, and where its head is written plainly the core does,
    without a tree.

    Raises:
        EntangledError: building the tree would take more time or memory than any page that people read.
        ImportError: the extra `pages` is not installed.
    """

    __slots__ = (
        "_begins", "_hosts", "_nodes", "_nth", "_survey", "_tokens", "_tree", "_written", "divided", "lifts", "metas",
        "remarks", "text",
    )  # fmt: skip

    lifts: bool
    """Whether permissions of it count; in doubt they do not."""

    divided: bool
    """Whether the content of its elements is certain. If not, a statement of an element counts for the whole page."""

    remarks: tuple[Remark, ...]

    def __init__(self, text: str, *, doubtful: bool = False) -> None:
        try:
            survey = surveyed(text)
        except UnicodeEncodeError:
            # Lone surrogates have no octets.
            text = text.encode("utf-8", "replace").decode("utf-8")
            survey = surveyed(text)
        if not survey.simple:
            steps, copies, _ = _native.tree_cost(text)
            if steps > MAX_STEPS or copies > MAX_COPIES:
                raise EntangledError
        self.text = text
        self._survey = survey
        self._written = text
        self._tree: list[LexborHTMLParser] = []
        self._nodes: list[LexborNode] | None = None
        plain = _plain(text, survey)
        self._begins = () if plain is None else tuple([at for _, _, at in plain])
        if plain is not None:
            self.metas = tuple(_metas((name, content, None) for name, content, _ in plain))
            count = len(plain)
        else:
            begun = _beginning(text, survey) if survey.simple else None
            nodes = [] if begun is None else _in_head(_parser()(begun, options=_WITHOUT_EVENTS))
            if begun is None or len(nodes) < survey.metas:
                nodes = self._meta_nodes()
            self.metas = tuple(_metas((*stated(node.attributes), node) for node in nodes))
            count = len(nodes)
        # A page whose META elements prohibit an index has no token for that: its elements need no search.
        self._tokens = survey.acap or (survey.acap_in_metas and count < survey.metas)
        self._nth: dict[int, int] = {}
        self._hosts: dict[int, LexborNode] | None = None
        self.lifts = self.divided = not doubtful
        self.remarks = ()

    @property
    def parser(self) -> LexborHTMLParser:
        """The tree of the whole text."""
        if not self._tree:
            # Nothing of a simple text is mirrored into `selectedcontent`, and nothing else happens beside parsing.
            self._tree.append(_parser()(self._written, options=_WITHOUT_EVENTS if self._survey.simple else 0))
        return self._tree[0]  # whichever thread built it first

    def _meta_nodes(self) -> list[LexborNode]:
        # The children of the head are all of them, unless the text has more. A search would take longer.
        nodes = _in_head(self.parser)
        return nodes if len(nodes) >= self._survey.metas else self.parser.css("meta")

    def node_of(self, meta: Meta) -> LexborNode | None:
        """That of a META element in the tree of the whole text."""
        if self._nodes is None:
            # The walk goes through all of them, and any number may be asked for.
            self._nodes = self._meta_nodes()
        return self._nodes[meta.place]

    @property
    def has_metas_alone(self) -> bool:
        """Whether nothing in it can say something but META elements, and they say it with certainty."""
        survey = self._survey
        return self.lifts and self.divided and not (self._tokens or survey.nosnippet or survey.licences)

    @property
    def text_as_written(self) -> str | None:
        """The text of the tree, where the markup alone tells it; no tree is built for that."""
        return _native.text_as_written(self._written) if self._survey.simple else None

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
        selectors = (
            ('[class*="acap:" i], [class*="acapa:" i], [class*="isallow" i], [class*="allow-" i]', self._tokens),
            ("[data-nosnippet]", self._survey.nosnippet),
        )
        asked = ", ".join(selector for selector, mentioned in selectors if mentioned)
        out: list[Carrier] = []
        for node in self._matching(asked) if asked else ():
            attributes = node.attributes
            own = tuple(_native.class_tokens(attributes.get("class") or ""))
            hides = "data-nosnippet" in attributes
            if own or hides:
                out.append(Carrier(node, own, hides))
                if len(out) > MAX_ELEMENTS:
                    break
        return out

    def _matching(self, selector: str) -> Iterator[LexborNode]:
        """Elements in the order of the page, those in templates too, declarative shadow roots among them."""
        if not self._survey.templates:
            yield from _once(self.parser.css(selector))
            return
        self._hosts = {}
        contents = self._contents(self.parser)
        open_ = [_once(self.parser.css(f"{selector}, template"))]
        while open_:
            node = next(open_[-1], None)
            if node is None:
                open_.pop()
                continue
            if node.tag != "template" or node.css_matches(selector):
                yield node
            if (content := contents.get(node.mem_id)) is not None:
                contents |= self._contents(content)
                open_.append(_once(content.css(f"{selector}, template")))

    def _contents(self, around: Any) -> dict[int, Any]:
        """The content of each template, by the number of its element."""
        contents: dict[int, Any] = {}
        for content in around.template_fragments():
            contents[content.parent.mem_id] = content
            if self._hosts is not None:
                self._hosts[content.mem_id] = content.parent
        return contents

    def nodes(self) -> Iterator[tuple[LexborNode, bool]]:
        """Every node in order, at its beginning, and elements at their end; what templates contain too."""
        if self.root is None:
            return
        contents = self._contents(self.parser)
        open_: list[tuple[LexborNode | None, LexborNode | None]] = [(None, self.root)]  # an element; what follows in it
        while open_:
            around, node = open_.pop()
            if node is None:
                if around is not None:
                    yield around, False
                continue
            open_.append((around, node.next if around is not None else None))
            yield node, True
            if node.is_element_node:
                content = contents.get(node.mem_id)
                contents |= self._contents(content) if content is not None else {}
                inside = node if content is None else content
                open_.append((node, inside.first_child))

    @property
    def has_templates(self) -> bool:
        """Whether templates were met on the way to elements with statements."""
        return bool(self._hosts)

    def parent_of(self, node: Any) -> Any:
        """The element around a node; around what a template contains, the template."""
        parent = node.parent
        if parent is None or parent.is_element_node or not self._hosts:
            return parent
        return self._hosts.get(parent.mem_id, parent)

    def licence_references(self) -> list[LicenceReference]:
        """The LINK elements that are licences of RSL, and the scripts; one more than the limit at most.

        A script that names its document, of which no clause speaks, is as a link; what it also holds counts too.
        """
        if not self._survey.licences:
            return []
        selector = 'link[rel~="license" i][type*="application/rsl+xml" i], script[type*="application/rsl+xml" i]'
        based = self.parser.css_first("base[href]")
        base = "" if based is None else (based.attributes.get("href") or "").strip()

        def own() -> Iterator[LicenceReference]:
            for node in self.parser.css(selector):
                if not (node.attributes.get("type") or "").strip("\t\n\f\r ").lower().startswith("application/rsl+xml"):
                    continue
                is_link, is_whole = node.tag == "link", _is_in_head(node)
                named = node.attributes.get("href" if is_link else "src") or ""
                if is_link or named.strip():
                    yield LicenceReference(named, None, is_whole, base)
                if not is_link and (not named.strip() or node.text().strip()):
                    yield LicenceReference("script", node.text(), is_whole, "")

        return list(islice(dict.fromkeys(own()), MAX_TAGS + 1))

    def is_in_head(self, meta: Meta) -> bool:
        """Whether a META element stands in the head, where TDMRep has it."""
        return bool(self._begins) or (meta.node is not None and _is_in_head(meta.node))

    def begin_of(self, place: int) -> int | None:
        """Where in the text the tag of a META element begins, by its place; None where only a search can tell."""
        return self._begins[place] if place < len(self._begins) else None

    def licences(self) -> list[str]:
        """The targets of references to licences, `script` for one in the page itself."""
        return list(dict.fromkeys(one.target for one in self.licence_references()))

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
            # A page has one of each of these.
            unique = tag in ("html", "body", "head")
            steps.append(tag if unique else f"{tag}:nth-of-type({self._place(at)})")
            if len(steps) >= _DEEPEST:
                steps.append("…")
                break
            at = self.parent_of(at)
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


def _is_in_head(node: LexborNode) -> bool:
    parent = node.parent
    return parent is not None and parent.is_element_node and parent.tag == "head"


_DEEPEST = 32
"""Most steps of a locator; a tree may be much deeper."""

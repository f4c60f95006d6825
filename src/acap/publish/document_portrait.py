"""A document of another dialect as a tree of plain sentences: for which paths it says what, and its problems.

What is shown is what it comes to, asked for one path of each set that its patterns tell apart, and not rule by rule: of
several rules about a path each dialect has its own that wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from acap.explain import USAGES, Node, Role, visible
from acap.problems import DocumentKind
from acap.publish.compare import Change, Paths, Side
from acap.publish.crawlers import ANY
from acap.publish.documents import SECONDS, changes_from_silence, read_document
from acap.publish.problem_node import problem_node
from acap.usages import above

_SITE = "https://site.invalid"
NAMES: Mapping[DocumentKind, tuple[str, str]] = MappingProxyType(
    {
        "tdmrep": ("tdmrep.json (TDMRep)", "/.well-known/tdmrep.json"),
        "ai-txt": ("ai.txt (Spawning)", "/ai.txt"),
        "rsl": ("a licence document of RSL", "/license.xml"),
        "tdm-policy": ("a policy of TDMRep", "/policy.json"),
        "cawg": ("an assertion of CAWG", "/training-mining.json"),
    }
)
"""What a document of each kind is called, and the path at which a site has it, or may have it."""
_MOST = 100  # entries listed
_LESS = 6  # excluded sets of paths listed
_MODALS = {"permitted": "may", "conditional": "may only on terms", "prohibited": "must not"}


def document_portrait(kind: DocumentKind, octets: bytes, name: str, *, seconds: float = SECONDS) -> Node:
    """What a document that is no robots.txt, page or headers says, as far as `seconds` reach."""
    called, path = NAMES[kind]
    url = _SITE + path
    document = read_document(kind, octets, url)
    changes, is_all = changes_from_silence(document, url, seconds)
    # It refers to itself by the URL that it was given.
    parts = [*_sections([_renamed(change, url, name) for change in changes[:_MOST]])]
    if not changes:
        parts.append(Node(Role.NOTE, "it says nothing, so nothing is forbidden here"))
    if len(changes) > _MOST or not is_all:
        parts.append(Node(Role.NOTE, "it says more, of other sets of paths; ask about a path: acap test"))
    if whom := {"rsl": "some users and countries", "tdm-policy": "research"}.get(kind):
        parts.append(Node(Role.NOTE, f"so it is for anybody; for {whom} it may say otherwise"))
    if problems := document.source.problems:
        parts.append(Node(Role.SOURCE, "problems", tuple(problem_node(one, "the document") for one in problems)))
    return Node(Role.SOURCE, visible(f"{name}: {called}"), tuple(parts))


def _renamed(change: Change, url: str, name: str) -> Change:
    limits = tuple(
        f"{key}={name}" if value == url else f"{key}={value}"
        for key, _, value in (one.partition("=") for one in change.after.restrictions)
    )
    return change._replace(after=change.after._replace(restrictions=limits))


def _sections(changes: Iterable[Change]) -> Iterator[Node]:
    """A section for all that is addressed to the same crawlers."""
    sections: dict[tuple[str, ...], dict[tuple[tuple[str, ...], Side], list[Paths]]] = {}
    for change in changes:
        sections.setdefault(change.crawlers, {}).setdefault((change.usages, change.after), []).append(change.paths)
    for crawlers, statements in sections.items():
        anyone = "any crawler" if len(sections) == 1 else "any other crawler"
        whom = ", ".join(anyone if name == ANY else name for name in crawlers)
        yield Node(Role.SOURCE, visible(whom), tuple(_statement(*words, paths) for words, paths in statements.items()))


def _statement(usages: Sequence[str], side: Side, paths: Iterable[Paths]) -> Node:
    # What is said of a usage is said of those below it.
    broadest = [usage for usage in usages if not set(above(usage)) & set(usages)]
    uses = " or ".join(USAGES[usage].format("it") for usage in broadest)
    place = f"line {side.line}: " if side.line else ""
    where = "; ".join(one.text(_LESS) for one in paths)
    children = tuple(Node(Role.RESTRICTION, visible(one)) for one in side.restrictions)
    return Node(Role(side.outcome), visible(f"{place}{where}: {_MODALS[side.outcome]} {uses}"), children)

"""A document of another dialect as a tree of plain sentences: for which paths it says what, and its problems.

What is shown is what it comes to, asked for one path of each set that its patterns tell apart, and not rule by rule: of
several rules about a path each dialect has its own that wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acap.cli.io.portrait import problem_node
from acap.explain import USAGES, Node, Role, visible
from acap.problems import DocumentKind
from acap.publish.compare import Change, Paths, Side
from acap.publish.crawlers import ANY
from acap.publish.documents import read_document, said_in
from acap.usages import above

_SITE = "https://site.invalid"
_NAMES = {
    "tdmrep": ("tdmrep.json (TDMRep)", "/.well-known/tdmrep.json"),
    "ai-txt": ("ai.txt (Spawning)", "/ai.txt"),
    "rsl": ("a licence document of RSL", "/license.xml"),
}
_MOST = 100  # entries listed
_LESS = 6  # excluded sets of paths listed
_MODALS = {"permitted": "may", "conditional": "may only on terms", "prohibited": "must not"}


def document_portrait(kind: DocumentKind, octets: bytes, name: str) -> Node:
    """What a document of the kind `tdmrep`, `ai-txt` or `rsl` says."""
    called, path = _NAMES[kind]
    document = read_document(kind, octets, _SITE + path)
    changes, is_all = said_in(document, _SITE + path)
    parts = [*_sections(changes[:_MOST])]
    if not changes:
        parts.append(Node(Role.NOTE, "it says nothing, so nothing is forbidden here"))
    if len(changes) > _MOST or not is_all:
        parts.append(Node(Role.NOTE, "it says more, of other sets of paths; ask about a path: acap test"))
    if kind == "rsl":
        parts.append(Node(Role.NOTE, "so it is for anybody; for some users and countries it may say otherwise"))
    if problems := document.source.problems:
        parts.append(Node(Role.SOURCE, "problems", tuple(problem_node(one, "the document") for one in problems)))
    return Node(Role.SOURCE, visible(f"{name}: {called}"), tuple(parts))


def _sections(changes: Iterable[Change]) -> Iterator[Node]:
    """A section for all that is addressed to the same crawlers."""
    sections: dict[tuple[str, ...], dict[tuple[tuple[str, ...], Side], list[Paths]]] = {}
    for one in changes:
        sections.setdefault(one.crawlers, {}).setdefault((one.usages, one.after), []).append(one.paths)
    for crawlers, said in sections.items():
        anyone = "any crawler" if len(sections) == 1 else "any other crawler"
        whom = ", ".join(anyone if name == ANY else name for name in crawlers)
        yield Node(Role.SOURCE, visible(whom), tuple(_statement(*words, paths) for words, paths in said.items()))


def _statement(usages: Sequence[str], side: Side, paths: Iterable[Paths]) -> Node:
    # What is said of a usage is said of those below it.
    broadest = [usage for usage in usages if not set(above(usage)) & set(usages)]
    uses = " or ".join(USAGES[usage].format("it") for usage in broadest)
    place = f"line {side.line}: " if side.line else ""
    where = "; ".join(one.text(_LESS) for one in paths)
    children = tuple(Node(Role.RESTRICTION, visible(one)) for one in side.restrictions)
    return Node(Role(side.outcome), visible(f"{place}{where}: {_MODALS[side.outcome]} {uses}"), children)

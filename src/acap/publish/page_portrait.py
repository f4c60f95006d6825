"""A page as a tree of plain sentences: the crawlers it addresses, its statements, its parts, and its problems.

Each statement has its place, so that it can be found in the page. The tree is rendered as an explanation's is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from acap._native import addresses, crawler_name
from acap.carriers import Carriers
from acap.decision import Cited, Effect
from acap.explain import Node, Role, visible
from acap.pages.page import PagePolicy
from acap.plurals import plural
from acap.publish.problem_node import problem_node
from acap.publish.statement_node import statement_node
from acap.statement import Statement

# Most characters quoted of a tag: each of the many statements in one tag quotes it (our choice).
_MOST = 1_000
_SHOWN = 100

PlacedStatement = tuple[Statement, Cited]
"""A statement, and how it is cited: with its place."""


_EFFECTS: Mapping[str, Effect] = {"permitted": "permits", "conditional": "conditional", "prohibited": "prohibits"}


def placed_statements(carriers: Carriers) -> tuple[PlacedStatement, ...]:
    """Every statement of a response with its place, those of the page before those of elements."""
    out = []
    for statement in carriers.statements():
        effect = _EFFECTS[statement.outcome]
        text = _cut(statement.text, _MOST)
        where = (statement.source, statement.line, statement.column, statement.element, statement.header)
        out.append((statement, Cited(*where, text, effect, statement.usage, statement.dialect)))
    return tuple(out)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


def local_usages(page: PagePolicy) -> tuple[tuple[str, bool], ...]:
    """The usages that only the robots.txt of the page's site can define, each with whether the page permits it."""
    return tuple(page.carried.page_tags.local_names)


def page_portrait(
    carriers: Carriers, name: str, crawler: Sequence[str] = (), purposes: Sequence[str] = (), *, called: str = ""
) -> Node:
    """What the response called `name` says; with a crawler or purposes only what concerns them.

    `crawler` are the names that it asks by, and `called` is what it is called here.
    """
    page = carriers.page
    statements = [one for one in placed_statements(carriers) if _concerns(one[0], crawler, purposes)]
    own = [statement for statement in statements if statement[0].part != "element"]
    parts = [statement for statement in statements if statement[0].part == "element"]
    nodes = [*_sections(own, called if crawler else ""), *_parts(parts), *_locals(page), *_problems(carriers)]
    if not statements and carriers.unseen is not None:
        nodes.insert(0, Node(Role.NOTE, f"it is {carriers.unseen}"))
    elif not statements:
        nodes.insert(0, Node(Role.NOTE, "it has no statement about its use, so nothing is forbidden here"))
    version = f", ACAP version {page.version}" if page.version else ""
    read = f", read as {page.encoding}" if page.encoding else ""
    number = plural(len(statements), "statement")
    return Node(Role.SOURCE, visible(f"{name}: {number}{version}{read}"), tuple(nodes))


def _concerns(statement: Statement, crawler: Sequence[str], purposes: Sequence[str]) -> bool:
    if crawler and statement.crawler is not None:
        wanted = [name for name in map(crawler_name, crawler) if name]
        if not any(addresses(statement.crawler, name) for name in wanted):
            return False
    if not purposes or statement.purpose is None:
        return True
    return any(statement.purpose.lower() == purpose.lower() for purpose in purposes)


def _sections(statements: Sequence[PlacedStatement], crawler: str) -> Iterator[Node]:
    """A section for all that is addressed to the same crawler, those without purpose first."""
    sections: dict[str, list[PlacedStatement]] = {}
    written: dict[str, str] = {}
    for statement in statements:
        name = statement[0].crawler or ""
        sections.setdefault(name.lower(), []).append(statement)
        written.setdefault(name.lower(), name)
    for key in sorted(sections, key=bool):
        purposes: dict[str | None, list[Node]] = {}
        for section in sections[key]:
            purposes.setdefault(section[0].purpose, []).append(_placed_node(section))
        children = purposes.pop(None, [])
        children += [Node(Role.SOURCE, visible(f"for {name}"), tuple(nodes)) for name, nodes in purposes.items()]
        yield Node(Role.SOURCE, visible(written[key] or "any crawler"), tuple(children))
    if crawler and statements and not any(sections):
        yield Node(Role.NOTE, visible(f"no statement names {crawler}; statements for any crawler apply"))


def _placed_node(placed_statement: PlacedStatement, thing: str = "the page") -> Node:
    statement, cited = placed_statement
    return statement_node(cited, _place(cited), thing, statement.restrictions, f" ({_cut(cited.text, _SHOWN)})")


def _place(cited: Cited) -> str:
    if cited.header:
        return f"header {cited.header}"
    if cited.line is None:
        return cited.element or "the page"
    return f"line {cited.line}"


def _parts(statements: Sequence[PlacedStatement]) -> Iterator[Node]:
    """A node for each part of the page that says something of its own."""
    nodes = []
    for element, group in groupby(statements, lambda one: one[1].element):
        inner = tuple(_placed_node(one, "this part") for one in group)
        nodes.append(Node(Role.SOURCE, visible(element or "a part"), inner))
    if nodes:
        yield Node(Role.SOURCE, "parts of the page, to any crawler", tuple(nodes))


def _locals(page: PagePolicy) -> Iterator[Node]:
    names = dict.fromkeys(name for name, _ in local_usages(page))
    if names:
        sentence = "the site's robots.txt defines ({0}); this shows what applies without a definition"
        nodes = tuple(Node(Role.NOTE, visible(sentence.format(name))) for name in names)
        yield Node(Role.SOURCE, "local usages", nodes)


def _problems(carriers: Carriers) -> Iterator[Node]:
    if problems := carriers.problems:
        where = "the file" if carriers.form == "file" else "the page or a header"
        nodes = tuple(problem_node(problem, where) for problem in problems)
        yield Node(Role.SOURCE, "problems", nodes)

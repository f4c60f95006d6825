"""A statement as a line of a tree: where it is, what it permits or prohibits, and under which restrictions."""

from __future__ import annotations

from collections.abc import Iterable

from acap.decision import Cited
from acap.explain import RESTRICTIONS, USAGES, Node, Role, visible

_MODALS = {
    "permits": (Role.PERMITTED, "may", ""),
    "prohibits": (Role.PROHIBITED, "must not", ""),
    "conditional": (Role.CONDITIONAL, "may", " only as its terms say"),
}


def statement_node(
    cited: Cited, place: str, thing: str, restrictions: Iterable[tuple[str, str]], more: str = ""
) -> Node:
    """A statement as a sentence, with its restrictions below it: what it lets be done with `thing`."""
    role, verb, terms = _MODALS[cited.effect]
    words = USAGES.get(cited.usage, f"use {{0}} as “{cited.usage}”").format(thing)
    children = tuple(
        Node(Role.RESTRICTION, visible(f"{name}={value}: {RESTRICTIONS.get(name, 'under this restriction')}"))
        for name, value in restrictions
    )
    return Node(role, visible(f"{place}: {verb} {words}{terms}{more}"), children)

"""Elements with statements, each with those it inherits from the elements around it (P2 2.2.5, 2.2.8).

Of several statements of one kind on an element and around it, only the innermost can decide, so an element inherits no
more than that: the depth of nesting does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from acap._native import Statement
from acap.pages.html import Carrier, PageTree
from acap.usages import PARENTS, above

Kind = tuple[str, bool, str, tuple[tuple[str, str], ...], bool, bool]
"""The kind of a statement: dialect, whether it permits, usage, restrictions, whether it is firm, whether it lifts."""


class Own(NamedTuple):
    """The statements of an element itself."""

    dialect: str
    permits: bool
    usage: str
    restrictions: tuple[tuple[str, str], ...]
    text: str
    firm: bool = False
    lifts: bool = True

    @property
    def kind(self) -> Kind:
        return (self.dialect, self.permits, self.usage, self.restrictions, self.firm, self.lifts)


@lru_cache(maxsize=64)
def _matter(usage: str) -> frozenset[str] | None:
    """The usages whose statements matter to a usage: itself, those above, those it depends on, the remainder.

    None where that is unknown, as for a usage that only the page defines.
    """
    if usage not in PARENTS:
        return None
    return frozenset((usage, *above(usage), "crawl", "preserve", "other"))


class Region:
    """An element with statements; `number` is its carrier's, `parent` the nearest around it, `depth` their count."""

    __slots__ = ("_statements_by_kind", "carrier", "depth", "document", "number", "own", "parent", "source")

    def __init__(
        self,
        document: PageTree,
        carrier: Carrier,
        number: int,
        parent: Region | None,
        own: Sequence[Own],
        source: str,
    ) -> None:
        self.document = document
        self.source = source
        self.carrier = carrier
        self.number = number
        self.parent = parent
        self.depth: int = 1 if parent is None else parent.depth + 1
        self.own = tuple({one.kind: one for one in own}.values())
        inherited: dict[Kind, tuple[Region, Own]] = {} if parent is None else dict(parent._statements_by_kind)
        for one in self.own:
            inherited[one.kind] = (self, one)
        self._statements_by_kind: dict[Kind, tuple[Region, Own]] = inherited

    @property
    def locator(self) -> str:
        """Where the element is."""
        return self.document.locator(self.carrier.node)

    def _about(self, usage: str) -> list[tuple[Region, Own]]:
        """The statements on the element, its own or inherited, that matter to a usage."""
        matter = _matter(usage)
        return [found for kind, found in self._statements_by_kind.items() if matter is None or kind[2] in matter]

    def signature(self, usage: str) -> tuple[tuple[int, Kind], ...]:
        """The statements that decide on the element, from the outermost to the innermost."""
        about = self._about(usage)
        rank = {depth: place for place, depth in enumerate(sorted({region.depth for region, _ in about}))}
        return tuple(sorted((rank[region.depth], one.kind) for region, one in about))

    def statements(self, usage: str) -> list[Statement]:
        """The statements on the element that matter to a usage, in full."""
        return [region.statement(one) for region, one in self._about(usage)]

    def own_statements(self) -> list[Statement]:
        """The element's own statements, in full."""
        return [self.statement(one) for one in self.own]

    def statement(self, own: Own) -> Statement:
        """A statement of the element; line, column and locator are found on demand."""
        return Statement(
            dialect=own.dialect,
            usage=own.usage,
            outcome="permitted" if own.permits else "prohibited",
            part="element",
            depth=self.depth,
            firm=own.firm,
            lifts=own.lifts,
            restrictions=list(own.restrictions),
            source=self.source,
            text=own.text,
            place=("element", self.number),
        )


class Regions:
    """The regions of a page in order, the usages with statements of any, and the region of any element."""

    __slots__ = ("_document", "_of", "list", "usages")

    def __init__(
        self, document: PageTree, carriers: Iterable[Carrier], own: Mapping[int, Sequence[Own]], source: str
    ) -> None:
        self._document = document
        self.list: list[Region] = []
        # The nearest region of elements passed on the way up, so that no way is walked twice.
        self._of: dict[int, Region | None] = {}
        for place, carrier in enumerate(carriers):
            statements = own.get(place, ())
            if not statements:
                continue
            region = Region(document, carrier, place, self._above(carrier), statements, source)
            self._of[carrier.node.mem_id] = region
            self.list.append(region)
        self.usages = frozenset(one.usage for region in self.list for one in region.own)

    def _above(self, carrier: Carrier) -> Region | None:
        passed = []
        region: Region | None = None
        node = self._document.parent_of(carrier.node)
        while node is not None:
            if node.mem_id in self._of:
                region = self._of[node.mem_id]
                break
            passed.append(node.mem_id)
            node = self._document.parent_of(node)
        for mem_id in passed:
            self._of[mem_id] = region
        return region

    def matter_to(self, usage: str) -> bool:
        """Whether any of them has a statement that matters to a usage."""
        matter = _matter(usage)
        return matter is None or not matter.isdisjoint(self.usages)

    def at(self, mem_id: int) -> Region | None:
        """The region that begins with an element; None if it has no statement of its own."""
        region = self._of.get(mem_id)
        return region if region is not None and region.carrier.node.mem_id == mem_id else None

    def around(self, node: object) -> Region | None:
        """The innermost region that contains a node, or is the node."""
        passed = []
        region: Region | None = None
        at = node
        while at is not None:
            mem_id = at.mem_id  # type: ignore[attr-defined]  # nodes of selectolax have one
            if mem_id in self._of:
                region = self._of[mem_id]
                break
            passed.append(mem_id)
            at = self._document.parent_of(at)
        for mem_id in passed:
            self._of[mem_id] = region
        return region

"""A page's tree in order: for each node the element with statements around it, and whether it may be used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acap._native import Decision
from acap.pages.asking import Asking
from acap.pages.elements import Region
from acap.pages.resource import Resource, resolve_each

UNSEEN = frozenset({"script", "style", "template", "noframes", "noembed", "iframe"})
"""Elements whose content is not text of the page."""


class Walk:
    """Walks a tree in order, and tells for each node whether it may be used.

    It gives each node at its beginning (True) and elements at their end (False), the region of the node, and whether
    the node may be used: the statements on the region permit it, and the node lies in the resource that must be used,
    if they name one. Iterative, as trees may be deep.
    """

    __slots__ = ("_decisions", "_resources", "_starts", "asking", "usage")

    def __init__(self, asking: Asking, usage: str) -> None:
        self.asking = asking
        self.usage = usage
        self._decisions: dict[Region | None, Decision] = {}
        self._resources: dict[Region | None, frozenset[str]] = {}
        self._starts: dict[int, frozenset[str]] = {}
        regions = asking.regions
        known: dict[str, Resource] = {}
        for region in (None, *(() if regions is None else regions.list)):
            decision = self._decisions[region] = asking.decide_on(region, usage)
            resources = resolve_each(asking.carried.document, decision, known)
            self._resources[region] = frozenset(resource.restriction.value for resource in resources)
            for resource in resources:
                for mem_id in resource.nodes:
                    self._starts[mem_id] = self._starts.get(mem_id, frozenset()) | {resource.restriction.value}

    def decision(self, region: Region | None) -> Decision:
        """The decision on a region."""
        return self._decisions[region]

    def __iter__(self) -> Iterator[tuple[Any, bool, Region | None, bool]]:
        document = self.asking.carried.document
        root = None if document is None else document.root
        if root is None:
            return
        regions = self.asking.regions
        # For each element around the node: its region, and the resources that contain it.
        stack: list[tuple[Region | None, frozenset[str]]] = [(None, frozenset())]
        node: Any = root
        while True:
            region, within = stack[-1]
            if node.is_element_node:
                region = (regions.at(node.mem_id) if regions is not None else None) or region
                within = within | self._starts.get(node.mem_id, frozenset())
                yield node, True, region, self._may(region, within)
                child = node.child if node.tag not in UNSEEN else None
                if child is not None:
                    stack.append((region, within))
                    node = child
                    continue
                yield node, False, region, self._may(region, within)
            else:
                yield node, True, region, self._may(region, within)
            while node.next is None or node.mem_id == root.mem_id:
                if node.mem_id == root.mem_id:
                    return
                node = node.parent
                region, within = stack.pop()
                yield node, False, region, self._may(region, within)
                if node.mem_id == root.mem_id:
                    return
            node = node.next

    def _may(self, region: Region | None, within: frozenset[str]) -> bool:
        return self._decisions[region].permitted and self._resources[region] <= within

"""Usages: what a statement can be about, and what lies above what (P1 4.5.2.5.1, G 2.4).

The list is the native core's; nothing here repeats it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from acap import _native

PARENTS: Mapping[str, str | None] = MappingProxyType(dict(_native.usages()))
"""Each known usage, and the usage directly above it."""

COMPOSITES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: tuple(parts) for name, parts in _native.composites()}
)
"""Each composite usage, and its parts; `search` is `index`, `present-link` and `present-snippet`."""

USAGES: tuple[str, ...] = (*PARENTS, *COMPOSITES)
"""Every usage that can be asked about without a file that names more."""


def above(usage: str) -> tuple[str, ...]:
    """The usages above a known one, nearest first; statements on them speak for it too (G 4.10).

    Raises:
        KeyError: the usage is not a known one.
    """
    found: list[str] = []
    parent = PARENTS[usage]
    while parent is not None:
        found.append(parent)
        parent = PARENTS[parent]
    return tuple(found)


def below(usage: str) -> tuple[str, ...]:
    """The known usages below one, in the order of the list."""
    return tuple(name for name in PARENTS if usage in above(name))

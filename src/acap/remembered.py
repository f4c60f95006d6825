"""Readers that remember what short texts say: the pages and responses of a site have the same few."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_SHORT = 256
"""Most characters of texts that are remembered, each text counting for one more."""

_KEPT = 1024
"""Most readings that are remembered of each reader."""


def remembered(read: Callable[P, T]) -> Callable[P, T]:
    """A reader of texts, given by position, that remembers what short ones say; what is given by name is part of it."""
    known = lru_cache(maxsize=_KEPT)(read)

    @wraps(read)
    def reader(*texts: P.args, **named: P.kwargs) -> T:
        is_short = sum(map(len, texts)) + len(texts) <= _SHORT  # type: ignore[arg-type]  # they are texts
        return (known if is_short else read)(*texts, **named)  # type: ignore[arg-type]  # what is named can be hashed

    return reader

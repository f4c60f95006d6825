"""What is remembered: what short texts say, as pages of a site have the same few; what is known of a value."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
Owner = TypeVar("Owner")

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


def of_owner(cache: OrderedDict[Any, tuple[Owner, T]], key: Any, owner: Owner, make: Callable[[], T], most: int) -> T:
    """What is known of a value whose `id` is in the key; it stays beside it, so that its number is not given away."""
    known = cache.get(key)
    if known is None or known[0] is not owner:
        known = kept(cache, key, (owner, make()), most)
    return known[1]


def kept(cache: OrderedDict[Any, Any], key: Any, value: Any, most: int) -> Any:
    """A value that is put into a cache, from which the oldest goes where there are too many."""
    cache[key] = value
    if len(cache) > most:
        cache.popitem(last=False)
    return value

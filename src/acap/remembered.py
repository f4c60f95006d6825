"""What is remembered: what short texts say, as pages of a site have the same few; what is known of a value."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache, wraps
from inspect import Parameter, signature
from typing import Any, Generic, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")
Owner = TypeVar("Owner")

_SHORT = 256
"""Most characters of texts that are remembered, each text counting for one more."""

_KEPT = 1024
"""Most readings that are remembered of each reader."""


def remembered(read: Callable[P, T]) -> Callable[P, T]:
    """A reader of texts, given by position, that remembers what short ones say; what is given by name is part of it."""
    known = lru_cache(maxsize=_KEPT)(read)
    if [parameter.kind for parameter in signature(read).parameters.values()] == [Parameter.POSITIONAL_OR_KEYWORD]:
        return _of_one_text(read, known)

    @wraps(read)
    def reader(*texts: P.args, **named: P.kwargs) -> T:
        length = len(texts)
        for text in texts:
            length += len(text)  # type: ignore[arg-type]  # they are texts
        return (known if length <= _SHORT else read)(*texts, **named)  # type: ignore[arg-type]  # what is named is hashed

    return reader


def _of_one_text(read: Callable[P, T], known: Callable[..., T]) -> Callable[P, T]:
    """The same of a reader of one text, as most are, in half the time."""
    longest = _SHORT - 1

    @wraps(read)
    def reader(text: Any) -> T:
        return known(text) if len(text) <= longest else read(text)  # type: ignore[call-arg]  # it takes one text

    return cast("Callable[P, T]", reader)


class KeptValues(Generic[K, T]):
    """Values by their keys: at most so many, and so many octets of them. The oldest go first, the last one stays."""

    def __init__(self, most: int, octets: int) -> None:
        self._most, self._room = most, octets
        self._values: OrderedDict[K, tuple[T, int]] = OrderedDict()
        self.octets = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> T | None:
        """The value of a key; None if it has gone."""
        found = self._values.get(key)
        return None if found is None else found[0]

    def put(self, key: K, value: T, octets: int) -> T:
        """Keeps a value, which takes so many octets."""
        self._drop(self._values.pop(key, None))
        self._values[key] = value, octets
        self.octets += octets
        while len(self._values) > 1 and (len(self._values) > self._most or self.octets > self._room):
            self._drop(self._values.popitem(last=False)[1])
        return value

    def clear(self) -> None:
        """Lets go of all of them."""
        self._values.clear()
        self.octets = 0

    def _drop(self, gone: tuple[T, int] | None) -> None:
        self.octets -= 0 if gone is None else gone[1]


class KeptBeside(KeptValues[K, tuple[Owner, T]]):
    """What is known of values whose `id` is in the key; each stays beside it, so that its number is not given away."""

    def of(self, key: K, owner: Owner, make: Callable[[], T], octets: Callable[[T], int]) -> T:
        """What is known of the owner by the key; else it is made, and takes so many octets."""
        known = self.get(key)
        if known is None or known[0] is not owner:
            made = make()
            known = self.put(key, (owner, made), octets(made))
        return known[1]

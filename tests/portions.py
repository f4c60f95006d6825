"""What CI tries a portion of: `make soak` tries the whole, of every test that is marked `portion`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")


def at_length() -> bool:
    """Whether everything is tried of which else a portion is: under the profile `soak`."""
    return settings.default is not None and settings.default.max_examples > 100


def portion(whole: Iterable[T], every: int, first: int = 0) -> list[T]:
    """Every so-many-th from the first on; at length, all."""
    things = list(whole)
    return things if at_length() else things[first::every]

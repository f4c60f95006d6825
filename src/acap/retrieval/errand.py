"""The request for a policy that a thread or task sends right now: a client that asks first lets it pass.

The laws of this module:

1. What is wanted for a policy is asked about by nobody, for that would be to ask for itself. No policy forbids it.
2. It is that very URL alone, and until it was answered: what a client sends beside it or later is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from acap.retrieval.locations import canonical


@dataclass(slots=True)
class _Errand:
    url: str
    is_over: bool = False  # for a copy of the context that outlives it


_now: ContextVar[_Errand | None] = ContextVar("acap_errand", default=None)


@contextmanager
def errand(url: str) -> Iterator[None]:
    """Sends for a URL, in canonical form, as long as the context lasts."""
    before, errand = _now.get(), _Errand(url)
    _now.set(errand)
    try:
        yield
    finally:
        errand.is_over = True
        _now.set(before)


def is_errand(url: str) -> bool:
    """Whether it is for a policy that a URL is sent for here and now. Raises ValueError for what is no URL."""
    errand = _now.get()
    return errand is not None and not errand.is_over and canonical(url) == errand.url

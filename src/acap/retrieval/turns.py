"""One retrieval at a time for each URL: others that want it meanwhile wait, and take the result.

Law: whoever has the turn for a URL, and by what that leads to comes to want it again, is told so. It would wait for
itself: a client that asks first, say, and that retrieves what it asks about.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import anyio

L = TypeVar("L", threading.Lock, anyio.Lock)


class AsksItselfError(OSError):
    """A retrieval comes to want itself."""


@dataclass(slots=True)
class _Turn(Generic[L]):
    lock: L
    takers: int = 0
    done: int = field(default=0)


@dataclass(slots=True)
class _TurnTaken:
    turns: ThreadTurns | AsyncTurns
    key: str
    is_over: bool = False  # for a copy of the context that outlives it


_held: ContextVar[tuple[_TurnTaken, ...]] = ContextVar("acap_held", default=())


@contextmanager
def _hold(turns: ThreadTurns | AsyncTurns, key: str) -> Iterator[None]:
    """Has a thread or task, and what it begins, know of its turn. Raises AsksItselfError if it has it already."""
    before, mine = _held.get(), _TurnTaken(turns, key)
    if any(one.turns is turns and one.key == key and not one.is_over for one in before):
        raise AsksItselfError(f"the client by which {key} is retrieved asks for that first; give the retriever another")
    _held.set((*before, mine))
    try:
        yield
    finally:
        mine.is_over = True
        _held.set(before)


class ThreadTurns:
    """For threads."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn[threading.Lock]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def take(self, key: str) -> Iterator[bool]:
        """The turn for the key; true if another turn ended during the wait. Raises AsksItselfError."""
        with _hold(self, key):
            with self._lock:
                turn = self._turns.setdefault(key, _Turn(threading.Lock()))
                turn.takers += 1
                seen = turn.done
            try:
                with turn.lock:
                    yield turn.done > seen
                    turn.done += 1
            finally:
                with self._lock:
                    turn.takers -= 1
                    if not turn.takers:
                        del self._turns[key]


class AsyncTurns:
    """For the tasks of one event loop."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn[anyio.Lock]] = {}

    @asynccontextmanager
    async def take(self, key: str) -> AsyncIterator[bool]:
        """The turn for the key; true if another turn ended during the wait. Raises AsksItselfError."""
        with _hold(self, key):
            turn = self._turns.setdefault(key, _Turn(anyio.Lock()))
            turn.takers += 1
            seen = turn.done
            try:
                async with turn.lock:
                    yield turn.done > seen
                    turn.done += 1
            finally:
                turn.takers -= 1
                if not turn.takers:
                    del self._turns[key]

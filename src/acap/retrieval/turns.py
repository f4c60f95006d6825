"""One retrieval at a time for each URL: others that want it meanwhile wait, and take the result."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import anyio

L = TypeVar("L", threading.Lock, anyio.Lock)


@dataclass(slots=True)
class _Turn(Generic[L]):
    lock: L
    takers: int = 0
    done: int = field(default=0)


class ThreadTurns:
    """For threads."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn[threading.Lock]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def take(self, key: str) -> Iterator[bool]:
        """The turn for the key; true if another turn ended during the wait."""
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
        """The turn for the key; true if another turn ended during the wait."""
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

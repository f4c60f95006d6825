"""An event loop in a thread of its own: what runs there keeps nobody waiting who is answered here.

A hostile robots.txt takes a second to be read. The core lets other threads run meanwhile, but not the tasks of its own.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from anyio.to_thread import current_default_thread_limiter

T = TypeVar("T")


class Aside:
    """A second event loop, from when it is first needed."""

    def __init__(self, threads: int) -> None:
        """`threads`: how many its tasks may wait in at once, for names to be resolved say."""
        self._threads = threads
        self._started = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Event | None = None

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of work that is done there; cancelling this cancels it."""
        if self._thread is None:
            self._thread = threading.Thread(target=lambda: asyncio.run(self._stay()), name="acap-aside", daemon=True)
            self._thread.start()
            self._started.wait()
        assert self._loop is not None
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def end(self) -> None:
        """Cancels what is under way there, and ends the thread; nothing is run any more."""
        if self._thread is not None and self._loop is not None and self._ended is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join()

    async def _stay(self) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        current_default_thread_limiter().total_tokens = self._threads
        self._started.set()
        await self._ended.wait()

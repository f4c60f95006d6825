"""The processes that work for audits and surveys."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from functools import partial
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import Any


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers(number: int) -> Executor:
    """Who does work: a pool of so many processes, or this process itself, if one is enough.

    Ctrl-C is for the process that asks: it ends the others (`end`), or waits for them.
    """
    if number == 1:
        return _Alone()
    return ProcessPoolExecutor(number, mp_context=get_context("spawn"), initializer=_begin)


def each_done(futures: Iterable[Future[Any]]) -> Iterator[Future[Any]]:
    """Futures as they are done; an interrupt is heard between them."""
    left = dict.fromkeys(futures)
    for mine in [future for future in left if isinstance(future, _OwnWork)]:
        del left[mine]
        mine.do()
        yield mine
    while left:
        done, _ = wait(left, timeout=0.5, return_when=FIRST_COMPLETED)
        for future in done:
            del left[future]
        yield from done


def end(pool: Executor) -> None:
    """Ends what works for a pool, and waits until it has ended: what still runs at exit would write to closed pipes."""
    for worker in active_children():
        worker.terminate()
    pool.shutdown(cancel_futures=True)


class _OwnWork(Future[Any]):
    """What this process does itself, when somebody looks for what is done; what it raises is raised there."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__()
        self._work = work

    def do(self) -> None:
        self.set_result(self._work())


class _Alone(Executor):
    """A second process would read all modules again, and wait for the first."""

    def submit(self, fn: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        return _OwnWork(partial(fn, *arguments, **more))


def _begin() -> None:
    """What a worker does first, before it imports Arrow, whose own allocator takes huge pages that stay half empty."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends with the process that asks, also where it is killed: nobody else would end it, and it waits for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

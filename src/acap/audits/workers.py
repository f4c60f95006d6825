"""The processes that work for audits and surveys."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers(number: int) -> ProcessPoolExecutor:
    """A pool of so many processes. Ctrl-C is for the process that asks: it ends them, or waits for them."""
    return ProcessPoolExecutor(number, mp_context=get_context("spawn"), initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

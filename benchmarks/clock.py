"""Taking turns on one processor."""

from __future__ import annotations

import dataclasses
import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping

now = time.process_time
"""Seconds of processor time of this process."""


@dataclasses.dataclass(frozen=True, slots=True)
class Spread:
    """What the rounds gave, in the unit of the measurement; `ratio` is how many times that of the first in turn."""

    median: float
    least: float
    most: float
    ratio: float | None = None


def stay_on_one_processor() -> int | None:
    """Keeps this process and its children on the last processor it may use; none where the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    processor = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {processor})
    return processor


def limits(octets: int = 64 << 20, times: int = 5) -> dict[str, float]:
    """What one processor can do at most, in octets a second: copying memory, and looking for line ends alone."""
    text = bytes(range(32, 96)) * (octets // 64)
    copied = bytearray(octets)
    works: dict[str, Callable[[], object]] = {
        "copying memory": lambda: memoryview(copied).__setitem__(slice(None), text),
        "counting line ends": lambda: text.count(b"\n"),
    }
    return {name: octets / min(seconds_of(work) for _ in range(times)) for name, work in works.items()}


def seconds_of(work: Callable[[], object]) -> float:
    """The processor time of a call."""
    start = now()
    work()
    return now() - start


def in_turns(works: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, Spread]:
    """Each work in its turn; a work gives what it measured of itself.

    In each turn it runs twice and the second counts: the first fills the caches that others have emptied.
    """
    gc.collect()
    gc.disable()
    try:
        samples = [{name: (work(), work())[1] for name, work in works.items()} for _ in range(rounds)]
    finally:
        gc.enable()
    first = next(iter(works))
    return {
        name: Spread(
            statistics.median(sample[name] for sample in samples),
            min(sample[name] for sample in samples),
            max(sample[name] for sample in samples),
            statistics.median(sample[name] / sample[first] for sample in samples),
        )
        for name in works
    }

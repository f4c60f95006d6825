"""Reading many files at once on two processors, beside one: by the clock and in processor time.

``python -m benchmarks.threads PROCESSORS`` reads on so many, in a process of its own, and prints JSON.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import acap
from benchmarks import corpus

COPIES = 8  # of the corpus: some 40 MB
GOAL = 1.8  # times as fast on two processors as on one
BUSY = 0.05  # of the processors' time for others: more, and the clock tells of them too
STAT = Path("/proc/stat")
TICK = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """Of each round, for one processor and for two: seconds by the clock, of processor time, and of that of the thread
    that called; and the share of the processors' time that went to others meanwhile, none where the system does not
    tell."""

    files: int
    one: list[tuple[float, float, float]]
    two: list[tuple[float, float, float]]
    others: list[float]


def measure(rounds: int) -> Measured | None:
    """One processor and two, in turns; none where there are not two."""
    if (os.cpu_count() or 1) < 2 or not hasattr(os, "sched_setaffinity"):
        return None
    files = len(corpus.load()) * COPIES
    taken: dict[int, list[tuple[float, float, float]]] = {1: [], 2: []}
    others = []
    for _ in range(rounds):
        for processors, samples in taken.items():
            command = [sys.executable, "-m", "benchmarks.threads", str(processors)]
            done = subprocess.run(command, capture_output=True, check=True)
            *seconds, share = json.loads(done.stdout)
            samples.append((seconds[0], seconds[1], seconds[2]))
            if share is not None:
                others.append(share)
    return Measured(files, taken[1], taken[2], others)


def speedup(one: Sequence[Sequence[float]], two: Sequence[Sequence[float]]) -> float:
    """How many times as fast two processors are by the clock: the median of the ratios within the rounds."""
    return statistics.median(a[0] / b[0] for a, b in zip(one, two, strict=True))


def speedup_alone(one: Sequence[Sequence[float]], two: Sequence[Sequence[float]]) -> float:
    """The same in processor time, as if nobody else used the machine: the calling thread works beside the other, and
    whichever works longer is waited for."""
    times = ((a[1], max(b[2], b[1] - b[2])) for a, b in zip(one, two, strict=True))
    return statistics.median(a / b for a, b in times)


def in_use() -> float | None:
    """Seconds for which all processors were in use since the system began; none where it does not tell."""
    if not STAT.exists():
        return None
    user, nice, system, _idle, _wait, *more = map(int, STAT.read_text().splitlines()[0].split()[1:])
    return (user + nice + system + sum(more[:3])) / TICK


def main() -> None:
    os.sched_setaffinity(0, range(int(sys.argv[1])))
    octets = [file.octets for file in corpus.load()] * COPIES
    acap.parse_robots_many(octets)
    gc.collect()
    gc.disable()
    before, clock, processor, own = in_use(), time.perf_counter(), time.process_time(), time.thread_time()
    policies = acap.parse_robots_many(octets)
    clock, processor, own = time.perf_counter() - clock, time.process_time() - processor, time.thread_time() - own
    after = in_use()
    share = None
    if before is not None and after is not None:
        share = max(0.0, after - before - processor) / (clock * (os.cpu_count() or 1))
    assert len(policies) == len(octets)
    print(json.dumps([clock, processor, own, share]))


if __name__ == "__main__":
    main()

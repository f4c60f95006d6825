"""A survey of robots.txt files: files a second of processor time, judged for every crawler of the default list."""

from __future__ import annotations

import dataclasses
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

import acap
from acap.audits.survey import default_crawlers
from benchmarks.corpus import File

COPIES = 20  # of each file of the corpus, as sites of their own
GOAL = 200_000.0  # files a second, on all processors


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """Of each round the seconds of processor time and by the clock: counts alone, counts for a second usage as well,
    and with a row for each file and crawler."""

    files: int
    crawlers: int
    processors: int
    counted: list[tuple[float, float]]
    for_training: list[tuple[float, float]]
    with_rows: list[tuple[float, float]]


def measure(files: list[File], rounds: int) -> Measured:
    """Surveys the corpus again and again, out of memory."""
    octets = [file.octets for file in files] * COPIES
    table = pa.table(
        {"site": [f"{number}.example" for number in range(len(octets))], "robots": pa.array(octets, pa.binary())}
    )
    few = table.slice(0, len(files))

    def timed(work: Callable[[], object]) -> list[tuple[float, float]]:
        work()
        return [_timed(work) for _ in range(rounds)]

    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.parquet"
        return Measured(
            len(octets),
            len(default_crawlers()),
            os.cpu_count() or 1,
            timed(lambda: acap.survey(table)),
            timed(lambda: acap.survey(table, usages=["crawl", "ai-train"])),
            [(cpu * COPIES, clock * COPIES) for cpu, clock in timed(lambda: acap.survey(few, rows=rows))],
        )


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    clock, cpu = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - cpu, time.perf_counter() - clock

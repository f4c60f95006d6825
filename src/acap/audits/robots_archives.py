"""The robots.txt captures of archives, a batch at a time; large archives are read by all processors.

Law: in whatever number of parts an archive is read, its batches have the same captures in the same order. A worker
writes those of its part to a file, so that neither it nor who asks has more than a batch in memory.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from acap.archives import Capture, Damage, Revisit, read_warc
from acap.archives.splits import WarcSplit, warc_splits
from acap.audits.robots_columns import SCHEMA, micros_of
from acap.audits.workers import processors, workers
from acap.plurals import plural
from acap.retrieval.locations import ROBOTS_PATH

ROWS = 4096
"""Most captures of a batch."""
OCTETS = 64 * 2**20
"""Octets of a batch, but for those of its last capture."""
ALONE = 32 * 2**20
"""Octets of archives that one process reads before others have started."""
PART = 8 * 2**20
"""Octets of a part: some thousand captures, which take a second."""


class Uncounted(NamedTuple):
    """What archives have beside captures that count: redirects, revisits of captures elsewhere, and damage."""

    redirects: int = 0
    revisits: int = 0
    damaged: int = 0

    def plus(self, other: Uncounted) -> Uncounted:
        """Both together."""
        return Uncounted(*(one + more for one, more in zip(self, other, strict=True)))

    def __str__(self) -> str:
        """What there is of each, in words; empty if there is nothing."""
        counts = zip(("redirect", "revisit", "damaged record"), self, strict=True)
        return ", ".join(plural(number, thing) for thing, number in counts if number)


class ArchiveError(Exception):
    """An archive cannot be read at all: which one, and why."""


class ArchivePiece(NamedTuple):
    """A batch, what was left out since the last one, and how many octets of the archives are done by then."""

    batch: pa.RecordBatch | None
    left: Uncounted
    octets: int


def archive_pieces(paths: list[Path], processes: int = 1) -> Iterator[ArchivePiece]:
    """The captures of archives, in order; large ones are read by so many processes, 0: one for each processor.

    Raises:
        ArchiveError: a package is missing, or a process was ended.
        OSError: one cannot be read.
    """
    number = processes or processors()
    if number == 1 or sum(path.stat().st_size for path in paths) < ALONE:
        for path in paths:
            yield from _pieces(WarcSplit(str(path)))
        return
    try:
        yield from _by_workers((split for path in paths for split in _splits(path)), number)
    except BrokenProcessPool as error:
        raise ArchiveError("a process that reads archives was ended, for want of memory perhaps") from error


def _splits(path: Path) -> Iterator[WarcSplit]:
    """The parts of an archive. What a record of an ARC file is stands at the head of the file."""
    return warc_splits(path, PART) if ".warc" in path.name.lower() else iter([WarcSplit(str(path))])


def _by_workers(splits: Iterator[WarcSplit], processes: int) -> Iterator[ArchivePiece]:
    with tempfile.TemporaryDirectory(prefix="acap-audit-") as folder:
        pool = workers(processes)
        try:
            begun: deque[tuple[Path, int, Future[Uncounted]]] = deque()
            names = count()

            def begin(more: Iterable[WarcSplit]) -> None:
                for split in more:
                    file = Path(folder) / f"{next(names)}.arrows"
                    begun.append((file, _octets(split), pool.submit(_write, split, file)))

            begin(islice(splits, 2 * processes))
            while begun:
                file, octets, written = begun.popleft()
                left = written.result()
                with pa.OSFile(str(file)) as stream:
                    for batch in pa.ipc.open_stream(stream):
                        yield ArchivePiece(batch, Uncounted(), 0)
                file.unlink()
                yield ArchivePiece(None, left, octets)
                begin(islice(splits, 1))
        finally:
            # What a worker has begun takes a second, and is written to the folder.
            pool.shutdown(cancel_futures=True)


def _write(split: WarcSplit, file: Path) -> Uncounted:
    """What a worker does: the batches of a part go to a file."""
    left = Uncounted()
    with pa.OSFile(str(file), "wb") as stream, pa.ipc.new_stream(stream, SCHEMA) as writer:
        for piece in _pieces(split):
            left = left.plus(piece.left)
            if piece.batch is not None:
                writer.write_batch(piece.batch)
    return left


def _pieces(split: WarcSplit) -> Iterator[ArchivePiece]:
    path = Path(split.path)
    rows: list[dict[str, Any]] = []
    size = 0
    left = Uncounted()

    def revisited(revisit: Revisit) -> None:
        nonlocal left
        left = left.plus(Uncounted(revisits=int(_is_robots(revisit.url))))

    def broke(damage: Damage) -> None:
        # A robots.txt that is damaged is a capture all the same, of which nothing is known.
        nonlocal left
        if damage.url is None or not _is_robots(damage.url):
            left = left.plus(Uncounted(damaged=int(damage.url is None and not damage.is_other)))
            return
        rows.append({"site": damage.url, "robots": b"", "cut": True, "at": damage.at and micros_of(damage.at)})

    try:
        for capture in read_warc(path, on_problem=broke, on_revisit=revisited, part=split.part):
            if not _is_robots(capture.url):
                continue
            if 300 <= capture.status < 400:
                left = left.plus(Uncounted(redirects=1))
                continue
            rows.append(_row(capture))
            size += len(capture.body)
            if len(rows) >= ROWS or size >= OCTETS:
                yield ArchivePiece(pa.RecordBatch.from_pylist(rows, schema=SCHEMA), left, 0)
                rows.clear()
                size, left = 0, Uncounted()
    except ImportError as error:
        raise ArchiveError(f"`{path}` needs a package that is missing: {error}") from error
    batch = pa.RecordBatch.from_pylist(rows, schema=SCHEMA) if rows else None
    yield ArchivePiece(batch, left, _octets(split))


def _octets(split: WarcSplit) -> int:
    return split.length if split.length is not None else Path(split.path).stat().st_size - split.offset


def _row(capture: Capture) -> dict[str, Any]:
    return {"site": capture.url, "robots": capture.body, "status": capture.status, "at": micros_of(capture.at)}


def _is_robots(url: str) -> bool:
    """Whether a URL is that of the robots.txt of its site."""
    _, _, rest = url.partition("://")
    _, slash, path = rest.partition("/")
    return f"{slash}{path}" == ROBOTS_PATH

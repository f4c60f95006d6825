"""The policies that archives and tables have, in a file that is made once and read by any number of processes.

    policies = KeptPolicies.make("shelf.sqlite", ["robots.warc.gz", "robots.parquet"])
    acap.audit(pages, policies, crawler="examplebot")

It is pickled as the name of its file, so that the tasks of a cluster may have it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self

import pyarrow as pa

from acap.archives.archive import ArchiveReader, read_warc
from acap.archives.members import gzip_members
from acap.archives.shelf import ArchiveShelf, ShelfEdges, Shelving, noted, shelve
from acap.archives.splits import opened_part
from acap.audits.inputs import POLICY_FORMS, InputError, InputPart, files_of, form_of, tables
from acap.audits.kept_resources import ResourceKeeper, ResourceKeeping
from acap.audits.policies import ShelvedPolicies, events_of
from acap.clock import SystemClock
from acap.robots import RobotsPolicy

_PROBLEM = "problem"
_MOST_PROBLEMS = 10_000
"""So many rows of one table are told that cannot be read."""
"""The key on a shelf of what could not be read."""


class KeptPolicies:
    """The policies of a file that `make` wrote, as `SpeakingPolicies`. The file is opened at the first question."""

    def __init__(self, file: Path | str, *, dialect: str = "auto", now: datetime | None = None) -> None:
        """Reads it by a dialect; a date after `now` does not count.

        Raises:
            ValueError: there is no such file.
        """
        self._file = Path(file).absolute()
        if not self._file.is_file():
            raise ValueError(f"there is no shelf `{file}`; `KeptPolicies.make` makes one")
        self._dialect, self._now = dialect, now or SystemClock().now()
        self._open: ShelvedPolicies | None = None

    @classmethod
    def make(
        cls,
        file: Path | str,
        sources: Iterable[Path | str],
        *,
        dialect: str = "auto",
        now: datetime | None = None,
    ) -> Self:
        """Writes what archives (WARC, ARC) and tables say of sites into a file; one of that name is replaced.

        Raises:
            ValueError: a source has no policies, or cannot be read.
            OSError: the file cannot be written.
        """
        now, out = now or SystemClock().now(), Path(file)
        making = out.with_name(f"{out.name}.making{os.getpid()}")
        making.unlink(missing_ok=True)
        try:
            for number, path in enumerate(files_of(map(Path, sources), out, POLICY_FORMS)):
                shelve_file(path, number, now, making)
            shelf = ArchiveShelf(making)
            shelf.finish()
            shelf.close()
            making.replace(out)
        finally:
            making.unlink(missing_ok=True)
        return cls(out, dialect=dialect, now=now)

    def speaking(self, url: str, at: datetime, licences: Sequence[str] = ()) -> tuple[RobotsPolicy, ...]:
        """As of `SpeakingPolicies`."""
        return self._opened().speaking(url, at, licences)

    def without_robots(self, url: str, at: datetime, licences: Sequence[str] = ()) -> tuple[RobotsPolicy, ...]:
        """As of `DocumentedPolicies`."""
        return self._opened().without_robots(url, at, licences)

    def _opened(self) -> ShelvedPolicies:
        if self._open is None:
            self._open = ShelvedPolicies(ArchiveShelf(self._file, is_shared=True), self._now, dialect=self._dialect)
        return self._open

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read of tables, and what is more than is read of the sites asked about, a line each."""
        left_out = () if self._open is None else self._open.left_out.values()
        return (*shelf_problems(self._file), *left_out)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": None}


def shelve_file(path: Path, number: int, now: datetime, out: Path) -> Path:
    """Adds what one file says of sites to a shelf, which is made if there is none."""
    shelf = ArchiveShelf(out)
    if form_of(path) == "archive":
        shelf.add(shelve(path, number, now))
    else:
        problems: list[str] = []
        rows = 0

        def report(problem: str) -> None:
            if len(problems) < _MOST_PROBLEMS:
                problems.append(f"{path}: {problem}")

        try:
            for table in tables(path):
                shelf.add(events_of(table, number, now, report, rows + 1))
                rows += table.num_rows
        except InputError:
            raise
        except (ValueError, pa.ArrowException) as error:
            raise InputError(f"{path}: {' '.join(str(error).split())}") from error
        shelf.add(noted(number, place, _PROBLEM, problem) for place, problem in enumerate(problems))
    shelf.close()
    return out


class ShelvedPart(NamedTuple):
    """What is known of a part of an archive that was read: whether it is whole, and what it is to those beside it."""

    is_whole: bool = False
    edges: ShelfEdges = ShelfEdges()


def shelve_part(
    part: InputPart, number: int, now: datetime, out: Path, keeping: ResourceKeeping | None = None
) -> ShelvedPart:
    """Writes what a part of a file says of sites to a shelf of its own, whole or not at all; a WAT file is only read.

    `keeping` is for the resources of an archive (`acap.audits.kept_resources`).
    """
    making = out.with_name(f"{out.name}.making{os.getpid()}")
    making.unlink(missing_ok=True)
    shelved = _shelved(part, number, now, making, keeping)
    with making.open("rb") as made:
        os.fsync(made.fileno())
    making.replace(out)
    return shelved


def _shelved(part: InputPart, number: int, now: datetime, out: Path, keeping: ResourceKeeping | None) -> ShelvedPart:
    if part.form not in ("archive", "wat"):
        shelve_file(part.path, number, now, out)
        return ShelvedPart(is_whole=True)
    ended: list[bool] = []

    def whole() -> None:
        ended.append(True)

    shelving, shelf = Shelving(number, now), ArchiveShelf(out)
    if part.form == "archive":
        reading: ArchiveReader = partial(read_warc, part=part.span, on_whole=whole)
        if keeping is not None:
            keeper = ResourceKeeper(part, keeping)
            reading, shelving = keeper.reading(reading), Shelving(number, now, keeper.digest_of)
        shelf.add(shelving.events(part.path, reading))
    else:
        with opened_part(part.path, part.span) as stream:
            for _ in gzip_members(stream, lambda *_, **__: None, whole):
                pass
    shelf.close()
    return ShelvedPart(bool(ended), shelving.edges)


def shelf_problems(file: Path) -> Iterator[str]:
    """What could not be read of the tables of a shelf."""
    shelf = ArchiveShelf(file, is_shared=True)
    yield from shelf.notes(_PROBLEM)
    shelf.close()


def shelf_has_robots(file: Path) -> bool:
    """Whether a shelf has a robots.txt of any site, at any time."""
    shelf = ArchiveShelf(file, is_shared=True)
    has_robots = shelf.has_robots
    shelf.close()
    return has_robots

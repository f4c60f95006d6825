"""A directory of WARC files with copies.

The laws of this module:

1. What `append` or `rewrite` returned is on the disk: file and directory are synced. What they did not return does not
   count: it lies beyond the end that the caller commits for a file, or in a file that is not committed, and `recover`
   takes it away, whatever instant it was left at.
2. Octets that count are never written over. A file is appended to only by the object that began it, and never again
   after a write to it failed, or once it is written anew or removed: then the next copy begins another file.
3. Files of copies are known by their names; other files in the directory are never touched.

What is deleted is in no file any more; the file system may keep its octets in blocks that are free. To overwrite them
first would promise nothing on a file system that writes elsewhere, or on flash memory: encrypt the disk if it matters.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from threading import RLock

from acap.archives import record
from acap.archives.capture import Capture
from acap.clock import Clock, SystemClock
from acap.harvest.copies.place import CopiesDamagedError, CopyMissingError, CopyUnreadableError, Place
from acap.retrieval.private import DIRECTORY_MODE, FILE_MODE, open_regular

ROTATE_OCTETS = 64 * 2**20
"""Size from which a file takes no more copies: deleting a copy rewrites the file it is in."""

_NAME = re.compile(r"acap-\d{8}T\d{6}-(\d{5,})\.warc\.gz", re.ASCII)
_CHUNK = 1 << 20
_HEAD = 2_048


@dataclass(frozen=True, slots=True)
class Recovered:
    """The results of `recover`.

    `cut` names files with how many octets beyond their end were taken away, `removed` those that did not count,
    `missing` those that count and are not there: a removal that was not noted looks like this.
    """

    cut: Mapping[str, int]
    removed: tuple[str, ...]
    missing: tuple[str, ...]


class Copies:
    """Copies in a directory, one capture after the other. Any thread may use it, and one process may write.

    Args:
        directory: made by the first copy.
        rotate_octets: the size beyond which another file is begun.
        fsync: what makes the octets of a file descriptor stay.
        clock: gives the time for file names.
    """

    def __init__(
        self,
        directory: Path,
        *,
        rotate_octets: int = ROTATE_OCTETS,
        fsync: Callable[[int], None] = os.fsync,
        clock: Clock | None = None,
    ) -> None:
        self._directory = Path(directory)
        self._rotate = rotate_octets
        self._fsync = fsync
        self._clock = clock or SystemClock()
        self._lock = RLock()
        self._current: tuple[str, int] | None = None  # the file to append to, and where
        self._serial = 0

    def append(self, captures: Sequence[Capture]) -> list[Place]:
        """Writes copies and syncs them; all or, if it raises, none that counts.

        Raises:
            OSError: of the disk.
            TypeError, ValueError: metadata is no JSON; nothing was written.
        """
        with self._lock:
            out: list[Place] = []
            done: list[tuple[str, int]] = []
            try:
                for file, start, octets, lengths in self._batches(captures):
                    # Until its octets are synced nothing is appended behind them.
                    self._current = None
                    if start:
                        self._write(file, start, octets)
                    else:
                        self._create(file, octets)
                    done.append((file, start))
                    at = start + len(octets) - sum(lengths)
                    for length in lengths:
                        out.append(Place(file, at, length))
                        at += length
                    self._current = file, at
            except OSError:
                self._undo(done)
                raise
            return out

    def end(self, file: str) -> int:
        """How many octets a file has. Raises CopyMissingError."""
        try:
            return self._path(file).stat().st_size
        except OSError as error:
            raise _missing(error)(f"`{file}` in {self._directory} cannot be read: {error.strerror}") from error

    def files(self) -> list[str]:
        """The names of the files with copies, in order."""
        if not self._directory.is_dir():
            return []
        return sorted(path.name for path in self._directory.iterdir() if _is_ours(path))

    def digest(self, place: Place) -> str:
        """SHA-256 of the octets at a place, packed as they are. Raises CopyMissingError."""
        hashed = hashlib.sha256()
        for octets in self._octets(place):
            hashed.update(octets)
        return hashed.hexdigest()

    def others(self) -> list[str]:
        """The names of other files in the directory, in order."""
        if not self._directory.is_dir():
            return []
        return sorted(path.name for path in self._directory.iterdir() if not _is_ours(path))

    def first_octet(self, file: str) -> int:
        """Where the first copy of a file begins: behind the record about the file. Raises CopyMissingError."""
        try:
            with open_regular(self._path(file)) as stream:
                at = record.information_length(stream.read(_HEAD), file)
        except OSError as error:
            raise _missing(error)(f"`{file}` in {self._directory} cannot be read: {error.strerror}") from error
        if not at:
            raise CopyMissingError(f"`{file}` in {self._directory} does not begin as it was begun")
        return at

    def read(self, place: Place, digest: str | None = None) -> Capture:
        """The copy at a place. Raises CopyMissingError if it is not there, or not as it was written.

        `digest`: that of its octets, if it is known what it must be.
        """
        octets = b"".join(self._octets(place))
        if digest is not None and hashlib.sha256(octets).hexdigest() != digest:
            raise CopyMissingError(f"the copy at octet {place.offset} of `{place.file}` is not the one that was kept")
        try:
            return record.capture(octets)
        except record.RecordError as error:
            raise CopyMissingError(f"the copy at octet {place.offset} of `{place.file}` is damaged: {error}") from error

    def rewrite(self, file: str, keep: Sequence[Place]) -> tuple[str | None, dict[Place, Place]]:
        """Writes a file with nothing but the copies `keep`, as they are, beside the old one, and syncs it.

        Gives its name, None if nothing is to be kept, and where each copy is now. The old file stands until `remove`.

        Raises:
            CopyMissingError: a place is not in the file; nothing was changed.
            CopyUnreadableError: a place cannot be read now; nothing was changed.
            OSError: of the disk.
        """
        if strange := next((place for place in keep if place.file != file), None):
            raise CopyMissingError(f"the copy at octet {strange.offset} of `{strange.file}` is not in `{file}`")
        with self._lock:
            if self._current is not None and self._current[0] == file:
                self._current = None
            if not keep:
                return None, {}
            new = self._name()
            moved: dict[Place, Place] = {}
            with self._beginning(new) as descriptor:
                at = _put(descriptor, record.information(new, _software()))
                for place in sorted(set(keep)):
                    moved[place] = Place(new, at, place.length)
                    for octets in self._octets(place):
                        at += _put(descriptor, octets)
            return new, moved

    def remove(self, file: str) -> None:
        """Takes a file away and syncs the directory; a file that is not there is away. Raises OSError."""
        with self._lock:
            if self._current is not None and self._current[0] == file:
                self._current = None
            if _NAME.fullmatch(file):
                self._path(file).unlink(missing_ok=True)
                self._sync_directory()

    def recover(self, committed: Mapping[str, int]) -> Recovered:
        """Takes away what does not count; `committed` has for each file that counts the end of what does.

        Raises:
            CopiesDamagedError: files that count are shorter than they were; all others are recovered.
            OSError: of the disk.
        """
        with self._lock:
            cut: dict[str, int] = {}
            removed: list[str] = []
            damaged: list[str] = []
            there = self.files()
            for name in there:
                path = self._path(name)
                end, size = committed.get(name), path.stat().st_size
                if end is None:
                    path.unlink()
                    removed.append(name)
                elif size > end:
                    self._cut(path, end)
                    cut[name] = size - end
                elif size < end:
                    damaged.append(f"`{name}` has {size} octets of {end}")
            if removed:
                self._sync_directory()
            if self._current is not None:
                name, at = self._current
                held = committed.get(name, 0)
                self._current = (name, held) if 0 < held <= at and name not in removed else None
            self._serial = max([self._serial, *map(_serial, committed)])
            if damaged:
                raise CopiesDamagedError(f"copies in {self._directory} are lost: {'; '.join(damaged)}")
            return Recovered(cut, tuple(removed), tuple(sorted(set(committed) - set(there))))

    def _batches(self, captures: Sequence[Capture]) -> Iterator[tuple[str, int, bytes, list[int]]]:
        """What goes into which file: its name, where, the octets, the lengths of the copies that end them."""
        packed = [record.members(capture) for capture in captures]
        at = 0
        while at < len(packed):
            file, start = self._current or ("", self._rotate)
            parts: list[bytes] = []
            if not file or start >= self._rotate:
                file, start = self._name(), 0
                parts.append(record.information(file, _software()))
            size = start + sum(map(len, parts))
            lengths: list[int] = []
            # One copy at least, however little a file may have.
            while at < len(packed) and (not lengths or size < self._rotate):
                parts.append(packed[at])
                lengths.append(len(packed[at]))
                size += len(packed[at])
                at += 1
            yield file, start, b"".join(parts), lengths

    def _undo(self, done: list[tuple[str, int]]) -> None:
        """Removes octets that do not count, as far as the disk allows: `recover` does it for certain."""
        for file, start in done:
            with suppress(OSError):
                if start:
                    self._cut(self._path(file), start)
                else:
                    self._path(file).unlink()

    def _write(self, file: str, start: int, octets: bytes) -> None:
        path = self._path(file)
        descriptor = os.open(path, os.O_WRONLY)
        try:
            if os.fstat(descriptor).st_size != start:
                raise OSError(f"`{path}` is not as long as it was left")
            os.lseek(descriptor, start, os.SEEK_SET)
            try:
                _put(descriptor, octets)
                self._fsync(descriptor)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(descriptor, start)
                raise
        finally:
            os.close(descriptor)

    def _create(self, file: str, octets: bytes) -> None:
        with self._beginning(file) as descriptor:
            _put(descriptor, octets)

    @contextmanager
    def _beginning(self, file: str) -> Iterator[int]:
        """A new file, synced with its directory at the end; it goes if that fails."""
        made = [directory for directory in (self._directory, *self._directory.parents) if not directory.exists()]
        for directory in reversed(made):
            directory.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
            self._sync(directory.parent)
        path = self._path(file)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        try:
            try:
                yield descriptor
                self._fsync(descriptor)
            finally:
                os.close(descriptor)
            self._sync_directory()
        except (OSError, CopyMissingError):
            with suppress(OSError):
                path.unlink()
            raise

    def _octets(self, place: Place) -> Iterator[bytes]:
        try:
            with open_regular(self._path(place.file)) as stream:
                stream.seek(place.offset)
                left = place.length
                while left and (octets := stream.read(min(left, _CHUNK))):
                    left -= len(octets)
                    yield octets
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise _missing(error)(
                f"the copy at octet {place.offset} of `{place.file}` cannot be read: {why}"
            ) from error
        if left:
            raise CopyMissingError(f"the copy at octet {place.offset} of `{place.file}` ends {left} octets too early")

    def _cut(self, path: Path, end: int) -> None:
        descriptor = os.open(path, os.O_WRONLY)
        try:
            os.ftruncate(descriptor, end)
            self._fsync(descriptor)
        finally:
            os.close(descriptor)

    def _path(self, file: str) -> Path:
        if not _NAME.fullmatch(file):
            raise CopyMissingError(f"`{file}` is not a name of a file with copies")
        return self._directory / file

    def _name(self) -> str:
        """A name that no file has or had since this object began."""
        self._serial = max([self._serial, *map(_serial, self.files())]) + 1
        return f"acap-{self._clock.now():%Y%m%dT%H%M%S}-{self._serial:05}.warc.gz"

    def _sync_directory(self) -> None:
        if self._directory.is_dir():
            self._sync(self._directory)

    def _sync(self, directory: Path) -> None:
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            self._fsync(descriptor)
        finally:
            os.close(descriptor)


def _missing(error: Exception) -> type[CopyMissingError]:
    """The meaning of an error of reading a copy: it is missing, or that is unknown."""
    is_there = isinstance(error, OSError) and not isinstance(error, FileNotFoundError)
    return CopyUnreadableError if is_there else CopyMissingError


def _put(descriptor: int, octets: bytes) -> int:
    """Writes all octets, however many calls that takes."""
    view = memoryview(octets)
    while view:
        view = view[os.write(descriptor, view) :]
    return len(octets)


def _is_ours(path: Path) -> bool:
    return _NAME.fullmatch(path.name) is not None and stat.S_ISREG(path.lstat().st_mode)


def _serial(name: str) -> int:
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else 0


def _software() -> str:
    return f"acap/{version('acap')}"

"""Parts of an archive that workers read by themselves: whole gzip members, and nothing but these.

Where a member begins is known from the one before alone: a server chose the octets in the midst of one, which may look
like another archive. So a part has to begin where a member does. `warc_splits` finds out where that is, which takes as
long as unpacking. `likely_splits` guesses at once: a guess is right if the parts before it are, and are whole.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from os import SEEK_CUR, SEEK_END, SEEK_SET
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from acap.archives.members import MAGIC, BrokenError, gzip_members, is_gzip, member_within

_OCTETS = 64 * 2**20
"""Of a part: a few thousand pages, which take some seconds."""

_BUFFER = 1 << 20
ANY = re.compile(rb"WARC/")
"""What a part of an archive may begin with whose records are read by themselves."""

FIRST = re.compile(
    rb"WARC/\d\.\d\r?\n(?:[^\r\n]+\r?\n)*?WARC-Type:[ \t]*(?:request|response|warcinfo)[ \t]*\r?\n", re.IGNORECASE
)
"""What a part may begin with: not with metadata, which are of the response before them."""


class WarcSplit(NamedTuple):
    """A part of an archive: whole records, from an offset on. A `length` of None leads to the end of the file."""

    path: str
    offset: int = 0
    length: int | None = None

    @property
    def part(self) -> tuple[int, int] | None:
        """Offset and length as `read_warc` takes them; None for a whole file."""
        if self.offset == 0 and self.length is None:
            return None
        return self.offset, Path(self.path).stat().st_size - self.offset if self.length is None else self.length

    @property
    def begins(self) -> bool:
        """Whether it begins where a gzip member or a record may. Raises OSError if it cannot be opened."""
        with Path(self.path).open("rb") as stream:
            stream.seek(self.offset)
            return self.offset == 0 or stream.read(5).startswith((MAGIC, b"WARC/"))


def warc_splits(path: Path | str, octets: int = _OCTETS) -> Iterator[WarcSplit]:
    """The parts of an archive, each of about so many octets or one member; all of a file that is not packed by records.

    Raises:
        OSError: it cannot be opened.
    """
    damages: list[int] = []
    ends: list[int] = []
    with Path(path).open("rb", buffering=_BUFFER) as stream:
        size = stream.seek(0, SEEK_END)
        stream.seek(0)
        if is_gzip(stream):
            for begin, feed in gzip_members(stream, lambda offset, *_, **__: damages.append(offset)):
                ends.append(begin)
                try:
                    while feed.skip(_BUFFER):
                        pass
                except BrokenError:
                    damages.append(begin)
    start = 0
    # Behind damage it is not known where a member begins: what follows is read with what is before it.
    for end in (*(one for one in ends if not damages or one <= min(damages)), size):
        if end - start >= octets or (end == size and (size > start or not size)):
            yield WarcSplit(str(path), start, end - start)
            start = end


def likely_splits(path: Path | str, octets: int = _OCTETS, beginning: re.Pattern[bytes] = FIRST) -> Iterator[WarcSplit]:
    """The parts of an archive, each of about so many octets, that begin where members seem to begin.

    The first one begins where the file does. Another one counts if all of those before it count and were read whole
    (`read_warc` calls `on_whole`); from the first one that was not, the rest of the file is one part.

    Raises:
        OSError: it cannot be opened.
    """
    starts = [0]
    with Path(path).open("rb", buffering=_BUFFER) as stream:
        size = stream.seek(0, SEEK_END)
        if member_within(stream, 0, 1, ANY) == 0:
            for place in range(octets, size, octets):
                member = member_within(stream, place, place + octets, beginning)
                if member is not None:
                    starts.append(member)
    for start, end in zip(starts, (*starts[1:], size), strict=True):
        yield WarcSplit(str(path), start, end - start)


def opened_part(path: Path, part: tuple[int, int] | None) -> BinaryIO:
    """A file for reading, or a part of it. Raises OSError."""
    if part is None:
        return path.open("rb", buffering=_BUFFER)
    return cast(BinaryIO, io.BufferedReader(_PartOfFile(path, *part), _BUFFER))


class _PartOfFile(io.RawIOBase):
    """Some octets of a file as a file of its own."""

    def __init__(self, path: Path, offset: int, length: int) -> None:
        self._stream = path.open("rb", buffering=0)
        self._offset, self._length, self._at = offset, length, 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """It can be read from anywhere."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # a buffer of any kind
        """Reads what there is of it."""
        left = max(0, min(len(buffer), self._length - self._at))
        self._stream.seek(self._offset + self._at)
        count: int = self._stream.readinto(memoryview(buffer)[:left]) or 0
        self._at += count
        return count

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Goes to a place in it."""
        self._at = offset + {SEEK_SET: 0, SEEK_CUR: self._at, SEEK_END: self._length}[whence]
        return self._at

    def close(self) -> None:
        """Closes the file."""
        self._stream.close()
        super().close()

"""The octets of an archive, as they come: of gzip member after member, or plain; broken members are passed over."""

from __future__ import annotations

import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from io import SEEK_END
from typing import Any, BinaryIO, cast

from acap import _native

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_WINDOW = 2**27  # octets that unpacking may look back at
ZSTD_SKIPPED = b"\x5d\x2a\x4d\x18"  # a frame that is skipped (RFC 8878 3.1.2), by which archives bring a dictionary
MAGIC = b"\x1f\x8b\x08"  # every member begins with it (RFC 1952 2.3)

_PIECE = 1 << 15
_AHEAD = 1 << 20  # octets read ahead, and most of a member that is unpacked at once
_BEGINNING = 512  # octets of a member by which it is known
_END = 16  # octets by which the end of a stream of Zstandard is known
_MOST_OF_DICTIONARY = 2**24  # octets; usual ones have 100 KB
_AGAIN = 2**30
"""Octets that may be read again behind broken members, each time from the next possible one; sixteen times those of the
file are added."""


class BrokenError(Exception):
    """The octets are not what they should be; `hides`: other records may be in what is passed over for it."""

    def __init__(self, message: str, *, hides: bool = False) -> None:
        super().__init__(message)
        self.hides = hides


class UnreadableError(Exception):
    """A whole record whose capture cannot be read."""


class Feed:
    """Octets taken by lines and by counts; `taken` is how many were."""

    def __init__(self, pieces: Iterator[bytes], held: bytes = b"") -> None:
        """`held` are the first octets, before the pieces."""
        self._pieces = pieces
        self._held = held
        self._at = 0  # what is before it was taken
        self._passed = 0  # octets taken before those that are held

    @property
    def taken(self) -> int:
        return self._passed + self._at

    def _hold(self, held: bytes) -> None:
        self._passed += self._at
        self._held, self._at = held, 0

    def _more(self) -> bool:
        if piece := next(self._pieces, b""):
            self._hold(self._held[self._at :] + piece)
        return bool(piece)

    def _give(self, end: int) -> bytes:
        """The octets that are held to a place, which is behind the last one if there are no more."""
        given = self._held[self._at : end]
        self._at += len(given)
        return given

    def line(self, limit: int) -> bytes:
        """The next line with its end, or so much of it; nothing at the end. Raises BrokenError."""
        searched = 0
        while (end := self._held.find(b"\n", self._at + searched, self._at + limit)) < 0:
            searched = len(self._held) - self._at
            if searched >= limit or not self._more():
                return self._give(self._at + limit)
        return self._give(end + 1)

    def fields(self, end: bytes, limit: int) -> dict[str, str] | None:
        """Takes the fields of a record with the blank line behind them, if they are at hand and nothing is unusual."""
        read = _native.record_fields(self._held, self._at, end, limit)
        if read is None:
            return None
        self._at = read[1]
        return read[0]

    def take(self, count: int) -> bytes:
        """The next `count` octets, or fewer at the end. Raises BrokenError."""
        end = self._at + count
        return self._give(end) if end <= len(self._held) else self._gather(count)

    def _gather(self, count: int) -> bytes:
        """The same of more octets than are held; if they break off, those that came are held."""
        parts = [self._held[self._at :]]
        missing = count - len(parts[0])
        try:
            while missing > 0 and (piece := next(self._pieces, b"")):
                parts.append(piece)
                missing -= len(piece)
        except BrokenError:
            self._hold(b"".join(parts))
            raise
        behind = b""
        if missing < 0:
            parts[-1], behind = parts[-1][:missing], parts[-1][missing:]
        given = b"".join(parts)
        self._at += len(given)
        self._hold(behind)
        return given

    def pass_over(self, octets: bytes) -> int:
        """Takes these octets if they are next and at hand; gives how many were taken."""
        if not self._held.startswith(octets, self._at):
            return 0
        self._at += len(octets)
        return len(octets)

    def rest(self) -> bytes:
        """What came and was not taken."""
        return self._give(len(self._held))

    def skip(self, count: int) -> int:
        """Skips `count` octets, or fewer at the end; gives how many there were. Raises BrokenError."""
        passed = 0
        while passed < count and (self._at < len(self._held) or self._more()):
            step = min(count - passed, len(self._held) - self._at)
            self._at += step
            passed += step
        return passed


def pieces(stream: BinaryIO) -> Iterator[bytes]:
    """A stream from its beginning, piece by piece; one that is packed with Zstandard is unpacked.

    Raises ImportError where that is needed and `zstandard` is not installed, BrokenError behind octets that are not
    Zstandard's.
    """
    head = stream.read(len(ZSTD_MAGIC))
    stream.seek(0)
    return _unpacked(stream, head) if _is_zstd(head) else iter(lambda: stream.read(_PIECE), b"")


def _is_zstd(head: bytes) -> bool:
    """Whether a frame begins there, or one that is skipped (RFC 8878 3.1)."""
    return head.startswith(ZSTD_MAGIC) or (head[1:4] == ZSTD_SKIPPED[1:] and 0x50 <= head[0] < 0x60)


def _unpacked(stream: BinaryIO, head: bytes) -> Iterator[bytes]:
    import zstandard  # few archives are packed with it

    try:
        dictionary = _dictionary(stream) if head == ZSTD_SKIPPED else None
        unpacking = zstandard.ZstdDecompressor(dictionary, max_window_size=_WINDOW)
        # The reader does not tell a frame that is cut from the end, so that another one behind it has to be read.
        end = os.urandom(_END)
        behind = _Followed(stream, zstandard.ZstdCompressor().compress(end))
        held = b""
        with unpacking.stream_reader(cast(BinaryIO, behind), read_across_frames=True, closefd=False) as reader:
            while piece := reader.read(_PIECE):
                held += piece
                if len(held) > _END:
                    yield held[:-_END]
                    held = held[-_END:]
    except zstandard.ZstdError as error:
        raise BrokenError(f"it cannot be unpacked ({error})") from error
    if held != end:
        if held:
            yield held
        raise BrokenError("it cannot be unpacked (its last frame ends too early)")


def _dictionary(stream: BinaryIO) -> Any:
    """The dictionary at the beginning of an archive (WARC with Zstandard 1.0), perhaps packed itself."""
    import zstandard

    length = int.from_bytes(stream.read(8)[4:], "little")
    octets = stream.read(min(length, _MOST_OF_DICTIONARY))
    if len(octets) < length:
        raise BrokenError("its dictionary ends too early, or is too long")
    if octets.startswith(ZSTD_MAGIC):
        octets = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(octets).read(_MOST_OF_DICTIONARY)
    return zstandard.ZstdCompressionDict(octets)


class _Followed:
    """A stream with some octets behind it."""

    def __init__(self, stream: BinaryIO, behind: bytes) -> None:
        self._stream = stream
        self._behind = behind

    def read(self, count: int) -> bytes:
        """Some octets; none at the end."""
        if octets := self._stream.read(count):
            return octets
        octets, self._behind = self._behind[:count], self._behind[count:]
        return octets


def is_gzip(stream: BinaryIO) -> bool:
    """Whether a gzip member begins in the first octets of a file; leaves it at its beginning."""
    head = stream.read(4096)
    stream.seek(0)
    return MAGIC in head and not head.startswith((b"WARC/", b"filedesc:")) and not _is_zstd(head)


def gzip_members(
    stream: BinaryIO, report: Callable[..., None], on_whole: Callable[[], None] = lambda: None
) -> Iterator[tuple[int, Feed]]:
    """Each gzip member: where it begins, and its octets, which raise BrokenError where they end too early.

    Octets that are not a member are reported once, up to the next one, even zeros: what they replaced is unknown. If
    so much is broken that reading stops, that is reported as `is_end`. `on_whole` is called at the end if nothing was
    broken: each member begins where the one before ends then, and the last one ends where the stream does.
    """
    start, is_whole = 0, True
    left = _AGAIN + 16 * stream.seek(0, SEEK_END)
    ahead = _Ahead(stream)
    while True:
        if not (head := ahead.beginning(start)):
            if is_whole:
                on_whole()
            return
        if head != MAGIC:
            report(start, "here is no gzip member")
            is_whole = False
            start = _next(stream, start)
            if start < 0:
                return
            continue
        if (whole := ahead.member(start)) is not None:
            yield start, Feed(iter(()), whole[0])
            start = whole[1]
            continue
        member = _Member(stream, start)
        octets = iter(member)
        yield start, Feed(octets)
        try:
            for _ in octets:
                pass
        except BrokenError:
            pass
        is_whole = is_whole and member.end is not None
        if member.end is None and (left := left - member.read) < 0:
            report(start, "so much is broken that reading stops here", is_end=True)
            return
        # Behind a broken member no octet is known to be of it.
        following = member.end if member.end is not None else _next(stream, start + 1)
        if following < 0:
            return
        if member.end is None and not member.is_broken:
            report(start, "members behind it were taken for its octets")
        start = following


class _Ahead:
    """Octets of a stream that were read ahead: nearly every member is whole within them, and small.

    All others are read by `_Member`, which alone tells what of a member counts and why it is broken.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._held = b""
        self._base = 0

    def _read(self, start: int) -> None:
        self._stream.seek(start)
        self._held, self._base = self._stream.read(_AHEAD), start

    def beginning(self, start: int) -> bytes:
        """The octets by which a member is known, or fewer at the end."""
        at = start - self._base
        if at + len(MAGIC) > len(self._held):
            self._read(start)
            at = 0
        return self._held[at : at + len(MAGIC)]

    def member(self, start: int) -> tuple[bytes, int] | None:
        """The octets of the member that begins there, and where it ends, if it is whole, and small."""
        octets, end = _native.gzip_member(self._held, start - self._base, _AHEAD)
        if octets is None and end == len(self._held) and start > self._base:
            self._read(start)
            octets, end = _native.gzip_member(self._held, 0, _AHEAD)
        return None if octets is None else (octets, self._base + end)


class _Member:
    """The decompressed octets of one member; `end` is known when it was read to its end."""

    def __init__(self, stream: BinaryIO, start: int) -> None:
        self._stream = stream
        self._start = self._at = start
        self._pack = zlib.decompressobj(31)
        self.end: int | None = None
        self.is_broken = False

    @property
    def read(self) -> int:
        """Number of packed octets read of it."""
        return self._at - self._start

    def __iter__(self) -> Iterator[bytes]:
        while self.end is None:
            octets = self._pack.unconsumed_tail
            if not octets:
                self._stream.seek(self._at)
                octets = self._stream.read(_PIECE)
                self._at += len(octets)
                if not octets:
                    raise BrokenError("the gzip member ends too early")
            try:
                piece = self._pack.decompress(octets, 4 * _PIECE)
            except zlib.error as error:
                self.is_broken = True
                raise BrokenError(f"the gzip member is broken ({error})", hides=True) from error
            if self._pack.eof:
                self.end = self._at - len(self._pack.unused_data)
            if piece:
                yield piece


def member_within(stream: BinaryIO, start: int, end: int, beginning: re.Pattern[bytes]) -> int | None:
    """Where the first member between two places may begin that unpacks to such a beginning; None if there is none.

    A server that chose the octets in the midst of a member may have made them look like one.
    """

    def begins(at: int) -> bool:
        return beginning.match(_unpacked_beginning(stream, at)) is not None

    at = _next(stream, start, begins, end)
    return None if at < 0 else at


def _next(stream: BinaryIO, start: int, begins: Callable[[int], bool] | None = None, until: int = sys.maxsize) -> int:
    """Where the next member begins that unpacks to the beginning of a record; -1 if there is none."""
    begins = begins or (lambda at: _unpacked_beginning(stream, at, 64).startswith(b"WARC/"))
    stream.seek(start)
    held, base = b"", start
    while base < until and (piece := stream.read(_PIECE)):
        held += piece
        at = held.find(MAGIC)
        while at >= 0:
            if base + at >= until:
                return -1
            if begins(base + at):
                return base + at
            at = held.find(MAGIC, at + 1)
        base += len(held) - 2
        held = held[-2:]
        stream.seek(base + len(held))
    return -1


def _unpacked_beginning(stream: BinaryIO, start: int, most: int = _BEGINNING) -> bytes:
    """The first octets of what is a member there; empty if there is none."""
    stream.seek(start)
    try:
        return zlib.decompressobj(31).decompress(stream.read(_BEGINNING), most)
    except zlib.error:
        return b""

"""A body as it comes in, decoded and bounded: at most the limit is ever in memory, however long the body.

Whether a body is whole is asked here alone, of a response from the network and of one from an archive (`check_whole`).

A coded body is decoded step by step with the room that is left, so a bomb costs what a plain body of the limit costs.
Codings that were not offered are refused: a body that cannot be read permits nothing.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Sequence
from typing import Any, Protocol

from acap.pages.headers import codings, named_part
from acap.retrieval.answers import Headers

# A coded body may carry more octets than it yields, but not many: room for headers, checksums and empty members.
OVERHEAD_OCTETS = 65_536
_GZIP_MAGIC = b"\x1f\x8b"
_DIGITS = 18  # of a length that can be
_SHOWN = 40  # letters of a response, in an error


class CodingError(Exception):
    """The body is in a coding that was not offered, or breaks the rules of its coding."""


class CutBodyError(Exception):
    """The body ended before its coding did."""


_BODILESS = frozenset({*range(100, 200), 204, 304})  # RFC 9110 6.4.1: what their fields say of a body isn't theirs


def check_whole(status: int, headers: Headers, received: int, *, is_unchunked: bool) -> None:
    """Raises CutBodyError if a body is not whole by what its response said of it.

    `received` is how many octets came, without their transfer coding and with their content coding. That they break off
    within their coding is found by decoding them: `Body`, for chunks whoever takes them apart. `is_unchunked`: if any
    were named, somebody has taken them apart, to the last.
    """
    if status in _BODILESS:
        return
    fields: dict[str, list[str]] = {}
    for name, value in headers:
        fields.setdefault(name.lower(), []).append(value)
    ranges = [("content-range", value) for value in fields.get("content-range", ())]
    if 200 <= status < 300 and (part := named_part(ranges)):
        raise CutBodyError(f"a part of it came (`{part}`)")
    transfer = content_codings(fields.get("transfer-encoding", ()))
    if transfer not in ([], ["chunked"]):
        raise CutBodyError(f"nothing here takes off the transfer coding `{', '.join(transfer)[:_SHOWN]}`")
    if transfer and is_unchunked:
        return  # RFC 9112 6.3: the chunks say where it ends, whatever other fields say
    lengths = {length.strip() for value in fields.get("content-length", ()) for length in value.split(",")}
    for length in lengths:
        # One that cannot be read may have been any: doubt never permits.
        if not (length.isascii() and length.isdigit()) or len(length) > _DIGITS or received < int(length):
            raise CutBodyError(f"{received} octets came of `{length[:_DIGITS]}` that were said")
    if content_codings(fields.get("content-encoding", ())) and not received and not lengths:
        raise CutBodyError("nothing came of a coded body")


def content_codings(fields: Sequence[str]) -> list[str]:
    """The codings that values of Content-Encoding, or of Transfer-Encoding, name."""
    return [name for value in fields for name in codings(value)]


def decoder_of(fields: Sequence[str]) -> Decoder | None:
    """What decodes a body with these values of Content-Encoding; None if they name no coding.

    Raises CodingError for a coding that was not offered, or more than one.
    """
    names = content_codings(fields)
    named = [name.removeprefix("x-") for name in names]  # RFC 9110 8.4.1.3: x-gzip is gzip
    if len(named) > 1 or (named and named[0] not in _DECODERS):
        raise CodingError(f"a body coded as `{', '.join(names)}` was not asked for")
    return _DECODERS[named[0]]() if named else None


class Body:
    """Takes the octets of one body as they arrive."""

    def __init__(self, codings: Sequence[str], limit: int) -> None:
        """`codings` are the values of Content-Encoding; `limit` is in decoded octets.

        Raises CodingError for a coding that was not offered, or more than one.
        """
        self._decoder = decoder_of(codings)
        self._limit = limit
        self._taken = 0
        self._decoded = bytearray()

    @property
    def received(self) -> int:
        """Octets taken so far, coded."""
        return self._taken

    def feed(self, octets: bytes) -> bool:
        """Takes the next octets; False if no more are wanted, for the limit is passed.

        Raises CodingError for octets that break the coding.
        """
        room = self._limit + 1 - len(self._decoded)
        self._taken += len(octets)
        if self._decoder is None:
            self._decoded += octets[:room]
        else:
            if self._taken > self._limit + OVERHEAD_OCTETS:
                raise CodingError(f"{self._taken} coded octets yielded only {len(self._decoded)}")
            self._decoded += self._decoder.decode(octets, room)
        return len(self._decoded) <= self._limit

    def finish(self) -> tuple[bytes, bool]:
        """The decoded octets, and whether the limit cut them; of a cut body the line that was cut is dropped.

        Raises CutBodyError if a coded body ended too early.
        """
        if len(self._decoded) > self._limit:
            return _whole_lines(bytes(self._decoded[: self._limit])), True
        if self._decoder is not None and self._taken and not self._decoder.ended():
            raise CutBodyError("the coded body is not complete")
        return bytes(self._decoded), False


def offered() -> str:
    """The value of Accept-Encoding: the codings that can be decoded within bounds here."""
    return ", ".join(name for name in _DECODERS if name != "deflate")  # two forms go by that name; read, not asked for


class Decoder(Protocol):
    """What takes a body out of its coding."""

    def decode(self, octets: bytes, room: int) -> bytes:
        """What the octets yield; little more than `room` octets, which is at least one."""
        ...

    def ended(self) -> bool:
        """Whether the coded body is complete."""
        ...


class _Gzip:
    """RFC 1952: one or more members. NULs behind the last are padding; all else there is of a member that is broken."""

    def __init__(self) -> None:
        self._member: Any = None
        self._waiting = b""
        self._members = 0
        self._over = False
        self._broken = False

    def decode(self, octets: bytes, room: int) -> bytes:
        out = bytearray()
        self._waiting += octets
        while len(out) < room and self._waiting:
            if self._member is None:
                if self._members and not self._waiting.startswith(_GZIP_MAGIC):
                    if _GZIP_MAGIC.startswith(self._waiting) and not self._over:
                        break
                    self._over = True
                if self._over:
                    self._broken = self._broken or not _is_padding(self._waiting)
                    self._waiting = b""
                    break
                self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                out += self._member.decompress(self._waiting, room - len(out))
            except zlib.error as error:
                raise CodingError(f"the gzip body is broken: {error}") from error
            self._waiting = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
            if self._member.eof:
                self._member = None
                self._members += 1
        return bytes(out)

    def ended(self) -> bool:
        return self._members > 0 and self._member is None and not self._waiting and not self._broken


class _Deflate:
    """RFC 9110 8.4.1.2 means the zlib format; many servers send bare deflate, which never starts with a zlib header.

    Behind its end only padding may stand.
    """

    def __init__(self) -> None:
        self._start = b""
        self._stream: Any = None
        self._broken = False

    def decode(self, octets: bytes, room: int) -> bytes:
        if self._stream is None:
            self._start += octets
            if len(self._start) < 2:
                return b""
            first, second = self._start[:2]
            is_zlib = first & 0x0F == 8 and (first << 8 | second) % 31 == 0  # RFC 1950 2.2
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
            octets = self._start
        if self._stream.eof:
            self._broken = self._broken or not _is_padding(octets)
            return b""
        try:
            out = bytes(self._stream.decompress(octets, room))
        except zlib.error as error:
            raise CodingError(f"the deflate body is broken: {error}") from error
        self._broken = not _is_padding(self._stream.unused_data)
        return out

    def ended(self) -> bool:
        return self._stream is not None and bool(self._stream.eof) and not self._broken


class _Brotli:
    """RFC 7932, through the brotli package where it is installed in a version that can be bounded."""

    def __init__(self) -> None:
        self._brotli = importlib.import_module("brotli")
        self._stream = self._brotli.Decompressor()

    def decode(self, octets: bytes, room: int) -> bytes:
        out = bytearray()
        try:
            out += self._stream.process(octets, output_buffer_limit=room)
            while len(out) < room and not self._stream.can_accept_more_data():
                more = self._stream.process(b"", output_buffer_limit=room - len(out))
                if not more:
                    raise CodingError("the br body is broken: it yields nothing and takes nothing")
                out += more
        except self._brotli.error as error:
            raise CodingError(f"the br body is broken: {error}") from error
        return bytes(out)

    def ended(self) -> bool:
        return bool(self._stream.is_finished())


def _is_padding(octets: bytes) -> bool:
    return not octets.strip(b"\0")


def _whole_lines(octets: bytes) -> bytes:
    """The octets up to the last end of line; all of them if there is none: the reader itself judges overlong lines."""
    end = max(octets.rfind(b"\n"), octets.rfind(b"\r"))
    return octets[: end + 1] if end >= 0 else octets


def _brotli_is_bounded() -> bool:
    try:
        brotli = importlib.import_module("brotli")
    except ImportError:
        return False
    return hasattr(getattr(brotli, "Decompressor", None), "can_accept_more_data")


_DECODERS: dict[str, type[_Gzip] | type[_Deflate] | type[_Brotli]] = {"gzip": _Gzip, "deflate": _Deflate}
if _brotli_is_bounded():
    _DECODERS["br"] = _Brotli

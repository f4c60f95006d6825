"""Whether a body that passes by is whole: for who gets it decoded by a client that says nothing of a missing end.

Law: a body is whole only if that was seen. A coding that is not known here, several codings, and what lies beyond the
limit are doubts. The body is not kept in memory, whatever its size.
"""

from __future__ import annotations

from collections.abc import Generator

from acap.retrieval.answers import Headers, values
from acap.retrieval.body import CodingError, CutBodyError, Decoder, check_whole, content_codings, decoder_of

MAX_OCTETS = 64 * 2**20
"""Most octets examined, coded as well as decoded; a page has fewer."""

_STEP = 16_384


class Passing:
    """The body of one response, fed with its octets as they came over the wire."""

    def __init__(self, status: int, headers: Headers) -> None:
        self._status = status
        self._headers = headers
        self._received = 0
        self._decoded = 0
        self._fault = ""
        self._decoder: Decoder | _Zstandard | None = None
        codings = values(headers, "content-encoding")
        try:
            is_zstd = content_codings(codings) == ["zstd"]
            self._decoder = _Zstandard() if is_zstd else decoder_of(codings)
        except CodingError as error:
            self._fault = str(error)

    @property
    def decoded(self) -> int | None:
        """How many octets came out of the coding; None if nothing was taken out here."""
        return None if self._fault or isinstance(self._decoder, _Zstandard) else self._decoded

    def feed(self, octets: bytes) -> None:
        """Takes the next octets; never raises."""
        self._received += len(octets)
        if self._fault:
            return
        if self._decoder is None:
            self._decoded += len(octets)
            return
        if self._received > MAX_OCTETS:
            self._fault = f"its coding was not looked at beyond {MAX_OCTETS} octets"
            return
        for at in range(0, len(octets), _STEP):
            try:
                room = MAX_OCTETS + 1 - self._decoded
                self._decoded += len(self._decoder.decode(octets[at : at + _STEP], room))
            except CodingError as error:
                self._fault = str(error)
                return
            if self._decoded > MAX_OCTETS:
                self._fault = f"its coding was not looked at beyond {MAX_OCTETS} octets"
                return

    def fault(self) -> str:
        """Why the body is not known to be whole now that it has ended; empty if it is."""
        if self._fault:
            return self._fault
        try:
            check_whole(self._status, self._headers, self._received, is_unchunked=True)
        except CutBodyError as error:
            return str(error)
        if self._decoder is not None and self._received and not self._decoder.ended():
            return "the coded body is not complete"
        return ""


class _Zstandard:
    """RFC 8878 3.1: frames by the lengths that they name, of which nothing has to be decoded."""

    def __init__(self) -> None:
        self._steps = self._frames()
        self._frames_read = 0
        self._taken = bytearray()
        self._want = next(self._steps)

    def decode(self, octets: bytes, room: int) -> bytes:  # noqa: ARG002  # as of those that do
        """Nothing. Raises CodingError for octets that are no frame."""
        at = 0
        while at < len(octets):
            # What is skipped is negative.
            wanted = self._want - len(self._taken) if self._want > 0 else -self._want
            part = octets[at : at + wanted]
            at += len(part)
            if self._want > 0:
                self._taken += part
                if len(self._taken) < self._want:
                    break
            else:
                self._want += len(part)
                if self._want:
                    break
            taken, self._taken = bytes(self._taken), bytearray()
            self._want = self._steps.send(taken)
        return b""

    def ended(self) -> bool:
        """Whether the last frame is complete, and there was one."""
        return self._frames_read > 0 and self._want == _MAGIC_OCTETS and not self._taken and self._between

    def _frames(self) -> Generator[int, bytes, None]:
        while True:
            self._between = True
            magic = int.from_bytes((yield _MAGIC_OCTETS), "little")
            self._between = False
            if magic & ~0xF == _SKIPPABLE:
                if length := int.from_bytes((yield 4), "little"):
                    yield -length
            elif magic == _FRAME:
                yield from self._blocks()
                self._frames_read += 1
            else:
                raise CodingError("the zstd body is broken: no frame begins where one must")

    def _blocks(self) -> Generator[int, bytes, None]:
        (descriptor,) = yield 1
        single, sized = descriptor >> 5 & 1, descriptor >> 6
        size_octets = (single, 2, 4, 8)[sized]
        if rest := (1 - single) + (0, 1, 2, 4)[descriptor & 3] + size_octets:
            yield -rest
        last = 0
        while not last:
            header = int.from_bytes((yield 3), "little")
            last, kind, size = header & 1, header >> 1 & 3, header >> 3
            if kind == _RESERVED:
                raise CodingError("the zstd body is broken: a block has the reserved type")
            if length := 1 if kind == _RUN else size:
                yield -length
        if descriptor >> 2 & 1:
            yield -4


_MAGIC_OCTETS = 4
_FRAME, _SKIPPABLE = 0xFD2FB528, 0x184D2A50
_RUN, _RESERVED = 1, 3

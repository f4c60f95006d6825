"""Captures of any WARC or ARC file: of other crawlers' as well as of ours.

The laws of this module:

1. What is damaged is reported and left out, and reading goes on behind it: at the next gzip member, or at the next line
   that begins a record. Nothing in a file raises.
2. A body is given whole and decoded, or not at all: a page that was cut may have lost what it prohibits.
3. Of no record more is held than the bound, decoded or not.
4. Of a response that is left out its headers are told, as far as they can be read: they may prohibit.

Requests, conversions and records about records are passed over, and of revisits, whose octets are elsewhere, the
headers are told; a `metadata` record of JSON that follows its response is the capture's metadata.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b32decode
from binascii import Error as Base32Error
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from acap.harvest.copies.capture import Capture
from acap.harvest.copies.members import BrokenError, Feed, UnreadableError, gzip_members, is_gzip, pieces
from acap.harvest.copies.record import original_headers
from acap.retrieval.answers import values
from acap.retrieval.body import Body, CodingError, CutBodyError, check_whole

if TYPE_CHECKING:
    from acap.retrieval.answers import Headers

MAX_OCTETS = 64 * 2**20
"""So many octets may a record have, and its body when it is decoded."""

_HEAD = 1 << 18  # octets of headers, of a record or a response
_CAPTURES = ("response", "resource")
_WORDS = (*_CAPTURES, "revisit")  # records of what a site said


@dataclass(frozen=True, slots=True)
class Damage:
    """What could not be read: in which file, at which octet (of the member, if it is gzip), and why.

    `url` and `at` are of the capture that it would have been, where the record's own fields could be read; `status` and
    `headers` of the response, 0 and none where they could not. `is_other`: it was no capture of what a site said.
    `is_end`: nothing behind it is read.
    """

    file: str
    offset: int
    message: str
    url: str | None = None
    at: datetime | None = None
    status: int = 0
    headers: Headers = ()
    is_other: bool = False
    is_end: bool = False

    def __str__(self) -> str:
        return f"{self.file}: octet {self.offset}: {self.message}"


@dataclass(frozen=True, slots=True)
class Revisit:
    """A response whose octets an archive has in another record, that of `refers_at` if it says so."""

    url: str
    at: datetime
    status: int
    headers: Headers
    refers_at: datetime | None


@dataclass(frozen=True, slots=True)
class _Record:
    """A record: its fields by lower-case names, its block."""

    fields: dict[str, str]
    block: bytes

    @property
    def kind(self) -> str:
        return self.fields.get("warc-type", "").lower()


def read_warc(
    path: Path,
    *,
    on_problem: Callable[[Damage], None] | None = None,
    on_revisit: Callable[[Revisit], None] | None = None,
    max_octets: int = MAX_OCTETS,
) -> Iterator[Capture]:
    """The captures of a file, in order; compressed or not, WARC of any version or ARC.

    Args:
        path: the file.
        on_problem: told of everything that could not be read, after the captures before it.
        on_revisit: told of responses whose octets are in another record.
        max_octets: larger records, and bodies that decode to more, are left out and reported.

    Raises:
        OSError: the file cannot be opened.
        ImportError: it is an ARC file, and warcio is not installed.
    """

    def report(
        offset: int,
        message: str,
        fields: Mapping[str, str] = MappingProxyType({}),
        block: bytes = b"",
        *,
        is_end: bool = False,
    ) -> None:
        if on_problem is not None:
            url, at = _meant(fields)
            status, headers, _ = _head(block) if url is not None else (0, (), 0)
            on_problem(Damage(str(path), offset, message, url, at, status, headers, _is_other(fields), is_end))

    yield from _captures(path, report, on_revisit or (lambda _: None), max_octets)


class Report(Protocol):
    """Told of damage: where, what, and the fields and the block of its record as far as they could be read."""

    def __call__(
        self, offset: int, message: str, fields: Mapping[str, str] = ..., block: bytes = ..., *, is_end: bool = ...
    ) -> None: ...


class _RecordBrokenError(BrokenError):
    """A record whose block is not what its fields say; `swallows`: other records may be in it."""

    def __init__(self, message: str, fields: Mapping[str, str], block: bytes = b"", *, swallows: bool = False) -> None:
        super().__init__(message)
        self.fields = fields
        self.block = block
        self.swallows = swallows


def _meant(fields: Mapping[str, str]) -> tuple[str | None, datetime | None]:
    """The URL and the instant of the capture that a record would have been; none where it is of another kind."""
    url = _url(fields)
    if fields.get("warc-type", "").lower() not in _WORDS or url is None:
        return None, None
    try:
        return url, _instant(fields.get("warc-date", ""))
    except UnreadableError:
        return url, None


def _is_other(fields: Mapping[str, str]) -> bool:
    """Whether a record is known to be no capture of what a site said by HTTP."""
    kind, url = fields.get("warc-type", "").lower(), fields.get("warc-target-uri", "")
    return bool(kind) and (kind not in _WORDS or (bool(url) and _url(fields) is None))


def _url(fields: Mapping[str, str]) -> str | None:
    url = fields.get("warc-target-uri", "").removeprefix("<").removesuffix(">")
    return url if url.lower().startswith(("http://", "https://")) else None


def _instant(when: str) -> datetime:
    try:
        at = datetime.fromisoformat(when)
    except ValueError:
        raise UnreadableError(f"the record has no date, but `{when}`") from None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _captures(path: Path, report: Report, revisit: Callable[[Revisit], None], limit: int) -> Iterator[Capture]:
    with path.open("rb", buffering=1 << 20) as stream:
        is_packed = is_gzip(stream)
        start = (
            next(gzip_members(stream, lambda *_: None), (0, Feed(iter(()))))[1] if is_packed else Feed(pieces(stream))
        )
        try:
            is_arc = start.line(_HEAD).startswith(b"filedesc:")
        except BrokenError:
            is_arc = False
        stream.seek(0)
        if is_arc:
            from acap.harvest.copies.arc import arc_captures

            yield from arc_captures(stream, report, limit, capture_of)
            return
        told: list[Callable[[], None]] = []  # damage of which nobody knows yet: captures before it come first

        def later(*damage: Any, **more: Any) -> None:
            told.append(partial(report, *damage, **more))

        feeds = gzip_members(stream, later) if is_packed else iter([(0, Feed(pieces(stream)))])
        waiting: tuple[str, Capture] | None = None
        for offset, record in _records(feeds, later, limit, is_packed=is_packed):
            if waiting is not None:
                yield _with_metadata(*waiting, record) if record is not None and not told else waiting[1]
                waiting = None
            while told:
                told.pop(0)()
            if record is None:
                continue
            try:
                found = _read(record, limit)
                if record.kind == "revisit":
                    _tell(record, revisit)
            except UnreadableError as error:
                report(offset, str(error), record.fields, record.block)
                continue
            if found is not None:
                waiting = record.fields.get("warc-record-id", ""), found
        if waiting is not None:
            yield waiting[1]
        while told:
            told.pop(0)()


def _tell(record: _Record, revisit: Callable[[Revisit], None]) -> None:
    """Tells of a revisit. Raises UnreadableError if it has no date."""
    fields, url = record.fields, _url(record.fields)
    if url is None:
        return
    at = _instant(fields.get("warc-date", ""))
    status, headers, _ = _head(record.block)
    try:
        refers_at = _instant(fields.get("warc-refers-to-date", ""))
    except UnreadableError:
        refers_at = None
    revisit(Revisit(url, at, status, headers, refers_at))


def _records(
    feeds: Iterator[tuple[int, Feed]], report: Report, limit: int, *, is_packed: bool
) -> Iterator[tuple[int, _Record | None]]:
    """Each whole record with its offset; none after damage was reported."""
    for start, feed in feeds:
        lost = False  # looking for a record's first line, in a file that is not compressed
        while True:
            offset = start if is_packed else feed.taken
            try:
                line = feed.line(_HEAD)
                if not line:
                    break
                if not line.strip() or (lost and not line.startswith(b"WARC/")):
                    continue
                lost = False
                record, whole = _record(line, feed, limit)
            except BrokenError as error:
                report(offset, str(error), getattr(error, "fields", {}), getattr(error, "block", b""))
                if not is_packed and getattr(error, "swallows", False):
                    report(offset, "records behind it were taken for its octets", is_end=True)
                yield offset, None
                if is_packed:
                    break
                lost = True
                continue
            if whole:
                yield offset, record
            elif record.kind in _WORDS:
                report(offset, f"the record has more than {limit} octets", record.fields, record.block)
                yield offset, None


def _record(line: bytes, feed: Feed, limit: int) -> tuple[_Record, bool]:
    """The record that a line begins, and whether its block is within the limit."""
    if not re.match(rb"WARC/\d+\.\d+\s*\Z", line):
        raise BrokenError("there is no record of WARC")
    fields: dict[str, str] = {}
    left = _HEAD
    while (line := feed.line(left)).strip():
        left -= len(line)
        if line.startswith((b" ", b"\t")):
            continue
        name, found, value = line.decode("utf-8", "replace").partition(":")
        if not found or left <= 0:
            raise BrokenError("the record's fields are unreadable")
        fields.setdefault(name.strip().lower(), value.strip())
    length = fields.get("content-length", "")
    if not line or not re.fullmatch("[0-9]{1,18}", length):
        raise _RecordBrokenError("the record has no length", fields)
    try:
        block = feed.take(min(int(length), limit))
        passed = feed.skip(int(length) - len(block))
    except BrokenError as error:
        raise _RecordBrokenError(str(error), fields, feed.rest()) from error
    if len(block) + passed < int(length):
        message = f"the record ends after {len(block) + passed} of {length} octets"
        raise _RecordBrokenError(message, fields, block, swallows=passed > 0 or b"\nWARC/" in block)
    return _Record(fields, block), not passed


def _with_metadata(number: str, capture: Capture, record: _Record) -> Capture:
    """The capture with the metadata that follows it, if the record is of that."""
    is_ours = record.kind == "metadata" and record.fields.get("warc-concurrent-to") == number
    if not is_ours or not record.fields.get("content-type", "").startswith("application/json"):
        return capture
    try:
        held = json.loads(record.block)
    except (ValueError, RecursionError):
        return capture
    return replace(capture, metadata=held) if isinstance(held, dict) else capture


def _read(record: _Record, limit: int) -> Capture | None:
    """The capture of a record; None if it is of another kind."""
    fields = record.fields
    url = _url(fields)
    if record.kind not in _CAPTURES or url is None:
        return None
    if "warc-truncated" in fields:
        raise UnreadableError(f"the record was cut when it was made ({fields['warc-truncated']})")
    if "warc-segment-number" in fields:
        raise UnreadableError("the record is one of several segments")
    if not _is_as_made(fields.get("warc-block-digest", ""), record.block):
        raise UnreadableError("the record's octets are not those of its digest")
    when, address = fields.get("warc-date", ""), fields.get("warc-ip-address")
    if record.kind == "response":
        return capture_of(url, when, address, record.block, limit)
    media = fields.get("content-type")
    headers = () if media is None else (("Content-Type", media),)
    return _made(url, when, address, 200, "", headers, record.block)


def capture_of(url: str, when: str, address: str | None, block: bytes, limit: int) -> Capture:
    """The capture of an HTTP response as it was received.

    Raises UnreadableError if it cannot be read or decoded.
    """
    status, headers, end = _head(block)
    if not status:
        raise UnreadableError("the record has no response of HTTP")
    if not end:  # a field that is lost may have prohibited, or said how long the body is
        raise UnreadableError("the response ends within its headers")
    reason = block.split(b"\n", 1)[0].decode("latin-1").split(maxsplit=2)[2:]
    body = _decoded(status, block[end:], headers, limit)
    return _made(url, when, address, status, "".join(reason).strip(), original_headers(headers), body)


def _head(block: bytes) -> tuple[int, Headers, int]:
    """Status and headers of a response as it was received, and where its body begins; 0 and none if there are none."""
    end = re.search(rb"\r?\n\r?\n", block[:_HEAD])
    head = block[:_HEAD] if end is None else block[: end.start()]
    first, *lines = re.split(r"\r?\n(?![ \t])", head.decode("latin-1"))
    status = re.fullmatch(r"HTTP/\d+(?:\.\d+)?\s+(\d{3})(?:\s.*)?", first, re.DOTALL)
    if status is None:
        return 0, (), 0
    split = (line.partition(":") for line in lines)
    headers = tuple((name.strip(), " ".join(value.split())) for name, found, value in split if found)
    return int(status[1]), headers, 0 if end is None else end.end()


def _made(
    url: str,
    when: str,
    address: str | None,
    status: int,
    reason: str,
    headers: tuple[tuple[str, str], ...],
    body: bytes,
) -> Capture:
    at = _instant(when)
    for known in (address, None):
        try:
            return Capture(url, at, status, headers, body, known, {}, reason)
        except ValueError:
            continue
    raise UnreadableError(f"`{status}` is no status of HTTP")


def _decoded(status: int, body: bytes, headers: tuple[tuple[str, str], ...], limit: int) -> bytes:
    """A body without transfer and content coding; some archives keep it decoded beside the headers it came with."""
    if any("chunked" in value.lower() for value in values(headers, "transfer-encoding")):
        body = _dechunked(body)
    codings = values(headers, "content-encoding")
    try:
        check_whole(status, headers, len(body))
        if not body or ("gzip" in " ".join(codings).lower() and body[:2] != b"\x1f\x8b"[: len(body)]):
            return body
        decoder = Body(codings, limit)
        decoder.feed(body)
        decoded, is_cut = decoder.finish()
    except (CodingError, CutBodyError) as error:
        raise UnreadableError(str(error)) from error
    if is_cut:
        raise UnreadableError(f"the body has more than {limit} octets")
    return decoded


_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_SIZE_BEGUN = re.compile(rb"[ \t]*[0-9A-Fa-f]{0,15}[ \t]*(?:;[^\r\n]*)?\r?")


def _dechunked(body: bytes) -> bytes:
    """A body without its chunks (RFC 9112 7.1); one that does not begin with a chunk is none of chunks.

    What there is of a body may be the beginning of its first chunk's size, or nothing: then it was cut.
    """
    out: list[bytes] = []
    at = 0
    while size := _SIZE.match(body, at):
        length = int(size[1], 16)
        if not length:
            return b"".join(out)
        at = size.end() + length
        out.append(body[size.end() : at])
        at += 2 if body.startswith(b"\r\n", at) else 1
    if not out and not _SIZE_BEGUN.fullmatch(body):
        return body
    raise UnreadableError("the body ends before its last chunk")


def _is_as_made(digest: str, block: bytes) -> bool:
    """Whether octets have a digest, if it is one that can be told."""
    name, _, value = digest.partition(":")
    try:
        wanted = (
            bytes.fromhex(value) if len(value) in (32, 40, 64) and _HEX.fullmatch(value) else b32decode(value.upper())
        )
        found = hashlib.new(name.replace("-", "").lower(), block, usedforsecurity=False).digest() if wanted else b""
    except (ValueError, Base32Error):
        return True
    return found == wanted


_HEX = re.compile("[0-9a-fA-F]+")

"""Captures of any WARC or ARC file: of other crawlers' as well as of ours.

The laws of this module:

1. Damage is reported and left out, and reading continues behind it: at the next gzip member, or at the next line that
   begins a record. Nothing in a file raises. Skipped octets may have been other records, and that is reported,
   unless they are known to be of the damaged one: the rest of a whole member that has no other record.
2. A body is given whole and decoded, or not at all: a page that was cut may have lost what it prohibits. If its record
   has digests, of the block or of the payload, it is the body that they were made of.
3. At most `max_octets` of a record are in memory, decoded or not.
4. If a response is left out, its headers are reported as far as they can be read: they may prohibit.
5. A record that may have been a response counts as damage, not as another record, if its type or URI is unknown.
   Nothing is believed of a record whose fields are not in order (not text, a repeated field, other line ends).
6. A revisit with a block needs what a response needs: the octets of its digest, one head that can be read to its end.

Requests, conversions and records about records are passed over, and of revisits, whose octets are elsewhere, the
headers are reported; a `metadata` record of JSON that follows its response is the capture's metadata.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b32decode
from binascii import Error as Base32Error
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple, Protocol

from acap import _native
from acap.archives.arc import arc_captures
from acap.archives.capture import Capture, DamageReport, Digest
from acap.archives.members import BrokenError, Feed, UnreadableError, gzip_members, is_gzip, pieces
from acap.archives.record import original_headers
from acap.archives.response import HEAD_OCTETS, body_of, check_alone, checked_head, final, head_of, payloads
from acap.archives.splits import opened_part
from acap.archives.warc import (
    WarcRecord,
    capture_url,
    instant_of,
    is_other,
    records,
    uri_of,
    url_and_instant,
)
from acap.retrieval.answers import Headers

MAX_OCTETS = 64 * 2**20
"""Most octets of a record, and of its body when decoded."""


@dataclass(frozen=True, slots=True)
class Damage:
    """What could not be read: in which file, at which octet (of the member, if it is gzip), and why.

    `url` and `at` are of the capture that it would have been, where the record's own fields could be read; `status` and
    `headers` of the response, 0 and none where they could not. `is_other`: it was not a capture of a response.
    `hides`: other records may have been in the skipped octets. `is_end`: reading ends there.
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
    hides: bool = False

    @property
    def is_of_any(self) -> bool:
        """Whether it may have been any site's robots.txt: its URL is unknown, or other records were in what is lost."""
        return self.hides or (self.url is None and not self.is_other)

    def __str__(self) -> str:
        return f"{self.file}: octet {self.offset}: {self.message}"


@dataclass(frozen=True, slots=True)
class Revisit:
    """A response whose octets an archive has in another record.

    `status` is 0 if it is missing. `is_named`: it names that record, by the number `refers_to`, or by `refers_url` and
    `refers_at`; what cannot be read of these is missing. `digest` is that of the payload.
    """

    url: str
    at: datetime
    status: int
    headers: Headers
    is_named: bool = False
    refers_at: datetime | None = None
    refers_url: str = ""
    refers_to: str = ""
    digest: Digest | None = None


class ArchiveReader(Protocol):
    """Reads the captures of an archive, as `read_warc` does."""

    def __call__(
        self, path: Path, *, on_problem: Callable[[Damage], None], on_revisit: Callable[[Revisit], None]
    ) -> Iterator[Capture]: ...


def read_warc(
    path: Path,
    *,
    on_problem: Callable[[Damage], None] | None = None,
    on_revisit: Callable[[Revisit], None] | None = None,
    max_octets: int = MAX_OCTETS,
    part: tuple[int, int] | None = None,
    on_whole: Callable[[], None] = lambda: None,
) -> Iterator[Capture]:
    """The captures of a file, in order; compressed or not, WARC of any version or ARC.

    Args:
        path: the file.
        on_problem: called for everything that could not be read, after the captures before it.
        on_revisit: called for responses whose octets are in another record.
        max_octets: larger records, and bodies that decode to more, are left out and reported.
        part: offset and length of what is read of the file: whole records, each of which a gzip member may have.
        on_whole: called at the end of gzip members that follow each other from the first octet to the last, so that
            another part begins behind them as it would if the file were read in one.

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
        hides: bool = False,
    ) -> None:
        if on_problem is not None:
            url, at = url_and_instant(fields)
            status, headers = head_of(final(block)) if url is not None else (0, ())
            on_problem(
                Damage(
                    str(path),
                    offset + (0 if part is None else part[0]),
                    message,
                    url,
                    at,
                    status,
                    headers,
                    is_other(fields),
                    is_end,
                    hides,
                )
            )

    with opened_part(path, part) as stream:
        yield from _captures(stream, report, on_revisit or (lambda _: None), max_octets, on_whole)


def _captures(
    stream: BinaryIO,
    report: DamageReport,
    revisit: Callable[[Revisit], None],
    limit: int,
    on_whole: Callable[[], None],
) -> Iterator[Capture]:
    is_packed = is_gzip(stream)
    start = next(gzip_members(stream, lambda *_: None), (0, Feed(iter(()))))[1] if is_packed else Feed(pieces(stream))
    try:
        is_arc = start.line(HEAD_OCTETS).startswith(b"filedesc:")
    except BrokenError:
        is_arc = False
    stream.seek(0)
    if is_arc:
        yield from arc_captures(stream, report, limit, capture_of, capture_url)
        return
    damages: list[Callable[[], None]] = []  # damage to report after the captures before it

    def later(*damage: Any, **more: Any) -> None:
        damages.append(partial(report, *damage, **more))

    feeds = gzip_members(stream, later, on_whole) if is_packed else iter([(0, Feed(pieces(stream)))])
    waiting: Capture | None = None
    for offset, record in records(feeds, later, limit, is_packed=is_packed):
        if waiting is not None:
            yield _with_metadata(waiting, record) if record is not None and not damages else waiting
            waiting = None
        while damages:
            damages.pop(0)()
        if record is None:
            continue
        try:
            if record.kind == "revisit" and not is_other(record.fields):
                revisit(_revisit(record))
                continue
            capture = _read(record, limit)
        except UnreadableError as error:
            report(offset, str(error), record.fields, record.block)
            continue
        if capture is not None:
            waiting = capture
    if waiting is not None:
        yield waiting
    while damages:
        damages.pop(0)()


def _revisit(record: WarcRecord) -> Revisit:
    """The values of a revisit. Raises UnreadableError without a URL or a date, or if its block is not a response."""
    fields, url = record.fields, capture_url(record.fields)
    assert url is not None
    at = instant_of(fields.get("warc-date", ""))
    status = 0
    headers: Headers = ()
    if record.block:
        _check_block(record)
        block = final(record.block)
        status, _, headers, end = checked_head(block)
        check_alone(headers, block[end:])
        if status < 100:
            raise UnreadableError(f"`{status}` is no status of HTTP")
    try:
        refers_at = instant_of(fields.get("warc-refers-to-date", ""))
    except UnreadableError:
        refers_at = None
    naming = ("warc-refers-to", "warc-refers-to-date", "warc-refers-to-target-uri")
    return Revisit(
        url, at, status, headers, any(name in fields for name in naming), refers_at,
        uri_of(fields, "warc-refers-to-target-uri"), fields.get("warc-refers-to", ""),
        _digest(fields.get("warc-payload-digest", "")),
    )  # fmt: skip


def _with_metadata(capture: Capture, record: WarcRecord) -> Capture:
    """The capture with the metadata that follows it, if the record is of that."""
    is_ours = record.kind == "metadata" and record.fields.get("warc-concurrent-to") == capture.number
    if not is_ours or not record.fields.get("content-type", "").startswith("application/json"):
        return capture
    try:
        held = json.loads(record.block)
    except (ValueError, RecursionError):
        return capture
    return replace(capture, metadata=held) if isinstance(held, dict) else capture


def _read(record: WarcRecord, limit: int) -> Capture | None:
    """The capture of a record; None if it is of another kind."""
    fields = record.fields
    url = capture_url(fields)
    if url is None:
        return None
    if "warc-truncated" in fields:
        raise UnreadableError(f"the record was cut when it was made ({fields['warc-truncated']})")
    _check_block(record)
    when, address = fields.get("warc-date", ""), fields.get("warc-ip-address")
    digest = _digest(fields.get("warc-payload-digest", ""))
    names = _Names(fields.get("warc-record-id", ""), digest)
    readings: Iterable[bytes] = [record.block]
    if record.kind == "response":
        response, kept = _response(url, record.block, limit)
        readings = payloads(kept, response.body)
    else:
        media = fields.get("content-type")
        response = _Response(200, "", () if media is None else (("Content-Type", media),), record.block)
    capture = _made(url, when, address, response, names)
    if not _is_as_made(digest, readings):
        raise UnreadableError("the record's payload is not that of its digest")
    return capture


class _Response(NamedTuple):
    """A response as it was received, its body without codings."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


class _Names(NamedTuple):
    """By what a revisit may name a capture."""

    number: str = ""
    digest: Digest | None = None


_NAMELESS = _Names()


def capture_of(
    url: str,
    when: str,
    address: str | None,
    block: bytes,
    limit: int,
    names: _Names = _NAMELESS,
) -> Capture:
    """The capture of an HTTP response as it was received.

    Raises UnreadableError if it cannot be read or decoded, or if it is several.
    """
    return _made(url, when, address, _response(url, block, limit)[0], names)


def _response(url: str, block: bytes, limit: int) -> tuple[_Response, bytes]:
    """The response of a block, and its body as it is there. Raises UnreadableError if it cannot be read or decoded."""
    block = final(block)
    status, reason, headers, end = checked_head(block)
    kept = block[end:]
    check_alone(headers, kept)
    body = body_of(url, status, headers, kept, limit)
    return _Response(status, reason, original_headers(headers), body), kept


def _made(url: str, when: str, address: str | None, response: _Response, names: _Names) -> Capture:
    at = instant_of(when)
    if _native.is_response(response.body):
        raise UnreadableError("a whole response stands in the place of its body")
    for known in (address, None):
        try:
            return Capture(
                url, at, response.status, response.headers, response.body, known, {}, response.reason, *names
            )
        except ValueError:
            continue
    raise UnreadableError(f"`{response.status}` is no status of HTTP")


def _check_block(record: WarcRecord) -> None:
    """Raises UnreadableError if a block is not the one that was made."""
    if "warc-segment-number" in record.fields:
        raise UnreadableError("the record is one of several segments")
    if not _is_as_made(_digest(record.fields.get("warc-block-digest", "")), [record.block]):
        raise UnreadableError("the record's octets are not those of its digest")


def _is_as_made(digest: Digest | None, readings: Iterable[bytes]) -> bool:
    """Whether octets have a digest, in one of their readings; also if the digest is unreadable."""
    if digest is None:
        return True
    try:
        return any(hashlib.new(digest[0], octets, usedforsecurity=False).digest() == digest[1] for octets in readings)
    except (ValueError, TypeError):  # an algorithm that is unknown, or yields as much as one asks for
        return True


def _digest(written: str) -> Digest | None:
    """A digest as a record writes it; None if it cannot be read."""
    name, _, value = written.partition(":")
    try:
        if len(value) in (32, 40, 64) and _HEX.fullmatch(value):
            octets = bytes.fromhex(value)
        elif _SHA1.fullmatch(value):
            octets = int(value.translate(_DIGITS), 32).to_bytes(20, "big")  # a tenth of the time of b32decode
        else:
            octets = b32decode(value.upper())
    except (ValueError, Base32Error):
        return None
    return (name.replace("-", "").lower(), octets) if 0 < len(octets) <= _DIGEST and len(name) <= _DIGEST else None


_DIGEST = 64  # octets, of SHA-512
_HEX = re.compile("[0-9a-fA-F]+")
_SHA1 = re.compile("[A-Z2-7]{32}")
_DIGITS = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "0123456789abcdefghijklmnopqrstuv")

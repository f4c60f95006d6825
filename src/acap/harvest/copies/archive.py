"""Captures of any WARC or ARC file: of other crawlers' as well as of ours.

The laws of this module:

1. What is damaged is reported and left out, and reading goes on behind it: at the next gzip member, or at the next line
   that begins a record. Nothing in a file raises. What is passed over may have been other records, and that is told,
   unless it is known to be of the one that is damaged: what is left of a whole member that has no other.
2. A body is given whole and decoded, or not at all: a page that was cut may have lost what it prohibits. If its record
   has digests, of the block or of the payload, it is the body that they were made of.
3. Of no record more is held than the bound, decoded or not.
4. Of a response that is left out its headers are told, as far as they can be read: they may prohibit.
5. What may have been a response is damage, not another record: whatever has no type or no URI that is known. Of a
   record whose fields are not in order (octets that are no text, a field twice, other line ends) nothing is believed.
6. A revisit that has a block is held to what a response is held to: its digest, and a head that can be read to its end.

Requests, conversions and records about records are passed over, and of revisits, whose octets are elsewhere, the
headers are told; a `metadata` record of JSON that follows its response is the capture's metadata.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b32decode
from binascii import Error as Base32Error
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from acap.harvest.copies.arc import arc_captures
from acap.harvest.copies.capture import Capture, DamageReport, Digest
from acap.harvest.copies.members import BrokenError, Feed, UnreadableError, gzip_members, is_gzip, pieces
from acap.harvest.copies.record import original_headers
from acap.harvest.copies.response import HEAD_OCTETS, body_of, checked_head, final, head_of, payloads
from acap.retrieval.answers import Headers
from acap.retrieval.locations import canonical

MAX_OCTETS = 64 * 2**20
"""Most octets of a record, and of its body when decoded."""

_CAPTURES = ("response", "resource")
_WORDS = (*_CAPTURES, "revisit")  # records of what a site said
_OTHER_WORDS = ("continuation", "conversion", "metadata", "request", "warcinfo")


@dataclass(frozen=True, slots=True)
class Damage:
    """What could not be read: in which file, at which octet (of the member, if it is gzip), and why.

    `url` and `at` are of the capture that it would have been, where the record's own fields could be read; `status` and
    `headers` of the response, 0 and none where they could not. `is_other`: it was no capture of what a site said, or
    nobody knows of which URL, but not of a robots.txt. `hides`: other records may have been in what is passed over.
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
    hides: bool = False

    def __str__(self) -> str:
        return f"{self.file}: octet {self.offset}: {self.message}"


@dataclass(frozen=True, slots=True)
class Revisit:
    """A response whose octets an archive has in another record.

    `status` is 0 where it says none. `is_named`: it says which record that is, the one with the number `refers_to`, or
    of `refers_url` and `refers_at`; what of that cannot be read is not given. `digest` is that of the payload.
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
        hides: bool = False,
    ) -> None:
        if on_problem is not None:
            url, at = _meant(fields)
            status, headers, _ = head_of(final(block)) if url is not None else (0, (), 0)
            is_other = _is_other(fields) or (url is None and _is_no_robots(fields))
            on_problem(Damage(str(path), offset, message, url, at, status, headers, is_other, is_end, hides))

    yield from _captures(path, report, on_revisit or (lambda _: None), max_octets)


class _RecordBrokenError(BrokenError):
    """A record whose block is not what its fields say; `swallows`: other records may be in it.

    `is_cut`: the octets end within it, and nothing is behind it.
    """

    def __init__(
        self,
        message: str,
        fields: Mapping[str, str],
        block: bytes = b"",
        *,
        swallows: bool = False,
        hides: bool = False,
        is_cut: bool = False,
    ) -> None:
        super().__init__(message, hides=hides)
        self.is_cut = is_cut
        self.fields = fields
        self.block = block
        self.swallows = swallows


def _meant(fields: Mapping[str, str]) -> tuple[str | None, datetime | None]:
    """The URL and the instant of the capture that a record would have been; none where it is of another kind."""
    url = None if _is_other(fields) else _url(fields)
    if url is None:
        return None, None
    try:
        return url, _instant(fields.get("warc-date", ""))
    except UnreadableError:
        return url, None


def _is_other(fields: Mapping[str, str]) -> bool:
    """Whether a record is known to be no capture of what a site said by HTTP: by its type, or by its URI."""
    if (kind := fields.get("warc-type", "").lower()) in _OTHER_WORDS:
        return True
    scheme, _, rest = _uri(fields).lower().partition(":")
    # Archives name what they made themselves in schemes of their own, with no host: `screenshot:https://…`.
    made = kind == "resource" and scheme not in ("http", "https") and rest and not rest.startswith("/")
    return scheme in _OTHER_SCHEMES or bool(made and _SCHEME.fullmatch(scheme))


def _is_no_robots(fields: Mapping[str, str]) -> bool:
    """Whether a record is known to be of no robots.txt, although its URI is none."""
    uri = _uri(fields)
    return "/" in uri.partition("://")[2] and "robots.txt" not in uri.lower()


_OTHER_SCHEMES = frozenset({
    "about", "blob", "data", "dns", "file", "filedesc", "finger", "ftp", "ftps", "gemini", "gopher", "mailto",
    "metadata", "nntp", "sftp", "urn", "whois", "ws", "wss",
})  # fmt: skip
_NO_URI = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffd]|[ \t]{16}|([^\x00-\x7f])\1{7}")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")


def _uri(fields: Mapping[str, str], name: str = "warc-target-uri") -> str:
    """What a record names; nothing where two records may have become one, whose fields ARC has in a line."""
    named = fields.get(name, "").removeprefix("<").removesuffix(">")
    return "" if _NO_URI.search(named) else named


def _url(fields: Mapping[str, str]) -> str | None:
    """The URL that a record is of; None if it is of none that can be retrieved."""
    try:
        canonical(_uri(fields))
    except ValueError:
        return None
    return _uri(fields)


def _capture_url(fields: Mapping[str, str]) -> str | None:
    """The URL of a record of what a site said; None if it is of another kind.

    Raises UnreadableError if nobody knows of which kind it is, or of which URL.
    """
    if _is_other(fields):
        return None
    if (kind := fields.get("warc-type", "")).lower() not in _WORDS:
        raise UnreadableError(f"the record has no type, but `{kind}`")
    if (url := _url(fields)) is None:
        raise UnreadableError(f"the record has no URL, but `{_uri(fields)}`")
    return url


def _instant(when: str) -> datetime:
    try:
        at = datetime.fromisoformat(when)
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        at.astimezone(UTC)
    except (ValueError, OverflowError):  # by the clock of UTC some are before the year 1, or after 9999
        raise UnreadableError(f"the record has no date, but `{when}`") from None
    return at


def _captures(path: Path, report: DamageReport, revisit: Callable[[Revisit], None], limit: int) -> Iterator[Capture]:
    with path.open("rb", buffering=1 << 20) as stream:
        is_packed = is_gzip(stream)
        start = (
            next(gzip_members(stream, lambda *_: None), (0, Feed(iter(()))))[1] if is_packed else Feed(pieces(stream))
        )
        try:
            is_arc = start.line(HEAD_OCTETS).startswith(b"filedesc:")
        except BrokenError:
            is_arc = False
        stream.seek(0)
        if is_arc:
            yield from arc_captures(stream, report, limit, capture_of, _capture_url)
            return
        told: list[Callable[[], None]] = []  # damage of which nobody knows yet: captures before it come first

        def later(*damage: Any, **more: Any) -> None:
            told.append(partial(report, *damage, **more))

        feeds = gzip_members(stream, later) if is_packed else iter([(0, Feed(pieces(stream)))])
        waiting: Capture | None = None
        for offset, record in _records(feeds, later, limit, is_packed=is_packed):
            if waiting is not None:
                yield _with_metadata(waiting, record) if record is not None and not told else waiting
                waiting = None
            while told:
                told.pop(0)()
            if record is None:
                continue
            try:
                if record.kind == "revisit" and not _is_other(record.fields):
                    revisit(_revisit(record))
                    continue
                found = _read(record, limit)
            except UnreadableError as error:
                report(offset, str(error), record.fields, record.block)
                continue
            if found is not None:
                waiting = found
        if waiting is not None:
            yield waiting
        while told:
            told.pop(0)()


def _revisit(record: _Record) -> Revisit:
    """What a revisit tells. Raises UnreadableError if it has no URL or no date, or its block is none of a response."""
    fields, url = record.fields, _capture_url(record.fields)
    assert url is not None
    at = _instant(fields.get("warc-date", ""))
    status = 0
    headers: Headers = ()
    if record.block:
        _check_block(record)
        status, _, headers, _ = checked_head(final(record.block))
        if status < 100:
            raise UnreadableError(f"`{status}` is no status of HTTP")
    try:
        refers_at = _instant(fields.get("warc-refers-to-date", ""))
    except UnreadableError:
        refers_at = None
    naming = ("warc-refers-to", "warc-refers-to-date", "warc-refers-to-target-uri")
    return Revisit(
        url, at, status, headers, any(name in fields for name in naming), refers_at,
        _uri(fields, "warc-refers-to-target-uri"), fields.get("warc-refers-to", ""),
        _digest(fields.get("warc-payload-digest", "")),
    )  # fmt: skip


def _records(
    feeds: Iterator[tuple[int, Feed]], report: DamageReport, limit: int, *, is_packed: bool
) -> Iterator[tuple[int, _Record | None]]:
    """Each whole record with its offset; none after damage was reported."""
    for start, feed in feeds:
        lost = False  # looking for a record's first line
        is_alone = is_packed  # what is left of a member that has no other record is of that one
        met = blank = 0
        while True:
            offset = start if is_packed else feed.taken
            try:
                line = feed.line(HEAD_OCTETS)
                if not line:
                    break
                begins = line.startswith(b"WARC/")
                if lost and not begins:
                    continue
                if not line.strip(b"\r\n") and (blank := blank + len(line)) <= _BETWEEN:
                    continue
                if lost and is_alone:
                    report(offset, "it is not known what is before this record in its member")
                    yield offset, None
                lost, blank, is_alone, met = False, 0, is_packed and not met, met + begins
                record, whole = _record(line, feed, limit)
            except BrokenError as error:
                swallows = getattr(error, "swallows", False)
                told = getattr(error, "fields", {})
                # Without fields nobody knows whose it was, which says as much.
                hides = bool(told) and (error.hides or swallows or not (is_alone or getattr(error, "is_cut", False)))
                report(offset, str(error), told, getattr(error, "block", b""), hides=hides)
                if not is_packed and swallows:
                    report(offset, "records behind it were taken for its octets", is_end=True)
                yield offset, None
                lost, is_alone = True, is_alone and bool(told) and not hides
                continue
            if whole:
                yield offset, record
            elif not _is_other(record.fields):
                report(offset, f"the record has more than {limit} octets", record.fields, record.block)
                yield offset, None


def _record(line: bytes, feed: Feed, limit: int) -> tuple[_Record, bool]:
    """The record that a line begins, and whether its block is within the limit."""
    if not re.match(rb"WARC/\d+\.\d+[ \t]*\r?\n\Z", line):
        raise BrokenError("there is no record of WARC")
    fields = _named_fields(feed, b"\r\n" if line.endswith(b"\r\n") else b"\n")
    length = fields.get("content-length", "")
    if not re.fullmatch("[0-9]{1,18}", length):
        raise _RecordBrokenError("the record has no length", fields)
    try:
        block = feed.take(min(int(length), limit))
        passed = feed.skip(int(length) - len(block))
    except BrokenError as error:
        raise _RecordBrokenError(str(error), fields, feed.rest(), hides=error.hides, is_cut=not error.hides) from error
    if len(block) + passed < int(length):
        message = f"the record ends after {len(block) + passed} of {length} octets"
        swallows = passed > 0 or b"\nWARC/" in block
        raise _RecordBrokenError(message, fields, block, swallows=swallows, is_cut=not swallows)
    return _Record(fields, block), not passed


def _named_fields(feed: Feed, end: bytes) -> dict[str, str]:
    """The named fields of a record, to the blank line, whose lines all end as its first one does.

    Raises BrokenError where two records may have become one, or one another (WARC 1.1 4, 5.1).
    """
    fields: dict[str, str] = {}
    name = ""
    left = HEAD_OCTETS
    while (line := feed.line(left)) != end:
        left -= len(line)
        if left <= 0 or not line.endswith(end) or _NO_FIELD.search(line, 0, len(line) - len(end)):
            raise BrokenError("the record's fields are unreadable")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise BrokenError("the record's fields are no text") from None
        if line.startswith((b" ", b"\t")):
            found, value = name not in _READ, ""  # a line of the field before
        else:
            name, colon, value = text.partition(":")
            name = name.strip().lower()
            found = bool(colon) and (name not in _READ or name not in fields)
        if not found or "\ufffd" in text:
            raise BrokenError("the record's fields are unreadable")
        fields.setdefault(name, value.strip())
    return fields


_BETWEEN = 8
"""Most octets of line ends between records; the format has two line ends (WARC 1.1 4)."""

_NO_FIELD = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]|[ \t]{16}")
_READ = frozenset({
    "content-length", "content-type", "warc-block-digest", "warc-date", "warc-ip-address", "warc-payload-digest",
    "warc-record-id", "warc-refers-to", "warc-refers-to-date", "warc-refers-to-target-uri", "warc-segment-number",
    "warc-target-uri", "warc-truncated", "warc-type",
})  # fmt: skip
"""No record may have one of these twice (WARC 1.1 4)."""


def _with_metadata(capture: Capture, record: _Record) -> Capture:
    """The capture with the metadata that follows it, if the record is of that."""
    is_ours = record.kind == "metadata" and record.fields.get("warc-concurrent-to") == capture.number
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
    url = _capture_url(fields)
    if url is None:
        return None
    if "warc-truncated" in fields:
        raise UnreadableError(f"the record was cut when it was made ({fields['warc-truncated']})")
    _check_block(record)
    when, address = fields.get("warc-date", ""), fields.get("warc-ip-address")
    if record.kind == "response":
        capture = capture_of(url, when, address, record.block, limit)
    else:
        media = fields.get("content-type")
        headers = () if media is None else (("Content-Type", media),)
        capture = _made(url, when, address, 200, "", headers, record.block)
    said = fields.get("warc-payload-digest", "")
    if not _is_as_made(said, payloads(record.block, capture.body) if record.kind == "response" else [record.block]):
        raise UnreadableError("the record's payload is not that of its digest")
    digest = _digest(said)
    return replace(capture, number=fields.get("warc-record-id", ""), digest=digest)


def capture_of(url: str, when: str, address: str | None, block: bytes, limit: int) -> Capture:
    """The capture of an HTTP response as it was received.

    Raises UnreadableError if it cannot be read or decoded.
    """
    block = final(block)
    status, reason, headers, end = checked_head(block)
    body = body_of(url, status, headers, block[end:], limit)
    return _made(url, when, address, status, reason, original_headers(headers), body)


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


def _check_block(record: _Record) -> None:
    """Raises UnreadableError if a block is not the one that was made."""
    if "warc-segment-number" in record.fields:
        raise UnreadableError("the record is one of several segments")
    if not _is_as_made(record.fields.get("warc-block-digest", ""), [record.block]):
        raise UnreadableError("the record's octets are not those of its digest")


def _is_as_made(said: str, readings: Iterable[bytes]) -> bool:
    """Whether octets have a digest, in one of their readings; also if it is none that can be told."""
    digest = _digest(said)
    if digest is None:
        return True
    try:
        return any(hashlib.new(digest[0], octets, usedforsecurity=False).digest() == digest[1] for octets in readings)
    except (ValueError, TypeError):  # an algorithm that is unknown, or yields as much as one asks for
        return True


def _digest(said: str) -> Digest | None:
    """A digest as a record says it; None where it cannot be read."""
    name, _, value = said.partition(":")
    try:
        octets = (
            bytes.fromhex(value) if len(value) in (32, 40, 64) and _HEX.fullmatch(value) else b32decode(value.upper())
        )
    except (ValueError, Base32Error):
        return None
    return (name.replace("-", "").lower(), octets) if 0 < len(octets) <= _DIGEST and len(name) <= _DIGEST else None


_DIGEST = 64  # octets, of SHA-512
_HEX = re.compile("[0-9a-fA-F]+")

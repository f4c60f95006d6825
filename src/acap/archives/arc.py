"""Captures of ARC files, the format before WARC, which warcio reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from acap.archives.capture import Capture, DamageReport
from acap.archives.members import UnreadableError


def arc_captures(
    stream: BinaryIO,
    report: DamageReport,
    limit: int,
    capture_of: Callable[[str, str, str | None, bytes, int], Capture],
    url_of: Callable[[dict[str, str]], str | None],
) -> Iterator[Capture]:
    """The captures of an ARC file; its first damage is reported and ends it.

    `url_of` gives the URL of a record's fields, and None if it is of another kind.

    Raises:
        ImportError: warcio is not installed.
    """
    try:
        from warcio.archiveiterator import ARCIterator  # type: ignore[import-untyped]  # it has no types
        from warcio.exceptions import ArchiveLoadFailed  # type: ignore[import-untyped]  # it has no types
    except ModuleNotFoundError as error:
        raise ImportError("reading ARC needs warcio; install it with: pip install 'acap[crawl]'") from error
    archive = ARCIterator(stream, no_record_parse=True)
    passed = 0  # number of lines behind records that were skipped, each of which may have begun the next one
    try:
        for record in archive:
            if archive.err_count > passed:
                passed = archive.err_count
                report(archive.offset, "what is before this record is none")
            if record.rec_type != "response":
                continue
            when = record.rec_headers.get_header("archive-date")
            block = _taken(record.raw_stream, limit + 1)
            offset, at = archive.offset, _instant(when)
            named = str(record.rec_headers.get_header("uri"))
            if _DIGITS.fullmatch(str(when)) is None or _JOINED.search(named):
                named = ""  # a line of fields may have become one with another: the record may be of any URL
            fields = {"warc-type": "response", "warc-target-uri": named, "warc-date": at}
            if len(block) > limit:
                report(offset, f"the record has more than {limit} octets", fields, block)
                continue
            try:
                if (url := url_of(fields)) is None:
                    continue
                yield capture_of(url, at, record.rec_headers.get_header("ip-address"), block, limit)
            except UnreadableError as error:
                report(offset, str(error), fields, block)
    except (ArchiveLoadFailed, EOFError, ValueError, AttributeError) as error:
        report(archive.offset, f"the archive is unreadable from here on ({error})", is_end=True)


_JOINED = re.compile(r" [0-9.]+(?: |$)")  # an address or a date, within what should be a URL
_DIGITS = re.compile("[0-9]{14}")


def _instant(digits: str) -> str:
    """`20080430205052` as ISO 8601."""
    return f"{digits[:8]}T{digits[8:]}+00:00"


def _taken(stream: BinaryIO, count: int) -> bytes:
    """The next `count` octets of a stream that gives them piece by piece."""
    out = bytearray()
    while len(out) < count and (piece := stream.read(count - len(out))):
        out += piece
    return bytes(out)

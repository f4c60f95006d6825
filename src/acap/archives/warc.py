"""The records of a WARC file, and what a record is of, by its fields (WARC 1.1).

A record whose fields are not in order is not believed; what may have been the response of a site is damage, not another
record. ARC files have the same fields, of one line each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from acap.archives.capture import DamageReport
from acap.archives.members import BrokenError, Feed, UnreadableError
from acap.archives.response import HEAD_OCTETS
from acap.retrieval.locations import canonical

_OF_SITES = ("response", "resource", "revisit")
_OF_OTHERS = ("continuation", "conversion", "metadata", "request", "warcinfo")


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record: its fields by lower-case names, its block."""

    fields: dict[str, str]
    block: bytes

    @property
    def kind(self) -> str:
        return self.fields.get("warc-type", "").lower()


class RecordBrokenError(BrokenError):
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


def url_and_instant(fields: Mapping[str, str]) -> tuple[str | None, datetime | None]:
    """The URL and the instant of the capture that a record would have been; None if it is of another kind, or unknown.

    An invalid URI is of an unknown URL: a redirect or a reference may lead to any path of any host.
    """
    url = None if is_other(fields) else url_of(fields)
    if url is None:
        return None, None
    try:
        return url, instant_of(fields.get("warc-date", ""))
    except UnreadableError:
        return url, None


def is_other(fields: Mapping[str, str]) -> bool:
    """Whether a record is known not to be a capture of a response by HTTP: by its type, or by its URI."""
    kind = fields.get("warc-type", "").lower()
    return kind in _OF_OTHERS or _is_of_other(kind, uri_of(fields))


def _is_of_other(kind: str, uri: str) -> bool:
    scheme, _, rest = uri.lower().partition(":")
    # Archives name what they made themselves in schemes of their own, with no host: `screenshot:https://…`.
    made = kind == "resource" and scheme not in ("http", "https") and rest and not rest.startswith("/")
    return scheme in _OTHER_SCHEMES or bool(made and _SCHEME.fullmatch(scheme))


_OTHER_SCHEMES = frozenset({
    "about", "blob", "data", "dns", "file", "filedesc", "finger", "ftp", "ftps", "gemini", "gopher", "mailto",
    "metadata", "nntp", "sftp", "urn", "whois", "ws", "wss",
})  # fmt: skip
_NO_URI = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffd]|[ \t]{16}|([^\x00-\x7f])\1{7}")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")


def uri_of(fields: Mapping[str, str], name: str = "warc-target-uri") -> str:
    """The URI of a record; empty where two records may have become one, as ARC has the fields in a line."""
    named = fields.get(name, "")
    if named.startswith("<") and named.endswith(">"):  # as earlier writers have it; one of them alone is a character
        named = named[1:-1]
    return "" if _NO_URI.search(named) else named


def url_of(fields: Mapping[str, str]) -> str | None:
    """The URL of a record; None if it cannot be retrieved."""
    uri = uri_of(fields)
    return uri if _is_url(uri) else None


def _is_url(uri: str) -> bool:
    try:
        canonical(uri)
    except ValueError:
        return False
    return True


def capture_url(fields: Mapping[str, str]) -> str | None:
    """The URL of a record with a response; None if it is of another kind.

    Raises UnreadableError if its kind or its URL is unknown.
    """
    named = fields.get("warc-type", "")
    if (kind := named.lower()) in _OF_OTHERS or _is_of_other(kind, uri := uri_of(fields)):
        return None
    if kind not in _OF_SITES:
        raise UnreadableError(f"the record has no type, but `{named}`")
    if not _is_url(uri):
        raise UnreadableError(f"the record has no URL, but `{uri}`")
    return uri


def instant_of(when: str) -> datetime:
    try:
        at = datetime.fromisoformat(when)
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        at.astimezone(UTC)
    except (ValueError, OverflowError):  # by the clock of UTC some are before the year 1, or after 9999
        raise UnreadableError(f"the record has no date, but `{when}`") from None
    return at


def records(
    feeds: Iterator[tuple[int, Feed]], report: DamageReport, limit: int, *, is_packed: bool
) -> Iterator[tuple[int, WarcRecord | None]]:
    """Each whole record with its offset; None after damage was reported."""
    for start, feed in feeds:
        lost = False  # looking for a record's first line
        is_alone = is_packed  # the rest of a member that has no other record belongs to it
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
                fields = getattr(error, "fields", {})
                # Damage without fields may already be of any URL.
                hides = bool(fields) and (error.hides or swallows or not (is_alone or getattr(error, "is_cut", False)))
                report(offset, str(error), fields, getattr(error, "block", b""), hides=hides)
                if not is_packed and swallows:
                    report(offset, "records behind it were taken for its octets", is_end=True)
                yield offset, None
                lost, is_alone = True, is_alone and bool(fields) and not hides
                continue
            blank = feed.pass_over(_END)
            if whole:
                yield offset, record
            elif not is_other(record.fields):
                report(offset, f"the record has more than {limit} octets", record.fields, record.block)
                yield offset, None


def _record(line: bytes, feed: Feed, limit: int) -> tuple[WarcRecord, bool]:
    """The record that a line begins, and whether its block is within the limit."""
    if _VERSION.fullmatch(line) is None:
        raise BrokenError("there is no record of WARC")
    fields = _named_fields(feed, b"\r\n" if line.endswith(b"\r\n") else b"\n")
    length = fields.get("content-length", "")
    if _LENGTH.fullmatch(length) is None:
        raise RecordBrokenError("the record has no length", fields)
    try:
        block = feed.take(min(int(length), limit))
        passed = feed.skip(int(length) - len(block))
    except BrokenError as error:
        raise RecordBrokenError(str(error), fields, feed.rest(), hides=error.hides, is_cut=not error.hides) from error
    if len(block) + passed < int(length):
        message = f"the record ends after {len(block) + passed} of {length} octets"
        swallows = passed > 0 or b"\nWARC/" in block
        raise RecordBrokenError(message, fields, block, swallows=swallows, is_cut=not swallows)
    return WarcRecord(fields, block), not passed


def _named_fields(feed: Feed, end: bytes) -> dict[str, str]:
    """The named fields of a record, to the blank line, whose lines all end as its first one does.

    Raises BrokenError where two records may have become one, or one another (WARC 1.1 4, 5.1).
    """
    if (plain := feed.fields(end, HEAD_OCTETS)) is not None:
        return plain
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
            is_field, value = name not in _READ, ""  # a line of the field before
        else:
            name, colon, value = text.partition(":")
            name = name.strip().lower()
            is_field = bool(colon) and (name not in _READ or name not in fields)
        if not is_field or "\ufffd" in text:
            raise BrokenError("the record's fields are unreadable")
        fields.setdefault(name, value.strip())
    return fields


_VERSION = re.compile(rb"WARC/\d+\.\d+[ \t]*\r?\n")
_LENGTH = re.compile("[0-9]{1,18}")
_END = b"\r\n\r\n"  # of a record
_BETWEEN = 8
"""Most octets of line ends between records; the format has two line ends (WARC 1.1 4)."""

_NO_FIELD = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]|[ \t]{16}")
_READ = frozenset({
    "content-length", "content-type", "warc-block-digest", "warc-date", "warc-ip-address", "warc-payload-digest",
    "warc-record-id", "warc-refers-to", "warc-refers-to-date", "warc-refers-to-target-uri", "warc-segment-number",
    "warc-target-uri", "warc-truncated", "warc-type",
})  # fmt: skip
"""No record may have one of these twice (WARC 1.1 4)."""

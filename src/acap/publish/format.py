"""Format: the layout of a robots.txt, and nothing else.

    format_robots(b"user-agent:*\\r\\ndisallow :/a")      # b"User-agent: *\\nDisallow: /a\\n"

Laws:
- No decision changes, in any dialect. Blank lines end records in the older ones (K2 3.2), so one is added or taken away
  only where all of them go on reading the same records.
- Nothing is reordered and nothing dropped; the octets of values and comments stay.
- What is formatted twice is formatted once.

Lines that a reader takes in parts stay as they are: with a NUL, ending in CR alone, or too long; so does a file that is
longer than readers read. What is wrong with a line is left to lint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acap import _native
from acap.robots import Limits, parse_robots

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from acap.robots import Line

_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

# Kinds of lines that belong to a conventional group for one dialect or another.
_GROUPED = frozenset(
    {"User-agent", "Allow", "Disallow", "Crawl-delay", "Request-rate", "Visit-time", "Comment", "Robot-version"}
)
_RULES = ("Allow", "Disallow")
_REMARKS = ("comment", "##ACAP")
_NAMED = _GROUPED | {"Sitemap", "Host", "Clean-param", "Noindex", "Content-Signal", "Content-Usage", "License"}

_ACAP_FIELDS = (
    "crawler",
    "usage-purpose",
    "qualified-usage",
    "composite-usage",
    "resource-set",
    "permissions-reference",
    "request-take-down",
    "request-re-crawl",
    "ignore-conventional-records",
    "version",
)
_USAGES = "|".join(name for name, _ in sorted(_native.usages(), key=lambda usage: -len(usage[0])))
_ACAP_NAME = re.compile(rf"(?i)acap-(?:{'|'.join(_ACAP_FIELDS)}|(?:dis)?allow-(?:{_USAGES}|(?P<local>\(.*\))))")


def format_robots(octets: bytes) -> bytes:
    """A robots.txt with one layout.

    Raises:
        ValueError: the file is UTF-16, in which a line has no octets of its own, or it is packed or binary.
    """
    if octets.startswith(_UTF16):
        raise ValueError("the file is UTF-16, which most readers cannot read; `acap lint --fix` makes it UTF-8")
    if what := _native.unreadable(octets):
        raise ValueError(f"it cannot be read, for it is {what}")
    limits = Limits()
    if len(octets) > limits.file_octets:
        return octets
    text = octets
    if text.startswith(_MARK) and not text.startswith(b"\xef", len(_MARK)):
        text = text[len(_MARK) :]
    lines = [_Laid.of(line, limits) for line in parse_robots(text).lines]
    out = b"".join(_Layout(lines).written())
    return octets if len(out) > limits.file_octets else out


@dataclass(frozen=True, slots=True)
class _Laid:
    """A line: its kind, its octets as they are to be written, without an end, and as they are.

    `frozen`: it stays as it is, end included.
    """

    kind: str
    octets: bytes
    raw: bytes
    frozen: bool = False
    crawler: bool = False

    @classmethod
    def of(cls, line: Line, limits: Limits) -> _Laid:
        body = line.octets.rstrip(b"\r\n")
        lone = line.octets.endswith(b"\r") or b"\r" in body
        # The first octets of a mark are skipped as if it were whole.
        part_of_mark = line.number == 1 and body.startswith(b"\xef")
        # To readers a line of control characters alone is a blank one; here it holds something, which stays.
        part_of_text = part_of_mark or (line.kind == "blank" and bool(body.strip()))
        if lone or part_of_text or b"\0" in body or len(body) >= limits.line_octets - 2:
            kind = "text" if part_of_text else line.kind
            return cls(kind, body, line.octets, frozen=True, crawler=_is_crawler(body))
        return cls(line.kind, _field(line.kind, body.strip()), line.octets, crawler=_is_crawler(body))


def _is_crawler(body: bytes) -> bool:
    return re.match(rb"(?i)\s*acap.{1,3}crawler\b", body) is not None


def _field(kind: str, body: bytes) -> bytes:
    """A line without outer blanks, its name spelled as the specification spells it."""
    if kind in _REMARKS or not body:
        return body
    field, mark, comment = body.partition(b"#")
    field = field.rstrip()
    name, colon, value = field.partition(b":")
    if colon and (spelled := _name(kind, name.strip())) is not None:
        field = f"{spelled}:".encode() + (b" " + value.strip() if value.strip() else b"")
    return field + (b" #" + comment if mark else b"")


def _name(kind: str, name: bytes) -> str | None:
    """The spelling of a known name; None if it is not that name but for its case."""
    try:
        written = name.decode("ascii")
    except UnicodeDecodeError:
        return None
    if kind in _NAMED and written.lower() == kind.lower():
        return kind
    found = _ACAP_NAME.fullmatch(written) if kind == "ACAP" else None
    if found is None:
        return None
    # A local name stays as it was chosen.
    keep = len(found["local"] or "")
    split = len(written) - keep
    return "ACAP" + written[4:split].lower() + written[split:]


class _Layout:
    """Where blank lines stand: before each group and record, with the comments directly above it, and not inside."""

    def __init__(self, lines: Sequence[_Laid]) -> None:
        self._lines = lines
        self._fields = [place for place, line in enumerate(lines) if line.kind != "blank"]
        self._next = _next_grouped(lines)
        self._starts = self._sections()

    def written(self) -> Iterator[bytes]:
        """The octets, line by line."""
        records = _Records()
        last: int | None = None
        for place in self._fields:
            line = self._lines[place]
            for gap in self._gap(last, place, records):
                yield gap
                records.blank()
            yield line.raw if line.frozen else line.octets + b"\n"
            records.read(line.kind)
            last = place
        if last is not None and self._lines[last].frozen and not self._lines[last].raw.endswith((b"\n", b"\r")):
            yield b"\n"

    def _gap(self, last: int | None, place: int, records: _Records) -> list[bytes]:
        """The blank lines between two lines that have no other lines between them."""
        blanks = self._lines[0 if last is None else last + 1 : place]
        ends_alone = last is not None and self._lines[last].frozen
        if ends_alone or any(blank.frozen for blank in blanks):
            # What ends in CR alone must not meet an LF.
            return [blank.raw for blank in blanks]
        if last is None:
            # Octets that look like a byte order mark would be one at the beginning.
            return [b"\n"] if blanks and self._lines[place].octets.startswith(b"\xef") else []
        return [b"\n"] if self._parted(last, place, records, bool(blanks)) else []

    def _parted(self, last: int, place: int, records: _Records, blank: bool) -> bool:
        """Whether a blank line stands between two lines that have no other lines between them."""
        if place in self._starts:
            return blank or records.same_parted(self._next[place])
        return blank and not (
            self._inside(self._lines[last].kind, self._lines[place].kind) and records.same_parted(self._next[place])
        )

    @staticmethod
    def _inside(before: str, after: str) -> bool:
        """Whether two neighbours that start nothing are of the same group or record."""
        return (before == after == "ACAP") or (before in _GROUPED and after in _GROUPED)

    def _sections(self) -> frozenset[int]:
        """The places at which a group or record begins, the comments directly above it included."""
        starts: set[int] = set()
        closed = True
        in_record = False
        for place in self._fields:
            line = self._lines[place]
            begins = False
            if line.kind == "User-agent":
                begins, closed, in_record = closed, False, False
            elif line.kind in _RULES:
                closed, in_record = True, False
            elif line.kind == "ACAP":
                begins = line.crawler and not in_record
                in_record = line.crawler
            if begins:
                at = place
                while at > 0 and self._lines[at - 1].kind == "comment":
                    at -= 1
                starts.add(at)
        return frozenset(starts)


def _next_grouped(lines: Sequence[_Laid]) -> list[str | None]:
    """For each line the kind of the first line from it on that belongs to a group."""
    out: list[str | None] = [None] * len(lines)
    kind: str | None = None
    for place in range(len(lines) - 1, -1, -1):
        kind = lines[place].kind if lines[place].kind in _GROUPED else kind
        out[place] = kind
    return out


class _Records:
    """The records of the older dialects, as far as they have been written."""

    def __init__(self) -> None:
        self._named = self._ruled = False

    def blank(self) -> None:
        """A blank line ends a record."""
        self._named = self._ruled = False

    def read(self, kind: str) -> None:
        """A line of a record."""
        if kind == "User-agent":
            self._named, self._ruled = True, False
        elif kind in _RULES and self._named:
            self._ruled = True

    def same_parted(self, following: str | None) -> bool:
        """Whether with and without a blank line here the records are the same."""
        return following is None or not self._named or (self._ruled and following == "User-agent")

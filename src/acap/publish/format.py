"""Format: the layout of a robots.txt, and nothing else.

    format_robots(b"user-agent:*\\r\\ndisallow :/a")      # b"User-agent: *\\nDisallow: /a\\n"

Laws:
- No decision changes, in any dialect. Blank lines end records in the older ones (K2 3.2), so one is added or taken away
  only where all of them go on reading the same records.
- Nothing is reordered and nothing dropped; the octets of values and comments stay.
- What is formatted twice is formatted once.

Lines that a reader divides or cuts stay as they are: with a NUL, ending in CR alone, or too long, and with a control
character in which a value ends; so does a file that is longer than readers read. Problems of lines are left to lint.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acap import _native
from acap.outline import Field, Outline, Span
from acap.robots import Limits, Line, parse_robots

_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

# Kinds of lines that belong to a conventional group for one dialect or another.
_GROUPED = frozenset(
    {"User-agent", "Allow", "Disallow", "Crawl-delay", "Request-rate", "Visit-time", "Comment", "Robot-version"}
)
_RULES = ("Allow", "Disallow")
_REMARKS = ("comment", "##ACAP")
_NAMED = _GROUPED | {"Sitemap", "Host", "Clean-param", "Noindex", "Content-Signal", "Content-Usage", "License"}

_USAGES = frozenset(name for name, _ in _native.usages())


def format_robots(octets: bytes) -> bytes:
    """A robots.txt with one layout.

    Raises:
        ValueError: the file is UTF-16, in which a line has no octets of its own, or it is packed or binary.
    """
    if octets.startswith(_UTF16):
        raise ValueError("the file is UTF-16, which most readers cannot read; `acap lint --fix` makes it UTF-8")
    if what := _native.unreadable(octets):
        raise ValueError(f"it is {what} and cannot be read")
    limits = Limits()
    if len(octets) > limits.file_octets:
        return octets
    text = octets
    if text.startswith(_MARK) and not text.startswith(b"\xef", len(_MARK)):
        text = text[len(_MARK) :]
    policy = parse_robots(text)
    outline = policy.outline
    laid = [_Laid.of(line, outline.by_line.get(line.number), outline, limits) for line in policy.lines]
    out = b"".join(_Layout(laid).written())
    # A text without its blank lines may be too long, or for its odd octets no text any more.
    return octets if len(out) > limits.file_octets or _native.unreadable(out) else out


class _Laid(NamedTuple):
    """A line: its kind, its octets as formatted, without an end, and as in the file.

    `frozen`: it stays as in the file, end included.
    """

    kind: str
    octets: bytes
    raw: bytes
    frozen: bool = False
    crawler: bool = False

    @classmethod
    def of(cls, line: Line, field: Field | None, outline: Outline, limits: Limits) -> _Laid:
        body = line.octets.rstrip(b"\r\n")
        crawler = field is not None and field.name == "crawler"
        lone = line.octets.endswith(b"\r") or b"\r" in body
        # The first octets of a mark are skipped as if it were whole.
        part_of_mark = line.number == 1 and body.startswith(b"\xef")
        # Readers take a line of control characters for a blank one; here its characters stay.
        part_of_text = part_of_mark or (line.kind == "blank" and bool(body.strip()))
        if lone or part_of_text or b"\0" in body or len(body) >= limits.line_octets - 2:
            kind = "text" if part_of_text else line.kind
            return cls(kind, body, line.octets, frozen=True, crawler=crawler)
        if line.kind in _REMARKS:
            return cls(line.kind, body.strip(), line.octets)
        written, comment = line.body.strip(), line.comment.rstrip()
        if field is not None and (name := _name(field, outline.octets(field.name_span))) is not None:
            between = outline.octets(Span(field.name_span.end, field.value_span.start))
            value = outline.octets(field.value_span)
            # A control character ends a value for one dialect and not for another: such a line stays.
            if between.strip() == b":" and outline.octets(field.span) == written:
                written = f"{name}:".encode() + (b" " + value if value else b"")
        return cls(line.kind, written + (b" " + comment if comment else b""), line.octets, crawler=crawler)


def _name(field: Field, octets: bytes) -> str | None:
    """The spelling of a known name; None if it differs in more than case."""
    written = octets.decode("latin-1")
    if field.kind != "ACAP":
        return field.kind if field.kind in _NAMED and written.lower() == field.kind.lower() else None
    if written.lower() != f"acap-{field.name}":
        return None
    verb, _, usage = field.name.partition("-")
    if verb in ("allow", "disallow") and usage not in _USAGES and not usage.startswith("("):
        return None
    # A local name keeps its spelling.
    name, parenthesis, local = written.partition("(")
    return "ACAP" + name[4:].lower() + parenthesis + local


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
            # A line that ends in CR alone must not be followed by an LF.
            return [blank.raw for blank in blanks]
        if last is None:
            # Octets like a byte order mark would become one at the beginning.
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

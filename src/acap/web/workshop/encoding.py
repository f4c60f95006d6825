"""From the octets of a file to the text of a form, and back.

A text field holds characters, and line ends of one kind. So the text goes with its encoding and its line ends:
the octets of a file that is not UTF-8 stand one by one as the characters of ISO 8859-1, and become the same octets
again. A note says what cannot come back as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from acap.robots import parse_robots

Encoding = Literal["utf-8", "latin-1"]
Ends = Literal["lf", "crlf", "cr"]

ENDS: dict[str, str] = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
NUL_SHOWN = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class OpenedText:
    """The text of a file, how it becomes octets again, and what is lost by that."""

    text: str
    encoding: Encoding
    ends: Ends
    notes: tuple[str, ...]


def opened(octets: bytes) -> OpenedText:
    """The text of a file, with LF at the end of lines."""
    notes: list[str] = []
    encoding: Encoding = "utf-8"
    if octets.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = parse_robots(octets).text.decode("utf-8", "replace")
        notes.append("the file was UTF-16, which few crawlers read; it is UTF-8 now")
    else:
        try:
            text = octets.decode("utf-8")
        except UnicodeDecodeError:
            text, encoding = octets.decode("latin-1"), "latin-1"
            notes.append(
                "the file is not UTF-8: each octet is shown as a character of ISO 8859-1, and stays that octet"
            )
    if "\0" in text:
        text = text.replace("\0", NUL_SHOWN)
        notes.append(f"NUL octets cannot be kept here; each has become {NUL_SHOWN}, and the file UTF-8")
        encoding = "utf-8"
    pairs = text.count("\r\n")
    found: dict[Ends, int] = {"lf": text.count("\n") - pairs, "crlf": pairs, "cr": text.count("\r") - pairs}
    ends = max(found, key=lambda kind: (found[kind], kind == "lf"))
    if sum(1 for count in found.values() if count) > 1:
        notes.append(f"the line ends were of several kinds; all are {ends.upper()} now")
    return OpenedText(text.replace("\r\n", "\n").replace("\r", "\n"), encoding, ends, tuple(notes))


def octets_of(text: str, encoding: str, ends: str) -> bytes:
    """The octets of a text; a character that ISO 8859-1 does not have makes all of it UTF-8."""
    whole = text if ends == "lf" else text.replace("\n", ENDS.get(ends, "\n"))
    if encoding == "latin-1":
        try:
            return whole.encode("latin-1")
        except UnicodeEncodeError:
            pass
    return whole.encode("utf-8", "replace")

"""What a document is: a robots.txt, another text, or no text at all (section 9 of the semantics)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import conventional
from .acap_fields import read_acap_field
from .conventional import AGENT
from .limits import Limits
from .lines import Line, read_lines
from .text import BLANKS, CONTROLS, ascii_lower, without_controls

KNOWN_FIELDS = {*conventional.SPELLINGS, *conventional.WHOLE_NAMES}
FIRST_WORDS = {"allow", "disallow", "sitemap", "crawl-delay"}  # sentences begin so: `Allowed memory size: 1`
PACKED = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|\xfd7zXZ\0|PK\x03\x04|BZh[1-9]1AY&SY")
OTHER = re.compile(
    rb"\x1f\x8b|BZh[1-9]|x[\x01\x5e\x9c\xda]"
    rb"|%PDF-|%!PS-Adobe-|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    rb"|\xff\xd8\xff|\x89PNG\r\n\x1a\n|GIF8[79]a|II[*+]\0|MM\0[*+]|BM.{4}\0{4}|RIFF.{4}(WEBP|AVI |WAVE)"
    rb"|\xff\x0a|\0\0\0\x0cJXL |\0\0\0\x0cjP  \r\n\x87\n"
    rb"|.{4}ftyp|\x1a\x45\xdf\xa3|ID3[\2-\4]|OggS\0|fLaC",
    re.DOTALL,
)
BINARY = {chr(number) for number in (*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20))}


def is_no_text(octets: bytes) -> bool:
    """Whether octets are neither a robots.txt nor another text: packed in a coding that nobody named, or binary."""
    if PACKED.match(octets):
        return True
    whole = Limits(file_octets=len(octets) + 1, line_octets=len(octets) + 1)
    lines = read_lines(octets, whole, has_known_field)
    if is_told(lines) or says_nothing(lines):
        return False
    return bool(OTHER.match(octets)) or is_binary(lines)


def is_told(lines: Sequence[Line]) -> bool:
    """Whether one of some lines is a field of a robots.txt, and no sentence that begins as its name does."""
    fields = [found for found in conventional.read_fields(lines) if not conventional.is_acap(found)]
    return any(map(is_of_robots, fields)) or any(map(read_acap_field, lines)) or any(map(is_version, lines))


def is_version(line: Line) -> bool:
    """Whether a comment is one of ACAP's own, as the version is."""
    text = ascii_lower(without_controls(line.text).strip(BLANKS))
    return text.startswith("##") and text[2:].strip(BLANKS).startswith("acap")


def is_of_robots(found: conventional.Field) -> bool:
    """Whether a conventional field is one that is known, and its line no sentence."""
    key, colon, _ = found.line.text.partition(":")
    if found.kind in FIRST_WORDS:
        return not colon or " " not in key.strip(BLANKS)
    return found.kind in KNOWN_FIELDS and (found.kind == AGENT or bool(colon))


def says_nothing(lines: Sequence[Line]) -> bool:
    """Whether there are but comments and blank lines; a line of control characters is neither."""
    bare = [line.text.strip(BLANKS) for line in lines]
    return all(not text or text.strip(BLANKS + CONTROLS).startswith("#") for text in bare)


def is_binary(lines: Sequence[Line]) -> bool:
    """Whether a NUL is in the text, or more than one octet in 64, eight at least, that no text has."""
    text = "\n".join(line.text for line in lines)
    number = sum(letter in BINARY for letter in text)
    return "\0" in text or (number >= 8 and number * 64 > len(text.encode("utf-8", "surrogateescape")))


def has_known_field(lines: Sequence[Line]) -> bool:
    """Whether one of some lines is a field that we know."""
    fields = [found for found in conventional.read_fields(lines) if not conventional.is_acap(found)]
    return any(found.kind in KNOWN_FIELDS for found in fields) or any(map(read_acap_field, lines))

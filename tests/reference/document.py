"""What a document is: a robots.txt, another text, or no text at all (section 9 of the semantics)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import conventional
from .acap_fields import read_acap_field
from .conventional import AGENT
from .cuts import DECIDING
from .limits import Limits
from .lines import Line, read_lines
from .text import BLANKS, CONTROLS, ascii_lower, without_controls

KNOWN_FIELDS = {*conventional.SPELLINGS, *conventional.WHOLE_NAMES}
FIRST_WORDS = {"allow", "disallow", "sitemap", "crawl-delay"}  # sentences begin so: `Allowed memory size: 1`
LEAD = re.compile(rb"\A(?:\xef\xbb\xbf|[ \t\v\f\r\n])*")  # what servers and editors put before a file
PACKED = re.compile(
    rb"\x1f\x8b\x08|\x1f\x9d|BZh.1AY&SY|\xfd7zXZ\0|LZIP\x01|7z\xbc\xaf'\x1c|Rar!\x1a\x07|.{257}ustar"
    rb"|\x28\xb5\x2f\xfd|.\x2a\x4d\x18|\x04\x22\x4d\x18|\x02\x21\x4c\x18|\xff\x06\0\0sNaPpY"
    rb"|PK\x03\x04|PK\x05\x06|PK\x07\x08|PK00PK\x03\x04",
    re.DOTALL,
)
OTHER = re.compile(
    rb"\x1f\x8b|BZh[1-9]|x[\x01\x5e\x9c\xda]"
    rb"|%PDF-|%!PS-Adobe-|\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    rb"|\xff\xd8\xff|\x89PNG\r\n\x1a\n|GIF8[79]a|II[*+]\0|MM\0[*+]|BM.{4}\0{4}|RIFF.{4}(WEBP|AVI |WAVE)"
    rb"|\xff\x0a|\0\0\0\x0cJXL |\0\0\0\x0cjP  \r\n\x87\n"
    rb"|.{4}ftyp|\x1a\x45\xdf\xa3|ID3[\2-\4]|OggS\0|fLaC",
    re.DOTALL,
)
SURROGATE = re.compile("[\udc80-\udcff]")  # an octet that is no UTF-8
TAG = re.compile(r"<[a-z!?/].*>", re.IGNORECASE | re.ASCII | re.DOTALL)
BINARY = {chr(number) for number in (*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20))}


def is_no_text(octets: bytes) -> bool:
    """Whether octets are neither a robots.txt nor another text: packed in a coding that nobody named, or binary."""
    starts = [octets, LEAD.sub(b"", octets, count=1)]
    if any(map(PACKED.match, starts)):
        return True
    most = 2 * len(octets) + 1  # UTF-16 grows by half where it is decoded
    whole = Limits(file_octets=most, line_octets=most)
    lines = read_lines(octets, whole, has_known_field)
    if any(map(is_noise, lines)) or is_wide(lines):
        return True
    first = next((at for at in range(len(lines)) if is_told(lines[at : at + 1])), len(lines))
    if any(map(is_glued, lines[:first])):
        return True
    if is_told(lines) or (says_nothing(lines) and not is_mixed(lines)):
        return False
    return any(map(OTHER.match, starts)) or is_binary(lines)


def is_wide(lines: Sequence[Line]) -> bool:
    """Whether more than a quarter are NUL, up to three in a row, as letters of some octets have; more are padding."""
    padded = [re.sub(rb"\0{4,}", b"", line.octets) for line in lines]
    return sum(octets.count(0) for octets in padded) * 4 > sum(map(len, padded))


def is_mixed(lines: Sequence[Line]) -> bool:
    """Whether lines hold octets that are no UTF-8 and others that no text has, comments included."""
    text = "".join(line.text for line in lines)
    return bool(SURROGATE.search(text)) and not BINARY.isdisjoint(text)


def is_noise(line: Line) -> bool:
    """Whether a line, comments aside, has two octets that no text has and is no UTF-8 without them."""
    text = line.text.partition("#")[0]
    return sum(letter in BINARY for letter in text) > 1 and bool(SURROGATE.search(without_controls(text)))


def is_glued(line: Line) -> bool:
    """Whether the name of a deciding field stands behind control characters, or behind octets that are no UTF-8."""
    if line.text.strip(BLANKS + CONTROLS).startswith("#"):
        return False
    text = ascii_lower(line.text)
    noise = next((at for at, letter in enumerate(text) if letter in CONTROLS or SURROGATE.match(letter)), len(text))
    return any(name in text[noise + 1 :] for name in (*DECIDING, "content-signal", "acap"))


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
    key, colon, _ = found.line.text.partition("#")[0].partition(":")
    if found.kind in FIRST_WORDS:
        return not colon or " " not in key.strip(BLANKS + CONTROLS)
    return found.kind in KNOWN_FIELDS and (found.kind == AGENT or bool(colon))


def says_nothing(lines: Sequence[Line]) -> bool:
    """Whether there are but comments and blank lines; a line of control characters is neither."""
    bare = [line.text.strip(BLANKS) for line in lines]
    return all(not text or text.strip(BLANKS + CONTROLS).startswith("#") for text in bare)


def is_binary(lines: Sequence[Line]) -> bool:
    """Whether text without a field is none.

    It has a NUL, or more than one octet in 64, eight at least, that no text has; or it is no UTF-8, more than
    one octet in five is none of ASCII's texts, and it has one that no text has or no tag.
    """
    text = "\n".join(line.text for line in lines)
    number = sum(letter in BINARY for letter in text)
    if "\0" in text or (number >= 8 and number * 64 > len(text.encode("utf-8", "surrogateescape"))):
        return True
    octets = text.encode("utf-8", "surrogateescape")
    is_odd = (number + sum(octet > 0x7F for octet in octets)) * 5 > len(octets)
    return bool(SURROGATE.search(text)) and is_odd and (number > 0 or not TAG.search(text))


def has_known_field(lines: Sequence[Line]) -> bool:
    """Whether one of some lines is a field that we know."""
    fields = [found for found in conventional.read_fields(lines) if not conventional.is_acap(found)]
    return any(found.kind in KNOWN_FIELDS for found in fields) or any(map(read_acap_field, lines))

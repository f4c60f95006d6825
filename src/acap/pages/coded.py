"""Octets that are no text yet: packed, in a coding that was not taken off, or a file of another format.

What such octets say nobody has seen, so that their silence permits nothing (semantics, section 7).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from acap._native import format_of
from acap.pages.encoding import decode
from acap.pages.headers import codings
from acap.pages.media_types import content_type

PACKINGS = frozenset({"gzip", "zlib", "zstandard", "bzip2", "xz", "compress", "lzip", "lz4", "snappy"})
"""Formats of one packed text, as content codings are; an archive of several files is not one."""

# What files of formats that are read begin with: fewer octets of it are a file that is cut.
_BEGINNINGS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+", b"%PDF-")
# MIME Sniffing standard 3, "binary data byte".
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\0\t\n\f\r ]*<")
# A text with a stray control character is still text: coded octets have at least `_FEWEST`, and more than one in
# `_SHARE`. A real coding has one in ten.
_SHARE, _FEWEST = 64, 8


def why_coded(octets: bytes, headers: Iterable[tuple[str, str]]) -> str:
    """Why what is given for a page is still coded, in a few words; empty if it is not."""
    pairs = tuple(headers)
    shown = format_of(octets)
    if shown in PACKINGS:
        return f"the octets are packed with {shown}"
    if begins_as_markup(octets):
        return ""  # no coding leaves a beginning as it was
    if names_coding(pairs) and not shown and not is_text(octets):
        return IN_CODING
    return "" if shown else why_no_text(octets, pairs)


def why_no_text(octets: bytes, headers: Iterable[tuple[str, str]]) -> str:
    """Why octets are no page of any encoding; empty if they may be one."""
    if begins_as_markup(octets) or not _is_much(len(_BINARY.findall(octets)), len(octets)):
        return ""
    text = decode(octets, content_type(headers)).text
    return "its octets are not text" if _is_much(len(_NO_TEXT.findall(text)), len(text)) else ""


IN_CODING = "the octets are still in the coding that their headers name"


def names_coding(headers: Iterable[tuple[str, str]]) -> bool:
    """Whether headers, names in lower case, name a content coding."""
    return any(name == "content-encoding" and codings(value) for name, value in headers)


def begins_as_markup(octets: bytes) -> bool:
    """Whether the first octet of a text, marks and blanks aside, is that of a tag."""
    return _MARKUP.match(octets) is not None


def is_text(octets: bytes) -> bool:
    """Whether octets have none that texts do not have, and are no file that is cut within its mark."""
    if _is_cut_mark(octets):
        return False
    if octets.startswith(_UTF16):
        try:
            octets = octets.decode("utf-16").encode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return False
    return _BINARY.search(octets) is None


def _is_cut_mark(octets: bytes) -> bool:
    """Whether a file of a format that is read may have broken off within its mark."""
    if any(mark.startswith(octets) for mark in _BEGINNINGS):
        return True
    return b"RIFF".startswith(octets[:4]) and b"WEBP".startswith(octets[8:])  # between them a length of any octets


def _is_much(number: int, length: int) -> bool:
    return number >= _FEWEST and number * _SHARE > length

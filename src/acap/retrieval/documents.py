"""What came where a robots.txt was asked for: one, another text, or octets of which nobody can tell what they say."""

from __future__ import annotations

import codecs
import re

from acap import _native

_PACKED = ("gzip", "zstandard", "bzip2", "xz", "zlib", "zip")
_FEW, _ONE_IN = 8, 64  # so many octets that no text has, and one in so many, are no slip in an error page

# No text begins so, whatever lines lie unpacked in the file.
_MARKS = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|BZh[1-9]1AY&SY|\xfd7zXZ\0|PK\x03\x04")
# MIME Sniffing standard 3, "binary data byte".
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def is_robots(octets: bytes) -> bool:
    """Whether octets are a robots.txt: a line of them has a field of one, or none has anything but a comment."""
    return _MARKS.match(octets) is None and _native.is_robots(octets)


def unreadable(octets: bytes) -> str | None:
    """What octets are, if they are neither a robots.txt nor any other text; None if they are one.

    They are in a coding that nobody named, which is a broken one: they may say anything. An error page and JSON are
    text, and say nothing.
    """
    if is_robots(octets):
        return None
    from acap.carriers import format_of

    if form := format_of(octets):
        return f"packed with {form}" if form in _PACKED else f"a file of the format {form}"
    for mark, encoding in _UTF16.items():
        if octets.startswith(mark):
            octets = octets[len(mark) :].decode(encoding, "replace").encode("utf-8", "replace")
    number = len(_BINARY.findall(octets))
    is_binary = b"\0" in octets or (number >= _FEW and number * _ONE_IN > len(octets))
    return "binary" if is_binary else None

"""The media type of a response, by its headers, else by its first octets; and whether that is a page.

The laws of this module:

1. A declared type is that of the Fetch standard ("extract a MIME type"): of several headers the last that is a type.
2. Without one the octets decide, by the table of the MIME Sniffing standard 7.1.
3. Where neither decides, the octets may be a page: they are also read as one, and its prohibitions hold (semantics,
   section 7).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from acap.pages import xhtml
from acap.remembered import remembered

Reading: TypeAlias = Literal["html", "xhtml", "open", "none"]
"""How the octets of a response are read: as HTML; as XHTML, which is XML and HTML; also as a page (`open`), since
nothing decides whether they are one; not as a page."""

HTML, XHTML = "text/html", "application/xhtml+xml"


class MediaType(NamedTuple):
    """Type and subtype in lower case, empty if there is none, and the charset as it is written."""

    essence: str
    charset: str | None


# MIME Sniffing standard 4.4, "parse a MIME type": type, subtype, then parameters of which the first one counts.
_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_BLANKS = r"[\t\n\r ]*"
_ESSENCE = re.compile(rf"{_BLANKS}({_NAME}/{_NAME}){_BLANKS}(?=;|\Z)")
_QUOTED = r'"((?:[^"\\]|\\.|\\\Z)*+)'
_PARAMETER = re.compile(rf";{_BLANKS}([^;=]*)(?:=(?:{_QUOTED}[^;]*|([^;]*)))?", re.DOTALL)
_QUOTABLE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
# Fetch standard, "get, decode, and split": commas inside quotes do not part values.
_VALUE = re.compile(rf'(?:[^",]|{_QUOTED}"?)*+', re.DOTALL)


def extract(content_type: str | None) -> MediaType:
    """The media type that a `Content-Type` names (Fetch standard, "extract a MIME type").

    Of several values, joined by commas, the last media type counts, and keeps the charset that an earlier value of the
    same type gave. A value without type and subtype says nothing, nor does `*/*`.
    """
    return _extracted(content_type or "")


@remembered
def _extracted(content_type: str) -> MediaType:
    charset = found = None
    essence = ""
    for value in _values(content_type):
        media = _ESSENCE.match(value)
        if media is None or media[1] == "*/*":
            continue
        own = _charset_parameter(value, media.end())
        if media[1].lower() != essence:
            charset, essence = own, media[1].lower()
        found = charset if own is None else own
    return MediaType(essence, found)


def content_type(headers: Iterable[tuple[str, str]]) -> str | None:
    """The values of every `Content-Type` header, joined by commas; None if there is none."""
    values = [value for name, value in headers if name.lower() == "content-type"]
    return ", ".join(values) if values else None


def reading(octets: bytes, headers: Iterable[tuple[str, str]] = ()) -> Reading:
    """How the octets of a response are read. Cheap but for XML, of which the beginning up to the root is read."""
    pairs = tuple(headers)
    declared = content_type(pairs)
    essence = extract(declared).essence
    if essence == HTML:
        return "html"
    if essence in _UNKNOWN:
        return _sniffed(octets, declared, nosniff=_is_nosniff(pairs))
    if is_xml(essence):
        found = _as_xml(octets, declared)
        # A document called XHTML whose root is not was meant as a page.
        return _open(octets) if found == "none" and essence == XHTML else found
    return _open(octets) if essence in _UNDECIDED else "none"


def is_xml(essence: str) -> bool:
    """Whether a type is an XML type (MIME Sniffing standard 4.6)."""
    return essence in ("text/xml", "application/xml") or essence.endswith("+xml")


def is_unknown(essence: str) -> bool:
    """Whether a type leaves the decision to the octets (MIME Sniffing standard 7)."""
    return essence in _UNKNOWN


def is_undecided(essence: str) -> bool:
    """Whether a type tells nothing about the octets (RFC 2046 4.5.1)."""
    return essence in _UNDECIDED


def begins_as_xml(text: str) -> bool:
    """Whether a text without a declared type is XML (MIME Sniffing standard 7.1)."""
    return text.lstrip(_WHITE).startswith("<?xml")


def begins_as_binary(octets: bytes) -> bool:
    """Whether octets begin as an image, sound, a film, an archive or a document (MIME Sniffing standard 6, 7.1)."""
    return _BINARY.match(octets[:_SNIFFED]) is not None


_UNKNOWN = ("", "unknown/unknown", "application/unknown")
"""Types that leave the decision to the octets (MIME Sniffing standard 7)."""

_UNDECIDED = ("application/octet-stream", "binary/octet-stream")
"""Types of undescribed octets; browsers store them, crawlers may examine them (our choice)."""

_WHITE = " \t\n\f\r"
_SNIFFED = 1445
"""Octets that the MIME Sniffing standard 5.2 examines."""

# MIME Sniffing standard 7.1: each ends with a blank or `>`.
_MARKUP = re.compile(
    rb"[ \t\n\f\r]*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[ >]",
    re.IGNORECASE,
)
_XML = re.compile(rb"[ \t\n\f\r]*<\?xml")
# MIME Sniffing standard 6 and 7.1: documents, images, sound, films, archives.
_BINARY = re.compile(
    rb"%PDF-|%!PS-Adobe-|\x00\x00[\x01\x02]\x00|BM|GIF8[79]a|\x89PNG\r\n\x1a\n|\xff\xd8\xff|"
    rb"RIFF.{4}(?:WEBPVP|AVI |WAVE)|FORM.{4}AIFF|ID3|OggS\x00|MThd\x00{3}\x06|.{4}ftyp|\x1a\x45\xdf\xa3|"
    rb"\x1f\x8b\x08|PK\x03\x04|Rar \x1a\x07\x00",
    re.DOTALL,
)


def _sniffed(octets: bytes, declared: str | None, *, nosniff: bool) -> Reading:
    head = octets[:_SNIFFED]
    if nosniff:
        # The standard takes it for text then, but it may contain what was written as a page.
        return _open(octets)
    if _MARKUP.match(head):
        return "html"
    if _XML.match(head):
        return _as_xml(octets, declared)
    return _open(octets)


def _open(octets: bytes) -> Reading:
    return "none" if begins_as_binary(octets) or b"<" not in octets else "open"


def _as_xml(octets: bytes, declared: str | None) -> Reading:
    root = xhtml.is_xhtml(xhtml.decode(octets, extract(declared).charset)[0])
    return "open" if root is None else "xhtml" if root else "none"


def _is_nosniff(headers: Iterable[tuple[str, str]]) -> bool:
    # Fetch standard, "determine nosniff".
    values = [value for name, value in headers if name.lower() == "x-content-type-options"]
    return bool(values) and values[0].partition(",")[0].strip().lower() == "nosniff"


def _values(header: str) -> Iterator[str]:
    start = 0
    while start <= len(header):
        value = _VALUE.match(header, start)
        assert value is not None  # the pattern matches anything, nothing included
        yield value[0]
        start = value.end() + 1


def _charset_parameter(value: str, start: int) -> str | None:
    for parameter in _PARAMETER.finditer(value, start):
        name, quoted, plain = parameter.groups()
        if quoted is not None:
            charset = re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)
        elif not (charset := (plain or "").rstrip("\t\n\r ")):
            continue  # without quotes an empty value is none
        if name.lower() == "charset" and _QUOTABLE.fullmatch(charset):
            return charset
    return None

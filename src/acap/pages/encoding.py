"""The octets of an HTML page as text, as browsers read them.

The laws of this module:

1. A byte order mark beats the `Content-Type` header, the header beats a declaration in the page, and that beats the
   fallback (HTML standard 13.2.3.2, "determining the character encoding").
2. Only the encodings of the Encoding standard are read; never UTF-7. A label unknown to it is no declaration.
3. Nothing raises on content. Time is linear; a declaration is searched for only in the first 1024 octets.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from dataclasses import dataclass
from typing import Literal, TypeAlias

from acap.pages.decoders import encoding_of, text_of
from acap.pages.media_types import extract

Source: TypeAlias = Literal["bom", "header", "meta", "fallback"]
"""The source of the encoding: the byte order mark, the header, the page (META or XML declaration), or none of these."""

PRESCANNED = 1024
"""Octets searched for a declaration: as many as the HTML standard encourages, and allows to authors."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page's text.

    `encoding` is a name as the Encoding standard spells it: `UTF-8`, `windows-1252`. `source` is what decided.
    `replaced` says that malformed octets became U+FFFD.
    """

    text: str
    encoding: str
    source: Source
    replaced: bool


# Encoding standard 6, "BOM sniff".
_MARKS = {b"\xef\xbb\xbf": "UTF-8", b"\xfe\xff": "UTF-16BE", b"\xff\xfe": "UTF-16LE"}


def decode(octets: bytes, content_type: str | None = None) -> Decoded:
    """The text of a page, without its byte order mark (HTML standard 13.2.3.2; Encoding standard 6, "decode").

    `content_type` is the value of the header, or the values of several joined by commas.
    """
    for mark, marked in _MARKS.items():
        if octets.startswith(mark):
            return _decoded(octets[len(mark) :], marked, "bom")
    if name := encoding_of(charset_of(content_type) or ""):
        return _decoded(octets, name, "header")
    if name := _prescan(octets[:PRESCANNED]):
        return _decoded(octets, name, "meta")
    # Browsers say windows-1252. Octets that all read as UTF-8 are UTF-8 (our choice; the standard's step 8 allows it):
    # statements are ASCII in both, but text that is counted, cut and kept must not be garbled.
    return _decoded(octets, "UTF-8" if _reads_as_utf8(octets) else "windows-1252", "fallback")


def _decoded(octets: bytes, name: str, source: Source) -> Decoded:
    text, replaced = text_of(octets, name)
    return Decoded(text, name, source, replaced)


def _reads_as_utf8(octets: bytes) -> bool:
    """Whether there is more than ASCII and all of it is UTF-8, apart from a last character that is cut off."""
    try:
        return not getincrementaldecoder("utf-8")().decode(octets).isascii()
    except UnicodeDecodeError:
        return False


def charset_of(content_type: str | None) -> str | None:
    """The charset parameter of a `Content-Type` value, as written but for its quotes; None if it has none.

    Of several values joined by commas the last media type counts (`media_types.extract`).
    """
    return extract(content_type).charset


# HTML standard 13.2.3.2, "get an attribute". The last match of a tag says that there is none; a tag cut off lacks it.
_ATTRIBUTE = re.compile(
    rb"""
    [\t\n\f\r\x20/]*+
    (?: (?=>)  # there is none
    |   ([^\t\n\f\r\x20/>][^\t\n\f\r\x20/>=]*+)
        [\t\n\f\r\x20]*+
        (?: (?=[^\t\n\f\r\x20=])
        |   =[\t\n\f\r\x20]*+ (?: "([^"]*+)" | '([^']*+)' | (?=>) | ([^\t\n\f\r\x20>"'][^\t\n\f\r\x20>]*+) )
        )
    )
    """,
    re.VERBOSE,
)
_META = re.compile(rb"<meta(?=[\t\n\f\r /])", re.IGNORECASE)
_TAG = re.compile(rb"</?[a-z][^\t\n\f\r >]*+", re.IGNORECASE)
# HTML standard, "extracting a character encoding from a meta element".
_CHARSET = re.compile(rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*")
_LABEL = re.compile(rb"\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*)")
_XML_ENCODING = re.compile(rb"[\x00-\x20]*=[\x00-\x20]*([\"'])([^\x00-\x20]*?)\1")


def _prescan(head: bytes) -> str | None:
    """The encoding that a page declares (HTML standard 13.2.3.2, "prescan a byte stream to determine its encoding")."""
    if head.startswith(b"<\0?\0x\0"):
        return "UTF-16LE"
    if head.startswith(b"\0<\0?\0x"):
        return "UTF-16BE"
    at = head.find(b"<")
    while at >= 0:
        if head.startswith(b"<!--", at):
            end = head.find(b"-->", at + 2)  # `<!-->` is a whole comment
        elif meta := _META.match(head, at):
            attributes, end = _attributes(head, meta.end())
            name = _declared(attributes) if end >= 0 else None
            if name is not None:
                return name
        elif tag := _TAG.match(head, at):
            end = _attributes(head, tag.end())[1]
        elif head[at + 1 : at + 2] in (b"!", b"/", b"?"):
            end = head.find(b">", at)
        else:
            end = at
        at = head.find(b"<", end + 1) if end >= 0 else -1
    return _xml_encoding(head)


def _attributes(head: bytes, start: int) -> tuple[dict[bytes, bytes], int]:
    """The attributes of a tag, in order, the first of each name; where the tag ends, -1 if it does not."""
    attributes: dict[bytes, bytes] = {}
    while match := _ATTRIBUTE.match(head, start):
        start = match.end()
        if match[1] is None:
            return attributes, start
        attributes.setdefault(match[1].lower(), (match[2] or match[3] or match[4] or b"").lower())
    return attributes, -1


def _declared(attributes: dict[bytes, bytes]) -> str | None:
    """The encoding that a META tag declares; `charset` beats `content`, which needs its pragma."""
    if b"charset" in attributes:
        name = _named(attributes[b"charset"])
    elif attributes.get(b"http-equiv") == b"content-type" and b"content" in attributes:
        name = _extracted(attributes[b"content"])
    else:
        return None
    # A page that could be read as ASCII so far is neither UTF-16 nor private use.
    return {"UTF-16LE": "UTF-8", "UTF-16BE": "UTF-8", "x-user-defined": "windows-1252"}.get(name or "", name)


def _extracted(content: bytes) -> str | None:
    charset = _CHARSET.search(content)
    label = _LABEL.match(content, charset.end()) if charset else None
    return _named(label[1] or label[2] or label[3] or b"") if label else None


def _xml_encoding(head: bytes) -> str | None:
    """The encoding of an XML declaration, which counts in HTML too (HTML standard 13.2.3.2, "get an XML encoding")."""
    end = head.find(b">") if head.startswith(b"<?xml") else -1
    at = head.find(b"encoding", 0, end) if end >= 0 else -1
    match = _XML_ENCODING.match(head, at + len(b"encoding")) if at >= 0 else None
    name = _named(match[2]) if match else None
    return "UTF-8" if name in ("UTF-16LE", "UTF-16BE") else name


def _named(label: bytes) -> str | None:
    return encoding_of(label.decode("latin-1"))

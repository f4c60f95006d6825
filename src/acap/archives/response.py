"""The HTTP response of an archive's record: its head as a client reads it, its body without its codings.

The laws of this module:

1. What a client of HTTP refuses is not read: an invalid status line, a line among the fields that is not a field
   (RFC 9112 2.2, 4, 5), a transfer coding that was not asked for (RFC 9112 6.1), chunks that break off (RFC 9112 7.1).
2. Some archives keep a body decoded beside the headers it came with. That is taken to be so only where the octets show
   it: nothing in them is in chunks, and what should be gzip is text. A robots.txt has to be one besides.
3. Some archives drop the headers and keep the coding. Nothing is read of text that is packed or in chunks.
4. Interim responses alone stand before another one. Where a proxy, a redirect or a login answered first, it is unknown
   which of the two is that of the record: nothing is read (our choice), as of a whole response in a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap import _native
from acap.archives.members import MAGIC, UnreadableError
from acap.pages.headers import PAGES, media_type
from acap.retrieval.answers import Headers, values
from acap.retrieval.body import Body, CodingError, CutBodyError, check_whole, content_codings
from acap.retrieval.locations import is_robots_url

HEAD_OCTETS = 1 << 18  # of headers, of a record or a response

_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(r"HTTP/\d+(?:\.\d+)?[ \t]+(\d{3})(?:[ \t]([^\r\n\v\f\0]*))?", re.ASCII)
_INTERIM = re.compile(rb"HTTP/\d+(?:\.\d+)?[ \t]+1(?!01)\d\d(?!\S)")
_BEGUN = re.compile(r"HTTP/\d+(?:\.\d+)?[ \t]+(\d{3})(?!\S)", re.ASCII)
_FIELD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\v\f\0]*")
_FOLDED = re.compile(r"[ \t][^\r\n\v\f\0]*")


def final(block: bytes) -> bytes:
    """The response without the interim ones before it (RFC 9110 15.2)."""
    at = 0
    while (interim := _INTERIM.match(block, at)) and (end := _END.search(block, interim.end(), at + HEAD_OCTETS)):
        at = end.end()
    return block[at:] if at and block.startswith(b"HTTP/", at) else block


def head_of(block: bytes) -> tuple[int, Headers]:
    """Status and headers as far as they can be read; 0 and none if there are none. Several responses have no status."""
    status, headers, end = _begun_head(block)
    all_headers = list(headers)
    rest = block[end : end + HEAD_OCTETS] if end else b""
    for _ in range(_ANSWERS):
        if (at := following(headers, rest)) is None:
            break
        block = rest[at:].lstrip()
        _, headers, end = _begun_head(block)
        status, rest = 0, block[end:] if end else b""
        all_headers += headers
    return status, tuple(all_headers)


def _begun_head(block: bytes) -> tuple[int, Headers, int]:
    head, end = _parted(block)
    status = _BEGUN.match(head)
    return (0, (), 0) if status is None else (int(status[1]), _fields(head), end)


def following(headers: Headers, kept: bytes) -> int | None:
    """Where another response begins in the octets behind a head: at once, or behind a body as long as it says."""
    stated = [length.strip() for value in values(headers, "content-length") for length in value.split(",")]
    lengths = [int(length) for length in stated[:_ANSWERS] if _LENGTH.fullmatch(length)]
    return next((at for at in (0, *lengths) if _native.is_response(kept[at : at + _LOOKED_AT])), None)


_ANSWERS = 32  # most heads of one record that are heard
_LOOKED_AT = 4096  # octets in which another head begins, behind blank lines
_LENGTH = re.compile("[0-9]{1,18}")


def check_alone(headers: Headers, kept: bytes) -> None:
    """Raises UnreadableError if another response stands behind a head."""
    if following(headers, kept) is not None:
        raise UnreadableError("another response stands behind the head of the first")


def checked_head(block: bytes) -> tuple[int, str, Headers, int]:
    """Status, phrase and headers, and where the body begins. Raises UnreadableError if a client would refuse them."""
    if (plain := _native.response_head(block, HEAD_OCTETS)) is not None:
        return plain
    head, end = _parted(block)
    first, *lines = re.split(r"\r?\n", head)
    line = _STATUS.fullmatch(first)
    if line is None:
        raise UnreadableError("the record has no response of HTTP")
    if not end:  # a lost field may have prohibited, or had the length of the body
        raise UnreadableError("the response ends within its headers")
    for number, written in enumerate(lines):
        if not _FIELD.fullmatch(written) and not (number and _FOLDED.fullmatch(written)):
            raise UnreadableError("a line among the response's headers is not a header")
    return int(line[1]), (line[2] or "").strip(), _fields(head), end


def _parted(block: bytes) -> tuple[str, int]:
    """The head, and where the body begins; 0 if the head does not end."""
    end = _END.search(block, 0, HEAD_OCTETS)
    head = block[:HEAD_OCTETS] if end is None else block[: end.start()]
    return head.decode("latin-1"), 0 if end is None else end.end()


def _fields(head: str) -> Headers:
    split = (line.partition(":") for line in re.split(r"\r?\n(?![ \t])", head)[1:])
    return tuple((name.strip(), " ".join(value.split())) for name, colon, value in split if colon)


def payloads(kept: bytes, body: bytes) -> Iterator[bytes]:
    """What writers of archives take for the payload of a response whose decoded body is given (WARC 1.1 5.9).

    That is the body as it is `kept` behind the head, the same without chunks, or decoded.
    """
    yield kept
    if (parts := _dechunked(kept)) is not None:
        yield parts
    yield body


def body_of(url: str, status: int, headers: Headers, body: bytes, limit: int) -> bytes:
    """A body without transfer and content coding. Raises UnreadableError if it cannot be read as a whole."""
    if not body and (status < 200 or status in (204, 304)):  # RFC 9110 6.4.1: regardless of its fields
        return body
    wants_robots = 200 <= status < 300 and is_robots_url(url)
    body, is_guessed = _transferred(body, headers)
    try:
        check_whole(status, headers, len(body), is_unchunked=not is_guessed)
        decoded, was_decoded = _decoded(body, values(headers, "content-encoding"), limit)
    except (CodingError, CutBodyError) as error:
        raise UnreadableError(str(error)) from error
    if (is_guessed or was_decoded) and wants_robots and not (_is_text(decoded) and _native.is_robots(decoded)):
        raise UnreadableError("the body is in another coding than its headers say")
    if wants_robots or _is_text_by_type(headers):
        _check_bare(decoded, values(headers, "transfer-encoding"))
    return decoded


def _transferred(body: bytes, headers: Headers) -> tuple[bytes, bool]:
    """A body without its transfer coding, and whether it had none although headers name one."""
    named = values(headers, "transfer-encoding")
    if not named:
        return body, False
    if [value.lower() for value in named] != ["chunked"]:
        raise UnreadableError(f"a body sent as `{', '.join(named)}` was not asked for")
    if (parts := _dechunked(body)) is not None:
        return parts, False
    # What there is may be the beginning of the first chunk's size, or nothing: then it was cut.
    if _SIZE_BEGUN.fullmatch(body) or _LIKE_SIZE.search(body):
        raise UnreadableError("the body ends before its last chunk")
    return body, True


def _decoded(body: bytes, named: tuple[str, ...], limit: int) -> tuple[bytes, bool]:
    """A body without its content coding, and whether that says nothing of what it is.

    So it is where the body had no coding, and where what came is not checked: gzip alone has checksums.
    """
    names = content_codings(named)
    if not body or not names:
        return body, False
    if len(names) == 1 and names[0] in _GZIP:
        if _is_text(body):
            return body, True
        whole, end = _native.gzip_member(body, 0, min(limit, _AT_ONCE))
        if whole is not None and end == len(body) <= limit:
            return whole, False
    decoder = Body(named, limit)
    decoder.feed(body)
    decoded, is_cut = decoder.finish()
    if is_cut:
        raise UnreadableError(f"the body has more than {limit} octets")
    return decoded, names[0] not in _GZIP


_GZIP = ("gzip", "x-gzip")
_AT_ONCE = 1 << 20  # most octets of a body that is unpacked at once, as nearly all of them are
# The binary data bytes of the MIME Sniffing standard, 3; every body in gzip begins with one.
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


def _is_text(body: bytes) -> bool:
    return _BINARY.search(body) is None


def _is_text_by_type(headers: Headers) -> bool:
    media = media_type(headers)
    return media in PAGES or media.startswith("text/")


def _check_bare(body: bytes, transferred: tuple[str, ...]) -> None:
    """Raises UnreadableError for text that is still in a coding."""
    if body.startswith(MAGIC):
        raise UnreadableError("the body is packed, and no header says so")
    if not transferred and _dechunked(body):
        raise UnreadableError("the body is in chunks, and no header says so")


_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
_SIZE_BEGUN = re.compile(rb"[ \t]*[0-9A-Fa-f]{0,15}[ \t]*(?:;[^\r\n]*)?\r?")
_LIKE_SIZE = re.compile(rb"\A" + _SIZE.pattern + rb"|\r\n[0-9A-Fa-f]{1,15}[ \t]*(?:;[^\r\n]*)?\r\n")
_TRAILERS = re.compile(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r\n)*\r\n")


def _dechunked(body: bytes) -> bytes | None:
    """A body without its chunks (RFC 9112 7.1); None if it is not in chunks from its first octet to its last."""
    out = bytearray()
    at = 0
    while size := _SIZE.match(body, at):
        length = int(size[1], 16)
        at = size.end() + length
        if not length:
            return bytes(out) if _TRAILERS.fullmatch(body, at) else None
        if not body.startswith(b"\r\n", at):
            return None
        out += body[size.end() : at]
        at += 2
    return None

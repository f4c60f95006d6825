"""JPEG, PNG and WebP files: which of their segments or chunks hold XMP (XMP 3 1.1.3, 1.1.5; WebP container).

Nothing is decoded, so neither the size nor the state of the pixels matters. An imaging library would drop the second of
two packets and the extended XMP of JPEG, would not see a PNG chunk behind the pixels, and refuses large images.
"""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections import defaultdict
from operator import itemgetter

from acap.pages.embedded.limits import MAX_PARTS
from acap.pages.embedded.packets import Packets

_STANDARD = b"http://ns.adobe.com/xap/1.0/\0"
_EXTENDED = b"http://ns.adobe.com/xmp/extension/\0"
_FILL = re.compile(rb"\xff+")
_PIXELS = (b"IDAT", b"fdAT")
_KEYWORD = b"XML:com.adobe.xmp\0"


def jpeg(data: bytes, packets: Packets) -> None:
    """Reads the APP1 segments before the first scan; XMP has no place behind it (XMP 3 1.1.3)."""
    position = 2
    pieces: dict[str, list[tuple[int, int, bytes]]] = defaultdict(list)
    for _ in range(MAX_PARTS):
        fill = _FILL.match(data, position)
        position = fill.end() if fill else position
        if position >= len(data):
            packets.findings.add("embedded-damaged-file", "JPEG", "it ends before the image begins")
            break
        marker = data[position]
        if fill is None or marker == 0:
            packets.findings.add("embedded-damaged-file", "JPEG", f"there is no marker at octet {position}")
            break
        position += 1
        if marker in (0xD9, 0xDA):
            break
        if marker == 0x01 or 0xD0 <= marker <= 0xD7:
            continue
        length = int.from_bytes(data[position : position + 2], "big")
        body = data[position + 2 : position + length]
        if marker == 0xE1 and body.startswith(_STANDARD):
            packets.add(body[len(_STANDARD) :], at=position + 2 + len(_STANDARD))
        elif marker == 0xE1 and body.startswith(_EXTENDED) and len(body) >= len(_EXTENDED) + 40:
            guid, whole, offset = struct.unpack_from(">32sII", body, len(_EXTENDED))
            pieces[guid.decode("latin-1").upper()].append((offset, whole, body[len(_EXTENDED) + 40 :]))
            packets.places.append((position, position + length))
        if length < 2 or len(body) != length - 2:
            packets.findings.add("embedded-damaged-file", "JPEG", "a segment is cut off")
            break
        position += length
    else:
        packets.findings.add("embedded-limit", f"there are over {MAX_PARTS} segments")
    for guid, parts in pieces.items():
        packets.add(_assembled(guid, parts, packets), guid)


def _assembled(guid: str, parts: list[tuple[int, int, bytes]], packets: Packets) -> bytes:
    """Extended XMP out of its portions: as much as there is without a gap. The GUID is its MD5 (XMP 3 1.1.3.1)."""
    octets = bytearray()
    for offset, _, portion in sorted(parts, key=itemgetter(0)):
        if offset > len(octets):
            packets.findings.add("embedded-extension-incomplete", f"a portion at {len(octets)} is missing")
            break
        # A portion that is there twice adds nothing; one that overlaps adds what is new, and fails the digest.
        octets += portion[len(octets) - offset :]
    if len({whole for _, whole, _ in parts}) != 1 or len(octets) != parts[0][1]:
        packets.findings.add("embedded-extension-incomplete", f"{len(octets)} of {parts[0][1]} octets are there")
    elif hashlib.md5(octets, usedforsecurity=False).hexdigest().upper() != guid:
        packets.findings.add("embedded-extension-incomplete", "its digest differs")
    return bytes(octets)


def png(data: bytes, packets: Packets) -> None:
    """Reads every iTXt chunk named `XML:com.adobe.xmp`, before or behind the pixels (XMP 3 1.1.5)."""
    position = 8
    for _ in range(MAX_PARTS):
        length = int.from_bytes(data[position : position + 4], "big")
        kind = data[position + 4 : position + 8]
        end = position + 8 + length
        if kind == b"iTXt" and data.startswith(_KEYWORD, position + 8):
            _international_text(data[position + 8 : end], position + 8, packets)
        if end + 4 > len(data):
            packets.findings.add("embedded-damaged-file", "PNG", "it ends within a chunk")
            return
        if kind == b"IEND":
            return
        # A chunk that fails may have been one of text. The sum over pixels tells nothing, and takes its time.
        if kind not in _PIXELS and zlib.crc32(data[position + 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
            packets.findings.add("embedded-damaged-file", "PNG", "the checksum of a chunk is wrong")
        position = end + 4
    packets.findings.add("embedded-limit", f"there are over {MAX_PARTS} chunks")


def _international_text(body: bytes, at: int, packets: Packets) -> None:
    head = len(_KEYWORD)
    flags = body[head : head + 2]
    parts = body[head + 2 :].split(b"\0", 2)  # language, translated keyword, text
    if flags not in (b"\0\0", b"\1\0") or len(parts) != 3:
        packets.findings.add("embedded-damaged-file", "PNG", "the text with the XMP is no iTXt")
        packets.add(body[head:])
        return
    if flags == b"\0\0":
        packets.add(parts[2], at=at + len(body) - len(parts[2]))
        return
    octets = bytearray()
    inflater = zlib.decompressobj()
    try:
        for start in range(0, len(parts[2]), 16_384):
            octets += inflater.decompress(parts[2][start : start + 16_384], packets.room + 1 - len(octets))
            if inflater.eof or len(octets) > packets.room:
                break
    except zlib.error:
        packets.findings.add("embedded-damaged-file", "PNG", "the text with the XMP cannot be inflated")
    else:
        if not inflater.eof and len(octets) <= packets.room:
            packets.findings.add("embedded-damaged-file", "PNG", "the text with the XMP is cut off")
    packets.add(octets)


def webp(data: bytes, packets: Packets) -> None:
    """Reads every `XMP ` chunk of the RIFF file; some writers end the name with a NUL."""
    stated = 8 + int.from_bytes(data[4:8], "little")
    position = 12
    for _ in range(MAX_PARTS):
        if position + 8 > stated:
            return
        length = int.from_bytes(data[position + 4 : position + 8], "little")
        end = position + 8 + length
        if data[position : position + 4] in (b"XMP ", b"XMP\0"):
            packets.add(data[position + 8 : end], at=position + 8)
        if end > min(stated, len(data)):
            packets.findings.add("embedded-damaged-file", "WebP", "it ends within a chunk")
            return
        position = end + length % 2
    packets.findings.add("embedded-limit", f"there are over {MAX_PARTS} chunks")

"""EPUB: the META elements of its package document that reserve mining (EPUB 3.3 4 and 5; TDMRep 6.5).

Of the archive three things are read: its directory, the container document and the package documents that this names.
Their sizes are bounded before anything is inflated, and each has to be what the directory says of it.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from acap.dialects.rsl.tree import MAX_OCTETS, Tree, XmlNode
from acap.dialects.tdmrep import is_nearly_reservation
from acap.pages.embedded.limits import MAX_RENDITIONS
from acap.pages.embedded.packets import Packets
from acap.pages.embedded.xmp import NEARLY_TDM, TDM, Property, Value, folded, means_reservation, means_tdm

MEDIA_TYPE = b"application/epub+zip"
CONTAINER = b"META-INF/container.xml"

_PACKAGE = "application/oebps-package+xml"
_OPF = "http://www.idpf.org/2007/opf"
# The end of the directory stands last, before a comment of any length (ZIP 4.3.16).
_END = struct.Struct("<4s4H2LH")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_LONGEST_COMMENT = 0xFFFF
_STORED, _DEFLATED = 0, 8
_ENCRYPTED = 1
_PREFIX = re.compile(r"([^\s:]+):\s+(\S+)")
_NAMES = ("reservation", "policy")
_VOCABULARY = "http://www.w3.org/ns/tdmrep#"


class _Packed(NamedTuple):
    """A file of the archive, as the directory has it."""

    name: bytes
    flags: int
    method: int
    checksum: int
    packed: int
    size: int
    place: int


class _DamagedError(Exception):
    """Why the archive, or a document in it, cannot be read."""


def is_epub(data: bytes) -> bool:
    """Whether an archive is one by its first file (EPUB 3.3 4.2.4), or has a container document."""
    return data.startswith(b"PK\x03\x04") and (MEDIA_TYPE in data[:256] or CONTAINER in data)


def epub(data: bytes, packets: Packets) -> None:
    """Reads the package documents."""
    try:
        entries = _directory(data)
        paths = [
            node.attributes.get("full-path", "")
            for node in _each(_document(data, entries, CONTAINER))
            if node.name == "rootfile" and _may_be_package(node)
        ]
        if not paths:
            raise _DamagedError("it has no package document")
        if len(paths) > MAX_RENDITIONS:
            packets.findings.add("embedded-limit", f"it has {len(paths)} package documents")
        for path in paths[:MAX_RENDITIONS]:
            package = _document(data, entries, path.encode("utf-8", "replace"))
            packets.stated.append(tuple(_properties(package, packets)))
    except _DamagedError as error:
        packets.findings.add("embedded-damaged-file", "EPUB", str(error))


def _may_be_package(rootfile: XmlNode) -> bool:
    """Whether a root of the book may be a package document; media types have no case (RFC 9110 8.3.1)."""
    declared = rootfile.attributes.get("media-type", "").partition(";")[0].strip().lower()
    is_opf = rootfile.attributes.get("full-path", "").lower().endswith(".opf")
    return is_opf or declared in ("", _PACKAGE, "application/xml", "text/xml")


def _directory(data: bytes) -> dict[bytes, _Packed]:
    """The files by their names."""
    end = data.rfind(b"PK\x05\x06", max(0, len(data) - _END.size - _LONGEST_COMMENT))
    if end < 0 or end + _END.size > len(data):
        raise _DamagedError("the directory of the archive is missing")
    _, disk, first, here, count, _, place, comment = _END.unpack_from(data, end)
    if (disk, first) != (0, 0) or here != count or count == 0xFFFF or end + _END.size + comment != len(data):
        raise _DamagedError("the directory of the archive does not fit it")
    entries: dict[bytes, _Packed] = {}
    for _ in range(count):
        if place + _ENTRY.size > end or not data.startswith(b"PK\x01\x02", place):
            raise _DamagedError("the directory of the archive is broken")
        _, _, _, flags, method, _, _, checksum, packed, size, name, extra, remark, _, _, _, local = _ENTRY.unpack_from(
            data, place
        )
        place += _ENTRY.size
        entry = _Packed(data[place : place + name], flags, method, checksum, packed, size, local)
        # Readers differ in which of two they take.
        if entries.setdefault(entry.name, entry) is not entry:
            raise _DamagedError("two of its files have one name")
        place += name + extra + remark
    if place != end:
        raise _DamagedError("the directory of the archive does not end where it should")
    return entries


def _file(data: bytes, entries: dict[bytes, _Packed], name: bytes) -> bytes:
    """The octets of a file, if they are what the directory says."""
    shown = name.decode("utf-8", "replace")
    entry = entries.get(name)
    if entry is None:
        raise _DamagedError(f"{shown} is not in it")
    if entry.flags & _ENCRYPTED or entry.method not in (_STORED, _DEFLATED):
        raise _DamagedError(f"{shown} is encrypted, or packed by method {entry.method}")
    if entry.size > MAX_OCTETS or entry.packed > 2 * MAX_OCTETS:
        raise _DamagedError(f"{shown} has {entry.size} octets, more than are read")
    if entry.place + _LOCAL.size > len(data) or not data.startswith(b"PK\x03\x04", entry.place):
        raise _DamagedError(f"{shown} is not where it should be")
    *_, length, extra = _LOCAL.unpack_from(data, entry.place)
    begin = entry.place + _LOCAL.size
    if data[begin : begin + length] != name:
        raise _DamagedError(f"{shown} has another name before it")
    begin += length + extra
    octets = data[begin : begin + entry.packed]
    if entry.method == _DEFLATED:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            octets = inflater.decompress(octets, entry.size + 1)
        except zlib.error:
            raise _DamagedError(f"{shown} cannot be inflated") from None
    if len(octets) != entry.size or zlib.crc32(octets) != entry.checksum:
        raise _DamagedError(f"{shown} is not what the directory says")
    return octets


def _document(data: bytes, entries: dict[bytes, _Packed], name: bytes) -> XmlNode:
    """The root of an XML document of the archive."""
    tree = Tree(_file(data, entries, name))
    if tree.root is None or tree.failure is not None:
        why = " ".join(tree.failure[1]) if tree.failure else ""
        raise _DamagedError(f"{name.decode('utf-8', 'replace')}: {why or 'it declares a document type'}")
    return tree.root


def _each(root: XmlNode) -> Iterator[XmlNode]:
    """Every element, in order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def _properties(package: XmlNode, packets: Packets) -> Iterator[Property]:
    """What META elements say of mining: by `name` and `content` as in EPUB 2, by `property` and a text as in EPUB 3.

    One that stands elsewhere than TDMRep has it, with another spelling of its name or namespace, about a part of the
    book, or with a value in the place of the other form or in an element of its own, may reserve and lifts nothing.
    """
    bound = dict(_PREFIX.findall(package.attributes.get("prefix", "")))
    right = {
        id(meta)
        for metadata in package.children
        if (metadata.space, metadata.name) == (_OPF, "metadata")
        for meta in metadata.children
        if meta.space == _OPF
    }
    for meta in _each(package):
        if meta.name.lower() != "meta":
            continue
        content = meta.attributes.get("content", "").strip()
        inner = "".join(node.text for node in _each(meta)).strip()
        for attribute, value in (("name", content), ("property", meta.text.strip())):
            written = meta.attributes.get(attribute, "").strip()
            prefix, _, name = written.rpartition(":")
            namespace = bound.get(prefix)
            key = _property_of(prefix, name, namespace)
            if key is None:
                continue
            is_spelt = namespace is None or folded(namespace) == folded(TDM)
            is_bound = namespace == _VOCABULARY or (attribute == "name" and is_spelt)
            misplaced = {content, inner} - {value, ""}
            is_right = id(meta) in right and name in _NAMES and is_bound and "refines" not in meta.attributes
            exact = is_right and not misplaced
            if not exact:
                packets.findings.add("embedded-epub-meta", written)
            for text in sorted({value, *misplaced} - {""}) or [""]:
                if exact or (key == "reservation" and text != "0"):
                    yield Property(TDM if exact else NEARLY_TDM, key, (Value(text),))


def _property_of(prefix: str, name: str, namespace: str | None) -> str | None:
    """The property that a name can only be meant for, if any; the namespace is what its prefix is bound to."""
    if prefix.lower() == "tdm" if namespace is None else means_tdm(namespace):
        return name.lower() if name.lower() in _NAMES else "reservation" if means_reservation(name) else None
    return "reservation" if namespace is None and is_nearly_reservation(f"{prefix}:{name}") else None

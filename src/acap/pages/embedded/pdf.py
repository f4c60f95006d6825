"""PDF files: the metadata stream of the document catalogue (ISO 32000-2 14.3.2), and whether a manifest is attached."""

from __future__ import annotations

import logging
import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any, Never

from acap.dialects.cawg import PDF_NAMES
from acap.pages.embedded.limits import MAX_PDF_DECODING, MAX_PDF_FILES, MAX_PDF_OBJECTS, MAX_PDF_STEPS, MAX_PDF_STREAM
from acap.pages.embedded.packets import Packets

try:
    from pypdf import PdfReader, apply_configuration
    from pypdf.errors import (
        DependencyError,
        DeprecationError,
        FileNotDecryptedError,
        LimitReachedError,
        PdfReadError,
        PyPdfError,
    )
    from pypdf.generic import StreamObject
except ImportError as missing:
    raise ImportError("pypdf is not installed") from missing

# Its remarks on bad files are for a listener; without one Python would print them.
logging.getLogger("pypdf").addHandler(logging.NullHandler())

# What the reader raises on bad files: its own errors, and those of Python where it takes a thing for another.
_FAILURES = (
    PyPdfError,
    DeprecationError,  # of old names of filters
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,  # RecursionError and NotImplementedError among them
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)


_SLOW = 8  # times as long as inflating may other filters and predictors take


class _Steps(BytesIO):
    """A file that bounds the number of reads, and the octets read in all.

    It shows no buffer: the reader looks through the whole for each object that is not in its place, and that counts.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.steps = MAX_PDF_STEPS
        self.octets = 16 * len(data) + MAX_PDF_STREAM

    @property
    def getbuffer(self) -> Never:
        raise AttributeError("getbuffer")

    def _step(self, octets: int) -> None:
        self.steps -= 1
        self.octets -= octets
        if self.steps < 0 or self.octets < 0:
            raise LimitReachedError("too many steps")

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self._step(len(found))
        return found

    def readline(self, size: int | None = -1, /) -> bytes:
        found = super().readline(size)
        self._step(len(found))
        return found

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._step(0)
        return super().seek(offset, whence)


def pdf(data: bytes, packets: Packets) -> None:
    """Reads the document's own metadata; that of its pages and pictures speaks of them alone.

    An encrypted file is tried with the empty password, which is what whoever opens it without one uses.
    """
    metadata = octets = None
    try:
        with apply_configuration(
            maximum_declared_stream_length=MAX_PDF_STREAM,
            zlib_maximum_output_length=MAX_PDF_STREAM,
            zlib_maximum_recovery_input_length=MAX_PDF_STREAM // 64,
            lzw_maximum_output_length=MAX_PDF_STREAM,
            run_length_maximum_output_length=MAX_PDF_STREAM,
            brotli_maximum_output_length=MAX_PDF_STREAM,
            jbig2dec_binary=None,  # no other program is started
            stream_decoding_work_maximum_length=MAX_PDF_DECODING,
        ):
            reader = PdfReader(_Steps(data), root_object_recovery_limit=100)
            root = reader.root_object
            metadata = root.get("/Metadata")
            octets = _decoded(metadata)
            packets.has_manifest = any(map(_is_manifest, _attached(root))) or _is_packed_manifest(reader)
    except FileNotDecryptedError:
        packets.findings.add("embedded-encrypted")
    except DependencyError as failure:
        packets.findings.add("embedded-missing-package", str(failure))
    except LimitReachedError:
        packets.findings.add("embedded-limit", "finding what speaks of rights takes too many steps or octets")
    except _FAILURES as failure:
        packets.findings.add("embedded-damaged-file", "PDF", str(failure) or type(failure).__name__)
    if octets is not None:
        place = data.find(octets)
        packets.add(octets, at=None if place < 0 else place)
    elif metadata is not None and not packets.findings.doubtful:
        packets.findings.add("embedded-damaged-file", "PDF", "its metadata is not a stream")


def _attached(root: Any) -> Iterator[Any]:
    """The files that belong to the document (ISO 32000-2 14.13) or stand in its tree of names (7.11.4), and its nodes.

    Raises LimitReachedError for too many of them, or of the streams they name; a loop has no end.
    """
    waiting = [root.get("/AF"), _entry(_entry(root, "/Names"), "/EmbeddedFiles")]
    left = MAX_PDF_FILES
    while waiting:
        node = _object(waiting.pop())
        if isinstance(node, dict):
            waiting += (one for one in (node.get("/Kids"), node.get("/Names")) if one is not None)
            streams = _entry(node, "/EF")
            left -= 1 + (len(streams) if isinstance(streams, dict) else 0)
        elif isinstance(node, list):
            waiting += node
            left -= 1 + len(node)
        if left < 0:
            raise LimitReachedError("too many files")
        if isinstance(node, dict):
            yield node


def _is_manifest(file: Any) -> bool:
    """Whether an attached file is a C2PA manifest, by its relationship or its type."""
    streams = _entry(file, "/EF")
    types = [_entry(_object(one), "/Subtype") for one in streams.values()] if isinstance(streams, dict) else []
    return _entry(file, "/AFRelationship") == "/C2PA_Manifest" or "/application/c2pa" in types


def _is_packed_manifest(reader: PdfReader) -> bool:
    """Whether a name of C2PA stands in an object stream: pages, annotations and all else may lead to the file.

    Raises LimitReachedError for too many of them or of their octets, and PdfReadError for one that is not there.
    """
    numbers = {number for number, _ in reader.xref_objStm.values()}
    if len(numbers) > MAX_PDF_FILES:
        raise LimitReachedError("too many object streams")
    if not numbers <= reader.xref.get(0, {}).keys() - reader.xref_objStm.keys():
        raise PdfReadError("an object stream is not there")
    left = MAX_PDF_OBJECTS
    for number in numbers:
        stream = reader.get_object(number)
        octets = _objects(stream)
        is_plain = _entry(stream, "/Filter") == "/FlateDecode" and _entry(stream, "/DecodeParms") is None
        left -= len(octets) * (1 if is_plain else _SLOW)
        if left < 0:
            raise LimitReachedError("too many objects")
        if any(name.search(octets) for name in PDF_NAMES):
            return True
    return False


def _objects(stream: Any) -> bytes:
    """The octets of an object stream, deflated or as they are; other filters cannot tell that nothing is lost.

    Raises PdfReadError, or whatever else reading raises, for a stream that is not whole: the reader passes over what it
    cannot inflate.
    """
    octets = _decoded(stream)
    if octets is None:
        raise PdfReadError("an object stream is not there")
    filters = _entry(stream, "/Filter")
    if filters is not None:
        names = [_object(one) for one in filters] if isinstance(filters, list) else [filters]
        if names not in (["/FlateDecode"], ["/Fl"]):
            raise PdfReadError("an object stream has a filter without a check sum")
        inflating = zlib.decompressobj()
        inflating.decompress(StreamObject.get_data(stream), MAX_PDF_STREAM + 1)
        if not inflating.eof:
            raise PdfReadError("an object stream is cut")
    return octets


def _decoded(written: Any) -> bytes | None:
    """The octets of a stream, itself or by a reference; None of what is none."""
    found = _object(written)
    octets = found.get_data() if isinstance(found, StreamObject) else None
    return octets if isinstance(octets, bytes) else None


def _entry(dictionary: Any, key: str) -> Any:
    """What a dictionary has under a key, itself or by a reference; None of what is no dictionary."""
    return _object(dictionary.get(key)) if isinstance(dictionary, dict) else None


def _object(written: Any) -> Any:
    return written.get_object() if hasattr(written, "get_object") else written

"""From a file to what it says: its format, its packets, their properties, and the policy they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from acap.conditions import Condition
from acap.dialects.cawg import UNREAD_TERMS, TrainingMining, read_manifest
from acap.dialects.tdmrep import RANKS
from acap.pages.embedded.claims import SPOKEN_OF, Claim, claims
from acap.pages.embedded.containers import jpeg, png, webp
from acap.pages.embedded.epub import epub, is_epub
from acap.pages.embedded.findings import UNREAD, Findings
from acap.pages.embedded.licence import Licence, licence
from acap.pages.embedded.limits import MAX_OCTETS
from acap.pages.embedded.packets import Packets, standing_openly
from acap.pages.embedded.tiff import tiff
from acap.pages.embedded.xmp import NOTE, Property, Reader
from acap.problems import Problem
from acap.statement import Statement

Format = Literal["jpeg", "png", "webp", "tiff", "pdf", "epub", "xmp", "unknown"]

UNREAD_DIALECT: Final = "embedded"
"""The dialect of what a file is doubted for, as something in it was not read; nobody stated that."""


@dataclass(frozen=True, slots=True)
class EmbeddedPolicy:
    """What the metadata in a file says of the file: a `Source` for decisions, and the licence facts beside it.

    `format` is what the file was read as, `url` where it is from, if that was given. `mining` is what its C2PA manifest
    says of training and mining; None where there is none, or none could be read for want of the package.
    """

    url: str | None
    format: Format
    claims: tuple[Claim, ...]
    licence: Licence
    problems: tuple[Problem, ...]
    mining: TrainingMining | None = None

    @property
    def dialect(self) -> str:
        """The name for the whole; each statement has the dialect of its own property: `plus`, `tdmrep`, `cawg`."""
        return "embedded"

    def _rank(self, claim: Claim) -> int:
        """Where a reservation stands among the carriers of TDMRep; what a picture permits is the first."""
        if claim.dialect != "tdmrep" or (claim.outcome == "permitted" and self.format not in ("pdf", "epub")):
            return 0
        return RANKS["metadata"]

    def statements(self, url: str) -> tuple[Statement, ...]:
        """The statements about the file, whose `source` is its URL or `embedded metadata`.

        What could not be read may have prohibited whatever metadata speaks of: text and data mining, and indexing. So
        they are prohibited then (our choice).
        """
        source = "embedded metadata" if self.url is None else self.url
        unread = (found.message for found in self.problems if found.code in UNREAD)
        return (
            *(
                Statement(
                    dialect=claim.dialect,
                    usage=claim.usage,
                    outcome=claim.outcome,
                    source=source,
                    text=claim.text,
                    condition=claim.condition,
                    lifts=claim.lifts,
                    firm=claim.firm,
                    rank=self._rank(claim),
                )
                for claim in self.claims
            ),
            *(
                Statement(dialect=UNREAD_DIALECT, usage=usage, outcome="prohibited", source=source, text=message)
                for message in unread
                for usage in SPOKEN_OF
            ),
            *(() if self.mining is None else self.mining.statements(url)),
        )


def parse_embedded(data: bytes, *, url: str | None = None, media_type: str | None = None) -> EmbeddedPolicy:
    """Reads the rights metadata in an image or document. No content makes it raise.

    JPEG, PNG, WebP, TIFF, PDF and EPUB files are read, and XMP by itself; the content tells which it is. Of any other
    file, and of a damaged one, the packets that stand in it openly are read (our choice). Where nothing leads to a
    packet that stands openly, it prohibits what it prohibits. A C2PA manifest is read with the package of the extra
    `c2pa`; where that is not installed, mining is conditional.

    Of several packets all are read, and the most restrictive statement stands. Where something could not be read or
    understood there is a problem of severity `error`, and no permission stands (our choice, after P2 2.2.6).

    Args:
        data: the octets of the file.
        url: where it is from, for the statements.
        media_type: what it was said to be, for a message, and for the package that reads manifests.

    Raises:
        TypeError: data is not bytes.
    """
    if not isinstance(data, bytes):
        raise TypeError("the octets of a file must be bytes")
    findings = Findings()
    packets = Packets(findings)
    octets = data[:MAX_OCTETS]
    if len(octets) < len(data):
        findings.add("embedded-cut-file", str(len(data)), str(len(octets)))
    kind = _format(octets)
    if kind == "xmp":
        packets.add(octets, at=0)
    elif kind == "unknown":
        findings.add("embedded-unknown-format", media_type or "no media type was given")
    else:
        _READERS[kind](octets, packets)
    if findings.doubtful and kind != "xmp":
        for packet in standing_openly(octets, findings):
            packets.add(packet)
    else:
        # One flipped octet hides a packet from what leads to it; a part of the file may have it as well.
        packets.add_strays(octets)
        if packets.stray:
            findings.add("embedded-stray-packet")
    read = _read(packets, kind)
    facts = licence([found for properties in read for found in properties], findings)
    stray = claims([Reader(findings).properties(packet) for packet in packets.stray], findings)
    doubted = [replace(claim, lifts=False) for claim in stray if claim.outcome != "permitted"]
    certain = [replace(claim, lifts=claim.lifts and not findings.doubtful) for claim in claims(read, findings)]
    statements = (*certain, *doubted)
    declared = _MEDIA_TYPES.get(kind, media_type or "application/octet-stream")
    mining = read_manifest(octets, url=url, media_type=declared, found=packets.has_manifest)
    if mining.state == "unread":
        findings.add("embedded-manifest")
        terms = Condition("terms", text=UNREAD_TERMS)
        unread = Claim("c2pa", "tdm", "conditional", "a C2PA manifest, which is not read", terms)
        return EmbeddedPolicy(url, kind, (*statements, unread), facts, findings.problems)
    stated = mining if mining.entries or mining.problems else None
    return EmbeddedPolicy(url, kind, statements, facts, (*findings.problems, *mining.problems), stated)


_MEDIA_TYPES = {
    "jpeg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "tiff": "image/tiff",
    "pdf": "application/pdf",
}


def _pdf(data: bytes, packets: Packets) -> None:
    try:
        from acap.pages.embedded.pdf import pdf  # `pypdf` takes longer to import than all else that reads files
    except ImportError:
        packets.findings.add("embedded-missing-package", "pypdf")
        return
    pdf(data, packets)


def _format(data: bytes) -> Format:
    for mark, kind in _MARKS.items():
        if data.startswith(mark):
            return kind
    if is_epub(data):
        return "epub"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "webp"
    if b"%PDF-" in data[:1024]:  # ISO 32000-2 H.3 note 13: anywhere in the first 1024 octets
        return "pdf"
    start = data[:256].translate(None, b"\0\t\n\r ").lstrip(b"\xef\xbb\xbf\xff\xfe")
    # A packet of any encoding; other text that begins so is XMP only if there is RDF in it.
    if start.startswith(b"<") and b"rdf-syntax-ns#" in data.replace(b"\0", b""):
        return "xmp"
    return "unknown"


_MARKS: dict[bytes, Format] = {
    b"\xff\xd8\xff": "jpeg",
    b"\x89PNG\r\n\x1a\n": "png",
    b"II*\0": "tiff",
    b"MM\0*": "tiff",
    b"II+\0\x08\0\0\0": "tiff",
    b"MM\0+\0\x08\0\0": "tiff",
}
_READERS: dict[Format, Callable[[bytes, Packets], None]] = {
    "jpeg": jpeg,
    "png": png,
    "webp": webp,
    "tiff": tiff,
    "pdf": _pdf,
    "epub": epub,
}


def _read(packets: Packets, kind: Format) -> list[tuple[Property, ...]]:
    """The properties of each packet, with those of the extension it refers to (XMP 3 1.1.3.1)."""
    reader = Reader(packets.findings)
    extended = dict(packets.extended)
    packets_read: list[tuple[Property, ...]] = []
    for octets in packets.linked:
        properties = reader.properties(octets)
        named = [one for one in properties if (one.namespace, one.name) == (NOTE, "HasExtendedXMP")]
        for guid in dict.fromkeys(str(value).upper() for one in named for value in one.values):
            if guid in packets.extended:
                extended.pop(guid, None)
                properties += reader.properties(packets.extended[guid])
            elif kind == "jpeg":  # no other format has extensions; the property may be left from a JPEG
                packets.findings.add("embedded-extension-incomplete", "none of its portions is there")
        packets_read.append(properties)
    packets_read += packets.stated
    for octets in extended.values():
        packets.findings.add("embedded-extension-unreferenced")
        packets_read.append(reader.properties(octets))
    return packets_read

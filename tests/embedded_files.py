"""Small files with XMP in them, one builder for each container; `data_mining` and `packet` write the XMP."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject

NAMESPACES = {
    "cc": "http://creativecommons.org/ns#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "Iptc4xmpExt": "http://iptc.org/std/Iptc4xmpExt/2008-02-29/",
    "photoshop": "http://ns.adobe.com/photoshop/1.0/",
    "plus": "http://ns.useplus.org/ldf/xmp/1.0/",
    "tdm": "http://www.w3.org/ns/tdmrep/",
    "xmpNote": "http://ns.adobe.com/xmp/note/",
    "xmpRights": "http://ns.adobe.com/xap/1.0/rights/",
}
VOCABULARY = "http://ns.useplus.org/ldf/vocab/"


def packet(properties: str, *, attributes: str = "", namespaces: dict[str, str] | None = None) -> bytes:
    """An XMP packet with property elements, and attributes on its description."""
    declared = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in {**NAMESPACES, **(namespaces or {})}.items())
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        f'<rdf:Description rdf:about="" {declared} {attributes}>{properties}</rdf:Description>'
        '</rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>'
    ).encode()


def data_mining(code: str) -> bytes:
    """A packet whose only property is plus:DataMining."""
    return packet(f"<plus:DataMining>{VOCABULARY}{code}</plus:DataMining>")


def reserved(value: str, policy: str | None = None) -> bytes:
    """A packet with a TDM reservation, and perhaps a policy."""
    more = "" if policy is None else f"<tdm:policy>{policy}</tdm:policy>"
    return packet(f"<tdm:reservation>{value}</tdm:reservation>{more}")


def segment(marker: int, body: bytes) -> bytes:
    """A JPEG segment."""
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def jpeg(*packets: bytes, extended: bytes = b"") -> bytes:
    """A JPEG without pixels: standard packets, further segments, the start of a scan, and its end."""
    standard = b"".join(segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + octets) for octets in packets)
    jfif = segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
    return b"\xff\xd8" + jfif + standard + extended + segment(0xDA, b"\1\1\0\0\x3f\0") + b"\0\xff\xd9"


def extension(octets: bytes, *, portion: int = 60_000, guid: str | None = None) -> tuple[str, list[bytes]]:
    """The GUID of extended XMP, and its portions as segments."""
    name = guid or hashlib.md5(octets).hexdigest().upper()
    head = b"http://ns.adobe.com/xmp/extension/\0" + name.encode()
    starts = range(0, len(octets), portion)
    return name, [
        segment(0xE1, head + struct.pack(">II", len(octets), start) + octets[start : start + portion])
        for start in starts
    ]


def extended_jpeg(standard: str, octets: bytes) -> bytes:
    """A JPEG whose standard packet has the properties and refers to the extension."""
    guid, portions = extension(octets)
    main = packet(standard, attributes=f'xmpNote:HasExtendedXMP="{guid}"')
    return jpeg(main, extended=b"".join(portions))


def chunk(kind: bytes, body: bytes) -> bytes:
    """A PNG chunk with its checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def international_text(octets: bytes, *, compressed: bool = False) -> bytes:
    """The iTXt chunk that XMP stands in."""
    body = zlib.compress(octets) if compressed else octets
    return chunk(b"iTXt", b"XML:com.adobe.xmp\0" + bytes([compressed, 0]) + b"\0\0" + body)


def png(*packets: bytes, compressed: bool = False, behind: bool = False) -> bytes:
    """A PNG of one pixel; `behind`: the XMP stands behind the pixel."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    texts = b"".join(international_text(octets, compressed=compressed) for octets in packets)
    pixel = chunk(b"IDAT", zlib.compress(b"\0\0"))
    inner = pixel + texts if behind else texts + pixel
    return b"\x89PNG\r\n\x1a\n" + head + inner + chunk(b"IEND", b"")


def webp(*packets: bytes, name: bytes = b"XMP ") -> bytes:
    """A WebP file with the chunk of a canvas, and no picture."""
    chunks = [(b"VP8X", struct.pack("<I", 4) + b"\0" * 6), *((name, octets) for octets in packets)]
    body = b"".join(
        kind + struct.pack("<I", len(octets)) + octets + b"\0" * (len(octets) % 2) for kind, octets in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def tiff(*packets: bytes, order: str = "<", big: bool = False, kind: int = 1) -> bytes:
    """A TIFF file with a directory for each packet."""
    mark = b"II" if order == "<" else b"MM"
    head = mark + (struct.pack(f"{order}HHHQ", 43, 8, 0, 16) if big else struct.pack(f"{order}HI", 42, 8))
    number, entry, link = ("Q", "HHQQ", "Q") if big else ("H", "HHII", "I")
    directory = struct.calcsize(f"={number}{entry}{link}")
    octets, behind = head, b""
    data = len(head) + directory * len(packets)
    for index, one in enumerate(packets, 1):
        following = len(head) + directory * index if index < len(packets) else 0
        values = len(one) // 4 if kind == 4 else len(one)
        octets += struct.pack(f"{order}{number}", 1)
        octets += struct.pack(f"{order}{entry}", 700, kind, values, data + len(behind))
        octets += struct.pack(f"{order}{link}", following)
        behind += one
    return octets + behind


def pdf(octets: bytes, *, compressed: bool = False, user: str | None = None, algorithm: str = "AES-256") -> bytes:
    """A PDF of one empty page; `user` encrypts it with that user password, which may be empty."""
    writer = PdfWriter()
    writer.add_blank_page(10, 10)
    stream = DecodedStreamObject()
    stream.set_data(octets)
    stream[NameObject("/Type")] = NameObject("/Metadata")
    stream[NameObject("/Subtype")] = NameObject("/XML")
    writer.root_object[NameObject("/Metadata")] = writer._add_object(stream.flate_encode() if compressed else stream)
    if user is not None:
        writer.encrypt(user, owner_password="owner", algorithm=algorithm)
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


def packed_pdf(catalogue: str, file: str, media: str = "") -> bytes:
    """A PDF whose objects are in an object stream: 3 is the `file`, 4 its octets, of a media type, 7 a name."""
    name = "/C2PA_Manifest" if "7 0 R" in file else "null"
    held = [f"<</Type/Catalog/Pages 2 0 R{catalogue}>>", "<</Type/Pages/Kids[]/Count 0>>", file, name]
    places = " ".join(f"{number} {sum(map(len, held[:place]))}" for place, number in enumerate((1, 2, 3, 7)))
    objects = zlib.compress(f"{places} {''.join(held)}".encode())
    manifest = zlib.compress(b"\0\0\0\x20jumb\0\0\0\x18jumdc2pa")
    octets, begins = b"%PDF-1.7\n", {}
    for number, said, stream in (
        (4, f"/Type/EmbeddedFile{media}", manifest),
        (5, f"/Type/ObjStm/N 4/First {len(places) + 1}", objects),
    ):
        begins[number] = len(octets)
        octets += f"{number} 0 obj<<{said}/Filter/FlateDecode/Length {len(stream)}>>stream\n".encode()
        octets += stream + b"\nendstream endobj\n"
    entries = b"".join(struct.pack(">BHH", 2, 5, place) for place in range(3))
    entries += b"".join(struct.pack(">BHH", 1, place, 0) for place in (*begins.values(), len(octets)))
    entries += struct.pack(">BHH", 2, 5, 3)
    said = f"/Type/XRef/W[1 2 2]/Index[1 7]/Size 8/Root 1 0 R/Length {len(entries)}"
    begin = len(octets)
    return (
        octets
        + f"6 0 obj<<{said}>>stream\n".encode()
        + entries
        + f"\nendstream endobj\nstartxref\n{begin}\n%%EOF".encode()
    )


CONTAINERS: dict[str, Callable[[bytes], bytes]] = {
    "jpeg": jpeg,
    "jpeg, extended": lambda octets: extended_jpeg("", octets),
    "png": png,
    "png, compressed": lambda octets: png(octets, compressed=True),
    "png, behind the pixels": lambda octets: png(octets, behind=True),
    "webp": webp,
    "tiff": tiff,
    "tiff, big-endian": lambda octets: tiff(octets, order=">"),
    "tiff, UNDEFINED": lambda octets: tiff(octets, kind=7),
    "tiff, BigTIFF": lambda octets: tiff(octets, big=True),
    "tiff, BigTIFF big-endian": lambda octets: tiff(octets, big=True, order=">"),
    "pdf": pdf,
    "pdf, compressed": lambda octets: pdf(octets, compressed=True),
    "pdf, encrypted": lambda octets: pdf(octets, user=""),
    "pdf, encrypted with RC4": lambda octets: pdf(octets, user="", algorithm="RC4-128"),
    "xmp": lambda octets: octets,
}
"""Every way a packet can be in a file."""


CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""


PREFIX = "tdm: http://www.w3.org/ns/tdmrep#"


def package(metas: str, *, prefix: str = PREFIX, behind: str = "") -> str:
    """A package document with these META elements."""
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<package xmlns="http://www.idpf.org/2007/opf" version="3.0" '
        f'prefix="{prefix}"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A</dc:title>{metas}'
        f"</metadata>{behind}<manifest/><spine/></package>"
    )


def epub(
    metas: str = "",
    *,
    files: Mapping[str, bytes | str] | None = None,
    stored: bool = False,
    prefix: str = PREFIX,
    behind: str = "",
) -> bytes:
    """An EPUB with these META elements; `files` take the place of its own, or stand beside them."""
    held: dict[str, bytes | str] = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/content.opf": package(metas, prefix=prefix, behind=behind),
        "OEBPS/a.xhtml": "<html/>",
    }
    octets = BytesIO()
    with ZipFile(octets, "w", ZIP_STORED if stored else ZIP_DEFLATED) as archive:
        archive.writestr(ZipInfo("mimetype"), "application/epub+zip")
        for name, content in {**held, **(files or {})}.items():
            archive.writestr(name, content)
    return octets.getvalue()

"""Metadata that is damaged, too much, or written to do harm: no exception, bounded work, and doubt never permits."""

from __future__ import annotations

import re
import struct
import sys
import zlib
from collections.abc import Callable
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import apply_configuration

from acap.pages.embedded import EmbeddedPolicy, limits, parse_embedded
from acap.pages.embedded.findings import FINDINGS, UNREAD
from tests import embedded_files as files
from tests.test_embedded import EVERYTHING, codes, said

ALLOWED = files.data_mining("DMI-ALLOWED")
PROHIBITED = files.data_mining("DMI-PROHIBITED")
MIB = 1024 * 1024


def errors(policy: EmbeddedPolicy) -> list[str]:
    return [problem.code for problem in policy.problems if problem.severity == "error"]


def check(policy: EmbeddedPolicy) -> None:
    """What holds of every reading: no permission beside an error, and nothing without end."""
    assert not errors(policy) or all(claim.outcome != "permitted" for claim in policy.claims)
    refused = {one.usage for one in policy.statements("") if one.outcome == "prohibited"}
    assert "tdm" in refused or not UNREAD & set(errors(policy))
    assert len(policy.problems) < 200
    assert len(policy.claims) < 100
    assert all(len(problem.message) < 2_000 for problem in policy.problems)


# Where cutting takes nothing away that matters: behind the start of the scan, or of the last chunk of all.
WHOLE = {"jpeg": len(files.jpeg(ALLOWED)) - 13, "jpeg, extended": len(files.extended_jpeg("", ALLOWED)) - 13}


@pytest.mark.parametrize("container", [name for name in files.CONTAINERS if not name.startswith("pdf")])
def test_a_truncated_file_permits_nothing(container: str) -> None:
    """Cut at any octet before its metadata is known to be over, a file that allows mining says so no more."""
    data = files.CONTAINERS[container](ALLOWED)
    for end in range(WHOLE.get(container, len(data))):
        policy = parse_embedded(data[:end])
        check(policy)
        if container != "xmp" or end <= data.index(b"</x:xmpmeta>"):
            assert errors(policy), end
            assert said(policy) in ([], EVERYTHING, [("plus", "tdm", "prohibited")]), end


@pytest.mark.parametrize("container", ["pdf", "pdf, compressed", "pdf, encrypted"])
def test_a_truncated_pdf_permits_nothing(container: str) -> None:
    """Cut before the metadata is whole, a PDF permits nothing; where its reader can mend it, it says what it said."""
    data = files.CONTAINERS[container](ALLOWED)
    for end in range(0, len(data), 7):
        policy = parse_embedded(data[:end])
        check(policy)
        assert errors(policy) or end > data.index(b"trailer"), end


@pytest.mark.parametrize("container", ["jpeg", "png", "webp", "tiff", "pdf"])
def test_a_prohibition_that_can_be_seen_counts_in_a_damaged_file(container: str) -> None:
    """The packet stands openly, so that the loss of the container's head and tail does not hide it."""
    data = files.CONTAINERS[container](PROHIBITED)
    for damaged in (data[:-1] if container != "jpeg" else data[:-14], data[4:], data[:4] + data[8:], b"\0" + data):
        policy = parse_embedded(damaged)
        check(policy)
        assert said(policy) == EVERYTHING
    damaged = data[: data.index(b"</rdf:Description")]  # the packet itself is cut
    assert said(parse_embedded(damaged)) == EVERYTHING
    assert errors(parse_embedded(damaged))


def test_another_format_is_an_error_and_its_open_packets_count() -> None:
    """A GIF is not read, but a prohibition that can be seen in it is heard, and a permission is not."""
    gif = b"GIF89a\1\0\1\0\0\0\0!\xff\x0bXMP DataXMP%s\1;"
    assert said(parse_embedded(gif % PROHIBITED)) == EVERYTHING
    policy = parse_embedded(gif % ALLOWED, media_type="image/gif")
    assert (said(policy), codes(policy)) == ([], ["embedded-unknown-format"])
    assert "image/gif" in policy.problems[0].message
    for nothing in (b"", b"<html></html>", b"<", b"\0" * 100):
        assert codes(parse_embedded(nothing)) == ["embedded-unknown-format"]


MUTATED = [
    *(build(octets) for build in files.CONTAINERS.values() for octets in (ALLOWED, PROHIBITED)),
    files.pdf(ALLOWED, user="secret"),
    files.jpeg(ALLOWED, PROHIBITED),
]
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from([b"", b"\0", b"\xff\xff\xff\xff", b"<", b"\x80"])),
    min_size=1,
    max_size=8,
)


@given(data=st.sampled_from(MUTATED), edits=EDITS)
@settings(max_examples=300, deadline=None)
def test_a_mutated_file_is_read_without_an_exception(data: bytes, edits: list[tuple[float, int, bytes]]) -> None:
    """Pieces taken out and put in anywhere; whatever comes of it, no error stands beside a permission."""
    for place, length, octets in edits:
        start = int(place * len(data))
        data = data[:start] + octets + data[start + length :]
    check(parse_embedded(data))


@given(data=st.sampled_from(MUTATED), seed=st.integers(0, 2**32), count=st.integers(1, 20))
@settings(max_examples=300, deadline=None)
def test_flipped_octets_are_read_without_an_exception(data: bytes, seed: int, count: int) -> None:
    """Octets replaced anywhere, as a faulty disk would."""
    octets, random = bytearray(data), Random(seed)
    for _ in range(count):
        octets[random.randrange(len(octets))] = random.randrange(256)
    check(parse_embedded(bytes(octets)))


@given(
    st.binary(max_size=300),
    st.sampled_from([b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"II*\0", b"MM\0*", b"%PDF-1.7\n"]),
)
@settings(max_examples=200, deadline=None)
def test_octets_behind_a_signature_are_read_without_an_exception(octets: bytes, mark: bytes) -> None:
    """Anything at all behind the first octets of each format."""
    check(parse_embedded(mark + octets))


@given(st.text(alphabet=st.sampled_from('<>/="& ar:dfli\n'), max_size=200))
@settings(max_examples=200, deadline=None)
def test_markup_of_any_kind_is_read_without_an_exception(text: str) -> None:
    """Soup of markup within a description."""
    check(parse_embedded(files.packet(text)))


def raw_pdf(*objects: bytes) -> bytes:
    """A PDF of these objects with a right table; the first is the catalogue."""
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return out + head + table + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))


def metadata_pdf(stream: bytes, filters: bytes = b"") -> bytes:
    head = b"<</Length %d%b>>stream\n" % (len(stream), filters)
    return raw_pdf(b"<</Type/Catalog/Metadata 2 0 R>>", head + stream + b"\nendstream")


CATALOGUE = b"<</Type/Catalog/Metadata 2 0 R>>"
ENTITIES = (
    b'<!DOCTYPE r [<!ENTITY a "' + b"a" * 1_000 + b'"><!ENTITY b "' + b"&a;" * 1_000 + b'">]>'
    b'<r xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#">&b;</r>'
)  # fmt: skip
HARMFUL: dict[str, Callable[[], bytes]] = {
    "entities": lambda: ENTITIES,
    "an external entity": lambda: ENTITIES.replace(b'"aaa', b'SYSTEM "file:///etc/passwd" "aaa'),
    "deep elements": lambda: files.packet("<plus:A>" * 100_000),
    "deep well-formed elements": lambda: files.packet("<plus:A>" * 5_000 + "</plus:A>" * 5_000),
    "many elements": lambda: files.packet("<plus:DataMining/>" * 150_000 + "<a>" * 300_000),
    "many attributes": lambda: files.packet("", attributes=" ".join(f'plus:a{i}=""' for i in range(100_000))),
    "many values": lambda: files.packet("".join(f"<plus:DataMining>{i}</plus:DataMining>" for i in range(50_000))),
    "a long text": lambda: files.packet(f"<plus:DataMining>{'x' * (11 * MIB)}</plus:DataMining>"),
    "long XMP": lambda: b" " * limits.MAX_XMP_OCTETS + PROHIBITED,
    "png bomb": lambda: files.png(b"\0" * (64 * MIB), compressed=True),
    "png bombs": lambda: files.png(*[b" " * (i * MIB) for i in range(1, 12)], compressed=True),
    "png claiming 100 MB": lambda: (
        files.png(PROHIBITED)[:33] + struct.pack(">I", 100_000_000) + b"iTXtXML:com.adobe.xmp\0"
    ),
    "png of chunks": lambda: b"\x89PNG\r\n\x1a\n" + files.chunk(b"tEXt", b"") * 200_000,
    "png with text no zlib": lambda: files.png(PROHIBITED).replace(b"xmp\0\0\0", b"xmp\0\1\0"),
    "jpeg of fill": lambda: b"\xff\xd8" + b"\xff" * (8 * MIB),
    "jpeg of segments": lambda: b"\xff\xd8\xff" + b"\xe0\0\2\xff" * 200_000,
    "jpeg of restarts": lambda: b"\xff\xd8" + b"\xff\xd0" * 200_000,
    "jpeg of packets": lambda: files.jpeg(*[files.packet(f"<plus:A>{i}</plus:A>") for i in range(200)]),
    "webp claiming 100 MB": lambda: (
        b"RIFF" + struct.pack("<I", 100_000_000) + b"WEBPXMP " + struct.pack("<I", 99_000_000)
    ),
    "webp of chunks": lambda: b"RIFF" + struct.pack("<I", 8 * 200_000) + b"WEBP" + b"abcd\0\0\0\0" * 200_000,
    "tiff loop": lambda: b"II*\0\x08\0\0\0" + struct.pack("<HI", 0, 8),
    "tiff of entries": lambda: b"II*\0\x08\0\0\0" + struct.pack("<HHHII", 60_000, 700, 1, MIB, 0) * 100_000,
    "tiff far away": lambda: b"II+\0\x08\0\0\0" + b"\xff" * 8,
    "begun packets": lambda: b"GIF89a" + b"<x:xmpmeta RDF " * 200_000,
    "pdf bomb": lambda: metadata_pdf(
        zlib.compress(zlib.compress(b"\0" * (64 * MIB))), b"/Filter[/FlateDecode/FlateDecode]"
    ),
    "pdf of packed text": lambda: metadata_pdf(b"z" * (24 * MIB), b"/Filter/ASCII85Decode"),
    "pdf of no zlib": lambda: metadata_pdf(b"x" * MIB, b"/Filter/FlateDecode"),
    "pdf metadata loop": lambda: raw_pdf(CATALOGUE, b"3 0 R", b"2 0 R"),
    "pdf length loop": lambda: raw_pdf(CATALOGUE, b"<</Length 2 0 R>>stream\nabc\nendstream"),
    "pdf table loop": lambda: (
        b"%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Prev 9>>\nstartxref\n9\n%%EOF"
    ),
    "pdf table claiming much": lambda: b"%PDF-1.4\nxref\n0 999999999\ntrailer<</Size 999999999>>\nstartxref\n9\n%%EOF",
    "pdf with a filter of old": lambda: metadata_pdf(zlib.compress(ALLOWED), b"/Filter/Fl"),
    "pdf deep": lambda: raw_pdf(b"[" * MIB),
    "pdf of comments": lambda: raw_pdf(b"<</Type/Catalog " + b"%\n" * MIB),
    "pdf metadata of no stream": lambda: raw_pdf(CATALOGUE, b"(text)"),
    "pdf without anything": lambda: b"%PDF-1.7",
    "pdf encrypted": lambda: files.pdf(ALLOWED, user="secret"),
    "pdf names loop": lambda: raw_pdf(b"<</Type/Catalog/Names<</EmbeddedFiles 2 0 R>>>>", b"<</Kids[2 0 R]>>"),
    "pdf names loop without a list": lambda: raw_pdf(
        b"<</Type/Catalog/Names<</EmbeddedFiles 2 0 R>>>>", b"<</Kids 2 0 R>>"
    ),
    "pdf of files that hold each other": lambda: raw_pdf(
        b"<</Type/Catalog/AF 2 0 R>>",
        b"[" + b"3 0 R " * 4_000 + b"]",
        b"<</EF 4 0 R>>",
        b"<<" + b"".join(b"/K%d 3 0 R" % number for number in range(4_000)) + b">>",
    ),
    "pdf names of names": lambda: raw_pdf(
        b"<</Type/Catalog/Names<</EmbeddedFiles 2 0 R>>>>", b"<</Kids[%b]>>" % (b"3 0 R " * 5_000), b"<</Names 4 0 R>>",
        b"[%b]" % (b"<</EF<</F 1 0 R>>>>" * 5_000),
    ),
    "pdf of files": lambda: raw_pdf(b"<</Type/Catalog/AF[%b]>>" % (b"<<>>" * 200_000)),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMFUL)
def test_harm_is_bounded_and_said(name: str) -> None:
    """Each is read in no more than some seconds, is an error, and permits nothing."""
    octets = HARMFUL[name]()
    begin = process_time()
    policy = parse_embedded(octets)
    assert process_time() - begin < 5
    check(policy)
    assert errors(policy)


def test_a_file_beyond_the_limit_is_read_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What prohibits is heard, what permits is not, for more may follow."""
    monkeypatch.setattr("acap.pages.embedded.policy.MAX_OCTETS", len(files.jpeg(PROHIBITED)))
    beyond = parse_embedded(files.jpeg(PROHIBITED) + b"\0")
    assert (said(beyond), codes(beyond)) == (EVERYTHING, ["embedded-cut-file"])
    assert said(parse_embedded(files.jpeg(ALLOWED) + b"\0" * 9)) == []
    assert codes(parse_embedded(files.jpeg(PROHIBITED))) == []


def test_much_metadata_of_an_image_editor_is_read() -> None:
    """An editor lists 100,000 ancestors of an image, and the rights behind them still count."""
    ancestors = "".join(f"<rdf:li>{i:032x}</rdf:li>" for i in range(100_000))
    listed = f"<photoshop:DocumentAncestors><rdf:Bag>{ancestors}</rdf:Bag></photoshop:DocumentAncestors>"
    octets = files.packet(f"{listed}<plus:DataMining>{files.VOCABULARY}DMI-PROHIBITED</plus:DataMining>")
    policy = parse_embedded(octets)
    assert (said(policy), codes(policy)) == (EVERYTHING, [])


def test_extended_xmp_is_put_together_from_its_portions() -> None:
    """Portions stand in any order, and a property of the extension is one of the packet that refers to it."""
    octets = files.packet(f"<tdm:policy>https://example.com/p</tdm:policy><plus:A>{'x' * 200_000}</plus:A>")
    guid, portions = files.extension(octets)
    reference = f'xmpNote:HasExtendedXMP="{guid}"'
    main = files.packet("<tdm:reservation>1</tdm:reservation>", attributes=reference)
    assert len(portions) == 4
    for order in (portions, portions[::-1], [*portions, portions[0]]):
        policy = parse_embedded(files.jpeg(main, extended=b"".join(order)))
        assert (said(policy), codes(policy)) == ([("tdmrep", "tdm", "conditional")], [])
    for lacking in (portions[1:], portions[:-1], [], portions[:1] + portions[2:]):
        policy = parse_embedded(files.jpeg(main, extended=b"".join(lacking)))
        assert "embedded-extension-incomplete" in codes(policy)
        assert all(claim.outcome != "permitted" for claim in policy.claims)


def test_extended_xmp_that_was_changed_is_doubtful() -> None:
    """The GUID is the digest of the whole; if it differs, a permission in it is void, and a prohibition is heard."""
    for octets, expected in ((ALLOWED, []), (PROHIBITED, EVERYTHING)):
        guid, portions = files.extension(octets, guid="0" * 32)
        main = files.packet("", attributes=f'xmpNote:HasExtendedXMP="{guid}"')
        policy = parse_embedded(files.jpeg(main, extended=b"".join(portions)))
        assert (said(policy), codes(policy)) == (expected, ["embedded-extension-incomplete"])


def test_extended_xmp_that_nobody_refers_to_is_doubtful() -> None:
    """It may be left from an earlier state of the file, so that it can only prohibit."""
    for octets, expected in ((ALLOWED, []), (PROHIBITED, EVERYTHING)):
        _, portions = files.extension(octets)
        policy = parse_embedded(files.jpeg(files.packet(""), extended=b"".join(portions)))
        assert (said(policy), codes(policy)) == (expected, ["embedded-extension-unreferenced"])


def test_a_png_text_with_a_wrong_checksum_is_doubtful() -> None:
    """An octet that changed somewhere in the packet may have changed what matters."""
    for octets, expected in ((ALLOWED, []), (PROHIBITED, EVERYTHING)):
        policy = parse_embedded(files.png(octets).replace(b"W5M0MpCehi", b"W5M0MpCehj"))
        assert (said(policy), codes(policy)) == (expected, ["embedded-damaged-file"])


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_text_in_a_wrong_encoding_is_doubtful(encoding: str) -> None:
    """One stray octet does not silence a packet; it only takes its permissions."""
    more = "<photoshop:Credit>Zoë</photoshop:Credit>"
    for code, expected in (("DMI-ALLOWED", []), ("DMI-PROHIBITED", EVERYTHING)):
        text = files.packet(f"<plus:DataMining>{files.VOCABULARY}{code}</plus:DataMining>{more}").decode()
        policy = parse_embedded(files.png(text.replace("\ufeff", "").encode(encoding)))
        assert (said(policy), codes(policy)) == (expected, ["embedded-bad-encoding"])
        assert policy.licence.credit == "Zo\ufffd"


def test_clear_metadata_of_an_encrypted_pdf_is_heard() -> None:
    """Where only the metadata is left in the clear, its prohibitions count without a password."""
    data = files.pdf(ALLOWED, user="secret") + PROHIBITED
    assert (said(parse_embedded(data)), codes(parse_embedded(data))) == (EVERYTHING, ["embedded-encrypted"])


def test_a_pdf_starts_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the filters of PDF is the affair of another program; a file cannot have it started."""
    monkeypatch.setattr("subprocess.run", lambda *_args, **_more: pytest.fail("a program was started"))
    with apply_configuration(jbig2dec_binary="/usr/bin/jbig2dec"):
        policy = parse_embedded(metadata_pdf(PROHIBITED, b"/Filter/JBIG2Decode"))
    assert (said(policy), codes(policy)) == (EVERYTHING, ["embedded-missing-package"])


def test_xmp_without_rdf_says_nothing() -> None:
    """A packet in a file may be well-formed and hold no graph."""
    policy = parse_embedded(files.png(b'<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'))
    assert (said(policy), codes(policy)) == ([], ["embedded-no-rdf"])


@pytest.mark.parametrize(
    ("old", "new"), [(b"syntax-ns#", b"syntbx-ns#"), (b"rdf:RDF", b"rdf:RDG"), (b"rdf:RDF", b"RDF")]
)
def test_xmp_whose_graph_cannot_be_found_is_a_doubt(old: bytes, new: bytes) -> None:
    """An octet of its namespace or name has changed: nobody knows what it says, so that nothing is permitted."""
    for octets in (ALLOWED, PROHIBITED, files.packet("<dc:format>image/jpeg</dc:format>")):
        policy = parse_embedded(files.jpeg(octets.replace(old, new)))
        assert "embedded-unread-rdf" in codes(policy)
        assert refused(files.jpeg(octets.replace(old, new))) >= {"tdm", "index"}


def test_every_code_has_an_example_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each problem of the table can happen, and says what it says without a gap."""
    monkeypatch.setitem(sys.modules, "c2pa", None)
    found = {problem.code: problem for data in EXAMPLES for problem in parse_embedded(data).problems}
    assert set(FINDINGS) - set(found) == {"embedded-cut-file", "embedded-epub-meta"}  # have tests of their own
    assert all("{" not in problem.message for problem in found.values())


MAIN = files.packet("", attributes=f'xmpNote:HasExtendedXMP="{"0" * 32}"')
MANIFEST = b"\0\0\0\x30jumb\0\0\0\x1ejumdc2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\3c2pa\0"
EXAMPLES = [
    files.jpeg() + ALLOWED + MANIFEST,
    b"",
    HARMFUL["entities"](),
    HARMFUL["jpeg of segments"](),
    HARMFUL["pdf encrypted"](),
    metadata_pdf(b"x", b"/Filter/JBIG2Decode"),
    files.packet("<a>"),
    files.jpeg()[:-20],
    files.jpeg(MAIN),
    files.jpeg(extended=files.extension(ALLOWED)[1][0]),
    files.png(b"<a/>"),
    files.png(b"<a><b/></a>"),
    files.png(b"<a>\xff</a>"),
    files.packet("<t:policy>x</t:policy>", namespaces={"t": "http://www.w3.org/ns/tdmrep"}),
    files.packet("<tdm:reservation>x</tdm:reservation><tdm:reserved>1</tdm:reserved><plus:datamining/>"),
    files.packet("<tdm:reservation>1</tdm:reservation><tdm:policy>ask us</tdm:policy>"),
    *(
        files.packet(f"<plus:DataMining>{value}</plus:DataMining>")
        for value in ("DMI-ALLOWED", "dmi-allowed", "x:DMI-PROHIBITED", "?", "DMI-PROHIBITED-SEECONSTRAINT")
    ),
]


OPENLY = ("jpeg", "png", "webp", "tiff", "pdf")
DULL = files.packet("<dc:format>image/jpeg</dc:format>")
MULTIPLE: dict[str, Callable[..., bytes]] = {
    "jpeg": files.jpeg,
    "png": files.png,
    "webp": files.webp,
    "tiff": files.tiff,
}


def refused(octets: bytes) -> set[str]:
    """The usages that the metadata of a file prohibits."""
    return {one.usage for one in parse_embedded(octets).statements("") if one.outcome == "prohibited"}


@pytest.mark.parametrize("container", OPENLY)
def test_one_flipped_octet_hides_no_prohibition_that_stands_openly(container: str) -> None:
    """Wherever outside the packet an octet is changed: mining is prohibited still, for the packet is there."""
    data = files.CONTAINERS[container](PROHIBITED)
    begin, end = data.index(b"<x:xmpmeta"), data.index(b"</x:xmpmeta>") + len(b"</x:xmpmeta>")
    random = Random(1)
    for place in (*range(begin), *range(end, len(data))):
        octets = data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]
        assert refused(octets) >= {"tdm", "index"}, (place, data[max(0, place - 20) : place + 20])


@pytest.mark.parametrize("container", OPENLY)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("beside", [DULL, ALLOWED], ids=["dull", "allowed"])
def test_a_packet_that_is_led_to_hides_no_other(container: str, encoding: str, beside: bytes) -> None:
    """What nothing leads to prohibits in every encoding, also where one octet of what leads to it has flipped."""
    packet = PROHIBITED.decode().encode(encoding)
    prohibits = {"tdm", "index"}
    whole = files.CONTAINERS[container](beside) + packet
    assert refused(whole) >= prohibits
    if container in ("jpeg", "png", "webp", "tiff"):
        data = MULTIPLE[container](beside, packet)
        assert refused(data) >= prohibits
        begin = data.index(packet)
        random = Random(2)
        for place in range(data.index(beside) + len(beside), begin):
            octets = data[:place] + bytes([data[place] ^ 1 << random.randrange(8)]) + data[place + 1 :]
            assert refused(octets) >= prohibits, (place, data[max(0, place - 20) : place + 20])


@pytest.mark.parametrize("container", OPENLY)
def test_a_packet_that_is_led_to_is_read_once(container: str) -> None:
    """Its own wrapper makes it no stray one, and what is stray and says nothing of usages is passed over."""
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        for packet, outcome in ((ALLOWED, ["tdm"]), (PROHIBITED, [])):
            policy = parse_embedded(files.CONTAINERS[container](packet.decode().encode(encoding)) + DULL)
            assert codes(policy) == []
            assert [one.usage for one in policy.claims if one.outcome == "permitted"] == outcome


def test_more_beginnings_of_packets_than_are_looked_at_are_a_doubt() -> None:
    """What stands behind them may have prohibited."""
    policy = parse_embedded(files.jpeg(ALLOWED) + b"<x:xmpmeta>" * (limits.MAX_PARTS + 1) + PROHIBITED)
    assert (codes(policy), [one.outcome for one in policy.claims]) == (["embedded-limit"], [])


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"/Pages 2 0 R", b"/Pages / 0 R"), (b"/Metadata 3 0 R", b"/Netadata 3 0 R"), (b"/Metadata 3", b"/Metadata ?")],
)
def test_a_pdf_whose_catalogue_is_damaged_is_prohibited(old: bytes, new: bytes) -> None:
    """Its reader mends what it can, and then finds no metadata: the packet that stands in the file is heard."""
    number = re.search(rb"/Metadata (\d+) 0 R", data := files.pdf(PROHIBITED))
    assert number is not None
    old, new = (one.replace(b"/Metadata 3", b"/Metadata " + number[1]) for one in (old, new))
    new = new.replace(b"/Netadata 3", b"/Netadata " + number[1])
    damaged = re.sub(rb"/Pages \d+ 0 R", b"/Pages / 0 R", data) if old.startswith(b"/Pages") else data.replace(old, new)
    assert damaged != data
    assert said(parse_embedded(damaged)) == EVERYTHING


def test_a_packet_that_nothing_leads_to_permits_nothing() -> None:
    """What it allows is not said of the file; it is no doubt either, for a part of the file may have it."""
    for bare in (files.jpeg(), files.png(), files.webp(), raw_pdf(b"<</Type/Catalog>>") + b"\n"):
        for packet, outcome in ((ALLOWED, []), (PROHIBITED, EVERYTHING)):
            policy = parse_embedded(bare + packet)
            assert (said(policy), codes(policy)) == (outcome, ["embedded-stray-packet"])


FILE = "<</Type/Filespec/F(a)/EF<</F 4 0 R>>%s>>"
MANIFEST_FILE = FILE % "/AFRelationship/C2PA_Manifest"


@pytest.mark.parametrize(
    ("catalogue", "file", "is_seen"),
    [
        ("/AF[3 0 R]", MANIFEST_FILE, True),
        ("/AF 3 0 R", f"[{MANIFEST_FILE}]", True),
        ("/AF[3 0 R]", MANIFEST_FILE.replace("C2PA_", "C2PA#5f"), True),
        ("/AF[3 0 R]", FILE % "/AFRelationship 7 0 R", True),
        ("/Names<</EmbeddedFiles 3 0 R>>", f"<</Kids[<</Names[(a){MANIFEST_FILE}]>>]>>", True),
        ("/AF[3 0 R]", FILE % "/AFRelationship/Source", False),
        ("/Names<</Dests 3 0 R>>", "<</Names[(a)(b)]>>", False),
        ("", MANIFEST_FILE, True),
        ("", f"<</Type/Page/AF[{MANIFEST_FILE}]>>", True),
        ("", f"<</Type/Annot/Subtype/FileAttachment/FS{MANIFEST_FILE.replace('_M', '#5F#4d')}>>", True),
        ("", "<</Type/Page/AF[(C2PA_Manifest)]>>", False),
    ],
)
def test_a_manifest_that_is_packed_in_a_pdf_is_seen(
    monkeypatch: pytest.MonkeyPatch, catalogue: str, file: str, is_seen: bool
) -> None:
    """Its file specification stands in an object stream, its octets are deflated; whatever leads to it."""
    monkeypatch.setitem(sys.modules, "c2pa", None)
    octets = files.packed_pdf(catalogue, file)
    assert b"C2PA" not in octets
    if not is_seen and "/AF" in catalogue:
        typed = parse_embedded(files.packed_pdf(catalogue, file, "/Subtype/application#2Fc2pa"))
        assert codes(typed) == ["embedded-manifest"]
    policy = parse_embedded(octets)
    assert [(one.usage, one.outcome) for one in policy.claims] == [("tdm", "conditional")] * is_seen
    assert codes(policy) == ["embedded-manifest"] * is_seen


def test_object_streams_that_are_not_read_permit_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may hold a manifest. One that a filter makes slow counts as several."""
    packed = files.packed_pdf("", FILE % "")
    held = len(zlib.decompress(packed.partition(b"/ObjStm")[2].partition(b"stream\n")[2]))
    for most, octets, expected in (
        (held, packed, []),
        (held - 1, packed, ["embedded-limit"]),
        (held, packed.replace(b"/Filter/FlateDecode", b"/Filter[/FlateDecode]"), ["embedded-limit"]),
    ):
        monkeypatch.setattr("acap.pages.embedded.pdf.MAX_PDF_OBJECTS", most)
        assert codes(parse_embedded(octets)) == expected
        assert refused(octets) == ({"tdm", "index"} if expected else set())


def openly(*, objects: bytes = b"", entries: bytes = b"", index: str = "", size: int = 99) -> bytes:
    """A PDF with metadata that allow mining, whose table of objects is a stream, with an object 5 and more entries."""
    held = {
        1: b"<</Type/Catalog/Pages 2 0 R/Metadata 3 0 R>>",
        2: b"<</Type/Pages/Kids[4 0 R]/Count 1>>",
        3: b"<</Type/Metadata/Subtype/XML/Length %d>>stream\n%s\nendstream" % (len(ALLOWED), ALLOWED),
        4: b"<</Type/Page/Parent 2 0 R/AF[5 0 R]>>",
        5: objects or b"null",
    }
    octets, begins = b"%PDF-1.7\n", b""
    for number, one in held.items():
        begins += struct.pack(">BIH", 1, len(octets), 0)
        octets += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    begins = zlib.compress(begins + entries)
    said = f"/Type/XRef/Size {size}/Root 1 0 R/W[1 4 2]/Index[1 5{index}]/Length {len(begins)}/Filter/FlateDecode"
    end = b"\nendstream endobj\nstartxref\n%d\n%%%%EOF" % len(octets)
    return octets + f"{size - 1} 0 obj<<{said}>>stream\n".encode() + begins + end


@pytest.mark.parametrize("count", [1, 500, 8_000, 60_000])
@pytest.mark.parametrize("step", [0, 1], ids=["absent", "of one another"])
def test_object_streams_that_are_not_there_are_a_doubt_in_bounded_time(count: int, step: int) -> None:
    """The file is not looked through for each of them, and what it allows is not permitted."""
    assert [(one.usage, one.outcome) for one in parse_embedded(openly()).claims] == [("tdm", "permitted")]
    places = (1_000 + (number + 1) % count if step else 1_000_000 + number for number in range(count))
    entries = b"".join(struct.pack(">BIH", 2, place, 0) for place in places)
    data = openly(entries=entries, index=f" 1000 {count}", size=2_000_000)
    begin = process_time()
    assert refused(data) == {"tdm", "index"}
    assert process_time() - begin < 3


def test_what_a_pdf_is_looked_through_for_is_counted() -> None:
    """Objects that are nowhere, to which the document leads."""
    files_of_it = b"".join(b"%d 0 R " % number for number in range(1_000, 9_000))
    data = raw_pdf(b"<</Type/Catalog/AF[" + files_of_it + b"]>>")
    begin = process_time()
    assert codes(parse_embedded(data + ALLOWED))[:1] == ["embedded-limit"]
    assert process_time() - begin < 3


@pytest.mark.parametrize(
    "name", ["/AFRelationship /C2PA_Manifest", "/AFRelationship/C2PA#5fManifest", "/Subtype/applicatio#6e#2fc2p#61"]
)
def test_a_name_in_a_pdf_may_be_escaped_wherever_it_stands(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A page leads to the file, and none of it is packed."""
    monkeypatch.setitem(sys.modules, "c2pa", None)
    data = openly(objects=f"<</Type/Filespec/F(x){name}>>".encode())
    assert codes(parse_embedded(data)) == ["embedded-manifest"]
    assert codes(parse_embedded(data.replace(name.encode(), b"/Contents(C2PA_Manifest)"))) == []


def holding(packed: bytes, said: str) -> bytes:
    """A PDF with this object stream of one object, to which a page leads."""
    head = f"<</Type/ObjStm/N 1/First 4{said}/Length {len(packed)}>>stream\n".encode()
    return openly(objects=head + packed + b"\nendstream", entries=struct.pack(">BIH", 2, 5, 0), index=" 7 1")


@pytest.mark.parametrize("said", ["/Filter/FlateDecode", "/Filter[/FlateDecode]"])
def test_an_object_stream_that_is_damaged_is_a_doubt(said: str) -> None:
    """Whichever of its octets has flipped or is lost, the manifest in it is no silence."""
    packed = zlib.compress(f"7 0 {MANIFEST_FILE}".encode())
    assert codes(parse_embedded(holding(packed, said))) == ["embedded-manifest"]
    assert refused(holding(b"\0\0" + packed, said)) == {"tdm", "index"}
    for place in range(len(packed)):
        flipped = packed[:place] + bytes([packed[place] ^ 1 << place % 8]) + packed[place + 1 :]
        assert refused(holding(packed[:place], said)) == refused(holding(flipped, said)) == {"tdm", "index"}, place


def test_an_object_stream_whose_filter_has_no_check_sum_is_a_doubt() -> None:
    """Nothing would tell that a part of it is lost; one without a filter is as it stands."""
    plain = f"7 0 {MANIFEST_FILE}".encode()
    assert codes(parse_embedded(holding(plain, ""))) == ["embedded-manifest"]
    for octets, filters in ((plain, "/ASCIIHexDecode"), (zlib.compress(plain), "[/ASCIIHexDecode/FlateDecode]")):
        assert refused(holding(octets.hex().encode() + b">", f"/Filter{filters}")) == {"tdm", "index"}


def test_a_manifest_that_is_not_read_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a C2PA manifest stands, mining is conditional, and a problem tells why."""
    monkeypatch.setitem(sys.modules, "c2pa", None)
    segment = files.segment(0xEB, b"JP\0\1\0\0\0\1" + MANIFEST)
    jpeg = files.jpeg()
    for octets in (jpeg[:2] + segment + jpeg[2:], raw_pdf(b"<</Type/Catalog>>", b"<</AFRelationship/C2PA_Manifest>>")):
        policy = parse_embedded(octets)
        assert [(one.usage, one.outcome) for one in policy.claims] == [("tdm", "conditional")]
        assert codes(policy) == ["embedded-manifest"]
        assert not errors(policy)

"""EPUB as a carrier of TDMRep: META elements of its package document, and files that are made to do harm."""

from __future__ import annotations

import struct
from time import perf_counter

import pytest

import acap
from acap.carriers import carriers
from acap.pages.embedded.limits import MAX_RENDITIONS
from tests import embedded_files as files

HERE = "https://www.example.com/a.epub"
POLICY = "https://www.example.com/policies/1"
RESERVED = '<meta property="tdm:reservation">1</meta>'
TERMS = f'<meta property="tdm:policy">{POLICY}</meta>'
FREE = '<meta property="tdm:reservation">0</meta>'


def asked(octets: bytes, usage: str = "tdm", **headers: str) -> str:
    given = [
        ("content-type", "application/epub+zip"),
        *((name.replace("_", "-"), one) for name, one in headers.items()),
    ]
    found = carriers(octets, url=HERE, headers=given)
    decision = acap.decide(HERE, crawler="examplebot", usage=usage, page=found.page, others=found.others)
    return str(decision.outcome) if decision.stated else "silent"


def codes(octets: bytes) -> list[str]:
    return [problem.code for problem in acap.parse_embedded(octets).problems]


@pytest.mark.parametrize(
    ("metas", "expected"),
    [
        ("", "silent"),
        (RESERVED, "prohibited"),
        (RESERVED + TERMS, "conditional"),
        (FREE, "permitted"),
        (FREE + TERMS, "permitted"),
        (RESERVED + FREE, "prohibited"),
        ('<meta name="tdm:reservation" content="1"/>', "prohibited"),
        (f'<meta name="tdm:reservation" content="1"/><meta name="tdm:policy" content="{POLICY}"/>', "conditional"),
        ('<meta name="tdm:reservation" content="0"/>', "permitted"),
        ('<meta property="tdm:reservation"> 1\n</meta>', "prohibited"),
        ('<meta property="dcterms:modified">1</meta>', "silent"),
        ('<meta property="tdm:reservation">yes</meta>', "prohibited"),
        (TERMS, "silent"),
    ],
)
def test_meta_elements_of_the_package_reserve(metas: str, expected: str) -> None:
    for stored in (False, True):
        octets = files.epub(metas, stored=stored)
        assert acap.parse_embedded(octets).format == "epub"
        assert (asked(octets), asked(octets, "index")) == (expected, "silent")


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ('<meta property="tdm:reservation" content="1"/>', "prohibited"),
        ('<meta name="tdm:reservation">1</meta>', "prohibited"),
        ('<meta property="tdm:reservation"><b>1</b></meta>', "prohibited"),
        ('<meta property="tdm:reservation" content="1">0</meta>', "prohibited"),
        ('<meta name="tdm:reservation" content="0">1</meta>', "prohibited"),
        ('<meta property="tdm:reservation">0<b>1</b></meta>', "prohibited"),
        ('<meta property="tdm:reservation" content="0"/>', "silent"),
        ('<meta name="tdm:reservation" content="yes"/>', "prohibited"),
        ('<meta property="tdm:reservation"/>', "silent"),
    ],
)
def test_a_value_in_the_form_of_the_other_version_may_reserve_and_lifts_nothing(meta: str, expected: str) -> None:
    assert asked(files.epub(meta)) == expected
    assert asked(files.epub(meta), tdm_reservation="1") == "prohibited"
    assert codes(files.epub(meta))
    # Beside a value that is not clear none is lifted.
    lifted = asked(files.epub(meta + FREE), tdm_reservation="1")
    assert lifted == ("permitted" if 'content="0"/>' in meta else "prohibited")
    assert (
        asked(files.epub('<meta name="tdm:reservation" property="tdm:reservation" content="0">0</meta>')) == "permitted"
    )


@pytest.mark.parametrize(
    "media", ["Application/OEBPS-package+xml", " application/oebps-package+xml ", "", "text/xml", None, "x/y"]
)
def test_every_root_that_may_be_a_package_counts(media: str | None) -> None:
    declared = "" if media is None else f' media-type="{media}"'
    second = f'<rootfile full-path="b.opf"{declared}/></rootfiles>'
    container = files.CONTAINER.replace("</rootfiles>", second)
    held = {"META-INF/container.xml": container, "b.opf": files.package(RESERVED)}
    assert asked(files.epub(FREE, files=held)) == "prohibited"
    del held["b.opf"]
    assert codes(files.epub(FREE, files=held)) == ["embedded-damaged-file"]
    other = container.replace("b.opf", "b.pdf").replace(declared, ' media-type="application/pdf"')
    assert asked(files.epub(FREE, files={"META-INF/container.xml": other})) == "permitted" or not declared


@pytest.mark.parametrize("stored", [False, True])
def test_a_manifest_in_the_archive_is_seen_though_it_is_packed(stored: bool) -> None:
    held = {"META-INF/content_credential.c2pa": b"\0" * 64 + b"jumbf"}
    assert asked(files.epub(files=held, stored=stored)) == "conditional"
    archive = files.epub(files=held, stored=stored).replace(b"application/epub+zip", b"application/vnd.some")
    archive = archive.replace(b"META-INF/container.xml", b"META-INF/some_file.xml")
    found = acap.parse_embedded(archive)
    assert (found.format, [claim.outcome for claim in found.claims]) == ("unknown", ["conditional"])
    near = {"META-INF/content_credential.txt": b"META-INF/content_credential.c2pa"}
    assert asked(files.epub(files=near, stored=stored)) == "silent"


def test_an_epub_is_the_last_carrier() -> None:
    assert asked(files.epub(FREE), tdm_reservation="1") == "permitted"
    assert asked(files.epub(RESERVED), tdm_reservation="0") == "prohibited"
    assert asked(files.epub(RESERVED), tdm_reservation="1", tdm_policy=POLICY) == "conditional"
    assert asked(files.epub(), tdm_reservation="1") == "prohibited"


def test_a_prefix_is_what_the_package_binds_it_to() -> None:
    other = '<meta property="t:reservation">{}</meta>'
    for value, expected in (("1", "prohibited"), ("0", "permitted")):
        bound = files.epub(other.format(value), prefix="a: http://a.example/ t: http://www.w3.org/ns/tdmrep#")
        assert asked(bound) == expected
        assert asked(files.epub(other.format(value), prefix="t: http://www.w3.org/ns/other#")) == "silent"
        assert asked(files.epub(RESERVED + FREE, prefix="tdm: http://a.example/")) == "silent"


@pytest.mark.parametrize(
    ("prefix", "metas", "behind"),
    [
        ("", RESERVED, ""),
        ("tdm: http://www.w3.org/ns/tdmrep/", RESERVED, ""),
        (files.PREFIX, '<meta property="tdm:reservation" refines="#a">1</meta>', ""),
        (files.PREFIX, "", RESERVED),
        (files.PREFIX, f"<x>{RESERVED}</x>", ""),
        (files.PREFIX, '<meta xmlns="" property="tdm:reservation">1</meta>', ""),
        (files.PREFIX, '<META property="TDM:Reservation">1</META>', ""),
        (files.PREFIX, '<meta property="tdm:reservaton">1</meta>', ""),
        (files.PREFIX, '<meta property="tdm-reservation">1</meta>', ""),
        ("", '<meta property="tdm_reserved">1</meta>', ""),
        ("t: http://www.w3.org/ns/tdmrp#", '<meta property="t:reservation">1</meta>', ""),
    ],
)
def test_an_element_that_stands_wrongly_reserves_and_lifts_nothing(prefix: str, metas: str, behind: str) -> None:
    octets = files.epub(metas, behind=behind, prefix=prefix)
    assert (asked(octets), codes(octets)) == ("prohibited", ["embedded-epub-meta"])
    free = files.epub(metas.replace(">1<", ">0<"), behind=behind.replace(">1<", ">0<"), prefix=prefix)
    assert (asked(free), asked(free, tdm_reservation="1")) == ("silent", "prohibited")


def test_every_rendition_counts() -> None:
    second = '<rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles>'
    container = files.CONTAINER.replace("</rootfiles>", second)
    held = {"META-INF/container.xml": container, "b.opf": files.package(RESERVED)}
    assert asked(files.epub(FREE, files=held)) == "prohibited"
    many = container.replace("</rootfiles>", second.removesuffix("</rootfiles>") * MAX_RENDITIONS + "</rootfiles>")
    octets = files.epub(FREE, files={**held, "META-INF/container.xml": many, "b.opf": files.package("")})
    assert (asked(octets), codes(octets)) == ("prohibited", ["embedded-limit"])


def broken() -> dict[str, bytes]:
    """Books of which something cannot be read."""
    whole = files.epub(FREE)
    end = whole.rindex(b"PK\x05\x06")
    entry = whole.rindex(b"OEBPS/content.opf") - 46

    def entered(at: int, octets: bytes) -> bytes:
        place = entry + at
        return whole[:place] + octets + whole[place + len(octets) :]

    bomb = files.package(FREE, behind="<!--" + " " * 50_000_000 + "-->")
    with_bomb = files.epub(files={"OEBPS/content.opf": bomb})
    laughs = '<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;">]>'
    return {
        "cut": whole[: len(whole) // 2],
        "without its end": whole[:end],
        "with more behind it": whole + b"x",
        "with more before it": b"PK\x03\x04" + whole,
        "a bomb": with_bomb,
        "a small bomb": with_bomb.replace(struct.pack("<L", len(bomb)), struct.pack("<L", 1_000)),
        "another checksum": entered(16, bytes(4)),
        "a document type": files.epub(files={"OEBPS/content.opf": laughs + files.package(FREE)}),
        "a document type around": files.epub(FREE, files={"META-INF/container.xml": laughs + files.CONTAINER}),
        "no package": files.epub(files={"META-INF/container.xml": "<container/>"}),
        "no container": files.epub(FREE).replace(b"META-INF/container.xml", b"META-INF/container.xmk"),
        "another path": files.epub(
            FREE, files={"META-INF/container.xml": files.CONTAINER.replace("content.opf", "../content.opf")}
        ),
        "no XML": files.epub(files={"OEBPS/content.opf": "<package"}),
        "deep": files.epub(files={"OEBPS/content.opf": "<a>" * 100_000}),
        "many elements": files.epub("<meta/>" * 30_000),
        "many files": whole[:end] + whole[end : end + 8] + b"\xff\xfe" * 2 + whole[end + 12 :],
        "encrypted": entered(8, b"\1"),
        "another method": entered(10, b"\x0c"),
        "another size": entered(24, b"\1\0\0\0"),
        "elsewhere": entered(42, b"\xff\xff\xff\x7f"),
        "two of one name": files.epub(FREE, files={"OEBPS/b.xhtml": ""}).replace(b"b.xhtml", b"a.xhtml"),
    }


BROKEN = broken()


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_prohibits(name: str) -> None:
    begin = perf_counter()
    octets = BROKEN[name]
    assert "embedded-damaged-file" in codes(octets), codes(octets)
    assert (asked(octets), asked(octets, tdm_reservation="0")) == ("prohibited", "prohibited")
    assert perf_counter() - begin < 20


def test_an_archive_that_is_no_book_is_not_read_as_one() -> None:
    archive = files.epub().replace(b"application/epub+zip", b"application/any+other").replace(b"META-INF", b"META-OUT")
    assert acap.parse_embedded(archive).format == "unknown"


@pytest.mark.parametrize("metas", [RESERVED, RESERVED + TERMS])
def test_a_book_with_one_octet_changed_permits_nothing(metas: str) -> None:
    octets = files.epub(metas)
    for at in range(len(octets)):
        for other in (octets[at] ^ 1, octets[at] ^ 0x20, 0):
            damaged = octets[:at] + bytes([other]) + octets[at + 1 :]
            said = acap.parse_embedded(damaged).statements(HERE)
            assert said, at
            assert all(one.outcome != "permitted" for one in said), at

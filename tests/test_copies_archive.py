"""Captures of WARC and ARC files that others wrote, whole or damaged."""

from __future__ import annotations

import gzip
import hashlib
import random
import re
import struct
import zlib
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import brotli  # type: ignore[import-untyped]  # it has no types
import pytest
from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]  # it has no types
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]  # it has no types

from acap.archives import Capture, Damage, read_warc
from acap.harvest.copies import Copies

BODY = "<p>ferry to Rügen</p>".encode() * 20
DATE = "2025-06-30T12:00:00Z"
URL = "https://www.example.com/a"


def chunked(body: bytes, size: int = 100) -> bytes:
    """A body in chunks, as servers send it."""
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%X;x=1\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def warc(*records: tuple[str, str, list[tuple[str, str]], bytes], packed: bool = True, **fields: str) -> bytes:
    """A file as warcio writes it, of type, URL, HTTP headers and block of each record."""
    out = BytesIO()
    writer = WARCWriter(out, gzip=packed)
    writer.write_record(writer.create_warcinfo_record("x.warc.gz", {"software": "x"}))
    for kind, url, headers, block in records:
        http = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1") if kind in ("response", "revisit") else None
        named = {
            "WARC-Date": DATE,
            "WARC-IP-Address": "192.0.2.1",
            **{k.replace("_", "-"): v for k, v in fields.items()},
        }
        writer.write_record(
            writer.create_warc_record(
                url,
                kind,
                payload=BytesIO(block),
                length=len(block),
                http_headers=http,
                warc_headers_dict=named,
                warc_content_type="" if http else "text/html",
            )
        )
    return out.getvalue()


def read(path: Path, octets: bytes, **more: Any) -> tuple[list[Capture], list[Damage]]:
    """The captures of a file, and what was wrong with it."""
    path.write_bytes(octets)
    damages: list[Damage] = []
    return list(read_warc(path, on_problem=damages.append, **more)), damages


HTML = ("Content-Type", "text/html; charset=utf-8")
CODED = {
    "plain": ([], BODY),
    "chunked": ([("Transfer-Encoding", "chunked")], chunked(BODY)),
    "gzip": ([("Content-Encoding", "gzip")], gzip.compress(BODY)),
    "deflate": ([("Content-Encoding", "deflate")], zlib.compress(BODY)),
    "br": ([("Content-Encoding", "br")], brotli.compress(BODY)),
    "gzip in chunks": (
        [("content-encoding", "x-gzip"), ("transfer-encoding", "Chunked")],
        chunked(gzip.compress(BODY, mtime=0)),
    ),
    "decoded before it was kept": ([("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")], BODY),
}


@pytest.mark.parametrize("name", CODED)
def test_a_payload_is_that_of_its_digest(tmp_path: Path, name: str) -> None:
    """Writers digest a body as it stands, without its chunks or decoded; that of none of these is damaged."""
    headers, block = CODED[name]
    plain = warc(("response", URL, [HTML, *headers], block), packed=False).replace(b"WARC-Block-", b"WARC-Other-")
    readings = [block, BODY, *([gzip.compress(BODY, mtime=0)] if name == "gzip in chunks" else [])]
    for octets, is_whole in (*((one, True) for one in readings), (BODY + b"x", False), (b"", False)):
        said = b"WARC-Payload-Digest: sha1:" + hashlib.sha1(octets, usedforsecurity=False).hexdigest().encode()
        captures, damages = read(tmp_path / "a.warc", re.sub(rb"WARC-Payload-Digest: [^\r]*", said, plain))
        assert [one.body for one in captures] == [BODY] * is_whole
        wrong = [] if is_whole else ["the record's payload is not that of its digest"]
        assert [one.message for one in damages] == wrong


def test_one_octet_of_a_policy_that_is_another_is_damage(tmp_path: Path) -> None:
    """A robots.txt whose record has the digest of its payload alone prohibits nothing less for being damaged."""
    where = "https://www.example.com/robots.txt"
    record = ("response", where, [("Content-Type", "text/plain")], b"User-agent: *\nDisallow: /\n")
    made = warc(record, packed=False).replace(b"WARC-Block-", b"WARC-Other-")
    assert len(read(tmp_path / "a.warc", made)[0]) == 1
    captures, damages = read(tmp_path / "a.warc", made.replace(b"Disallow", b"Dhsallow"))
    assert captures == []
    assert [(one.url, one.status) for one in damages] == [(where, 200)]


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("name", CODED)
def test_bodies_come_decoded_and_headers_as_they_were(tmp_path: Path, name: str, *, packed: bool) -> None:
    """Whatever coding they had in transfer or of their own."""
    headers, block = CODED[name]
    found, damages = read(tmp_path / "a", warc(("response", URL, [HTML, *headers], block), packed=packed))
    at = datetime(2025, 6, 30, 12, tzinfo=UTC)
    assert found == [Capture(URL, at, 200, (HTML, *headers), BODY, "192.0.2.1", {}, "OK")]
    assert damages == []


def test_other_records_are_no_captures(tmp_path: Path) -> None:
    """Resources are; requests, revisits, conversions, metadata and what is of no web site are not."""
    octets = warc(
        ("response", "dns:example.com", [], b"192.0.2.1"),
        ("resource", "whois://whois.example/example.com", [], b"192.0.2.1"),
        ("resource", f"screenshot:{URL}", [], BODY),
        ("revisit", "urn:x:y", [], BODY),
        ("request", URL, [], b"GET / HTTP/1.1\r\n\r\n"),
        ("resource", URL, [], BODY),
        ("revisit", URL, [HTML], b""),
        ("conversion", URL, [], BODY),
        ("metadata", URL, [], b"fetchTimeMs: 3"),
        ("resource", "dns:example.com", [], b"192.0.2.1"),
    )
    found, damages = read(tmp_path / "a", octets)
    assert [(each.status, each.headers, each.body) for each in found] == [(200, (("Content-Type", "text/html"),), BODY)]
    assert damages == []


def test_our_own_files_are_read_as_they_were_written(tmp_path: Path) -> None:
    """With metadata, and with the headers that the server sent, but for the length that was added."""
    sent = (("Content-Encoding", "gzip"), ("Content-Length", "99"), ("X-Robots-Tag", "noai"))
    written = [
        Capture(f"{URL}{number}", datetime(2025, 6, 30, tzinfo=UTC), 200, sent, BODY, None, {"n": number}, "Fine")
        for number in range(3)
    ]
    [first, *_] = Copies(tmp_path).append(written)
    damages: list[Damage] = []
    assert list(read_warc(tmp_path / first.file, on_problem=damages.append)) == written
    assert damages == []


def test_interim_responses_are_passed_over(tmp_path: Path) -> None:
    """The last of several responses in a record is the one that was asked for (RFC 9110 15.2)."""
    octets = warc(("response", URL, [HTML], BODY), packed=False).replace(b"WARC-Block-Digest", b"WARC-Block-Other")
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    length = re.findall(rb"Content-Length: (\d+)", octets)[-1]
    octets = octets.replace(b"HTTP/1.1 200", interim + b"HTTP/1.1 200")
    octets = octets.replace(b"Length: " + length, b"Length: %d" % (int(length) + len(interim)))
    [capture], damages = read(tmp_path / "a", octets)
    assert (capture.status, capture.headers, capture.body, damages) == (200, (HTML,), BODY, [])


def five() -> tuple[bytes, list[int]]:
    """A file with five responses, and where each begins."""
    parts = [warc(("response", f"{URL}{number}", [HTML], BODY + b"%d" % number)) for number in range(5)]
    starts = [0]
    for part in parts[:-1]:
        starts.append(starts[-1] + len(part))
    return b"".join(parts), starts


def numbers(captures: list[Capture]) -> list[int]:
    """Which of the five these are; each is whole."""
    assert all(each.body == BODY + each.url[-1:].encode() for each in captures)
    return [int(each.url[-1]) for each in captures]


def test_behind_damage_reading_goes_on(tmp_path: Path) -> None:
    """Broken octets, a member cut short, garbage between, before and behind: the others are read, the damage told."""
    whole, starts = five()
    middle = starts[2] + (starts[3] - starts[2]) * 3 // 4
    broken = whole[:middle] + bytes(octet ^ 0xFF for octet in whole[middle : middle + 20]) + whole[middle + 20 :]
    cases = {
        "broken": (broken, [0, 1, 3, 4]),
        "cut in the middle": (whole[: middle - 20] + whole[starts[3] :], [0, 1, 3, 4]),
        "cut at the end": (whole[:-30], [0, 1, 2, 3]),
        "garbage between": (
            whole[: starts[2]] + b"\x1f\x8bgarbage\x1f\x8b\x08" * 9 + whole[starts[2] :],
            [0, 1, 2, 3, 4],
        ),
        "garbage before": (b"garbage" * 20 + whole, [0, 1, 2, 3, 4]),
        "garbage behind": (whole + b"garbage", [0, 1, 2, 3, 4]),
    }
    for name, (octets, left) in cases.items():
        found, damages = read(tmp_path / name, octets)
        assert numbers(found) == left, name
        # Of the record, of its member, and of the members that the rest of a member cut short was read into.
        assert 1 <= len(damages) <= 3, name
        assert all(str(damage).startswith(str(tmp_path / name)) and "\n" not in str(damage) for damage in damages)
    assert read(tmp_path / "whole", whole)[1] == []


def test_behind_damage_of_a_plain_file_reading_goes_on(tmp_path: Path) -> None:
    """A length that is wrong takes one record or two; what is no record is passed over."""
    whole = gzip.decompress(five()[0])
    second = whole.index(b"Content-Length", whole.index(b"/a1"))
    shorter = whole[:second] + whole[second:].replace(b"Content-Length: 5", b"Content-Length: 4", 1)
    assert shorter != whole
    assert numbers(read(tmp_path / "a", shorter)[0]) == [0, 2, 3, 4]
    found, damages = read(tmp_path / "b", whole.replace(b"WARC/1.0", b"garbage\n" * 5 + b"WARC/1.0"))
    assert (numbers(found), len(damages)) == ([0, 1, 2, 3, 4], 10)
    assert numbers(read(tmp_path / "c", whole[:-9])[0]) == [0, 1, 2, 3]


def test_what_is_packed_as_a_whole_is_read(tmp_path: Path) -> None:
    """One gzip member around all records, and many records in some members."""
    whole = gzip.decompress(five()[0])
    found, damages = read(tmp_path / "a", gzip.compress(whole))
    assert (numbers(found), damages) == ([0, 1, 2, 3, 4], [])
    assert read(tmp_path / "empty", b"") == ([], [])
    assert read(tmp_path / "empty", gzip.compress(b"")) == ([], [])


WRONG: dict[str, tuple[bytes, str]] = {
    "digest": (
        warc(("response", URL, [HTML], BODY), WARC_Block_Digest="sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
        "digest",
    ),
    "cut when made": (warc(("response", URL, [HTML], BODY), WARC_Truncated="length"), "cut when it was made"),
    "segment": (warc(("response", URL, [HTML], BODY), WARC_Segment_Number="1"), "segments"),
    "date": (warc(("response", URL, [HTML], BODY), WARC_Date="yesterday"), "no date"),
    "coding": (warc(("response", URL, [("Content-Encoding", "rot13")], BODY)), "rot13"),
    "gzip cut": (warc(("response", URL, [("Content-Encoding", "gzip")], gzip.compress(BODY)[:-9])), "not complete"),
    "chunks cut": (warc(("response", URL, [("Transfer-Encoding", "chunked")], chunked(BODY)[:-5])), "last chunk"),
    "chunks cut at once": (warc(("response", URL, [("Transfer-Encoding", "chunked")], b"")), "last chunk"),
    "chunks cut in a size": (warc(("response", URL, [("Transfer-Encoding", "chunked")], b"1")), "last chunk"),
    "length cut": (warc(("response", URL, [("Content-Length", str(len(BODY) + 1))], BODY)), "were said"),
    "length unreadable": (warc(("response", URL, [("Content-Length", "5o")], BODY)), "were said"),
    "gzip cut at once": (warc(("response", URL, [("Content-Encoding", "gzip")], b"\x1f")), "not complete"),
    "bomb": (
        warc(("response", URL, [("Content-Encoding", "gzip")], gzip.compress(bytes(200_000)))),
        "more than 100000",
    ),
    "coding of nothing": (warc(("response", URL, [("Content-Encoding", "gzip, br")], BODY)), "gzip, br"),
    "no gzip": (warc(("response", URL, [("Content-Encoding", "gzip")], gzip.compress(BODY)[1:])), "header check"),
    "transfer coding": (warc(("response", URL, [("Transfer-Encoding", "gzip")], BODY)), "sent as `gzip`"),
    "two of them": (warc(("response", URL, [("Transfer-Encoding", "gzip, chunked")], chunked(BODY))), "gzip, chunked"),
    "none of them": (warc(("response", URL, [("Transfer-Encoding", "identity")], BODY)), "sent as `identity`"),
    "first chunk": (warc(("response", URL, [("Transfer-Encoding", "chunked")], b"q" + chunked(BODY)[1:])), "chunk"),
    "behind chunks": (warc(("response", URL, [("Transfer-Encoding", "chunked")], chunked(BODY) + b"x")), "chunk"),
    "short without chunks": (
        warc(("response", URL, [("Transfer-Encoding", "chunked"), ("Content-Length", "999")], BODY)),
        "were said",
    ),
    "chunks that nothing names": (warc(("response", URL, [HTML], chunked(BODY))), "no header says so"),
    "gzip that nothing names": (warc(("response", URL, [HTML], gzip.compress(BODY))), "no header says so"),
    "no header": (
        warc(("response", URL, [HTML, ("X-Robots-Tag", "noindex")], BODY), packed=False)
        .replace(b"X-Robots-Tag:", b"X-Robots-Tag ")
        .replace(b"WARC-Block-Digest", b"WARC-Block-Other"),
        "not a header",
    ),
    "no type": (warc(("response", URL, [HTML], BODY), packed=False).replace(b"e: response", b"e: "), "no type"),
    "unknown type": (
        warc(("response", URL, [HTML], BODY), packed=False).replace(b"e: response", b"e: respondse"),
        "but `respondse`",
    ),
    "no URL": (warc(("response", "https", [HTML], BODY)), "no URL, but `https`"),
    "unknown scheme": (warc(("response", "httqs://a.example/", [HTML], BODY)), "but `httqs://a.example/`"),
    "revisit of nothing": (warc(("revisit", "", [HTML], b"")), "no URL, but ``"),
    "large": (warc(("response", URL, [HTML], random.Random(1).randbytes(200_000))), "more than 100000"),
    "no response": (
        warc(("response", URL, [HTML], BODY), packed=False).replace(b"HTTP/1.1 200", b"HTTP/1.1 2x0"),
        "digest",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_record_that_cannot_be_had_whole_is_left_out(tmp_path: Path, name: str) -> None:
    """It is reported with its reason; those around it are read."""
    octets, why = WRONG[name]
    around = warc(("response", URL, [HTML], BODY), packed=octets.startswith(b"\x1f"))
    found, damages = read(tmp_path / "a", around + octets + around, max_octets=100_000)
    assert [each.body for each in found] == [BODY, BODY]
    assert [why in str(damage) for damage in damages] == [True]


@pytest.mark.parametrize("kind", ["response", "revisit"])
def test_the_headers_of_several_responses_are_told_and_no_status(tmp_path: Path, kind: str) -> None:
    """One of them may prohibit, and which is that of the page is unknown."""
    first = b"HTTP/1.1 401 No\r\nX-A: b\r\nContent-Length: 2\r\n\r\nno\r\n"
    made = warc((kind, URL, [HTML, ("X-Robots-Tag", "noindex")], BODY), packed=False)
    head = re.findall(rb"\r\n\r\nHTTP/1.1 200", made)[-1]
    length = re.findall(rb"Content-Length: (\d+)", made)[-1]
    made = made.replace(head, b"\r\n\r\n" + first + head[4:]).replace(b"WARC-Block-Digest", b"WARC-Block-Other")
    made = made.replace(b"Length: " + length, b"Length: %d" % (int(length) + len(first)))
    revisits: list[Any] = []
    captures, [damage] = read(tmp_path / "a", made, on_revisit=revisits.append)
    assert (captures, revisits, damage.url, damage.status) == ([], [], URL, 0)
    assert "another response" in damage.message
    assert damage.headers == (("X-A", "b"), ("Content-Length", "2"), HTML, ("X-Robots-Tag", "noindex"))


def test_a_response_in_the_place_of_a_resource_is_none(tmp_path: Path) -> None:
    block = b"HTTP/1.1 503 Service Unavailable\r\n\r\n"
    captures, [damage] = read(tmp_path / "a", warc(("resource", URL, [], block)))
    assert (captures, damage.url) == ([], URL)
    assert "whole response" in damage.message


def test_however_many_damages_there_are_what_is_behind_them_is_read(tmp_path: Path) -> None:
    """Each is told; whole records among and behind them are captures."""
    member = gzip.compress(b"WARC/1.0\r\nx\r\n", mtime=0)
    found, damages = read(tmp_path / "a", member * 3_000 + five()[0])
    assert (numbers(found), len(damages)) == ([0, 1, 2, 3, 4], 3_000)
    assert not any(one.is_end for one in damages)


def test_a_file_of_members_within_broken_members_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is read to the end of the file; where that comes to too much, the end of reading is told with its place."""
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 60000\r\n\r\n"
    nested = b""
    for _ in range(200):
        inner = head + nested
        block = inner[:65_535]
        nested = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + b"\x00" + struct.pack("<HH", len(block), len(block) ^ 0xFFFF) + block
    octets = nested + five()[0]
    assert len(read(tmp_path / "a", octets)[1]) >= 199
    monkeypatch.setattr("acap.archives.members._AGAIN", 0)
    found, damages = read(tmp_path / "b", octets)
    assert found == []
    assert [one.is_end for one in damages] == [False] * (len(damages) - 1) + [True]
    assert 0 < damages[-1].offset < len(nested)


def test_a_length_that_takes_the_records_behind_it_is_told_so(tmp_path: Path) -> None:
    """In a plain file nobody knows what those were; a file that was cut within a record says no more than that."""
    whole = gzip.decompress(five()[0])
    second = whole.index(b"Content-Length", whole.index(b"/a1"))
    longer = whole[:second] + whole[second:].replace(b"Content-Length: ", b"Content-Length: 9", 1)
    found, damages = read(tmp_path / "a", longer)
    assert (numbers(found), [(one.url is None, one.is_end) for one in damages]) == ([0], [(False, False), (True, True)])
    assert [one.is_end for one in read(tmp_path / "b", whole[:-9])[1]] == [False]


ARC_FIELDS = b"1 0 org\nURL IP-address Archive-date Content-type Archive-length\n"
ARC_HEAD = b"filedesc://x.arc 0.0.0.0 20080430205052 text/plain %d\n%b\n" % (len(ARC_FIELDS), ARC_FIELDS)


@pytest.mark.parametrize("packed", [True, False])
def test_arc_files_are_read(tmp_path: Path, *, packed: bool) -> None:
    """The format before WARC, through warcio."""
    pack = gzip.compress if packed else bytes
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + BODY
    record = f"{URL} 192.0.2.1 20080430204825 text/html {len(block)}\n".encode() + block + b"\n"
    found, damages = read(tmp_path / "a.arc", pack(ARC_HEAD) + pack(record) + pack(record))
    expected = Capture(
        URL,
        datetime(2008, 4, 30, 20, 48, 25, tzinfo=UTC),
        200,
        (("Content-Type", "text/html"),),
        BODY,
        "192.0.2.1",
        {},
        "OK",
    )
    assert (found, damages) == ([expected, expected], [])


@pytest.mark.parametrize("joined", [
    f"{URL} 192.0.2.1 2008 192.0.2.1 20080430204825 text/html 2",
    f"{URL} 192.0.2.1 2008\xfftext/html 2 2 2 2", f"{URL} b 192.0.2.1 2008\xff text/html 2",
])  # fmt: skip
def test_a_line_of_arc_that_became_one_with_another_is_of_any_url(tmp_path: Path, joined: str) -> None:
    """The record that was lost may have been a robots.txt that prohibits."""
    found, damages = read(tmp_path / "a.arc", ARC_HEAD + joined.encode("latin-1") + b"\nno\n")
    assert (found, [one.is_of_any for one in damages]) == ([], [True])


def test_no_octets_make_reading_fail(tmp_path: Path) -> None:
    """Files cut, spliced and flipped at random: reading ends, and every capture is one."""
    packed, _ = five()
    coded = warc(*(("response", URL, [HTML, *headers], block) for headers, block in CODED.values()), packed=False)
    for number in range(300):
        chance = random.Random(number)
        octets = bytearray(chance.choice((packed, coded, gzip.decompress(packed), gzip.compress(coded))))
        for _ in range(chance.choice((1, 3, 30))):
            at = chance.randrange(len(octets))
            how = chance.randrange(3)
            if how == 0:
                octets[at] ^= 1 << chance.randrange(8)
            elif how == 1:
                del octets[at : at + chance.choice((1, 50, 2_000))]
            else:
                octets[at:at] = chance.choice(
                    (b"WARC/1.0\r\n", b"\x1f\x8b\x08\0", b"\r\n\r\n", bytes(9), b": ", octets[:500])
                )
            octets = octets or bytearray(b"x")
        found, _ = read(tmp_path / "a", bytes(octets))
        assert all(each.url for each in found)

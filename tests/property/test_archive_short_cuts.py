"""An archive reads the same by its short cuts and without them: captures, damage and revisits, in the same order."""

from __future__ import annotations

import gzip
import random
import tempfile
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acap import _native
from acap.archives import members, read_warc, response, shelf
from acap.archives.archived import is_own_document
from acap.archives.members import UnreadableError
from acap.retrieval.locations import is_robots_url, normal, robots_url
from tests.portions import at_length
from tests.property.test_archive_laws import BODIES, PAGE, SITE, URLS, Told, date, record

_FIELDS = "WARC/1.0\r\nWARC-Type: {}\r\nWARC-Target-URI: {}\r\nWARC-Date: {}\r\n{}Content-Length: {}\r\n\r\n"


def other(kind: str, block: bytes, more: str = "") -> bytes:
    """A record that is no response, one gzip member."""
    fields = _FIELDS.format(kind, PAGE, date(100), more, len(block)).encode()
    return gzip.compress(fields + block + b"\r\n\r\n", mtime=0)


PARTS = [
    other("warcinfo", b"software: x\r\n"),
    other("request", b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"),
    other("metadata", b"{}", "Content-Type: application/json\r\nWARC-Concurrent-To: <urn:uuid:1>\r\n"),
    record(Told(URLS[0], BODIES[1], 110, chunked=True, gzipped=True)),
    record(Told(URLS[0], BODIES[0], 105, digest=BODIES[0])),
    record(Told(PAGE, b"<p>packed</p>" * 9, 104, gzipped=True)),
    record(Told(PAGE, b"<p>words</p>" * 30, 100, licence=f"{SITE}/l.xml")),
    record(Told(PAGE, b"", 99, status=301)),
    record(Told(PAGE, b"", 98, names=(PAGE, 100))),
    record(Told(PAGE, random.Random(3).randbytes(900), 97, digest=b"of other octets")),
    record(Told(PAGE, b"cut", 96, damage="member", at=0.5)),
    record(Told(PAGE, b"cut", 95, damage="unnamed")),
    gzip.compress(
        b"".join(map(gzip.decompress, (record(Told(URLS[1], BODIES[2], 90)), other("request", b"")))), mtime=0
    ),
    b"here is no member",
]
SPOILT = [
    b"\r\n",
    b"\n",
    b"\0",
    b" ",
    b":",
    b"WARC/1.0\r\n",
    b"\n ",
    b"\xff",
    members.MAGIC,
    b"HTTP/1.1 100 Go\r\n\r\n",
    b"HTTP/1.1 503 No\r\n\r\n",
]
Spoil = tuple[str, float, int]
SPOILS = st.lists(
    st.tuples(st.sampled_from(("change", "lose", "add", "cut")), st.floats(0, 1), st.integers(0, 255)), max_size=3
)


def spoilt(octets: bytes, spoils: list[Spoil]) -> bytes:
    """The octets with some of them changed, lost or added."""
    for how, share, what in spoils:
        at = int(len(octets) * share)
        if how == "change" and at < len(octets):
            octets = octets[:at] + bytes((octets[at] ^ (what or 1),)) + octets[at + 1 :]
        elif how == "lose":
            octets = octets[:at] + octets[at + 1 + what % 40 :]
        elif how == "add":
            octets = octets[:at] + SPOILT[what % len(SPOILT)] + octets[at:]
        elif how == "cut":
            octets = octets[: max(1, at)]
    return octets


def unpacked(part: bytes) -> bytes:
    """The octets of a member as far as there are any."""
    return zlib.decompressobj(31).decompress(part) if part.startswith(members.MAGIC) else part


def told(file: Path) -> list[Any]:
    """Everything that is told of a file, in order."""
    out: list[Any] = []
    for capture in read_warc(file, on_problem=out.append, on_revisit=out.append, on_whole=lambda: out.append("whole")):
        out.append((capture, capture.number, capture.digest))
    return out


SHORT_CUTS: list[tuple[Any, str, Any]] = [
    (_native, "gzip_member", lambda _, start, __: (None, start)),
    (members.Feed, "pass_over", lambda *_: 0),
    (members.Feed, "fields", lambda *_: None),
    (_native, "response_head", lambda *_: None),
]


def without_short_cuts(read: Callable[[Path], list[Any]], file: Path) -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, instead in SHORT_CUTS:
            patch.setattr(owner, name, instead)
        return read(file)


@given(
    order=st.lists(st.integers(0, len(PARTS) - 1), min_size=1, max_size=7),
    inside=SPOILS,
    outside=SPOILS,
    is_packed=st.booleans(),
    ahead=st.sampled_from((3, 60, 400, 1 << 20)),
)
def test_short_cuts_tell_the_same_of_spoilt_archives(
    order: list[int], inside: list[Spoil], outside: list[Spoil], ahead: int, *, is_packed: bool
) -> None:
    """Spoilt before they are packed and after it, whether members are as long as what is read ahead or not."""
    first, *others = (PARTS[number] for number in order)
    if inside:
        first = gzip.compress(spoilt(unpacked(first), inside), mtime=0)
    parts = [first, *others] if is_packed else map(unpacked, (first, *others))
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        file = Path(directory, "x.warc.gz")
        file.write_bytes(spoilt(b"".join(parts), outside))
        patch.setattr(members, "_AHEAD", ahead)
        assert told(file) == without_short_cuts(told, file)


@pytest.mark.parametrize("name", [name for _, name, _ in SHORT_CUTS])
def test_each_short_cut_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Else the law above compares nothing."""
    (tmp_path / "x.warc.gz").write_bytes(PARTS[1] + PARTS[4])
    ((owner, _, _),) = (one for one in SHORT_CUTS if one[1] == name)
    taken: list[Any] = []
    before = getattr(owner, name)

    def noted(*given: Any) -> Any:
        found = before(*given)
        taken.append(found[0] if name == "gzip_member" else found)
        return found

    monkeypatch.setattr(owner, name, noted)
    told(tmp_path / "x.warc.gz")
    assert taken
    assert all(taken)


def test_a_small_body_in_gzip_is_unpacked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.warc.gz").write_bytes(PARTS[5])
    monkeypatch.setattr(response, "Body", None)
    (capture,) = read_warc(tmp_path / "x.warc.gz")
    assert capture.body == b"<p>packed</p>" * 9


@pytest.mark.parametrize("behind", [b"", bytes(9), b"x", gzip.compress(b"more", mtime=0)])
@pytest.mark.parametrize("limit", [4, 5, 9, 1 << 20])
def test_a_body_in_gzip_is_the_same_at_once_and_in_pieces(behind: bytes, limit: int) -> None:
    """With padding, with other octets or a second member behind it, and longer than is asked for."""

    def decoded() -> object:
        try:
            return response.body_of(PAGE, 200, (("Content-Encoding", "gzip"),), gzip.compress(b"words") + behind, limit)
        except UnreadableError as error:
            return str(error)

    at_once = decoded()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_native, "gzip_member", lambda _, start, __: (None, start))
        assert decoded() == at_once


def damages(octets: bytes) -> Iterator[bytes]:
    yield from (octets[:at] for at in range(len(octets)))
    for at in range(len(octets)):
        for bit in range(8) if at_length() else (at % 8,):
            yield octets[:at] + bytes((octets[at] ^ (1 << bit),)) + octets[at + 1 :]


@pytest.mark.parametrize("level", [0, 1, 9])
@pytest.mark.parametrize("flags", [0, 0b11110])
def test_a_member_is_whole_where_zlib_says_so(level: int, flags: int) -> None:
    """Cut anywhere, with any octet changed, and with other octets behind it; with all fields of a header."""
    body = b"User-agent: *\r\nDisallow: /\r\n" * 9 + random.Random(5).randbytes(40)
    packer = zlib.compressobj(level, wbits=-15)
    fields = bytes((31, 139, 8, flags, 0, 0, 0, 0, 0, 255))
    if flags:
        fields += b"\x02\0xxname\0said\0"
        fields += (zlib.crc32(fields) & 0xFFFF).to_bytes(2, "little")
    ends = zlib.crc32(body).to_bytes(4, "little") + len(body).to_bytes(4, "little")
    member = fields + packer.compress(body) + packer.flush() + ends
    assert _native.gzip_member(b"12" + member + b"3", 2, 1 << 20) == (body, 2 + len(member))
    for octets in damages(member):
        found, end = _native.gzip_member(octets + b"behind", 0, 1 << 20)
        pack = zlib.decompressobj(31)
        try:
            wanted = pack.decompress(octets + b"behind")
        except zlib.error:
            assert found is None
            continue
        assert (found, end) == (
            (wanted, len(octets) + 6 - len(pack.unused_data)) if pack.eof else (None, len(octets) + 6)
        )


@pytest.mark.parametrize("most", [0, 1, 4095, 4096, 4097, 99_999])
def test_a_member_that_unpacks_to_more_is_not_unpacked_at_once(most: int) -> None:
    packed = gzip.compress(bytes(100_000))
    octets, end = _native.gzip_member(packed, 0, most)
    assert octets is None
    assert end <= len(packed)
    assert _native.gzip_member(packed, 0, 100_000) == (bytes(100_000), len(packed))


@given(
    st.lists(
        st.sampled_from(
            ("robots.txt", "/", "..", ".", "%72obots.txt", "robots", ".txt", "\\", "?", "#", "@", "\t", "é", " ")
        ),
        max_size=5,
    )
)
def test_the_url_of_a_robots_txt_is_known_as_its_one_form_is(rest: list[str]) -> None:
    """Most URLs are known to be of none without that form."""
    url = f"http://a.example/{''.join(rest)}"
    try:
        wanted = normal(url) == robots_url(url)
    except ValueError:
        wanted = False
    assert is_robots_url(url) is wanted


@given(
    st.lists(
        st.sampled_from(
            ("robots.txt", "ai.txt", ".well-known", "tdmrep.json", "/", "..", ".", "%2e", "%61i.txt", "?", "#", "é")
        ),
        max_size=6,
    )
)
def test_the_url_of_a_document_of_a_site_is_known_by_its_end(rest: list[str]) -> None:
    """Most URLs that are asked for are known to be of none without their parts."""
    key = normal(f"http://a.example/{''.join(rest)}")
    assert shelf._is_of_site(key) is (key == robots_url(key) or is_own_document(key))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_large_record_is_in_memory_twice_at_most(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """As its block and as its body; what it is gathered from has gone by then."""
    body = b"<p>words and more words" * 500_000
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    fields = _FIELDS.format("response", PAGE, date(100), "", len(block)).encode()
    (tmp_path / "x.warc").write_bytes(pack(fields + block + b"\r\n\r\n"))
    tracemalloc.start()
    try:
        (capture,) = read_warc(tmp_path / "x.warc")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert capture.body == body
    assert peak < 2.4 * len(body)

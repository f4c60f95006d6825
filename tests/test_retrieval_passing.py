"""Bodies that pass by are known to be whole, or not to be."""

from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib
from functools import cache

import pytest

from acap.retrieval.passing import MAX_OCTETS, Passing
from tests.codings import CODINGS

OCTETS = b"words " * 3000 + random.Random(1).randbytes(200_000)
FEW = b"words " * 300 + random.Random(1).randbytes(20_000)
"""Of those that come one by one."""


@cache
def coded_as(coding: str, octets: bytes) -> bytes:
    return CODINGS[coding](octets)


def passed(coding: str, octets: bytes, step: int = 4096, *more: tuple[str, str]) -> Passing:
    passing = Passing(200, (("Content-Encoding", coding), *more))
    for start in range(0, len(octets), step):
        passing.feed(octets[start : start + step])
    return passing


@pytest.mark.parametrize("coding", CODINGS)
def test_a_body_is_whole_as_long_as_it_was_made(coding: str) -> None:
    """However its octets come, and whatever is cut of it."""
    coded = coded_as(coding, OCTETS)
    for octets, step in ((FEW, 1), (FEW, 7), (OCTETS, 65_536), (OCTETS, len(coded))):
        passing = passed(coding, coded_as(coding, octets), step)
        assert passing.fault() == ""
        assert passing.decoded in (len(octets), None)
    for length in (*range(1, 40), len(coded) // 2, *range(len(coded) - 12, len(coded))):
        assert passed(coding, coded[:length]).fault(), length


FRAME = bytes.fromhex("28b52ffd")


def blocks(*parts: tuple[int, bytes]) -> bytes:
    """Blocks of zstd by their types, the last one marked (RFC 8878 3.1.1.2)."""
    out = b""
    for number, (kind, octets) in enumerate(parts):
        size = 9 if kind == 1 else len(octets)
        out += (size << 3 | kind << 1 | (number == len(parts) - 1)).to_bytes(3, "little") + octets
    return out


@pytest.mark.parametrize(
    "body",
    [
        FRAME + b"\x00\x58" + blocks((0, b"abc")),
        FRAME + b"\x24\x03" + blocks((0, b"abc")) + b"sums",
        FRAME + b"\x00\x58" + blocks((1, b"a"), (0, b""), (2, b"packed")),
        FRAME + b"\xc3\x58" + b"dict" + b"eight of" + blocks((0, b"")),
        b"\x5f\x2a\x4d\x18\x02\0\0\0xx" + FRAME + b"\x60\x01\x02" + blocks((0, b"abc")),
    ],
    ids=["window", "single and checksum", "blocks", "dictionary and size", "skipped first"],
)
def test_a_zstd_body_ends_where_its_lengths_say(body: bytes) -> None:
    """Of nothing that it holds need be decoded to know it."""
    for step in (1, 3, len(body)):
        assert passed("zstd", body, step).fault() == ""
        assert passed("zstd", body + b"\x50\x2a\x4d\x18\0\0\0\0", step).fault() == ""
        for length in range(1, len(body)):
            assert passed("zstd", body[:length], step).fault() == "the coded body is not complete", length


@pytest.mark.parametrize("body", [b"<p>Words", FRAME + b"\x00\x58\x07\0\0", FRAME + b"\x20\0\1\0\0<p>More"])
def test_what_is_no_zstd_is_a_doubt(body: bytes) -> None:
    """Text, a reserved block, text behind a frame."""
    assert "the zstd body is broken" in passed("zstd", body).fault()


@pytest.mark.parametrize("coding", ["compress", "gzip, br", "gzip, gzip", "aes128gcm"])
def test_a_coding_that_is_not_known_here_is_a_doubt(coding: str) -> None:
    """So are several: nobody looked into them."""
    assert passed(coding, gzip.compress(OCTETS)).fault() == f"a body coded as `{coding}` was not asked for"


def test_a_body_that_is_not_in_its_coding_is_a_doubt() -> None:
    """Some clients take it as it is."""
    assert "broken" in passed("gzip", b"<p>Words").fault()
    assert "broken" in passed("gzip", gzip.compress(OCTETS)[:-8] + b"\0" * 8).fault()


@pytest.mark.parametrize("coding", CODINGS)
def test_a_body_with_more_behind_its_end_than_padding_is_a_doubt(coding: str) -> None:
    """That was more of the body, which broke on its way."""
    for octets, step in ((FEW, 1), (FEW, 7), (OCTETS, 10**9)):
        coded = coded_as(coding, octets)
        for more in (b"x", b"\x1f", b"\0" + coded[1:]):
            assert passed(coding, coded + more, step).fault(), (step, more[:2])


@pytest.mark.parametrize(("length", "whole"), [("8", True), ("9", False), ("many", False)])
def test_the_length_is_that_of_what_came(length: str, whole: bool) -> None:
    """Coded or not: it counts octets as they come over the wire."""
    assert (passed("identity", b"<p>Words", 4096, ("Content-Length", length)).fault() == "") is whole
    packed = gzip.compress(b"<p>Words")
    assert passed("gzip", packed, 4096, ("Content-Length", str(len(packed)))).fault() == ""
    assert passed("gzip", packed, 4096, ("Content-Length", str(len(packed) + 1))).fault()


def test_a_bomb_is_a_doubt_and_costs_little() -> None:
    """What lies beyond the limit is not looked at, and nothing of what came is held."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    zeros = bytes(2**20)
    bomb = b"".join(packer.compress(zeros) for _ in range(2 * MAX_OCTETS // len(zeros))) + packer.flush()
    tracemalloc.start()
    passing = passed("gzip", bomb, len(bomb))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "beyond" in passing.fault()
    assert peak < MAX_OCTETS

"""Bodies are decoded within bounds, and a body that cannot be read whole is no body."""

from __future__ import annotations

import gzip
import importlib
import tracemalloc
import zlib
from collections.abc import Iterable
from importlib.util import find_spec

import pytest

from acap.retrieval.body import OVERHEAD_OCTETS, Body, CodingError, CutBodyError, check_whole, offered

TEXT = b"User-agent: *\nDisallow: /x\n" * 40
LIMIT = 4096


def bare_deflate(octets: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(octets) + packer.flush()


MEMBER = gzip.compress(b"Disallow: /\n")
BROKEN_MEMBERS = (MEMBER[:1], MEMBER[:9], b"\x1f\x8c" + MEMBER[2:], b"\0" + MEMBER[1:], b"\0" + MEMBER)
ENDED = (("gzip", gzip.compress(TEXT)), ("deflate", zlib.compress(TEXT)), ("deflate", bare_deflate(TEXT)))


def read(coded: bytes, coding: str = "", limit: int = LIMIT, step: int = 7) -> tuple[bytes, bool]:
    body = Body([coding] if coding else [], limit)
    for start in range(0, len(coded), step):
        if not body.feed(coded[start : start + step]):
            break
    return body.finish()


@pytest.mark.parametrize(
    ("coding", "coded"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("GZIP", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:])),
        ("gzip", gzip.compress(TEXT) + b"\0" * 20),
        ("deflate", zlib.compress(TEXT) + b"\0" * 20),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", bare_deflate(TEXT)),
        ("identity, gzip", gzip.compress(TEXT)),
    ],
)
@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_each_coding_is_decoded_however_it_arrives(coding: str, coded: bytes, step: int) -> None:
    assert read(coded, coding, step=step) == (TEXT, False)


def test_brotli_is_offered_and_decoded_within_bounds_or_not_at_all() -> None:
    coding = "br"
    if find_spec("brotli") is None:
        assert coding not in offered()
        with pytest.raises(CodingError, match="not asked for"):
            Body([coding], LIMIT)
        return
    brotli = importlib.import_module("brotli")
    assert coding in offered()
    for step in (1, 7, 100_000):
        assert read(brotli.compress(TEXT), coding, step=step) == (TEXT, False)
        assert read(brotli.compress(b"\n" * 5_000_000), coding, step=step) == (b"\n" * LIMIT, True)
    with pytest.raises(CutBodyError):
        read(brotli.compress(TEXT)[:-3], coding)
    with pytest.raises(CodingError):
        read(b"\xff" * 100, coding)


def test_an_empty_body_is_empty_in_any_coding() -> None:
    assert read(b"", "gzip") == (b"", False)


@pytest.mark.parametrize("codings", [["zstd"], ["compress"], ["gzip, gzip"], ["gzip", "br"], ["utf-8"], ["none"]])
def test_codings_that_were_not_offered_are_refused(codings: list[str]) -> None:
    with pytest.raises(CodingError, match="not asked for"):
        Body(codings, LIMIT)


@pytest.mark.parametrize(
    ("coding", "coded"),
    [("gzip", TEXT), ("deflate", b"\x78\x9c" + TEXT), ("gzip", gzip.compress(TEXT)[:-8] + b"\0" * 8)],
)
def test_broken_coding_is_refused(coding: str, coded: bytes) -> None:
    with pytest.raises(CodingError, match="broken"):
        read(coded, coding)


@pytest.mark.parametrize(
    ("coding", "coded"),
    [
        ("gzip", gzip.compress(TEXT)[:-1]),
        ("gzip", gzip.compress(TEXT)[:12]),
        ("gzip", b"\x1f"),
        *(("gzip", gzip.compress(TEXT) + rest) for rest in BROKEN_MEMBERS),
        *((coding, coded + rest) for coding, coded in ENDED for rest in (b"x", b"\0x", b"x\0", zlib.compress(TEXT))),
        ("deflate", zlib.compress(TEXT)[:-1]),
        ("deflate", b"\x78"),
    ],
)
@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_a_coded_body_that_ends_too_early_is_cut(coding: str, coded: bytes, step: int) -> None:
    """Nor is one whole that has more behind its end than padding: that was a member, or part of one."""
    with pytest.raises(CutBodyError):
        read(coded, coding, step=step)


def bomb(octets: int) -> Iterable[bytes]:
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    for _ in range(octets // 2**20):
        yield packer.compress(b"\n" * 2**20)
    yield packer.flush()


def test_a_bomb_costs_what_the_limit_allows() -> None:
    """100 MiB in 100 KiB, fed in one piece: neither the octets nor the memory pass the limit by much."""
    coded = b"".join(bomb(100 * 2**20))
    body = Body(["gzip"], 2**20)
    tracemalloc.start()
    try:
        assert not body.feed(coded)
        octets, cut = body.finish()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(octets), cut) == (2**20, True)
    assert peak < 8 * 2**20


def test_a_coded_body_that_yields_nothing_is_bounded_too() -> None:
    body = Body(["gzip"], LIMIT)
    body.feed(gzip.compress(b"") * 3000)
    with pytest.raises(CodingError, match="yielded only 0"):
        body.feed(gzip.compress(b"") * (OVERHEAD_OCTETS // 20))


def test_a_body_at_the_limit_is_whole_and_one_octet_more_is_cut() -> None:
    assert read(b"x" * LIMIT) == (b"x" * LIMIT, False)
    assert read(b"x" * (LIMIT + 1)) == (b"x" * LIMIT, True)


def test_the_line_that_the_limit_cuts_is_dropped() -> None:
    """`Allow: /private-not` cut to `Allow: /` would permit what nobody permitted."""
    text = b"Disallow: /\nAllow: /public"
    assert read(text, limit=len(text) - 6) == (b"Disallow: /\n", True)


def test_only_codings_that_are_bounded_are_offered() -> None:
    assert offered() in ("gzip", "gzip, br")


@pytest.mark.parametrize(
    ("status", "headers", "received", "whole"),
    [
        (200, (), 5, True),
        (200, (), 0, True),
        (200, (("Content-Length", "5"),), 5, True),
        (200, (("content-length", "5"), ("Content-Length", "5, 5")), 5, True),
        (200, (("Content-Length", "5"),), 9, True),  # an archive may keep it decoded
        (200, (("Content-Length", "5"),), 4, False),
        (200, (("Content-Length", "5"),), 0, False),
        (404, (("Content-Length", "5"),), 0, False),
        (200, (("Content-Length", "3, 5"),), 4, False),
        (200, (("Content-Length", "five"),), 5, False),
        (200, (("Content-Length", ""),), 5, False),
        (200, (("Content-Length", "-1"),), 5, False),
        (200, (("Content-Length", "9" * 5_000),), 5, False),
        (200, (("Content-Length", "5"), ("Transfer-Encoding", "chunked")), 4, True),  # RFC 9112 6.3
        (200, (("Content-Length", "5"), ("Transfer-Encoding", "identity")), 4, False),
        (200, (("Content-Length", "5"), ("Transfer-Encoding", "")), 4, False),
        (200, (("Content-Length", "5"), ("Transfer-Encoding", "identity, chunked")), 4, True),
        (200, (("Content-Length", "5"), ("Transfer-Encoding", "chunked, identity")), 5, True),
        (200, (("Transfer-Encoding", "gzip, chunked"),), 5, False),
        (200, (("Transfer-Encoding", "chunked, gzip"),), 5, False),
        (200, (("Transfer-Encoding", "x"), ("Content-Length", "5")), 5, False),
        (200, (("Content-Encoding", "gzip"),), 0, False),
        (200, (("Content-Encoding", "gzip"), ("Content-Length", "0")), 0, True),
        (200, (("Content-Encoding", "identity"),), 0, True),
        (304, (("Content-Length", "5"),), 0, True),
    ],
)
def test_a_body_is_whole_by_what_its_response_said(
    status: int, headers: tuple[tuple[str, str], ...], received: int, whole: bool
) -> None:
    """Fewer octets than were said, or a length that nobody can read: the rest may have prohibited."""
    if whole:
        check_whole(status, headers, received, is_unchunked=True)
    else:
        with pytest.raises(CutBodyError):
            check_whole(status, headers, received, is_unchunked=True)


@pytest.mark.parametrize(("length", "whole"), [(4, True), (5, False)])
def test_chunks_that_nobody_took_apart_void_no_length(length: int, whole: bool) -> None:
    """`chunked` beside octets that have no chunks: the length is all there is to go by."""
    headers = (("Transfer-Encoding", "chunked"), ("Content-Length", str(length)))
    check_whole(200, headers, 4, is_unchunked=True)
    if whole:
        check_whole(200, headers, 4, is_unchunked=False)
    else:
        with pytest.raises(CutBodyError):
            check_whole(200, headers, 4, is_unchunked=False)

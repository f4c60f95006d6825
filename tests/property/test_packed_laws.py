"""A file in a coding that nobody named is never looser than the text in it; asked of both engines."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acap import _native
from tests.codings import CODINGS
from tests.property import strategies
from tests.property.engines import REFUSED, Engine, by_native, by_reference
from tests.property.strategies import Case, Line, Question

ENGINES = pytest.mark.parametrize("engine", [by_native, by_reference])
DIALECTS = ("auto", "rfc9309", "rep-1994", "norobots-1996", "robots-2.0")
LEADS = (b"", b"", b"", b"\n", b" \r\n\t", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf")
UNSEEN = tuple(one.encode() for one in ("\ufeff", "\ufeff\ufeff", "\u200b", "\u00a0", "\u2060", "\u00ad", "\u00a0 "))
PLAIN = b"User-agent: *\nDisallow: /\n"
LEVELS = range(10)
Pack = Callable[[bytes, Random], bytes]


def raw_deflate(octets: bytes, random: Random) -> bytes:
    """Bare deflate."""
    stream = zlib.compressobj(random.choice(LEVELS), zlib.DEFLATED, -random.randint(9, 15))
    return stream.compress(octets) + stream.flush()


def zlib_of_any_window(octets: bytes, random: Random) -> bytes:
    """The zlib format, with any window."""
    stream = zlib.compressobj(random.choice(LEVELS), zlib.DEFLATED, random.randint(9, 15))
    return stream.compress(octets) + stream.flush()


def tar(octets: bytes, random: Random) -> bytes:
    """An archive of one file."""
    out = io.BytesIO()
    kind = random.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    with tarfile.open(fileobj=out, mode="w", format=kind) as archive:
        member = tarfile.TarInfo("robots.txt")
        member.size = len(octets)
        archive.addfile(member, io.BytesIO(octets))
    return out.getvalue()


def lz4_frame(octets: bytes, random: Random) -> bytes:
    """A frame of LZ4 with one block as it is, or with one run of literals."""
    if random.random() < 0.5:
        block, size = octets, len(octets) | 1 << 31
    else:
        long, rest = divmod(max(0, len(octets) - 15), 255)
        token = bytes([min(len(octets), 15) << 4])
        block = token + (b"\xff" * long + bytes([rest]) if len(octets) >= 15 else b"") + octets
        size = len(block)
    return b"\x04\x22\x4d\x18\x60\x40\x82" + size.to_bytes(4, "little") + block + bytes(4)


def snappy_frame(octets: bytes, random: Random) -> bytes:
    """A stream of Snappy with one chunk as it is."""
    chunk = random.randbytes(4) + octets
    return b"\xff\x06\x00\x00sNaPpY\x01" + len(chunk).to_bytes(3, "little") + chunk


def zstd_skipped(octets: bytes, random: Random) -> bytes:
    """A frame of Zstandard to skip, and one with a block as it is."""
    skipped = bytes([0x50 + random.randrange(16)]) + b"\x2a\x4d\x18" + (4).to_bytes(4, "little") + random.randbytes(4)
    block = (len(octets) << 3 | 1).to_bytes(3, "little") + octets
    return skipped + b"\x28\xb5\x2f\xfd\xa0" + len(octets).to_bytes(4, "little") + block


def stored_zip(octets: bytes, random: Random) -> bytes:
    """The beginning of a member that a ZIP stores; archives in several parts begin with a mark of their own."""
    sizes = zlib.crc32(octets).to_bytes(4, "little") + 2 * len(octets).to_bytes(4, "little")
    head = b"PK\x03\x04\x0a" + bytes(9) + sizes + b"\x0a\x00\x00\x00robots.txt"
    return random.choice((b"", b"PK00")) + head + octets


def encoded(encoding: str) -> Pack:
    """An encoding, without a mark."""
    return lambda octets, _: octets.decode().encode(encoding)


MOST = settings().max_examples
FEW = settings(max_examples=MOST if MOST > 100 else MOST // 5)
"""Every packing tries the same law: of each a fifth of the examples, but where laws are tried at length."""

PACKS: dict[str, Pack] = {
    "zlib": zlib_of_any_window,
    "deflate": raw_deflate,
    "gzip": lambda octets, random: gzip.compress(octets, random.choice(LEVELS), mtime=random.choice((0, 1767225600))),
    "bzip2": lambda octets, _: bz2.compress(octets),
    "xz": lambda octets, _: lzma.compress(octets),
    "lzma": lambda octets, _: lzma.compress(octets, format=lzma.FORMAT_ALONE),
    "tar": tar,
    "lz4": lz4_frame,
    "snappy": snappy_frame,
    "zstd, skipped": zstd_skipped,
    "zip": stored_zip,
    "utf-16-le": encoded("utf-16-le"),
    "utf-16-be": encoded("utf-16-be"),
    "utf-32-le": encoded("utf-32-le"),
    "utf-32-be": encoded("utf-32-be"),
    "utf-32-be, marked": lambda octets, _: b"\x00\x00\xfe\xff" + octets.decode().encode("utf-32-be"),
    "utf-32-le, marked": lambda octets, _: b"\xff\xfe\x00\x00" + octets.decode().encode("utf-32-le"),
}
if "br" in CODINGS:

    def brotli(octets: bytes, random: Random) -> bytes:
        """Brotli of any quality and window."""
        compress: Callable[..., bytes] = import_module("brotli").compress
        return compress(octets, quality=random.randrange(12), lgwin=random.randint(10, 24))

    PACKS["br"] = brotli
if "zstd" in CODINGS:
    PACKS["zstd"] = lambda octets, _: CODINGS["zstd"](octets)


def in_words(random: Random) -> bytes:
    """A small robots.txt of conventional lines."""
    lines = [random.choice(("", "# who may come", "Sitemap: https://h.example/s.xml", "Welcome"))]
    for _ in range(random.randint(1, 3)):
        lines += [f"User-agent: {random.choice(('*', 'bot', 'other'))}" for _ in range(random.randint(1, 2))]
        lines += [
            random.choice(("Disallow: /", "Disallow: /a", "Allow: /a/b", "")) for _ in range(random.randint(1, 3))
        ]
        lines += [random.choice(("", "Content-Signal: ai-train=no", "##ACAP version=1.0"))]
    text = "\n".join(lines[random.randrange(2) :])
    return text.encode() + random.choice((b"\n", b"\n", b""))


def is_not_looser(engine: Engine, case: Case, octets: bytes) -> None:
    """Fails where octets permit what the text of a case prohibits."""
    packed = replace(case, lines=(Line(octets),), line_end=b"")
    for whole, other in zip(engine(case), engine(packed), strict=True):
        # What only the text defines nobody can ask of what hides it.
        assert whole.outcome != "prohibited" or other == REFUSED or other.outcome == "prohibited", (case, packed)


QUESTIONS = tuple(Question(path, "bot", usage) for path in ("/a", "/b") for usage in ("crawl", "ai-train", "index"))


def conventional(random: Random) -> Case:
    """A robots.txt of conventional lines, and questions on it."""
    return Case(lines=(Line(in_words(random)),), line_end=b"", dialect=random.choice(DIALECTS), questions=QUESTIONS)


def read_as_text(case: Case) -> Case:
    """The case with its text alone, in UTF-8, every limit aside."""
    text = replace(case, prefix=b"", encoding="", suffix=b"").octets.decode("utf-8", "ignore").encode()
    dialect = "auto" if case.dialect == "google" else case.dialect
    case = replace(case, prefix=b"", encoding="", suffix=b"", limits=None, line_end=b"")
    return replace(case, lines=(Line(text),), dialect=dialect)


@ENGINES
@pytest.mark.parametrize("pack", PACKS)
@FEW
@given(random=st.randoms(use_true_random=False))
def test_a_packed_file_permits_nothing_that_the_text_in_it_prohibits(engine: Engine, pack: str, random: Random) -> None:
    """Where a text prohibits, what it is packed in prohibits too, behind blanks and marks as well."""
    case = conventional(random)
    is_not_looser(engine, case, random.choice(LEADS) + PACKS[pack](case.octets, random))


@ENGINES
@pytest.mark.parametrize("pack", PACKS)
@FEW
@given(case=strategies.cases().map(read_as_text), random=st.randoms(use_true_random=False))
def test_a_packed_file_of_acap_permits_nothing_that_the_text_in_it_prohibits(
    engine: Engine, pack: str, case: Case, random: Random
) -> None:
    """The same of policies with records of ACAP, definitions and references."""
    is_not_looser(engine, case, random.choice(LEADS) + PACKS[pack](case.octets, random))


@pytest.mark.parametrize("pack", PACKS)
@FEW
@given(random=st.randoms(use_true_random=False))
def test_both_engines_read_packed_files_alike(pack: str, random: Random) -> None:
    """Native core and reference answer alike of packed files."""
    case = conventional(random)
    packed = replace(case, lines=(Line(random.choice(LEADS) + PACKS[pack](case.octets, random)),))
    assert by_native(packed) == by_reference(packed), packed


@ENGINES
@given(random=st.randoms(use_true_random=False))
def test_characters_that_nobody_sees_before_a_name_make_no_answer_looser(engine: Engine, random: Random) -> None:
    """Before the names of fields they take no prohibition away."""
    case = conventional(random)
    lines = case.octets.split(b"\n")
    fields = (b"User", b"Disallow", b"Content")
    marked = [random.choice((b"", *UNSEEN)) + line if line.startswith(fields) else line for line in lines]
    is_not_looser(engine, case, b"\n".join(marked))


@ENGINES
@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_permission_behind_what_nobody_sees_is_none(engine: Engine, unseen: bytes, dialect: str) -> None:
    """An Allow whose name stands behind such a character lifts nothing."""
    text = b"User-agent: *\n" + unseen + b"Allow: /a\nDisallow: /\n"
    case = Case(lines=(Line(text),), line_end=b"", dialect=dialect, questions=(Question("/a", "bot"),))
    assert [answer.outcome for answer in engine(case)] == ["prohibited"]


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("pack", PACKS)
def test_a_packed_file_is_no_robots_txt(pack: str, lead: bytes) -> None:
    """What is packed is told to be no text, so that it takes no good copy's place."""
    for seed in range(20):
        octets = lead + PACKS[pack](PLAIN, Random(seed))
        assert _native.unreadable(octets), octets
        assert not _native.is_robots(octets), octets

"""Laws of reading tables of lines: whatever is in them, parts have the rows of the file, each once, and what cannot be
read is told and permits nothing."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acap.audits import inputs
from acap.audits.inputs import InputPart, parts_of, resources
from acap.audits.rows import AuditedResource

Form = Literal["csv", "jsonl"]

_ENDS = st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b"\n\r", b""])
_VALUES = st.one_of(
    st.sampled_from([
        b"https://a.example/", b"https://a.example/\xff", b"\xef\xbb\xbf", b"\x00", b"a\x00b", b"\xc3", b"\xf0\x9f\x92",
        b"x" * 70, b"x" * 300, b"\xff\xfeu\x00r\x00l\x00",
        b"<meta name=robots content=noindex,nofollow>", b"\xe2\x80\xa8",
        b"", b" ", b"2026-01-01", b"200", b"-", b"\x1a", b"\x1f\x8b\x08",
    ]),
    st.binary(max_size=12),
)  # fmt: skip


def _quoted(value: bytes) -> bytes:
    return b'"' + value.replace(b'"', b'""') + b'"'


_CSV_FIELDS = st.one_of(
    _VALUES,
    st.lists(_VALUES, max_size=3).map(lambda some: _quoted(b"\n".join(some))),
    st.lists(_VALUES, max_size=3).map(lambda some: _quoted(b'",\r\n'.join(some))),
    _VALUES.map(lambda one: b'"' + one),  # nothing closes it
    _VALUES.map(lambda one: _quoted(one) + b"x"),
)
_CSV_ROWS = st.lists(_CSV_FIELDS, max_size=4).map(b",".join)
_JSON_ROWS = st.one_of(
    _VALUES,
    _VALUES.map(lambda one: json.dumps({"url": one.decode("latin-1"), "status": 200}).encode()),
    _VALUES.map(lambda one: b'{"url": "' + one + b'"}'),
    _VALUES.map(lambda one: b'{"url": "https://a.example/", "content": "' + one + b'"'),
    st.sampled_from([b'{"url": "\\ud800"}', b"[1]", b"null", b"[" * 60, b'{"url": 1e400}', b'{"status": NaN}']),
)


@st.composite
def _files(draw: st.DrawFn, form: Form) -> bytes:
    """A file of lines: perhaps with a mark before it, perhaps without an end. CSV without URLs is refused."""
    rows = draw(st.lists(st.tuples(_CSV_ROWS if form == "csv" else _JSON_ROWS, _ENDS), max_size=12))
    header = draw(st.sampled_from([b"url,content\n", b"\n\nurl,content,status\r\n", b'"url","a\nb"\n']))
    mark = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return mark + (header if form == "csv" else b"") + b"".join(row + end for row, end in rows)


@contextmanager
def _bounds(**values: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setattr(inputs, name, value)
        yield


def _read(parts: list[InputPart]) -> tuple[list[AuditedResource], list[str]]:
    told: list[str] = []
    return [one for part in parts for one in resources(part, told.append)], told


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@given(data=st.data(), part=st.integers(1, 200), piece=st.integers(1, 64), longest=st.sampled_from([64, 1 << 20]))
def test_parts_have_the_rows_of_the_file(
    form: Form, data: st.DataObject, part: int, piece: int, longest: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In whatever parts and pieces it is read: the same rows in the same order, and the same problems by line."""
    octets = data.draw(_files(form))
    file = tmp_path_factory.getbasetemp() / f"laws.{form}"
    file.write_bytes(octets)
    with _bounds(_LONGEST=longest):
        whole = _read([InputPart(file, form)])
        with _bounds(PART=part, _PIECE=piece):
            parts = parts_of([file])
            assert _read(parts) == whole
    spans = [one.span or (0, len(octets)) for one in parts]
    assert [offset for offset, _ in spans] == [0, *(offset + length for offset, length in spans[:-1])]
    assert sum(length for _, length in spans) == len(octets)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@given(data=st.data(), cuts=st.lists(st.integers(0, 400), max_size=3), level=st.integers(0, 9))
def test_packed_in_any_members_it_is_the_same(
    form: Form, data: st.DataObject, cuts: list[int], level: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """gzip of several members, with zeros behind them, has the rows of what is in it."""
    octets = data.draw(_files(form))
    places = sorted({0, *(min(cut, len(octets)) for cut in cuts), len(octets)})
    members = [octets[a:b] for a, b in pairwise(places)] or [b""]
    file = tmp_path_factory.getbasetemp() / f"packed.{form}"
    file.write_bytes(octets)
    packed = file.with_name(file.name + ".gz")
    packed.write_bytes(b"".join(gzip.compress(one, level) for one in members) + bytes(level))
    found, told = _read(parts_of([packed]))
    plain, of_plain = _read(parts_of([file]))
    assert found == plain
    assert [one.replace(f"{file.name}.gz", file.name) for one in told] == of_plain


@given(rows=st.integers(1, 400), lost=st.integers(1, 60))
def test_of_a_cut_gzip_the_rows_before_the_cut_are_read_and_the_cut_is_told(
    rows: int, lost: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No row is half read: those that are there are the first of the file."""
    lines = [json.dumps({"url": f"https://a.example/{n}", "content": "x" * (n % 7)}) + "\n" for n in range(rows)]
    packed = gzip.compress("".join(lines).encode(), 0)  # not shrunk, so that what is lost is at the end
    file = tmp_path_factory.getbasetemp() / "cut.jsonl.gz"
    file.write_bytes(packed[: max(12, len(packed) - lost)])
    found, told = _read(parts_of([file]))
    assert [one.url for one in found] == [f"https://a.example/{n}" for n in range(len(found))]
    assert len(found) >= rows - lost - 2
    assert len(told) == 1
    assert "nothing from here on could be read" in told[0]
    assert f"line {len(found) + 1}: " in told[0]


def _csv(tmp_path: Path, text: bytes) -> tuple[list[AuditedResource], list[str]]:
    (tmp_path / "a.csv").write_bytes(text)
    return _read([InputPart(tmp_path / "a.csv", "csv")])


def test_a_row_with_more_fields_than_the_header_is_a_doubt(tmp_path: Path) -> None:
    """A comma that nobody quoted cuts `noindex,nofollow`; empty fields at the end are nothing."""
    rows = (
        b"https://a.example/,<meta name=robots content='index,noindex'>\nhttps://b.example/,x,,\nhttps://c.example/\n"
    )
    found, told = _csv(tmp_path, b"url,content\n" + rows)
    assert [(one.url[8], one.unreadable) for one in found] == [
        ("a", "its row has more fields than the header"),
        ("b", ""),
        ("c", "its row has fewer fields than the header"),
    ]
    assert told == []


def test_a_row_of_json_that_says_something_twice_is_a_doubt(tmp_path: Path) -> None:
    """Of two contents the second does not hide the first; a row of two URLs is of nobody knows which page."""
    rows = [
        '{"url": "https://a.example/", "content": "<meta name=robots content=noindex>", "content": ""}',
        '{"url": "https://b.example/", "content": "<meta name=robots content=noindex>", "Content": ""}',
        '{"url": "https://c.example/", "headers": {"X-Robots-Tag": "noindex", "X-Robots-Tag": "all"}}',
        '{"url": "https://d.example/", "note": 1, "note": 2}',
        '{"url": "https://e.example/", "url": "https://f.example/"}',
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(rows) + "\n")
    found, told = _read([InputPart(tmp_path / "a.jsonl", "jsonl")])
    assert [(one.url[8], one.unreadable) for one in found] == [
        ("a", "its row has the member `content` twice"),
        ("b", "its row has the member `content` twice"),
        ("c", ""),
        ("d", ""),
    ]
    assert found[2].headers == (("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "all"))
    assert [one.partition(": ")[2] for one in told] == ["line 5: it has the member `url` twice"]
    line = 'com,example)/ 20260101000000 {"url": "https://a.example/", "status": "200", "status": "404"}\n'
    (tmp_path / "a.cdxj").write_text(line)
    found, _ = _read([InputPart(tmp_path / "a.cdxj", "cdx")])
    assert [one.unreadable for one in found] == ["its row has the member `status` twice"]


@pytest.mark.parametrize("before", [b"", b"<p>\n", b"x\n" * 40])
def test_a_line_that_is_too_long_takes_its_row_with_it(before: bytes, tmp_path: Path) -> None:
    """The part of a cell that was left out may have prohibited: no row without it is judged."""
    cell = before + b"<meta name=robots content=noindex>" + b"x" * 100 + b"\n</p>"
    rows = b'https://a.example/,"' + cell + b'"\nhttps://b.example/,y\n'
    with _bounds(_LONGEST=64):
        found, told = _csv(tmp_path, b"url,content\n" + rows)
    assert [one.url for one in found if one.url.startswith("https://")] in ([], ["https://b.example/"])
    assert all(one.octets is None or b"noindex" not in one.octets for one in found)
    assert re.search(r"it is longer than 64 octets|field larger than field limit", told[0])


def test_a_quotation_mark_that_nothing_closes_is_bounded(tmp_path: Path) -> None:
    """It is told, and the lines behind the bound are rows again."""
    rows = b'https://a.example/,"' + b"z\n" * 100 + b"https://b.example/,y\n"
    with _bounds(_LONGEST=64):
        found, told = _csv(tmp_path, b"url,content\n" + rows)
    assert "https://a.example/" not in [one.url for one in found]
    assert found[-1].url == "https://b.example/"
    assert any("field larger than field limit" in one for one in told)


def test_the_limit_of_fields_is_as_the_program_set_it(tmp_path: Path) -> None:
    """It is one for the whole process: no reading of a table, whole or left half-way, moves it for others."""
    before = csv.field_size_limit(77)
    try:
        file = tmp_path / "a.csv"
        file.write_bytes(b"url,content\nhttps://a.example/," + b"x" * 100_000 + b"\nhttps://b.example/,y\n")
        rows = resources(InputPart(file, "csv"), lambda _: None)
        assert (first := next(iter(rows)).octets) is not None
        assert first.endswith(b"x" * 100_000)
        assert csv.field_size_limit() == 77
        assert len(list(rows)) == 1
        assert csv.field_size_limit() == 77
    finally:
        csv.field_size_limit(before)

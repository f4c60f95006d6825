"""A table of robots.txt files says the same to an audit, a table of policies and a survey, whatever its values."""

from __future__ import annotations

import base64
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from tests.command_line import acap as run

SITE, URL = "https://a.example/", "https://a.example/x"
ALLOW, DENY = "User-agent: *\nAllow: /\n", "User-agent: *\nDisallow: /\n"
KINDS = {"state": pa.string(), "headers": pa.string()}


def table_of(values: dict[str, Any]) -> pa.Table:
    columns = {name: pa.array([value], KINDS.get(name) if value is None else None) for name, value in values.items()}
    return pa.table({"url": [SITE], **columns})


def by_audit(table: pa.Table) -> str:
    outcome: str = acap.audit(pa.table({"url": [URL]}), table, crawler="bot").to_pylist()[0]["crawl_outcome"]
    return outcome


def by_table(table: pa.Table) -> str:
    outcome: str = pa.table(acap.decide_table([URL], table, crawler="bot"))["outcome"].to_pylist()[0]
    return outcome


def by_survey(source: Any) -> str:
    total = acap.survey(source, crawlers=["bot"]).total
    assert total.captures == 1
    return "permitted" if total.counts["bot", "crawl"].extents["none"].captures else "prohibited"


def by_file(robots: Path) -> str:
    pages, out = robots.parent / "pages.csv", robots.parent / "o.parquet"
    pages.write_text(f"url\n{URL}\n")
    done = run("audit", pages, "--robots", robots, "-c", "bot", "-o", out, "--processes", "1")
    assert done.code in (0, 1), done.err
    outcome: str = pq.read_table(out)["crawl_outcome"].to_pylist()[0]
    out.unlink()
    return outcome


def as_csv(values: dict[str, Any], folder: Path) -> Path:
    with (folder / "robots.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["url", *values])
        writer.writeheader()
        writer.writerow({"url": SITE, **values})
    return folder / "robots.csv"


def as_json(values: dict[str, Any], folder: Path) -> Path:
    (folder / "robots.jsonl").write_text(json.dumps({"url": SITE, **values}) + "\n")
    return folder / "robots.jsonl"


# Words for no value and for a request that failed; what Python, Java and databases write for octets; one line.
UNKNOWN: tuple[Any, ...] = (
    None, "None", "nan", " null\n", "<NA>", "\\N", "-", "[NULL]",
    "error", "ReadTimeout", "timed out", "HTTPError: 503 Service Unavailable", "SSL handshake failed",
    "host unreachable", "unknown", "404", "Forbidden", "0", "True", "[]", "<empty>", "s3://a/robots.txt",
    "b'User-agent: *\\nAllow: /", "bytearray(b'')", "<memory at 0x7f01>", "[B@6d06d69c", "np.bytes_(b'')", "B'a'",
    base64.b64encode(ALLOW.encode()).decode(), "\\x" + ALLOW.encode().hex(), ALLOW.encode().hex().upper(),
    *(ALLOW.replace("\n", end) for end in ("\\n", "\\r\\n", "\\x0A", "\\012")),
    *(ALLOW.replace("\n", end) for end in (" ", "", "<br>", "&#10;", " | ", "\u2028")), f'"{ALLOW}"', f"'{ALLOW}'",
    b"b'User-agent: *\\nDisallow: /",
)  # fmt: skip
WHOLE: tuple[Any, ...] = (
    "", ALLOW, "User-agent: *", repr(ALLOW.encode()), f" {ALLOW.encode()!r}\n", "# unknown",
    "Disallow: /error", "<p>Error", "Sorry, an\nerror", ALLOW.encode(), b"None", b"timeout", b"404",
    b"User-agent: *\\nDisallow: /",
)  # fmt: skip
PROHIBITING: tuple[Any, ...] = (DENY, DENY.encode(), repr(DENY.encode()), repr(DENY.encode()).encode())
FILES = [
    *((robots, "permitted") for robots in WHOLE),
    *((robots, "prohibited") for robots in (*UNKNOWN, *PROHIBITING)),
]

# What may stand beside a file that allows everything.
PERMITTING: dict[str, tuple[Any, ...]] = {
    "status": (200, 404, 204, 200.0, 410, 402, "200", "200.0", " 404", "", "-"),
    "state": ("Present", " absent", "", None, "PRESENT\n"),
    "cut": (False, "False", "0", 0, "f", "", 0.0),
    "headers": (
        "", None, "{}", "HTTP/1.1 200 OK\r\nA: b", f"Content-Length: {len(ALLOW)}",
        "Content-Encoding: gzip\nContent-Length: 900",
    ),
}  # fmt: skip
DOUBTED: dict[str, tuple[Any, ...]] = {
    "status": (
        503, 301, 206, 202, 429, 403, 0, 200.5, -7, 2**40, 1000, 99, True,
        "503", "nan", "OK", "200 OK", "\u0662\u0660\u0660",
    ),
    "state": ("unreachable", "UNREACHABLE", "gone", "None", 5, True),
    "cut": (True, "true", "1", 1, "t", "yes", "no", 2, 1.0),
    "headers": (
        "Content-Length: 900", "Content-Range: bytes 0-20/900", "Transfer-Encoding: x", "HTTP/1.1 503 No\r\nA: b",
        "no headers", "None", "A: b\\r\\nC: d", "b'Content-Length: 900\\r\\n'",
        '{"Content_Length": 900}', "{'Content-Length': '900'}",
    ),
}  # fmt: skip
BESIDE: list[tuple[dict[str, Any], str]] = [
    *(({name: one}, "permitted") for name, values in PERMITTING.items() for one in values),
    *(({name: one}, "prohibited") for name, values in DOUBTED.items() for one in values),
    *(({"status": status, "state": "absent"}, "prohibited") for status in (200, "200", 503)),
    ({"status": 404, "state": "absent"}, "permitted"),
    ({"status": 404, "cut": True}, "prohibited"),
    ({"status": 404, "headers": "HTTP/1.1 200 OK\r\nA: b"}, "prohibited"),
]


@pytest.mark.parametrize(("robots", "outcome"), FILES, ids=repr)
def test_the_value_of_a_file_is_the_same_to_all(robots: Any, outcome: str, tmp_path: Path) -> None:
    table = table_of({"robots": robots})
    assert (by_audit(table), by_table(table), by_survey(table)) == (outcome,) * 3
    if isinstance(robots, str):
        for keep in (as_csv, as_json)[not robots :]:  # an empty field of CSV is a null
            file = keep({"robots": robots}, tmp_path)
            assert (by_file(file), by_survey(file)) == (outcome,) * 2, keep


@pytest.mark.parametrize(("beside", "outcome"), BESIDE, ids=repr)
def test_what_stands_beside_a_file_is_the_same_to_all(beside: dict[str, Any], outcome: str, tmp_path: Path) -> None:
    table = table_of({"robots": ALLOW, **beside})
    assert (by_audit(table), by_table(table), by_survey(table)) == (outcome,) * 3
    for keep in (as_csv, as_json):
        file = keep({"robots": ALLOW, **beside}, tmp_path)
        assert (by_file(file), by_survey(file)) == (outcome,) * 2, keep


TEXT, TEXTS = pa.string(), pa.list_(pa.string())
NESTED: dict[str, tuple[Any, pa.DataType]] = {
    "map": ([("content-length", "900")], pa.map_(TEXT, TEXT)),
    "map of lists": ([("Content-Length", ["900"])], pa.map_(TEXT, TEXTS)),
    "struct": ({"content_length": "900", "server": None}, pa.struct({"content_length": TEXT, "server": TEXT})),
    "pairs": ([["Content-Length", "900"]], pa.list_(TEXTS)),
    "octets": ([[b"content-length", b"900"]], pa.list_(pa.list_(pa.binary(), 2))),
    "structs": ([{"name": "Content-Length", "value": "900"}], pa.list_(pa.struct({"name": TEXT, "value": TEXT}))),
    "lists": (
        {"key": ["A", "Content-Length"], "value": ["b", "900"]},
        pa.struct({"key": TEXTS, "value": TEXTS}),
    ),
    "numbers": ({"Content-Length": 900}, pa.struct({"Content-Length": pa.int32()})),
    "lines": (["Content-Length: 900"], pa.large_list(pa.large_string())),
    "words": ("Content-Length: 900", pa.dictionary(pa.int8(), TEXT)),
    "a time": (5, pa.timestamp("us")),
    "a real number": ({"Content-Length": 0.5}, pa.struct({"Content-Length": pa.float64()})),
}


@pytest.mark.parametrize(("value", "kind"), NESTED.values(), ids=NESTED)
def test_headers_of_every_type_are_the_same_to_all(value: Any, kind: pa.DataType) -> None:
    column = pa.array([value], kind)
    table = pa.table({"url": [SITE], "robots": [ALLOW], "headers": column})
    assert (by_audit(table), by_table(table), by_survey(table)) == ("prohibited",) * 3
    none = pa.table({"url": [SITE], "robots": [ALLOW], "headers": pa.nulls(1, kind)})
    assert (by_audit(none), by_table(none), by_survey(none)) == ("permitted",) * 3


@pytest.mark.parametrize("form", [
    lambda one: one.dictionary_encode(),
    lambda one: one.cast(pa.large_string()),
    lambda one: one.cast(pa.binary()).dictionary_encode(),
    lambda one: one.cast(pa.large_binary()),
])  # fmt: skip
@pytest.mark.parametrize("robots", [ALLOW, DENY, "bytearray(b'')"])
def test_the_type_of_a_column_makes_no_difference(form: Callable[[pa.Array], pa.Array], robots: str) -> None:
    table = pa.table({"url": form(pa.array([SITE])), "robots": form(pa.array([robots]))})
    outcome = "permitted" if robots == ALLOW else "prohibited"
    assert (by_audit(table), by_table(table), by_survey(table)) == (outcome,) * 3


def test_a_column_goes_by_its_name_with_dashes_too() -> None:
    table = pa.table({"Target-URI": [SITE], "Robots-TXT": [ALLOW], "HTTP-Status": [503]})
    assert (by_audit(table), by_table(table), by_survey(table)) == ("prohibited",) * 3

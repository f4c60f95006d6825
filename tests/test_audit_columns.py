"""Columns of tables with odd names and values: what may have prohibited is heard, or the row is in doubt."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from acap.audits.columns import value_of
from acap.audits.job import Job
from acap.audits.policies import TablePolicies
from acap.audits.written import UnreadableValueError, octets_of
from acap.column_names import NAMES
from tests.command_line import Result
from tests.command_line import acap as run

SITE, URL = "https://a.example/", "https://a.example/x"
ALLOW, DENY = "User-agent: *\nDisallow:\n", "User-agent: *\nDisallow: /\n"
NOINDEX = "<meta name=robots content=noindex>"


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread works in the place of processes."""
    monkeypatch.setattr(Job, "_pool", lambda _: ThreadPoolExecutor(1))


def asked(pages: Path, robots: Path | None = None, *more: str) -> tuple[Result, list[tuple[str, str | None]]]:
    """How an audit of a table ended, and for each row whether it may be indexed, and why it was not decided."""
    if robots is None:
        robots = pages.parent / "allow.jsonl"
        robots.write_text(json.dumps({"url": SITE, "robots": ALLOW}) + "\n")
    out = pages.parent / "o.parquet"
    done = run("audit", pages, "--robots", robots, "-c", "examplebot", "-u", "index", "-o", out, *more)
    if not out.exists():
        return done, []
    table = pq.read_table(out)
    return done, list(zip(table["index_outcome"].to_pylist(), table["error"].to_pylist(), strict=True))


def forms(rows: list[dict[str, Any]], folder: Path) -> Iterator[Path]:
    """Rows as a file of every form."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines, commas = folder / "rows.jsonl", folder / "rows.csv"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with commas.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    packed, arrow = folder / "rows.parquet", folder / "rows.arrow"
    table = pa.table({name: [row.get(name) for row in rows] for name in names})
    pq.write_table(table, packed)
    with pa.OSFile(str(arrow), "wb") as stream, pa.ipc.new_file(stream, table.schema) as writing:
        writing.write_table(table)
    yield from (lines, commas, packed, arrow)


@pytest.mark.parametrize(
    "row",
    [
        {"content": "<p>x", "html": NOINDEX},
        {"body": "<p>x", "octets": NOINDEX},
        {"status": 200, "fetch_status": 402},
        {"http_status": 200, "status_code": 402},
        {"headers": "X: y", "response_headers": "X-Robots-Tag: noindex"},
        {"headers": "X: y", "http_headers": "X-Robots-Tag: noindex"},
        {"fetch_time": "2026-01-01", "date": "2026-03-01"},
        {"headers": "no headers", "http_headers": "none either"},
    ],
)
def test_two_names_for_one_thing_that_differ_are_a_doubt(row: dict[str, Any], tmp_path: Path) -> None:
    for one in (row, dict(reversed(row.items()))):
        for pages in forms([{"url": URL, **one}], tmp_path):
            assert asked(pages)[1] == [("prohibited", "unreadable")], pages


@pytest.mark.parametrize(
    "row",
    [
        {"uri": "https://A.example:443/x"},
        {"status": "200", "fetch_status": "200.0"},
        {"headers": "A: b\nC: d", "http_headers": '{"c": "d", "a": "b"}'},
        {"fetch_time": "2026-11-01T00:00:00Z", "timestamp": "20261101000000"},
        {"content": "", "html": "<p>x"},
        {"status": "-", "fetch_status": "200"},
    ],
)
def test_two_names_for_one_thing_that_agree_are_one(row: dict[str, Any], tmp_path: Path) -> None:
    for pages in forms([{"url": URL, **row}], tmp_path):
        assert asked(pages)[1] == [("permitted", None)], pages


def test_a_row_of_two_urls_is_of_none(tmp_path: Path) -> None:
    for pages in forms([{"url": URL, "uri": "https://b.example/"}], tmp_path):
        done, found = asked(pages)
        assert found in ([], [("prohibited", "no-url")]), pages
        assert done.code == 1
    (tmp_path / "rows.jsonl").rename(tmp_path / "one.jsonl")
    assert "line 1: it has URLs that differ" in asked(tmp_path / "one.jsonl")[0].out


@pytest.mark.parametrize("names", [("robots", "content"), ("robots_txt", "body"), ("content", "octets")])
def test_two_texts_of_one_robots_txt_are_a_doubt(names: tuple[str, str], tmp_path: Path) -> None:
    pages = tmp_path / "pages.csv"
    pages.write_text(f"url\n{URL}\n")
    for texts in ((ALLOW, DENY), (DENY, ALLOW)):
        (tmp_path / "robots").mkdir(exist_ok=True)
        for robots in forms([{"url": SITE, **dict(zip(names, texts, strict=True))}], tmp_path / "robots"):
            assert asked(pages, robots)[1] == [("prohibited", None)], robots
    for robots in forms([{"url": SITE, **dict.fromkeys(names, ALLOW)}], tmp_path / "robots"):
        assert asked(pages, robots)[1] == [("permitted", None)], robots


def test_a_doubt_is_told_in_words() -> None:
    with pytest.raises(
        UnreadableValueError, match="a text cannot be read: `html` and `content` differ; leave one of them out"
    ):
        octets_of(value_of("content", ["a", "b"], ["html", "content"]))


def test_blanks_around_a_name_are_none_of_it(tmp_path: Path) -> None:
    pages, robots = tmp_path / "pages.csv", tmp_path / "robots.csv"
    pages.write_text(f"url, content\n{URL},{NOINDEX}\n")
    assert asked(pages)[1] == [("prohibited", None)]
    robots.write_text(f'url , Robots\n{SITE},"{DENY}"\n')
    pages.write_text(f"url\n{URL}\n")
    assert asked(pages, robots)[1] == [("prohibited", None)]
    lines = tmp_path / "pages.jsonl"
    lines.write_text(json.dumps({"url": URL, " content": NOINDEX}) + "\n")
    assert asked(lines)[1] == [("prohibited", None)]


def test_names_that_become_one_are_one_column_twice(tmp_path: Path) -> None:
    pages = tmp_path / "pages.csv"
    pages.write_text(f"url,content, content\n{URL},<p>x,{NOINDEX}\n")
    done, found = asked(pages)
    assert (done.code, found) == (2, [])
    assert "several columns `content`" in done.err
    lines = tmp_path / "pages.jsonl"
    lines.write_text(json.dumps({"url": URL, "content": "<p>x", "content ": NOINDEX}) + "\n")
    assert asked(lines)[1] == [("prohibited", "unreadable")]


def warc(folder: Path, uris: dict[str, bytes]) -> Path:
    """An archive with a response at each URI, as its field has it."""
    file = folder / "some.warc.gz"
    packed = b""
    for uri, body in uris.items():
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        fields = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        fields += f"Content-Type: application/http\r\nContent-Length: {len(block)}\r\n\r\n"
        packed += gzip.compress(fields.encode() + block + b"\r\n\r\n")
    file.write_bytes(packed)
    return file


@pytest.mark.parametrize(
    ("uri", "outcome"),
    [
        ("<https://a.example/robots.txt>", "permitted"),
        ("https://a.example/robots.txt>", "prohibited"),
        ("<https://a.example/robots.txt", "prohibited"),
    ],
)
def test_brackets_around_a_uri_count_both_together(uri: str, outcome: str, tmp_path: Path) -> None:
    """What somebody left at a page with a strange name is no robots.txt."""
    pages = warc(tmp_path, {uri: ALLOW.encode(), URL: b"A text."})
    out = tmp_path / "o.parquet"
    run("audit", pages, "-c", "examplebot", "-u", "index", "-o", out)
    found = {row["url"]: row["index_outcome"] for row in pq.read_table(out).to_pylist()}
    assert found[URL] == outcome


@pytest.mark.parametrize("harm", ["octets", "uri"])
def test_damage_that_may_be_of_a_site_is_no_missing_policy(harm: str, tmp_path: Path) -> None:
    """--missing permitted is about sites that nothing was heard of, not about what was heard and lost."""
    whole = warc(tmp_path, {"https://a.example/robots.txt": DENY.encode()}).read_bytes()
    page = warc(tmp_path, {URL: b"A text."}).read_bytes()
    if harm == "octets":
        middle = len(whole) // 2
        broken = whole[:middle] + bytes(octet ^ 0xFF for octet in whole[middle : middle + 2]) + whole[middle + 2 :]
    else:
        broken = warc(tmp_path, {"https:///robots.txt": DENY.encode()}).read_bytes()
    pages, out = tmp_path / "some.warc.gz", tmp_path / "o.parquet"
    for octets, outcome in ((broken + page, "prohibited"), (page + broken, "prohibited"), (page, "permitted")):
        pages.write_bytes(octets)
        run("audit", pages, "-c", "examplebot", "-u", "index", "-o", out, "--missing", "permitted")
        assert [row["index_outcome"] for row in pq.read_table(out).to_pylist() if row["url"] == URL] == [outcome]
        out.unlink()


@pytest.mark.parametrize(
    "uri",
    [
        r"https://b.example\x",
        "https://b.example/a\tb",
        "/x",
        "b.example/x",
        "https://b ad.example/x",
        "https://b.example/robots\t.txt",
        "HTTPS://B.example:443/robots.tx\tt",
        "https://b.example:8443/robots\t.txt",
        r"https://b.example\@a.example/robots.txt",
        "https://b\t.example/robots.txt",
        "/robots%2Etxt",
        "robots.txt",
        "b.example",
        "https://b.example/x" + " " * 16,
        "https://b.example/\x7fx",
        "",
    ],
)  # fmt: skip
def test_a_damaged_uri_counts_against_all_sites(uri: str, tmp_path: Path) -> None:
    """Its path does not help: a redirect of robots.txt, or a reference, leads anywhere."""
    other, out = "https://b.example/p", tmp_path / "o.parquet"
    pages = warc(tmp_path, {uri: DENY.encode(), URL: b"A text.", other: b"A text."})
    done = run("audit", pages, "-c", "examplebot", "-u", "index", "-o", out, "--missing", "permitted", "--json")
    found = {row["url"]: row["index_outcome"] for row in pq.read_table(out).to_pylist()}
    assert (found[other], found[URL]) == ("prohibited", "prohibited")
    told = json.loads(done.out)["problems"]
    assert [one for one in told if "any site's robots.txt" in one] == told
    assert all(f"{pages}: octet 0: " in one for one in told)


@pytest.mark.parametrize("url", [None, "", "no host", "mailto:x@a.example", "//a.example/", "a.example:port"])
def test_a_policy_of_no_known_site_is_no_other_ones(url: str | None, tmp_path: Path) -> None:
    """It may have prohibited what another row permits."""
    pages = tmp_path / "pages.csv"
    pages.write_text(f"url\n{URL}\n")
    rows: list[dict[str, Any]] = [{"url": url, "robots": DENY}, {"url": SITE, "robots": ALLOW}]
    for robots in forms(rows, tmp_path):
        assert "row 1: " in asked(pages, robots)[0].wrong_call
    with pytest.raises(ValueError, match=r"row 1: .* may be of any; correct the row, or leave it out"):
        TablePolicies(pa.Table.from_pylist(rows))


def test_a_host_in_the_place_of_a_url_is_heard(tmp_path: Path) -> None:
    pages = tmp_path / "pages.csv"
    pages.write_text(f"url\n{URL}\nhttp://a.example/\n")
    rows = [{"url": "a.example", "robots": DENY}, {"url": SITE, "robots": ALLOW}]
    for robots in forms(rows, tmp_path):
        assert asked(pages, robots)[1] == [("prohibited", None)] * 2


def test_a_page_without_its_scheme_is_no_site(tmp_path: Path) -> None:
    pages, robots = tmp_path / "pages.csv", tmp_path / "robots.jsonl"
    pages.write_text(f"url\n{URL}\n")
    for name in ("url", "site"):
        robots.write_text(json.dumps({name: "a.example/page", "robots": ALLOW}) + "\n")
        assert asked(pages, robots)[1] == [("prohibited", None)]


def test_the_page_about_audits_has_every_name_of_a_column() -> None:
    """In the order in which they count."""
    text = (Path(__file__).parent.parent / "docs/how-to/audit-a-crawl.md").read_text(encoding="utf-8")
    table = text.partition("| column | its names |\n|---|---|\n")[2].partition("\n\n")[0]
    told = [tuple(re.findall(r"`([^`]+)`", row.split("|")[2])) for row in table.splitlines()]
    things = ("url", "at", "status", "headers", "content", "robots", "site")
    assert told[: len(things)] == [NAMES[thing] for thing in things]
    rest = NAMES.keys() - {*things}
    assert set().union(*told[len(things) :]) == {name for thing in rest for name in NAMES[thing]}

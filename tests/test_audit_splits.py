"""Large files are audited in parts: any split gives the table of the whole, and no server chooses it."""

from __future__ import annotations

import csv
import gzip
import json
import random
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from acap.audits import inputs
from acap.audits.inputs import InputPart, parts_of
from acap.audits.job import AuditProgress, Job
from acap.audits.options import AuditOptions
from acap.audits.summary import AuditSummary
from acap.crawlers import as_crawler
from tests.crawled import BEGIN, Came, crawl, pages_of, record, robots_table, site, table_of

OPTIONS = AuditOptions(as_crawler("examplebot"), ("crawl", "index", "ai-train"))

NOW = BEGIN + timedelta(days=30)


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread works in the place of processes, which is the same and quicker."""
    monkeypatch.setattr(Job, "_pool", lambda _: ThreadPoolExecutor(1))


def audited(
    file: Path, octets: int, monkeypatch: pytest.MonkeyPatch, *robots: Path
) -> tuple[pa.Table, AuditSummary, list[InputPart]]:
    """The table of a file in parts of so many octets, its summary, and the parts that were made."""
    monkeypatch.setattr(inputs, "PART", octets)
    job = Job([file], robots, file.with_name("out.parquet"), OPTIONS)
    job.now = NOW
    summary, whole = job.run()
    assert whole
    assert not job.directory.exists()
    return pq.read_table(job.out), summary, job.parts


def hostile_crawl() -> list[bytes]:
    """The members of an archive with what needs the records around it: damage, revisits, metadata, dates to come."""
    members = []
    for number, came in enumerate(crawl(7, 60)):
        octets = record(came)
        if number % 9 == 4:  # another record than its digest says
            octets = octets.replace(b"1.0\r\n", b"1.0\r\nWARC-Block-Digest: sha1:%b\r\n" % (b"A" * 32), 1)
        elif number % 9 == 7:
            octets = octets.replace(b"WARC-Type: response", b"WARC-Type: revisit", 1)
        elif number % 17 == 12:
            octets = record(came._replace(hours=24 * 9000))
        members.append(gzip.compress(octets, 1, mtime=0))
        beside = b'{"url": "%d"}' % number
        fields = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n" % (len(beside), beside)
        members.append(gzip.compress(fields, 1, mtime=0))
    return members


@pytest.mark.parametrize("broken", [None, 0, 31, 90, -1])
def test_any_split_of_an_archive_gives_the_table_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: int | None
) -> None:
    """Also where a member is broken, behind which the rest of the file is one part."""
    members = hostile_crawl()
    if broken is not None:
        members[broken] = members[broken][:-20] + b"\x1f\x8b\x08" + bytes(9)
    file = tmp_path / "a.warc.gz"
    file.write_bytes(b"".join(members))
    whole, summary, parts = audited(file, 1 << 30, monkeypatch)
    assert len(parts) == 1
    for octets in (300, 3_000, 9_000):
        table, again, parts = audited(file, octets, monkeypatch)
        assert table.to_pylist() == whole.to_pylist(), octets
        assert again.to_json() == summary.to_json()
        assert len(parts) > 1 or broken == 0 or octets > 300
        spans = [one.span or (0, file.stat().st_size) for one in parts]
        assert [offset for offset, _ in spans] == [0, *(offset + length for offset, length in spans[:-1])]


def test_what_a_server_made_look_like_an_archive_is_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture with an archive in it, which does not shrink and so stands in the file as it is."""
    false = Came(f"{site(0)}/robots.txt", b"User-agent: *\nAllow: /\n", 1, "text/plain")
    inside = gzip.compress(record(false), mtime=0) + gzip.compress(
        record(Came(f"{site(0)}/false", b"words", 2)), mtime=0
    )
    came = [
        Came(f"{site(0)}/robots.txt", b"User-agent: *\nDisallow: /\n", 0, "text/plain"),
        Came(f"{site(0)}/picture", inside * 40, 3, "image/png"),
        Came(f"{site(0)}/page", b"<p>words", 4),
    ]
    packed = []
    for one in came:
        pack = zlib.compressobj(0, zlib.DEFLATED, 31)
        packed.append(pack.compress(record(one)) + pack.flush())
    file = tmp_path / "a.warc.gz"
    file.write_bytes(b"".join(packed))
    whole = audited(file, 1 << 30, monkeypatch)[0]
    assert whole["url"].to_pylist() == [f"{site(0)}/picture", f"{site(0)}/page"]
    monkeypatch.setattr(inputs, "PART", 500)
    assert len(parts_of([file])) > 5
    table, _, parts = audited(file, 500, monkeypatch)
    assert table.to_pylist() == whole.to_pylist()
    assert len(parts) < 3


@pytest.mark.parametrize("form", ["csv", "jsonl", "cdxj"])
def test_any_split_of_a_table_gives_the_table_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """Fields with line ends, rows that cannot be read, and the lines that problems name."""
    monkeypatch.setattr(inputs, "_PIECE", 400)
    crawled = crawl(7, 60)
    robots = tmp_path / "robots.parquet"
    pq.write_table(robots_table(crawled), robots)
    rows: list[dict[str, Any]] = [
        {
            **row,
            "fetch_time": row["fetch_time"].isoformat(),
            "content": row["content"].decode() + '\n"a",\r\n' * (place % 3),
        }
        for place, row in enumerate(table_of(pages_of(crawled)).to_pylist())
    ]
    file = tmp_path / f"pages.{form}"
    with file.open("w", newline="") as stream:
        if form == "csv":
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            for place, row in enumerate(rows):
                writer.writerow(row)
                stream.write({20: '"broken" quote,\n', 30: "\n", 40: "short\n"}.get(place, ""))
        for place, row in enumerate(rows if form != "csv" else ()):
            told = json.dumps(row)
            stream.write(f"{told}\n" if form == "jsonl" else f"com,example)/ 20260302{place:06} {told}\n")
            stream.write({20: "not it\n", 30: "\n", 40: "{}\n"}.get(place, ""))
    whole, summary, parts = audited(file, 1 << 30, monkeypatch, robots)
    assert whole.num_rows >= 60
    assert len(parts) == 1
    for octets in (1, 2_000, 7_000):
        table, again, parts = audited(file, octets, monkeypatch, robots)
        assert table.to_pylist() == whole.to_pylist(), octets
        assert again.to_json() == summary.to_json()
        assert len(parts) > 2


def test_a_second_call_reads_no_part_for_its_policies_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a kill leaves of the first reading is kept, and so is the table."""
    file = tmp_path / "a.warc.gz"
    file.write_bytes(b"".join(hostile_crawl()))
    whole = audited(file, 1 << 30, monkeypatch)[0]

    class Killed(BaseException):
        """A kill."""

    monkeypatch.setattr(inputs, "PART", 3_000)
    job = Job([file], [], tmp_path / "out.parquet", OPTIONS)
    job.now = NOW
    for _ in range(3):
        calls = iter(range(4))

        def kill(_: AuditProgress, calls: Iterator[int] = calls) -> None:
            if next(calls) == 3:
                raise Killed

        with pytest.raises(Killed):
            job.run(kill)
    read = [*job.directory.glob("policies-*.json"), *job.directory.glob("0*.json")]
    assert len(read) >= 6
    seen: list[AuditProgress] = []
    job.run(seen.append)
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == whole.to_pylist()
    assert seen[0].before > 0
    assert {one.before + one.done + one.left for one in seen} == {seen[0].before + seen[0].left}
    assert seen[-1].share == 1.0


def _metadata(number: int, body: bytes | None) -> bytes:
    """A record of a WAT file with the metadata of a page, or with something else in their place."""
    url, page = f"https://a.example/{number}", {"Head": {"Title": "t" * number}}
    answer = {"Response-Message": {"Status": "200"}, "Headers": {"Content-Type": "text/html"}, "HTML-Metadata": page}
    about = {"WARC-Type": "response", "WARC-Target-URI": url, "WARC-Date": "2026-03-02T00:00:00Z"}
    told = {"WARC-Header-Metadata": about, "Payload-Metadata": {"HTTP-Response-Metadata": answer}}
    octets = json.dumps({"Envelope": told}).encode() if body is None else body
    fields = f"WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(octets)}\r\n\r\n"
    return fields.encode() + octets + b"\r\n\r\n"


@pytest.mark.parametrize("seed", range(12))
def test_any_split_of_metadata_gives_the_table_of_the_whole(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where members are cut, damaged or followed by zeros, and where metadata are none."""
    chance = random.Random(seed)
    members = []
    for number in range(30):
        body = chance.choice([None, None, None, b"\x00", b"{", b'{"Envelope": 5}', b"\xff\xfe", b""])
        member = gzip.compress(_metadata(number, body), chance.choice([0, 6]), mtime=0)
        damages = [member[: chance.randrange(1, len(member))], member + bytes(5), member[:-4] + b"size"]
        members.append(chance.choice(damages) if chance.random() < 0.1 else member)
    file = tmp_path / "a.wat.gz"
    file.write_bytes(b"".join(members))
    whole, summary, _ = audited(file, 1 << 30, monkeypatch)
    assert whole.num_rows > 5
    for octets in (200, 500, 3_000):
        table, again, _ = audited(file, octets, monkeypatch)
        assert table.to_pylist() == whole.to_pylist(), octets
        assert again.to_json() == summary.to_json()

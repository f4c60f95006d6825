"""An audit answers for each page of a crawl what the plain API answers, in any form and however it was stopped."""

from __future__ import annotations

import csv
import gzip
import json
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

import acap
from acap.archives import read_warc
from acap.archives.shelf import ArchiveShelf
from acap.archives.timeline import Timelines
from acap.audits import surt
from acap.audits.columns import instant_of
from acap.audits.header_values import headers_of
from acap.audits.inputs import InputPart, resources, robots_column
from acap.audits.options import AuditOptions
from acap.audits.policies import ShelvedPolicies, TablePolicies, policy_event
from acap.audits.rows import Auditor, audit, column_of, resource_of
from acap.audits.surt import surt_key
from acap.carriers import carriers
from acap.retrieval import Rules
from tests import command_line
from tests.crawled import BEGIN, Came, crawl, limits_told, pages_of, record, robots_table, site, table_of, write_warc

USAGES = ("crawl", "index", "present-snippet", "ai-train", "preserve")
ACAP = (sys.executable, "-m", "acap")
ALONE = ("--processes", "1")


def run(*arguments: str | Path, code: int = 1) -> str:
    """What `acap audit` prints; it must end with the code."""
    return command_line.acap("audit", *ALONE, *arguments).ended(code)


def outcomes(table: pa.Table) -> list[tuple[str, ...]]:
    """URL and outcomes of each row."""
    names = ["url", *(f"{column_of(usage)}_outcome" for usage in USAGES)]
    return [tuple(row[name] for name in names) for row in table.select(names).to_pylist()]


@pytest.fixture(scope="module")
def crawled() -> list[Came]:
    """A crawl with every kind of robots.txt, and pages that speak for themselves."""
    return crawl(13, 140)


@pytest.fixture(scope="module")
def audited(crawled: list[Came], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pa.Table]:
    """A WARC file and the audit of it by the command."""
    directory = tmp_path_factory.mktemp("audit")
    archive = write_warc(directory / "crawl.warc.gz", crawled)
    run(archive, "-c", "examplebot", "-u", ",".join(USAGES), "-o", directory / "audit.parquet")
    return archive, pq.read_table(directory / "audit.parquet")


def test_each_row_is_what_the_plain_api_answers(audited: tuple[Path, pa.Table]) -> None:
    """Policy of the time, headers, page and status: outcome, kind, line, restrictions."""
    archive, table = audited
    timelines = Timelines("auto", Rules.of("auto"), [archive])
    expected: list[dict[str, Any]] = []
    for capture in read_warc(archive):
        if capture.url.endswith("/robots.txt"):
            continue
        found = carriers(
            capture.body, url=capture.url, headers=capture.headers, status=capture.status, length=len(capture.body)
        )
        policies = timelines.of(capture.url.rpartition("/")[0].rpartition("/")[0] + "/robots.txt").speaking(capture.at)
        assert len(policies) < 2
        policy = policies[0] if policies else acap.RobotsPolicy.unreachable(capture.url)
        row: dict[str, Any] = {"url": capture.url, "error": None if policies else "no-policy"}
        for usage in USAGES:
            one = acap.decide(
                capture.url, crawler="examplebot", usage=usage, at=capture.at, robots=policy, page=found.page,
                others=found.others,
            )  # fmt: skip
            decided = one.reason.decided_by
            row |= {
                f"{column_of(usage)}_outcome": str(one.outcome),
                f"{column_of(usage)}_kind": one.kind,
                f"{column_of(usage)}_line": decided[0].line if decided else None,
                f"{column_of(usage)}_restrictions": limits_told(one),
            }
        expected.append(row)
    assert table.select(list(expected[0])).to_pylist() == expected
    assert len({row["index_outcome"] for row in expected}) == 2


def test_a_crawl_is_the_same_in_every_form(crawled: list[Came], audited: tuple[Path, pa.Table], tmp_path: Path) -> None:
    """Parquet, Arrow, CSV and JSONL, packed or not, and WARC with Zstandard, or without packing."""
    table, pages = audited[1], table_of(pages_of(crawled))
    robots = tmp_path / "robots.parquet"
    pq.write_table(robots_table(crawled), robots)
    texts = [
        {**row, "fetch_time": row["fetch_time"].isoformat(), "content": row["content"].decode()}
        for row in pages.to_pylist()
    ]
    pq.write_table(pages, tmp_path / "pages.parquet", row_group_size=50)
    with pa.OSFile(str(tmp_path / "pages.arrow"), "wb") as sink, pa.ipc.new_file(sink, pages.schema) as writer:
        writer.write_table(pages)
    with (tmp_path / "pages.csv").open("w", newline="") as stream:
        rows = csv.DictWriter(stream, texts[0])
        rows.writeheader()
        rows.writerows(texts)
    with gzip.open(tmp_path / "pages.jsonl.gz", "wt") as packed:
        packed.writelines(json.dumps(row) + "\n" for row in texts)
    whole = b"".join(map(record, crawled))
    (tmp_path / "crawl.warc").write_bytes(whole)
    (tmp_path / "crawl.warc.zst").write_bytes(b"".join(zstandard.compress(record(one)) for one in crawled))
    for name in ("pages.parquet", "pages.arrow", "pages.csv", "pages.jsonl.gz", "crawl.warc", "crawl.warc.zst"):
        out = tmp_path / f"{name}.audit.parquet"
        policies = () if name.startswith("crawl") else ("--robots", robots)
        run(tmp_path / name, *policies, "-c", "examplebot", "-u", ",".join(USAGES), "-o", out)
        assert outcomes(pq.read_table(out)) == outcomes(table), name


def test_the_function_answers_as_the_command(crawled: list[Came], audited: tuple[Path, pa.Table]) -> None:
    """A batch and a table of policies, once more after pickling: all columns are those of the file."""
    policies = TablePolicies(robots_table(crawled))
    for known in (policies, pickle.loads(pickle.dumps(policies))):
        found = acap.audit(table_of(pages_of(crawled)), known, crawler="examplebot", usages=USAGES)
        ours, theirs = pa.Table.from_batches([found]), audited[1]
        beside = [name for name in ours.column_names if name not in ("evidence", "fetch_time")]
        assert ours.select(beside).to_pylist() == theirs.select(beside).to_pylist()


@pytest.mark.parametrize(("how", "processes"), [(signal.SIGKILL, "2"), (signal.SIGINT, "2"), (signal.SIGINT, "1")])
def test_a_stopped_audit_goes_on_with_the_same_call(tmp_path: Path, how: signal.Signals, processes: str) -> None:
    """Killed, or stopped by Ctrl-C, in its midst: then it has the rows that it would have had."""
    files = [write_warc(tmp_path / f"{n}.warc.gz", crawl(3, 60)[:3] + crawl(3, 60)[3 + n * 10 :]) for n in range(6)]
    question = ("-c", "examplebot", "-u", "crawl,index")
    run(*files, *question, "-o", tmp_path / "whole.parquet")
    out = tmp_path / "stopped.parquet"
    call = [*ACAP, "audit", *map(str, files), *question, "--processes", processes, "-o", str(out)]
    going = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    parts = tmp_path / "stopped.parquet.parts"
    deadline = time.monotonic() + 60
    while not (parts / "000001.json").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(going.pid, how)
    going.communicate()
    if how is signal.SIGINT and going.returncode != 1:  # it may have been too late
        assert going.returncode == 130
        # Once every part is done the result is being written: the call that goes on writes it.
        if out.exists() or {f"{number:06d}.json" for number in range(6)} - {one.name for one in parts.iterdir()}:
            partial = pq.read_table(out)
            assert json.loads(partial.schema.metadata[b"acap"])["partial"] is True
            # All rows, where the last part was done and the result was not.
            assert 0 < partial.num_rows <= pq.read_table(tmp_path / "whole.parquet").num_rows
    run(*files, *question, "-o", out)
    assert not parts.exists()
    assert pq.read_table(out).equals(pq.read_table(tmp_path / "whole.parquet"))
    assert json.loads(pq.read_schema(out).metadata[b"acap"])["partial"] is False


def test_parts_of_another_audit_are_left_alone(tmp_path: Path, crawled: list[Came]) -> None:
    """Another question, and input that changed, end with one line and lose nothing."""
    archive = write_warc(tmp_path / "a.warc.gz", crawled[:20])
    out = tmp_path / "o.parquet"
    parts = tmp_path / "o.parquet.parts"
    parts.mkdir()
    (parts / "audit.json").write_text(json.dumps({"audit": {}, "now": BEGIN.isoformat()}))
    assert run(archive, "-c", "a", "-o", out, code=2).count("\n") == 1
    assert (parts / "audit.json").exists()
    assert not out.exists()


def test_what_cannot_be_read_is_told_and_permits_nothing(tmp_path: Path) -> None:
    """A cut record, a record of a damaged site, rows that are none, a URL that is none."""
    open_site = Came(f"{site(0)}/robots.txt", b"User-agent: *\nAllow: /\n", 0, "text/plain")
    page = Came(f"{site(0)}/a", b"<p>words", 1)
    cut = gzip.compress(record(Came(f"{site(0)}/cut", b"<p>" + random.Random(1).randbytes(9000), 2)))[:-400]
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(gzip.compress(record(open_site)) + gzip.compress(record(page)) + cut)
    out = tmp_path / "o.parquet"
    said = run(archive, "-c", "examplebot", "-u", "crawl,index", "-o", out)
    assert "could not be read" in said
    rows = {row["url"]: row for row in pq.read_table(out).to_pylist()}
    assert rows[page.url]["index_outcome"] == "permitted"
    assert rows[f"{site(0)}/cut"]["index_outcome"] == "prohibited"
    table = tmp_path / "t.jsonl"
    table.write_text('{"url": "nope"}\n[1]\n{"url": 7}\nnot json\n{"url": "https://s9.example/x"}\n\xff\n')
    said = run(table, "-c", "examplebot", "-o", out)
    assert "5 records could not be read" in said
    assert [(row["crawl_outcome"], row["error"]) for row in pq.read_table(out).to_pylist()] == [
        ("prohibited", "no-url"),
        ("prohibited", "no-policy"),
    ]


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ({"headers": "", "http_headers": '{"X-Robots-Tag": "noindex"}'}, None),
        ({"headers": [], "response_headers": [{"name": "X-Robots-Tag", "value": "noindex"}]}, None),
        ({"content": b"", "html": b"<meta name=robots content=noindex>"}, None),
        ({"content": "A text.", "html": "<meta name=robots content=noindex><p>A text."}, "unreadable"),
        ({"status": 200, "fetch_status": 451}, "unreadable"),
    ],
)
def test_no_value_of_a_response_hides_another(row: dict[str, Any], error: str | None) -> None:
    """An empty one gives way, and those that differ are a doubt."""
    policies = pa.table({"url": ["https://example.com/"], "robots": [""]})
    table = pa.Table.from_pylist([{"url": "https://example.com/a", **row}])
    (answer,) = audit(table, policies, crawler="examplebot", usage="index").to_pylist()
    assert (answer["index_outcome"], answer["error"]) == ("prohibited", error)


def test_a_missing_policy_means_what_the_operator_says() -> None:
    """Prohibited, unless --missing says otherwise; a site that could not be asked stays prohibited."""
    robots = pa.table({"url": ["https://a.example/"], "robots": pa.array([None], pa.binary())})
    pages = pa.table({"url": ["https://a.example/x", "https://b.example/x"]})
    found = [
        [row["crawl_outcome"] for row in audit(pages, robots, crawler="bot", missing=missing).to_pylist()]
        for missing in ("prohibited", "permitted")
    ]
    assert found == [["prohibited", "prohibited"], ["prohibited", "permitted"]]


def test_the_policy_of_the_time_decides_and_the_strictest_of_several() -> None:
    """The one nearest before, at most 30 days old; with one of the day after, both have to permit."""
    closed, opened = b"User-agent: *\nDisallow: /\n", b"User-agent: *\nAllow: /\n"
    times = [BEGIN, BEGIN + timedelta(days=10), BEGIN + timedelta(days=60)]
    robots = pa.table({"url": ["https://a.example/"] * 3, "robots": [opened, closed, opened], "fetch_time": times})
    days = (1, 9.5, 11, 39, 41, 59.5, 61)
    pages = pa.table({"url": ["https://a.example/x"] * 7, "fetch_time": [BEGIN + timedelta(days=n) for n in days]})
    rows = audit(pages, robots, crawler="bot").to_pylist()
    said = [(row["crawl_outcome"], row["error"]) for row in rows]
    no, yes, unknown = ("prohibited", None), ("permitted", None), ("prohibited", "no-policy")
    assert said == [yes, no, no, no, unknown, yes, yes]
    assert [row["policy_age"] for row in rows][:2] == [86_400, int(9.5 * 86_400)]


def test_another_time_is_asked_about_as_if_it_were_then(tmp_path: Path) -> None:
    """With `--at`, what was captured later does not count, but for what was captured on the next day."""
    terms = b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>%b</license></content></rsl>'
    robots = b"User-agent: *\nAllow: /\nLicense: https://s0.example/l.xml\n"
    closed, opened = b"<prohibits type='usage'>search</prohibits>", b"<permits type='usage'>all</permits>"
    archive = write_warc(tmp_path / "a.warc.gz", [
        Came(f"{site(0)}/robots.txt", robots, 0, "text/plain"),
        Came(f"{site(0)}/l.xml", terms % opened, 1, "application/rsl+xml"),
        Came(f"{site(0)}/p", b"<p>words", 2),
        Came(f"{site(0)}/l.xml", terms % closed, 24 * 10, "application/rsl+xml"),
        Came(f"{site(0)}/robots.txt", b"User-agent: *\nDisallow: /\n", 24 * 12, "text/plain"),
    ])  # fmt: skip
    found = {}
    for days in (1, 8.5, 9.5, 10.5, 11.5, 13):
        at = (BEGIN + timedelta(days=days)).isoformat()
        out = tmp_path / f"{days}.parquet"
        asked = ("-c", "bot", "-u", "crawl,search", "--at", at, "-o", str(out), *ALONE)
        assert command_line.acap("audit", archive, *asked).code in (0, 1)
        rows = {row["url"]: row for row in pq.read_table(out).to_pylist()}
        found[days] = rows[f"{site(0)}/p"]["crawl_outcome"], rows[f"{site(0)}/p"]["search_outcome"]
    yes, no = "permitted", "prohibited"
    assert found == {1: (yes, yes), 8.5: (yes, yes), 9.5: (yes, no), 10.5: (yes, no), 11.5: (no, no), 13: (no, no)}


@pytest.mark.parametrize("name", ["utf-16", "utf-7", "iso-2022-jp", "x-user-defined", "nonsense"])
def test_a_text_was_decoded_before_whatever_its_headers_name(name: str) -> None:
    """META tags of a column of texts are read, though the header tells another encoding."""
    pages = pa.table(
        {
            "url": ["https://a.example/"],
            "html": ["<meta name=robots content=noindex><p>words"],
            "headers": [f"Content-Type: text/html; charset={name}"],
        }
    )
    robots = pa.table({"url": ["https://a.example/"], "robots": [b""]})
    assert audit(pages, robots, crawler="bot", usages=["index"]).to_pylist()[0]["index_outcome"] == "prohibited"


def test_a_corpus_has_the_usable_text_and_nothing_else(crawled: list[Came], tmp_path: Path) -> None:
    """The texts are those of `content_for`, of pages that may be used; what an element prohibits is not there."""
    body = b"<p>These words.</p><div class='robots-noindex'>Hidden words.</div><p class=acap>More.</p>"
    pages = [Came(f"{site(0)}/t", b"Plain words.", 30, "text/plain"), Came(f"{site(0)}/e", body, 30), *crawled]
    archive = write_warc(tmp_path / "c.warc.gz", pages)
    out = tmp_path / "corpus.parquet"
    run(archive, "-c", "examplebot", "--content", "index", "-o", out)
    texts = {row["url"]: row["text"] for row in pq.read_table(out).to_pylist()}
    assert texts[f"{site(0)}/t"] == "Plain words."
    run(archive, "-c", "examplebot", "-u", "index", "-o", tmp_path / "a.parquet")
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    permitted = {row["url"] for row in rows if row["index_outcome"] == "permitted"}
    assert set(texts) <= permitted
    for came in pages_of(pages):
        if came.url in texts and came.media.startswith("text/html"):
            page = acap.parse_page(came.body, url=came.url, headers=came.pairs)
            assert texts[came.url] == page.content_for("index", crawler="examplebot").text


def test_wat_files_and_indexes_are_read(tmp_path: Path, crawled: list[Came]) -> None:
    """META tags and headers of a WAT file count; an index of CDXJ has URLs and times."""
    robots = tmp_path / "robots.parquet"
    pq.write_table(robots_table(crawled), robots)
    at = (BEGIN + timedelta(hours=30)).isoformat()
    blocks = []
    for path, metas, headers in (
        ("a", [{"name": "robots", "content": "noindex"}], {}),
        ("b", [], {"X-Robots-Tag": "noindex"}),
        ("c", [], {}),
    ):
        message = {"Status": "200"}
        answer = {"Response-Message": message, "Headers": headers, "HTML-Metadata": {"Head": {"Metas": metas}}}
        about = {"WARC-Type": "response", "WARC-Target-URI": f"{site(0)}/{path}", "WARC-Date": at}
        told = {"Envelope": {"WARC-Header-Metadata": about, "Payload-Metadata": {"HTTP-Response-Metadata": answer}}}
        block = json.dumps(told).encode()
        head = f"WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Date: {at}\r\nContent-Length: {len(block)}\r\n\r\n".encode()
        blocks.append(gzip.compress(head + block + b"\r\n\r\n"))
    (tmp_path / "x.warc.wat.gz").write_bytes(b"".join(blocks))
    out = tmp_path / "o.parquet"
    run(tmp_path / "x.warc.wat.gz", "--robots", robots, "-c", "examplebot", "-u", "index", "-o", out)
    assert [row["index_outcome"] for row in pq.read_table(out).to_pylist()] == ["prohibited", "prohibited", "permitted"]
    stamp = (BEGIN + timedelta(hours=30)).strftime("%Y%m%d%H%M%S")
    line = json.dumps({"url": f"{site(0)}/private/1", "status": "200"})
    (tmp_path / "x.cdxj").write_text(f"example,s0)/private/1 {stamp} {line}\nexample,s0)/b {stamp} nothing\n")
    assert "1 record could not be read" in run(tmp_path / "x.cdxj", "--robots", robots, "-c", "examplebot", "-o", out)
    (row,) = pq.read_table(out).to_pylist()
    assert (row["crawl_outcome"], row["url_surtkey"]) == ("prohibited", "example,s0)/private/1")


def test_the_header_of_an_index_is_no_row(tmp_path: Path) -> None:
    """It names the fields of CDX; the line behind it is read by them."""
    stamp = BEGIN.strftime("%Y%m%d%H%M%S")
    line = f"example,s0)/a {stamp} {site(0)}/a text/html 200 AAAA - - 9 9 x.warc.gz"
    (tmp_path / "x.cdx").write_text(f" CDX N b a m s k r M S V g\n{line}\n")
    robots, out = tmp_path / "r.parquet", tmp_path / "o.parquet"
    pq.write_table(pa.table({"url": [f"{site(0)}/robots.txt"], "robots": ["User-agent: *\nAllow: /\n"]}), robots)
    run(tmp_path / "x.cdx", "--robots", robots, "-c", "examplebot", "-o", out, code=0)
    assert pq.read_table(out)["url"].to_pylist() == [f"{site(0)}/a"]


def test_a_table_without_a_column_of_urls_is_refused(tmp_path: Path) -> None:
    """Of every form, in one line that says which names would do, and nothing is written."""
    out, table = tmp_path / "o.parquet", pa.table({"page": ["https://a.example/"], "when": ["2026"]})
    (tmp_path / "a.csv").write_text("page,when\nhttps://a.example/,2026\n")
    pq.write_table(table, tmp_path / "a.parquet")
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as writer:
        writer.write_table(table)
    with pa.ipc.new_stream(tmp_path / "b.arrow", table.schema) as stream:
        stream.write_table(table)
    names = "`url` or `target_uri` or `warc_target_uri` or `uri`"
    for name in ("a.csv", "a.parquet", "a.arrow", "b.arrow"):
        told = run(tmp_path / name, "-c", "a", "-o", out, code=2)
        assert told.endswith(f"{name}: the table has no column {names}; it has `page`, `when`\n")
        assert told.count("\n") == 1
    (tmp_path / "c.arrow").write_bytes(b"nothing of the kind")
    told = run(tmp_path / "c.arrow", "-c", "a", "-o", out, code=2)
    assert told.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("policies", [None, "robots.parquet", 5, [1]])
def test_what_is_no_policies_is_told_in_one_line(policies: Any) -> None:
    """The words are of acap, not of a library."""
    with pytest.raises(TypeError, match=f"policies must be a table of Arrow, .* this is {type(policies).__name__}$"):
        audit(pa.table({"url": ["https://a.example/"]}), policies, crawler="examplebot")


@pytest.mark.parametrize("batch", [None, "pages.parquet", 5])
def test_what_is_no_batch_is_told_in_one_line(batch: Any) -> None:
    robots = pa.table({"site": ["a.example"], "robots": [""]})
    words = f"^a batch of pages is .* this is {type(batch).__name__}$"
    with pytest.raises(TypeError, match=words):
        audit(batch, robots, crawler="x")
    with pytest.raises(TypeError, match=words):
        acap.BatchAuditor(robots, crawler="x")(batch)


def test_a_row_names_the_usages_below_that_are_prohibited(tmp_path: Path) -> None:
    """Who asks for all training hears that generative training is refused, in the row, the text and the summary."""
    robots = b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n"
    came = [Came(f"{site(0)}/robots.txt", robots, -1, "text/plain"), Came(f"{site(0)}/p", b"<p>Some words of text.")]
    archive = write_warc(tmp_path / "a.warc.gz", came)
    told = run(archive, "-c", "bot", "-u", "ai-train,index", "-o", tmp_path / "o.parquet", "--processes", "1", code=0)
    assert "of these 1 prohibits ai-train-generative" in told
    [row] = pq.read_table(tmp_path / "o.parquet").to_pylist()
    assert (row["ai_train_outcome"], row["ai_train_restrictions"]) == ("permitted", ["except=ai-train-generative"])
    assert row["index_restrictions"] == []
    run(archive, "-c", "bot", "--content", "ai-train", "-o", tmp_path / "c.parquet", "--processes", "1", code=0)
    [text] = pq.read_table(tmp_path / "c.parquet").to_pylist()
    assert text["restrictions"] == ["except=ai-train-generative"]


def test_a_row_is_under_the_restrictions_of_all_policies_that_decide(tmp_path: Path) -> None:
    """Where a robots.txt before the page and one after it both have to permit, neither is forgotten."""
    limited = b"ACAP-crawler: *\nACAP-allow-present-snippet: / max-length=%d-chars\n"
    came = [Came(f"{site(0)}/robots.txt", limited % 50, -1, "text/plain"),
            Came(f"{site(0)}/robots.txt", limited % 9, 1, "text/plain"),
            Came(f"{site(0)}/p", b"<p>A page.")]  # fmt: skip
    archive = write_warc(tmp_path / "a.warc.gz", came)
    run(archive, "-c", "bot", "-u", "present-snippet", "-o", tmp_path / "o.parquet", "--processes", "1", code=0)
    [row] = pq.read_table(tmp_path / "o.parquet").to_pylist()
    assert row["present_snippet_outcome"] == "permitted"
    assert row["present_snippet_restrictions"] == ["max-length=50-chars", "max-length=9-chars"]


def test_a_policy_that_cannot_be_read_is_a_problem_of_the_audit(tmp_path: Path) -> None:
    """Its site counts as out of reach, and the summary says why."""
    (tmp_path / "r.csv").write_text("site,robots\na.example,User-agent: * Disallow: /z\n")
    (tmp_path / "p.csv").write_text("url\nhttps://a.example/1\n")
    asked = ("--robots", tmp_path / "r.csv", "-c", "bot", "-o", tmp_path / "o.parquet", "--processes", "1", "--json")
    told = json.loads(run(tmp_path / "p.csv", *asked, code=1).partition("\nacap:")[0])
    assert told["unread"] == 2  # a host stands for two sites
    assert "r.csv: row 1: https://a.example/robots.txt counts as out of reach" in told["problems"][0]


def test_the_join_keys_are_those_of_common_crawl() -> None:
    """Host backwards without `www.`; keys that a table brings are kept."""
    urls = ["https://www.example.co.uk:443/A?b=2&a=1", "http://1.2.3.4:8080/x/", "https://b.example/%41//c#d"]
    found = audit(
        pa.table({"url": urls, "crawl": ["CC-MAIN-2026-10"] * 3}),
        pa.table({"url": ["https://none.example/robots.txt"], "robots": [b""]}),
        crawler="a",
    )
    rows = found.to_pylist()
    assert [row["url_surtkey"] for row in rows] == ["uk,co,example)/a?a=1&b=2", "4,3,2,1:8080)/x", "example,b)/a/c"]
    assert [row["surt_host_name"] for row in rows] == ["uk,co,example", "4,3,2,1", "example,b"]
    assert {row["crawl"] for row in rows} == {"CC-MAIN-2026-10"}
    kept = audit(
        pa.table({"url": urls[:1], "url_surtkey": ["own)/key"]}),
        pa.table({"url": ["https://none.example/robots.txt"], "robots": [b""]}),
        crawler="a",
    )
    assert kept.to_pylist()[0]["url_surtkey"] == "own)/key"


def test_a_fault_of_ours_prohibits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, crawled: list[Came]) -> None:
    """A row on which acap fails is prohibited, and told."""
    from acap.audits.kept_policies import shelve_file
    from acap.audits.part import audit_part

    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    archive = write_warc(tmp_path / "a.warc.gz", crawled[:20])
    monkeypatch.setattr("acap.audits.rows.carriers", fails)
    shelf = shelve_file(archive, 0, BEGIN + timedelta(days=9), tmp_path / "s.sqlite")
    options = AuditOptions(acap.Crawler("examplebot"), ("crawl",))
    out = tmp_path / "000000.parquet"
    count = audit_part(InputPart(archive, "archive"), out, shelf, BEGIN + timedelta(days=9), options)
    rows = pq.read_table(out).to_pylist()
    assert count == len(rows) == 7
    assert {(row["crawl_outcome"], row["error"]) for row in rows} == {("prohibited", "internal")}


def test_values_of_rows_are_made_where_rows_are_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, crawled: list[Came]
) -> None:
    """For the usable text nobody needs them; a fault in them is one refused row."""
    from acap.audits.kept_policies import shelve_file
    from acap.audits.part import audit_part

    values, asked = Auditor.values, 0

    def fails_once(self: Auditor, row: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise ZeroDivisionError
        return values(self, row)

    monkeypatch.setattr(Auditor, "values", fails_once)
    archive, now = write_warc(tmp_path / "a.warc.gz", crawled[:20]), BEGIN + timedelta(days=9)
    shelf, part = shelve_file(archive, 0, now, tmp_path / "s.sqlite"), InputPart(archive, "archive")
    crawler = acap.Crawler("examplebot")
    assert audit_part(part, tmp_path / "0.parquet", shelf, now, AuditOptions(crawler, ("index",), content="index")) == 7
    assert asked == 0
    audit_part(part, tmp_path / "1.parquet", shelf, now, AuditOptions(crawler, ("index",)))
    errors = pq.read_table(tmp_path / "1.parquet")["error"].to_pylist()
    assert (len(errors), errors.count("internal")) == (7, 1)


@pytest.mark.parametrize("arguments", [
    ["x.warc.gz", "-o", "o"],
    ["missing.warc.gz", "-c", "a", "-o", "o"],
    ["x.txt", "-c", "a", "-o", "o"],
    ["x.parquet", "-c", "a", "-o", "o"],
    ["x.warc.gz", "-c", "a", "-u", "train", "-o", "o"],
    ["x.warc.gz", "-c", "a", "-o", "."],
    ["x.warc.gz", "-c", "a", "--robots", "x.txt", "-o", "o"],
])  # fmt: skip
def test_a_wrong_call_is_told_in_one_line(arguments: list[str], tmp_path: Path) -> None:
    """What is wrong, and what to do."""
    for name in ("x.warc.gz", "x.txt", "x.parquet"):
        (tmp_path / name).write_bytes(b"nothing of the kind")
    done = subprocess.run([*ACAP, "audit", *arguments], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert done.stderr.startswith("acap: ")


@pytest.mark.parametrize(("value", "expected"), [
    ([("A", "b"), ("C", "d")], (("A", "b"), ("C", "d"))),
    ([{"name": "A", "value": "b"}], (("A", "b"),)),
    ([{"value": "b", "name": "A"}], (("A", "b"),)),
    ([{"A": "b"}, {"C": "d"}], (("A", "b"), ("C", "d"))),
    (["A: b"], (("A", "b"),)),
    ([(b"A", b"b")], (("A", "b"),)),
    ({"A": "b", "C": ["d", "e"]}, (("A", "b"), ("C", "d"), ("C", "e"))),
    ('{"A": "b", "A": "c"}', (("A", "b"), ("A", "c"))),
    ('{"A": 1}', (("A", "1"),)),
    ("HTTP/1.1 200 OK\r\nA: b\r\nC: d:e\r\n", (("A", "b"), ("C", "d:e"))),
    ("A:\r\n b\r\n", (("A", "b"),)),
    (b"A: b", (("A", "b"),)),
    ("b'A: b'", (("A", "b"),)),
    (r"""b'HTTP/1.1 200 OK\r\nA: b\r\n' """, (("A", "b"),)),
    (r"""b"A: it's\r\nC: \xe9" """, (("A", "it's"), ("C", "\xe9"))),
    ("""b'[["A", "b"]]'""", (("A", "b"),)),
    (None, ()), ("", ()),
])  # fmt: skip
def test_headers_are_read_in_every_usual_form(value: object, expected: tuple[tuple[str, str], ...]) -> None:
    """Pairs, structs, mappings, JSON and lines, with names that are repeated."""
    assert headers_of(value) == expected


UNREADABLE = [
    *({"headers": value} for value in (
        "{", "[" * 100_000, '{"X-Robots-Tag": "noindex"', 7, [7], [("A",)], [{"a": 1, "b": 2, "c": 3}], "no header",
        "{'X-Robots-Tag': noindex}", '"{}"', [("A", None)], [("A", 1.5)], "A b: c",
        '[{"name": "X-Robots-Tag", "name": "A", "value": "noindex"}]', [{"name": "A", "Name": "B", "value": "c"}],
        "HTTP/1.1 200 OK\r\n X-Robots-Tag: noindex\r\n", r"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex",
        "b'X-Robots-Tag: noindex\\x'", "b'X-Robots-Tag: no'index'", r"b'HTTP/1.1 200 OK\\r\\nX-Robots-Tag: noindex'",
        "b'X-Robots-Tag: noindex\xe9'",
    )),
    *({"status": value} for value in ("503 x", "HTTP/1.1 503", 0, -1, 1000, 200.5, True, float("inf"), "nonsense")),
    *({"content": value} for value in (7, [60, 112, 62], {"a": "<p>"}, True, "b'<p>\\x'")),
    *({"fetch_time": value} for value in ("yesterday", 7, "99999999999999", b"x", 1.5)),
]  # fmt: skip
"""Values of a row that are there and cannot be read."""


@pytest.mark.parametrize("broken", UNREADABLE, ids=lambda one: ascii(one)[:40])
def test_a_value_that_cannot_be_read_is_no_absent_one(broken: dict[str, Any]) -> None:
    """Of a page it prohibits every use; of a robots.txt, every page of its site."""
    whole = {"url": f"{site(0)}/p", "fetch_time": BEGIN, "status": 200, "headers": (), "content": b"<p>words"}
    opened = {"url": f"{site(0)}/", "robots": b"User-agent: *\nAllow: /\n", "fetch_time": None, "status": 200}
    auditor = Auditor(policies_of(opened), crawler="bot", usages=["crawl", "index"])

    def answers(page: dict[str, Any]) -> list[tuple[str, str | None]]:
        keys = {"fetch_time": "at", **{name: name for name in ("url", "status", "headers", "content")}}
        row = auditor.row(resource_of({keys[name]: value for name, value in page.items()}))
        return [(str(cell.outcome), row.error) for cell in row.cells]

    assert answers(whole) == [("permitted", None)] * 2
    assert answers({**whole, **broken}) == [("prohibited", "unreadable")] * 2
    if "content" in broken:
        broken = {"robots": broken["content"]}
    damaged = Auditor(policies_of({**opened, **broken}), crawler="bot", now=BEGIN)
    assert damaged.row(resource_of({"url": whole["url"]})).cells[0].outcome == "prohibited"


def policies_of(row: dict[str, Any]) -> ShelvedPolicies:
    """The policies of one row of a table, whatever its values are."""
    shelf = ArchiveShelf(":memory:")
    keys = {"fetch_time": "at", **{name: name for name in ("url", "status", "headers", "robots")}}
    shelf.add([policy_event(0, 1, {keys[name]: value for name, value in row.items()}, None)])
    shelf.finish()
    return ShelvedPolicies(shelf, BEGIN + timedelta(days=900))


@pytest.mark.parametrize("value", [
    BEGIN, BEGIN.isoformat(), "2026-03-01T12:00:00Z", "20260301120000", 20260301120000, BEGIN.replace(tzinfo=None),
    int(BEGIN.timestamp()), str(int(BEGIN.timestamp() * 1000)),
])  # fmt: skip
def test_times_are_read_in_every_usual_form(value: object) -> None:
    """Timestamps, ISO 8601, 14 digits, seconds and milliseconds."""
    assert instant_of(value) == BEGIN
    assert instant_of(None) is None


@pytest.mark.parametrize(("name", "octets"), [
    ("r.jsonl", b'{"url":"https://a.example/","robots":"User-agent: *\\nAllow: /"}\n{"url":"https://a.example/","ro'),
    ("r.jsonl", b'{"url":"https://a.example/","robots":["User-agent: *","Disallow: /"]}\n'),
    ("r.csv", b'url,robots\nhttps://a.example/,"User-agent: *\nAllow: /\n'),
    ("r.csv", b'url,robots,status\nhttps://a.example/,"User-agent: *\nAllow: /"\n'),
    ("r.cdxj", b"a b {}\n"),
])  # fmt: skip
def test_policies_that_are_not_whole_are_refused(name: str, octets: bytes, tmp_path: Path) -> None:
    """What is lost of them may have prohibited: one line, and nothing is written."""
    (tmp_path / name).write_bytes(octets)
    (tmp_path / "u.jsonl").write_text('{"url": "https://a.example/private"}\n')
    out = tmp_path / "o.parquet"
    assert run(tmp_path / "u.jsonl", "--robots", tmp_path / name, "-c", "a", "-o", out, code=2).count("\n") == 1
    assert not out.exists()


def test_no_file_of_others_is_replaced_or_removed(tmp_path: Path, crawled: list[Came]) -> None:
    """The output is no input, and a directory in the place of the parts is left alone."""
    pages = tmp_path / "in.parquet"
    pq.write_table(table_of(pages_of(crawled)), pages)
    before = pages.read_bytes()
    assert "one of the inputs" in run(pages, "-c", "a", "-o", pages, code=2)
    assert pages.read_bytes() == before
    (tmp_path / "o.parquet.parts").mkdir()
    (tmp_path / "o.parquet.parts/mine.txt").write_text("mine")
    assert "something else" in run(pages, "-c", "a", "-o", tmp_path / "o.parquet", code=2)
    assert (tmp_path / "o.parquet.parts/mine.txt").read_text() == "mine"


def test_odd_rows_neither_end_an_audit_nor_permit(tmp_path: Path) -> None:
    """Half surrogates, keys that are no texts, a BOM before a quote, octets as URLs, cut rows, no rows."""
    out = tmp_path / "o.parquet"
    (tmp_path / "a.jsonl").write_text('{"url":"https://a.example/\\ud800"}\n{"url":"https://a.example/x","urlkey":7}\n')
    run(tmp_path / "a.jsonl", "-c", "a", "-o", out)
    assert pq.read_table(out)["crawl_outcome"].to_pylist() == ["prohibited"] * 2
    (tmp_path / "b.csv").write_bytes(b'\xef\xbb\xbf"url",status,headers\nhttps://a.example/x,200\n')
    run(tmp_path / "b.csv", "-c", "a", "-o", out)
    assert pq.read_table(out)["error"].to_pylist() == ["unreadable"]
    nanoseconds = pa.array([1_700_000_000_123_456_789], pa.timestamp("ns", tz="UTC"))
    pq.write_table(pa.table({"url": [b"https://a.example/x"], "fetch_time": nanoseconds}), tmp_path / "c.parquet")
    run(tmp_path / "c.parquet", "-c", "a", "-o", out)
    assert pq.read_table(out)["url"].to_pylist() == ["https://a.example/x"]
    (tmp_path / "d.csv").write_text("url\n")
    run(tmp_path / "d.csv", "-c", "a", "-o", out)


def test_a_plain_url_has_the_key_that_any_url_has(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(5)
    parts = ("/", "a", "B", ".", "..", "~", "%7E", "?b=1", "www.", "-", "_", ":80", "@", "#c", "é", "\n", " ")
    schemes = ("https://", "http://", "HTTPS://", "ftp://")
    hosts = ("www.A.example", "b.example.", "c9.example", "1.2.3.4", "-", "..", "")
    urls = [
        chance.choice(schemes)
        + chance.choice(hosts)
        + "".join(chance.choices(parts[: chance.choice((3, 99))], k=length))
        for length in range(8)
        for _ in range(400)
    ]
    found = [surt_key(url) for url in urls]
    assert sum(surt._PLAIN.fullmatch(url) is not None for url in urls) > 100
    monkeypatch.setattr("acap.audits.surt._PLAIN", re.compile("(?!)"))
    assert found == [surt_key(url) for url in urls]


def test_a_key_of_any_length_takes_little_time() -> None:
    """Escapes within escapes are peeled so often and no more."""
    assert surt_key("https://a.example/%" + "25" * 60_000) is None
    assert surt_key("https://a.example/%" + "25" * 2_000) is not None


def test_a_record_of_wat_that_says_nothing_of_its_page_is_a_doubt(tmp_path: Path) -> None:
    """A revisit, a record that was cut, a page without metadata: as of a WARC file."""
    answer = {"Response-Message": {"Status": "200"}, "Headers": {"Content-Type": "text/html"}}
    page = {**answer, "HTML-Metadata": {"Head": {}}}
    about = {"WARC-Type": "response", "WARC-Date": BEGIN.isoformat(), "WARC-Target-URI": f"{site(0)}/p"}
    blocks = []
    for told, said in (
        ({}, page),
        ({"WARC-Type": "revisit"}, page),
        ({"WARC-Truncated": "length"}, page),
        ({}, answer),
    ):
        envelope = {"WARC-Header-Metadata": {**about, **told}, "Payload-Metadata": {"HTTP-Response-Metadata": said}}
        block = json.dumps({"Envelope": envelope}).encode()
        head = f"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: {len(block)}\r\n\r\n".encode()
        blocks.append(gzip.compress(head + block + b"\r\n\r\n"))
    (tmp_path / "x.wat.gz").write_bytes(b"".join(blocks))
    robots = tmp_path / "r.jsonl"
    robots.write_text(json.dumps({"url": site(0), "robots": ""}) + "\n")
    run(tmp_path / "x.wat.gz", "--robots", robots, "-c", "a", "-u", "index", "-o", tmp_path / "o.parquet")
    found = pq.read_table(tmp_path / "o.parquet")["index_outcome"].to_pylist()
    assert found == ["permitted", "prohibited", "prohibited", "prohibited"]


def hostile_wat(head: Any, about: dict[str, Any] | None = None, headers: Any = None) -> bytes:
    """The record of a page whose metadata is anything; a text stands for itself, as Python would not write it."""
    said = {
        "Response-Message": {"Status": "200"}, "Headers": headers or {"Content-Type": "text/html"},
        "HTML-Metadata": {"Head": "HEAD"},
    }  # fmt: skip
    told = {"WARC-Type": "response", "WARC-Date": BEGIN.isoformat(), "WARC-Target-URI": f"{site(0)}/p", **(about or {})}
    block = json.dumps(
        {"Envelope": {"WARC-Header-Metadata": told, "Payload-Metadata": {"HTTP-Response-Metadata": said}}}
    )
    block = block.replace('"HEAD"', head if isinstance(head, str) else json.dumps(head))
    block = block.replace('"X-Robots-Tag-2"', '"X-Robots-Tag"')
    fields = f"WARC-Type: metadata\r\nWARC-Target-URI: {site(0)}/p\r\nContent-Length: {len(block)}"
    return gzip.compress(f"WARC/1.0\r\n{fields}\r\n\r\n{block}\r\n\r\n".encode())


NOINDEX = {"name": "robots", "content": "noindex"}


@pytest.mark.parametrize(
    ("wat", "error"),
    [
        (hostile_wat("1" * 5000), "unreadable"),
        (hostile_wat({"Metas": "1e999"}), "unreadable"),
        (hostile_wat("[" * 100_000 + "]" * 100_000), "unreadable"),
        (hostile_wat('{"Metas": [' + '{"a": [' * 50_000 + "]}" * 50_000 + "]}"), "unreadable"),
        (hostile_wat({"Metas": 7}), "unreadable"),
        (hostile_wat({"Metas": [7]}), "unreadable"),
        (hostile_wat({"Metas": [None]}), "unreadable"),
        (hostile_wat("[]", headers={"Content-Type": {"a": 1}}), "unreadable"),
        (hostile_wat({"Metas": [NOINDEX]}, {"WARC-Date": 10**400}), "unreadable"),
        (hostile_wat('{"Metas": [{"name": "robots", "content": "noindex", "content": "index"}]}'), "unreadable"),
        (hostile_wat('{"Metas": [{"name": "robots", "content": "noindex"}], "Metas": []}'), "unreadable"),
        (hostile_wat({"Metas": [{"x-='": "1", "name": "a"}, NOINDEX]}), None),
        (hostile_wat("{}", headers={"X-Robots-Tag": "noindex", "X-Robots-Tag-2": "all"}), None),
        (hostile_wat({"Metas": [{"x-><title>": "1"}, NOINDEX]}), None),
        (hostile_wat({"Metas": [{"a": 10**300, "b": 1e308, "c": True, "d": None, "e": {"f": []}}, NOINDEX]}), None),
        (hostile_wat({"Metas": [{"name": "robots", "content": '"><title>noindex'}, NOINDEX]}), None),
    ],
)
def test_hostile_metadata_of_wat_permits_nothing(wat: bytes, error: str | None, tmp_path: Path) -> None:
    """Huge numbers, nesting, other types, names that would end a tag: the page has a row, and is prohibited."""
    (tmp_path / "x.wat.gz").write_bytes(wat)
    pq.write_table(pa.table({"url": [site(0)], "robots": [""]}), tmp_path / "r.parquet")
    found = list(resources(InputPart(tmp_path / "x.wat.gz", "wat"), lambda _: None))
    policies = TablePolicies(pq.read_table(tmp_path / "r.parquet"))
    rows = [Auditor(policies, crawler="a", usages=["index"]).row(one) for one in found]
    assert [(row.cells[0].outcome, row.error) for row in rows] == [("prohibited", error)]


@pytest.mark.parametrize(
    ("url", "outcome", "error"),
    [
        ("https://s0.example:443/private", "prohibited", None),
        ("https://s0.example:443/a", "permitted", None),
        ("https://s0.example:8443/a", "prohibited", "no-policy"),
        ("http://s0.example:443/a", "prohibited", "no-policy"),
        ("https://s0.example:99999/a", "prohibited", "no-url"),
        ("https://s0.example:0/a", "prohibited", "no-url"),
        ("https://M\u00dcNCHEN.example/a", "permitted", None),
        ("https://xn--mnchen-3ya.example/private", "prohibited", None),
        ("https://[::1]:9/a", "prohibited", "no-policy"),
        ("https://a..b/x", "prohibited", "no-url"),
        ("https://<script>alert(1)</script>/x", "prohibited", "no-url"),
        ("https://s0.example/\x1b[31mred", "prohibited", "no-url"),
        ("\x1b]0;title\x07", "prohibited", "no-url"),
    ],
)
def test_ports_and_hosts_of_any_spelling_have_the_policy_of_their_site(
    url: str, outcome: str, error: str | None
) -> None:
    """A port is another site, a name in Unicode is the one that is asked, and what is none is prohibited."""
    names = ["https://s0.example/", "https://m\u00fcnchen.example/"]
    robots = pa.table({"url": names, "robots": ["User-agent: *\nDisallow: /private\n"] * 2})
    [row] = acap.audit(pa.table({"url": [url]}), robots, crawler="a").to_pylist()
    assert (row["crawl_outcome"], row["error"]) == (outcome, error)


def test_what_is_shown_has_nothing_that_steers_a_terminal(tmp_path: Path) -> None:
    """URLs, values, names of columns and of files: in the words of the command, and in its page."""
    evil = "\x1b[31m\x9b2J\u202e<script>alert(1)</script>"
    (tmp_path / f"{evil[:4]}x.jsonl").write_text(
        json.dumps({"url": f"https://s0.example/{evil}", "status": evil}) + "\n" + json.dumps({evil: 1}) + "\n"
    )
    out, page = tmp_path / "o.parquet", tmp_path / "o.html"
    said = run(*tmp_path.glob("*.jsonl"), "-c", "a", "-o", out, "--html", page)
    said += run(*tmp_path.glob("*.jsonl"), "-c", "a", "-o", out, "--json")
    pq.write_table(pa.table({evil: ["x"]}), tmp_path / "c.parquet")
    said += run(tmp_path / "c.parquet", "-c", "a", "-o", out, code=2)
    for text in (said, page.read_text(encoding="utf-8")):
        assert not set(text) & {"\x1b", "\x9b", "\u202e"}
    assert "<script>alert" not in page.read_text(encoding="utf-8")


def test_rows_of_one_instant_that_differ_prohibit() -> None:
    """Their order is unknown; equal ones are one."""
    page = pa.Table.from_pylist([{"url": f"{site(0)}/a", "fetch_time": BEGIN + timedelta(hours=1)}])
    for second, outcome in (("", "permitted"), ("User-agent: *\nDisallow: /b\n", "prohibited")):
        said = [{"url": site(0), "robots": text, "fetch_time": BEGIN} for text in ("", second)]
        robots = pa.Table.from_pylist(said)
        [row] = acap.audit(page, robots, crawler="a").to_pylist()
        assert row["crawl_outcome"] == outcome


def test_archives_packed_with_zstandard_are_whole_or_told(tmp_path: Path, crawled: list[Came]) -> None:
    """One that is cut is reported, whatever was read of it; a dictionary at its beginning is used, packed or not."""
    octets: list[Any] = [record(one) for one in crawled]
    trained = zstandard.train_dictionary(4096, octets)
    packing = zstandard.ZstdCompressor(dict_data=trained)
    frames = b"".join(map(packing.compress, octets))
    plain = b"".join(map(zstandard.compress, octets))
    as_bytes = trained.as_bytes()
    brought = {
        name: b"\x5d\x2a\x4d\x18" + len(one).to_bytes(4, "little") + one
        for name, one in (("plain", as_bytes), ("packed", zstandard.compress(as_bytes)), ("none", b""))
    }
    for octets_of_file, count, is_whole in (
        (plain, 140, True), (plain[:-5], 100, False), (zstandard.compress(b"".join(octets))[:-5], 0, False),
        (brought["plain"] + frames, 140, True), (brought["packed"] + frames, 140, True),
        (brought["none"] + frames, 0, False), (frames, 0, False), (brought["plain"] + frames[:-5], 100, False),
        (brought["plain"][:-5], 0, False), (brought["none"] + plain, 140, True),
    ):  # fmt: skip
        (tmp_path / "a.warc.zst").write_bytes(octets_of_file)
        problems: list[str] = []
        found = list(resources(InputPart(tmp_path / "a.warc.zst", "archive"), problems.append))
        assert len([one for one in found if not one.unread]) >= count
        assert (not problems) == is_whole


def test_a_value_that_rows_share_is_in_memory_once(tmp_path: Path) -> None:
    """A small file may have a page of 5 MB for each of its rows."""
    pages = pa.array([b"<p>" + b"x" * 1_500_000, b"y"])
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 300, pa.int32()), pages)
    for number, content in enumerate((column, column.cast(pa.binary()))):
        table = pa.table({"url": [f"{site(0)}/{n}" for n in range(600)], "content": content})
        pq.write_table(table, tmp_path / f"{number}.parquet")
        found = list(resources(InputPart(tmp_path / f"{number}.parquet", "parquet", (0,)), pytest.fail))
        assert len({id(one.octets) for one in found if one.octets != b"y"}) <= 3  # once a batch
        assert len(found) == 600


@pytest.mark.parametrize("room", [2_000, 100_000])
def test_a_full_disk_is_told_in_one_line_and_loses_nothing(room: int, tmp_path: Path) -> None:
    """Full before the policies are kept, or before a part is written: the same call goes on once there is room."""
    words = random.Random(1).randbytes(200_000).hex().encode()
    pages = [Came(f"{site(0)}/{n}", b"<p>" + words[n * 20_000 :][:20_000], n) for n in range(20)]
    archive = write_warc(tmp_path / "a.warc.gz", [Came(f"{site(0)}/robots.txt", b"", 0, "text/plain"), *pages])
    out = tmp_path / "o.parquet"
    call = [*ACAP, "audit", str(archive), "-c", "examplebot", "--content", "index", *ALONE, "-o", str(out)]
    # A write beyond the limit fails as on a full disk.
    limit = (
        "import os, resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room})); os.execv(sys.argv[1], sys.argv[1:])"
    )
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", limit, *call], capture_output=True, text=True, check=False, env=environment
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert "the same call goes on" in done.stderr
    run(*call[4:], code=0)
    assert pq.read_table(out).num_rows == 20
    assert not (tmp_path / "o.parquet.parts").exists()


def test_urls_without_a_time_and_an_old_crawl_lead_to_the_option_for_both(tmp_path: Path) -> None:
    """They are asked about as of now, for which nothing is known: the summary names what asks as of then."""
    urls, policies = tmp_path / "urls.csv", tmp_path / "robots.parquet"
    urls.write_text("url\nhttps://a.example/1\n", encoding="utf-8")
    old = datetime(2020, 1, 1, tzinfo=UTC)
    pq.write_table(pa.table({"url": ["https://a.example/"], "robots": [""], "at": [old]}), policies)
    told = run(urls, "--robots", policies, "-c", "examplebot", "-u", "crawl", "-o", tmp_path / "a.parquet")
    assert "1 page: no robots.txt of its site is known at that time; it counts for 30 days, `--at` asks as of" in told
    run(urls, "--robots", policies, "--at", "2020-01-02", "-c", "examplebot", "-o", tmp_path / "b.parquet", code=0)


def test_without_any_policies_the_summary_names_what_gives_some(tmp_path: Path) -> None:
    """A table of policies that was given as pages is recognised by its column."""
    urls, policies = tmp_path / "urls.csv", tmp_path / "robots.parquet"
    urls.write_text("url\nhttps://a.example/1\n", encoding="utf-8")
    pq.write_table(pa.table({"url": ["https://a.example/"], "Robots": [""]}), policies)
    question = ("-c", "examplebot", "-o", tmp_path / "a.parquet")
    told = run(urls, *question)
    lacks = "nothing that was given has a robots.txt of any site: name policies with `--robots`, or ask the sites with"
    assert f"{lacks} `--fetch`; `--missing permitted` takes each for a site that has none\n" in told
    assert "--at" not in told
    archive = write_warc(tmp_path / "a.warc.gz", [Came(f"{site(0)}/a", b"<p>A page.", 0)])
    told = run(archive, *question, "--missing", "permitted", code=0)
    assert f"{lacks} `--fetch`\n" in told
    assert "--at" not in told
    assert f"{policies} has a column `Robots`: give a table of policies with `--robots`" in run(policies, *question)


@pytest.mark.parametrize("name", ["pages.csv", "pages.jsonl", "pages.arrow", "pages.parquet", "pages.cdx"])
@pytest.mark.parametrize("has_robots", [True, False])
def test_a_column_of_robots_txt_files_is_found_in_every_table(name: str, has_robots: bool, tmp_path: Path) -> None:
    columns = {"url": ["https://a.example/"], **({"robots_txt": [""]} if has_robots else {})}
    table, file = pa.table(columns), tmp_path / name
    if file.suffix == ".parquet":
        pq.write_table(table, file)
    elif file.suffix == ".arrow":
        with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    else:
        row = table.to_pylist()[0]
        lines = [json.dumps(row)] if file.suffix == ".jsonl" else [",".join(row), ",".join(row.values())]
        file.write_text("\n".join(lines), encoding="utf-8")
    assert robots_column(file) == ("robots_txt" if has_robots and file.suffix != ".cdx" else None)


@pytest.mark.parametrize("text", ["", "url\n"])
def test_inputs_without_pages_are_told(text: str, tmp_path: Path) -> None:
    file = tmp_path / "e.csv"
    file.write_text(text, encoding="utf-8")
    told = command_line.acap("audit", *ALONE, file, "-c", "examplebot", "-o", tmp_path / "a.parquet")
    assert (told.code, told.out) == (1, "0 pages\n")
    assert "acap: the inputs have no pages, so nothing is permitted\n" in told.err

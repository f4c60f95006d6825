"""Splits of archives are judged by any worker as a harvest judges responses, without a store."""

from __future__ import annotations

import gzip
import pickle
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

import acap
from acap.archives import read_warc
from acap.archives.splits import WarcSplit, warc_splits
from acap.audits.policies import TablePolicies
from acap.harvest.batch_judge import BatchJudge
from acap.harvest.conclusion import judge
from acap.harvest.judgement import ResourceState, Response
from tests.crawled import BEGIN, Came, crawl, record, robots_table, site, write_warc

NOW = BEGIN + timedelta(days=2)


@pytest.fixture(scope="module")
def crawled() -> list[Came]:
    """A crawl with every kind of robots.txt."""
    return crawl(8, 90)


@pytest.fixture(scope="module")
def judging(crawled: list[Came]) -> BatchJudge:
    """The judge of that crawl."""
    return BatchJudge(TablePolicies(robots_table(crawled), now=NOW), crawler="examplebot", usages=["ai-train"])


@pytest.fixture(scope="module")
def archive(crawled: list[Came], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crawl as a WARC file."""
    return write_warc(tmp_path_factory.mktemp("judge") / "crawl.warc.gz", crawled)


def test_a_row_is_what_the_judge_concludes(crawled: list[Came], judging: BatchJudge, archive: Path) -> None:
    """Outcomes, words, copy and links are those of `judge`; of what may not be crawled nothing is kept."""
    policies = TablePolicies(robots_table(crawled), now=NOW)
    rows = list(judging.rows(archive))
    captures = [one for one in read_warc(archive) if not one.url.endswith("/robots.txt")]
    assert len(rows) == len(captures) == 90
    kept = 0
    for row, capture in zip(rows, captures, strict=True):
        assert row["url"] == capture.url
        found = policies.speaking(capture.url, capture.at)
        if row["error"] is not None or row["crawl_outcome"] == "prohibited":
            assert {row["index_outcome"], row["preserve_outcome"], row["follow_outcome"]} == {"prohibited"}
            assert row["text"] is row["copy"] is None
            assert not found or capture.status != 200 or found[0].decide(
                capture.url, crawler="examplebot", at=capture.at
            ).outcome == "prohibited"  # fmt: skip
            continue
        at = capture.at
        response = Response(
            capture.url, at, acap.Crawler("examplebot"), found[0], capture.headers, capture.body, usages=("ai-train",)
        )
        expected = judge(response, ResourceState(acap.Facts(at, at, at, at)))
        assert (row["title"], row["text"]) == (expected.words or (None, None))
        assert (row["copy"], row["copy_is_whole"]) == (expected.copy or (None, None))
        assert row["index_outcome"] == expected.record["index"]["outcome"]
        assert expected.leads is not None
        assert row["links"] == list(expected.leads.links)
        kept += row["text"] is not None
    assert 0 < kept < 60


def test_splits_have_the_rows_of_the_file(judging: BatchJudge, archive: Path) -> None:
    """However small they are, pickled, and as Arrow."""
    whole = list(judging.rows(archive))
    for octets in (1, 2000, 1 << 30):
        splits = list(warc_splits(archive, octets))
        assert all(one.offset + (one.length or 0) == other.offset for one, other in pairwise(splits))
        worker = pickle.loads(pickle.dumps(judging))
        assert [row for split in splits for row in worker.rows(split)] == whole
        table = pa.Table.from_pylist([split._asdict() for split in splits])
        assert worker(table).to_pylist() == whole
    assert len(list(warc_splits(archive, 1))) == 98


def test_a_split_that_begins_nowhere_has_one_row_that_permits_nothing(judging: BatchJudge, archive: Path) -> None:
    """What a server put into the midst of a record is not taken for one."""
    [row] = judging.rows(WarcSplit(str(archive), 7, 900))
    assert (row["url"], row["crawl_outcome"], row["error"]) == (
        None, "prohibited", "unreadable: no record begins at octet 7",
    )  # fmt: skip


def test_what_cannot_be_read_permits_nothing(judging: BatchJudge, tmp_path: Path) -> None:
    """A cut record, another record behind damage, and a file that is none."""
    page = Came(f"{site(0)}/public/a", b"<p>words", 30)
    octets = gzip.compress(record(page))
    file = tmp_path / "a.warc.gz"
    file.write_bytes(octets[:-30] + b"broken" + octets)
    rows = list(judging.rows(file))
    assert [row["index_outcome"] for row in rows if row["error"]] == ["prohibited"] * (len(rows) - 1)
    assert rows[-1]["text"] == "words"
    (tmp_path / "b.warc.gz").write_bytes(b"no archive")
    assert {row["crawl_outcome"] for row in judging.rows(tmp_path / "b.warc.gz")} == {"prohibited"}


def test_several_policies_keep_what_they_agree_on(tmp_path: Path) -> None:
    """A file of the day after counts too: where it prohibits, nothing is kept."""
    robots = [
        Came(f"{site(0)}/robots.txt", b"User-agent: *\nAllow: /\n", 0, "text/plain"),
        Came(f"{site(0)}/robots.txt", b"ACAP-crawler: *\nACAP-disallow-index: /\n", 2, "text/plain"),
    ]
    file = write_warc(tmp_path / "a.warc.gz", [Came(f"{site(0)}/a", b"<p>words", 1)])
    [row] = BatchJudge(TablePolicies(robots_table(robots), now=NOW), crawler="examplebot").rows(file)
    assert (row["crawl_outcome"], row["index_outcome"], row["text"]) == ("permitted", "prohibited", None)


def test_mistakes_are_told_when_the_question_is_made() -> None:
    """An unknown usage, and a time without a zone."""
    policies = TablePolicies(pa.table({"url": ["https://a.example/"], "robots": [""]}))
    with pytest.raises(ValueError, match="not a usage"):
        BatchJudge(policies, crawler="a", usages=["train"])
    with pytest.raises(ValueError, match="no time zone"):
        BatchJudge(policies, crawler="a", at=BEGIN.replace(tzinfo=None))


def test_no_split_begins_within_a_member_that_is_broken(tmp_path: Path) -> None:
    """What looks like a member in its body may be any server's; where a member ends behind damage is unknown."""
    fake = gzip.compress(b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
    whole = gzip.compress(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: %d\r\n\r\n" % len(fake)
    broken = bytearray(gzip.compress(head + fake + b"\r\n\r\n", compresslevel=0))
    broken[-8] ^= 1  # the sum of its octets
    file = tmp_path / "a.warc.gz"
    file.write_bytes(whole + broken + whole)
    starts = [split.offset for split in warc_splits(file, octets=1)]
    assert [one for one in starts if one > len(whole)] == []

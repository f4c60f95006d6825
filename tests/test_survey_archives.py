"""A survey reads archives with several processes as with one, says how far it is, and keeps nothing half done."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from acap.audits import robots_archives, survey_rows
from acap.audits.robots_archives import Uncounted, archive_pieces
from acap.audits.survey import SurveyProgress
from tests.test_import import archive, robots


@pytest.fixture
def crawl(tmp_path: Path) -> list[Path]:
    """Two archives with some hundred captures, a redirect and a broken record."""
    files = []
    for number in range(2):
        records = [
            robots(f"User-agent: *\nDisallow: /{os.urandom(64).hex()}\n".encode(), site=f"https://s{one}.example")
            for one in range(150 * number, 150 * number + 150)
        ]
        records.append(robots(b"", site="https://moved.example", status=301))
        file = archive(tmp_path / f"crawl-{number}.warc.gz", records)
        file.write_bytes(file.read_bytes() + b"\x1f\x8b\x08\x00broken")
        files.append(file)
    return files


def test_archives_are_read_by_several_processes_as_by_one(crawl: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same captures in the same order, and as much that is not counted."""

    def found(processes: int) -> tuple[list[object], Uncounted, int]:
        pieces = list(archive_pieces(crawl, processes))
        left = Uncounted()
        for piece in pieces:
            left = left.plus(piece.left)
        rows = [row for piece in pieces if piece.batch is not None for row in piece.batch.to_pylist()]
        return rows, left, sum(piece.octets for piece in pieces)

    alone = found(1)
    monkeypatch.setattr(robots_archives, "ALONE", 0)
    monkeypatch.setattr(robots_archives, "PART", 4096)
    assert len(list(robots_archives._splits(crawl[0]))) > 3
    assert found(2) == alone
    assert len(alone[0]) == 300
    assert alone[1].redirects == 2
    assert alone[2] == sum(file.stat().st_size for file in crawl)


def test_progress_reaches_all_of_the_input(crawl: list[Path], tmp_path: Path) -> None:
    """Octets only grow, and captures reach what was counted; of every form of a table as of an archive."""
    table = pa.table({"site": [f"{one}.example" for one in range(10_000)], "robots": ["User-agent: *\n"] * 10_000})
    pq.write_table(table, tmp_path / "robots.parquet")
    seen: list[SurveyProgress] = []
    found = acap.survey(tmp_path, crawlers=["bot"], on_progress=seen.append, before=crawl[0])
    octets = [one.octets for one in seen]
    assert octets == sorted(octets)
    assert seen[-1].captures == found.total.captures + 150
    assert seen[-1].of_octets == sum(file.stat().st_size for file in (*crawl, tmp_path / "robots.parquet", crawl[0]))
    assert octets[-1] <= seen[-1].of_octets


def test_a_survey_that_is_interrupted_leaves_nothing(
    crawl: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of an earlier survey stay as they were, no part of new ones is there, and temporary files have gone."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setattr(robots_archives, "ALONE", 0)
    monkeypatch.setattr(robots_archives, "PART", 4096)
    rows = tmp_path / "out" / "rows.parquet"
    rows.parent.mkdir()
    rows.write_bytes(b"earlier")

    seen: list[SurveyProgress] = []

    def stop(progress: SurveyProgress) -> None:
        seen.append(progress)
        if len(seen) == 2:  # the rows of the first batch were written before those of the second
            assert len(list(rows.parent.iterdir())) == 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        acap.survey(crawl, crawlers=["bot"], rows=rows, before=crawl, processes=2, on_progress=stop)
    assert [(file.name, file.read_bytes()) for file in rows.parent.iterdir()] == [("rows.parquet", b"earlier")]
    assert list(scratch.iterdir()) == []


def test_rows_that_cannot_be_written_end_the_survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of the thread that writes them is that of the survey."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(survey_rows._WRITERS, ".parquet", full)
    with pytest.raises(OSError, match="No space left"):
        acap.survey(pa.table({"site": ["a"], "robots": [""]}), crawlers=["bot"], rows=tmp_path / "rows.parquet")
    assert list(tmp_path.iterdir()) == []

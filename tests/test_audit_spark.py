"""An audit on Spark, with real processes, has the rows of the plain function; `make engines` installs what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from acap.archives.splits import WarcSplit, warc_splits
from acap.audits.policies import TablePolicies
from acap.harvest.batch_judge import BatchJudge
from tests.crawled import BEGIN, crawl, pages_of, robots_table, table_of, write_warc

pytest.importorskip("pyspark", reason="`make engines` installs Spark")

USAGES = ["crawl", "index", "ai-train"]
CLUSTER = "local-cluster[2,1,1024]"
SCRIPT = Path(__file__).parent.parent / "examples/engines/spark_audit.py"


def outcomes(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """URL, outcomes and evidence of rows, in the order of the URLs."""
    names = ("url", "crawl_outcome", "index_outcome", "ai_train_outcome", "evidence")
    return sorted(tuple(str(row[name]) for name in names) for row in rows)


def test_the_example_gives_the_rows_of_the_function(tmp_path: Path) -> None:
    """20,000 pages by a broadcast, in two workers."""
    crawled = crawl(40, 20_000)
    pages, robots = table_of(pages_of(crawled)), robots_table(crawled)
    pq.write_table(pages, tmp_path / "pages.parquet", row_group_size=2000)
    pq.write_table(robots, tmp_path / "robots.parquet")
    submit = Path(sys.executable).with_name("spark-submit")
    local = ("--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.ui.enabled=false")
    call = [
        submit,
        "--master",
        CLUSTER,
        *local,
        SCRIPT,
        *(tmp_path / f"{n}.parquet" for n in ("pages", "robots", "out")),
    ]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(list(map(str, call)), env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = pa.concat_tables([pq.read_table(file) for file in sorted((tmp_path / "out.parquet").glob("*.parquet"))])
    expected = acap.audit(pages, robots, crawler="examplebot", usages=USAGES)
    assert outcomes(found.to_pylist()) == outcomes(expected.to_pylist())


def test_splits_of_archives_are_judged_by_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows that two workers make of splits are those of the function."""
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    crawled = crawl(20, 2_000)
    archive = write_warc(tmp_path / "crawl.warc.gz", crawled)
    judging = BatchJudge(TablePolicies(robots_table(crawled), now=BEGIN + timedelta(days=9)), crawler="examplebot")
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    try:
        splits = session.createDataFrame([tuple(one) for one in warc_splits(archive, 20_000)], list(WarcSplit._fields))
        found = splits.repartition(4).mapInArrow(judging.over, judging.spark_schema).toArrow()
    finally:
        session.stop()
    names = ["url", "crawl_outcome", "index_outcome", "text", "links", "sha256"]
    expected = sorted(str([row[name] for name in names]) for row in judging.rows(archive))
    assert sorted(str([row[name] for name in names]) for row in found.to_pylist()) == expected
    assert len(expected) == 2_000

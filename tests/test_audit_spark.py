"""An audit on Spark, with real processes, has the rows of the plain function; `make engines` installs what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from tests.crawled import crawl, pages_of, robots_table, table_of

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

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
from acap.audits.policies import TablePolicies
from acap.harvest.batch_judge import BatchJudge
from tests.crawled import BEGIN, Came, crawl, pages_of, robots_table, site, table_of, write_warc

pytest.importorskip("pyspark", reason="`make engines` installs Spark")

USAGES = ["crawl", "index", "ai-train"]
CLUSTER = "local-cluster[2,1,1024]"
PROGRAMS = Path(__file__).parent.parent / "examples/engines"


def submit(program: str, out: Path, *arguments: str | Path) -> list[dict[str, Any]]:
    """The rows that a program writes on a cluster of two workers."""
    local = ("spark.driver.host=127.0.0.1", "spark.ui.enabled=false", "spark.sql.shuffle.partitions=8")
    command = [Path(sys.executable).with_name("spark-submit"), "--master", CLUSTER]
    command += [*(part for one in local for part in ("--conf", one)), PROGRAMS / program]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        list(map(str, (*command, *arguments))), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return in_order(pa.concat_tables([pq.read_table(file) for file in sorted(out.glob("*.parquet"))]))


def in_order(table: pa.Table) -> list[dict[str, Any]]:
    """All columns of the rows of a table, in the order of their URLs; Spark writes times without a zone."""
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            times = table.column(place).cast(pa.timestamp("us", field.type.tz)).cast(pa.timestamp("us", "UTC"))
            table = table.set_column(place, field.name, times)
    return sorted(table.to_pylist(), key=lambda row: (str(row["url"]), repr(row)))


def written(folder: Path, crawled: list[Came]) -> tuple[Path, Path]:
    """A crawl as a table of pages and one of policies."""
    pq.write_table(table_of(pages_of(crawled)), folder / "pages.parquet", row_group_size=2000)
    pq.write_table(robots_table(crawled), folder / "robots.parquet")
    return folder / "pages.parquet", folder / "robots.parquet"


def expected(crawled: list[Came]) -> list[dict[str, Any]]:
    """The rows of the function."""
    pages, robots = table_of(pages_of(crawled)), robots_table(crawled)
    return in_order(pa.table(acap.audit(pages, robots, crawler="examplebot", usages=USAGES)))


def test_a_broadcast_gives_the_rows_of_the_function(tmp_path: Path) -> None:
    """20,000 pages in two workers: all columns."""
    crawled = crawl(40, 20_000)
    out = tmp_path / "out.parquet"
    assert submit("spark_audit.py", out, *written(tmp_path, crawled), out) == expected(crawled)


def test_a_join_by_site_gives_the_rows_of_the_function_however_many_pages_a_site_has(tmp_path: Path) -> None:
    """Half of 8,000 pages are of one site, whose policies are broadcast; others have two policies, or none."""
    crawled = [
        one._replace(url=f"{site(1)}/{one.url.split('/', 3)[3]}") if number % 2 and "robots" not in one.url else one
        for number, one in enumerate(crawl(40, 8_000))
    ]
    closed = b"User-agent: *\nDisallow: /public\n"
    crawled += [Came(f"{site(number)}/robots.txt", closed, 70.0, "text/plain") for number in range(1, 40, 3)]
    crawled.append(Came("nowhere", b"<p>words", 30.0))
    out = tmp_path / "out.parquet"
    assert submit("spark_join.py", out, *written(tmp_path, crawled), out, "1000") == expected(crawled)


def test_splits_of_archives_are_judged_by_workers(tmp_path: Path) -> None:
    """The rows that two workers make of the splits of two archives are those of the function: all columns."""
    crawled = crawl(20, 2_000)
    archives = [write_warc(tmp_path / f"{n}.warc.gz", crawled[n::2]) for n in range(2)]
    robots, out = written(tmp_path, crawled)[1], tmp_path / "out.parquet"
    judging = BatchJudge(TablePolicies(robots_table(crawled), now=BEGIN + timedelta(days=400)), crawler="examplebot")
    rows = [row for archive in archives for row in judging.rows(archive)]
    assert submit("spark_judge.py", out, robots, out, *archives) == in_order(pa.Table.from_pylist(rows, judging.schema))
    assert len(rows) == 2_000

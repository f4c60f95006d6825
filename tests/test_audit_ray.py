"""An audit on Ray Data, with real workers, has the rows of the function; `make engines` installs what it needs."""

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

pytest.importorskip("ray", reason="`make engines` installs Ray")

USAGES = ["crawl", "index", "ai-train"]
SCRIPT = Path(__file__).parent.parent / "examples/engines/ray_audit.py"


def outcomes(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """URL, outcomes and evidence of rows, in the order of the URLs."""
    names = ("url", "crawl_outcome", "index_outcome", "ai_train_outcome", "evidence")
    return sorted(tuple(str(row[name]) for name in names) for row in rows)


def test_the_example_gives_the_rows_of_the_function(tmp_path: Path) -> None:
    """20,000 pages in four files, which Ray gives to its workers."""
    crawled = crawl(40, 20_000)
    pages, robots = table_of(pages_of(crawled)), robots_table(crawled)
    (tmp_path / "pages").mkdir()
    for part in range(4):
        pq.write_table(pages.slice(part * 5000, 5000), tmp_path / f"pages/{part}.parquet")
    pq.write_table(robots, tmp_path / "robots.parquet")
    call = [sys.executable, SCRIPT, *(tmp_path / name for name in ("pages", "robots.parquet", "out"))]
    environment = {**os.environ, "RAY_DISABLE_IMPORT_WARNING": "1", "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(list(map(str, call)), env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = pa.concat_tables([pq.read_table(file) for file in sorted((tmp_path / "out").glob("*.parquet"))])
    expected = acap.audit(pages, robots, crawler="examplebot", usages=USAGES)
    assert outcomes(found.to_pylist()) == outcomes(expected.to_pylist())

"""What of a table of pages may be used for what, on Ray Data.

    python examples/engines/ray_audit.py pages/ robots.parquet audited/

The pages have a column `url`, and perhaps `fetch_time`, `status`, `headers` and `content`; `robots.parquet` has `url`
and `robots`, and perhaps `fetch_time` and `status`. The workers need `acap[audit]`.
"""

from __future__ import annotations

import sys

import pyarrow.parquet as pq
import ray

import acap


def main(pages: str, robots: str, out: str) -> None:
    """Audits the pages, and writes a row for each."""
    auditing = acap.BatchAuditor(pq.read_table(robots), crawler="examplebot", usage=["crawl", "index", "ai-train"])
    ray.data.read_parquet(pages).map_batches(auditing, batch_format="pyarrow").write_parquet(out)


if __name__ == "__main__":
    main(*sys.argv[1:])

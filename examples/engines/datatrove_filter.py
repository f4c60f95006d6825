"""The documents that a model may be trained on, with datatrove.

    python examples/engines/datatrove_filter.py pages/ robots.parquet out/

`out/kept` has what may be used, `out/dropped` the rest, each with what refused it. The pages are JSON Lines.
"""

from __future__ import annotations

import sys

import pyarrow.parquet as pq
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from acap.integrations.datatrove import PolicyFilter


def main(pages: str, robots: str, out: str) -> None:
    """Filters the pages in two processes."""
    LocalPipelineExecutor(
        pipeline=[
            JsonlReader(pages),
            PolicyFilter(
                pq.read_table(robots),
                crawler="examplebot",
                usage=["crawl", "ai-train"],
                exclusion_writer=JsonlWriter(f"{out}/dropped", compression=None),
            ),
            JsonlWriter(f"{out}/kept", compression=None),
        ],
        logging_dir=f"{out}/logs",
        tasks=4,
        workers=2,
    ).run()


if __name__ == "__main__":
    main(*sys.argv[1:])

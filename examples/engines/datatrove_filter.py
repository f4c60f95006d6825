"""Pages that a model may be trained on, out of JSON Lines with datatrove; run it as
`python datatrove_filter.py PAGES_FOLDER ROBOTS.parquet OUT_FOLDER`.

`OUT_FOLDER/kept` has what may be used, `OUT_FOLDER/dropped` the rest, each with what refused it.
"""

from __future__ import annotations

import sys

import pyarrow.parquet as pq
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from acap.integrations.datatrove import PolicyFilter


def main(pages: str, robots: str, out: str) -> None:
    LocalPipelineExecutor(
        pipeline=[
            JsonlReader(pages),
            PolicyFilter(
                pq.read_table(robots),
                crawler="examplebot",
                usages=["crawl", "ai-train"],
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

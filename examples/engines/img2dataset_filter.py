"""Images that a model may be trained on: a list of URLs, filtered, downloaded with img2dataset, and filtered once more.

    python examples/engines/img2dataset_filter.py list.parquet images/ examplebot

The list has a column `url`. It needs `acap[audit,images]`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from img2dataset import download

import acap
from acap.audits.retrieved_policies import RetrievedPolicies
from acap.carriers import carriers
from acap.explain import summary

USAGES = ["crawl", "ai-train"]


def permitted_urls(urls: pa.Table, crawler: str, policies: Any) -> pa.Table:
    """The rows that robots.txt permits; each site is asked once."""
    found = acap.audit(urls, policies, crawler=crawler, usage=USAGES)
    permitted = [row["crawl_outcome"] == row["ai_train_outcome"] == "permitted" for row in found.to_pylist()]
    return urls.filter(pa.array(permitted, pa.bool_()))


def drop_reserved(images: Path, crawler: str) -> int:
    """Deletes the images whose own metadata do not permit training, or cannot be read; tells how many."""
    dropped = 0
    for told in images.rglob("*.json"):
        if not told.stem.isdigit():  # statistics of img2dataset
            continue
        row = json.loads(told.read_text(encoding="utf-8"))
        url = row["url"]
        for file in told.parent.glob(f"{told.stem}.*"):
            if file.suffix in (".json", ".txt"):
                continue
            page = carriers(file.read_bytes(), url=url).policy
            decision = acap.decide(url, crawler=crawler, usage="ai-train", page=page)
            if not decision.permitted:
                dropped += 1
                file.unlink()
                told.write_text(json.dumps({**row, "acap": summary(decision)}), encoding="utf-8")
    return dropped


def main(urls: str, out: str, crawler: str, policies: Any = None) -> None:
    """Downloads what may be used."""
    kept = permitted_urls(pq.read_table(urls), crawler, policies or RetrievedPolicies(crawler=crawler))
    pq.write_table(kept, f"{out}.urls.parquet")
    download(
        f"{out}.urls.parquet",
        output_folder=out,
        input_format="parquet",
        processes_count=1,
        disable_all_reencoding=True,  # what is written anew has lost its metadata
        user_agent_token=crawler,
        disallowed_header_directives=["noai", "noimageai", "noindex", "noimageindex", "none"],
    )
    print(f"{kept.num_rows} URLs permitted; {drop_reserved(Path(out), crawler)} images reserved by their metadata")


if __name__ == "__main__":
    main(*sys.argv[1:])

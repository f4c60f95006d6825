"""img2dataset downloads what policies permit; `make integrations` runs the how-to's program with the real library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.embedded_files import data_mining, png
from tests.loopback import Loopback, reply

EXAMPLES = Path(__file__).parent.parent / "examples/engines"
IMAGE = (("Content-Type", "image/png"), ("Connection", "close"))


def test_the_program_runs_with_the_real_library(tmp_path: Path) -> None:
    """What robots.txt refuses is not requested; what says so itself, in a header or inside, is not kept."""
    pytest.importorskip("img2dataset", reason="`make integrations` installs img2dataset")
    with Loopback() as server, Loopback() as silent:
        server.says = {
            "/robots.txt": reply(body=b"User-agent: *\nDisallow: /private\n"),
            "/a.png": reply(body=png(), headers=IMAGE),
            "/b.png": reply(body=png(data_mining("DMI-PROHIBITED-AIMLTRAINING")), headers=IMAGE),
            "/private/c.png": reply(body=png(), headers=IMAGE),
            "/d.png": reply(body=png(), headers=[*IMAGE, ("X-Robots-Tag", "noai")]),
        }
        silent.says = {"/robots.txt": reply(503), "/e.png": reply(body=png(), headers=IMAGE)}
        urls = [*map(server.url, ("/a.png", "/b.png", "/private/c.png", "/d.png")), silent.url("/e.png")]
        pq.write_table(pa.table({"url": urls}), tmp_path / "list.parquet")
        program = (
            "import img2dataset_filter as program\n"
            "policies = program.RetrievedPolicies(crawler='examplebot', allow_private=True)\n"
            f"program.main({str(tmp_path / 'list.parquet')!r}, {str(tmp_path / 'images')!r}, 'examplebot', policies)\n"
        )
        call = [sys.executable, "-c", program]
        environment = {**os.environ, "NO_ALBUMENTATIONS_UPDATE": "1"}
        done = subprocess.run(call, cwd=EXAMPLES, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        assert "3 URLs permitted; 1 images reserved by their metadata" in done.stdout
        assert sorted(server.targets) == ["/a.png", "/b.png", "/d.png", "/robots.txt"]
        assert silent.targets == ["/robots.txt"]
        told = [json.loads(file.read_text()) for file in sorted((tmp_path / "images").glob("00000/*.json"))]
        kept = sorted(file.stem for file in (tmp_path / "images").glob("00000/*.jpg"))
        assert [row["key"] for row in told if "acap" not in row and row["status"] == "success"] == kept
        assert [row["url"] for row in told if "DMI-PROHIBITED-AIMLTRAINING" in row.get("acap", "")] == [urls[1]]


def test_the_page_shows_the_program() -> None:
    text = (EXAMPLES.parent.parent / "docs/how-to/img2dataset.md").read_text()
    program = (EXAMPLES / "img2dataset_filter.py").read_text()
    assert all(block.split("```")[0] in program for block in text.split("```python\n")[1:])

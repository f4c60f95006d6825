"""The notebooks run from their tables to an answer and a plot, and show what they are kept with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).parent.parent / "examples/notebooks"
RUN = """
import sys, nbformat, nbclient
book = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
nbformat.write(book, sys.argv[2])
"""


def shown(file: Path) -> list[str]:
    """What the cells of a notebook show: texts, HTML of acap, and which have a picture."""
    found = []
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", ()):
            data: dict[str, Any] = output.get("data", {"text/plain": output.get("text", "")})
            html = "".join(data.get("text/html", ""))
            # HTML of other libraries has numbers of its own; text of ours has the place in memory of none.
            found.append(html if "acap-" in html else "".join(data["text/plain"]))
            found.append("a picture" if "image/png" in data else "")
    return found


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_notebook_runs_and_shows_what_it_is_kept_with(name: str, tmp_path: Path) -> None:
    kept, ran = NOTEBOOKS / f"{name}.ipynb", tmp_path / "ran.ipynb"
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "MPLCONFIGDIR": str(tmp_path / "matplotlib")}
    call = [sys.executable, "-c", RUN, str(kept), str(ran)]
    done = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = shown(ran)
    assert found == shown(kept)
    assert "a picture" in found
    assert any("acap-decision" in one for one in found)

"""The samples of the pages are read by type checkers as programs of users are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tools import links, samples


def said_of_samples(folder: Path, *call: str) -> str:
    """What a type checker says of the samples, by the lines of their pages."""
    for page, text in samples.pages().items():
        (folder / samples.file_of(page)).write_text(text, encoding="utf-8")
    ran = subprocess.run([sys.executable, "-m", *call], cwd=links.ROOT, capture_output=True, text=True, check=False)
    said = ran.stdout + ran.stderr
    for page in samples.pages():
        said = said.replace(str(folder / samples.file_of(page)), page)
    return said


def test_the_samples_of_the_pages_pass_mypy(tmp_path: Path) -> None:
    """Strictly, but for annotations of their functions, which they leave to their reader."""
    assert said_of_samples(tmp_path, "mypy", "--no-error-summary", "--no-pretty", str(tmp_path)) == ""


def test_the_samples_of_the_pages_pass_pyright(tmp_path: Path) -> None:
    """Packages that only a reader has are not looked for; a sample may end with a value that is shown."""
    asked = {
        "extraPaths": [str(links.ROOT / "src"), str(links.ROOT)],
        "pythonVersion": "3.11",
        "reportMissingImports": False,
        "reportMissingModuleSource": False,
        "reportRedeclaration": False,
        "reportUnusedExpression": False,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(asked), encoding="utf-8")
    said = said_of_samples(tmp_path, "pyright", "--pythonpath", sys.executable, "--project", str(tmp_path))
    assert said == "0 errors, 0 warnings, 0 informations\n"


def test_a_sample_stands_on_its_lines_without_prompts_and_output() -> None:
    text = "# A page\n\n```python\n>>> for one in range(2):\n...     print(one)\n0\n1\n>>> two = 2\n```\n"
    lines = samples.module("page.md", text).split("\n")
    assert lines[3:5] == ["for one in range(2):", "    print(one)"]
    assert lines[7] == "two = 2"
    assert not any(lines[5:7])


def test_every_page_with_samples_has_a_module() -> None:
    found = samples.pages()
    assert {"README.md", "docs/tutorial.md"} <= found.keys()
    assert set(samples.PRELUDES) <= found.keys()
    assert len({samples.file_of(page) for page in found}) == len(found)

"""The Python samples of the pages as modules, one a page, so that type checkers can read them."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tools import links

_BLOCK = re.compile(r"^```(?:python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

PRELUDES: Mapping[str, str] = {
    "docs/how-to/audit-a-crawl.md": (
        "from acap.archives.splits import WarcSplit; spark: Any = 0; robots_frame = files = spark"
    ),
    "docs/how-to/columns.md": "spark: Any = 0; robots_frame = spark",
    "docs/how-to/test-your-crawler.md": "crawl: Any = 0",
}
"""What the text of a page, or another page, gives to its samples."""

# Samples leave annotations and other names to their reader; a page may have a function twice.
_HEAD = '# mypy: allow-redefinition, disable-error-code="no-untyped-def, no-untyped-call, no-redef, import-untyped"'


def module(page: str, text: str) -> str:
    """All samples of a page, each on the lines where it stands; what is before them is on the first two.

    An excerpt of a program of `examples/` is left out: there the whole of it is checked.
    """
    lines = [""] * (text.count("\n") + 2)
    for found in _BLOCK.finditer(text):
        if _is_excerpt(found[1]):
            continue
        start = text.count("\n", 0, found.start(1))
        for place, line in _program(found[1]):
            lines[start + place] = line
    lines[:2] = [_HEAD, f"from typing import Any; {PRELUDES.get(page, '')}".rstrip("; ")]
    return "\n".join(lines)


def pages() -> dict[str, str]:
    """The module of each page that has samples, by the name of the page."""
    texts = {
        page.relative_to(links.ROOT).as_posix(): page.read_text(encoding="utf-8") for page in links.markdown_files()
    }
    return {page: module(page, text) for page, text in texts.items() if _BLOCK.search(text)}


def file_of(page: str) -> str:
    """The name of the file for its module."""
    return re.sub(r"\W", "_", Path(page).with_suffix("").as_posix()) + "_sample.py"


def _program(block: str) -> Iterator[tuple[int, str]]:
    """The lines of a block that run, each with its place: without prompts and output."""
    if ">>>" not in block:
        yield from enumerate(block.split("\n"))
        return
    for example in doctest.DocTestParser().get_examples(block):
        yield from enumerate(example.source.rstrip("\n").split("\n"), example.lineno)


def _is_excerpt(block: str) -> bool:
    programs = (file.read_text(encoding="utf-8") for file in (links.ROOT / "examples").rglob("*.py"))
    return any(block in program for program in programs)

"""Where the relative links of the Markdown files lead."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^( *)(```+|~~~+).*?^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\]\n]|\n(?!\n))*\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)|^\[[^\]\n]+\]: (\S+)", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def markdown_files() -> list[Path]:
    """The Markdown files that are kept, or would be if they were added."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md"]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted({ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()})


def prose(page: Path) -> str:
    """The text of a page without its fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def slugs(text: str) -> Iterator[str]:
    """The anchors that GitHub gives to the headings of a text, in their order; many links lead to them."""
    found: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        repeated = (f"{slug}-{count}" for count in range(1, 1000))
        name = slug if slug not in found else next(name for name in repeated if name not in found)
        found.add(name)
        yield name


@cache
def anchors(page: Path) -> set[str]:
    return set(slugs(page.read_text(encoding="utf-8")))


def links(page: Path) -> Iterator[tuple[str, Path]]:
    """The relative links of a page as written, each with the file it leads to."""
    for match in LINK.finditer(prose(page)):
        target = match[1] or match[2]
        if not re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE):
            path = target.partition("#")[0]
            yield target, (page.parent / path).resolve() if path else page


def broken_links(pages: list[Path]) -> Iterator[str]:
    for page in pages:
        for target, file in links(page):
            anchor = target.partition("#")[2]
            if not file.exists():
                yield f"{page.relative_to(ROOT)}: `{target}` leads to no file"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                yield f"{page.relative_to(ROOT)}: `{target}` leads to no heading"

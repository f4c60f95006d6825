"""What README, ARCHITECTURE, SECURITY and the page on the harvest promise, and the tests that hold it.

A sentence that says "never", "until", "may" or "proves" is a promise, or is listed as one that promises nothing. So is
every row of a table of the page on the harvest, but for the table that names its tests itself.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from tools.links import ROOT

PAGES = ("README.md", "ARCHITECTURE.md", "SECURITY.md", "docs/harvest.md")
LIST = ROOT / "tests/promises.toml"

_WORDS = re.compile(
    r"\b(never|nothing|nobody|always|proves?|proof|exactly|whatever|every|no|none|cannot|only|alone|linear|prohibits"
    r"|not|until|may|must|hidden|any|leaves|waits|each|microseconds|by the newest|by its hash|at a time|GB|make)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"```.*?```|(?<=\n\n)(?: {4}[^\n]*\n+)+", re.DOTALL)
_COMMENT = re.compile(r"\s# (.+)")
_BLOCK = re.compile(r"\n\s*\n|\n(?=[-*|#] |\d+\. |\|)")
_BULLET = re.compile(r"^(?:[-*]|\d+\.) ")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z*`\[“\"])")


@dataclass(frozen=True)
class Promise:
    """A sentence of a page, and the tests that hold it, each as `file::name`."""

    page: str
    sentence: str
    tests: tuple[str, ...]


TABLES = ("docs/harvest.md",)
"""The pages of which every row of a table is a promise."""

_NAMES_TESTS = "| promise | held by |"


def sentences(page: str, text: str) -> Iterator[str]:
    """The sentences of a page that sound like a promise; of code its comments, and of headings none."""
    yield from _rows(text) if page in TABLES else ()
    for code in _CODE.findall(text):
        yield from (comment for comment in _COMMENT.findall(code) if _WORDS.search(comment))
    for block in _BLOCK.split(_CODE.sub("", text)):
        line = " ".join(block.split())
        if line.startswith(("|", "#", "![")):
            continue
        for sentence in _SENTENCE.split(_BULLET.sub("", line)):
            if _WORDS.search(sentence):
                yield sentence


def _rows(text: str) -> Iterator[str]:
    """The rows of tables, without their heads."""
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, _, *rows = table.splitlines()
        if head != _NAMES_TESTS:
            yield from (row.strip("| ") for row in rows)


def promises() -> list[Promise]:
    """Every promise of the list, in its order."""
    return [
        Promise(one["page"], sentence, tuple(one["tests"]))
        for one in tomllib.loads(LIST.read_text(encoding="utf-8"))["promise"]
        for sentence in one["sentences"]
    ]


def no_promises() -> dict[tuple[str, str], str]:
    """Sentences that only sound like one, by page, and what they are."""
    found = tomllib.loads(LIST.read_text(encoding="utf-8"))["no-promise"]
    return {(one["page"], sentence): one["why"] for one in found for sentence in one["sentences"]}


def page() -> str:
    """The page that names the tests of each promise."""
    parts = [
        "# Promises and their tests",
        "Each sentence of these pages that promises something, and what fails if it is broken.",
    ]
    for name in PAGES:
        parts.append(f"## {name}")
        rows = [one for one in promises() if one.page == name]
        parts += ["\n".join(["| promise | held by |", "|---|---|", *map(_row, rows)])]
    return "\n\n".join(parts) + "\n"


def _row(one: Promise) -> str:
    links = ", ".join(f"[{test.partition('::')[2] or test}](../../{test.partition('::')[0]})" for test in one.tests)
    sentence = re.sub(r"\[([^]]*)]\([^)]*\)", r"\1", one.sentence).replace("|", "\\|")
    return f"| {sentence} | {links} |"

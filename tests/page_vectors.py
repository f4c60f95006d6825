"""The vectors of `vectors/pages/`, read: see `vectors/README.md` for what every key means."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from tests.vector_files import VECTORS, Table, each, tables

PAGES = VECTORS / "pages"
URL = "https://www.example.com/news/a.html"  # the page's address where a vector names none


@dataclass(frozen=True)
class PageQuestion:
    """One question about a page. Several usages or purposes are one question of all of them; names are ordered."""

    names: Sequence[str]
    usage: str | list[str] = "crawl"
    purpose: str | list[str] | None = None
    at: datetime | None = None
    facts: Mapping[str, datetime] | None = None
    honours: Sequence[str] | None = None
    silence: Mapping[str, str] = field(default_factory=dict)
    elements: bool = True
    profile: str = "generic"

    def __str__(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if value)


@dataclass(frozen=True)
class PageVector:
    """One page: what is read, and what is expected of it."""

    name: str
    table: Table
    folder: Path

    @property
    def html(self) -> bytes | str | None:
        """The page: octets of a file or in an encoding, else text; None where there are headers alone."""
        if "html_file" in self.table:
            return self.folder.joinpath(self.table["html_file"]).read_bytes()
        html: str | None = self.table.get("html")
        return html.encode(self.table["encoding"]) if html is not None and "encoding" in self.table else html

    @property
    def url(self) -> str | None:
        """The page's address, None if it is unknown."""
        return str(self.table.get("url", URL)) or None

    @property
    def asked(self) -> str:
        """The URL that is asked for."""
        return self.url or URL

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers of the answer, in order."""
        return [(name, value) for name, value in self.table.get("headers", [])]

    @property
    def robots(self) -> tuple[bytes, str] | None:
        """The site's robots.txt and its address, if the vector has one."""
        text = self.table.get("robots")
        return None if text is None else (text.encode(), urljoin(self.asked, "/robots.txt"))

    @property
    def cases(self) -> list[tuple[PageQuestion, Table]]:
        """Every question with the table of what is expected."""
        return [(question, table) for table in self.table["case"] for question in page_questions(table)]


def page_questions(table: Table) -> Iterator[PageQuestion]:
    """The questions of a case: one for each combination of its plurals."""
    otherwise = {"crawler": "AnyBot", "usage": "crawl", "purpose": None, "profile": "generic"}
    asked = (each(table, name, value) for name, value in otherwise.items())
    for crawler, usage, purpose, profile in itertools.product(*asked):
        yield PageQuestion(
            [crawler] if isinstance(crawler, str) else crawler,
            usage,
            purpose,
            table.get("at"),
            table.get("facts"),
            table.get("honours"),
            table.get("silence", {}),
            table.get("elements", True),
            profile,
        )


def page_tables() -> dict[Path, dict[str, Any]]:
    """Every file of vectors about pages, as TOML has it."""
    return {path: tables(path) for path in sorted(PAGES.glob("*.toml"))}


@cache
def page_vectors() -> list[PageVector]:
    """Every page of every file, in the order of files."""
    return [
        PageVector(f"pages/{path.stem} {number} {table['source']}", table, path.parent)
        for path, file in page_tables().items()
        for number, table in enumerate(file["page"], 1)
    ]

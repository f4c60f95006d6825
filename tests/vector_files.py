"""The vectors of `vectors/`, read: see `vectors/README.md` for what every key means."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent / "vectors"
SITE = "https://www.example.com/robots.txt"  # the policy's own address where a vector names none

Table = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """One question. Several usages or purposes are one question of all of them; the names are ordered."""

    dialect: str
    url: str
    names: Sequence[str]
    usage: str | list[str] = "crawl"
    purpose: str | list[str] | None = None
    at: datetime | None = None
    facts: Mapping[str, datetime] | None = None
    honours: Sequence[str] | None = None
    silence: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        about = [f"{name}={value!r}" for name, value in vars(self).items() if value and name != "url"]
        return f"{self.url[:60]} ({', '.join(about)})"


@dataclass(frozen=True)
class Policy:
    """One policy: what is read, and what is expected of it."""

    name: str
    table: Table
    folder: Path

    @property
    def octets(self) -> bytes | None:
        """The file's octets; None where the vector is about having none."""
        if "robots" in self.table:
            return str(self.table["robots"]).encode()
        if "robots_file" in self.table:
            return self.folder.joinpath(self.table["robots_file"]).read_bytes()
        return joined(self.table["robots_parts"]) if "robots_parts" in self.table else None

    @property
    def url(self) -> str | None:
        """The policy's own address, None if it is unknown."""
        return str(self.table.get("url", SITE)) or None

    @property
    def dialects(self) -> list[str]:
        """The dialects in which it is read unless a case says otherwise."""
        return each(self.table, "dialect", "auto")

    @property
    def supplied(self) -> list[tuple[str, bytes | None]]:
        """The resources of references: URI and octets, None for one that could not be had."""
        targets = self.table.get("references", [])
        return [(target["uri"], target["robots"].encode() if "robots" in target else None) for target in targets]

    @property
    def cases(self) -> list[tuple[Question, Table]]:
        """Every question with the table of what is expected; those of `same_as` included."""
        tables = list(self.table["case"])
        if "same_as" in self.table:
            tables += named()[self.table["same_as"]].table["case"]
        return [(question, table) for table in tables for question in questions(table, self.dialects)]


def each(table: Table, name: str, otherwise: Any) -> list[Any]:
    """The values of a key that is one value in the singular and several, one at a time, in the plural."""
    return list(table[f"{name}s"]) if f"{name}s" in table else [table.get(name, otherwise)]


def joined(parts: list[Table]) -> bytes:
    """The octets that parts of text or hexadecimal digits, repeated, make together."""
    return b"".join(
        (bytes.fromhex(part["hex"]) if "hex" in part else str(part["text"]).encode(part.get("encoding", "utf-8")))
        * part.get("times", 1)
        for part in parts
    )


def questions(table: Table, dialects: list[str]) -> Iterator[Question]:
    """The questions of a case: one for each combination of its plurals."""
    if "dialect" in table or "dialects" in table:
        dialects = each(table, "dialect", None)
    urls = [joined(table["url_parts"]).decode()] if "url_parts" in table else each(table, "url", None)
    asked = (each(table, "crawler", None), each(table, "usage", "crawl"), each(table, "purpose", None))
    for dialect, url, crawler, usage, purpose in itertools.product(dialects, urls, *asked):
        yield Question(
            dialect,
            url,
            [crawler] if isinstance(crawler, str) else crawler,
            usage,
            purpose,
            table.get("at"),
            table.get("facts"),
            table.get("honours"),
            table.get("silence", {}),
        )


@cache
def tables(path: Path) -> dict[str, Any]:
    """A file of vectors as TOML has it, read once for all that collect tests from it."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def policies() -> list[Policy]:
    """Every policy of every file, in the order of files."""
    found = []
    for path in sorted(set(VECTORS.glob("*/*.toml")) - set(VECTORS.glob("pages/*"))):
        table = tables(path)
        file = path.relative_to(VECTORS).with_suffix("").as_posix()
        for number, policy in enumerate(table.get("policy", []), 1):
            found.append(Policy(f"{file} {number} {policy['source']}", policy, path.parent))
    return found


@cache
def named() -> dict[str, Policy]:
    """The policies that have an id."""
    return {policy.table["id"]: policy for policy in policies() if "id" in policy.table}

"""Closed months of the ledger in files of their own, each with its head; once they are there they may leave the store.

A file begins with a line that says whose ledger it is of, which entries it has, and the hash of the entry before; each
further line is an entry. So a file proves itself, and one after the other they prove the whole. What leaves the store
leaves there what its entries come to (`Account`), and an entry with the digest of that: nothing that is held loses its
proof.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from acap.harvest.store.database import microseconds
from acap.harvest.store.ledger import Act, bound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from acap.harvest.store import Store

_NAME = re.compile(r"ledger-(\d{4}-\d{2})-(\d+)\.jsonl\.gz", re.ASCII)


class ExportError(Exception):
    """A file is not the part of a ledger that it says it is; one line: which, and what is wrong."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a ledger: a month as `2026-11`, its first and last entry, the hash before, that of the last one."""

    store: str
    month: str
    first: int
    last: int
    before: str
    head: str

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"ledger-{self.month}-{self.first}.jsonl.gz"


def export(store: Store, directory: Path, at: datetime | None = None) -> list[tuple[Part, Path]]:
    """Writes every month that is over into a file, unless it is there, and verifies each; the caller has the turn.

    Raises:
        OSError: a file cannot be written. StoreError: the ledger cannot be read.
        ExportError: a file that is there, or was just written, is not what it should be.
    """
    found = []
    for part in _closed(store, at or store.clock.now()):
        path = directory / part.name
        if not path.exists():
            _write(store, part, path)
        told = verify_part(path)
        if told != part:
            raise ExportError(f"`{path}` is of another ledger, or of other entries; name another directory")
        found.append((part, path))
    return found


def drop(store: Store, exported: Sequence[tuple[Part, Path]]) -> int:
    """Takes exported parts out of the store, whose turn to write the caller has; how many entries they had."""
    parts = [part for part, _ in exported]
    if not parts:
        return 0
    last = parts[-1]
    for _, path in exported:
        verify_part(path)  # what is not there must not go
    account = store.account()
    for entry in store.ledger.entries(before=last.last + 1):
        account.enter(entry.act)
    detail = {"last": last.last, "head": last.head, "state": account.digest, "files": [part.name for part in parts]}
    with store.transaction():
        store.keep_account(account)
        store.ledger.cut(last.last, last.head)
        store.ledger.append([Act("closed", store.clock.now(), "", "ledger", detail=detail)])
    return last.last - parts[0].first + 1


def parts_in(directory: Path) -> list[Path]:
    """The files with parts of a ledger in a directory, in the order of their entries."""
    found = [(int(match[2]), path) for path in directory.iterdir() if (match := _NAME.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def verify_part(path: Path, heads: set[str] | None = None) -> Part:
    """Computes every hash of a file again; `heads` is told each of them. Raises ExportError."""
    lines = _lines(path)
    try:
        part = Part(**json.loads(next(lines)))
        head, number = part.before, part.first - 1
        for text in lines:
            number += 1
            if json.loads(text)["seq"] != number:
                raise ExportError(f"`{path}`: entry {number} is missing")
            head = bound(head, text)
            if heads is not None:
                heads.add(head)
    except (StopIteration, ValueError, TypeError, KeyError, RecursionError) as error:
        raise ExportError(f"`{path}` is no part of a ledger: {error}") from error
    if (number, head) != (part.last, part.head):
        raise ExportError(f"`{path}`: its entries were changed or cut off")
    return part


def verify_parts(store: Store, directory: Path, expect_head: str | None = None) -> tuple[list[str], bool]:
    """What is wrong with the files of what left the store, a line each; and whether one has a hash somebody noted."""
    wrong: list[str] = []
    heads: set[str] = set()
    head, number = store.ledger.start, 0
    until, left = store.ledger.begins
    for path in parts_in(directory):
        try:
            part = verify_part(path, heads)
        except ExportError as error:
            wrong.append(str(error))
            continue
        if (part.first, part.before) != (number + 1, head) and number < until:
            wrong.append(f"`{path}` does not continue what comes before it")
        number, head = part.last, part.head
        if number == until and head != left:
            wrong.append(f"`{path}` does not end where the ledger of the store begins")
    if number < until:
        wrong.append(f"the entries {number + 1} to {until} left the store, and are in no file of `{directory}`")
    return wrong, expect_head in heads


def _closed(store: Store, at: datetime) -> Iterator[Part]:
    """The months that are over, as far as they are in the store."""
    begin, before = store.ledger.begins
    now = at.astimezone(UTC)
    while (first := store.ledger.at(begin + 1)) is not None:
        month = first.act.at.astimezone(UTC)
        following = datetime(month.year + month.month // 12, month.month % 12 + 1, 1, tzinfo=UTC)
        if (following.year, following.month) > (now.year, now.month):
            return
        last = store.ledger.last_before(begin, microseconds(following))
        entry = store.ledger.at(last)
        if entry is None:
            return
        part = Part(store.identity, f"{month:%Y-%m}", begin + 1, last, before, entry.hash)
        yield part
        begin, before = last, entry.hash


def _write(store: Store, part: Part, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    try:
        with beside.open("xb") as raw:
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                packed.write(f"{json.dumps(asdict(part))}\n".encode())
                for entry in store.ledger.entries(after=part.first - 1, before=part.last + 1):
                    packed.write(f"{entry.text}\n".encode())
            raw.flush()
            os.fsync(raw.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _lines(path: Path) -> Iterator[str]:
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as packed:
            for line in packed:
                yield line.removesuffix("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ExportError(f"`{path}` cannot be read: {error}") from error

"""Closed months of the ledger in files of their own, each with its head; once exported they may leave the store.

A file begins with a line that names its ledger, its entries, and the hash of the entry before them; each further line
is an entry. So each file proves itself, and all of them in order prove the whole. For entries that leave, the store
keeps the state that they add up to (`Account`), and an entry with the digest of it: nothing that is kept loses its
proof. That state is computed from the files, whose hashes are checked first, and not from other tables of the store.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from acap.harvest.account import Account
from acap.harvest.act import Act
from acap.harvest.store import Store
from acap.harvest.store.ledger import UNREADABLE, Entry, act_of, bound
from acap.harvest.values import microseconds
from acap.retrieval.private import DIRECTORY_MODE, FILE_MODE, open_regular

_NAME = re.compile(r"ledger-(\d{4}-\d{2})-(\d+)\.jsonl\.gz", re.ASCII)


class ExportError(Exception):
    """Nothing could be exported or taken out, or a file is not the part that it claims to be; one line says why."""


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


@dataclass(frozen=True, slots=True)
class Left:
    """The result of checking the files with the entries that left a store: problems, a line each, and the account.

    `is_met`: one of these entries has the hash that was noted.
    """

    wrong: tuple[str, ...]
    account: Account
    is_met: bool


def export(store: Store, directory: Path, at: datetime | None = None) -> list[tuple[Part, Path]]:
    """Writes every past month into a file, unless there is one, and verifies each; the caller has the turn.

    Raises:
        OSError: a file cannot be written. StoreError: the ledger cannot be read.
        ExportError: a file, old or just written, is not what it should be.
    """
    exported = []
    for part in _closed(store, at or store.clock.now()):
        path = directory / part.name
        if not path.exists():
            _write(store, part, path)
        verified = verify_part(path)
        if verified != part:
            raise ExportError(f"`{path}` is of another ledger, or of other entries; name another directory")
        exported.append((part, path))
    return exported


def drop(store: Store, exported: Sequence[tuple[Part, Path]]) -> int:
    """Takes exported parts out of the store, whose turn to write the caller has; gives the number of their entries.

    Raises:
        OSError: the files cannot be synced.
        StoreError: the ledger in the store cannot be read.
        ExportError: a file is not what it should be, or the ledger is not whole: nothing leaves it.
    """
    if not exported:
        return 0
    wrong = (*store.ledger.verify().wrong, *store.proven.wrong())
    if wrong:
        raise ExportError(f"nothing leaves a ledger that is not whole: {wrong[0]}")
    account = store.proven.account()
    begin, head = store.ledger.begins
    left = 0
    for part, path in exported:
        # Only entries in the files may leave, and the account is computed from those alone.
        found = verify_part(path, lambda entry: account.enter(entry.act))
        if found != part or (part.first, part.before) != (begin + 1, head):
            raise ExportError(f"`{path}` does not continue what comes before it")
        begin, head = part.last, part.head
        left += part.last - part.first + 1
    entry = store.ledger.at(begin)
    if entry is None or entry.hash != head:
        raise ExportError("the files are of another ledger, or of other entries; name another directory")
    for directory in dict.fromkeys(path.parent for _, path in exported):
        _sync(directory)
    with store.transaction():
        detail = {
            "start": store.ledger.start, "last": begin, "head": head, "state": store.proven.keep(account),
            "files": [part.name for part, _ in exported],
        }  # fmt: skip
        store.ledger.cut(begin, head)
        store.ledger.append([Act("closed", store.clock.now(), "", "ledger", detail=detail)])
    return left


def parts_in(directory: Path) -> list[Path]:
    """The files with parts of a ledger in a directory, in the order of their entries."""
    parts = [(int(match[2]), path) for path in directory.iterdir() if (match := _NAME.fullmatch(path.name))]
    return [path for _, path in sorted(parts)]


def verify_part(path: Path, each: Callable[[Entry], None] | None = None) -> Part:
    """Checks every hash of a file; `each` is called with every entry. Raises ExportError."""
    lines = _lines(path)
    try:
        part = Part(**json.loads(next(lines)))
        head, number = part.before, part.first - 1
        for text in lines:
            number += 1
            if json.loads(text)["seq"] != number:
                raise ExportError(f"`{path}`: entry {number} is missing")
            head = bound(head, text)
            if each is not None:
                each(Entry(number, act_of(text), text, head))
    except (StopIteration, *UNREADABLE) as error:
        raise ExportError(f"`{path}` is not a part of a ledger: {error}") from error
    if (number, head) != (part.last, part.head):
        raise ExportError(f"`{path}`: its entries were changed or cut off")
    return part


def verify_parts(store: Store, directory: Path, expect_head: str | None = None) -> Left:
    """Checks the files of the entries that left the store, from the first to where the store continues.

    Files of months that are still in the store prove nothing; they have to agree with the store.
    """
    wrong: list[str] = []
    account, is_met = Account(), False
    until, left = store.ledger.begins
    head, number = store.ledger.start, 0

    def enter(entry: Entry) -> None:
        nonlocal is_met
        if entry.seq <= until:
            account.enter(entry.act)
            is_met = is_met or entry.hash == expect_head

    for path in parts_in(directory):
        try:
            part = verify_part(path, enter)
        except ExportError as error:
            wrong.append(str(error))
            continue
        if part.first > until:
            entry = store.ledger.at(part.last)
            if entry is None or entry.hash != part.head:
                wrong.append(f"`{path}` has other entries than the store")
        elif (part.first, part.before) != (number + 1, head):
            wrong.append(f"`{path}` does not continue what comes before it")
        if part.first <= until:
            number, head = part.last, part.head
    if number < until:
        wrong.append(f"the entries {number + 1} to {until} left the store, and are in no file of `{directory}`")
    elif number != until or head != left:
        wrong.append(f"the files of `{directory}` do not end where the ledger of the store begins")
    return Left(tuple(wrong), account, is_met and not wrong)


def _closed(store: Store, at: datetime) -> Iterator[Part]:
    """The past months that are in the store."""
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
    """Writes a part under a temporary name, syncs it, and renames it; only the owner can read the file."""
    _make(path.parent)
    beside = path.with_name(f".{path.name}.{uuid4().hex}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as raw:
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                packed.write(f"{json.dumps(asdict(part))}\n".encode())
                for entry in store.ledger.entries(after=part.first - 1, before=part.last + 1):
                    packed.write(f"{entry.text}\n".encode())
            raw.flush()
            os.fsync(raw.fileno())
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    _sync(path.parent)


def _make(directory: Path) -> None:
    made = [one for one in (directory, *directory.parents) if not one.exists()]
    for one in reversed(made):
        one.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
        _sync(one.parent)


def _sync(directory: Path) -> None:
    """Syncs a directory, so that its names last. Raises OSError."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lines(path: Path) -> Iterator[str]:
    try:
        with open_regular(path, links=True) as file, gzip.open(file, "rt", encoding="utf-8", newline="\n") as packed:
            for line in packed:
                yield line.removesuffix("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ExportError(f"`{path}` cannot be read: {error}") from error

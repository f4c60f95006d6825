"""Stores for tests: made in one call, and with what is wrong with them on purpose."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg

from acap.archives import Capture
from acap.clock import FixedClock
from acap.harvest.operator import Operator
from acap.harvest.store import Store, open_store
from acap.retrieval.answers import Headers

SITE = "https://news.example"
START = datetime(2026, 11, 1, 12, tzinfo=UTC)
OPERATOR = Operator(("examplebot",))


def new_store(place: Path | str, directory: Path, operator: Operator = OPERATOR) -> Store:
    """A store, new if there is none; its copies are in the directory."""
    return open_store(place, operator=operator, copies=directory / "copies", clock=FixedClock(START))


def add_version(
    store: Store,
    url: str,
    words: str = "",
    body: bytes = b"",
    at: datetime = START,
    *,
    headers: Headers = (),
    skeleton: str = "",
) -> int:
    """A version of a URL as a crawl adds it, with these words in the index and this body in a copy; its number."""
    places = store.append([Capture(url, at, 200, (), body)]) if body else []
    with store.transaction():
        resource = store.resources.touch(url, SITE, at)
        number = store.resources.add(
            resource, at, is_current=True, status=200, headers=headers, media="text/html", length=len(body),
            sha256="", policy=1, skeleton=skeleton, decisions={},
        ).id  # fmt: skip
        if words:
            store.database.put_terms(number, "", words)
            store.resources.set_indexed(number, "")
        for place in places:
            store.resources.set_place(number, place)
        store.commit_copies(places)
    return number


def kept_octets(directory: Path, place: Path | str) -> bytes:
    """Every octet that is kept anywhere: database, log, and copies, unpacked; of PostgreSQL what its tables have."""
    found = []
    for file in sorted(directory.rglob("*")):
        if file.is_file():
            octets = file.read_bytes()
            found.append(gzip.decompress(octets) if file.suffix == ".gz" else octets)
    if isinstance(place, str):
        with psycopg.connect(place, autocommit=True) as connection:
            # Pages as they lie in the files, so with what is deleted and not yet gone.
            connection.execute("CREATE EXTENSION IF NOT EXISTS pageinspect SCHEMA public")
            pages = connection.execute(
                "SELECT public.get_raw_page(found.oid::regclass::text, number) FROM pg_class found "
                "LEFT JOIN pg_class whole ON whole.reltoastrelid = found.oid, "
                "generate_series(0, pg_relation_size(found.oid) / 8192 - 1) AS number "
                "WHERE found.relkind IN ('r', 'i', 't') "
                "AND coalesce(whole.relnamespace, found.relnamespace) = current_schema()::regnamespace"
            )
            found += [page for (page,) in pages]
    return b"\n".join(found)


class BrokenOffError(Exception):
    """The end of a process, as far as a test can do it in its own."""


@dataclass
class Steps:
    """Counts what a store does to database and disk, and breaks off before the n-th step: after the one before."""

    at: int
    taken: int = 0
    names: list[str] = field(default_factory=list)

    def wrap(self, name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        """The act as a step."""

        def step(*arguments: Any, **named: Any) -> Any:
            number = self.taken
            self.taken += 1
            self.names.append(name)
            if number >= self.at:
                raise BrokenOffError(name)
            return act(*arguments, **named)

        return step


@contextmanager
def broken_off(store: Store, steps: Steps) -> Iterator[None]:
    """Breaks off what is done within, and the store with it."""
    database = store.database
    for name in ("run", "many", "scrub", "_begin", "_commit"):
        setattr(database, name, steps.wrap(name, getattr(database, name)))
    for name in ("append", "rewrite", "remove", "recover"):
        setattr(store.copies, name, steps.wrap(name, getattr(store.copies, name)))
    try:
        with suppress(BrokenOffError):
            yield
    finally:
        store.close()

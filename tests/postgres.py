"""A PostgreSQL server of the test's own: on the loopback interface, in a directory of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Literal, Self
from unittest.mock import patch
from uuid import uuid4

import psycopg
from psycopg import sql

from acap.harvest.store import migrations, postgresql_schema
from tests.programs import free_ports, needed

Mode = Literal["smart", "fast", "immediate"]
SIGNALS: dict[Mode, signal.Signals] = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
# What a test commits is in the log when it is told so, as servers are stopped at once here.
HASTY = ("-cfsync=off", "-cfull_page_writes=off", "-cautovacuum=off", "-cjit=off")
MEMORY = Path("/dev/shm")
ROOM = 2 << 30  # what a test may fill; a container has less there
SECONDS = 60.0  # after which a server that says nothing is taken for broken


def new_schema(url: str) -> str:
    """The URL of a new, empty schema in a database: as good as a database of its own, and made at once."""
    name = f"schema_{uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    return f"{url}?options=-csearch_path%3D{name}"


@contextmanager
def made_once() -> Iterator[None]:
    """What migrations make, dozens of files, is made once for all that compare a store with it: no row changes it."""
    make, known = postgresql_schema._made, {}

    def made(connection: postgresql_schema.Connection) -> dict[tuple[str, str], list[str]]:
        key = migrations.TABLES, migrations.POSTGRESQL
        if key not in known:
            known[key] = make(connection)
        return known[key]

    with patch.object(postgresql_schema, "_made", made):
        yield


def unprivileged() -> dict[str, Any]:
    """How to run a program that refuses root: as another user if we are root, else as we are."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@dataclass
class PostgresServer:
    """A server that can be stopped and started. Use it as a context manager: it comes up at the start.

    `durable` writes through to the disk as servers do; without it a test is faster, in memory where there is room: each
    store has dozens of files.
    """

    durable: bool = False
    port: int = 0
    _process: subprocess.Popen[bytes] | None = None
    _names: count[int] = field(default_factory=count)

    def __enter__(self) -> Self:
        self._programs = needed("postgres").resolve().parent
        self._identity = unprivileged()
        in_memory = not self.durable and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
        self._directory = Path(tempfile.mkdtemp(prefix="acap-postgres-", dir=MEMORY if in_memory else None))
        try:
            if self._identity:
                os.chown(self._directory, self._identity["user"], self._identity["group"])
            command: list[str | Path] = [
                self._programs / "initdb",
                "--pgdata",
                self._directory / "data",
                "--username",
                "postgres",
            ]
            command += ["--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"]
            made = subprocess.run(command, cwd=self._directory, capture_output=True, text=True, **self._identity)
            assert made.returncode == 0, made.stderr
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self._directory)

    def url(self, database: str = "postgres") -> str:
        """The URL of a database here."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def create_database(self) -> str:
        """The URL of a new, empty database."""
        name = f"database_{next(self._names)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.url(name)

    def start(self) -> None:
        """Starts the server, on the port that it had before, and returns when it answers."""
        assert self._process is None, "the server runs"
        log = ""
        for port in [self.port] if self.port else free_ports():
            log = self._start(port)
            if not log:
                self.port = port
                return
        raise AssertionError(f"PostgreSQL does not start: {log}")

    def stop(self, mode: Mode = "immediate") -> None:
        """Stops the server, if it runs: at once as in a crash, or after it has closed all connections (`fast`)."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(SIGNALS[mode])
            process.wait(SECONDS)

    def _start(self, port: int) -> str:
        """Empty when it answers, else what it said before it ended."""
        log = self._directory / "log"
        data = self._directory / "data"
        command: list[str | Path] = [self._programs / "postgres", "-D", data, "-p", str(port)]
        command += ["-k", self._directory, "-c", "listen_addresses=127.0.0.1", *(() if self.durable else HASTY)]
        with log.open("wb") as output:
            process = self._process = subprocess.Popen(
                command, cwd=self._directory, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **self._identity
            )
        until = time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < until:
            try:
                psycopg.connect(self.url().replace(":0/", f":{port}/"), connect_timeout=2).close()
            except psycopg.OperationalError:
                time.sleep(0.02)
            else:
                return ""
        self.stop()
        return log.read_text(encoding="utf-8", errors="replace") or "it says nothing"

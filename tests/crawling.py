"""Crawls of loopback sites by the real command, each in a process of its own, and what they left in the store."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from acap.harvest.store import open_store
from tests.command_line import ROOT, environment
from tests.loopback import Loopback, reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.harvest.store import Act, Store

HTML = ("Content-Type", "text/html; charset=utf-8")
SECONDS = 50


@dataclass(frozen=True)
class Crawled:
    """What a call printed, and what it ended with."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """The report, of a call with --json."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def counts(self) -> dict[str, int]:
        """URLs by what became of them."""
        counts: dict[str, int] = self.report["counts"]
        return counts


def page(*links: str, text: str = "words", head: str = "", headers: tuple[tuple[str, str], ...] = ()) -> bytes:
    """A response with a page that links to others."""
    anchors = "".join(f'<a href="{link}">link</a> ' for link in links)
    body = f"<html><head><title>{text}</title>{head}</head><body><p>{text}</p>{anchors}</body></html>"
    return reply(body=body.encode(), headers=[HTML, *headers])


def robots(*lines: str) -> bytes:
    """A robots.txt."""
    return reply(body="\n".join(lines).encode(), headers=[("Content-Type", "text/plain")])


@contextmanager
def site(**options: Any) -> Iterator[Loopback]:
    """A site that permits all, until it is told otherwise."""
    with Loopback(**options) as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: *", "Allow: /")
        yield loopback


def arguments(store: Path | str, *more: str | Path) -> tuple[str | Path, ...]:
    """The arguments of a quick crawl."""
    quick = ("--delay", "0", "--retry-delay", "0.05", "--contact", "ops@bot.example", "--json")
    return ("crawl", "-c", "examplebot", "--store", store, *quick, *more)


def crawl(store: Path | str, *more: str | Path) -> Crawled:
    """Crawls until the command ends."""
    return run(*arguments(store, *more))


def run(*call: str | Path) -> Crawled:
    """Runs the command in a process of its own, until it ends."""
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with TemporaryDirectory() as directory:
        out, err = Path(directory, "out"), Path(directory, "err")
        told = {"arguments": [str(argument) for argument in call], "out": str(out), "err": str(err)}
        server.stdin.write(json.dumps(told).encode() + b"\n")
        server.stdin.flush()
        ready, _, _ = select.select([server.stdout], [], [], SECONDS)
        assert ready, f"no end of {call}"
        code = int(server.stdout.readline())
        return Crawled(code, out.read_text(), err.read_text())


@cache
def _server() -> subprocess.Popen[bytes]:
    """What runs commands without starting Python for each: see `tests.crawl_server`."""
    command = [sys.executable, "-m", "tests.crawl_server"]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), cwd=ROOT, start_new_session=True
    )
    atexit.register(_stop, server)
    return server


def _stop(server: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    with server:
        server.wait()


def ended(started: subprocess.Popen[bytes]) -> Crawled:
    """What a process printed, once it has ended."""
    with started:
        try:
            out, err = started.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            started.kill()
            raise
    return Crawled(started.returncode, out.decode(), err.decode())


@contextmanager
def opened(where: Path | str) -> Iterator[Store]:
    """The store that a crawl left."""
    with open_store(where) as store:
        yield store


def acts(where: Path, url: str | None = None) -> list[str]:
    """What the ledger tells, of a URL or of all: acts with their usages."""
    return [f"{act.act} {act.usage}" for act in entries(where, url)]


def entries(where: Path, url: str | None = None) -> list[Act]:
    """The acts of the ledger."""
    with opened(where) as store:
        return [entry.act for entry in store.ledger.entries(url)]


def pages_asked(loopback: Loopback) -> list[str]:
    """What a site was asked for but its robots.txt, in order."""
    return [target for target in loopback.targets if target != "/robots.txt"]

"""An audit of a whole crawl equals the plain API, page by page, and a kill in its midst changes nothing."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import acap
from acap.archives import Capture
from acap.archives.record import members
from acap.carriers import carriers
from acap.retrieval import Retriever
from acap.sites.policy import SitePolicy
from tests.crawled import crawl, limits_told
from tests.loopback import reply
from tests.many_sites import ManySites
from tests.portions import at_length

USAGES = ("crawl", "index", "present-snippet", "ai-train", "tdm", "preserve")
ACAP = (sys.executable, "-m", "acap", "audit")
FILES = 12
TDMREP = b'[{"location": "/private/*", "tdm-reservation": 1}]'
LICENCE = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
    b'<prohibits type="usage">ai-train</prohibits></license></content></rsl>'
)


def served(sites: int, pages: int) -> dict[tuple[int, str], bytes]:
    """What each of some sites says at its paths: a crawl, with documents beside some robots.txt files."""
    found = {}
    for one in crawl(sites, pages):
        number, path = re.fullmatch(r"https://s(\d+)\.example(/.*)", one.url).groups()  # type: ignore[union-attr]
        body = one.body + b"License: /licence.xml\n" * (path == "/robots.txt" and int(number) % 5 == 3)
        found[int(number), path] = reply(one.status, body, one.pairs)
    for number in range(sites):
        if number % 4 == 1:
            found[number, "/.well-known/tdmrep.json"] = reply(200, TDMREP, [("Content-Type", "application/json")])
        if number % 3 == 2:
            found[number, "/ai.txt"] = reply(200, b"User-Agent: *\nDisallow: *.html\nDisallow: /\n")
        found[number, "/licence.xml"] = reply(200, LICENCE, [("Content-Type", "application/rsl+xml")])
    return found


async def fetched(urls: Sequence[str]) -> list[Capture]:
    """What a plain client gets, sixty-four at once, in the order of the URLs."""
    room = asyncio.Semaphore(64)

    async def fetch(url: str) -> Capture:
        async with room:
            host, port, path = re.fullmatch(r"http://([\d.]+):(\d+)(/.*)", url).groups()  # type: ignore[union-attr]
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            writer.close()
            first, *lines = head.decode("latin-1").split("\r\n")
            pairs = tuple((name, value) for name, _, value in (line.partition(": ") for line in lines))
            return Capture(url, datetime.now(UTC), int(first.split(" ")[1]), pairs, body)

    return list(await asyncio.gather(*map(fetch, urls)))


def plainly(said: SitePolicy, page: Capture) -> dict[str, Any]:
    """The answers of the plain API for a page, as columns."""
    found = carriers(page.body, url=page.url, headers=page.headers, status=page.status, length=len(page.body))
    decisions = said.decide_each(
        page.url, crawler="examplebot", usages=USAGES, at=page.at, page=found.page, others=found.others
    )
    row: dict[str, Any] = {"url": page.url}
    for usage, one in decisions.items():
        name = usage.replace("-", "_")
        row |= {f"{name}_outcome": str(one.outcome), f"{name}_kind": one.kind, f"{name}_stated": one.stated}
        row[f"{name}_restrictions"] = limits_told(one)
        # Where several statements prohibit, a row has one of them.
        row[f"{name}_decided"] = {(each.dialect, each.line) for each in one.reason.decided_by} or {(None, None)}
    return row


def differing(row: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """The columns in which a row is not as expected."""
    found = {}
    for name, value in expected.items():
        if name.endswith("_decided"):
            usage = name.removesuffix("_decided")
            if (told := (row[f"{usage}_dialect"], row[f"{usage}_line"])) not in value:
                found[name] = told, value
        elif row[name] != value:
            found[name] = row[name], value
    return found


@pytest.mark.portion
def test_a_whole_crawl_is_answered_as_the_plain_api_answers_it(tmp_path: Path) -> None:
    """24,000 pages at length: each column of each row, and the same file after a kill."""
    sites, pages = (240, 24_000) if at_length() else (24, 480)
    said_at = served(sites, pages)
    with ManySites(lambda number, path: said_at.get((number, path), reply(404))) as server:
        paths = ("/robots.txt", "/.well-known/tdmrep.json", "/ai.txt", "/licence.xml")
        beside = [server.url(number, path) for number in range(sites + 1) for path in paths]
        urls = [server.url(*key) for key in said_at if key[1] not in paths]
        assert len(urls) == pages
        captures = asyncio.run(fetched(beside))
        captures += asyncio.run(fetched(urls))
        with Retriever(allow_private=True) as retriever, ThreadPoolExecutor(8) as threads:

            def policy(number: int) -> SitePolicy:
                return acap.Site(server.url(number, "/"), retriever=retriever).policy()

            policies = dict(zip(map(server.url, range(sites + 1)), threads.map(policy, range(sites + 1)), strict=True))
    for number in range(FILES):
        octets = b"".join(map(members, captures[number::FILES]))
        (tmp_path / f"{number:02}.warc.gz").write_bytes(octets)
    question = ("-c", "examplebot", "-u", ",".join(USAGES), "--processes", "2", "-o")
    call = [*ACAP, *sorted(map(str, tmp_path.glob("*.warc.gz"))), *question]
    assert subprocess.run([*call, tmp_path / "whole.parquet"], check=False, capture_output=True).returncode == 1
    going = subprocess.Popen([*call, tmp_path / "killed.parquet"], start_new_session=True)
    parts = tmp_path / "killed.parquet.parts"
    deadline = time.monotonic() + 600
    while not (parts / "000003.json").exists() and going.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    os.killpg(going.pid, signal.SIGKILL)
    going.wait()
    if going.returncode == -signal.SIGKILL:  # it may have been too late
        assert 3 < len(list(parts.glob("*.json"))) < FILES + 2
    assert subprocess.run([*call, tmp_path / "killed.parquet"], check=False, capture_output=True).returncode == 1
    whole = pq.read_table(tmp_path / "whole.parquet")
    assert pq.read_table(tmp_path / "killed.parquet").equals(whole)
    rows = {row["url"]: row for row in whole.to_pylist()}
    wrong = []
    for page in captures[len(beside) :]:
        expected = plainly(policies[page.url.rpartition("/")[0].rpartition("/")[0]], page)
        if found := differing(rows[page.url], expected) or rows[page.url]["error"]:
            wrong.append((page.url, found))
    assert wrong[:1] == []
    assert {len({row[f"{usage}_outcome"] for row in rows.values()}) for usage in ("crawl", "index", "ai_train")} == {2}

"""A whole crawl over the loopback interface, with policy and without: what asking first costs.

The crawl without policy is the same spider, scheduler, link extraction, text extraction, store, index, copies and
schedule; it asks for no robots.txt, decides nothing, reads no statement, keeps no skeleton and writes no ledger. The
server is a process of its own. Each round runs both, in turns that change.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

GOAL = 0.9  # of the speed without policy
PAGES = 400
PAGE_OCTETS = 90_000
LINKS = 120  # of a page
ROBOTS = b"""User-agent: *
Disallow: /private/

ACAP-crawler: *
ACAP-allow-crawl: /
ACAP-allow-index: / time-limit=90-days
ACAP-allow-preserve: / time-limit=90-days
ACAP-allow-present-snippet: / max-length=40-words
ACAP-disallow-preserve: /flash/
"""
IMPORTED = (
    "acap.harvest.crawl.drive",
    "acap.harvest.crawl.spider",
    "acap.harvest.store.sqlite",
    "acap.integrations.scrapy.downloader",
    "acap.pages.encoding",
    "acap.pages.extraction",
    "acap.pages.links",
    "acap.pages.skeleton",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.engine",
)
ROOT = Path(__file__).resolve().parent.parent


@dataclasses.dataclass(frozen=True, slots=True)
class Harvest:
    """Pages a second with policy and without, each round, by the clock."""

    pages: int
    octets: int
    governed: list[float]
    free: list[float]


def ratio(governed: Sequence[float], free: Sequence[float]) -> float:
    """The median of the ratios within the rounds; 1 costs nothing."""
    return statistics.median(one / other for one, other in zip(governed, free, strict=True))


def cost(governed: Sequence[float], free: Sequence[float]) -> float:
    """Milliseconds a page."""
    return statistics.median(1000 / one - 1000 / other for one, other in zip(governed, free, strict=True))


def site(seed: int = 1) -> list[bytes]:
    """Pages with text and markup in the proportion of real ones: a third is text; 600 elements, 120 links."""
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(8000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    pages = []
    for number in range(PAGES):
        parts = [f"<!doctype html><html lang=en><head><title>Page {number}</title>"]
        parts.append("<meta name=viewport content='width=device-width'></head><body><main>")
        targets = [number + 1, *(chance.randrange(PAGES) for _ in range(LINKS - 1))]
        for at, target in enumerate(targets):
            text = " ".join(chance.choices(words, weights, k=40))
            token = f"{chance.getrandbits(480):x}"
            parts.append(
                f"<section class='block b{at % 9}' data-track='{token}'><h2>{text[:40]}</h2><p style='margin:0 1em'>"
                f"{text} <a class='link l{at % 5}' href='/page/{target % PAGES}' title='{token[:60]}'>{text[:20]}</a>"
                f"</p><svg viewBox='0 0 24 24'><path d='M{at} 0L{token[:90]}'/></svg></section>"
            )
        page = "".join(parts)
        filler = "".join(
            f"<i data-x='{chance.getrandbits(320):x}'></i>" for _ in range((PAGE_OCTETS - len(page)) // 100)
        )
        pages.append(f"{page}{filler}</main></body></html>".encode())
    return pages


async def _serve() -> None:
    if hasattr(os, "sched_setaffinity"):  # not where the crawls are
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    pages = site()
    replies = {f"/page/{number}": (b"text/html; charset=utf-8", page) for number, page in enumerate(pages)}
    replies["/robots.txt"] = (b"text/plain", ROBOTS)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                media, body = replies.get(head.split(b" ", 2)[1].decode(), (b"", b""))
                status = b"200 OK" if media else b"404 Not Found"
                writer.write(
                    b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                    % (status, media, len(body), body)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], sum(map(len, pages)) // PAGES, flush=True)
    async with server:
        await server.serve_forever()


def _crawl(port: int, governed: bool) -> None:
    """One crawl; prints pages and seconds."""
    from acap.harvest.crawl import CrawlOptions, crawl
    from acap.harvest.operator import Operator
    from acap.harvest.store import open_store

    clock.stay_on_one_processor()
    for module in IMPORTED:  # a crawl starts once
        import_module(module)
    if not governed:
        _set_free()
    options = CrawlOptions(delay=0, per_site=8, concurrency=16, sitemaps=False)
    with tempfile.TemporaryDirectory() as directory:
        where = Path(directory) / "harvest.db"
        with open_store(where, operator=Operator(("benchbot",))) as store:
            began = time.perf_counter()
            report = crawl(store, [f"http://127.0.0.1:{port}/page/0"], options)
            took = time.perf_counter() - began
            held = store.resources.counts()
    print(json.dumps({"pages": report.counts["done"], "seconds": took, "held": held}), flush=True)


def _set_free() -> None:
    """Takes policy out of the crawl, and nothing else."""
    from acap.archives import Capture
    from acap.crawlers import Crawler
    from acap.harvest.changes import ChangeSet, WrittenCopy
    from acap.harvest.crawl import drive, session
    from acap.harvest.keeper import Fetched, Keeper, Kept, _Pending
    from acap.harvest.plan import closed
    from acap.pages.encoding import decode
    from acap.pages.extraction import _whole_text
    from acap.pages.headers import media_type, pairs
    from acap.pages.html import PageTree
    from acap.pages.links import _base, _resolve, _target
    from acap.pages.media_types import content_type
    from acap.retrieval.locations import site_of
    from acap.robots import parse_robots

    silent = parse_robots(b"")
    permitted = silent.decide("/", crawler=Crawler("benchbot"))

    class NoPolicies:
        """Sends everything."""

        @classmethod
        def from_crawler(cls, _: Any) -> NoPolicies:
            return cls()

        def process_request(self, request: Any) -> None:
            request.meta["acap_policy"], request.meta["acap_decision"] = silent, permitted
            request.meta["download_slot"] = "site"

    class FreeKeeper(Keeper):
        """Keeps everything."""

        def _judged(self, url: str, fetched: Fetched) -> Kept:
            text = decode(fetched.octets, content_type(pairs(fetched.headers))).text
            document = PageTree(text)
            base = _base(document, url)
            found = (
                _resolve(base, _target(node.tag or "", node.attributes))
                for node in document.parser.css("a[href], area[href], frame[src], iframe[src]")
            )
            kept = Kept(links=list(dict.fromkeys(target for target in found if target is not None)))
            title, _, body = _whole_text(document.root).partition("\n")
            digest = hashlib.sha256(fetched.octets).hexdigest()
            capture = Capture(url=url, at=fetched.at, status=200, headers=fetched.headers, body=fetched.octets)

            def plans(written: WrittenCopy | None) -> list[ChangeSet]:
                assert written is not None
                store = self._store
                resource = store.resources.touch(url, site_of(url), fetched.at)
                version = store.resources.add(
                    resource, fetched.at, is_current=True, status=200, headers=fetched.headers,
                    media=media_type(fetched.headers), length=len(fetched.octets), sha256=digest, policy=0, skeleton="",
                    decisions={},
                )  # fmt: skip
                store.database.put_terms(version.id, title, body)
                store.resources.set_indexed(version.id, "")
                store.resources.set_place(version.id, written.place)
                store.commit_copies([written.place])
                return [closed(fetched.task, "done")]

            self._add(_Pending(plans, capture, url))
            return kept

    settings = drive._settings

    def free(*arguments: Any) -> dict[str, Any]:
        return settings(*arguments) | {"DOWNLOADER_MIDDLEWARES": {NoPolicies: 100}}

    setattr(drive, "_settings", free)  # noqa: B010
    setattr(session, "Keeper", FreeKeeper)  # noqa: B010


def measure(rounds: int) -> Harvest:
    """Crawls in turns."""
    command = [sys.executable, "-m", "benchmarks.harvest"]
    with subprocess.Popen([*command, "serve"], stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stdout is not None
        port, octets = server.stdout.readline().split()
        try:
            speeds: dict[str, list[float]] = {"governed": [], "free": []}
            for number in range(rounds):
                turn = list(speeds) if number % 2 else list(speeds)[::-1]
                for kind in turn:
                    done = subprocess.run(
                        [*command, kind, port], stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT
                    )
                    told = json.loads(done.stdout)
                    kept = (told["pages"], told["held"]["indexed"], told["held"]["preserved"])
                    if kept != (PAGES, PAGES, PAGES):
                        raise RuntimeError(f"a crawl kept {kept} and not all of {PAGES} pages")
                    speeds[kind].append(PAGES / told["seconds"])
        finally:
            server.kill()
    return Harvest(PAGES, int(octets), **speeds)


def main(arguments: Sequence[str]) -> None:
    match arguments:
        case ["serve"]:
            asyncio.run(_serve())
        case ["governed" | "free" as kind, port]:
            _crawl(int(port), kind == "governed")
        case _:
            raise SystemExit("this is called by `python -m benchmarks --harvest`")


if __name__ == "__main__":
    main(sys.argv[1:])

"""An audit of a crawl beside reading and parsing it; usable text; memory by the size of the input; tables of URLs."""

from __future__ import annotations

import dataclasses
import gc
import gzip
import hashlib
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from base64 import b32encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from selectolax.lexbor import LexborHTMLParser

import acap
from acap.archives.shelf import ArchiveShelf
from acap.audits.inputs import InputPart, of_archive
from acap.audits.kept_policies import shelve_part
from acap.audits.kept_resources import ResourceKeeping
from acap.audits.options import AuditOptions
from acap.audits.part import audit_part
from acap.audits.rows import ResponseEvidence, carriers_of
from acap.crawlers import as_crawler
from acap.pages.extraction import whole_text_of
from acap.pages.html import PageTree
from benchmarks import clock, corpus, pages
from benchmarks.clock import Spread, in_turns, now

PAGES = 2_000
SITES = 400
OCTETS = 60_000  # of a page
USAGES = ("crawl", "index", "present-snippet", "preserve", "ai-train")
URLS = 10_000_000
POLICIES = 100_000
INPUTS = (1, 4, 16)
"""So many times as large are the crawls, in pages and in sites, that are audited for the memory it takes."""
GOAL = 0.9
"""At least so many times the speed of reading and parsing alone."""
GOAL_OF_TEXT = 800.0
"""At least so many pages a second whose usable text is written."""
GOAL_OF_TABLE = 4_000_000.0
"""At least so many rows a second."""
GOAL_OF_MEMORY = 1.1
"""At most so many times the memory of the smallest input."""

_BEGIN = datetime(2026, 9, 1, tzinfo=UTC)
_WAYS = 40  # different pages
_ACAP_TAGS = '<meta name="robots" content="ACAP allow-index">\n<meta name="robots" content="ACAP disallow-preserve">\n'
_ROBOTS_TAG = '<meta name="robots" content="index, follow, max-image-preview:large, noarchive">\n'


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """What the crawl was, and what each work took, in microseconds of processor time a page.

    `peaks` has for each number of inputs the greatest memory of a process that audited them, in octets; `rates` the
    microseconds of processor time a row of a table of URLs, `clocked` those by the clock where all processors answer.
    """

    pages: int
    sites: int
    octets: int
    usages: int
    works: dict[str, Spread]
    peaks: dict[str, int]
    urls: int
    policies: int
    rates: dict[str, Spread]
    processors: int
    clocked: dict[str, Spread]


def measure(rounds: int) -> Measured:
    """Each in a process of its own, where the allocator keeps what was freed, as `pages.measure` does."""
    told = _in_process("measured", str(rounds))
    for part in ("works", "rates"):
        told[part] = {name: Spread(**spread) for name, spread in told[part].items()}
    clocked = {name: Spread(**spread) for name, spread in _in_process("clocked", str(rounds)).items()}
    peaks = {str(count): _in_process("peak", str(count)) for count in INPUTS}
    return Measured(**told, peaks=peaks, processors=os.cpu_count() or 1, clocked=clocked)


def _in_process(*arguments: str) -> Any:
    kept = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}
    command = [sys.executable, "-m", "benchmarks.audit", *arguments]
    return json.loads(subprocess.run(command, env=os.environ | kept, check=True, stdout=subprocess.PIPE).stdout)


def _measured(rounds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file = write_crawl(Path(folder) / "crawl.warc.gz")
        works: dict[str, Callable[[], object]] = {
            "reading and parsing alone": lambda: _parse(file),
            f"the audit of {len(USAGES)} usages": lambda: audit(file, Path(folder)),
            "the usable text for index": lambda: audit(file, Path(folder), "index"),
            "what pages carry, and their digests, alone": lambda: _carry(file),
            "the text of every page alone": lambda: _texts(file),
        }
        spreads = in_turns({name: _timed(work, PAGES) for name, work in works.items()}, rounds)
    return {
        "pages": PAGES,
        "sites": SITES,
        "octets": OCTETS,
        "usages": len(USAGES),
        "works": {name: dataclasses.asdict(one) for name, one in spreads.items()},
        "urls": URLS,
        "policies": POLICIES,
        "rates": _table_rates(rounds, now),
    }


def _clocked(rounds: int) -> dict[str, Any]:
    """A table of URLs on all processors."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    return _table_rates(rounds, time.perf_counter)


def _timed(work: Callable[[], object], count: int, seconds: Callable[[], float] = now) -> Callable[[], float]:
    def took() -> float:
        gc.enable()  # a work is so long that its garbage is its own
        started = seconds()
        work()
        gc.disable()
        return (seconds() - started) / count * 1e6

    return took


def _parse(file: Path) -> None:
    for one in of_archive(file, lambda _: None):
        LexborHTMLParser(one.octets or b"")


def _carry(file: Path) -> None:
    """What no audit can leave out: each page is read for what it says, and told by its digest."""
    for one in of_archive(file, lambda _: None):
        carriers_of(one, one.url)
        ResponseEvidence.of(one)


def _texts(file: Path) -> None:
    """What no usable text can leave out: each page is read, and its text taken, whether it may be used or not."""
    for one in of_archive(file, lambda _: None):
        whole_text_of(PageTree((one.octets or b"").decode()))


def audit(file: Path, folder: Path, content: str | None = None) -> int:
    """What `acap audit` does with a crawl, in this process; gives the number of rows."""
    instant = _BEGIN + timedelta(days=9)
    usages = USAGES if content is None else (content,)
    options = AuditOptions(as_crawler("examplebot"), usages, content=content)
    part = InputPart(file, "archive", (), file.stat().st_size)
    kept = folder / "resources"
    shelve_part(part, 0, instant, folder / "piece", ResourceKeeping(kept, options.crawler, content is not None))
    shelf = ArchiveShelf(folder / "shelf")
    shelf.take(folder / "piece")
    shelf.finish()
    shelf.close()
    count = audit_part(part, folder / "rows.parquet", folder / "shelf", instant, options, kept)
    for name in ("piece", "shelf", "rows.parquet", "rows.json"):
        (folder / name).unlink()
    return count


def _table_rates(rounds: int, seconds: Callable[[], float]) -> dict[str, Any]:
    """Microseconds a row, of URLs in the order of their sites and in any."""
    draw = random.Random(9309)
    robots = [one.octets for one in corpus.load()]
    sites = [f"https://www.site-{number}.example" for number in range(POLICIES)]
    table = acap.PolicyTable.read(
        pa.table({"url": sites, "robots": [robots[number % len(robots)] for number in range(POLICIES)]})
    )
    paths = [f"/{draw.choice(corpus.WORDS)}/{draw.choice(corpus.WORDS)}-{number}.html" for number in range(1_000)]
    urls = [draw.choice(sites) + draw.choice(paths) for _ in range(URLS)]
    orders = {"sorted by site": pa.array(sorted(urls)), "in any order": pa.array(urls)}
    del urls

    def work(column: pa.Array) -> Callable[[], float]:
        return _timed(lambda: pa.table(acap.decide_table(column, table, crawler="examplebot")), URLS, seconds)

    spreads = in_turns({name: work(column) for name, column in orders.items()}, rounds)
    return {name: dataclasses.asdict(one) for name, one in spreads.items()}


def _peak(count: int) -> int:
    """The greatest memory of a process that audits a crawl of so many times the pages and sites, in octets."""
    with tempfile.TemporaryDirectory() as name:
        file = write_crawl(Path(name) / "crawl.warc.gz", count * PAGES, count * SITES)
        asked = ("-c", "examplebot", "-u", ",".join(USAGES), "-o", f"{name}/out.parquet", "--processes", "1")
        subprocess.run([sys.executable, "-m", "acap", "audit", file, *asked], check=False, stdout=subprocess.DEVNULL)
        if not Path(name, "out.parquet").exists():
            raise RuntimeError("the audit ended without a result")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit


def write_crawl(file: Path, count: int = PAGES, sites: int = SITES) -> Path:
    """A crawl as Common Crawl writes it: a member each for request, response and metadata, with digests.

    Each site has a real robots.txt. One page in eight has ACAP tags, four have words for robots, three have none.
    """
    draw = random.Random(9309)
    known = [one.octets for one in corpus.load()]
    robots = draw.sample(known, sites) if sites <= len(known) else draw.choices(known, k=sites)
    ways = [pages.typical(OCTETS - 6_000 + 300 * number) for number in range(_WAYS)]
    with file.open("wb") as out:
        for number in range(sites):
            url = f"https://www.site-{number}.example/robots.txt"
            out.writelines(_records(url, _BEGIN + timedelta(seconds=number), robots[number], "text/plain"))
        for number in range(count):
            html = ways[number % _WAYS].replace("<title>", f"<title>{number} ", 1)
            if number % 8:
                html = html.replace(_ACAP_TAGS, "")
            if number % 8 > 4:
                html = html.replace(_ROBOTS_TAG, "")
            path = f"{draw.choice(corpus.WORDS)}/{draw.choice(corpus.WORDS)}-{number}.html"
            url = f"https://www.site-{draw.randrange(sites)}.example/{path}"
            at = _BEGIN + timedelta(seconds=sites + number)
            out.writelines(_records(url, at, html.encode(), "text/html; charset=utf-8"))
    return file


def _records(url: str, at: datetime, body: bytes, media: str) -> Iterator[bytes]:
    """Request, response and metadata."""
    headers = [
        "HTTP/1.1 200 OK", "Date: Tue, 01 Sep 2026 00:00:00 GMT", "Server: nginx", f"Content-Type: {media}",
        "X-Crawler-Content-Encoding: gzip", "Vary: Accept-Encoding", "Cache-Control: max-age=600",
        "Strict-Transport-Security: max-age=31536000", f"Content-Length: {len(body)}",
    ]  # fmt: skip
    block = "\r\n".join([*headers, "", ""]).encode() + body
    asked = f"GET / HTTP/1.1\r\nUser-Agent: examplebot\r\nHost: {url.split('/')[2]}\r\n\r\n".encode()
    number = hashlib.md5(url.encode(), usedforsecurity=False).hexdigest()
    number = f"<urn:uuid:{number[:8]}-{number[8:12]}-{number[12:16]}-{number[16:20]}-{number[20:]}>"
    for kind, said, content in (("request", "request", asked), ("response", "response", block)):
        more = [f"WARC-Payload-Digest: {_digest(body)}"] if kind == "response" else []
        yield _member(kind, url, at, f"application/http; msgtype={said}", content, number, more)
    beside = b"fetchTimeMs: 120\r\ncharset-detected: UTF-8\r\nlanguages-cld2: {}\r\n"
    yield _member("metadata", url, at, "application/warc-fields", beside, number + "m", [])


def _member(kind: str, url: str, at: datetime, media: str, block: bytes, number: str, more: list[str]) -> bytes:
    fields = [
        "WARC/1.0", f"WARC-Type: {kind}", f"WARC-Date: {at:%Y-%m-%dT%H:%M:%SZ}", f"WARC-Record-ID: {number}",
        f"Content-Length: {len(block)}", f"Content-Type: {media}", f"WARC-Target-URI: {url}", *more,
        f"WARC-Block-Digest: {_digest(block)}",
    ]  # fmt: skip
    return gzip.compress("\r\n".join([*fields, "", ""]).encode() + block + b"\r\n\r\n", 6, mtime=0)


def _digest(octets: bytes) -> str:
    return f"sha1:{b32encode(hashlib.sha1(octets, usedforsecurity=False).digest()).decode()}"


if __name__ == "__main__":
    clock.stay_on_one_processor()
    print(json.dumps({"measured": _measured, "clocked": _clocked, "peak": _peak}[sys.argv[1]](int(sys.argv[2]))))

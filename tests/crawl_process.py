"""Crawls at an instant of one's choice, in processes of their own, as a reactor runs once in each.

The clock of a crawl stands still: what a site asks to repeat later is left waiting, and the same crawl at a later
instant goes on with it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SECONDS = 60.0  # after which a crawl is taken for broken
PROMPT = {"delay": 0.0, "retry_delay": 0.0, "wait": 0.5}  # a site asks for a pause of 0.2 s


@dataclass(frozen=True)
class Crawl:
    """One call of a crawl: into a file or a database, from URLs, at an instant, as somebody."""

    where: str
    seeds: tuple[str, ...]
    at: datetime
    names: tuple[str, ...]
    purposes: tuple[str, ...] = ()
    copies: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


def crawl_all(*crawls: Crawl) -> list[dict[str, Any]]:
    """Carries out crawls side by side; the report of each."""
    started = [_started(crawl) for crawl in crawls]
    reports = []
    try:
        for process in started:
            out, error = process.communicate(timeout=SECONDS)
            assert process.returncode == 0, error
            reports.append(json.loads(out))
    finally:
        for process in started:
            if process.poll() is None:
                process.kill()
                process.communicate()
    return reports


def _started(crawl: Crawl) -> subprocess.Popen[str]:
    told = json.dumps(asdict(crawl) | {"at": crawl.at.isoformat()})
    command = [sys.executable, "-c", "from tests.crawl_process import main; main()", told]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, cwd=ROOT)


def main() -> None:
    """Carries out the crawl that the first argument tells, and prints its report."""
    told = json.loads(sys.argv[1])
    from acap.clock import FixedClock
    from acap.harvest.crawl import CrawlOptions, crawl
    from acap.harvest.operator import Operator
    from acap.harvest.store import open_store

    clock = FixedClock(datetime.fromisoformat(told["at"]))
    operator = Operator(tuple(told["names"]), tuple(told["purposes"]))
    copies = None if told["copies"] is None else Path(told["copies"])
    with open_store(told["where"], operator=operator, copies=copies, clock=clock) as store:
        report = crawl(store, told["seeds"], CrawlOptions(**PROMPT | told["options"]))
    sys.stdout.write(json.dumps(report.to_json()))

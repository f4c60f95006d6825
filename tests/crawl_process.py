"""Crawls at an instant of one's choice, in processes of their own, as a reactor runs once in each.

The clock of a crawl stands still: what a site asks to repeat later is left waiting, and the same crawl at a later
instant goes on with it. Each process is a fork of one that has imported all that a crawl needs, but no reactor.
"""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SECONDS = 60.0  # after which a crawl is taken for broken
IMPORTED = [
    "acap.harvest.crawl", "scrapy.crawler", "scrapy.core.downloader.handlers.http11", "scrapy.pipelines", "apsw",
    "psycopg",
]  # fmt: skip
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
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    with context.Pool(len(crawls) or 1, maxtasksperchild=1) as processes:
        return processes.map_async(carry_out, crawls, chunksize=1).get(SECONDS)


def carry_out(told: Crawl) -> dict[str, Any]:
    """Carries out a crawl, in this process."""
    from acap.clock import FixedClock
    from acap.harvest.crawl import CrawlOptions, crawl
    from acap.harvest.operator import Operator
    from acap.harvest.store import open_store

    operator = Operator(told.names, told.purposes)
    copies = None if told.copies is None else Path(told.copies)
    with open_store(told.where, operator=operator, copies=copies, clock=FixedClock(told.at)) as store:
        return crawl(store, told.seeds, CrawlOptions(**PROMPT | told.options)).to_json()

"""A crawl that is killed at any moment loses nothing and does nothing twice: the same call goes on with it."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import pytest

from acap.archives.site_documents import documents_of
from acap.harvest.crawl import CrawlOptions
from acap.harvest.operator import Operator
from acap.harvest.store import StoreError, open_store
from acap.harvest.store.database import words_of
from tests.harvest import START
from tests.killing import Jobs
from tests.loopback import Loopback, reply
from tests.postgres import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KILLS = int(os.environ.get("ACAP_KILLS", "10"))
SEED = int(os.environ.get("ACAP_SEED", "1"))
PAGES = 80
ROBOTS = (
    b"License: /licence.xml\nUser-agent: *\nDisallow: /closed/\n\nACAP-crawler: *\nACAP-allow-crawl: /\n"
    b"ACAP-disallow-preserve: /5\n"
)
LICENCE = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/6"><license>'
    b'<prohibits type="usage">search</prohibits></license></content></rsl>'
)
HTML = [("Content-Type", "text/html")]


def body(number: int) -> bytes:
    """A page that leads to two others, and to one that is closed."""
    links = "".join(f"<a href=/{target}>x</a>" for target in (2 * number + 1, 2 * number + 2) if target < PAGES)
    return f"<title>{number}</title>{links}<a href=/closed/{number % 7}>y</a><p>quorvanel number{number}".encode()


@pytest.fixture(scope="module")
def jobs() -> Iterator[Jobs]:
    """Where processes come from."""
    with Jobs() as opened:
        yield opened


@pytest.fixture(scope="module")
def site() -> Iterator[Loopback]:
    """A site of a tree of pages."""
    with Loopback() as opened:
        opened.says["/robots.txt"] = reply(200, ROBOTS)
        opened.says["/licence.xml"] = reply(200, LICENCE)
        for number in range(PAGES):
            opened.says[f"/{number}"] = reply(200, body(number), headers=HTML)
        yield opened


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL that can be stopped."""
    with PostgresServer(durable=True) as opened:
        yield opened


def test_a_killed_crawl_is_completed_by_the_same_call(tmp_path: Path, jobs: Jobs, site: Loopback) -> None:
    """Killed at random moments, again and again: in the end each page was crawled and kept exactly once."""
    moments = random.Random(SEED)
    jobs.run("crawl", a_crawl(site, tmp_path / "first.db"))  # the first takes longer
    whole = jobs.run("crawl", a_crawl(site, tmp_path / "whole.db"))
    assert whole.code == 0
    killed = 0
    for number in range(KILLS):
        directory = tmp_path / f"killed-{number}"
        directory.mkdir()
        file = directory / "harvest.db"
        for _ in range(3):
            killed += jobs.run("crawl", a_crawl(site, file), moments.uniform(0, whole.seconds)).killed
            if has_ended(file):
                break
        else:
            assert jobs.run("crawl", a_crawl(site, file)).code == 0
        check(file, site)
        shutil.rmtree(directory)
    assert killed


def test_a_run_that_was_killed_before_its_first_url_was_written(tmp_path: Path, jobs: Jobs, site: Loopback) -> None:
    """A run of which nothing but its beginning is known is gone on with from the URLs of the call."""
    file = tmp_path / "harvest.db"
    with open_store(file, operator=Operator(("searchbot",))) as store, store.writing(), store.transaction():
        store.schedule.begin(CrawlOptions(delay=0, per_site=4).lasting([site.url("/0")]), START)
    assert jobs.run("crawl", a_crawl(site, file)).code == 0
    check(file, site)


@pytest.mark.parametrize("octets", [8_192, 65_536, 300_000])
def test_a_disk_that_is_full_ends_a_crawl_that_goes_on_later(
    tmp_path: Path, jobs: Jobs, site: Loopback, octets: int
) -> None:
    """Where files cannot grow any more the crawl ends; with room the same call goes on with it."""
    file = tmp_path / "harvest.db"
    assert jobs.run("crawl", a_crawl(site, file) | {"octets": octets}).code == 1
    assert jobs.run("crawl", a_crawl(site, file)).code == 0
    check(file, site)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_server_that_restarts_ends_a_crawl_that_goes_on_later(
    tmp_path: Path, jobs: Jobs, site: Loopback, server: PostgresServer, mode: Literal["fast", "immediate"]
) -> None:
    """A PostgreSQL that goes away in the middle of a crawl takes nothing with it that was stored, and keeps no half."""
    url = server.create_database()
    job = a_crawl(site, url) | {"copies": str(tmp_path / "copies")}

    def restart() -> None:
        enough = len(site.asked) + PAGES // 2
        for _ in range(2_000):
            if len(site.asked) >= enough:
                break
            time.sleep(0.005)
        server.stop(mode)
        server.start()

    assert jobs.run("crawl", job, meanwhile=restart).code == 1
    assert jobs.run("crawl", job).code == 0
    check(url, site)


def a_crawl(site: Loopback, store: Path | str) -> dict[str, Any]:
    """The job to crawl the site into a store."""
    return {"store": str(store), "seed": site.url("/0"), "at": START.isoformat()}


def has_ended(file: Path) -> bool:
    """Whether the run came to its end; the next call would begin another one."""
    if not file.exists():
        return False
    try:
        with open_store(file) as store:
            run = store.schedule.last()
            return run is not None and run.ended_at is not None
    except StoreError:
        return False  # killed before the store was made


def check(file: Path | str, site: Loopback) -> None:
    """The store has everything, once, and the ledger tells so."""
    with open_store(file) as store:
        assert store.ledger.verify().wrong == ()
        last = store.policies.last(site.url("/0"))
        documents = None if last is None else documents_of(last[1])
        assert documents is not None
        assert [one.octets for one in documents.documents if one.kind == "licence"] == [LICENCE]
        acts = Counter((entry.act.url, entry.act.act, entry.act.usage) for entry in store.ledger.entries())
        assert [act for act, count in acts.items() if count > 1] == []
        expected = set()
        for number in range(PAGES):
            url = site.url(f"/{number}")
            expected.add((url, "crawled", "crawl"))
            expected.add((url, "refused" if str(number).startswith("6") else "indexed", "index"))
            expected.add((url, "refused" if str(number).startswith("5") else "preserved", "preserve"))
        expected |= {(site.url(f"/closed/{number}"), "refused", "crawl") for number in range(7)}
        assert set(acts) == expected
        found = [number for number, _ in store.database.search(words_of("quorvanel"), 1000, 0)]
        versions = store.resources.by_versions(found)
        assert {version.url for version in versions.values()} == {url for url, act, _ in expected if act == "indexed"}
        for url, act, _ in expected:
            resource = store.resources.find(url)
            if act == "preserved":
                assert resource is not None
                (version,) = store.resources.versions(resource.id, held=True)
                assert version.place is not None
                assert store.copies.read(version.place).body == body(int(url.rpartition("/")[2]))
        assert not store.copies.recover(store.files.committed()).cut

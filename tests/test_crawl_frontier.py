"""The frontier of a crawl: which URL comes next, of many sites; and what a session does when something goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from acap.harvest.crawl.frontier import Frontier
from acap.harvest.crawl.options import CrawlOptions
from acap.harvest.crawl.scope import Scope
from acap.harvest.crawl.session import Session
from acap.harvest.crawl.sitemaps import entries
from acap.harvest.crawl.spider import HarvestSpider
from acap.harvest.operator import Operator
from acap.harvest.store import Store, StoreBusyError, Task, Wanted, open_store

OPERATOR = Operator(("examplebot",))
SEEDS = ("https://a.example/",)


@contextmanager
def store_of(path: Path, sites: dict[str, int]) -> Iterator[tuple[Store, int]]:
    """A store with a run that has so many URLs of each site, at depths that go up."""
    with open_store(path / "s.db", operator=OPERATOR) as store:
        run = store.schedule.begin({}, store.clock.now())
        wanted = [
            Wanted(f"https://{site}/{number}", f"https://{site}", number // 10)
            for site, pages in sites.items()
            for number in range(pages)
        ]
        store.schedule.add(run.id, wanted, store.clock.now())
        yield store, run.id


def frontier(store: Store, run: int, *, concurrency: int = 8, per_site: int = 1) -> Frontier:
    """A frontier that never pauses."""
    return Frontier(
        store.schedule, run, store.clock, concurrency=concurrency, per_site=per_site, pause=lambda _: 0.0
    )  # fmt: skip


def test_sites_take_turns_and_no_more_than_may_are_under_way(tmp_path: Path) -> None:
    """A large site has one URL under way while small ones have theirs; the rest waits until something is decided."""
    with store_of(tmp_path, {"large.example": 300, "b.example": 2, "c.example": 2}) as (store, run):
        found = frontier(store, run)
        first = list(iter(found.next, None))
        assert sorted(task.site for task in first) == [
            "https://b.example",
            "https://c.example",
            "https://large.example",
        ]
        assert found.next() is None
        found.done(first[0])
        following = found.next()
        assert following is not None
        assert following.site == first[0].site


@pytest.mark.parametrize("seed", range(5))
def test_every_url_comes_once_and_near_ones_first(tmp_path: Path, seed: int) -> None:
    """However answers come in, each URL is handed out once, those of a site in the order of depth."""
    random = Random(f"frontier {seed}")
    with store_of(tmp_path, {f"s{number}.example": random.randrange(1, 300) for number in range(6)}) as (store, run):
        found = frontier(store, run, concurrency=5, per_site=random.choice((1, 2)))
        under_way: list[Task] = []
        handed: list[Task] = []
        while True:
            task = found.next()
            if task is not None:
                under_way.append(task)
                handed.append(task)
            elif under_way:
                done = under_way.pop(random.randrange(len(under_way)))
                store.schedule.close(done.id, "done")
                found.done(done)
                found.refill()
            else:
                break
        assert store.schedule.counts(run)["waiting"] == 0
        assert len({task.id for task in handed}) == len(handed)
        for site in {task.site for task in handed}:
            depths = [task.depth for task in handed if task.site == site]
            assert depths == sorted(depths)


def test_a_site_that_is_held_waits_and_others_do_not(tmp_path: Path) -> None:
    """Of a site that is held nothing is handed out; the frontier says when it may go on."""
    with store_of(tmp_path, {"a.example": 3, "b.example": 3}) as (store, run):
        found = frontier(store, run)
        found.hold("https://a.example", 60.0)
        task = found.next()
        assert task is not None
        assert task.site == "https://b.example"
        assert found.next() is None
        seconds = found.wakes_in()
        assert seconds is not None
        assert 50 < seconds <= 60


def test_a_page_that_we_cannot_deal_with_is_noted_and_no_end(tmp_path: Path) -> None:
    """An error of ours costs the page it came with, which is counted as failed and told of; the crawl goes on."""
    with store_of(tmp_path, {"a.example": 2}) as (store, run), store.writing():
        session = Session(store, store.schedule.run(run), SEEDS, CrawlOptions())
        spider = HarvestSpider(session, "examplebot")
        task = session.next_task()
        assert task is not None

        def break_down() -> None:
            raise ZeroDivisionError("nothing to divide by")

        spider._do(task, break_down)
        session.flush()
        assert session.faults == [f"{task.url}: ZeroDivisionError: nothing to divide by"]
        assert store.schedule.counts(run)["failed"] == 1
        assert session.next_task() is not None


def test_a_busy_store_is_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While somebody else holds the store nothing is lost and nothing is handed out twice; then it is written."""
    with store_of(tmp_path, {"a.example": 2}) as (store, run), store.writing():
        session = Session(store, store.schedule.run(run), SEEDS, CrawlOptions(delay=0))
        task = session.next_task()
        assert task is not None
        session.dropped(task, "a reason")

        def busy() -> None:
            raise StoreBusyError("busy")

        with monkeypatch.context() as patch:
            patch.setattr(session.keeper, "flush", busy)
            session.flush()
        assert (session.error, session.reason) == (None, None)
        assert store.schedule.counts(run)["dropped"] == 0
        session.flush()
        assert store.schedule.counts(run)["dropped"] == 1


def test_the_scope_is_the_hosts_that_were_given() -> None:
    """A host is one for http and https; `www.` counts as the same where a given URL redirects; --span admits more."""
    own = Scope(("https://a.example/",), CrawlOptions(depth=2))
    assert own.has_host("http://a.example/x")
    assert not own.has_host("https://www.a.example/")
    assert not own.has_host("https://a.example:8443/")
    assert not own.move_seed("https://a.example/", "https://b.example/")
    assert own.move_seed("https://a.example/", "https://www.a.example/")
    assert own.has_host("https://www.a.example/y")
    assert [own.has_depth(depth) for depth in (0, 2, 3)] == [True, True, False]
    wide = Scope(("https://a.example/",), CrawlOptions(span=True, hosts=3), known=["https://b.example"])
    assert [wide.has_host(f"https://{host}.example/") for host in "abcda"] == [True, True, True, False, True]


def test_sitemaps_that_are_none_name_nothing() -> None:
    """Whatever comes in a sitemap's place is no error: HTML, rubbish, entities; what can be read of it counts."""
    head = b"<urlset><url><loc>https://a.example/1</loc></url>"
    bomb = b'<!DOCTYPE x [<!ENTITY a "' + b"x" * 1000 + b'">]><urlset><url><loc>&a;</loc></url></urlset>'
    assert entries(b"") == (False, [])
    assert entries(b"\0\1\2") == (False, [])
    assert entries(b"<html><body>none</body></html>") == (False, [])
    assert entries(b"\x1f\x8bnot packed") == (False, [])
    assert entries(head + b"<url><loc>") == (False, ["https://a.example/1"])
    assert entries(head + b"</urlset>") == (False, ["https://a.example/1"])
    assert entries(b"https://a.example/1\nno url\nhttps://a.example/2\r\n") == (
        False,
        ["https://a.example/1", "https://a.example/2"],
    )
    assert not any("x" * 1000 in url for url in entries(bomb)[1])

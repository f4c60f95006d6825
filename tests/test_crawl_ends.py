"""`acap crawl`: how it ends, by itself or not, and how it goes on; wrong calls; what people see of it."""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from acap.harvest.act import RE_CRAWL
from acap.harvest.operator import Operator
from acap.harvest.removal import remove
from acap.harvest.store import Store, open_store
from tests.command_line import acap, process
from tests.crawling import acts, arguments, crawl, ended, opened, page, pages_asked, robots, run, site
from tests.loopback import Asked, Loopback, reply
from tests.test_crawl_limits import endless

if TYPE_CHECKING:
    from tests.postgres import PostgresServer

OPERATOR = Operator(("examplebot",))


def until_asked(loopback: Loopback, number: int) -> None:
    """Waits until a site was asked for so many pages."""
    deadline = time.monotonic() + 30
    while len(pages_asked(loopback)) < number:
        assert time.monotonic() < deadline, "the crawl does not come that far"
        time.sleep(0.01)


def started(loopback: Loopback, store: Path, *more: str) -> subprocess.Popen[bytes]:
    """A crawl of a site that takes a while."""
    return process(*arguments(store, loopback.url("/"), "--delay", "0.05", *more))


def crawled_urls(where: Path | str) -> Counter[str]:
    """How often the ledger has each URL as crawled."""
    with opened(where) as store:
        return Counter(entry.act.url for entry in store.ledger.entries(acts=("crawled",)))


def is_sound(where: Path) -> bool:
    """Whether the ledger is whole, and every copy that counts can be read."""
    with opened(where) as store, store.writing():
        versions = [
            version
            for resource in store.resources.of_site(next(iter(store.resources.by_site())))
            for version in store.resources.versions(resource.id, held=True)
        ]
        copies = [store.copies.read(version.place).url for version in versions if version.place is not None]
        return store.ledger.verify().wrong == () and len(copies) == len(set(copies)) > 0


def test_a_killed_crawl_goes_on(tmp_path: Path) -> None:
    """After kill -9 the same command fetches what was under way again, and nothing that was recorded."""
    where = tmp_path / "s.db"
    with site() as loopback:
        endless(loopback, 150)
        crawling = started(loopback, where)
        until_asked(loopback, 30)
        crawling.kill()
        ended(crawling)
        before = crawled_urls(where)
        asked = set(pages_asked(loopback))
        del loopback.asked[:]
        crawled = crawl(where, loopback.url("/"))
        assert (crawled.code, crawled.report["resumed"], crawled.counts["done"]) == (0, True, 150)
        again = pages_asked(loopback)
        assert 0 < len(before) < 150
        assert {loopback.url(target) for target in again} == {loopback.url(f"/{n or ''}") for n in range(150)} - set(
            before
        )
        assert len(again) == len(set(again))
        assert asked | set(again) == {f"/{n or ''}" for n in range(150)}
    assert set(crawled_urls(where).values()) == {1}
    assert is_sound(where)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_crawl_writes_what_it_has_and_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C or SIGTERM ends a crawl soon, with 130 and all that came in the store; the same command goes on."""
    where = tmp_path / "s.db"
    with site() as loopback:
        endless(loopback, 100)
        crawling = started(loopback, where)
        until_asked(loopback, 10)
        crawling.send_signal(number)
        interrupted = ended(crawling)
        assert interrupted.code == 130
        assert (interrupted.report["ended"], interrupted.report["interrupted"]) == (False, True)
        assert len(crawled_urls(where)) == len(pages_asked(loopback)) < 100
        crawled = crawl(where, loopback.url("/"))
        assert (crawled.code, crawled.report["resumed"], crawled.counts["done"]) == (0, True, 100)
        assert len(pages_asked(loopback)) == 100


def test_a_second_interrupt_does_not_wait(tmp_path: Path) -> None:
    """While a page hangs, a second Ctrl-C ends the crawl at once, with what came before in the store."""
    where = tmp_path / "s.db"
    with site() as loopback:

        def hang(connection: socket.socket, _: Asked) -> None:
            with suppress(OSError):
                connection.recv(1)

        loopback.says |= {"/": page("/hangs"), "/hangs": hang}
        crawling = started(loopback, where)
        until_asked(loopback, 2)
        crawling.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert crawling.poll() is None
        crawling.send_signal(signal.SIGINT)
        interrupted = ended(crawling)
        assert (interrupted.code, interrupted.err) == (130, "")
        assert list(crawled_urls(where)) == [loopback.url("/")]
        assert interrupted.counts["waiting"] == 1


def test_a_site_that_is_asked_too_seldom_is_left_to_a_later_call(tmp_path: Path) -> None:
    """A pace slower than --wait leaves every page to later calls, for robots.txt was the first thing asked for.

    The command says until when.
    """
    with site() as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: *", "Crawl-delay: 30", "Allow: /")
        endless(loopback, 5)
        crawled = crawl(tmp_path / "s.db", loopback.url("/"), "--wait", "5s")
        assert (crawled.code, crawled.counts["done"], crawled.counts["waiting"]) == (3, 0, 1)
        assert crawled.report["next_at"] is not None


def test_nothing_but_errors_ends_with_3(tmp_path: Path) -> None:
    """If no URL answered with content the command ends with 3, though the run is over."""
    with site() as loopback:
        crawled = crawl(tmp_path / "s.db", loopback.url("/nowhere"))
        assert (crawled.code, crawled.report["ended"], crawled.counts["done"]) == (3, True, 1)


def test_another_call_begins_another_run(tmp_path: Path) -> None:
    """With other URLs or limits a new run is begun, and the unfinished one is over; the first is told apart by that."""
    where = tmp_path / "s.db"
    with site() as loopback:
        endless(loopback, 200)
        crawling = started(loopback, where)
        until_asked(loopback, 5)
        crawling.send_signal(signal.SIGINT)
        ended(crawling)
        crawled = crawl(where, loopback.url("/"), "--pages", "3")
        assert (crawled.report["run"], crawled.report["resumed"], crawled.counts["done"]) == (2, False, 3)
    with opened(where) as store:
        assert store.schedule.run(1).reason == "another crawl was begun"
        assert store.schedule.counts(1)["waiting"] == 0


def test_limits_count_all_calls_of_a_run(tmp_path: Path) -> None:
    """Pages and octets of an interrupted call count for the limits of the run."""
    where = tmp_path / "s.db"
    with site() as loopback:
        endless(loopback, 200)
        crawling = started(loopback, where, "--pages", "100")
        until_asked(loopback, 8)
        crawling.send_signal(signal.SIGINT)
        first = ended(crawling).counts["done"]
        crawled = crawl(where, loopback.url("/"), "--pages", "100")
        assert 8 <= first < 100
        assert (crawled.counts["done"], len(pages_asked(loopback))) == (100, 100)


def test_a_store_that_is_written_is_not_written_twice(tmp_path: Path) -> None:
    """While someone writes the store a crawl ends with one line, and asks nobody."""
    where = tmp_path / "s.db"
    with site() as loopback, open_store(where, operator=OPERATOR) as store, store.writing():
        crawled = crawl(where, loopback.url("/"))
        assert (crawled.code, crawled.out) == (2, "")
        assert crawled.err == (
            f"acap: `{where}` is being written by another crawl, sweep, import or removal; wait for its end\n"
        )
        assert loopback.targets == []


def test_a_disk_that_cannot_be_written_ends_the_crawl(tmp_path: Path) -> None:
    """If copies cannot be written the crawl ends with one line and 2, and what was written before is whole."""
    where = tmp_path / "s.db"
    (tmp_path / "copies").write_text("no directory")
    with site() as loopback:
        endless(loopback, 10)
        crawled = crawl(where, loopback.url("/"), "--copies", tmp_path / "copies-not")
        assert crawled.code == 0
    with site() as loopback:
        endless(loopback, 10)
        crawled = crawl(tmp_path / "t.db", loopback.url("/"), "--copies", tmp_path / "copies")
        assert crawled.code == 2
        assert len(crawled.err.splitlines()) == 1
        assert "Traceback" not in crawled.err


def test_what_the_operator_removed_is_not_fetched(tmp_path: Path) -> None:
    """A URL that was removed is dropped, with that as the reason, whoever links to it."""
    where = tmp_path / "s.db"
    with site() as loopback:
        loopback.says |= {"/": page("/gone"), "/gone": page()}
        with open_store(where, operator=OPERATOR) as store, store.writing():
            remove(store, loopback.url("/gone"))
        crawled = crawl(where, loopback.url("/"))
        assert crawled.report["reasons"] == [{"state": "dropped", "why": "removed by the operator", "urls": 1}]
        assert pages_asked(loopback) == ["/"]


def test_a_request_to_crawl_again_is_carried_out(tmp_path: Path) -> None:
    """A URL that is to be crawled again is fetched though nothing links there, and the request is done."""
    where = tmp_path / "s.db"
    with site() as loopback:
        loopback.says |= {"/": page(), "/wanted": page()}
        with open_store(where, operator=OPERATOR) as store:
            store.requests.make(RE_CRAWL, loopback.url("/wanted"), "test", store.clock.now())
        crawl(where, loopback.url("/"))
        assert sorted(pages_asked(loopback)) == ["/", "/wanted"]
    with opened(where) as store:
        assert store.requests.open(RE_CRAWL) == []


def test_status_works_while_a_crawl_writes(tmp_path: Path) -> None:
    """`acap status` tells how far an unfinished run is while another process crawls."""
    where = tmp_path / "s.db"
    with site() as loopback:
        endless(loopback, 300)
        crawling = started(loopback, where)
        until_asked(loopback, 40)
        result = acap("status", "--store", where)
        crawling.send_signal(signal.SIGINT)
        ended(crawling)
    assert (result.code, result.err) == (0, "")
    assert "unfinished" in result.out
    assert f"site {loopback.url('')}  policy present" in result.out


def test_lines_where_there_is_no_terminal(tmp_path: Path) -> None:
    """Without --json there are plain lines: how it ended, a line for each site, a line for each reason."""
    with site() as loopback:
        loopback.says |= {"/": page("/gone")}
        quick = ("--store", tmp_path / "s.db", "--delay", "0")
        result = run("crawl", loopback.url("/"), "-c", "examplebot", *quick)
        lines = result.out.splitlines()
        assert lines[0].startswith("run 1 done; 2 crawled, 0 refused, 0 failed, 0 dropped; ")
        assert lines[1:] == [
            f"site {loopback.url('')}  crawled 2  refused 0  failed 0  waiting 0  indexed 1  preserved 1",
            "urls 1  outcome done  why status 404",
        ]
        assert result.err == (
            "acap: no --contact given; with one, sites can write to you before they block the crawler\n"
        )
        quiet = run("crawl", loopback.url("/"), "-c", "examplebot", "--quiet", *quick)
        assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_a_terminal_gets_a_bar_and_tables(tmp_path: Path) -> None:
    """On a terminal there is a bar with counts while the crawl goes on, and tables when it ends."""
    main, side = pty.openpty()
    with site() as loopback:
        endless(loopback, 40)
        terminal = {"stdout": side, "stderr": side, "stdin": side}
        crawling = process(
            "crawl", loopback.url("/"), "-c", "examplebot", "--store", tmp_path / "s.db", "--delay", "0.05", **terminal
        )
        os.close(side)
        shown = b""
        with suppress(OSError):  # the other side is closed
            while octets := os.read(main, 65_536):
                shown += octets
        os.close(main)
        assert crawling.wait() == 0
    assert b"waiting" in shown
    assert b"crawled" in shown
    assert b"Traceback" not in shown


ASKED = ("crawl", "https://a.example/", "-c", "x")
LONG = "https://a.example/" + "x" * 3000
WRONG = (
    (("crawl",), "no URL given; give one such as https://example.com/"),
    (("crawl", "https://a.example/"), "no crawler given; name yours, for example --crawler examplebot"),
    (("crawl", "a.example", "-c", "x"), "`a.example` has no scheme; did you mean `https://a.example`?"),
    ((*ASKED, "--hosts", "2"), "--hosts counts other hosts, which are not followed; give --span with it"),
    ((*ASKED, "--time", "soon"), "`soon` is not a duration; write 90s, 30m, 2h or 1d"),
    ((*ASKED, "--octets", "much"), "`much` is not a size; write 500K, 32M or 2G"),
    ((*ASKED, "--contact", "a(b"), "the contact `a(b` must be a URL or address in ASCII, without parentheses"),
    (("crawl", LONG, "-c", "x"), f"`{LONG[:60]}…` has 3018 octets; no more than 2083 are crawled"),
    (("status",), "there is no store `{store}`; `acap crawl` or `acap import --crawler` makes one"),
)


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_a_wrong_call_is_one_line(tmp_path: Path, call: tuple[str, ...], said: str) -> None:
    """A wrong call ends with 2 and one line that says what to do; no store is made."""
    where = tmp_path / "s.db"
    result = acap(*call, "--store", where)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"acap: {said.format(store=where)}\n"
    assert not where.exists()


def test_a_store_is_one_crawlers(tmp_path: Path) -> None:
    """Another crawler's name is refused with one line: what it may do with the same content is another question."""
    where = tmp_path / "s.db"
    with open_store(where, operator=OPERATOR) as store:
        assert isinstance(store, Store)
    call = ("crawl", "https://a.example/", "--store", where, "--contact", "x")
    for more, said in (
        (("-c", "otherbot"), "is the store of examplebot"),
        (("-c", "examplebot", "--dialect", "google"), "the store reads robots.txt as `auto`, not `google`"),
        (("-c", "examplebot", "--forbidden", "restricted"), "the store was made with --forbidden not set"),
    ):
        result = acap(*call, *more)
        assert result.code == 2
        assert said in result.err
        assert len(result.err.splitlines()) == 1


def test_a_crawl_goes_into_postgresql(tmp_path: Path, postgres_server: PostgresServer) -> None:
    """A store in PostgreSQL is crawled into, interrupted and gone on with as one in a file is."""
    url = postgres_server.create_database()
    with site() as loopback:
        endless(loopback, 100)
        more = ("--copies", str(tmp_path / "copies"))
        crawling = process(*arguments(url, loopback.url("/"), "--delay", "0.05", *more))
        until_asked(loopback, 8)
        crawling.send_signal(signal.SIGINT)
        assert ended(crawling).code == 130
        crawled = crawl(url, loopback.url("/"), *more)
        assert (crawled.code, crawled.report["resumed"], crawled.counts["done"]) == (0, True, 100)
        assert len(pages_asked(loopback)) == 100
    assert set(crawled_urls(url).values()) == {1}
    assert "100 indexed, 100 preserved" in acap("status", "--store", url).out


def test_status_of_a_store_tells_everything_as_json(tmp_path: Path) -> None:
    """`acap status --json` has what is held, the sites, the last run, requests and the head of the ledger."""
    import json

    where = tmp_path / "s.db"
    with site() as loopback:
        loopback.says |= {"/": page("/a"), "/a": reply(404)}
        crawl(where, loopback.url("/"))
        told = json.loads(acap("status", "--store", where, "--json").out)
        with opened(where) as store:
            seq, head = store.ledger.head
        assert told["ledger"] == {"entries": seq, "head": head}
        assert (told["held"]["known"], told["held"]["indexed"], told["held"]["preserved"]) == (2, 1, 1)
        assert [one["site"] for one in told["sites"]] == [loopback.url("")]
        assert told["run"]["reason"] == "done"
        assert told["run"]["counts"]["done"] == 2
    assert acts(where) == ["crawled crawl", "indexed index", "preserved preserve", "crawled crawl"]

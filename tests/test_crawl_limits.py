"""`acap crawl`: limits of a run, what servers ask for, and pages that would cost too much."""

from __future__ import annotations

import gzip
import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from acap.harvest.crawl.scope import plain
from acap.harvest.presentation import Presentation, link, snippet
from acap.harvest.proof import verify
from acap.retrieval.locations import canonical
from tests.crawling import HTML, Crawled, crawl, opened, page, pages_asked, robots, site
from tests.loopback import Asked, Loopback, Script, redirect, reply


def endless(loopback: Loopback, number: int) -> None:
    """A site of so many pages, each of which links to the two that come behind it."""
    for at in range(number):
        links = (f"/{link}" for link in (2 * at + 1, 2 * at + 2) if link < number)
        loopback.says[f"/{at or ''}"] = page(*links)


def reason(crawled: Crawled) -> str:
    """Why the run ended."""
    said: str = crawled.report["reason"]
    return said


def test_a_limit_of_pages_ends_the_run(tmp_path: Path) -> None:
    """After so many responses nothing more is asked for, what waits is dropped, and the report says why."""
    with site() as loopback:
        endless(loopback, 100)
        crawled = crawl(tmp_path / "s.db", loopback.url("/"), "--pages", "7")
        assert (crawled.code, crawled.counts["done"], len(pages_asked(loopback))) == (0, 7, 7)
        assert crawled.report["limited"]
        assert reason(crawled) == "the limit of 7 pages is reached"
        assert crawled.counts["dropped"] == 8
        assert crawled.counts["waiting"] == 0


def test_a_limit_of_depth_leaves_out_what_is_farther(tmp_path: Path) -> None:
    """With --depth 2 a page three links away is not asked for, nor does it wait."""
    with site() as loopback:
        endless(loopback, 100)
        crawled = crawl(tmp_path / "s.db", loopback.url("/"), "--depth", "2")
        assert sorted(pages_asked(loopback)) == sorted(["/", "/1", "/2", "/3", "/4", "/5", "/6"])
        assert (crawled.code, reason(crawled)) == (0, "done")


def test_limits_of_octets_and_time_end_the_run(tmp_path: Path) -> None:
    """A run ends once it has had so many octets, or has taken so long."""
    with site() as loopback:
        endless(loopback, 400)
        crawled = crawl(tmp_path / "s.db", loopback.url("/"), "--octets", "1K")
        assert reason(crawled) == "the limit of 1024 octets is reached"
        assert 1024 <= crawled.report["octets"] < 2048
        crawled = crawl(tmp_path / "t.db", loopback.url("/"), "--time", "1s", "--delay", "0.3s")
        assert reason(crawled) == "the limit of 1 seconds is reached"
        assert crawled.counts["done"] < 50


def test_a_page_that_is_too_large_is_not_kept(tmp_path: Path) -> None:
    """A response beyond --page-octets fails, whether it is so large itself or only when unpacked; others go on."""
    with site() as loopback:
        loopback.says |= {
            "/": page("/large", "/bomb", "/fine"),
            "/large": reply(body=b"x" * 200_000),
            "/bomb": reply(body=gzip.compress(b"x" * 200_000), headers=[("Content-Encoding", "gzip")]),
            "/fine": page(),
        }
        crawled = crawl(tmp_path / "s.db", loopback.url("/"), "--page-octets", "100K")
        assert (crawled.counts["done"], crawled.counts["failed"]) == (2, 2)
        assert crawled.report["reasons"] == [{"state": "failed", "why": "larger than 102400 octets", "urls": 2}]
        assert pages_asked(loopback).count("/large") == 1


@pytest.mark.parametrize("said", [True, False], ids=["headers that prohibit", "headers that do not"])
def test_a_page_that_cannot_be_read_any_more_is_not_shown(tmp_path: Path, said: bool) -> None:
    """A body that is cut, too large, in an unknown coding or without end may prohibit; its headers are heard."""
    store, more = tmp_path / "s.db", (("X-Robots-Tag", "noindex, noarchive"),) if said else ()
    whole = page(headers=more)

    def slow(connection: socket.socket, _: Asked) -> None:
        connection.sendall(whole[:-20])
        time.sleep(3)

    broken: dict[str, Script] = {
        "/cut": reply(body=b"hello", headers=[HTML, *more], length=5_000),
        "/large": reply(body=b"x" * 200_000, headers=[HTML, *more]),
        "/bomb": reply(body=gzip.compress(b"x" * 200_000), headers=[HTML, *more, ("Content-Encoding", "gzip")]),
        "/coded": reply(body=b"hello", headers=[HTML, *more, ("Content-Encoding", "gzip")]),
        "/unknown": reply(body=b"hello", headers=[HTML, *more, ("Content-Encoding", "compress")]),
        "/slow": slow,
    }
    with site() as loopback:
        loopback.says |= {"/": page(*broken), **{path: page(text="secret") for path in broken}}
        assert crawl(store, loopback.url("/")).counts["done"] == 7
        loopback.says |= broken
        second = crawl(store, loopback.url("/"), "--page-octets", "100K", "--timeout", "1s")
        assert second.counts["failed"] == 6
        with opened(store) as held:
            presentation = Presentation(held)
            for path in broken:
                resource = held.resources.find(loopback.url(path))
                assert resource is not None
                [version] = held.resources.versions(resource.id, held=True)
                assert version.is_indexed is not said, path
                judged = presentation.judged(version.id)
                assert judged is not None
                assert not any(one(presentation, judged).is_shown for one in (link, snippet)), path
            assert verify(held).wrong == ()
        loopback.says |= {path: page(text="secret") for path in broken}
        assert crawl(store, loopback.url("/")).counts["done"] == 7
        with opened(store) as held:
            found = held.resources.find(loopback.url("/cut"))
            assert found is not None
            assert found.later_headers == ()


def test_overlong_urls_are_dropped(tmp_path: Path) -> None:
    """A URL that no server takes is dropped with its reason."""
    with site() as loopback:
        loopback.says["/"] = page("/" + "x" * 3_000)
        crawled = crawl(tmp_path / "s.db", loopback.url("/"))
        assert crawled.report["reasons"] == [{"state": "dropped", "why": "the URL is too long", "urls": 1}]


def test_redirects_are_followed_so_often(tmp_path: Path) -> None:
    """A chain of redirects is followed for five hops; a loop ends by itself."""
    with site() as loopback:
        loopback.says |= {f"/{hop}": redirect(f"/{hop + 1}") for hop in range(20)}
        loopback.says |= {"/loop": redirect("/pool"), "/pool": redirect("/loop")}
        crawled = crawl(tmp_path / "s.db", loopback.url("/0"), loopback.url("/loop"))
        assert sorted(pages_asked(loopback)) == sorted(["/0", "/1", "/2", "/3", "/4", "/5", "/loop", "/pool"])
        assert crawled.report["ended"]


def test_a_server_is_given_the_time_it_asks_for(tmp_path: Path) -> None:
    """After 503 with Retry-After the page is asked for again then, in seconds or at a date, and its answer kept."""
    asked_at: dict[str, list[datetime]] = {"/seconds": [], "/date": []}

    def busy(connection: socket.socket, asked: Asked) -> None:
        times = asked_at[asked.target]
        times.append(datetime.now(UTC))
        date = format_datetime(times[0] + timedelta(seconds=2), usegmt=True)
        later = "1" if asked.target == "/seconds" else date
        connection.sendall(page() if len(times) > 1 else reply(503, headers=[("Retry-After", later)]))

    with site() as loopback:
        loopback.says |= {"/": page("/seconds", "/date"), "/seconds": busy, "/date": busy}
        crawled = crawl(tmp_path / "s.db", loopback.url("/"))
    assert (crawled.code, crawled.counts["done"]) == (0, 3)
    assert all(len(times) == 2 for times in asked_at.values())
    assert all(later - first >= timedelta(seconds=0.9) for first, later in asked_at.values())


def test_a_time_that_is_too_far_off_is_left_to_a_later_call(tmp_path: Path) -> None:
    """If all that is left waits longer than --wait, the command ends with 3 and says until when; the run goes on."""
    with site() as loopback:
        loopback.says |= {"/": page("/busy"), "/busy": reply(503, headers=[("Retry-After", "3600")])}
        crawled = crawl(tmp_path / "s.db", loopback.url("/"))
        assert (crawled.code, crawled.report["ended"], crawled.counts["waiting"]) == (3, False, 1)
        assert crawled.report["next_at"] > (datetime.now(UTC) + timedelta(minutes=50)).isoformat()
        again = crawl(tmp_path / "s.db", loopback.url("/"))
        assert (again.code, again.report["resumed"]) == (3, True)
        assert "continuing run 1" in again.err
        assert pages_asked(loopback) == ["/", "/busy"]


def test_a_site_that_is_not_to_be_visited_now_is_left_alone(tmp_path: Path) -> None:
    """Outside the visiting time a site is asked for nothing but its policy, and the run waits for the hour."""
    now = datetime.now(UTC)
    opens, closes = now + timedelta(hours=3), now + timedelta(hours=4)
    with site() as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: *", f"Visit-time: {opens:%H%M}-{closes:%H%M}", "Allow: /")
        loopback.says["/"] = page()
        crawled = crawl(tmp_path / "s.db", loopback.url("/"))
        assert (crawled.code, crawled.counts["waiting"]) == (3, 1)
        assert pages_asked(loopback) == []
        assert crawled.report["reasons"] == [{"state": "waiting", "why": "not now: visit-time", "urls": 1}]
    with opened(tmp_path / "s.db") as store:
        due = store.schedule.next_due(1)
        assert due is not None
        assert (due.hour, due.minute) == (opens.hour, opens.minute)


def test_a_server_that_fails_is_given_up(tmp_path: Path) -> None:
    """A page that fails each time is tried as often as --help says, and then recorded with its last status."""
    with site() as loopback:
        loopback.says |= {"/": page("/fails", "/cut"), "/fails": reply(500), "/cut": reply(body=b"x", length=100)}
        crawled = crawl(tmp_path / "s.db", loopback.url("/"))
        asked = pages_asked(loopback)
        assert (asked.count("/fails"), asked.count("/cut")) == (3, 3)
        assert (crawled.counts["done"], crawled.counts["failed"]) == (2, 1)
        found = {(one["state"], one["why"]) for one in crawled.report["reasons"]}
        assert found == {("done", "status 500"), ("failed", "the body ended before its end")}


def test_nobody_there_ends_with_3(tmp_path: Path) -> None:
    """A site that nobody answers for leaves everything refused for want of a policy, which is no permission."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
    crawled = crawl(tmp_path / "s.db", url)
    assert (crawled.code, crawled.counts["refused"]) == (3, 1)
    assert crawled.report["reasons"] == [{"state": "refused", "why": "unreachable", "urls": 1}]


def test_a_slow_site_holds_up_no_other(tmp_path: Path) -> None:
    """While a site asks for a minute between requests, others are crawled at their own pace."""
    with site() as slow, site() as quick:
        slow.says["/robots.txt"] = robots("User-agent: *", "Crawl-delay: 60", "Allow: /")
        endless(slow, 30)
        endless(quick, 30)
        crawl(tmp_path / "s.db", slow.url("/"), quick.url("/"), "--pages", "30")
        assert pages_asked(slow) == []
        assert len(pages_asked(quick)) == 30


def test_the_short_way_to_the_one_form_is_the_long_way() -> None:
    """What is taken for canonical at a glance is what the whole reader makes of it; everything else goes to that."""
    hosts = (
        "a.example",
        "127.0.0.1:8080",
        "A.example",
        "a.example:80",
        "a.example:443",
        "a.example:065",
        "a.example:70000",
    )
    rests = (
        "/",
        "",
        "/a/b",
        "/a/../b",
        "/.a",
        "/a//b",
        "/a?b=c",
        "/a?",
        "/a#f",
        "/%7Ea",
        "/ä",
        "/a b",
        "/a?q=ü#x",
        "/x;y=1",
    )
    for scheme in ("http", "https"):
        for host in hosts:
            for rest in rests:
                url = f"{scheme}://{host}{rest}"
                try:
                    expected = canonical(url)
                except ValueError:
                    expected = None
                assert plain(url) == expected, url


def test_a_page_that_could_not_be_read_is_asked_for_as_a_whole(tmp_path: Path) -> None:
    """After a body that was cut no 304 is asked for: it would confirm a version that nobody knows to be the page's."""
    store, tag = tmp_path / "s.db", ("ETag", '"one"')
    with site() as loopback:
        for answer in (page(headers=(tag,)), page(headers=(tag,)), reply(body=b"x", headers=[HTML, tag], length=900)):
            loopback.says["/"] = answer
            crawl(store, loopback.url("/"))
        loopback.says["/"] = page(headers=(tag,))
        crawl(store, loopback.url("/"))
        said = [one.headers.get("if-none-match") for one in loopback.asked if one.target == "/"]
    assert said[:3] == [None, '"one"', '"one"']
    assert len(said) > 3
    assert set(said[3:]) == {None}

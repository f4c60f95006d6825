"""What a crawl owes to sites beside their prohibitions: pace, comments, redirects, single links, letting go in time."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from pathlib import Path

from acap.harvest.crawl.known_policies import KnownPolicies
from acap.harvest.crawl.options import CrawlOptions
from acap.harvest.crawl.session import Session
from acap.retrieval import Retriever
from tests.crawling import crawl, page, robots, site
from tests.harvest import HTML, SITE, Harvest
from tests.loopback import Loopback, reply


def test_what_may_not_be_held_goes_while_a_crawl_goes_on(harvest: Harvest) -> None:
    """The process that has the turn sweeps: no other could."""
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-allow-preserve: / time-limit=5-days\nACAP-allow-crawl: /\n"
    for number in range(3):
        harvest.crawl(f"/{number}", "<p>quorvanel")
    run = harvest.store.schedule.begin({}, harvest.clock.now())
    session = Session(harvest.store, run, (f"{SITE}/",), CrawlOptions(sweep_every=0))
    session.tick()
    assert len(harvest.copies("/0")) == 1
    harvest.pass_days(6)
    session.tick()
    assert [harvest.copies(f"/{number}") for number in range(3)] == [[], [], []]
    assert session.swept == {("removed", "preserve"): 3}
    assert session.reason is None


def follows(harvest: Harvest) -> bool:
    """Whether the last redirect may be followed."""
    assert harvest.last is not None
    return harvest.last.follows


def test_a_redirect_is_a_link_of_its_response(harvest: Harvest) -> None:
    """Where following is prohibited, by robots.txt or a header, it is not followed, and the ledger says why."""
    location = ("Location", f"{SITE}/b")
    harvest.crawl("/free", status=302, headers=(location,))
    assert follows(harvest)
    harvest.crawl("/a", status=302, headers=(location, ("X-Robots-Tag", "nofollow")))
    assert not follows(harvest)
    assert "refused follow" in harvest.acts("/a")
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-disallow-follow: /kept/\nACAP-allow-crawl: /\n"
    harvest.crawl("/kept/a", status=301, headers=(location,))
    assert not follows(harvest)
    [act] = [one for one in harvest.entries("/kept/a") if one.act == "refused"]
    assert act.decision is not None
    assert act.decision["statements"][0]["line"] == 2


def test_a_redirect_that_may_not_be_followed_leads_nowhere(tmp_path: Path) -> None:
    """Its target is not asked for."""
    with site() as loopback:
        loopback.says["/"] = page("/moved")
        loopback.says["/moved"] = page(headers=(("X-Robots-Tag", "nofollow"), ("Location", "/there"))).replace(
            b"200 OK", b"302 Found"
        )
        loopback.says["/there"] = page()
        crawl(tmp_path / "s.db", loopback.url("/"))
        assert "/moved" in loopback.targets
        assert "/there" not in loopback.targets


def test_links_that_are_refused_one_by_one_are_in_the_ledger(harvest: Harvest) -> None:
    """Each with what refuses it, twenty of a page at most; how many there are is told in any case."""
    links = "".join(f"<a rel=nofollow href=/{number}>x</a>" for number in range(30))
    harvest.crawl("/a", f"<a href=/free>y</a><p class='the-acap:disallow-follow'><a href=/marked>z</a></p>{links}")
    [act] = [one for one in harvest.entries("/a") if one.act == "refused"]
    assert (act.usage, act.detail["links"], len(act.detail["to"])) == ("follow", 31, 20)
    assert act.detail["to"][f"{SITE}/marked"] == "the-acap:disallow-follow"
    assert act.detail["to"][f"{SITE}/0"] == "nofollow"
    harvest.crawl("/b", "<a rel='ugc' href=/0>x</a>", headers=HTML)
    assert harvest.entries("/b")[1].detail == {"links": 1, "to": {f"{SITE}/0": "ugc"}}


def test_the_first_page_waits_for_its_turn_after_robots_txt(tmp_path: Path) -> None:
    """Asking for robots.txt was a request too: the delay of the site, or the operator's, begins with it."""
    for lines, delay in ((("User-agent: *", "Crawl-delay: 1.5", "Allow: /"), "0s"), (("User-agent: *",), "1.5s")):
        asked: list[float] = []
        with site() as loopback:
            loopback.says["/robots.txt"] = robots(*lines)
            answer = page()

            def noted(connection: object, _: object, answer: bytes = answer, asked: list[float] = asked) -> None:
                asked.append(time.monotonic())
                connection.sendall(answer)  # type: ignore[attr-defined]  # a socket; its type is wider

            said = loopback.says["/robots.txt"]

            def told(connection: object, _: object, said: object = said, asked: list[float] = asked) -> None:
                asked.append(time.monotonic())
                connection.sendall(said)  # type: ignore[attr-defined]  # a socket; its type is wider

            loopback.says["/robots.txt"], loopback.says["/"] = told, noted
            crawl(tmp_path / f"{delay}.db", loopback.url("/"), "--delay", delay)
        assert len(asked) == 2
        assert asked[1] - asked[0] >= 1.4


def test_the_rule_of_thumb_is_kept_and_comments_are_told(tmp_path: Path) -> None:
    """A record of the 2.0.0 proposal with neither rate nor delay asks for ten seconds; comments are the operator's."""
    with site() as loopback:
        loopback.says["/robots.txt"] = robots(
            "User-agent: examplebot", "Robot-version: 2.0.0", "Allow: *", "Comment: please mail before a large crawl"
        )
        loopback.says["/"] = page("/b")
        crawled = crawl(tmp_path / "s.db", loopback.url("/"), "--wait", "5s")
        assert crawled.code == 3
        assert crawled.counts["waiting"] == 1
        left = datetime.fromisoformat(crawled.report["next_at"]).timestamp() - time.time()
        assert left < 12
        loopback.says["/robots.txt"] = robots("User-agent: *", "Comment: please mail before a large crawl")
        crawled = crawl(tmp_path / "t.db", loopback.url("/"))
        assert any("please mail before a large crawl" in note for note in crawled.report["notes"])


def test_a_crawl_retrieves_robots_txt_anew_every_day(harvest: Harvest) -> None:
    """What it knows stands for 24 hours, and what earlier crawls know takes the place of no question."""
    text = b"User-agent: *\nDisallow: /private\n"
    asked = []
    with Loopback(says={"/robots.txt": reply(body=text, headers=[("Content-Type", "text/plain")])}) as site:
        for _ in range(2):
            known = KnownPolicies(harvest.store.policies)
            with Retriever(crawler="examplebot", cache=known, clock=harvest.clock, allow_private=True) as retriever:
                for hours in (0, 23.9, 0.2):
                    harvest.clock.advance(timedelta(hours=hours))
                    policy = retriever.robots(site.url("/a"))
                    with harvest.store.transaction():
                        harvest.store.policies.note(policy, harvest.clock.now())
                    asked.append(len(site.targets))
    assert asked == [1, 1, 2, 3, 3, 4]

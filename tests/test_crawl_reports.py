"""A crawl tells why pages are not kept, what an answer asks for, and why nothing was retrieved."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from acap.clock import FixedClock
from acap.harvest.operator import Operator
from acap.harvest.store import Wanted, open_store
from acap.harvest.store.ledger import ACTS
from tests.command_line import ROOT, acap
from tests.crawling import crawl, page, robots, run, site
from tests.loopback import reply

if TYPE_CHECKING:
    from pathlib import Path

LICENCE = b"""<rsl xmlns="https://rslstandard.org/rsl">
<content url="/"><license>
<permits type="usage">ai-train</permits>
</license></content></rsl>"""


def shown(store: Path, *more: str) -> tuple[int, str, str]:
    """The crawl as lines."""
    found = run("crawl", "-c", "examplebot", "--store", store, "--delay", "0", "--retry-delay", "0.05", *more)
    return found.code, found.out, found.err


def test_report_and_status_say_why_pages_are_not_kept(tmp_path: Path) -> None:
    """Grouped by usage and the line that decided."""
    with site() as loopback:
        loopback.says["/robots.txt"] = robots("User-agent: *", "Allow: /", "License: /licence.xml")
        loopback.says["/licence.xml"] = reply(body=LICENCE)
        loopback.says["/"] = page("/a", "/b")
        loopback.says["/a"] = loopback.says["/b"] = page()
        code, out, _ = shown(tmp_path / "store", loopback.url("/"), "--for", "ai-train")
        why = f"prohibited: {loopback.url('/licence.xml')}:2"
        assert code == 0
        assert f"pages 3  not kept for preserve  why {why}" in out
        status = run("status", "--store", tmp_path / "store")
        assert f"pages 3  not kept for index  why {why}" in status.out
        told = json.loads(run("status", "--store", tmp_path / "store", "--json").out)["unkept"]
        assert {(one["usage"], one["urls"]) for one in told} == {("index", 3), ("preserve", 3)}


def test_pages_that_are_kept_need_no_reason(tmp_path: Path) -> None:
    """A copy that goes is a reason from then on; a missing page is none."""
    with site() as loopback:
        loopback.says["/"] = page("/a", "/gone")
        loopback.says["/a"] = page(headers=(("X-Robots-Tag", "noarchive"),))
        loopback.says["/gone"] = reply(404)
        assert crawl(tmp_path / "store", loopback.url("/")).report["unkept"] == []
        loopback.says["/a"] = page(headers=(("X-Robots-Tag", "noindex"),))
        [told] = crawl(tmp_path / "store", loopback.url("/")).report["unkept"]
        assert (told["usage"], told["urls"]) == ("index", 1)
        assert "X-Robots-Tag" in told["why"]


def test_a_payment_is_told_with_its_price(tmp_path: Path) -> None:
    with site() as loopback:
        loopback.says["/"] = reply(402, headers=[("crawler-price", "USD 0.01")])
        code, out, err = shown(tmp_path / "store", loopback.url("/"))
        assert code == 3
        assert "why status 402: a payment is asked for" in out
        assert "answers on a condition: 402 Payment Required, crawler-price: USD 0.01" in err
        assert "no page was retrieved: status 402: a payment is asked for (1 URL)" in err
        ledger = run("ledger", "--store", tmp_path / "store", "--act", "crawled").out
        assert "answered 402 Payment Required, crawler-price: USD 0.01" in ledger


def test_a_site_out_of_reach_is_told_with_the_failure(tmp_path: Path) -> None:
    with site() as loopback:
        url = loopback.url("/")
    code, out, err = shown(tmp_path / "store", url)
    assert code == 3
    assert "why unreachable: robots.txt could not be retrieved" in out
    assert f"{url}robots.txt could not be retrieved: Connection refused; crawl again" in err
    assert "no page was retrieved: unreachable" in err


def test_what_belongs_to_a_store_is_told_with_what_to_add(tmp_path: Path) -> None:
    """A usage that was left out is named; another one is another store. `status` shows the licensee."""
    with site() as loopback:
        loopback.says["/"] = page()
        us = tmp_path / "us.json"
        us.write_text(json.dumps({"users": ["education"], "country": "DE"}))
        call = (tmp_path / "store", loopback.url("/"))
        assert shown(*call, "--for", "ai-train", "--licensee", str(us))[0] == 0
        assert "kept for ai-train; add --for ai-train, or name another file" in shown(*call)[2]
        assert "kept for ai-train; name another file" in shown(*call, "--for", "tdm")[2]
        assert shown(*call, "--for", "ai-train")[0] == 0
        assert "as users education; country DE; reuse full" in run("status", "--store", tmp_path / "store").out


def test_a_crawl_that_was_interrupted_waits_for_nothing_in_the_past(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2026, 11, 1, tzinfo=UTC))
    with open_store(tmp_path / "store", operator=Operator(("examplebot",)), clock=clock) as store:
        number = store.schedule.begin({}, clock.now()).id
        store.schedule.add(number, [Wanted("http://a.example/", "http://a.example", 0, "page", None)], clock.now())
    told = run("status", "--store", tmp_path / "store").out
    assert "unfinished, the same `acap crawl` continues it: 0 crawled" in told


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"licence": []}, "unknown key `licence`; did you mean `licences`?"),
        ([], "it must be an object with the keys users, country, payments, licences, reuse, research"),
        ({"users": 3}, "`users` must be a text, or an array of texts"),
        ({"users": [["education"]]}, "`users` must be a text, or an array of texts"),
        ({"licences": None}, "`licences` must be a text, or an array of texts"),
        ({"country": ["DE"]}, "`country` must be a text"),
        ({"reuse": None}, "`reuse` must be a text"),
        ({"research": "yes"}, "`research` must be true or false"),
        ({"users": "schools"}, "users names the unknown class `schools`; known are commercial,"),
        ({"\x1b[2J": 1}, "unknown key `\\x1b[2J`; known are users,"),
    ],
)
def test_a_wrong_licensee_is_one_line(tmp_path: Path, told: object, said: str) -> None:
    us = tmp_path / "us.json"
    us.write_text(json.dumps(told))
    result = acap("crawl", "https://a.example/", "-c", "x", "--store", tmp_path / "s", "--licensee", us)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert f"`{us}` is no licensee in JSON: {said}" in result.err


def test_a_licensee_that_says_a_key_twice_is_one_line(tmp_path: Path) -> None:
    """Of two values of a key nobody knows which is meant."""
    us = tmp_path / "us.json"
    us.write_text('{"users": ["commercial"],\n "users": ["education"]}')
    result = acap("crawl", "https://a.example/", "-c", "x", "--store", tmp_path / "s", "--licensee", us)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "the member 'users' stands twice, again at line 2, column 2; write it once" in result.err


def test_every_act_of_a_ledger_is_described() -> None:
    """The page on JSON has a row for each."""
    page_on_json = (ROOT / "docs/reference/json.md").read_text(encoding="utf-8")
    assert [act for act in ACTS if f"\n| `{act}` |" not in page_on_json] == []

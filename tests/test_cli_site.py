"""`acap site`, as its user meets it: one matrix for those to whom a site says the same, and the evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import acap as api
from acap.schema import SITE_SCHEMA
from acap.sites.matrix import CRAWLERS, USAGES
from tests.command_line import acap, on_terminal
from tests.loopback import Loopback, redirect, reply

KEEP = ["--no-cache"]
HTML = [("Content-Type", "text/html")]
ROBOTS = (
    b"User-agent: *\nLicense: /l.xml\nContent-Signal: ai-train=yes\nDisallow: /x\n\nUser-agent: GPTBot\nDisallow: /\n"
)
LICENCE = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">search</permits>'
    b"</license></content></rsl>"
)


@pytest.fixture
def site() -> Iterator[Loopback]:
    says: dict[str, Any] = {
        "/robots.txt": reply(200, ROBOTS),
        "/l.xml": reply(200, LICENCE),
        "/a": reply(
            200, b"<meta name=robots content=noindex>", [("Content-Type", "text/html"), ("X-Robots-Tag", "noai")]
        ),
    }
    with Loopback(says=says) as server:
        yield server


def test_crawlers_for_whom_everything_is_alike_share_a_table(site: Loopback) -> None:
    result = acap("site", *KEEP, site.url(""))
    assert (result.code, result.error[:36]) == (1, "acap: the page itself was not read a")
    shared = ", ".join(name for name in CRAWLERS if name != "GPTBot")
    at = result.lines.index("GPTBot")
    assert " ".join(result.lines[2:4]) == shared
    assert result.lines[4].split() == ["usage", "robots", "rsl", "together"]
    assert [line.split() for line in result.lines[5:12]] == [
        ["crawl", ".", ".", "permitted"],
        ["search", ".", "yes", "permitted"],
        ["tdm", ".", "no", "prohibited"],
        ["ai-train", "yes", "no", "prohibited", "!"],
        ["ai-train-generative", "yes", "no", "prohibited", "!"],
        ["ai-input", ".", "no", "prohibited"],
        ["ai-index", ".", "no", "prohibited"],
    ]
    assert result.lines[at + 2].split() == ["crawl", "no", ".", "prohibited"]
    assert [line.split()[:2] for line in result.lines if line.startswith(("read", "none"))] == [
        ["read", "robots.txt"],
        ["none", "tdmrep.json"],
        ["none", "ai.txt"],
        ["read", "licence"],
    ]


def test_the_statement_behind_each_answer_is_shown_on_request(site: Loopback) -> None:
    asked = ["site", *KEEP, "--page", "/a", "-c", "examplebot", "-u", "ai-train", site.url("")]
    assert "Content-Signal" not in acap(*asked).out
    out = acap(*asked, "--why").out
    for line in (
        f"  robots.txt: permitted, {site.url('/robots.txt')}:3:1 Content-Signal: ai-train=yes",
        f"  licences: prohibited, {site.url('/l.xml')}:1:59 permits usage search and no other",
        f"  headers: prohibited, {site.url('/a')} X-Robots-Tag noai",
    ):
        assert f"\n{line}\n" in out


def test_the_page_is_what_is_asked_about_where_one_is_named(site: Loopback) -> None:
    result = acap("site", *KEEP, "--page", "/a", "-c", "examplebot", site.url(""))
    assert result.lines[0] == site.url("/a")
    assert result.lines[3].split() == ["usage", "robots", "rsl", "header", "page", "together"]
    assert result.lines[5].split() == ["search", ".", "yes", ".", "no", "prohibited", "!"]
    assert acap("site", *KEEP, "--page", site.url("/a"), "-c", "examplebot").out.splitlines()[0] == site.url("/a")


def test_a_page_that_nobody_who_asks_may_crawl_is_not_fetched(site: Loopback) -> None:
    result = acap("site", *KEEP, "--page", "/a", "-c", "GPTBot", site.url(""))
    assert "/a" not in site.targets
    assert "not asked for" in result.out
    assert "nobody who asks may crawl it" in result.error


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["-c", "examplebot"], 0),
        (["-c", "examplebot", "-u", "search"], 0),
        (["-c", "examplebot", "-u", "ai-train"], 1),
        (["-c", "GPTBot"], 1),
        (["-c", "examplebot", "-c", "GPTBot"], 1),
        (["-c", "examplebot", "-u", "ai-trian"], 2),
        (["-c", ""], 2),
        (["--page", "https://elsewhere.example/"], 2),
    ],
)
def test_it_ends_as_check_does(site: Loopback, options: list[str], code: int) -> None:
    assert acap("site", *KEEP, *options, site.url("")).code == code


def test_a_condition_and_a_site_out_of_reach_leave_it_undetermined(site: Loopback) -> None:
    site.says["/l.xml"] = reply(200, LICENCE.replace(b"</license>", b'<payment type="use"/></license>'))
    assert acap("site", *KEEP, "-c", "examplebot", "-u", "search", site.url("")).code == 3
    site.says["/robots.txt"] = reply(503)
    result = acap("site", *KEEP, "-c", "examplebot", site.url(""))
    assert result.code == 3
    assert result.error == f"acap: {site.url()} is not known: the answer was 503; everything is prohibited"


@pytest.mark.parametrize("url", ["", "/a", "ftp://example.com/", "http://"])
def test_what_is_no_url_of_a_site_is_a_wrong_call(url: str) -> None:
    assert acap("site", *KEEP, url).wrong_call


def test_json_has_all_of_it(site: Loopback) -> None:
    (found,) = acap("site", *KEEP, "--page", "/a", "--json", site.url("")).objects(SITE_SCHEMA)
    assert [one["crawler"].split(",")[0] for one in found["matrices"]] == list(CRAWLERS)
    assert [row["usage"] for row in found["matrices"][0]["rows"]] == list(USAGES)
    row = found["matrices"][0]["rows"][3]
    assert (row["contradiction"], row["decision"]["outcome"]) == (True, "prohibited")
    said = {cell["carrier"]: (cell["outcome"], [one["text"] for one in cell["decided_by"]]) for cell in row["cells"]}
    assert said == {
        "robots.txt": ("permitted", ["Content-Signal: ai-train=yes"]),
        "licences": ("prohibited", ["permits usage search and no other"]),
        "headers": ("prohibited", ["noai"]),
        "page": (None, []),
    }
    by_kind = {one["kind"]: one for one in found["documents"]}
    assert by_kind["ai.txt"]["state"] == "none"
    assert by_kind["licence"]["referred_by"] == site.url()
    assert (by_kind["licence"]["evidence"]["status"], len(by_kind["licence"]["evidence"]["sha256"])) == (200, 64)


def test_a_second_call_asks_for_nothing_that_is_fresh(site: Loopback, tmp_path: Path) -> None:
    for _ in range(2):
        acap("site", "--cache-dir", tmp_path, site.url(""))
    assert sorted(site.targets) == ["/.well-known/tdmrep.json", "/ai.txt", "/l.xml", "/robots.txt"]
    acap("site", "--cache-dir", tmp_path, "--refresh", site.url(""))
    assert len(site.targets) == 8


def test_it_fits_into_eighty_columns_whatever_speaks(site: Loopback) -> None:
    site.says |= {
        "/ai.txt": reply(200, b"User-Agent: *\nDisallow: /\n"),
        "/.well-known/tdmrep.json": reply(200, b'[{"location": "/", "tdm-reservation": 1}]'),
        "/robots.txt": reply(200, b"User-agent: *\nLicense: /l.xml\nLicense: /m.xml\n"),
    }
    wall = reply(402, headers=[("crawler-price", "USD 1"), ("X-Robots-Tag", "noai")])
    for said, name in ((site.says["/a"], " page "), (wall, " status ")):
        site.says["/a"] = said
        shown = on_terminal("site", *KEEP, "--page", "/a", site.url(""), columns=80, NO_COLOR="1")
        plain = acap("site", *KEEP, "--page", "/a", site.url(""))
        assert max(map(len, plain.lines)) <= 80
        assert name in plain.out
        assert all(line.rstrip() in shown for line in plain.lines if " together" in line)


def test_documents_beyond_the_limits_are_told(site: Loopback) -> None:
    site.says["/robots.txt"] = reply(200, b"User-agent: *\n" + b"".join(b"License: /%d\n" % n for n in range(100)))
    result = acap("site", *KEEP, "-c", "examplebot", site.url(""))
    assert result.err.splitlines()[-1].endswith(
        f"84 more documents are referred to, and were not asked for, {site.url('/16')} first"
    )


def test_a_licence_in_a_private_network_is_not_asked_for(site: Loopback) -> None:
    with Loopback("127.0.0.2") as other:
        site.says["/l.xml"] = redirect(other.url("/l.xml"))
        result = acap("site", *KEEP, "-c", "examplebot", "-u", "ai-train", site.url(""))
        assert (result.code, other.targets) == (1, [])
        assert "is not of the public internet" in result.error


def test_the_ten_that_matter_are_known_and_active() -> None:
    found = [api.known_crawlers.known(name) for name in CRAWLERS]
    assert [one.name for one in found if one is not None and not one.retired] == list(CRAWLERS)
    assert len(CRAWLERS) == 10


def test_two_vocabularies_of_one_carrier_that_disagree_are_marked() -> None:
    robots = b"User-agent: *\nContent-Signal: ai-train=yes\nContent-Usage: train-ai=n\n"
    with Loopback(says={"/robots.txt": reply(200, robots)}) as server, api.Site(server.url("/")) as one:
        (matrix,) = one.matrices(crawlers=["examplebot"], usages=["ai-train-generative", "index"])
        assert matrix.carriers == ("robots.txt",)
        assert [row.is_contradiction for row in matrix.rows] == [True, False]
        assert json.dumps([str(cell.outcome) for row in matrix.rows for cell in row.cells]) == '["prohibited", "None"]'

"""`acap site`, as its user meets it: one matrix for those to whom a site says the same, and the evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import acap as api
from acap.crawler_list import FIRST
from acap.schema import SITE_SCHEMA
from acap.sites.matrix import USAGES
from tests.command_line import acap, on_terminal
from tests.loopback import Loopback, redirect, reply

KEEP = ["--no-cache"]
HTML = [("Content-Type", "text/html")]
ROBOTS = (
    b"User-agent: *\nLicense: http://127.0.0.1:00000/l.xml\nContent-Signal: ai-train=yes\nDisallow: /x\n\n"
    b"User-agent: GPTBot\nDisallow: /\n"
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
    shared = ", ".join(name for name in FIRST if name != "GPTBot")
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
        f"  robots: permitted, {site.url('/robots.txt')}:3:1 Content-Signal: ai-train=yes",
        f"  rsl: prohibited, {site.url('/l.xml')}:1:59 permits usage search and no other",
        f"  header: prohibited, {site.url('/a')} X-Robots-Tag noai",
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


def test_what_a_permission_asks_for_stands_below_the_table(site: Loopback) -> None:
    """Restrictions and conditions, whether the statement behind them is shown or not."""
    priced = (
        b'<payment type="purchase"><amount currency="USD">10</amount><standard>https://p.invalid/std</standard>'
        b'</payment></license><license><permits type="usage">ai-input</permits><payment type="attribution"/></license>'
    )
    site.says["/l.xml"] = reply(200, LICENCE.replace(b"</license>", priced))
    asked = ["site", *KEEP, "-c", "examplebot", "-u", "search,ai-input,tdm", site.url("")]
    result = acap(*asked)
    assert result.code == 1  # tdm
    told = " ".join(line.strip() for line in result.lines)
    assert (
        f"* search: needs a payment: purchase 10 USD, licence {site.url('/l.xml')}, policy https://p.invalid/std"
        in told
    )
    assert "* ai-input: attribution=credit-and-link: its source must be credited, with a link that works" in told
    assert max(map(len, result.lines)) <= 80
    why = acap(*asked, "--why").lines
    assert "    attribution=credit-and-link: its source must be credited, with a link that works" in why
    assert any(line.startswith("    needs a payment: purchase 10 USD, licence ") for line in why)


def test_crawlers_whom_a_restriction_is_not_for_have_another_table(site: Loopback) -> None:
    site.says["/a"] = reply(200, b"", [*HTML, ("X-Robots-Tag", "bingbot: max-snippet: 50")])
    result = acap("site", *KEEP, "--page", "/a", "-c", "bingbot", "-c", "examplebot", site.url(""))
    assert [line for line in result.lines if line in ("bingbot", "examplebot")] == ["bingbot", "examplebot"]
    assert sum("max-length=50-chars" in line for line in result.lines) == 1


def test_a_further_usage_has_a_row_where_a_carrier_speaks_of_it(site: Loopback) -> None:
    site.says |= {
        "/robots.txt": reply(200, b"User-agent: GPTBot\nDisallow: /\n"),
        "/a": reply(200, b"<meta name=robots content=noarchive>", HTML),
    }
    rows = [line.split() for line in acap("site", *KEEP, "--page", "/a", "-c", "examplebot", site.url("")).lines]
    assert ["present-currentcopy", ".", "no", "prohibited"] in rows
    assert not any(row[:1] == ["present"] for row in rows)
    # What is refused because crawling is needs none.
    refused = acap("site", *KEEP, "-c", "GPTBot", site.url("")).lines
    assert [line.split()[0] for line in refused[4:11]] == list(USAGES)
    assert refused[11] == ""


def test_a_further_usage_has_a_row_where_it_is_under_another_restriction(site: Loopback) -> None:
    site.says |= {
        "/robots.txt": reply(404),
        "/a": reply(200, b"", [*HTML, ("X-Robots-Tag", "max-image-preview: standard")]),
    }
    lines = acap("site", *KEEP, "--page", "/a", "-c", "examplebot", site.url("")).lines
    told = next(line for line in lines if "max-image-preview=standard" in line)
    assert told.startswith("* present-thumbnail")
    assert any(line.startswith("present-thumbnail ") for line in lines)


def test_help_names_the_usages_of_a_table() -> None:
    assert ",".join(USAGES) in "".join(acap("site", "--help").out.split())


UNKNOWN = [
    ("/.well-known/tdmrep.json", reply(503), "tdmrep", "mining is prohibited"),
    ("/ai.txt", reply(503), "ai.txt", "training is prohibited"),
    ("/l.xml", reply(503), "rsl", "every use of content is prohibited to whom it is for"),
    ("/l.xml", reply(404), "rsl", "every use of content is prohibited to whom it is for"),
    ("/l.xml", reply(200, b"<rsl"), "rsl", "every use of content is prohibited to whom it is for"),
    ("/a", reply(404), "page", "every use of it is prohibited"),
    ("/robots.txt", reply(200, b"\x1f\x8b\x08\0\0\0\0\0" * 9), "robots", "everything is prohibited"),
]


@pytest.mark.parametrize(("path", "answer", "column", "follows"), UNKNOWN)
def test_what_is_not_known_is_no_answer_of_the_site(
    site: Loopback, path: str, answer: bytes, column: str, follows: str
) -> None:
    """It has its own sign, contradicts nothing, and has its reason and what follows of it, each once."""
    site.says |= {
        "/robots.txt": reply(
            200, b"User-agent: *\nLicense: http://127.0.0.1:00000/l.xml\nContent-Signal: ai-train=yes\n"
        ),
        "/l.xml": reply(200, LICENCE.replace(b"search", b"all")),
        "/a": reply(200, b"", HTML),
        path: answer,
    }
    asked = ["site", *KEEP, "--page", "/a", "-c", "examplebot", "-u", "ai-train", site.url("")]
    result = acap(*asked)
    heads, row = result.lines[3].split(), result.lines[4].split()
    assert row[heads.index(column)] == "?"
    assert (row[heads.index("together")], "!" in row) == ("prohibited", False)
    assert "? not known, which counts as a prohibition" in result.lines
    line = next(line for line in result.err.splitlines() if site.url(path) in line)
    why = line.removeprefix(f"acap: {site.url(path)} is not known: ").removesuffix(f"; {follows}")
    assert why.count(";") == 0 < len(why) < len(line)
    (found,) = acap(*asked, "--json").objects(SITE_SCHEMA)
    (row,) = found["matrices"][0]["rows"]
    assert [cell["outcome"] for cell in row["cells"] if cell["unknown"]].count("prohibited") > 0
    assert not row["contradiction"]


def test_a_licence_that_is_known_to_refuse_does_so_beside_one_that_is_not_known(site: Loopback) -> None:
    site.says |= {
        "/robots.txt": reply(
            200, b"User-agent: *\nLicense: http://127.0.0.1:00000/l.xml\nLicense: http://127.0.0.1:00000/m.xml\n"
        ),
        "/m.xml": reply(503),
    }
    result = acap("site", *KEEP, "-c", "examplebot", "-u", "search,ai-train", site.url(""))
    assert [line.split()[2] for line in result.lines[4:6]] == ["?", "no"]


def test_a_licence_that_came_by_plain_http_is_told_in_one_line(site: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for one from one's own machine."""
    lines = b"License: http://127.0.0.1:00000/l.xml\nLicense: http://127.0.0.1:00000/m.xml\n"
    site.says |= {"/robots.txt": reply(200, b"User-agent: *\n" + lines), "/m.xml": reply(200, LICENCE)}
    asked = ["site", *KEEP, "-c", "examplebot", "-u", "search", site.url("")]
    assert "plain http" not in acap(*asked).err
    monkeypatch.setattr("acap._native.is_plain", lambda url: url.startswith("http:"))
    away = acap(*asked)
    (line,) = (one for one in away.err.splitlines() if "plain http" in one)
    assert line.startswith(f"acap: {site.url('/l.xml')} and 1 more came by plain http: ")
    assert away.lines[4].split()[-1] == "prohibited"


def test_one_failure_of_a_host_is_told_once(site: Loopback) -> None:
    site.says |= {path: reply(503) for path in ("/robots.txt", "/ai.txt", "/.well-known/tdmrep.json")}
    names = f"{site.url()}, /.well-known/tdmrep.json and /ai.txt"
    result = acap("site", *KEEP, "-c", "examplebot", site.url(""))
    assert result.error == f"acap: {names} are not known: the answer was 503; everything is prohibited"
    gone = acap("site", *KEEP, "http://127.0.0.1:9/").error
    assert gone.endswith("are not known: Connection refused; everything is prohibited")


def test_the_exit_code_does_not_count_what_is_not_known_and_says_so(site: Loopback) -> None:
    site.says |= {"/ai.txt": reply(503)}
    asked = ["site", *KEEP, "-c", "examplebot", site.url("")]
    result = acap(*asked)
    assert result.code == 0
    assert "acap: what is not known did not count: without --usage the exit code is of crawl alone\n" in result.err
    counted = acap(*asked, "-u", "ai-train")
    assert (counted.code, "did not count" in counted.err) == (1, False)


def test_a_later_carrier_of_a_dialect_is_named_beside_what_it_replaces(site: Loopback) -> None:
    site.says |= {
        "/robots.txt": reply(404),
        "/.well-known/tdmrep.json": reply(200, b'[{"location": "/", "tdm-reservation": 1}]'),
        "/a": reply(200, b"", [*HTML, ("tdm-reservation", "0")]),
    }
    out = acap("site", *KEEP, "--page", "/a", "-c", "examplebot", "-u", "tdm", "--why", site.url("")).lines
    place = f"{site.url('/.well-known/tdmrep.json')}:1:2"
    assert f"  together: {site.url('/a')} tdm-reservation replaces {place}, an earlier carrier of tdmrep" in out
    assert out[4].split() == ["tdm", "no", "yes", "permitted", "!"]


def test_the_problems_of_a_document_are_counted(site: Loopback) -> None:
    site.says |= {"/.well-known/tdmrep.json": reply(200, b'[{"location": "/", "tdm_reservation": 1}]')}
    result = acap("site", *KEEP, site.url(""))
    at = result.lines.index(f"          {site.url('/.well-known/tdmrep.json')}")
    assert result.lines[at + 1] == "          1 problem: acap fetch URL | acap lint --kind tdmrep -"
    (found,) = acap("site", *KEEP, "--json", site.url("")).objects(SITE_SCHEMA)
    assert {one["kind"]: [each["code"] for each in one["problems"]] for one in found["documents"]}["tdmrep.json"]


def test_no_url_is_told() -> None:
    assert acap("site").error == "acap: no URL given; give one such as https://example.com/"


@pytest.mark.parametrize("url", ["", "/a", "ftp://example.com/", "http://"])
def test_what_is_no_url_of_a_site_is_a_wrong_call(url: str) -> None:
    assert acap("site", *KEEP, url).wrong_call


def test_json_has_all_of_it(site: Loopback) -> None:
    (found,) = acap("site", *KEEP, "--page", "/a", "--json", site.url("")).objects(SITE_SCHEMA)
    assert [one["crawler"].split(",")[0] for one in found["matrices"]] == list(FIRST)
    assert [row["usage"] for row in found["matrices"][0]["rows"]] == [*USAGES, "preserve", "present", "other"]
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
    assert not any(cell["unknown"] for one in found["matrices"] for row in one["rows"] for cell in row["cells"])
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
        "/robots.txt": reply(
            200, b"User-agent: *\nLicense: http://127.0.0.1:00000/l.xml\nLicense: http://127.0.0.1:00000/m.xml\n"
        ),
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
        assert result.error.endswith(" (--allow-private asks for it)")


def test_the_ten_that_matter_are_known_and_active() -> None:
    found = [api.crawler_list.known(name) for name in FIRST]
    assert [one.name for one in found if one is not None and not one.retired] == list(FIRST)
    assert len(FIRST) == 10


def test_two_vocabularies_of_one_carrier_that_disagree_are_marked() -> None:
    robots = b"User-agent: *\nContent-Signal: ai-train=yes\nContent-Usage: train-ai=n\n"
    with Loopback(says={"/robots.txt": reply(200, robots)}) as server, api.Site(server.url("/")) as one:
        (matrix,) = one.matrices(crawlers=["examplebot"], usages=["ai-train-generative", "index"])
        assert matrix.carriers == ("robots.txt",)
        assert [row.is_contradiction for row in matrix.rows] == [True, False]
        assert json.dumps([str(cell.outcome) for row in matrix.rows for cell in row.cells]) == '["prohibited", "None"]'

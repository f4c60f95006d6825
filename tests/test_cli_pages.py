"""A page's own statements count where `--page` or `--header` gives them; none is fetched that may not be crawled."""

from __future__ import annotations

import json
import re
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from acap import schema
from acap.cli.commands import COMMANDS
from acap.pages import html
from tests.command_line import acap, completed, on_terminal, process
from tests.loopback import Loopback, Script, redirect, reply

DOCUMENT = Path(__file__).resolve().parent.parent / "docs/reference/json.md"
URL = "https://example.com/a.html"
HTML = b"""\
<!doctype html><html><head><title>A page</title>
<meta name="robots" content="noindex">
<meta name="robots" content="ACAP allow-index">
<meta name="otherbot" content="ACAP disallow-index">
</head><body><h1>Head</h1>
<div id="x" class="the-acap:disallow-index">hidden <b class="the-acap:allow-index">open</b></div>
<p data-nosnippet>words</p></body></html>
"""
LOCAL = b'<meta name="robots" content="ACAP allow-(print) time-limit=7-days">'
HTML_TYPE = [("Content-Type", "text/html; charset=utf-8")]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "page.html"
    file.write_bytes(HTML)
    return file


@pytest.fixture
def site() -> Iterator[Loopback]:
    says: dict[str, Script] = {
        "/robots.txt": reply(body=b"User-agent: *\nDisallow: /private/\nUser-agent: badbot\nDisallow: /\n"),
        "/a.html": reply(body=HTML, headers=[*HTML_TYPE, ("X-Robots-Tag", "noai"), ("x-robots-tag", "nofollow")]),
        "/private/b.html": reply(body=HTML, headers=HTML_TYPE),
        "/away": redirect("/private/b.html"),
        "/on": redirect("/a.html"),
    }
    with Loopback(says=says) as server:
        yield server


KEEP = ["--no-cache", "--timeout", "5"]


def test_a_page_in_a_file_counts_and_is_cited_by_the_file_s_name(page: Path, robots: Path) -> None:
    """The META tag of a file decides and is cited as file, line and column."""
    result = acap("check", "--robots", robots, "--page", page, "-c", "a", "-u", "index", URL)
    assert (result.code, result.err) == (0, "")
    (row,) = result.rows
    assert row[4] == "excluded-element=div#x"
    assert row[6] == f'{page}:3:1 meta[name="robots"] ACAP allow-index'


def test_the_page_counts_beside_the_site_s_own_file(page: Path, robots: Path) -> None:
    """What robots.txt prohibits, a page's permission does not lift."""
    url = "https://example.com/private/a.html"
    result = acap("check", "--robots", robots, "--page", page, "-c", "a", "-u", "index", url)
    assert (result.code, result.rows[0][5]) == (1, "crawl-prohibited")


def test_a_page_may_come_from_standard_input(robots: Path) -> None:
    """`--page -` reads standard input, and says so where it cites."""
    result = acap("check", "--robots", robots, "--page", "-", "-c", "otherbot", "-u", "index", URL, given=HTML)
    assert result.code == 1
    assert result.rows[0][6].startswith('standard input:4:1 meta[name="otherbot"]')


def test_every_line_of_a_header_counts(robots: Path) -> None:
    """Two lines of X-Robots-Tag are two statements, and none hides the other."""
    headers: list[str | Path] = ["--header", "X-Robots-Tag: noai", "--header", "x-robots-tag: noindex"]
    result = acap("check", "--robots", robots, *headers, "-c", "a", "-u", "ai-train,index,crawl", URL)
    assert [row[0] for row in result.rows] == ["prohibited", "prohibited", "permitted"]
    assert result.rows[0][6] == f"{URL} X-Robots-Tag noai"


def test_headers_alone_apply_to_every_url(robots: Path) -> None:
    """Without a page the headers are those of each URL, also of a stream and of a path."""
    asked: list[str | Path] = [
        "check",
        "--robots",
        robots,
        "--header",
        "X-Robots-Tag: noindex",
        "-c",
        "a",
        "-u",
        "index",
    ]
    assert [row[0] for row in acap(*asked, URL, "/b").rows] == ["prohibited", "prohibited"]
    assert [row[0] for row in acap(*asked, "-", given=b"/c\n/d\n").rows] == ["prohibited", "prohibited"]


def test_headers_beside_a_file_are_the_page_s(page: Path, robots: Path) -> None:
    """A header of the page prohibits what its META tags leave open."""
    asked: list[str | Path] = ["check", "--robots", robots, "--page", page, "-c", "a", "-u", "ai-train", URL]
    assert (acap(*asked).code, acap(*asked, "--header", "X-Robots-Tag: noai").code) == (0, 1)


def test_a_crawler_that_cannot_work_on_elements_is_refused(page: Path, robots: Path) -> None:
    """With --no-elements a statement on a part prohibits the whole (P2 2.2.6), and explain says so."""
    asked: list[str | Path] = ["--robots", robots, "--page", page, "-c", "a", "-u", "index", "--no-elements", URL]
    result = acap("check", *asked)
    assert (result.code, result.rows[0][5]) == (1, "element-level")
    assert "cannot work on parts" in acap("explain", *asked).out


def test_the_profile_counts(robots: Path) -> None:
    """Google reads `nosnippet` as a refusal of AI input, too."""
    asked: list[str | Path] = [
        "check",
        "--robots",
        robots,
        "--header",
        "X-Robots-Tag: nosnippet",
        "-c",
        "a",
        "-u",
        "ai-input",
        URL,
    ]
    assert (acap(*asked).code, acap(*asked, "--profile", "google").code) == (0, 1)


def test_explain_shows_tags_headers_keys_and_parts(page: Path, robots: Path) -> None:
    """The tree names element, header, and why a statement lost, and lists the parts left out."""
    asked: list[str | Path] = [
        "explain",
        "--robots",
        robots,
        "--page",
        page,
        "--header",
        "X-Robots-Tag: noarchive",
        "-c",
        "a",
        URL,
    ]
    tree = acap(*asked, "-u", "index").lines
    assert f'      {page}:3:1 meta[name="robots"]  ACAP allow-index  (permits index)' in tree
    assert f'      {page}:2:1 meta[name="robots"]  noindex  (prohibits index)' in tree
    assert any("an ACAP statement on the same usage" in line for line in tree)
    assert tree[-2:] == ["    excluded-element: leave these parts of the page out", "      div#x"]
    assert "X-Robots-Tag  noarchive" in acap(*asked, "-u", "present-currentcopy").out


def many_parts(tmp_path: Path) -> Path:
    file = tmp_path / "many.html"
    file.write_bytes(b"".join(b"<p id=p%d class=the-acap:disallow-index>x</p>" % number for number in range(100)))
    return file


def test_plain_lines_and_json_have_every_part(tmp_path: Path, robots: Path) -> None:
    """What programs read names all 100 elements that have to be left out."""
    asked: list[str | Path] = [
        "check",
        "--robots",
        robots,
        "--page",
        many_parts(tmp_path),
        "-c",
        "a",
        "-u",
        "index",
        URL,
    ]
    assert acap(*asked).rows[0][4].count("excluded-element=p#p") == 100
    (found,) = map(json.loads, acap(*asked, "--json").lines)
    Draft202012Validator(schema.DECISION_SCHEMA).validate(found)
    assert [one["value"] for one in found["restrictions"]] == [f"p#p{number}" for number in range(100)]
    assert found["url"] == URL


def test_a_terminal_counts_the_parts(tmp_path: Path, robots: Path) -> None:
    """On a terminal the table says how many elements are left out, and not which."""
    asked: list[str | Path] = ["check", "--robots", robots, "--page", many_parts(tmp_path), "-c", "a", URL]
    for command in (asked, [*asked, "-u", "index"]):
        shown = " ".join(on_terminal(*command, columns=160, NO_COLOR="1").split())
        assert "100 elements left out" in shown
        assert "p#p50" not in shown


def test_a_page_is_fetched_and_all_lines_of_its_headers_count(site: Loopback) -> None:
    """A URL's META tags and headers count, and its URL need not be given twice."""
    result = acap("check", *KEEP, "-c", "a", "-u", "index,ai-train,follow", "--page", site.url("/a.html"))
    assert [row[0] for row in result.rows] == ["permitted", "prohibited", "prohibited"]
    assert result.rows[0][6].startswith(f"{site.url('/a.html')}:3:1 ")
    assert (result.code, result.err, site.targets[:2]) == (1, "", ["/robots.txt", "/a.html"])
    assert sorted(site.targets[2:]) == ["/.well-known/tdmrep.json", "/ai.txt"]


def test_the_url_may_be_given_beside_the_page_s_and_headers_are_added(site: Loopback) -> None:
    """The page's own URL as an argument is fine, and --header adds to what the server said."""
    url = site.url("/a.html")
    result = acap("check", *KEEP, "-c", "a", "-u", "index", "--page", url, "--header", "X-Robots-Tag: noindex", url)
    assert (result.code, result.rows[0][6]) == (1, f"{url} X-Robots-Tag noindex")


def test_a_page_that_may_not_be_crawled_is_never_asked_for(site: Loopback) -> None:
    """Where robots.txt forbids the page the server sees no request for it, and the crawl decision is the answer."""
    url = site.url("/private/b.html")
    result = acap("check", *KEEP, "-c", "a", "-u", "index,crawl", "--page", url)
    assert site.targets == ["/robots.txt"]
    assert [(row[0], row[5]) for row in result.rows] == [
        ("prohibited", "crawl-prohibited"),
        ("prohibited", "statement"),
    ]
    assert result.code == 1
    assert result.err == f"acap: {url} was not fetched: a may not crawl it\n"


def test_each_crawler_is_asked_about_before_the_page_is_fetched_for_it(site: Loopback) -> None:
    """One that may not crawl gets the crawl decision; the page is fetched once for those that may."""
    asked: list[str | Path] = ["-c", "badbot", "-c", "a", "-c", "b", "-u", "index"]
    result = acap("check", *KEEP, *asked, "--page", site.url("/a.html"))
    assert [(row[0], row[2], row[5]) for row in result.rows] == [
        ("prohibited", "badbot", "crawl-prohibited"),
        ("permitted", "a", "statement"),
        ("permitted", "b", "statement"),
    ]
    assert site.targets == ["/robots.txt", "/a.html"]


def test_the_gate_is_of_now_whatever_instant_is_asked_about(site: Loopback) -> None:
    """--at asks about an instant; whether to send a request is a question of now."""
    site.says["/robots.txt"] = reply(body=b"ACAP-crawler: *\nACAP-allow-crawl: / time-limit=until-2020-01-31\n")
    result = acap("check", *KEEP, "-c", "a", "-u", "index", "--at", "2019-01-01", "--page", site.url("/a.html"))
    assert (result.code, site.targets) == (1, ["/robots.txt"])


def test_a_redirect_to_a_forbidden_place_is_not_followed(site: Loopback) -> None:
    """The target's own robots.txt decides whether the redirect is followed."""
    result = acap("check", *KEEP, "-c", "a", "-u", "index", "--page", site.url("/away"))
    assert site.targets == ["/robots.txt", "/away"]
    assert (result.code, result.rows[0][3]) == (1, site.url("/private/b.html"))
    assert "which a may not crawl" in result.err


def test_a_redirect_to_another_site_asks_that_site_first(site: Loopback, robots: Path) -> None:
    """A robots.txt given for the one site says nothing about the other, whose own forbids all."""
    says: dict[str, Script] = {"/robots.txt": reply(body=b"User-agent: *\nDisallow: /\n"), "/x": reply(body=HTML)}
    with Loopback(address="127.0.0.2", says=says) as other:
        site.says["/over"] = redirect(other.url("/x"))
        given: list[list[str | Path]] = [[], ["--robots", robots]]
        for options in given:
            url = site.url("/over")
            result = acap("check", *KEEP, "--allow-private", *options, "-c", "a", "-u", "index", "--page", url)
            assert result.code == 1
            assert other.targets.pop() == "/robots.txt"
        assert "/x" not in other.targets


def test_a_redirect_into_a_private_network_is_refused(site: Loopback) -> None:
    """A site cannot send us to a private host of its choice: nothing is asked there."""
    with Loopback(address="127.0.0.2", says={"/x": reply(body=HTML)}) as other:
        site.says["/over"] = redirect(other.url("/x"))
        result = acap("check", *KEEP, "-c", "a", "-u", "index", "--page", site.url("/over"))
        assert (result.code, other.targets) == (3, [])


def test_the_url_of_a_redirected_page_is_the_final_one(site: Loopback) -> None:
    """Answer, citation and location are of the URL at which the page is."""
    result = acap("check", *KEEP, "-c", "a", "-u", "index", "--page", site.url("/on"))
    assert result.rows[0][3] == site.url("/a.html")
    assert site.targets == ["/robots.txt", "/on", "/a.html"]


@pytest.mark.parametrize("said", [reply(404), reply(500), reply(206, HTML), reply(body=b"x", length=10)])
def test_a_page_that_cannot_be_had_leaves_it_undetermined(site: Loopback, said: bytes) -> None:
    """Without the page there is no answer, one line, and the code 3."""
    site.says["/a.html"] = said
    for command in (["check", "-u", "index"], ["explain", "-u", "index"], ["show"]):
        result = acap(command[0], *KEEP, *command[1:], "-c", "a", "--page", site.url("/a.html"))
        assert (result.code, result.out) == (3, "")
        assert result.err.count("\n") == 1
        assert site.url("/a.html") in result.err


@pytest.mark.parametrize(("status", "outcome", "code"), [(402, "conditional", 3), (403, "prohibited", 1)])
def test_an_answer_that_says_what_a_page_takes_is_an_answer(
    site: Loopback, status: int, outcome: str, code: int
) -> None:
    site.says["/a.html"] = reply(status, b"<p>Pay", [("crawler-price", "USD 0.01")])
    result = acap("check", *KEEP, "-c", "a", "-u", "index", "--page", site.url("/a.html"))
    assert (result.code, result.rows[0][0]) == (code, outcome)
    assert str(status) in result.rows[0][6]


def test_the_terms_in_such_an_answer_count(site: Loopback) -> None:
    site.says["/a.html"] = reply(
        402,
        b'<rsl xmlns="https://rslstandard.org/rsl"><content url=""><license>'
        b'<prohibits type="usage">ai-train</prohibits></license></content></rsl>',
    )
    result = acap("check", *KEEP, "-c", "a", "-u", "index,ai-train", "--page", site.url("/a.html"))
    assert [row[0] for row in result.rows] == ["conditional", "prohibited"]


def test_a_site_in_trouble_permits_no_fetch(site: Loopback) -> None:
    """While robots.txt is unreachable the page is not asked for, and the code is 3."""
    site.says["/robots.txt"] = reply(503)
    result = acap("check", *KEEP, "-c", "a", "-u", "index", "--page", site.url("/a.html"))
    assert (result.code, site.targets, result.rows[0][5]) == (3, ["/robots.txt"], "unreachable")


def test_a_page_is_fetched_each_time_and_not_kept(site: Loopback, tmp_path: Path) -> None:
    """The cache of policies holds no pages."""
    for _ in range(2):
        acap("check", "--cache-dir", tmp_path / "cache", "-c", "a", "-u", "index", "--page", site.url("/a.html"))
    assert site.targets == ["/robots.txt", "/a.html", "/a.html"]


def test_a_page_too_large_is_not_read(site: Loopback, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit a file is a wrong call, and a fetched page undetermined."""
    monkeypatch.setattr("acap.sites.page.PAGE_OCTETS", 100)
    monkeypatch.setattr("acap.cli.io.files.MAX_FILE_OCTETS", 100)
    assert "it cannot be a page" in acap("check", "-c", "a", "--page", page, URL).wrong_call
    result = acap("check", *KEEP, "-c", "a", "-u", "index", "--page", site.url("/a.html"))
    assert (result.code, result.out) == (3, "")


def test_only_headers_count_of_what_is_no_html(site: Loopback) -> None:
    """META tags in text are no statements; its headers are."""
    site.says["/a.html"] = reply(body=HTML, headers=[("Content-Type", "text/plain"), ("X-Robots-Tag", "noai")])
    result = acap("check", *KEEP, "-c", "otherbot", "-u", "index,ai-train", "--page", site.url("/a.html"))
    assert [row[0] for row in result.rows] == ["permitted", "prohibited"]


def test_a_page_that_is_no_image_is_in_doubt_where_it_is_called_one(site: Loopback) -> None:
    """It is not the image that it is declared to be, and nobody knows what that said."""
    site.says["/a.html"] = reply(body=HTML, headers=[("Content-Type", "image/png")])
    result = acap("check", *KEEP, "-c", "otherbot", "-u", "index,ai-train", "--page", site.url("/a.html"))
    assert [row[0] for row in result.rows] == ["prohibited", "prohibited"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "-c", "a", "--page", "PAGE", URL, "https://example.com/b"], "2 URLs and one --page"),
        (["check", "-c", "a", "--page", "PAGE", "-"], "one page"),
        (["check", "-c", "a", "--page", "-", "-"], "standard input cannot be both the URLs and the page"),
        (["check", "-c", "a", "--page", "-", "--robots", "-", URL], "both the page and the robots.txt"),
        (["check", "-c", "a", "--page", "PAGE"], "no URL given"),
        (["check", "-c", "a", "--page", "PAGE", "/a"], "names no site"),
        (["check", "-c", "a", "--page", "PAGE", "example.com/a.html"], "did you mean `https://example.com/a.html`"),
        (["check", "-c", "a", "--page", "FOLDER", URL], "is a directory"),
        (["check", "-c", "a", "--page", "FOLDER/none.html", URL], "no file"),
        (["check", "-c", "a", "--page", "none.html", URL], "check the path"),
        (["check", "-c", "a", "--page", "https://example.org/a", URL], "is not the page https://example.org/a"),
        (["check", "-c", "a", "--page", "https://example.com/b", URL], "is not the page https://example.com/b"),
        (["check", "-c", "a", "--page", "ftp://example.com/b"], "only http and https"),
        (["check", "-c", "a", "--header", "noindex", URL], "has no colon"),
        (["check", "-c", "a", "--header", ": noindex", URL], "has no field name"),
        (["check", "-c", "a", "--header", "X Robots: noindex", URL], "has no field name"),
        (["check", "-c", "a", "--header", "X-Robots-Tag: a\nb: c", URL], "line break"),
        (["check", "-c", "a", "--profile", "gogle", URL], "did you mean `google`"),
        (["show", "--page", "https://example.com/b"], "name one with --crawler"),
        (["show", "--page", "FOLDER"], "index.html"),
    ],
)
def test_a_wrong_call_is_one_line_with_advice(page: Path, arguments: list[str], said: str) -> None:
    """What cannot be meant is refused before anything is read or asked."""
    named = [word.replace("PAGE", str(page)).replace("FOLDER", str(page.parent)) for word in arguments]
    assert said in acap(*named).wrong_call


def test_binary_garbage_is_a_page_like_any_other(page: Path, robots: Path) -> None:
    """Octets that are no HTML say nothing and break nothing."""
    page.write_bytes(b"<p>" + bytes(range(256)) * 500)
    for command in ("check", "explain"):
        result = acap(command, "--robots", robots, "--page", page, "-c", "a", "-u", "index", URL)
        assert (result.code, result.err) == (0, "")
    assert acap("show", "--page", page).code == 0


def test_control_characters_of_a_page_reach_no_output(page: Path, robots: Path) -> None:
    """What a page names its parts and tags is shown with its control characters escaped."""
    page.write_bytes(
        b"<meta name='a\x1b]0;owned\x07' content='ACAP disallow-index \x1b[2J'>"
        b"<p id='\x1b[2J' class='the-acap:disallow-index\x9b'>x<p id='\x1b[3J' class='the-acap:disallow-follow'>"
    )
    asked: list[str | Path] = ["--robots", robots, "--page", page, "--header", "X-Robots-Tag: \x1b[2J", "-c", "a", URL]
    for result in (acap("check", *asked), acap("explain", *asked), acap("show", "--page", page)):
        assert result.out.replace("\n", "").replace("\t", "").isprintable()


@pytest.mark.parametrize("command", ["check", "explain", "show"])
def test_a_missing_package_is_one_line(page: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """Without what reads HTML the line says what to install; headers alone need nothing."""
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    monkeypatch.setattr(html, "_parser", html._parser.__wrapped__)
    crawler = [] if command == "show" else ["-c", "a", "-u", "index"]
    line = acap(command, *crawler, "--page", page, URL).wrong_call
    assert line.endswith("pip install 'acap[pages]'")
    assert f"acap {command} --page" in line
    assert acap("show", "--header", "X-Robots-Tag: noindex").code == 0


def test_show_says_in_plain_words_what_a_page_says(page: Path) -> None:
    """Whom it addresses, usage by usage, parts with their place, headers, local usages, and problems."""
    headers: list[str | Path] = [
        "--header",
        "X-Robots-Tag: noarchive, frobnicate",
        "--header",
        "X-Robots-Tag: otherbot: noai",
    ]
    page.write_bytes(HTML.replace(b"</head>", LOCAL + b"</head>"))
    lines = acap("show", "--page", page, *headers).lines
    assert lines[0].startswith(f"{page}: ")
    assert "  any crawler" in lines
    assert "    line 3: may index the page (ACAP allow-index)" in lines
    assert "    line 2: must not present the page in any way (noindex)" in lines
    assert "    header X-Robots-Tag: must not present the current copy of the page (noarchive)" in lines
    assert "  otherbot" in lines
    assert "    header X-Robots-Tag: must not train AI models on the page (noai)" in lines
    assert lines[lines.index("    div#x") + 1] == "      line 6: must not index this part (the-acap:disallow-index)"
    assert any(line.startswith("    the site's robots.txt defines (print)") for line in lines)
    assert any("`frobnicate`" in line and "[page-unknown-word]" in line for line in lines)


def test_show_with_a_crawler_leaves_out_what_is_for_others(page: Path) -> None:
    """Statements to another crawler do not concern this one; those to any crawler do."""
    assert "  otherbot" in acap("show", "--page", page, "-c", "otherbot/1.0").lines
    others = acap("show", "--page", page, "-c", "thirdbot").lines
    assert "  otherbot" not in others
    assert "  no statement names thirdbot; statements for any crawler apply" in others


def test_show_says_the_version_and_that_silence_forbids_nothing(page: Path) -> None:
    """The version of ACAP stands in the first line; a page without statements gets a sentence."""
    page.write_bytes(b'<meta name="robots" content="ACAP version 1.1">')
    lines = acap("show", "--page", page).lines
    assert "ACAP version 1.1" in lines[0]
    assert lines[1] == "  it has no statement about its use, so nothing is forbidden here"


def test_show_is_no_longer_than_what_a_page_says(page: Path) -> None:
    """A tag of many statements is not repeated as a whole for each of them."""
    page.write_bytes(
        b"<meta name=robots content='ACAP %s'>" % b" ".join(b"allow-u%d" % number for number in range(999))
    )
    for form, most in (([], 300), (["--json"], 3_000)):
        result = acap("show", "--page", page, *form)
        assert result.code == 0
        assert 999 < len(result.out) < 999 * most


def test_show_asks_the_site_before_it_fetches(site: Loopback) -> None:
    """As with check: what may not be crawled is not asked for."""
    assert "must not train AI models" in acap("show", *KEEP, "-c", "a", "--page", site.url("/a.html")).out
    site.asked.clear()
    result = acap("show", *KEEP, "-c", "a", "--page", site.url("/private/b.html"))
    assert (result.code, result.out, site.targets) == (1, "", ["/robots.txt"])


def test_show_json_is_what_its_schema_says(page: Path) -> None:
    """A page as JSON has every statement with place, addressee and restrictions, and its problems."""
    asked: list[str | Path] = ["--header", "X-Robots-Tag: max-snippet: 20, frobnicate", "--json", URL]
    page.write_bytes(HTML.replace(b"</head>", LOCAL + b"</head>"))
    (found,) = acap("show", "--page", page, *asked).objects(schema.PAGE_SCHEMA)
    assert (found["url"], found["source"], found["encoding"]) == (URL, str(page), "windows-1252")
    by_text = {one["text"]: one for one in found["statements"]}
    assert (by_text["ACAP disallow-index"]["crawler"], by_text["ACAP disallow-index"]["line"]) == ("otherbot", 4)
    assert by_text["the-acap:disallow-index"]["part"] == "element"
    assert by_text["max-snippet: 20"]["restrictions"] == [{"name": "max-length", "value": "20-chars", "usage": None}]
    assert found["local_usages"] == [{"name": "print", "permits": True}]
    for problem in found["problems"]:
        Draft202012Validator(schema.PROBLEM_SCHEMA).validate(problem)
    assert "page-unknown-word" in [problem["code"] for problem in found["problems"]]


FORMS = {"page": schema.PAGE_SCHEMA, "content": schema.CONTENT_SCHEMA, "link": schema.LINK_SCHEMA}
FORMS["snippet"] = schema.SNIPPET_SCHEMA


@pytest.mark.parametrize("title", FORMS)
def test_the_documentation_shows_each_schema_and_explains_its_keys(title: str) -> None:
    """docs/reference/json.md holds the schema as it is, and has every key of it."""
    Draft202012Validator.check_schema(FORMS[title])
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = map(json.loads, re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert [block for block in blocks if block.get("title") == f"acap {title}"] == [FORMS[title]]
    assert [key for key in FORMS[title]["properties"] if f"`{key}`" not in text] == []


@pytest.mark.parametrize("command", ["check", "explain", "show", "extract"])
def test_help_names_the_options_of_pages(command: str) -> None:
    """Each command that reads pages says how to give one, with an example."""
    text = acap(command, "--help").out
    assert "--header 'NAME: VALUE'" in text
    assert ("--page FILE|URL" in text) == (command != "extract")
    assert "page.html" in text
    assert COMMANDS["extract"].extra == "pages"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("acap check --pa", ["--page"]),
        ("acap check --profile g", ["generic", "google"]),
        ("acap show --header x", ["X-Robots-Tag:"]),
        ("acap extract --sn", ["--snippet"]),
        ("acap extract --usage ai-t", ["ai-train", "ai-train-generative"]),
        ("acap explain --page pag", ["pag"]),
    ],
)
def test_options_of_pages_are_completed(line: str, offered: list[str]) -> None:
    """Options, profiles and headers are offered; files are left to the shell."""
    assert completed(line) == offered


def test_ctrl_c_while_a_page_keeps_us_waiting_ends_with_130() -> None:
    """An interrupt while the server is silent ends quietly."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.html"
        running = process("check", "--no-cache", "-c", "a", "--page", url)
        server.settimeout(60)
        first, _ = server.accept()
        with first:
            first.recv(65536)
            first.sendall(reply(404))
        silent, _ = server.accept()
        with silent:
            assert b"GET /a.html " in silent.recv(65536)
            running.send_signal(signal.SIGINT)
            assert running.communicate(timeout=60) == (b"", b"")
        assert running.returncode == 130

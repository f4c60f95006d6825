"""`check`, `explain` and `extract` hear what a site says beside its robots.txt, where that could decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import acap
from tests.crawling import HTML
from tests.loopback import Loopback, Script, reply

Says = dict[str, Script]

OWN = ["/.well-known/tdmrep.json", "/ai.txt", "/robots.txt"]
UNREAD = "tdmrep.json, ai.txt and licences were not read and may prohibit more; `acap site URL` reads them"


def licence(inside: str) -> bytes:
    """The answer with a licence document for the whole site."""
    text = f'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>{inside}</license></content></rsl>'
    return reply(200, text.encode())


ALL = '<permits type="usage">all</permits>'
NONE = '<prohibits type="usage">all</prohibits>'
PAID = f'{ALL}<payment type="purchase"/>'
NAMES_LICENCE = reply(200, b"User-agent: *\nLicense: http://127.0.0.1:00000/l.xml\n")
RESERVES: Says = {"/.well-known/tdmrep.json": reply(200, b'[{"location":"/","tdm-reservation":1}]')}
FORBIDS: Says = {"/ai.txt": reply(200, b"User-Agent: *\nDisallow: /\n")}
SELLS: Says = {"/robots.txt": NAMES_LICENCE, "/l.xml": licence(PAID)}
GIVES: Says = {"/robots.txt": NAMES_LICENCE, "/l.xml": licence(ALL)}
PAGE: Says = {"/a": reply(200, b"<p>Text</p>", [HTML])}


def of(server: Loopback, page: bool) -> list[str]:
    """The URL of a page, alone or with `--page`."""
    return ["--page", server.url("/a")] if page else [server.url("/a")]


@pytest.mark.parametrize("command", ["check", "explain"])
@pytest.mark.parametrize("page", [False, True])
@pytest.mark.parametrize(
    ("says", "usage", "outcome", "code", "by"),
    [
        (RESERVES, "ai-train", "prohibited", 1, "tdmrep.json:1:2"),
        (RESERVES, "tdm", "prohibited", 1, "tdmrep.json:1:2"),
        (FORBIDS, "ai-train", "prohibited", 1, "ai.txt:2:1"),
        (FORBIDS, "ai-input", "permitted", 0, ""),
        (SELLS, "preserve", "conditional", 3, "l.xml:1:59"),
        (SELLS, "search", "conditional", 3, "l.xml:1:59"),
        (SELLS, "ai-train", "conditional", 3, "l.xml:1:59"),
        (GIVES, "ai-input", "permitted", 0, "l.xml:1:59"),
        ({"/robots.txt": NAMES_LICENCE}, "preserve", "prohibited", 1, "/l.xml"),
        ({"/robots.txt": NAMES_LICENCE}, "ai-train", "prohibited", 1, "/l.xml"),
        ({"/robots.txt": NAMES_LICENCE, "/l.xml": reply(503)}, "preserve", "prohibited", 1, "could not be retrieved"),
        ({"/.well-known/tdmrep.json": reply(503)}, "ai-train", "prohibited", 1, "tdmrep.json"),
        ({"/ai.txt": reply(503)}, "ai-train", "prohibited", 1, "ai.txt"),
    ],
)
def test_what_stands_beside_robots_txt_decides_as_in_site(
    command: str, page: bool, says: Says, usage: str, outcome: str, code: int, by: str
) -> None:
    with Loopback(says=PAGE | says) as server:
        asked = ["--no-cache", "-c", "GPTBot", "-u", usage]
        result = acap(command, *asked, *of(server, page))
        assert (result.code, result.out.split("\t")[0].split(":")[0]) == (code, outcome)
        assert by in result.out
        assert set(OWN) <= set(server.targets)
        assert len(set(server.targets)) == len(server.targets)
        whole = acap("site", *asked, *(["--page", "/a"] if page else []), server.url("/a"))
        assert whole.code == code


def test_what_a_condition_asks_for_is_explained() -> None:
    with Loopback(says=SELLS) as server:
        result = acap("explain", "--no-cache", "-c", "a", "-u", "ai-train", server.url("/a"))
        licence = server.url("/l.xml")
        assert f"  needs a payment: purchase, licence {licence}" in result.lines


@pytest.mark.parametrize("usage", ["crawl", "follow", "crawl,follow"])
@pytest.mark.parametrize("says", [RESERVES, SELLS])
def test_crawling_asks_for_robots_txt_alone(usage: str, says: Says) -> None:
    with Loopback(says=PAGE | says) as server:
        assert acap("check", "--no-cache", "-c", "GPTBot", "-u", usage, server.url("/a")).code == 0
        assert server.targets == ["/robots.txt"]


def test_other_uses_of_content_ask_for_it_alone_unless_it_names_a_licence() -> None:
    with Loopback(says=RESERVES) as server:
        assert acap("check", "--no-cache", "-c", "GPTBot", "-u", "index,preserve,present", server.url("/a")).code == 0
        assert server.targets == ["/robots.txt"]


def test_a_usage_that_robots_txt_defines_may_stand_for_mining() -> None:
    text = b"ACAP-crawler: *\nACAP-qualified-usage: study preserve time-limit=2-days\nACAP-allow-crawl: /\n"
    with Loopback(says={"/robots.txt": reply(200, text)}) as server:
        acap("check", "--no-cache", "-c", "GPTBot", "-u", "study", server.url("/a"))
        assert sorted(server.targets) == OWN


def test_without_a_usage_all_are_shown_and_so_all_is_heard() -> None:
    with Loopback(says=RESERVES) as server:
        result = acap("check", "--no-cache", "-c", "GPTBot", server.url("/a"))
        outcomes = {row[1]: row[0] for row in result.rows}
        assert (result.code, outcomes["index"], outcomes["ai-index"]) == (0, "permitted", "prohibited")


def test_many_urls_of_a_site_ask_it_once() -> None:
    with Loopback(says=RESERVES) as server:
        urls = "".join(f"{server.url(f'/{number}')}\n" for number in range(50))
        asked = ["check", "--no-cache", "--allow-private", "-c", "GPTBot", "-c", "b", "-u", "ai-train", "-"]
        result = acap(*asked, given=urls.encode())
        assert (result.code, len(result.rows), sorted(server.targets)) == (1, 100, OWN)


def test_each_document_is_asked_again_with_refresh_once(tmp_path: Path) -> None:
    with Loopback(says=PAGE | SELLS) as server:
        asked = ["check", "--cache-dir", str(tmp_path), "-c", "GPTBot", "-u", "ai-train", server.url("/a")]
        assert "is a copy of" not in acap(*asked).err
        assert acap(*asked).err.count(f"{server.url()} is a copy of") == 1
        assert sorted(server.targets) == sorted([*OWN, "/l.xml"])
        assert "is a copy of" not in acap(*asked, "--refresh").err
        assert sorted(server.targets) == sorted([*OWN, "/l.xml"] * 2)
        assert acap(*asked, "--quiet").err == ""


@pytest.mark.parametrize(
    ("inside", "outcome"), [(ALL, "permitted"), (PAID, "conditional"), (NONE, "prohibited"), (None, "prohibited")]
)
def test_a_licence_that_the_page_names_is_heard(inside: str | None, outcome: str) -> None:
    says: Says = {"/a": reply(200, b'<link rel="license" type="application/rsl+xml" href="/p.xml">x', [HTML])}
    says["/p.xml"] = reply(503) if inside is None else licence(inside)
    with Loopback(says=says) as server:
        result = acap("check", "--no-cache", "-c", "GPTBot", "-u", "preserve", "--page", server.url("/a"))
        assert result.rows[0][0] == outcome
        assert "/p.xml" in server.targets


def test_a_page_in_a_file_is_heard_with_the_documents_of_its_site(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_bytes(b'<meta name="tdm-reservation" content="0">x')
    asked = ["check", "--no-cache", "-c", "GPTBot", "-u", "tdm", "--page", str(file)]
    with Loopback(says=RESERVES | FORBIDS) as server:
        assert acap(*asked, server.url("/a")).code == 0  # the page speaks in the place of tdmrep.json (TDMRep 6.7)
        assert acap(*asked, "-u", "ai-train", server.url("/a")).code == 1


def test_what_is_strict_reads_robots_txt_so_and_hears_its_licences_all_the_same() -> None:
    robots = reply(200, b"User-agent: *\nContent-Signal: ai-train=false\nLicense: http://127.0.0.1:00000/l.xml\n")
    with Loopback(says=GIVES | {"/robots.txt": robots}) as server:
        asked = ["check", "--no-cache", "-c", "GPTBot", "-u", "ai-train", server.url("/a")]
        assert [acap(*asked, "--reading", reading).code for reading in ("careful", "strict")] == [1, 0]


@pytest.mark.parametrize("command", ["check", "explain"])
@pytest.mark.parametrize(
    ("text", "usage", "told"),
    [
        ("", "ai-train", 1),
        ("", "", 1),
        ("", "index", 0),
        ("", "crawl,follow", 0),
        ("License: /l.xml\n", "index", 1),
        ("License: /l.xml\n", "crawl", 0),
        ("Content-Signal: ai-train=no\n", "ai-train", 0),
        ("Content-Signal: ai-train=no\n", "ai-train,index", 0),
    ],
)
def test_with_a_file_nothing_is_asked_for_and_a_note_tells_once(
    tmp_path: Path, command: str, text: str, usage: str, told: int
) -> None:
    file = tmp_path / "robots.txt"
    file.write_text(f"User-agent: *\n{text}")
    with Loopback(says=RESERVES) as server:
        asked = ["--robots", str(file), "-c", "a", *(["-u", usage] if usage else [])]
        result = acap(command, *asked, server.url("/a"), server.url("/b"))
        assert (server.targets, result.err.count(f"acap: {UNREAD}\n"), result.err.count("\n")) == ([], told, told)
        assert acap(command, *asked, "--quiet", server.url("/a")).err == ""


def test_the_robots_txt_of_a_url_is_not_a_file() -> None:
    with Loopback(says=RESERVES) as server:
        asked = ["--no-cache", "-c", "a", "-u", "tdm", server.url("/a")]
        assert acap("check", "--robots", server.url(), *asked).code == 1


def test_a_site_out_of_reach_is_asked_for_nothing_else() -> None:
    with Loopback(says=RESERVES | {"/robots.txt": reply(503)}) as server:
        assert acap("check", "--no-cache", "-c", "a", "-u", "tdm", server.url("/a")).code == 3
        assert server.targets == ["/robots.txt"]


@pytest.mark.parametrize(("says", "usage", "code"), [(RESERVES, "ai-train", 1), (SELLS, "index", 3), ({}, "tdm", 0)])
def test_nothing_is_extracted_for_what_they_prohibit(says: Says, usage: str, code: int) -> None:
    with Loopback(says=PAGE | says) as server:
        result = acap("extract", "--no-cache", "-c", "a", "-u", usage, server.url("/a"))
        assert (result.code, result.out) == (code, "" if code else "Text\n")


@pytest.mark.parametrize(("says", "usage", "code"), [(RESERVES, "ai-train", 1), (SELLS, "index", 3), ({}, "tdm", 0)])
def test_a_page_in_a_file_is_extracted_by_what_the_named_site_says(
    tmp_path: Path, says: Says, usage: str, code: int
) -> None:
    """With the robots.txt of a site; one in a file stands alone, and a note says so."""
    (tmp_path / "a.html").write_text("<p>Text</p>")
    (tmp_path / "robots.txt").write_text("User-agent: *\nLicense: /l.xml\n")
    with Loopback(says=says) as server:
        asked = ["extract", "--no-cache", "-u", usage, "--url", server.url("/a"), str(tmp_path / "a.html")]
        result = acap(*asked, "--robots", server.url("/robots.txt"))
        assert (result.code, result.out) == (code, "" if code else "Text\n")
        before = len(server.targets)
        result = acap(*asked, "--robots", str(tmp_path / "robots.txt"))
        assert len(server.targets) == before
        assert (UNREAD in result.err) is (result.code == 0)
        alone = acap(*asked)
        assert (alone.code, alone.out, alone.err, len(server.targets)) == (0, "Text\n", "", before)


def test_a_site_without_robots_txt_has_no_robots_txt() -> None:
    with Loopback() as server:
        result = acap("explain", "--no-cache", "-c", "a", "-u", "tdm", server.url("/a"))
        assert "the site has no robots.txt, so nothing is forbidden" in result.out

"""`acap verify` says whether a site serves what is meant; what cannot be known is neither equal nor different."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acap.publish.compose import draft_from_toml, robots_octets
from tests.command_line import Result, acap
from tests.loopback import Loopback, redirect, reply

MEANT = b"ACAP-crawler: *\nACAP-disallow-crawl: /private/\nACAP-allow-index: /news/ time-limit=7-days\n"
SAME = b"# the same\nACAP-crawler: *\nACAP-allow-index: /news/ time-limit=7-days\n\nACAP-disallow-crawl: /private/*\n"
LOOSER = b"ACAP-crawler: *\nACAP-allow-index: /news/ time-limit=7-days\n"

TABLE = """\
[policy]
samples = ["/drafts/a.html"]

[[policy.record]]
crawlers = ["*"]
prohibit = [{ usage = "crawl", resources = ["/private/"] }]

[[policy.page]]
pattern = "/drafts/"
words = ["noindex", "max-snippet:20"]

[[policy.page]]
pattern = "/*.pdf$"
crawlers = ["ABot"]
prohibit = ["present-thumbnail"]
samples = ["/b.pdf"]
"""
HTML = ("Content-Type", "text/html")
PDF = ("Content-Type", "application/pdf")
PAGES = {
    "/drafts/a.html": reply(
        body=b"<meta name=robots content='noindex'>", headers=[HTML, ("X-Robots-Tag", "max-snippet:20")]
    ),
    "/b.pdf": reply(body=b"%PDF", headers=[PDF, ("X-Robots-Tag", "noindex")]),
}


@pytest.fixture
def site() -> Iterator[Loopback]:
    with Loopback(says={"/robots.txt": reply(body=MEANT)}) as server:
        yield server


@pytest.fixture
def robots(robots: Path) -> Path:
    robots.write_bytes(MEANT)
    return robots


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "acap.toml"
    file.write_text(TABLE, encoding="utf-8")
    return file


def verified(site: Loopback, file: Path, *options: str | Path) -> Result:
    return acap("verify", "--no-cache", "--timeout", "5", *options, site.url("/"), file)


@pytest.mark.parametrize("live", [MEANT, SAME])
def test_texts_that_mean_the_same_are_equal(live: bytes, site: Loopback, robots: Path) -> None:
    """Order, comments and spelling do not matter."""
    site.says["/robots.txt"] = reply(body=live)
    result = verified(site, robots)
    assert (result.code, result.err) == (0, "")
    assert site.targets == ["/robots.txt"]


def test_a_difference_is_told_with_a_path_at_which_it_shows(site: Loopback, robots: Path) -> None:
    """Exit 1, and what is meant beside what is live."""
    site.says["/robots.txt"] = reply(body=LOOSER)
    result = verified(site, robots)
    assert result.code == 1
    assert "/private/" in result.out
    assert "ACAP-disallow-crawl: /private/" in result.out


def test_a_site_without_a_file_is_different_from_one_that_means_something(site: Loopback, robots: Path) -> None:
    """404 is no policy; where none is meant either, that is equal."""
    del site.says["/robots.txt"]
    assert verified(site, robots).code == 1
    robots.write_bytes(b"")
    assert verified(site, robots).code == 0


@pytest.mark.parametrize("status", [401, 404, 410])
def test_an_answer_by_which_a_site_has_no_file_is_told(
    status: int, site: Loopback, robots: Path, tmp_path: Path
) -> None:
    """Beside the changes that come of it; a folder is told the same."""
    site.says["/robots.txt"] = reply(status)
    told = f"acap: {site.url()}: the answer was {status}, which counts as no robots.txt\n"
    assert verified(site, robots).err == told
    (tmp_path / "meant").mkdir()
    (tmp_path / "meant" / "robots.txt").write_bytes(MEANT)
    assert verified(site, tmp_path / "meant").err == told


def test_a_login_in_place_of_a_file_is_told_with_its_place(site: Loopback, robots: Path) -> None:
    """A redirect led there, which a webmaster has to find."""
    site.says["/robots.txt"] = redirect("/login")
    site.says["/login"] = reply(body=b"<html>log in</html>", headers=[HTML])
    result = verified(site, robots)
    assert result.code == 1
    assert f"none of its lines is a field of one; a redirect led to {site.url('/login')}; that counts" in result.err


@pytest.mark.parametrize(
    ("declared", "told"),
    [("text/html; charset=utf-8", "is served as `text/html`"), ("Text/Plain; charset=utf-8", ""), ("", "")],
)
def test_a_media_type_by_which_others_may_leave_a_file_is_told(
    declared: str, told: str, site: Loopback, robots: Path
) -> None:
    """RFC 9309 2.3 wants text/plain; no decision changes, so the exit code does not."""
    site.says["/robots.txt"] = reply(body=MEANT, headers=[("Content-Type", declared)] if declared else [])
    result = verified(site, robots)
    assert result.code == 0
    assert told in result.err
    assert bool(told) == bool(result.err)


@pytest.mark.parametrize("answer", [reply(503), reply(body=MEANT, length=10_000), b""])
def test_a_site_out_of_reach_is_undetermined(answer: bytes, site: Loopback, robots: Path) -> None:
    """Exit 3, and neither equal nor different is said."""
    site.says["/robots.txt"] = answer
    result = verified(site, robots)
    assert result.code == 3
    assert result.out == ""
    assert "cannot be retrieved" in result.err


@pytest.mark.parametrize("octets", [b"\x00\x01\x02", b"\x1f\x8b\x08" + bytes(50)])
def test_a_file_that_is_no_text_is_a_wrong_call(octets: bytes, site: Loopback, robots: Path) -> None:
    """Nothing is asked of the site."""
    robots.write_bytes(octets)
    result = verified(site, robots)
    assert "is compressed or binary" in result.wrong_call
    assert site.targets == []


def test_a_copy_at_hand_is_not_what_is_live(site: Loopback, robots: Path, tmp_path: Path) -> None:
    """The site is asked each time, however fresh the copy in the cache."""
    options: list[str | Path] = ["--cache-dir", tmp_path / "cache", "--timeout", "5"]
    for _ in range(2):
        assert acap("verify", *options, site.url("/"), robots).code == 0
    assert site.targets == ["/robots.txt", "/robots.txt"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (reply(500), 3),
        (reply(202), 3),
        (b"", 3),
        (reply(body=b"<html>log in</html>", headers=[HTML]), 1),
        (reply(204), 1),
    ],
)
def test_no_copy_stands_in_for_what_a_site_does_not_serve_any_more(
    answer: bytes, code: int, site: Loopback, robots: Path, tmp_path: Path
) -> None:
    """A copy of what was meant is in the cache; the site says something else, or nothing, in its place."""
    asked: list[str | Path] = ["verify", "--cache-dir", tmp_path / "cache", "--timeout", "5", site.url("/"), robots]
    acap("check", "--cache-dir", tmp_path / "cache", "--allow-private", "--crawler", "x", site.url("/"))
    assert acap(*asked).code == 0
    site.says["/robots.txt"] = answer
    assert acap(*asked).code == code


def live_pages(site: Loopback) -> None:
    """Lets the site say what the table means."""
    import tomllib

    site.says |= PAGES | {"/robots.txt": reply(body=robots_octets(draft_from_toml(tomllib.loads(TABLE)["policy"])))}


def test_pages_of_a_table_are_looked_at(site: Loopback, table: Path) -> None:
    """In META tags or in headers, to the crawler itself or to any: `noindex` says that no picture is shown either."""
    live_pages(site)
    result = verified(site, table)
    assert (result.code, result.err) == (0, "")
    assert site.targets == ["/robots.txt", "/drafts/a.html", "/b.pdf"]


def test_what_a_page_does_not_say_is_told(site: Loopback, table: Path) -> None:
    """Statement by statement; a looser value is not the same."""
    live_pages(site)
    site.says["/drafts/a.html"] = reply(body=b"<p>x", headers=[HTML, ("X-Robots-Tag", "noindex, max-snippet:90")])
    site.says["/b.pdf"] = reply(body=b"%PDF", headers=[PDF])
    result = verified(site, table)
    assert result.code == 1
    assert result.lines[-7:] == [
        f"{site.url('/drafts/a.html')}: says less than you mean",
        "  does not say: permitted present-snippet max-length=20-chars",
        "  does not say: permitted present-extract max-length=20-chars",
        "  does not say: permitted present-oldsnippet max-length=20-chars",
        "  does not say: permitted present-oldextract max-length=20-chars",
        f"{site.url('/b.pdf')}: says less than you mean",
        "  does not say: prohibited present-thumbnail for abot",
    ]


def test_a_page_that_says_it_and_permits_it_all_the_same_is_told(site: Loopback, table: Path) -> None:
    """A permission for one crawler overcomes the prohibition for any."""
    table.write_text('[[policy.page]]\npattern = "/a"\nsamples = ["/a"]\nprohibit = ["index"]\ncrawlers = ["*"]\n')
    site.says["/robots.txt"] = reply(404)
    closed = b"<meta name=robots content='ACAP disallow-index'>"
    site.says["/a"] = reply(body=closed, headers=[HTML])
    assert verified(site, table).code == 0
    site.says["/a"] = reply(body=closed + b"<meta name=abot content='ACAP allow-index'>", headers=[HTML])
    result = verified(site, table)
    assert result.code == 1
    told = 'prohibited index for abot, for `ACAP allow-index` of meta[name="abot"] decides there'
    assert result.lines[-2:] == [f"{site.url('/a')}: says less than you mean", f"  does not say: {told}"]


@pytest.mark.parametrize("answer", [reply(404), reply(500), redirect("/private/x", 302)])
def test_a_page_that_cannot_be_had_is_undetermined(answer: bytes, site: Loopback, table: Path) -> None:
    """Nor is one fetched that crawlers may not crawl."""
    live_pages(site)
    site.says["/b.pdf"] = answer
    result = verified(site, table)
    assert result.code == 3
    assert site.url("/b.pdf") in result.err
    assert "/b.pdf" not in result.out
    assert "/private/x" not in site.targets


def test_a_page_rule_without_a_sample_is_undetermined(site: Loopback, table: Path) -> None:
    """What was not looked at is not said to be as it is meant."""
    live_pages(site)
    table.write_text(TABLE.replace('samples = ["/b.pdf"]\n', ""), encoding="utf-8")
    result = verified(site, table)
    assert result.code == 3
    assert "/*.pdf$ has no sample URL" in result.err


def test_json_holds_it_all(site: Loopback, table: Path) -> None:
    """One object with the verdict, the changes, and each page."""
    live_pages(site)
    site.says["/b.pdf"] = reply(body=b"%PDF", headers=[PDF])
    result = verified(site, table, "--json")
    found = json.loads(result.out)
    assert (result.code, found["verdict"], found["changes"], found["undecided"]) == (1, "equal", [], [])
    assert [(page["pattern"], page["known"], bool(page["missing"])) for page in found["pages"]] == [
        ("/drafts/", True, False),
        ("/*.pdf$", True, True),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the site and the file"),
        (["https://example.com"], "give the site and the file"),
        (["example.com", "robots.txt"], "has no scheme"),
        (["https://example.com", "none.txt"], "no file `none.txt`"),
    ],
)
def test_a_wrong_call_is_one_line(arguments: list[str], message: str) -> None:
    """Before anything is asked of a site."""
    result = acap("verify", *arguments)
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert message in result.err

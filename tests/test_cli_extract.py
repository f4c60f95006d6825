"""`acap extract` prints what of a page may be used, nothing of what may not, and says why where there is nothing."""

from __future__ import annotations

import json
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acap import schema
from acap.pages import html
from tests import embedded_files as files
from tests.command_line import acap, on_terminal, process
from tests.loopback import Loopback, Script, redirect, reply

URL = "https://example.com/news/a.html"
HTML = b"""\
<!doctype html><html><head><title>A page</title>
<meta name="robots" content="ACAP allow-index">
<meta name="badbot" content="ACAP disallow-index">
</head><body><h1>Rates rise</h1>
<p id="x" class="the-acap:disallow-index">A secret. <b class="the-acap:allow-index">But open.</b></p>
<p data-nosnippet>Not in snippets.</p>
<p>The bank raised its rate. <a href="/on">On</a> <a rel="nofollow" href="https://example.org/ad">Ad</a></p>
</body></html>
"""
KEEP = ["--no-cache", "--timeout", "5"]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "page.html"
    file.write_bytes(HTML)
    return file


@pytest.fixture
def site() -> Iterator[Loopback]:
    html = [("Content-Type", "text/html")]
    says: dict[str, Script] = {
        "/robots.txt": reply(body=b"User-agent: *\nDisallow: /private/\n"),
        "/a.html": reply(body=HTML, headers=html),
        "/private/b.html": reply(body=HTML, headers=html),
        "/away": redirect("/private/b.html"),
        "/a.png": reply(body=files.png(), headers=[("Content-Type", "image/png")]),
    }
    with Loopback(says=says) as server:
        yield server


def test_the_usable_text_is_printed_and_nothing_else(page: Path) -> None:
    """A part that may not be used leaves nothing, a permitted part within it stays."""
    result = acap("extract", "--usage", "index", page)
    assert (result.code, result.err) == (0, "")
    assert result.lines == [
        "A page",
        "Rates rise",
        "But open.",
        "Not in snippets.",
        "The bank raised its rate. On Ad",
    ]


def test_the_usable_html_is_printed(page: Path) -> None:
    """HTML keeps tags and attributes of what may be used, and nothing of the rest."""
    result = acap("extract", "-u", "index", "--html", page)
    assert result.code == 0
    assert '<a href="/on">On</a>' in result.out
    assert "secret" not in result.out


def test_the_page_may_come_from_standard_input() -> None:
    """`-` reads the page from standard input."""
    assert "Rates rise" in acap("extract", "-u", "index", "-", given=HTML).lines


@pytest.mark.parametrize("form", [["-u", "index"], ["-u", "index", "--html"], ["--snippet", "-u", "index"]])
def test_a_page_prohibited_as_a_whole_prints_nothing_and_ends_with_1(page: Path, form: list[str]) -> None:
    """One line on standard error names the statement; standard output stays empty."""
    page.write_bytes(HTML.replace(b"the-acap:allow-index", b""))
    result = acap("extract", "-c", "badbot", page, *form)
    assert (result.code, result.out) == (1, "")
    assert result.error.endswith(f'prohibited: index: {page}:3:1 meta[name="badbot"] ACAP disallow-index')


def test_what_a_prohibited_page_permits_of_itself_is_printed(page: Path) -> None:
    """A permission on a part lifts a prohibition that surrounds it, and then something usable is printed."""
    page.write_bytes(
        b"<meta name=robots content='ACAP disallow-index'><p>No.</p><p class=the-acap:allow-index>Yes.</p>"
    )
    result = acap("extract", "-u", "index", page)
    assert (result.code, result.lines) == (0, ["Yes."])


def test_a_page_whose_every_part_is_left_out_ends_with_1(page: Path) -> None:
    """Bare tags are nothing usable."""
    page.write_bytes(b"<body class='the-acap:disallow-index'><p>No.</p>")
    for form in ([], ["--html"]):
        result = acap("extract", "-u", "index", *form, page)
        assert (result.code, result.out) == (1, "")
        assert "every part" in result.error


def test_a_page_without_text_is_permitted_and_says_so(page: Path) -> None:
    """Nothing is prohibited in an empty page, and nothing is printed of it."""
    page.write_bytes(b"")
    result = acap("extract", "-u", "index", page)
    assert (result.code, result.out) == (0, "")
    assert "no text" in result.error


def test_headers_and_profile_count(page: Path) -> None:
    """A header of the page prohibits, and what it means may depend on the profile."""
    asked: list[str | Path] = ["extract", "-u", "ai-input", "--header", "X-Robots-Tag: nosnippet", page]
    assert (acap(*asked).code, acap(*asked, "--profile", "bing").code) == (0, 1)


def test_a_crawler_that_cannot_leave_parts_out_gets_nothing(page: Path) -> None:
    """With --no-elements a statement on a part prohibits the whole page (P2 2.2.6)."""
    result = acap("extract", "-u", "index", "--no-elements", page)
    assert (result.code, result.out) == (1, "")
    assert "cannot work on parts" in result.error


def test_the_robots_file_of_the_site_counts(page: Path, robots: Path) -> None:
    """Where robots.txt prohibits the page's URL, nothing of the page is printed."""
    asked: list[str | Path] = ["extract", "-u", "index", "--robots", robots, page, "--url"]
    assert acap(*asked, URL).code == 0
    result = acap(*asked, "https://example.com/private/a.html")
    assert (result.code, result.out) == (1, "")
    assert "Disallow: /private/" in result.error


def test_another_resource_to_be_used_is_named_and_leaves_it_undetermined(page: Path) -> None:
    """Where the publisher wants another URI used, it stands on standard error, and the code is 3."""
    page.write_bytes(
        b"<meta name=robots content='ACAP allow-index must-use-resource=https://example.com/abstract'><p>x"
    )
    result = acap("extract", "-u", "index", page)
    assert (result.code, result.out) == (3, "")
    assert "https://example.com/abstract" in result.error


def test_a_part_that_must_be_used_and_is_not_there_leaves_nothing(page: Path) -> None:
    """A page without the part that alone may be used has no usable content."""
    page.write_bytes(b"<meta name=robots content='ACAP allow-index must-use-resource=the-acap:extract:id:none'><p>x")
    result = acap("extract", "-u", "index", page)
    assert (result.code, result.out) == (1, "")


def test_links_are_a_line_each_with_outcome(page: Path) -> None:
    """Outcome, URL, tag, rel, place and reason; one that may be followed makes the code 0."""
    result = acap("extract", "--links", "--url", URL, page)
    assert (result.code, result.err) == (0, "")
    first, second = (line.split("\t") for line in result.lines)
    assert first[:4] == ["permitted", "https://example.com/on", "a", "-"]
    assert second[:4] == ["prohibited", "https://example.org/ad", "a", "nofollow"]
    assert second[4].endswith("a:nth-of-type(2)")


def test_links_that_may_not_be_followed_are_shown_with_code_1(page: Path) -> None:
    """If none may be followed the lines still say which there are."""
    result = acap("extract", "--links", "--url", URL, "--header", "X-Robots-Tag: nofollow", page)
    assert result.code == 1
    assert [line.split("\t")[0] for line in result.lines] == ["prohibited", "prohibited"]


def test_a_page_without_links(page: Path) -> None:
    """No links are no lines; the code is that of following."""
    page.write_bytes(b"<p>x")
    assert acap("extract", "--links", page).code == 0
    assert acap("extract", "--links", "--header", "X-Robots-Tag: nofollow", page).code == 1


def test_a_snippet_begins_where_the_query_is_and_leaves_out_what_it_must(page: Path) -> None:
    """The words of the query are found, and parts without permission are in no snippet."""
    result = acap("extract", page, "--snippet", "bank rate")
    assert (result.code, result.lines) == (0, ["The bank raised its rate. On Ad"])
    begin = acap("extract", page, "--snippet")
    assert begin.out.startswith("A page Rates rise")
    assert "Not in snippets" not in begin.out


def test_a_snippet_keeps_to_the_publisher_s_length(page: Path) -> None:
    """`max-snippet` bounds what is printed."""
    result = acap("extract", page, "--snippet", "--header", "X-Robots-Tag: max-snippet: 10")
    assert result.code == 0
    assert 0 < len(result.out.rstrip("\n")) <= 10


def test_json_has_everything_with_a_decision_a_piece(page: Path) -> None:
    """Text, HTML and each piece, prohibited ones without their text."""
    (found,) = acap("extract", "-u", "index", "--json", page).objects(schema.CONTENT_SCHEMA)
    outcomes = {piece["element"]: piece["decision"]["outcome"] for piece in found["pieces"]}
    assert outcomes["p#x"] == "prohibited"
    assert outcomes["p#x > b:nth-of-type(1)"] == "permitted"
    assert "secret" not in json.dumps(found)
    assert found["text"].startswith("A page\nRates rise\n")


def test_json_of_links_and_snippets_is_what_its_schema_says(page: Path) -> None:
    """A link a line; a snippet with where it is from."""
    links = acap("extract", "--links", "--json", "--url", URL, page).objects(schema.LINK_SCHEMA)
    assert [(one["decision"]["outcome"], one["hint"]) for one in links] == [("permitted", False), ("prohibited", True)]
    (snippet,) = acap("extract", "--json", page, "--snippet").objects(schema.SNIPPET_SCHEMA)
    assert (snippet["origin"], snippet["uri"]) == ("page", None)


def test_json_of_what_is_prohibited_has_the_decision_and_no_text(page: Path) -> None:
    """Programs get the object whatever the answer."""
    result = acap("extract", "-u", "ai-train", "--header", "X-Robots-Tag: noai", "--json", page)
    (found,) = result.objects(schema.CONTENT_SCHEMA)
    assert (result.code, found["text"], found["decision"]["outcome"]) == (1, "", "prohibited")


def test_a_url_is_fetched_for_a_crawler_that_may_crawl_it(site: Loopback) -> None:
    """robots.txt is asked first, then the page."""
    result = acap("extract", *KEEP, "-c", "a", "-u", "index", site.url("/a.html"))
    assert (result.code, result.lines[1]) == (0, "Rates rise")
    assert site.targets == ["/robots.txt", "/a.html"]


@pytest.mark.parametrize(("path", "asked"), [("/private/b.html", []), ("/away", ["/away"])])
@pytest.mark.parametrize("form", [["-u", "index"], ["--links"], ["--snippet=x"], ["-u", "index", "--html"]])
def test_a_url_that_may_not_be_crawled_is_not_fetched(
    site: Loopback, path: str, asked: list[str], form: list[str]
) -> None:
    """Neither the page itself nor one that it redirects to is asked for against robots.txt."""
    result = acap("extract", *KEEP, "-c", "a", *form, site.url(path))
    assert (result.code, result.out) == (1, "")
    assert "may not crawl" in result.error
    assert site.targets == ["/robots.txt", *asked]


@pytest.mark.parametrize(("form", "which"), [(["-u", "index"], "CONTENT_SCHEMA"), (["--snippet=x"], "SNIPPET_SCHEMA")])
def test_json_of_what_was_not_fetched_has_the_crawl_decision(site: Loopback, form: list[str], which: str) -> None:
    """The object says why there is nothing."""
    result = acap("extract", *KEEP, "-c", "a", *form, "--json", site.url("/private/b.html"))
    (found,) = result.objects(getattr(schema, which))
    assert (result.code, found["text"] or "", found["decision"]["reason"]["kind"]) == (1, "", "crawl-prohibited")


def test_what_is_no_html_has_no_text_and_is_undetermined(site: Loopback) -> None:
    """Of an image only headers are read, so there is nothing to print."""
    result = acap("extract", *KEEP, "-c", "a", "-u", "index", site.url("/a.png"))
    assert (result.code, result.out) == (3, "")
    assert "image/png" in result.error


def test_a_page_that_cannot_be_had_is_undetermined(site: Loopback) -> None:
    """A missing page is one line and the code 3."""
    result = acap("extract", *KEEP, "-c", "a", "-u", "index", site.url("/none.html"))
    assert (result.code, result.out) == (3, "")
    assert "404" in result.error


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-u", "index"], "no FILE or URL"),
        (["--snippet", "PAGE"], "name the page before it"),
        (["PAGE"], "no usage given"),
        (["PAGE", "-u", "index,follow"], "one of them at a time"),
        (["PAGE", "-u", "indx"], "did you mean `index`"),
        (["PAGE", "--links", "-u", "index"], "remove --usage"),
        (["PAGE", "--links", "--html"], "choose one"),
        (["PAGE", "-u", "index", "--json", "--html"], "remove --html"),
        (["PAGE", "-u", "index", "--robots", "PAGE"], "--url"),
        (["PAGE", "-u", "index", "--url", "example.com/x"], "did you mean `https://example.com/x`"),
        (["PAGE", "-u", "index", "--url", "/x"], "names no site"),
        (["PAGE", "-u", "index", "--header", "x"], "no colon"),
        (["-", "-u", "index", "--robots", "-", "--url", URL], "both the page and the robots.txt"),
        ([URL, "-u", "index"], "name one with --crawler"),
        ([URL, "-c", "a", "-u", "index", "--url", URL], "remove it"),
        (["FOLDER", "-u", "index"], "is a directory"),
        (["none.html", "-u", "index"], "check the path"),
    ],
)
def test_a_wrong_call_is_one_line_with_advice(page: Path, arguments: list[str], says: str) -> None:
    """What cannot be meant is refused in one line."""
    named = [str(page) if word == "PAGE" else str(page.parent) if word == "FOLDER" else word for word in arguments]
    assert says in acap("extract", *named).wrong_call


def test_a_missing_package_is_one_line(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what reads HTML the line says what to install."""
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    monkeypatch.setattr(html, "_parser", html._parser.__wrapped__)
    assert acap("extract", "-u", "index", page).wrong_call.endswith("pip install 'acap[pages]'")


def test_octets_that_are_no_text_are_in_doubt(page: Path) -> None:
    """They may be a page in a coding that nobody named; stray ones within a page are read as browsers read them."""
    page.write_bytes(bytes(range(256)) * 100)
    result = acap("extract", "-u", "index", page)
    assert (result.code, "its octets are not text" in result.err) == (1, True)
    page.write_bytes(b"<p>" + bytes(range(256)) * 100)
    result = acap("extract", "-u", "index", page)
    assert (result.code, result.err) == (0, "")


def test_a_pipe_gets_the_text_raw_and_a_terminal_gets_it_safe(page: Path) -> None:
    """Control characters are part of the text, and no terminal receives one of them."""
    page.write_bytes("<meta charset=utf-8><p>a\x1b]0;owned\x07b\u202ec".encode())
    assert "\x1b]0;owned\x07b\u202ec" in acap("extract", "-u", "index", page).out
    for form in (["-u", "index"], ["-u", "index", "--html"], ["--snippet"]):
        shown = on_terminal("extract", page, *form, NO_COLOR="1")
        assert "owned" in shown
        assert shown.replace("\n", "").isprintable()


def test_a_reader_that_goes_away_is_no_error_of_ours(page: Path) -> None:
    """A closed pipe ends the command quietly with 141."""
    page.write_bytes(b"<a href='https://example.com/'>words</a>" * 20_000)
    with process("extract", "--links", page, bufsize=0) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(1)
        running.stdout.close()
        assert running.wait(timeout=60) == 141
        assert running.stderr.read() == b""


def test_ctrl_c_while_a_page_keeps_us_waiting_ends_with_130() -> None:
    """An interrupt while the server is silent ends quietly."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.html"
        running = process("extract", "--no-cache", "-c", "a", "-u", "index", url)
        server.settimeout(60)
        silent, _ = server.accept()
        with silent:
            running.send_signal(signal.SIGINT)
            assert running.communicate(timeout=60) == (b"", b"")
        assert running.returncode == 130


LIMITED = """\
<meta name="robots" content="ACAP allow-present max-length=3-words">
<meta name="robots" content="ACAP allow-index time-limit=7-days">
<p>One two three.</p><p>Four five six.</p><a href="/on">Seven</a>
"""


@pytest.mark.parametrize("usage", ["present", "present-extract", "present-snippet", "present-oldextract"])
def test_no_more_is_printed_than_max_length_permits(usage: str, tmp_path: Path) -> None:
    """Text is cut, with `--snippet` and in JSON too; HTML, which is not cut, is not printed at all."""
    file = tmp_path / "page.html"
    file.write_text(LIMITED)
    for form in ((), ("--snippet",), ("--snippet", "six")):
        found = acap("extract", file, "--usage", usage, *form)
        assert (found.code, len(found.out.split()), found.err) == (0, 3, "")
    html = acap("extract", file, "--usage", usage, "--html")
    assert (html.code, html.out) == (2, "")
    assert "max-length=3-words" in html.err
    told = json.loads(acap("extract", file, "--usage", usage, "--json").out)
    assert (told["text"], told["html"], told["pieces"]) == ("One two three.", "", [])
    assert told["decision"]["restrictions"][0]["name"] == "max-length"


@pytest.mark.parametrize("form", [(), ("--html",), ("--json",), ("--snippet",), ("--snippet", "six")])
def test_what_a_permission_is_subject_to_is_told(form: tuple[str, ...], tmp_path: Path) -> None:
    """A restriction that is not done by printing less stands on standard error, in one line."""
    file = tmp_path / "page.html"
    file.write_text(LIMITED)
    found = acap("extract", file, "--usage", "index", *form)
    assert (found.code, found.err) == (
        0,
        "acap: index is permitted with time-limit=7-days: the permission ends at this time\n",
    )
    assert "time-limit" not in acap("extract", file, "--usage", "present-link").err


def test_a_length_of_one_element_is_kept_too(tmp_path: Path) -> None:
    """What an element is limited to beyond its page is cut where it stands."""
    file = tmp_path / "page.html"
    file.write_text('<p>One two.</p><p class="the-acap:allow-(brief)">Three four five.</p><p>Six.</p>')
    (tmp_path / "robots.txt").write_text(
        "ACAP-qualified-usage: brief present-extract max-length=2-words\nACAP-crawler: *\nACAP-allow-crawl: /\n"
    )
    asked = ("--usage", "present-extract", "--robots", tmp_path / "robots.txt", "--url", URL)
    found = acap("extract", file, *asked)
    assert (found.code, found.out.split()) == (0, ["One", "two.", "Three", "four", "Six."])
    assert acap("extract", file, *asked, "--html").code == 2

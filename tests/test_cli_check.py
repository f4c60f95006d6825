"""`acap check` answers for each URL, crawler and usage, and its exit code says what came out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acap import Statement, decide
from acap.cli.io.exits import Exit, exit_for
from acap.schema import DECISION_SCHEMA
from acap.usages import USAGES
from tests.command_line import acap
from tests.crawling import HTML
from tests.loopback import Loopback, reply

TEXT = b"""\
User-agent: *
Disallow: /private/

ACAP-crawler: *
ACAP-allow-preserve: / time-limit=30-days
ACAP-disallow-index: /
ACAP-allow-index: /news/

ACAP-crawler: goodbot
ACAP-allow-index: /

ACAP-crawler: oldbot
ACAP-allow-index: / time-limit=until-2020-01-31

ACAP-crawler: farbot
ACAP-permissions-reference: https://example.com/terms.txt

ACAP-crawler: *
ACAP-usage-purpose: advertising
ACAP-disallow-crawl: /
"""


@pytest.fixture
def robots(robots: Path) -> Path:
    robots.write_bytes(TEXT)
    return robots


def test_permitted_ends_with_0(robots: Path) -> None:
    result = acap("check", "--robots", robots, "--crawler", "a", "--usage", "crawl", "https://example.com/")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("permitted\tcrawl\ta\thttps://example.com/\t")


def test_prohibited_ends_with_1_and_names_the_line(robots: Path) -> None:
    result = acap("check", "--robots", robots, "--crawler", "a", "--usage", "crawl", "https://example.com/private/x")
    assert (result.code, result.err) == (1, "")
    assert result.lines == [
        "prohibited\tcrawl\ta\thttps://example.com/private/x\t-\tstatement\trobots.txt:2:1 Disallow: /private/"
    ]


def test_one_prohibition_among_permissions_ends_with_1(robots: Path) -> None:
    urls = ["https://example.com/", "https://example.com/private/x"]
    result = acap("check", "--robots", robots, "--crawler", "a", "--usage", "crawl", *urls)
    assert [line.split("\t")[0] for line in result.lines] == ["permitted", "prohibited"]
    assert result.code == 1


def test_a_missing_reference_ends_with_3(robots: Path) -> None:
    result = acap("check", "--robots", robots, "--crawler", "farbot", "--usage", "index", "https://example.com/")
    assert result.code == 3
    assert "\treference-missing\t" in result.out


def test_a_licence_to_be_obtained_leaves_it_undetermined() -> None:
    class Licence:
        dialect = "licence"
        problems = ()

        def statements(self, _url: str) -> list[Statement]:
            return [Statement(dialect="licence", usage="index", outcome="conditional")]

    decision = decide("/", crawler="a", usage="index", others=[Licence()])
    assert (decision.outcome, exit_for(decision)) == ("conditional", Exit.UNDETERMINED)


def test_a_prohibition_outranks_what_is_undetermined(robots: Path) -> None:
    result = acap(
        "check", "--robots", robots, "--crawler", "farbot", "--crawler", "a", "--usage", "index", "https://example.com/"
    )
    assert result.code == 1


def test_a_reference_can_be_supplied_from_a_file(robots: Path, tmp_path: Path) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_bytes(b"ACAP-crawler: farbot\nACAP-allow-index: /\n")
    supplied = ("--reference", f"https://example.com/terms.txt={terms}")
    result = acap("check", "--robots", robots, *supplied, "-c", "farbot", "-u", "index", "https://example.com/")
    assert (result.code, result.err) == (0, "")


def test_a_reference_the_policy_does_not_have_is_a_wrong_call(robots: Path) -> None:
    supplied = ("--reference", f"https://example.com/other.txt={robots}")
    result = acap("check", "--robots", robots, *supplied, "-c", "farbot", "-u", "index", "https://example.com/")
    assert result.code == 2
    assert "other.txt" in result.err


def test_each_crawler_is_asked_separately(robots: Path) -> None:
    result = acap("check", "--robots", robots, "-c", "a", "-c", "goodbot", "-u", "index", "https://example.com/")
    assert [line.split("\t")[:3] for line in result.lines] == [
        ["prohibited", "index", "a"],
        ["permitted", "index", "goodbot"],
    ]


def test_a_comma_list_is_one_crawler_with_names_in_order(robots: Path) -> None:
    result = acap(
        "check", "--robots", robots, "-c", "goodbot-news,goodbot", "-u", "index", "--json", "https://example.com/"
    )
    (found,) = result.objects(DECISION_SCHEMA)
    assert (found["crawler"], found["outcome"]) == ("goodbot-news,goodbot", "permitted")


def test_a_user_agent_string_keeps_its_commas(robots: Path) -> None:
    agent = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; goodbot/1.2; +https://good.example/)"
    result = acap("check", "--robots", robots, "-c", agent, "-u", "index", "https://example.com/")
    assert (result.code, len(result.lines)) == (0, 1)


def test_each_usage_has_its_own_answer(robots: Path) -> None:
    result = acap("check", "--robots", robots, "-c", "a", "-u", "crawl", "-u", "index,preserve", "https://example.com/")
    assert [line.split("\t")[1] for line in result.lines] == ["crawl", "index", "preserve"]
    assert result.code == 1


def test_without_a_usage_all_are_shown_and_crawl_alone_counts(robots: Path) -> None:
    result = acap("check", "--robots", robots, "-c", "a", "https://example.com/")
    assert [line.split("\t")[1] for line in result.lines] == list(USAGES)
    assert "prohibited\tindex" in result.out
    assert result.code == 0


def test_restrictions_are_listed_as_written(robots: Path) -> None:
    result = acap("check", "--robots", robots, "-c", "a", "-u", "preserve", "https://example.com/")
    assert "\texcluded-purpose=advertising; time-limit=30-days\t" in result.out


def test_a_purpose_counts(robots: Path) -> None:
    asked = ("check", "--robots", robots, "-c", "a", "-u", "crawl", "https://example.com/")
    assert acap(*asked).code == 0
    assert acap(*asked, "--purpose", "advertising").code == 1
    assert acap(*asked, "--purpose", "news", "--purpose", "advertising").code == 1


@pytest.mark.parametrize(
    ("at", "code"), [("2020-01-31T23:59:59Z", 0), ("2020-02-01", 1), ("2020-02-01T00:30:00+01:00", 0)]
)
def test_the_instant_counts_and_without_offset_it_is_utc(robots: Path, at: str, code: int) -> None:
    result = acap("check", "--robots", robots, "-c", "oldbot", "-u", "index", "--at", at, "https://example.com/")
    assert result.code == code


def test_the_dialect_counts(robots: Path) -> None:
    asked = ("check", "--robots", robots, "-c", "a", "-u", "index", "https://example.com/")
    assert acap(*asked).code == 1
    assert acap(*asked, "--dialect", "rfc9309").code == 0


def test_a_path_is_enough_where_the_file_is_given(robots: Path) -> None:
    assert acap("check", "--robots", robots, "-c", "a", "-u", "crawl", "/private/x").code == 1


def test_the_file_may_come_from_standard_input() -> None:
    assert acap("check", "--robots", "-", "-c", "a", "-u", "crawl", "/private/x", given=TEXT).code == 1


def test_json_is_an_object_a_line_as_its_schema_says(robots: Path) -> None:
    result = acap(
        "check", "--robots", robots, "-c", "a", "-u", "crawl,index", "--json", "https://example.com/private/x"
    )
    crawl, index = result.objects(DECISION_SCHEMA)
    assert crawl["reason"]["decided_by"][0]["text"] == "Disallow: /private/"
    assert (index["usage"], index["reason"]["kind"]) == ("index", "crawl-prohibited")


def test_quiet_prints_nothing_but_errors(robots: Path) -> None:
    result = acap("check", "--quiet", "--robots", robots, "-c", "a", "-u", "crawl", "/private/x")
    assert (result.code, result.out, result.err) == (1, "", "")
    assert acap("check", "--quiet", "--robots", robots, "-c", "a", "example.com/x").err != ""


def test_quiet_may_stand_before_the_command(robots: Path) -> None:
    assert acap("--quiet", "check", "--robots", robots, "-c", "a", "-u", "crawl", "/").out == ""


def test_control_characters_of_the_file_do_not_reach_the_output(tmp_path: Path) -> None:
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /\x1b]0;owned\x07\nDisallow: /\n")
    for form in ((), ("--json",)):
        result = acap("check", "--robots", file, "-c", "a", "-u", "crawl", *form, "/\x1b]0;owned\x07")
        assert result.out.replace("\n", "").replace("\t", "").isprintable()


@pytest.mark.parametrize("source", ["-", "pipe", "/dev/null"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--robots", "SOURCE", "-c", "a", "/"),
        ("explain", "--robots", "SOURCE", "-c", "a", "/"),
        ("check", "--page", "SOURCE", "--robots", "EMPTY", "-c", "a", "-u", "index", "https://e.example/"),
        ("check", "--robots", "REFERS", "--reference", "/other.txt=SOURCE", "-c", "a", "/"),
        ("extract", "--usage", "index", "--robots", "EMPTY", "--url", "https://e.example/", "SOURCE"),
        ("show", "SOURCE"),
        ("show", "--page", "SOURCE", "https://e.example/"),
        ("lint", "SOURCE"),
        ("lint", "--kind", "headers", "SOURCE"),
        ("lint", "--fix", "SOURCE"),
        ("format", "SOURCE"),
        ("format", "--check", "SOURCE"),
        ("convert", "SOURCE", "--to", "acap", "--verify", "-o", "OUTPUT"),
        ("convert", "SOURCE", "--to", "robots", "-o", "OUTPUT"),
        ("convert", "SOURCE", "--to", "meta", "--url", "/a"),
        ("compare", "SOURCE", "EMPTY"),
        ("compare", "EMPTY", "SOURCE"),
        ("verify", "https://e.example/", "SOURCE"),
        ("compose", "SOURCE", "--toml", "-o", "OUTPUT"),
        ("compose", "--from", "SOURCE", "-o", "OUTPUT"),
    ],
    ids=" ".join,
)
def test_an_input_that_is_empty_and_no_file_is_unknown(arguments: tuple[str, ...], source: str, tmp_path: Path) -> None:
    """What was to write it may have failed: 3, one line, and nothing written. An empty file by name is empty."""
    file, output, refers = (tmp_path / name for name in ("robots.txt", "live.txt", "refers.txt"))
    file.write_bytes(b"")
    output.write_bytes(b"as it was")
    refers.write_bytes(b"ACAP-crawler: *\nACAP-permissions-reference: /other.txt\n")
    reads, writes = os.pipe()
    os.close(writes)
    names = {"SOURCE": f"/dev/fd/{reads}" if source == "pipe" else source, "EMPTY": str(file)}
    names |= {"OUTPUT": str(output), "REFERS": str(refers), "/other.txt=SOURCE": f"/other.txt={names['SOURCE']}"}
    try:
        found = acap(*(names.get(one, one) for one in arguments), given=b"")
    finally:
        os.close(reads)
    assert (found.code, found.out) == (3, "")
    assert "is empty, so its meaning is unknown" in found.err
    assert output.read_bytes() == b"as it was"
    assert acap("check", "--robots", file, "-c", "a", "-u", "crawl", "/").code == 0


@pytest.mark.parametrize("key", ["robots", "page"])
def test_a_case_on_an_input_that_is_empty_and_no_file_is_unknown(key: str, tmp_path: Path) -> None:
    """`acap test` passes no case on a policy or a page that nobody has."""
    (tmp_path / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /private/\n")
    (tmp_path / "page.html").write_bytes(b"<p>here")
    files = {"robots": "robots.txt", "page": "page.html"}
    codes = []
    for one in (files, files | {key: "/dev/null"}):
        (tmp_path / "a.acap.toml").write_text(
            f'robots = "{one["robots"]}"\n[[case]]\nname = "a"\nurl = "https://e.example/a"\ncrawler = "a"\n'
            f'usage = "crawl"\nexpect = "permitted"\npage = "{one["page"]}"\n'
        )
        codes.append(acap("test", tmp_path / "a.acap.toml").code)
    assert codes == [0, 3]


@pytest.mark.parametrize(("name", "code"), [("a.jpg", 1), ("a.pdf", 1), ("a.html", 0)])
def test_an_empty_file_is_unread_or_said_to_be_empty(name: str, code: int, tmp_path: Path) -> None:
    """No image and no document is empty: what it said is not known. An empty page says nothing, which is told."""
    (tmp_path / name).write_bytes(b"")
    (tmp_path / "robots.txt").write_bytes(b"User-agent: *\nAllow: /\n")
    site = ["--robots", str(tmp_path / "robots.txt"), "-c", "x"]
    found = acap("check", *site, "-u", "tdm", "--page", str(tmp_path / name), "https://a.example/z")
    assert (found.code, "is empty" in found.err) == (code, code == 0)


def test_a_local_file_that_is_no_robots_txt_is_told_of(tmp_path: Path) -> None:
    """It forbids nothing, as from a site (semantics 9), but whoever named it hears that it is none."""
    (tmp_path / "login.html").write_bytes(b"<html><p>Log in</html>")
    asked = ["check", "--robots", str(tmp_path / "login.html"), "-c", "x", "-u", "index", "https://a.example/z"]
    found = acap(*asked)
    assert (found.code, "is not a robots.txt" in found.err) == (0, True)


def test_a_page_of_which_a_header_says_that_more_belongs_to_it_prohibits(tmp_path: Path) -> None:
    """The documented way to ask about a stored page: its headers tell that it is cut."""
    (tmp_path / "cut.html").write_bytes(b"<!doctype html><p>x")
    (tmp_path / "robots.txt").write_bytes(b"User-agent: *\nAllow: /\n")
    asked = ["check", "--robots", str(tmp_path / "robots.txt"), "-c", "x", "-u", "index", "--no-elements"]
    for length, code in (("19", 0), ("5057", 1)):
        given = ["--page", str(tmp_path / "cut.html"), "--header", f"Content-Length: {length}"]
        assert acap(*asked, *given, "https://a.example/z").code == code


def test_a_narrower_use_that_is_prohibited_is_told(tmp_path: Path) -> None:
    """A permission of training beside a prohibition of generative training is not taken for both."""
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n")
    asked = ["check", "--robots", str(file), "-c", "a", "/"]
    told = acap(*asked, "-u", "ai-train")
    assert (told.code, told.out.count("\n"), told.err.count("\n")) == (0, 1, 2)
    assert "permitted, except ai-train-generative: prohibited" in told.err
    assert acap(*asked, "-u", "ai-train,ai-train-generative").err == told.err.splitlines(keepends=True)[1]
    assert acap(*asked, "-u", "ai-train", "--quiet").err == ""


def test_a_page_that_was_not_looked_at_is_told_once() -> None:
    """Of a site more than crawling is permitted by robots.txt alone; the page may prohibit it, and --page looks."""
    body = b'<html><meta name="robots" content="noai">'
    robots = reply(body=b"User-agent: *\nAllow: /\n")
    with Loopback(says={"/robots.txt": robots, "/a": reply(body=body, headers=[HTML])}) as site:
        asked = ["--no-cache", "-c", "a", "-u", "ai-train"]
        for command in ("check", "explain"):
            told = acap(command, *asked, site.url("/a"), site.url("/b"))
            assert (told.code, told.err.count("\n")) == (0, 1)
            assert "the page itself was not read" in told.err
        assert acap("check", *asked, "--quiet", site.url("/a")).err == ""
        assert acap("check", *asked[:-1], "crawl", site.url("/a")).err == ""
        assert (seen := acap("check", *asked, "--page", site.url("/a"))).code == 1
        assert "not read" not in seen.err


def test_signals_are_read_by_the_letter_where_that_is_asked_for(tmp_path: Path) -> None:
    """`--reading strict` answers as the text of the signal does, for lines and for headers."""
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: *\nContent-Signal: ai-train=false\nAllow: /\n")
    asked = ("check", "--robots", str(file), "--crawler", "GPTBot", "--usage", "ai-train-generative", "/a")
    header = ("--header", "Content-Usage: train-ai=no")
    assert [acap(*asked, *more).code for more in ((), ("--reading", "strict"))] == [1, 0]
    assert [acap(*asked, *header, "--reading", reading).code for reading in ("careful", "strict")] == [1, 0]
    assert "unknown reading `letter`" in acap(*asked, "--reading", "letter").err

"""`acap show` says in plain words what a file says to whom, and what is wrong with it, line by line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from acap.explain import USAGES
from acap.usages import COMPOSITES, PARENTS, WORDS
from tests.command_line import acap

TEXT = b"""\
##ACAP version=1.1
User-agent: *
Disallow: /private/
Crawl-delay: 5
Content-Signal: ai-train=no

User-agent: slowbot
Disallow:
Visit-time: 0200-0430
Request-rate: 1/10 2200-0600
Comment: write to us first

ACAP-crawler: *
ACAP-request-take-down: /mistake.html
ACAP-allow-preserve: /news/ time-limit=30-days
ACAP-disallow-present-snippet: /

ACAP-crawler: partnerbot
ACAP-allow-index: /
ACAP-usage-purpose: https://example.com/research
ACAP-allow-other: /data/

ACAP-crawler: refbot
ACAP-permissions-reference: https://example.com/terms.txt

Sitemap: https://example.com/sitemap.xml
Host: www.example.com
"""


@pytest.fixture
def robots(robots: Path) -> Path:
    robots.write_bytes(TEXT)
    return robots


def test_the_title_names_the_file_its_version_and_dialect(robots: Path) -> None:
    result = acap("show", robots)
    assert (result.code, result.err) == (0, "")
    assert result.lines[0] == f"{robots}: 27 lines, ACAP version 1.1, read as auto"


@pytest.mark.parametrize(
    "line",
    [
        "  any crawler",
        "    line 3: must not crawl /private/ (Disallow)",
        "    line 15: may preserve copies of /news/",
        "      time-limit=30-days: the permission ends at this time",
        "    line 16: must not present snippets of anything",
        "    line 14: is asked to take down /mistake.html",
        "    is asked to leave 5 s between requests",
        "  slowbot",
        "    line 8: may crawl everything (an empty rule)",
        "    is asked to visit only between 02:00 and 04:30 UTC",
        "    is asked for at most 1 document in 10 s between 22:00 and 06:00 UTC",
        "    is told: write to us first",
        "  partnerbot",
        "    line 19: may index everything",
        "    for https://example.com/research",
        "      line 21: may use /data/ in any other way",
        "  refbot",
        (
            "    its permissions are in https://example.com/terms.txt, which is missing; until it is read, "
            "everything is prohibited"
        ),
        "  sitemaps",
        "    https://example.com/sitemap.xml",
        "    line 5: must not train AI models on anything (Content-Signal)",
        "  other fields (signals, sitemaps)",
        "    line 27: Host: www.example.com",
    ],
)
def test_a_line_of_the_file_is_said_in_plain_words(robots: Path, line: str) -> None:
    assert line in acap("show", robots).lines


@pytest.mark.parametrize("asked", [(), ("-c", "bot")])
@pytest.mark.parametrize(
    "cut", ["User-agent: a\x1b[2J\nDisallow: /\n", "ACAP-crawler: a\x01b\nACAP-disallow-crawl: /\n"]
)
def test_what_a_cut_line_leads_is_for_any_crawler(robots: Path, cut: str, asked: tuple[str, ...]) -> None:
    """Every crawler hears what a line prohibits of which something is cut; an empty name is no crawler's."""
    robots.write_text(f"{cut}\nUser-agent:\nDisallow: /x\n", encoding="utf-8")
    lines = acap("show", *asked, robots).lines
    place = lines.index("  any crawler")
    assert lines[place + 1].startswith("    line 2: must not crawl anything")
    assert ("  no crawler" in lines) == (not asked)


def test_signals_before_any_group_are_for_every_crawler(robots: Path) -> None:
    """What stands before the first group is told apart, and a licence as a condition (semantics, section 4)."""
    robots.write_bytes(
        b"Content-Usage: /a train-ai=n\nUser-agent: a\nContent-Signal: search=yes, ai-train=maybe\n"
        b"License: https://example.com/l.xml\nDisallow: /x\n"
    )
    lines = acap("show", "-c", "a", robots).lines
    assert lines[lines.index("  every crawler") :][:8] == [
        "  every crawler",
        "    line 1: must not train generative AI models on /a (Content-Usage)",
        "  a",
        "    line 5: must not crawl /x (Disallow)",
        "    line 3: may index everything (Content-Signal)",
        "    line 3: may present links to everything (Content-Signal)",
        "    line 3: may present snippets of everything (Content-Signal)",
        "    line 4: may mine text and data of everything only as its terms say (License)",
    ]


def test_what_any_crawler_is_asked_is_not_said_again_for_each(robots: Path) -> None:
    assert acap("show", robots).out.count("is asked to leave 5 s") == 1


def test_with_a_crawler_only_what_concerns_it_is_shown(robots: Path) -> None:
    headings = [
        line for line in acap("show", "-c", "PartnerBot/2.0", robots).lines if line.startswith("  ") and line[2] != " "
    ]
    assert headings[2:] == ["  any crawler", "  partnerbot", "  sitemaps", "  other fields (signals, sitemaps)"]


def test_a_crawler_that_nothing_names_is_told_so(robots: Path) -> None:
    assert "  no statement names nobot; statements for any crawler apply" in acap("show", "-c", "nobot", robots).lines


def test_with_a_purpose_other_purposes_are_left_out(robots: Path) -> None:
    assert "line 21" in acap("show", "-p", "HTTPS://example.com/research", robots).out
    assert "line 21" not in acap("show", "-p", "https://example.com/other", robots).out


def test_a_pattern_of_purposes_matches(robots: Path) -> None:
    robots.write_bytes(TEXT.replace(b"https://example.com/research", b"https://*.example/*a*a*a*a*a*a*a*a*b"))
    asked = "https://x.example/" + "a" * 2_000
    assert "line 21" in acap("show", "-p", asked + "b", robots).out
    assert "line 21" not in acap("show", "-p", asked, robots).out


def test_a_reference_can_be_supplied_from_a_file(robots: Path, tmp_path: Path) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_bytes(b"ACAP-crawler: refbot\nACAP-allow-index: /open/\n")
    result = acap("show", "--reference", f"https://example.com/terms.txt={terms}", "-c", "refbot", robots)
    assert "    line 2 of https://example.com/terms.txt: may index /open/" in result.lines
    assert "    its permissions are in https://example.com/terms.txt" in result.lines


def test_a_problem_has_its_place_its_advice_and_a_caret(robots: Path) -> None:
    robots.write_bytes(b"User-agent: *\n\tDissalow: /x\n")
    lines = acap("show", robots).lines
    (at,) = [number for number, line in enumerate(lines) if "[misspelt-field]" in line]
    assert lines[at].startswith("    2:2: warning: `Dissalow` is read as `Disallow`; write `Disallow`")
    assert lines[at + 1 : at + 3] == ["       Dissalow: /x", "       ^"]


def test_a_long_line_is_quoted_around_the_place(robots: Path) -> None:
    robots.write_bytes(b"User-agent: *\n" + b" " * 500 + b"Dissalow: /" + b"x" * 5_000 + b"\n")
    quoted, caret = [line for line in acap("show", robots).lines if "…" in line or line.strip() == "^"]
    assert len(quoted) < 100
    assert quoted[caret.index("^") :].startswith("Dissalow: /xxx")


def test_lines_that_do_not_count_are_announced(robots: Path) -> None:
    robots.write_bytes(TEXT + b"ACAP-ignore-conventional-records\n")
    assert any("Allow and Disallow do not count" in line for line in acap("show", robots).lines)


def test_the_file_may_come_from_standard_input() -> None:
    assert acap("show", "-", given=TEXT).lines[0].startswith("-: 27 lines")


@pytest.mark.slow
def test_a_file_of_very_many_crawlers_takes_no_minutes(robots: Path) -> None:
    names = [b"User-agent: bot%d\nDisallow: /\nCrawl-delay: 9\n" % number for number in range(5_000)]
    robots.write_bytes(b"".join(names))
    began = time.perf_counter()
    lines = acap("show", robots).lines
    assert time.perf_counter() - began < 10
    assert any("too many crawlers" in line for line in lines[:40])
    assert "  bot4999" in lines
    assert "    is asked to leave 9 s between requests" in acap("show", "-c", "bot4999", robots).lines


def test_first_it_is_told_how_much_each_crawler_may_use(robots: Path) -> None:
    """A webmaster reads the verdict and who may use what before any line; with a crawler of that one alone."""
    robots.write_bytes(b"User-agent: *\nDisallow: /search\n\nUser-agent: GPTBot\nDisallow: /\n")
    lines = acap("show", robots).lines
    assert lines[1].startswith("  No mistakes")
    assert lines[1].endswith("; GPTBot must not train AI models on anything.")
    assert lines[2:5] == [
        "  how much of the site each crawler may use",
        "                        crawl   index   snippet  keep    train   AI input",
        "    Googlebot           part 1  part 1  part 1   part 1  part 1  part 1",
    ]
    assert "    GPTBot              none    none    none     none    none    none" in lines
    assert lines[lines.index("    1: all but /search") - 1].startswith("    any other crawler   part 1")
    (row,) = [line for line in acap("show", "-c", "GPTBot", robots).lines if line.startswith("    GPTBot ")]
    assert row.split() == ["GPTBot", *["none"] * 6]
    robots.write_bytes(b"\x1f\x8b\x08\x00 packed")
    assert "each crawler may use" not in acap("show", robots).out


@pytest.mark.parametrize("text", ["<html><body>Not found</body></html>\n", '{"errorcode": 404}\n', "Unauthorized\n"])
def test_what_is_no_robots_txt_is_called_so_before_all_else(robots: Path, text: str) -> None:
    """An error page forbids nothing, and that is no policy of its author: the grid is not shown."""
    robots.write_text(text, encoding="utf-8")
    lines = acap("show", robots).lines
    assert "not a robots.txt" in lines[1]
    assert "forbids nothing" in lines[1]
    assert "each crawler may use" not in "\n".join(lines)
    assert "not a robots.txt" in acap("check", "--robots", robots, "--crawler", "GPTBot", "/").err
    other = robots.with_name("other.robots.txt")
    other.write_bytes(b"User-agent: *\nDisallow: /\n")
    assert acap("compare", robots, other).err.startswith(f"acap: {robots}: this is not a robots.txt")


def test_many_crawlers_of_one_group_are_no_line_of_a_thousand_letters(robots: Path) -> None:
    """Their number heads the section, and their names stand below it in lines that can be read."""
    robots.write_bytes(b"".join(b"User-agent: crawler-%d\n" % number for number in range(160)) + b"Disallow: /\n")
    lines = acap("show", robots).lines
    begin = lines.index("  160 crawlers")
    assert lines[begin + 1].split() == [f"crawler-{number}" for number in range(7)]
    assert {line[17:25] for line in lines[begin + 1 : begin + 23]} == {"crawler-"}
    assert max(map(len, lines[begin:])) <= 100
    assert sum(line.count("crawler-") for line in lines[begin:]) == 160
    assert lines[-1] == "    line 161: must not crawl anything (Disallow)"


@pytest.mark.parametrize("command", ["show", "lint"])
def test_a_name_of_which_only_a_part_is_heard_is_no_error(robots: Path, command: str) -> None:
    """Files name crawlers as nobody may ask: readers take the beginning of such a name."""
    robots.write_bytes(
        b"User-agent: Bookmark search tool\nDisallow: /\nCrawl-delay: 5\n\nUser-agent: *\nDisallow: /a\n"
    )
    found = acap(command, robots)
    assert "internal error" not in found.err
    assert found.code == 0


def test_an_empty_file_is_no_error(robots: Path) -> None:
    robots.write_bytes(b"")
    assert acap("show", robots).lines[:4] == [
        f"{robots}: 0 lines, read as auto",
        "  No mistakes. Every crawler may use everything.",
        "  how much of the site each crawler may use",
        "                 crawl  index  snippet  keep  train  AI input",
    ]


def test_a_hostile_file_reaches_no_terminal(robots: Path) -> None:
    robots.write_bytes(b"User-agent: a\x1b[2J\nDisallow: /\x9b31m\xff\nSitemap: \x1b]0;x\x07\nfoo\x00 \xe2\x80\xae\n")
    result = acap("show", robots)
    assert result.code == 0
    assert result.out.replace("\n", "").isprintable()


def test_every_usage_has_words_of_its_own() -> None:
    assert set(USAGES) == set(PARENTS)
    assert set(WORDS) == {*PARENTS, *COMPOSITES}, "each usage of the core has a row in WORDS of acap/usages.py"


def test_a_condition_in_a_header_is_shown_as_one() -> None:
    """What TDMRep and RSL reserve may be done as their terms say: `show` and `check` say the same."""
    found = acap("show", "--header", "tdm-reservation: 1", "--header", "tdm-policy: https://www.example.com/p")
    assert "may mine text and data of the page only as its terms say" in found.out
    assert "must not" not in found.out


@pytest.mark.parametrize(
    ("agent", "read", "told"),
    [
        ("GPTBot, CCBot", "GPTBot", True),
        ("GPTBot CCBot", "GPTBot", True),
        ("GPTBot/1.1", "GPTBot", False),
        ("SearchBot1", "SearchBot1", False),
    ],
)
def test_a_crawler_is_shown_as_it_is_read(agent: str, read: str, told: bool, tmp_path: Path) -> None:
    """Whom `show` says is refused is refused by `check`; names that no reader hears are told of and no crawler's."""
    file = tmp_path / "robots.txt"
    file.write_text(f"User-agent: {agent}\nDisallow: /\n", encoding="utf-8")
    shown = acap("show", file)
    assert f"  {read}" in shown.lines
    assert (": a line has one name" in shown.out) == told
    asked = {name: acap("check", "--robots", file, "-c", name, "-u", "crawl", "/").code for name in (read, "CCBot")}
    assert asked == {read: 1, "CCBot": 0}


def test_signals_are_shown_by_the_letter_where_that_is_asked_for(tmp_path: Path) -> None:
    """Of lines, and of the headers of a page."""
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: *\nContent-Signal: ai-train=false\nDisallow:\n")
    told = "must not train AI models"
    header = ("show", "--header", "Content-Signal: ai-train=false")
    for asked in (("show", file), header):
        assert told in acap(*asked).out
        strict = acap(*asked, "--reading", "strict")
        assert (strict.code, told in strict.out) == (0, False)


def test_a_documented_name_with_a_blank_is_no_list_of_names(tmp_path: Path) -> None:
    """As the presets write it, and as lint takes it."""
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: Kangaroo Bot\nDisallow: /\n\nUser-agent: GPTBot, CCBot\nDisallow: /\n")
    told = acap("show", file).out
    assert "`GPTBot, CCBot` addresses only GPTBot: a line has one name" in told
    assert "`Kangaroo Bot`" not in told


def test_whom_acap_does_not_bind_is_said_below_the_verdict(robots: Path) -> None:
    """Large crawlers do not read ACAP; of lines that they read, and of other crawlers, nothing is said."""
    robots.write_text("ACAP-crawler: *\nACAP-disallow-index: /x\n")
    assert "`GPTBot` and `ClaudeBot` do not read ACAP" in acap("show", robots).out
    assert "`GPTBot` does not read ACAP" in acap("show", robots, "--crawler", "GPTBot").out
    assert "not read ACAP" not in acap("show", robots, "--crawler", "shopbot").out
    robots.write_text("User-agent: *\nDisallow: /x\n")
    assert "not read ACAP" not in acap("show", robots).out

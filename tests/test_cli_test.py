"""`acap test` tells which cases fail and why, in words, JSON and JUnit; its exit code says how it went."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from acap.publish.cases import read_cases
from acap.schema import DECISION_SCHEMA
from tests.command_line import acap
from tests.loopback import Loopback, redirect, reply

ROBOTS = """\
User-agent: *
Disallow: /private/
Allow: /private/press/
Disallow: /*.cgi$
"""
GOOD = '[[case]]\nname = "private"\npath = "/private/a"\ncrawler = "bot"\nexpect = "prohibited"\n'
BAD = '[[case]]\nname = "open"\npaths = ["/a", "/private/a"]\ncrawler = "bot"\nexpect = "permitted"\n'


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """A file of two cases of which one check fails."""
    (tmp_path / "robots.txt").write_text(ROBOTS, encoding="utf-8")
    path = tmp_path / "policy.acap.toml"
    path.write_text(f'robots = "robots.txt"\n{GOOD}{BAD}', encoding="utf-8")
    return path


@pytest.fixture
def good(cases: Path) -> Path:
    """The same without the case that fails."""
    cases.write_text(f'robots = "robots.txt"\n{GOOD}', encoding="utf-8")
    return cases


def test_all_that_pass_end_with_0_in_one_line(good: Path) -> None:
    """Success is short."""
    result = acap("test", good)
    assert (result.code, result.out, result.err) == (0, "1 case, 1 check: 1 passed\n", "")


def test_a_failing_check_ends_with_1_and_says_what_was_decided_and_why(cases: Path) -> None:
    """The place of the case, the question, both answers, and the line that decided."""
    result = acap("test", cases)
    assert (result.code, result.err) == (1, "")
    assert result.lines == [
        f"failed: {cases}:7: open",
        "  asked     crawl of /private/a by bot",
        "  expected  permitted",
        "  decided   prohibited",
        "  why       robots.txt:2:1 Disallow: /private/",
        "2 cases, 3 checks: 2 passed, 1 failed",
    ]


def test_verbose_tells_of_every_check(cases: Path) -> None:
    """What passes is told with its reason."""
    result = acap("test", "--verbose", cases)
    assert result.lines[:4] == [
        f"passed: {cases}:2: private",
        "  crawl of /private/a by bot: prohibited, robots.txt:2:1 Disallow: /private/",
        f"failed: {cases}:7: open",
        "  crawl of /a by bot: permitted, no statement covers it, and the default permits",
    ]


def test_quiet_leaves_the_exit_code(cases: Path) -> None:
    """Nothing is printed, and the code says it all."""
    result = acap("test", "--quiet", cases)
    assert (result.code, result.out, result.err) == (1, "", "")


def test_json_is_an_object_a_check(cases: Path) -> None:
    """Each check has its status, what it missed and its decision."""
    result = acap("test", "--json", "--coverage", cases)
    *found, coverage = [json.loads(line) for line in result.lines]
    assert [(one["case"], one["line"], one["status"]) for one in found] == [
        ("private", 2, "passed"),
        ("open", 7, "passed"),
        ("open", 7, "failed"),
    ]
    assert found[2]["missed"] == [{"expected": "permitted", "decided": "prohibited"}]
    for one in found:
        Draft202012Validator(DECISION_SCHEMA).validate(one["decision"])
    assert (coverage["lines"], coverage["reached"], coverage["percent"]) == (3, 1, 33.33)
    assert [(one["line"], one["ask"]["path"], one["seen"]) for one in coverage["unreached"]] == [
        (3, "/private/press/", False),
        (4, "/x.cgi", False),
    ]


def test_coverage_names_lines_and_what_would_reach_them(good: Path) -> None:
    """Lines that decide nothing are listed with a question to ask."""
    result = acap("test", "--coverage", good)
    assert result.code == 0
    assert result.lines[1:] == [
        f"{good.parent / 'robots.txt'}: 1 of 3 lines reached, 33.3 %",
        "  line 3, not reached: Allow: /private/press/",
        "    try: crawl of /private/press/ by examplebot",
        "  line 4, not reached: Disallow: /*.cgi$",
        "    try: crawl of /x.cgi by examplebot",
    ]


@pytest.mark.parametrize(("least", "code"), [("33.3", 0), ("33.4", 1), ("100", 1), ("0", 0)])
def test_a_coverage_below_what_is_asked_for_ends_with_1(good: Path, least: str, code: int) -> None:
    """Per cent are compared as they are, not as they are rounded."""
    result = acap("test", "--fail-under", least, good)
    assert result.code == code
    assert ("--fail-under" in result.err) == bool(code)


def test_files_on_one_policy_share_its_coverage(good: Path) -> None:
    """What one file of cases reaches another need not."""
    other = good.with_name("other.acap.toml")
    other.write_text(f'robots = "robots.txt"\n{GOOD.replace("/private/a", "/a.cgi")}', encoding="utf-8")
    result = acap("test", "--coverage", good, other)
    assert "2 cases, 2 checks: 2 passed" in result.lines
    assert f"{good.parent / 'robots.txt'}: 2 of 3 lines reached, 66.7 %" in result.lines


def test_junit_is_written_beside_the_words(cases: Path, tmp_path: Path) -> None:
    """A test case a case, whatever is printed."""
    target = tmp_path / "results.xml"
    result = acap("test", "--junit", target, cases)
    assert result.code == 1
    root = ElementTree.fromstring(target.read_bytes())
    assert [(one.get("name"), [child.tag for child in one]) for one in root.iter("testcase")] == [
        ("private", []),
        ("open", ["failure"]),
    ]
    assert acap("test", "--junit", tmp_path / "none" / "x.xml", cases).code == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'robots = "robots.txt"\n{GOOD}usge = "crawl"\n', ":2: case `private`: unknown key `usge`; did you mean"),
        (f'robots = "robots.txt"\n{GOOD}usage = "indx"\n', ":2: case `private`: `usage` is `indx`"),
        (f'robots = "none.txt"\n{GOOD}', ": `robots` names"),
        (f'site = "https://example.com"\n{GOOD}', ": `robots` is missing, so only --live"),
        ("[[case\n", ": not TOML"),
    ],
)  # fmt: skip
def test_a_wrong_file_ends_with_2_and_one_line(good: Path, text: str, said: str) -> None:
    """A mistake in the cases is no failure of the policy."""
    good.write_text(text, encoding="utf-8")
    result = acap("test", good)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"acap: {good}{said}")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [(), ("none.acap.toml",), ("--timeout", "3", "x"), ("--fail-under", "101", "x")])
def test_a_wrong_call_ends_with_2(arguments: tuple[str, ...]) -> None:
    """No file, one that is not there, an option that needs another, a number out of bounds."""
    result = acap("test", *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1


def test_control_characters_never_reach_the_terminal(good: Path) -> None:
    """A hostile policy or case is shown with escapes."""
    (good.parent / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /\x1b[31m\n")
    good.write_text(
        f'robots = "robots.txt"\n{BAD.replace("/private/a", "/%1B[31mx")}'.replace('"bot"', '"bo\\u001bt"'),
        encoding="utf-8",
    )
    for options in ((), ("--verbose",), ("--coverage",), ("--json",)):
        result = acap("test", *options, good)
        assert "\x1b" not in result.out + result.err


def test_init_writes_cases_that_pass_and_reach_every_line(good: Path) -> None:
    """The first file names the policy, holds its decisions, and is complete."""
    made = acap("test", "--init", good.parent / "robots.txt")
    target = good.parent / "robots.acap.toml"
    assert (made.code, made.lines) == (0, [f"{target}: 2 cases; check them with: acap test {target}"])
    assert read_cases(target).robots == good.parent / "robots.txt"
    result = acap("test", "--fail-under", "100", target)
    assert (result.code, result.err) == (0, "")


def test_init_in_a_folder_that_may_be_served_says_so(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who names a file, or works in the folder, knows where it is."""
    told = acap("test", "--init", good.parent / "robots.txt")
    assert f"whoever serves {good.parent} serves this file too" in told.err
    assert acap("test", "--init", good.parent / "robots.txt", good.with_name("b.acap.toml")).err == ""
    (good.parent / "robots.acap.toml").unlink()
    monkeypatch.chdir(good.parent)
    assert acap("test", "--init", "robots.txt").err == ""


def test_a_robots_txt_is_no_file_of_cases(good: Path) -> None:
    robots = good.parent / "robots.txt"
    assert f"acap test --init {robots}" in acap("test", robots).wrong_call


def test_init_overwrites_nothing(good: Path) -> None:
    """A file that is there stays as it is."""
    before = good.read_bytes()
    result = acap("test", "--init", good.parent / "robots.txt", good)
    assert (result.code, result.out) == (2, "")
    assert "already exists" in result.err
    assert good.read_bytes() == before


def test_init_names_the_policy_as_seen_from_another_folder(good: Path) -> None:
    """The cases find the policy from where they are."""
    folder = good.parent / "tests" / "deep"
    folder.mkdir(parents=True)
    assert acap("test", "--init", good.parent / "robots.txt", folder / "a.acap.toml").code == 0
    assert 'robots = "../../robots.txt"' in (folder / "a.acap.toml").read_text(encoding="utf-8")
    assert acap("test", folder / "a.acap.toml").code == 0


@pytest.fixture
def site() -> Iterator[Loopback]:
    with Loopback(says={"/robots.txt": reply(body=ROBOTS.encode())}) as server:
        yield server


def live(path: Path, site: str, cases: str = GOOD + BAD) -> Path:
    path.write_text(f'site = "{site}"\n{cases}', encoding="utf-8")
    return path


def test_live_checks_what_the_site_serves(site: Loopback, good: Path) -> None:
    """The site's own file is asked for once, and cited by its URL."""
    result = acap("test", "--live", "--allow-private", live(good, site.url("")))
    assert (result.code, result.err) == (1, "")
    assert f"  why       {site.url()}:2:1 Disallow: /private/" in result.lines
    assert site.targets == ["/robots.txt"]


def test_live_goes_by_the_site_and_not_by_the_file(site: Loopback, good: Path) -> None:
    """A deployed file that differs from the one at hand is found out."""
    cases = f'robots = "robots.txt"\n{GOOD}'
    (good.parent / "robots.txt").write_text("", encoding="utf-8")
    path = live(good, site.url(""), cases)
    assert acap("test", path).code == 1
    assert acap("test", "--live", "--allow-private", path).code == 0


def test_live_does_not_enter_a_private_network_unasked(site: Loopback, good: Path) -> None:
    """A file of cases cannot make anybody ask a host of their own network."""
    result = acap("test", "--live", live(good, site.url("")))
    assert result.code == 3
    assert "--allow-private" in result.err
    assert site.targets == []


@pytest.mark.parametrize("answer", [reply(503), redirect("http://127.0.0.9:1/"), b""])
def test_a_policy_that_cannot_be_had_leaves_it_undetermined(good: Path, answer: bytes) -> None:
    """An expected prohibition is not met by a site that is out of reach."""
    with Loopback(says={"/robots.txt": answer}) as site:
        result = acap("test", "--live", "--allow-private", "--timeout", "5", "--coverage", live(good, site.url("")))
    assert result.code == 3
    assert result.lines[0].startswith("undetermined: ")
    assert result.lines[-1] == "2 cases, 3 checks: 0 passed, 3 undetermined"


def test_a_site_out_of_reach_is_an_error_in_junit(good: Path, tmp_path: Path) -> None:
    """What could not be checked neither passes nor fails."""
    with Loopback(says={"/robots.txt": reply(503)}) as site:
        acap("test", "--live", "--allow-private", "--junit", tmp_path / "x.xml", live(good, site.url("")))
    root = ElementTree.fromstring((tmp_path / "x.xml").read_bytes())
    assert root.attrib == {"tests": "2", "failures": "0", "errors": "2"}


def test_a_failure_counts_before_what_is_undetermined(site: Loopback, good: Path) -> None:
    """Of several files, one that fails decides the code."""
    other = live(good.with_name("b.acap.toml"), "http://127.0.0.9:1")
    result = acap("test", "--live", "--allow-private", live(good, site.url("")), other)
    assert result.code == 1
    assert "undetermined" in result.lines[-1]


def test_live_asks_for_references_of_each_crawler(good: Path) -> None:
    """What the policy refers a crawler to is retrieved, and one that is missing leaves its checks undetermined."""
    text = (
        b"ACAP-crawler: a\nACAP-permissions-reference: /a.txt\n\nACAP-crawler: b\nACAP-permissions-reference: /b.txt\n"
    )
    terms = b"ACAP-crawler: a\nACAP-disallow-index: /\n"
    cases = '[[case]]\npath = "/"\ncrawlers = ["c", "a", "b"]\nusage = "index"\nexpect = "prohibited"\n'
    with Loopback(says={"/robots.txt": reply(body=text), "/a.txt": reply(body=terms), "/b.txt": reply(503)}) as site:
        result = acap("test", "--live", "--allow-private", "--json", live(good, site.url(""), cases))
    found = [json.loads(line)["status"] for line in result.lines]
    assert (found, result.code) == (["failed", "passed", "undetermined"], 1)


def test_live_reads_the_same_answer_in_another_dialect(site: Loopback, good: Path) -> None:
    """A case for crawlers without ACAP asks the site no second time."""
    cases = GOOD + GOOD.replace('"private"', '"as of old"') + 'dialect = "rep-1994"\n'
    result = acap("test", "--live", "--allow-private", live(good, site.url(""), cases))
    assert (result.code, site.targets) == (0, ["/robots.txt"])


def test_live_needs_a_site(good: Path) -> None:
    """Without a site there is nobody to ask."""
    result = acap("test", "--live", good)
    assert (result.code, result.out) == (2, "")
    assert "`site` is missing" in result.err

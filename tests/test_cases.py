"""Cases of a publisher: read strictly, asked of the engine, told in words; and which lines they reach."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acap.publish.cases import Case, CasesError, FilePolicies, Result, check_file, read_cases
from acap.publish.cases.file import MAX_CHECKS, case_lines
from acap.publish.cases.report import failures, lines_of, suite
from acap.publish.cases.starter import starter
from acap.publish.coverage import Coverage
from acap.publish.junit import JUnitCase, JUnitFailure, JUnitSuite, junit
from acap.publish.paths import paths_of
from acap.robots import RobotsPolicy, parse_robots, url_at
from tests.command_line import acap as command
from tools.links import ROOT

POLICIES = sorted(ROOT.glob("examples/*/*robots.txt"))
TODAY = datetime(2026, 11, 1, tzinfo=UTC)

TEXT = """\
User-agent: *
Disallow: /private/

ACAP-crawler: *
ACAP-allow-preserve: / time-limit=30-days
ACAP-disallow-index: /
ACAP-allow-index: /news/
ACAP-allow-present: /news/ prohibited-modification=style prohibited-modification=format

ACAP-crawler: oldbot
ACAP-allow-index: / time-limit=until-2020-01-31

ACAP-crawler: farbot
ACAP-permissions-reference: https://example.com/terms.txt

ACAP-crawler: *
ACAP-usage-purpose: advertising
ACAP-disallow-crawl: /offers/
"""
ASKED = 'name = "x"\npath = "/"\ncrawler = "a"\n'


def written(folder: Path, cases: str, *, head: str = 'robots = "robots.txt"\n', robots: str = TEXT) -> Path:
    """A file of cases beside its robots.txt."""
    (folder / "robots.txt").write_text(robots, encoding="utf-8")
    path = folder / "policy.acap.toml"
    path.write_text(head + cases, encoding="utf-8")
    return path


def checked(folder: Path, cases: str, *, head: str = 'robots = "robots.txt"\n', robots: str = TEXT) -> list[Result]:
    return check_file(read_cases(written(folder, cases, head=head, robots=robots), name="policy.acap.toml"))


def one(folder: Path, keys: str, *, head: str = 'robots = "robots.txt"\n', robots: str = TEXT) -> Result:
    """The result of a case that makes one check."""
    (result,) = checked(folder, f"[[case]]\n{keys}", head=head, robots=robots)
    return result


def test_lists_multiply_out_in_their_order(tmp_path: Path) -> None:
    """Every crawler asks every usage of every URL for every purpose."""
    results = checked(
        tmp_path,
        '[[case]]\npaths = ["/a", "/b"]\ncrawlers = ["x", "y,z"]\nusages = ["crawl", "follow"]\n'
        'purposes = ["", "news"]\nexpect = "permitted"\n',
    )
    asked = [(one.check.crawler, one.check.url, one.check.usage, one.check.purpose) for one in results]
    assert len(set(asked)) == len(asked) == len(results[0].case) == 16
    assert asked[:3] == [("x", "/a", "crawl", ""), ("x", "/a", "crawl", "news"), ("x", "/a", "follow", "")]


@pytest.mark.parametrize(("own", "expected"), [("", "prohibited"), ("Googlebot-Image", "permitted")])
def test_a_crawler_without_a_group_is_asked_by_the_one_that_it_obeys(tmp_path: Path, own: str, expected: str) -> None:
    """Googlebot-Image obeys the group of Googlebot where it has none of its own, as `acap check` knows."""
    robots = "User-agent: Googlebot\nDisallow: /x\n" + f"\nUser-agent: {own}\nAllow: /x\n" * bool(own)
    keys = f'name = "a"\npath = "/x"\ncrawler = "Googlebot-Image"\nexpect = "{expected}"\n'
    assert one(tmp_path, keys, robots=robots).passed


def test_a_crawler_of_several_names_is_asked_for_in_their_order(tmp_path: Path) -> None:
    """`b,oldbot` is one crawler, which the policy knows by its second name."""
    result = one(tmp_path, 'path = "/"\ncrawler = "b,oldbot"\nusage = "index"\nat = 2020-01-31\nexpect = "permitted"\n')
    assert result.passed
    assert [cited.line for cited in result.decision.reason.decided_by] == [11]


@pytest.mark.parametrize(
    ("keys", "expected", "decided"),
    [
        ('usage = "index"\nexpect = "permitted"', "permitted", "prohibited"),
        ('expect = "prohibited"', "prohibited", "permitted"),
        ('expect = "permitted"\nkind = "statement"', "reason statement", "reason silence"),
        (
            'usage = "preserve"\nexpect = "permitted"\nrestrictions = { time-limit = "7-days" }',
            "time-limit=7-days, and no other restriction",
            "time-limit=30-days",
        ),
        ('usage = "preserve"\nexpect = "permitted"\nrestrictions = {}', "no restrictions", "time-limit=30-days"),
        (
            'usage = "preserve"\nexpect = "permitted"\nrestrictions-include = { max-length = "9-words" }',
            "max-length=9-words",
            "time-limit=30-days",
        ),
        ('usage = "index"\nexpect = "prohibited"\nline = 7', "line 7 decides", "line 6 decides"),
        ('expect = "permitted"\nline = 2', "line 2 decides", "no line of the robots.txt (silence) decides"),
        (
            'usage = "index"\nexpect = "prohibited"\nstatement = "ACAP-disallow-index: /x"',
            "`ACAP-disallow-index: /x` decides",
            "`ACAP-disallow-index: /` decides",
        ),
    ],
)
def test_what_is_not_as_expected_is_said(tmp_path: Path, keys: str, expected: str, decided: str) -> None:
    """Each expectation can fail, and then says what was expected and what was decided."""
    result = one(tmp_path, f"{ASKED}{keys}\n")
    assert not result.passed
    assert [(miss.expected, miss.decided) for miss in result.missed] == [(expected, decided)]


@pytest.mark.parametrize(
    "keys",
    [
        'usage = "index"\nexpect = "prohibited"\nline = 6\nkind = "statement"',
        'usage = "INDEX"\nexpect = "prohibited"\nstatement = "ACAP-disallow-index:  /"',
        'usage = "preserve"\nexpect = "permitted"\nrestrictions = { time-limit = "30-days" }',
        'expect = "permitted"\nrestrictions = {}\nkind = "silence"',
        'usage = "preserve"\nexpect = "permitted"\nrestrictions-include = { time-limit = ["30-days"] }',
        'at = 2026-11-01\nusage = "preserve"\nfacts = { first-preserved = 2026-09-01 }\nexpect = "prohibited"',
        'at = 2026-11-01\nusage = "preserve"\nfacts = { first-preserved = "2026-10-15T08:00Z" }\nexpect = "permitted"',
        'headers = ["X-Robots-Tag: noindex", "X-Robots-Tag: other: none"]\nusage = "follow"\nexpect = "permitted"',
        'headers = "X-Robots-Tag: a: nofollow"\nusage = "follow"\nexpect = "prohibited"\nstatement = "nofollow"',
        'dialect = "rfc9309"\nusage = "index"\nexpect = "permitted"',
    ],
)
def test_what_is_as_expected_passes(tmp_path: Path, keys: str) -> None:
    """Lines, statements, restrictions, kinds, facts, headers and dialects are compared with what was decided."""
    result = one(tmp_path, f"{ASKED}{keys}\n")
    assert result.missed == ()


def test_a_restriction_may_have_several_values(tmp_path: Path) -> None:
    """All values of a name are wanted, and one that is not listed is one too many."""
    keys = 'path = "/news/"\ncrawler = "a"\nusage = "present"\nexpect = "permitted"\nrestrictions = '
    assert one(tmp_path, f'{keys}{{ prohibited-modification = ["format", "style"] }}\n').passed
    assert not one(tmp_path, f'{keys}{{ prohibited-modification = "format" }}\n').passed
    assert not one(tmp_path, f'{keys}{{ prohibited-modification = ["format", "style", "any"] }}\n').passed


def test_a_page_speaks_for_its_url(tmp_path: Path) -> None:
    """A page's META tags count, and its statement is cited by the name of its file."""
    (tmp_path / "page.html").write_text('<meta name="robots" content="nofollow"><p>text', encoding="utf-8")
    result = one(tmp_path, f'{ASKED}page = "page.html"\nusage = "follow"\nexpect = "permitted"\n')
    assert [miss.decided for miss in result.missed] == ["prohibited"]
    assert "page.html:1" in lines_of(result)[-1]


def test_a_reference_is_read_from_a_file(tmp_path: Path) -> None:
    """What a policy refers to is read from the file named for it, relative to the cases."""
    (tmp_path / "terms.txt").write_text("ACAP-crawler: farbot\nACAP-allow-index: /\n", encoding="utf-8")
    keys = 'path = "/"\ncrawler = "farbot"\nusage = "index"\n'
    head = 'robots = "robots.txt"\nreferences = { "https://example.com/terms.txt" = "terms.txt" }\n'
    assert one(tmp_path, f'{keys}expect = "permitted"\n', head=head).passed
    assert one(tmp_path, f'{keys}expect = "prohibited"\nkind = "reference-missing"\n').passed


def test_a_missing_reference_meets_no_expectation(tmp_path: Path) -> None:
    """A prohibition for want of a document is not the one that was meant."""
    result = one(tmp_path, 'path = "/"\ncrawler = "farbot"\nusage = "index"\nexpect = "prohibited"\n')
    assert [miss.decided for miss in result.missed] == [
        "nothing, as a document that the policy refers to is not in `references`"
    ]


def test_the_head_of_a_file_holds_for_cases_that_have_not_the_key(tmp_path: Path) -> None:
    """A default in the plural gives way to a case's own singular."""
    head = 'robots = "robots.txt"\ncrawlers = ["a", "b"]\nusage = "index"\nat = 2020-01-01\n'
    results = checked(
        tmp_path,
        '[[case]]\npath = "/"\nexpect = "prohibited"\n'
        '[[case]]\npath = "/"\ncrawler = "oldbot"\nexpect = "permitted"\n'
        '[[case]]\npath = "/"\ncrawler = "oldbot"\nat = 2026-01-01\nexpect = "prohibited"\n',
        head=head,
    )
    assert [(result.check.crawler, result.passed) for result in results] == [
        ("a", True),
        ("b", True),
        ("oldbot", True),
        ("oldbot", True),
    ]


def test_paths_are_of_the_site_and_urls_of_another_are_refused(tmp_path: Path) -> None:
    """With a site, a path is its URL; what is asked of another site is a mistake and never an answer."""
    head = 'robots = "robots.txt"\nsite = "https://www.example.com/about"\n'
    keys = 'crawler = "a"\nexpect = "prohibited"\n'
    result = one(tmp_path, f'{keys}path = "/private/x"\n', head=head)
    assert (result.check.url, result.passed) == ("https://www.example.com/private/x", True)
    assert lines_of(result)[-1] == "why       robots.txt:2:1 Disallow: /private/"
    with pytest.raises(CasesError, match=r"policy\.acap\.toml:3: case `case 1`: `https://other\.example/` is not of"):
        one(tmp_path, f'{keys}url = "https://other.example/"\n', head=head)


@pytest.mark.parametrize("url", [None, "https://e.example", "HTTPS://E.example:443/a/b?c", "http://127.0.0.1:80"])
def test_lines_are_counted_whatever_the_url_of_the_policy(url: str | None) -> None:
    """A line of the robots.txt is told from others by its source, in whatever form the site was given."""
    assert coverage_of(parse_robots(TEXT, url=url), ("/private/", "a", "crawl")).reached == (2,)


def test_an_instant_has_many_forms(tmp_path: Path) -> None:
    """A date, a time with or without offset, and each as a text; without offset it is UTC."""
    for text in ("2020-01-31", "2020-01-31T23:59:59", "2020-02-01T00:30:00+01:00", '"2020-01-31T23:59:59Z"'):
        keys = f'path = "/"\ncrawler = "oldbot"\nusage = "index"\nat = {text}\nexpect = "permitted"\n'
        assert one(tmp_path, keys).passed
        assert not one(tmp_path, keys.replace("-01-31", "-02-02").replace("-02-01", "-02-02")).passed


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('usge = "index"', "unknown key `usge`; did you mean `usage`?"),
        ('paths = ["/a"]', "`paths` stands beside `path`; keep one of the two"),
        ('usage = "indx"', "`usage` is `indx`, which no policy here knows; did you mean `index`?"),
        ("usages = []", "`usages` is an empty list, so nothing would be checked"),
        ("usage = 7", "`usage` has a number; it must be a text, or a list of texts"),
        ('usage = ["index", true]', "`usage` has true or false"),
        ("line = 0", "`line` must be the number of a line"),
        ("line = true", "`line` must be the number of a line"),
        ('kind = "silense"', "`kind` is `silense`; did you mean `silence`?"),
        ('restrictions = "none"', "`restrictions` is a text; it must be a table"),
        (
            'restrictions = { time-limt = "7-days" }',
            "`restrictions`: unknown key `time-limt`; did you mean `time-limit`?",
        ),
        ("restrictions = { time-limit = 7 }", "`restrictions`: `time-limit` has a number"),
        ("restrictions = {}\nrestrictions-include = {}", "`restrictions-include` stands beside `restrictions`"),
        ('at = "tomorrow"', "`at` is `tomorrow`, which is not a date or time"),
        ("at = 12:00:00", "`at` is a date or time; write a date"),
        ("facts = { first-seen = 2026-01-01 }", "`facts`: unknown key `first-seen`"),
        ('headers = ["noindex"]', "`headers` has `noindex`, which is not a header"),
        ('page = "none.html"', "`page` names"),
        ('dialect = "google2"', "`dialect` is `google2`; did you mean `google`?"),
        ('elements = "no"', "`elements` is a text; it must be true or false"),
    ],
)
def test_a_mistake_is_said_in_one_line_with_file_case_and_key(tmp_path: Path, keys: str, said: str) -> None:
    """Nothing that is misspelt or of the wrong type is passed over."""
    with pytest.raises(CasesError) as raised:
        checked(tmp_path, f'[[case]]\n{ASKED}expect = "permitted"\n{keys}\n')
    assert str(raised.value).startswith(f"policy.acap.toml:2: case `x`: {said}")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('path = "/"\ncrawler = "a"\nexpect = "permited"', "`expect` is `permited`; did you mean `permitted`?"),
        ('path = "/"\ncrawler = "a"', "`expect` is missing; it is one of permitted, conditional, prohibited"),
        ('path = "/"\nexpect = "permitted"', "`crawler` is missing"),
        ('crawler = "a"\nexpect = "permitted"', "`path` is missing"),
        ('path = "news"\ncrawler = "a"\nexpect = "permitted"', "`path` has `news`, which does not start with `/`"),
        (
            'url = "//e.example/"\ncrawler = "a"\nexpect = "permitted"',
            "`url` has `//e.example/`, which is not a URL https://…",
        ),
        ('path = "/"\ncrawler = ","\nexpect = "permitted"', "`crawler` has `,`, which names no crawler"),
        ('name = "a\\nb"\npath = "/"\ncrawler = "a"\nexpect = "permitted"', "`name` has a line break"),
        (
            'paths = ["/a", "/b"]\npage = "p.html"\ncrawler = "a"\nexpect = "permitted"',
            "`page` is one page, and the case has 2 URLs",
        ),
    ],
)
def test_what_a_case_lacks_is_said(tmp_path: Path, keys: str, said: str) -> None:
    """A case without a question, or without an expectation, is refused by its place."""
    with pytest.raises(CasesError, match=rf"policy\.acap\.toml:3: case .*: {re.escape(said)}") as raised:
        checked(tmp_path, f"\n[[case]]\n{keys}\n")
    assert "\n" not in str(raised.value)


def test_two_cases_of_one_name_are_refused(tmp_path: Path) -> None:
    """A message names a case, so that the name must be its own."""
    case = f'[[case]]\n{ASKED}expect = "permitted"\n'
    with pytest.raises(CasesError, match=r"toml:7: case `x`: `name` is that of policy\.acap\.toml:2 too"):
        checked(tmp_path, case + case)


@pytest.mark.parametrize(
    ("cases", "said"),
    [
        ("case = 3\n", "`case` is not a list of tables; begin each case with [[case]]"),
        ("", "has no case; begin one with [[case]]"),
        ("[[case]\n", "not TOML"),
        (f"x{'.x' * 200_000} = 1\n", "not TOML that is read here: a key has more than 100 parts"),
        (f"[{'x . ' * 200_000}x]\n", "not TOML that is read here: a key has more than 100 parts"),
        (f"x = {{y = 1, 'x'{'.x' * 200_000} = 1}}\n", "not TOML that is read here: a key has more than 100 parts"),
        (
            f'references = {{ "/x" = "robots.txt" }}\n[[case]]\n{ASKED}expect = "permitted"\n',
            "`references`: the policy does not refer to `/x`",
        ),
    ],
)
def test_a_mistake_of_the_whole_file_is_said(tmp_path: Path, cases: str, said: str) -> None:
    """What is of no case is said of the file."""
    with pytest.raises(CasesError) as raised:
        checked(tmp_path, cases)
    assert str(raised.value).startswith(f"policy.acap.toml: {said}")


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("", "`robots` names no policy"),
        ('robots = "none.txt"\n', "`robots` names"),
        (
            'site = "www.example.com"\nrobots = "robots.txt"\n',
            "`site` is `www.example.com`, which is not the URL of a site",
        ),
        ('robots = "robots.txt"\nrobot = "x"\n', "unknown key `robot`; did you mean `robots`?"),
        ('site = "https://example.com"\n', "only --live"),
        ('site = "https://example.com"\nreferences = { "/a" = "b" }\n', "`references` belong to a policy in a file"),
    ],
)
def test_a_mistake_in_the_head_is_said(tmp_path: Path, head: str, said: str) -> None:
    """What stands above the cases is as strictly read as they are."""
    with pytest.raises(CasesError, match=re.escape(said)):
        checked(tmp_path, f'[[case]]\n{ASKED}expect = "permitted"\n', head=head)


def test_a_file_that_is_not_utf_8_or_not_there_is_refused(tmp_path: Path) -> None:
    """What cannot be read is a mistake of the call."""
    path = tmp_path / "a.acap.toml"
    with pytest.raises(CasesError, match="cannot be read: No such file"):
        read_cases(path)
    path.write_bytes(b'robots = "\xff"\n')
    with pytest.raises(CasesError, match="not UTF-8 from octet 10"):
        read_cases(path)


def test_lists_that_multiply_to_more_than_anybody_meant_are_refused(tmp_path: Path) -> None:
    """A few long lists do not make a run without end."""
    paths = ", ".join(f'"/{number}"' for number in range(500))
    crawlers = ", ".join(f'"bot{number}"' for number in range(500))
    with pytest.raises(CasesError, match=f"250,000 checks, and the limit is {MAX_CHECKS:,}"):
        checked(tmp_path, f'[[case]]\npaths = [{paths}]\ncrawlers = [{crawlers}]\nexpect = "permitted"\n')


def test_cases_are_found_where_they_stand() -> None:
    """Strings and comments that look like a case are none, whatever quotes they have."""
    text = (
        'a = """\n[[case]]\n"""""\nb = \'\'\'\n[[case]]\n\'\'\'\n# [[case]]\nc = "[[case]]"\n\n'
        '[[case]]\nname = "\\"[[case]]"\r\n  [[ "case" ]] # second\nname = \'"""\'\n[[case]]\n'
    )
    assert list(case_lines(text)) == [10, 12, 14]


@given(
    st.lists(st.sampled_from(['x = "#"', "# '''", "y = '\"'", "", 'z = """\n[[case]]\n"""', "[[case]]"]), max_size=12)
)
def test_the_lines_of_cases_are_those_written(parts: list[str]) -> None:
    """However they are mixed with strings and comments, each case has its own line."""
    line, expected = 1, []
    for part in parts:
        if part == "[[case]]":
            expected.append(line)
        line += part.count("\n") + 1
    assert list(case_lines("\n".join(parts))) == expected


def test_cases_written_inline_have_no_line(tmp_path: Path) -> None:
    """A case whose line cannot be told is named by its file."""
    head = 'robots = "robots.txt"\ncase = [{ path = "/", crawler = "a", expect = "permitted" }]\n'
    file = read_cases(written(tmp_path, "", head=head), name="f")
    assert file.place(file.cases[0]) == "f"
    assert all(result.passed for result in check_file(file))


def test_many_failures_of_one_case_are_counted(tmp_path: Path) -> None:
    """One fault that fails thousands of checks does not fill the screen."""
    paths = ", ".join(f'"/{number}"' for number in range(50))
    results = checked(tmp_path, f'[[case]]\npaths = [{paths}]\ncrawler = "a"\nexpect = "prohibited"\n')
    lines = failures(results)
    assert lines[-1] == "and 40 more of 50 checks"
    assert len(lines) == 41


def test_a_failing_case_is_a_failure_in_junit(tmp_path: Path) -> None:
    """A suite a file, a testcase a case, with the explanation as the failure's text."""
    results = checked(
        tmp_path,
        f'[[case]]\n{ASKED}usage = "index"\nexpect = "permitted"\n'
        '[[case]]\npath = "/"\ncrawler = "a"\nexpect = "permitted"\n',
    )
    file = read_cases(tmp_path / "policy.acap.toml", name="policy.acap.toml")
    root = ElementTree.fromstring(junit([suite(file, results)]))
    assert root.attrib == {"tests": "2", "failures": "1", "errors": "0"}
    failed, passed = root.findall("testsuite/testcase")
    assert (failed.get("name"), failed.get("file"), failed.get("line")) == ("x", "policy.acap.toml", "2")
    assert (failed[0].text or "").splitlines()[-1] == "why       robots.txt:6:1 ACAP-disallow-index: /"
    assert (passed.get("name"), len(passed)) == ("case 2", 0)


@given(st.text(), st.text(), st.text())
def test_whatever_a_policy_says_junit_is_well_formed(name: str, message: str, text: str) -> None:
    """Characters that XML 1.0 forbids are left out; all others come back as they were."""
    case = JUnitCase(name, failures=(JUnitFailure(message, text),))
    root = ElementTree.fromstring(junit([JUnitSuite(name, (case,))]).encode("utf-8", "surrogatepass"))
    read = root.find("testsuite/testcase")
    assert read is not None
    allowed = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
    assert read.get("name") == "".join(allowed.findall(name))
    assert read[0].get("message") == "".join(allowed.findall(message))
    assert (read[0].text or "") == "".join(allowed.findall(text))


def coverage_of(policy: RobotsPolicy, *asked: tuple[str, str, str]) -> Coverage:
    coverage = Coverage()
    coverage.read(policy)
    for path, crawler, usage in asked:
        coverage.add(policy, policy.decide(path, crawler=crawler, usage=usage, at=TODAY))
    return coverage


def test_a_line_is_reached_where_it_decides_and_seen_where_it_loses() -> None:
    """Of two lines that apply, the winner is reached, the loser only seen, and a third neither."""
    policy = parse_robots("User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /c*d$\n")
    coverage = coverage_of(policy, ("/a/b/x", "bot", "crawl"))
    assert (coverage.lines, coverage.reached) == ((2, 3, 4), (3,))
    assert coverage.percent == pytest.approx(100 / 3)
    first, second = coverage.unreached()
    assert (first.line, first.seen, str(first.suggestion)) == (2, True, "crawl of /a by examplebot")
    assert (second.line, second.seen, str(second.suggestion)) == (4, False, "crawl of /cxd by examplebot")


def test_signals_are_lines_that_decide() -> None:
    """A line of Content-Signal, Content-Usage or License is counted, and a question that it decides is found."""
    policy = parse_robots(
        "User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: /a search=n\nLicense: https://x.example/l.xml\n"
        "Content-Signal: ai-train=maybe\nDisallow: /p\n"
    )
    coverage = coverage_of(policy, ("/", "bot", "ai-train"))
    assert (coverage.lines, coverage.reached) == ((2, 3, 4, 6), (2,))
    asked = [str(one.suggestion) for one in coverage.unreached()]
    assert asked == ["index of /a by examplebot", "tdm of / by examplebot", "crawl of /p by examplebot"]


@pytest.mark.parametrize(
    ("word", "changed"),
    [
        ("ai-train=no", "ai-train=yes"),
        ("search=no", "search=yes"),
        ("train-ai=n", "train-ai=y"),
        ("ai-use=n,", ""),
        ("License: https://e.example/l", ""),
    ],
)
def test_the_first_cases_hear_every_word_of_a_signal(tmp_path: Path, word: str, changed: str) -> None:
    """Each word of Content-Signal and Content-Usage and each licence has a case, which fails if it changes."""
    text = (
        "User-agent: *\nDisallow: /private/\nContent-Signal: /a/ search=no, ai-train=no\n"
        "Content-Usage: /b/ ai-use=n, train-ai=n\nLicense: https://e.example/l\n"
    )
    robots, cases = tmp_path / "robots.txt", tmp_path / "robots.acap.toml"
    robots.write_text(text, encoding="utf-8")
    assert command("test", "--init", robots, cases).code == 0
    assert command("test", "--coverage", "--fail-under", "100", cases).code == 0
    assert word in text
    robots.write_text(text.replace(word, changed), encoding="utf-8")
    assert command("test", cases).code == 1


def test_a_line_of_signals_is_reached_by_each_of_its_words() -> None:
    """A line of which one word decided is not reached, and what the other decides is named."""
    policy = parse_robots("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n")
    coverage = coverage_of(policy, ("/", "bot", "index"), ("/", "bot", "crawl"))
    assert (coverage.lines, coverage.reached) == ((2, 3), (3,))
    assert [str(one.suggestion) for one in coverage.unreached()] == ["ai-train of / by examplebot"]
    assert coverage_of(policy, ("/", "bot", "index"), ("/", "bot", "ai-train")).reached == (2,)


def test_definitions_are_reached_through_the_lines_that_use_them() -> None:
    """A set of two patterns and a usage of three parts make one line, and their definitions none."""
    policy = parse_robots(
        "ACAP-resource-set: s /a /b\nACAP-composite-usage: brief index present-link\nACAP-crawler: *\n"
        "ACAP-allow-(brief): the-acap:resource-set:s\n"
    )
    assert coverage_of(policy).lines == (4,)
    assert coverage_of(policy, ("/b", "bot", "present-link")).percent == 100


def test_what_a_reference_decides_reaches_no_line_of_the_file() -> None:
    """Lines of another document with the same number are not counted."""
    text = "ACAP-crawler: far\nACAP-permissions-reference: /terms.txt\nACAP-disallow-index: /x\n"
    policy = parse_robots(text).with_reference("/terms.txt", b"ACAP-crawler: far\n\nACAP-disallow-index: /\n")
    decision = policy.decide("/", crawler="far", usage="index")
    assert [cited.line for cited in decision.reason.decided_by] == [3]
    assert coverage_of(policy, ("/", "far", "index")).reached == ()


def test_a_line_that_never_decides_names_those_that_do() -> None:
    """Where no question was found, the lines that decided what was tried are named."""
    policy = parse_robots("User-agent: *\nDisallow: /\nAllow: /\nDisallow: /x\nAllow: /x\n", dialect="rfc9309")
    found = {one.line: one for one in coverage_of(policy).unreached()}
    assert (found[4].suggestion, found[4].instead) == (None, (5,))
    assert found[5].suggestion is not None


def test_a_conventional_line_below_acap_decides_for_those_that_do_not_read_acap() -> None:
    """The suggestion for such a line names the dialect in which it decides."""
    policy = parse_robots("User-agent: *\nDisallow: /\nACAP-crawler: *\nACAP-allow-crawl: /\nACAP-disallow-crawl: /x\n")
    coverage = coverage_of(policy, ("/", "bot", "crawl"))
    text = {one.line: str(one.suggestion) for one in coverage.unreached()}
    assert all('dialect = "rfc9309"' not in text[line] for line in text if line > 2)
    plain = parse_robots(policy.octets, dialect="rfc9309")
    coverage.add(plain, plain.decide("/y", crawler="bot"))
    assert 2 in coverage.reached


def test_a_reading_is_counted_once() -> None:
    """However many answers come from a policy, its lines are those of the file."""
    policy = parse_robots(TEXT)
    coverage = coverage_of(policy, *[("/", "a", "index")] * 3)
    assert len(coverage.lines) == len({statement.cited.line for statement in policy.statements})
    assert sum(map(len, coverage._lines.values())) == len(policy.statements)


def test_without_statements_all_is_covered() -> None:
    """An empty file has nothing to reach."""
    assert coverage_of(parse_robots("# nothing\n")).percent == 100


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.parent.name + "-" + path.name)
def test_each_suggestion_is_a_question_that_its_line_decides(path: Path) -> None:
    """For every example of a policy, what is suggested reaches the line."""
    policy = parse_robots(path.read_bytes())
    coverage = coverage_of(policy)
    for one in coverage.unreached():
        if one.suggestion is not None:
            asked = one.suggestion
            reading = parse_robots(policy.octets, dialect=asked.dialect)
            decision = reading.decide(asked.path, crawler=asked.crawler, usage=asked.usage, purpose=asked.purpose)
            assert one.line in [cited.line for cited in decision.reason.decided_by]


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.parent.name + "-" + path.name)
def test_the_first_cases_of_a_policy_pass_and_reach_what_can_be_reached(path: Path, tmp_path: Path) -> None:
    """What `--init` writes is read, passes, and leaves no line for which it knows a question."""
    policy = parse_robots(path.read_bytes())
    target = tmp_path / "first.acap.toml"
    target.write_text(starter(policy, path.as_posix(), TODAY), encoding="utf-8")
    file = read_cases(target)
    results = check_file(file)
    policies, coverage = FilePolicies(file), Coverage()
    for result in results:
        assert result.passed, lines_of(result)
        coverage.add(policies.find(result.check.crawler, result.case.dialect), result.decision)
    assert [one.text for one in coverage.unreached() if one.suggestion is not None] == []


def test_the_first_cases_fail_when_the_policy_changes(tmp_path: Path) -> None:
    """The net catches a line that is taken away."""
    (tmp_path / "robots.txt").write_text(TEXT, encoding="utf-8")
    target = tmp_path / "first.acap.toml"
    target.write_text(starter(parse_robots(TEXT), "robots.txt", TODAY), encoding="utf-8")
    assert all(result.passed for result in check_file(read_cases(target)))
    (tmp_path / "robots.txt").write_text(TEXT.replace("ACAP-allow-index: /news/\n", ""), encoding="utf-8")
    failed = [result for result in check_file(read_cases(target)) if not result.passed]
    assert {(result.check.usage, result.check.url) for result in failed} == {("index", "/news/")}


def test_the_first_cases_know_which_group_a_crawler_obeys(tmp_path: Path) -> None:
    """Applebot, which ACAP alone names here, obeys the group of Googlebot: what `--init` writes passes."""
    text = "User-agent: Googlebot\nDisallow: /x\n\nACAP-crawler: Applebot\nACAP-disallow-index: /z\n"
    (tmp_path / "robots.txt").write_text(text, encoding="utf-8")
    target = tmp_path / "first.acap.toml"
    target.write_text(starter(parse_robots(text), "robots.txt", TODAY), encoding="utf-8")
    assert all(result.passed for result in check_file(read_cases(target)))


@given(st.text(st.sampled_from("/ab*$?%é.~"), max_size=8).map(lambda text: f"/{text}"))
def test_paths_of_a_pattern_match_it(pattern: str) -> None:
    """Every path found is one at which a rule of that pattern decides."""
    policy = parse_robots(f"User-agent: *\nDisallow: {pattern}\n")
    for path in paths_of(policy.statements[0].pattern):
        if path != "/robots.txt":
            assert not policy.decide(url_at(policy, path), crawler="bot").permitted


def test_a_case_counts_its_checks() -> None:
    """The length of a case is the number of its questions."""
    expected = read_cases(ROOT / "examples/publisher/policy.acap.toml")
    assert sum(map(len, expected.cases)) == len(check_file(expected))
    assert all(isinstance(case, Case) for case in expected.cases)


def test_the_cases_of_the_example_pass() -> None:
    """The publisher's policy decides as its cases say."""
    results = check_file(read_cases(ROOT / "examples/publisher/policy.acap.toml"))
    assert [lines_of(result) for result in results if not result.passed] == []

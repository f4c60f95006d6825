"""The workshop over HTTP: every flow without a script, what it refuses, and what it does with hostile text."""

from __future__ import annotations

import html
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from acap.crawlers import Crawler
from acap.publish.cases import check_file, read_cases
from acap.publish.crawlers import everyone
from acap.publish.lint.catalogue import rules
from acap.publish.presets import preset_files
from acap.robots import Asker, parse_robots
from acap.web.app import search_app
from acap.web.guard import is_of_another_site
from acap.web.workshop import linting
from acap.web.workshop.app import workshop_app
from acap.web.workshop.deciding_lines import LineMark, UsageQuestion, sample, shown_lines
from acap.web.workshop.encoding import ENDS, octets_of, opened
from acap.web.workshop.forms import MAX_BODY, MAX_TEXT
from acap.web.workshop.undoing import newest, recorded, undone
from acap.web.workshop.views import VIEWS
from tests.command_line import acap as command
from tests.command_line import environment, process
from tests.loopback import Loopback, redirect, reply
from tests.searched import searchable
from tests.workshop_form import HERE, OURS, Visitor

POLICY = """\
User-agent: *
Disallow: /private/
Allow: /private/free/

ACAP-crawler: *
ACAP-disallow-index: /drafts/
ACAP-allow-index: /news/ time-limit=7-days

ACAP-crawler: otherbot
ACAP-disallow-index: /
Disalow: /typo/
Sitemap: https://www.example.com/sitemap.xml
"""
PARTS, CODED = "multipart/form-data", "application/x-www-form-urlencoded"
EXAMPLES = sorted((Path(__file__).resolve().parent.parent / "examples").glob("*/robots.txt"))


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(workshop_app(), base_url=HERE) as made:
        yield made


@pytest.fixture
def visitor(client: TestClient) -> Visitor:
    return Visitor(client)


# --- flows without a script ---------------------------------------------------------------------------------------


def test_what_lines_come_to_is_told_without_a_copy_of_them(visitor: Visitor) -> None:
    """Each mark has the lines that bear it and a word for what each decides; the text stands in its field alone."""
    visitor.press("#update", text=POLICY, usage="index", crawler="examplebot")
    states = dict(
        zip(
            (one.attributes["class"] for one in visitor.page.css(".states > li")),
            visitor.words(".states > li"),
            strict=True,
        )
    )
    assert "line 2 prohibits crawl, which index needs" in states["prohibits"]
    assert "line 6 prohibits" in states["prohibits"]
    assert "line 7 permits with time-limit=7-days" in states["restricts"]
    assert "line 10 for otherbot" in states["others"]
    assert "line 12 Sitemap: no permission or prohibition" in states["vocabulary"]
    assert "ACAP-disallow-index" not in " ".join(visitor.words("#view"))


def test_lines_that_come_to_the_same_are_told_together(visitor: Visitor) -> None:
    """Of a thousand lines in a row the first and the last are named."""
    visitor.press("#update", text="User-agent: *\n" + "".join(f"Disallow: /{number}\n" for number in range(1200)))
    assert "lines 2 to 1201" in visitor.words(".states .prohibits")[0]


def test_every_sign_beside_a_line_is_explained(visitor: Visitor) -> None:
    """What no word in the line says, the list beside the text does."""
    visitor.press("#update", text=POLICY)
    assert "= names crawlers, purposes or sets for other lines 2" in visitor.words(".states summary")


def marked(client: TestClient, path: str = "/marks", **fields: str) -> dict[str, Any]:
    """What the editor is answered."""
    answer = client.post(path, data=fields, headers=OURS)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_editor_is_told_what_each_line_comes_to(client: TestClient) -> None:
    """Each line that decides or could has its mark, a sign and a word; those of comments and blanks have none."""
    found = marked(client, text=f"# note\n{POLICY}", usage="index", crawler="examplebot")
    lines = {number: (mark, sign, says) for number, mark, sign, says in found["lines"]}
    assert lines[3] == ("prohibits", "✕", "prohibits crawl, which index needs")
    assert lines[8] == ("restricts", "◐", "permits with time-limit=7-days")
    assert lines[11] == ("others", "–", "for otherbot")
    assert 1 not in lines
    assert 5 not in lines


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("before", ["", "\ufeff", "# 🎈 grüße\n"])
def test_findings_stand_where_they_are_in_the_text(client: TestClient, before: str, ends: str) -> None:
    """Line and UTF-16 units count as a browser counts them, whatever octets the text becomes."""
    text = f"{before}User-agent: *\nDisallow: /🎈\nDisalow: /🎈a\n"
    found = marked(client, text=text, ends=ends)
    one = next(one for one in found["findings"] if one["code"] == "misspelt-field")
    lines = text.split("\n")
    assert one["start"][0] == one["end"][0] == len(lines) - 1
    line = lines[one["start"][0] - 1].encode("utf-16-le")
    assert line[2 * one["start"][1] : 2 * one["end"][1]].decode("utf-16-le") == "Disalow: /🎈a"
    first = text.startswith("\ufeff") and next(one for one in found["findings"] if one["code"] == "byte-order-mark")
    assert not first or (first["start"], first["end"]) == ([1, 0], [1, 1])
    assert one["fix"] == {"title": "write `Disallow`", "safe": True}
    assert one["why"]


def test_a_finding_of_the_editor_is_mended_by_its_key(client: TestClient) -> None:
    """The fix that the editor asks for is the one of the finding."""
    (one,) = [one for one in marked(client, text=POLICY)["findings"] if one["code"] == "misspelt-field"]
    answer = client.post("/do/fix", data={"text": POLICY, "view": "lint", "fix": one["key"]}, headers=OURS)
    assert "Disallow: /typo/" in answer.text


def test_a_line_is_told_in_sentences(client: TestClient) -> None:
    """Who may or must not do what, as in an editor that speaks LSP; a crawler's line tells how much it may use."""
    said = marked(client, "/line", text=POLICY, at_line="7")
    unread = ["Googlebot", "does not read ACAP, so this line does not bind it"]
    assert said["sentences"] == [["Any crawler", "may index /news/, for 7 days"], unread]
    other = marked(client, "/line", text=POLICY, at_line="7", crawler="examplebot")
    assert other["sentences"] == [["Any crawler", "may index /news/, for 7 days"]]
    assert any("may use" in what for _, what in marked(client, "/line", text=POLICY, at_line="1")["sentences"])
    for line in ("0", "99", "x", "", "-1"):
        assert marked(client, "/line", text=POLICY, at_line=line) == {"sentences": [], "more": 0}


def test_comparing_lines_ends_while_somebody_types(client: TestClient) -> None:
    """A text whose lines take long to compare with each other is answered without that, and says so; then with it."""
    fields = "".join(f"ACAP-{way}-index: /{number}/*a*b\n" for number in range(60) for way in ("allow", "disallow"))
    text = f"ACAP-crawler: *\n{fields}ACAP-disallow-index: /1/*a*b\n"
    assert "idle-statement" in marked(client, text=text)["pending"]
    done = marked(client, text=text, patient="on")
    assert done["pending"] == []
    assert any(one["code"] == "idle-statement" for one in done["findings"])


@pytest.mark.parametrize("text", ["", "\n", "\r", "\ufeff", "\0", "<html>", "[1]", "User-agent: \ud800", "a:" * 5000])
def test_any_text_can_be_marked(client: TestClient, text: str) -> None:
    """Whatever stands in the editor, it gets an answer whose places are in the text."""
    data = {"text": text.encode("utf-8", "replace").decode(), "crawler": ","}
    for path in ("/marks", "/line"):
        found = marked(client, path, **data)
        for one in found.get("findings", ()):
            assert 1 <= one["start"][0] <= data["text"].count("\n") + data["text"].count("\r") + 2


def test_each_rule_has_a_page(client: TestClient) -> None:
    """It says what `acap rule` says; what is no rule is not found."""
    for code, rule in rules().items():
        answer = client.get(f"/rules/{code}")
        assert answer.status_code == 200
        assert rule.summary.split("`")[0] in html.unescape(answer.text)
    assert client.get("/rules/no-such").status_code == 404
    assert client.get("/rules/..%2fevil").status_code == 404


def test_what_is_asked_for_stays_from_page_to_page(visitor: Visitor) -> None:
    """The text, the question, the URLs and the old version go through every view and come out unchanged."""
    asked = {
        "text": POLICY, "old": "User-agent: *\n", "crawler": "a,b", "usage": "search", "purpose": "p",
        "at": "2026-11-20", "urls": "/a\n/b",
    }  # fmt: skip
    visitor.press("#tab-compare")
    visitor.press("#tab-policy", old=asked["old"], text=asked["text"])
    visitor.press("#update", crawler="a,b", usage="search", purpose="p", at="2026-11-20")
    visitor.press("#tab-try")
    visitor.press("#update", urls="/a\n/b")
    for name in (*VIEWS, "policy"):
        visitor.press(f"#tab-{name}")
        assert visitor.status == 200
        assert visitor.page.css_first(f"#tab-{name}").attributes["aria-current"] == "page"  # type: ignore[union-attr]  # without it the test fails as well
        assert {key: visitor.fields[key] for key in asked} == asked, name


def test_several_urls_are_tried(visitor: Visitor) -> None:
    """Each URL has its outcome, restrictions, the line that decides, the tree of reasons, and every usage."""
    visitor.press("#tab-try", text=POLICY)
    visitor.press("#update", urls="/news/a.html\n/private/x\nno url", usage="index", crawler="examplebot")
    first, second, third = visitor.page.css(".answers > li")
    assert "permitted" in first.css_first(".answer").text()  # type: ignore[union-attr]  # without it the test fails as well
    assert "time-limit=7-days" in first.css_first(".held").text()  # type: ignore[union-attr]  # without it the test fails as well
    assert "line 7: ACAP-allow-index: /news/" in first.css_first(".why").text()  # type: ignore[union-attr]  # without it the test fails as well
    assert "it needs crawling, and crawling is prohibited" in second.css_first(".tree").text()  # type: ignore[union-attr]  # without it the test fails as well
    assert {"crawl", "present-snippet", "ai-train", "search"} <= {cell.text() for cell in second.css("tbody th")}
    assert "neither an absolute URL nor a path" in third.text()


def test_a_crawler_is_tried_by_the_group_that_it_obeys(visitor: Visitor) -> None:
    """Googlebot-Image obeys the group of Googlebot where it has none of its own, as `acap check` knows."""
    visitor.press("#tab-try", text="User-agent: Googlebot\nDisallow: /x\n")
    visitor.press("#update", urls="/x", usage="crawl", crawler="Googlebot-Image")
    (answer,) = visitor.page.css(".answers > li .answer")
    assert "prohibited" in answer.text()


def test_what_is_tried_becomes_test_cases(visitor: Visitor, tmp_path: Path) -> None:
    """The file that is made is read as cases, every check of it passes, and one fails once the policy differs."""
    visitor.press("#tab-try", text=POLICY)
    asked = {"crawler": "examplebot,a", "usage": "index", "purpose": "x, y", "at": "2026-11-20"}
    urls = '/news/a.html\n/drafts/"\\bé🎈\nhttps://www.example.com/\nno url'
    visitor.press("#keep-cases", urls=urls, **asked)
    assert "all 6 checks" in visitor.words("#result .message")[0]
    cases, robots = tmp_path / "robots.acap.toml", tmp_path / "robots.txt"
    cases.write_text(visitor.fields["cases"], encoding="utf-8")
    robots.write_text(POLICY, encoding="utf-8")
    results = check_file(read_cases(cases))
    assert (len(results), [result for result in results if not result.passed]) == (6, [])
    robots.write_text(POLICY.replace("7-days", "8-days"), encoding="utf-8")
    assert sum(not result.passed for result in check_file(read_cases(cases))) == 2
    visitor.press("#update", text=robots.read_text(encoding="utf-8"))
    assert "2 of 6 checks" in visitor.words("#result .message")[0]
    assert "line 7" in " ".join(visitor.words(".cases > li"))


def test_cases_are_written_with_fields(visitor: Visitor, tmp_path: Path) -> None:
    """Cases are added, checked against the text, and are what `acap test` takes; what is wrong with one is said."""
    visitor.press("#tab-test", text=POLICY)
    visitor.press("#case-add", t_where="")
    assert "write the addresses" in visitor.words(".message.error")[0]
    visitor.press("#case-add", t_where="private", t_crawler="Googlebot")
    assert "private is neither a path" in visitor.words(".message.error")[0]
    visitor.press("#case-add", t_where="/private/a /private/b", t_crawler="Googlebot, x", t_name='my "own"')
    visitor.press("#case-add", t_where="/private/free/", t_crawler="Googlebot", t_expect="permitted", t_name="")
    visitor.press("#case-add", t_where="/drafts/", t_usage="index", t_expect="permitted")
    assert visitor.words(".cases .verdict-chip") == ["✓ passed", "✓ passed", "✕ failed"]
    assert "expected permitted, decided prohibited" in visitor.words(".cases > li")[2]
    assert "robots.txt:6:1 ACAP-disallow-index: /drafts/" in visitor.words(".cases > li")[2]
    cases = tmp_path / "robots.acap.toml"
    cases.write_text(visitor.fields["cases"], encoding="utf-8")
    (tmp_path / "robots.txt").write_text(POLICY, encoding="utf-8")
    assert [result.passed for result in check_file(read_cases(cases))] == [True, True, True, True, True, False]
    visitor.press("#update", cases=visitor.fields["cases"].replace('"prohibited"', '"forbidden"'))
    assert "expect" in visitor.words(".message.error")[0]


def test_a_case_is_removed_with_a_button(visitor: Visitor) -> None:
    """It goes with its lines and no other; of the last one nothing is left to check."""
    visitor.press("#tab-test", text=POLICY)
    for where in ("/private/a", "/b", "/c"):
        visitor.press("#case-add", t_where=where, t_crawler="x", t_expect="permitted")
    cases = visitor.fields["cases"]
    visitor.press("#update", cases=cases.replace('[[case]]\npath = "/c"', '# the last\n[[case]]\npath = "/c"'))
    visitor.press('.cases > li:nth-child(2) [name="drop_case"]')
    assert "case removed: case 2" in visitor.notes
    left = visitor.fields["cases"]
    assert "/b" not in left
    assert '# the last\n[[case]]\npath = "/c"' in left
    for _ in range(2):
        visitor.press('.cases > li [name="drop_case"]')
    assert "There is no case yet" in visitor.words("#result")[0]


@pytest.mark.parametrize("line", ["", "1", "3", "99", "-1", "x"])
def test_what_is_no_case_is_not_removed(client: TestClient, line: str) -> None:
    """A line that begins no case, or one of which more would go, changes nothing and is said."""
    cases = 'robots = "robots.txt"\n\n[[case]]\npaths = [\n"/a",\n"/b"]\nusages = [\n["x"]]\n'
    fields = {"text": POLICY, "cases": cases, "view": "test", "drop_case": line}
    answer = client.post("/do/case-remove", data=fields, headers=OURS)
    assert "remove it there" in answer.text


def test_cases_begin_with_what_is_decided_now(visitor: Visitor) -> None:
    """Each passes; a change of the policy fails one of them."""
    visitor.press("#tab-test", text=POLICY)
    visitor.press("#cases-begin")
    assert "Passed" in visitor.words("#result .message")[0]
    visitor.press("#update", text=POLICY.replace("Disallow: /private/", "Disallow: /"))
    assert "Failed" in visitor.words("#result .message")[0]


@pytest.mark.parametrize(
    "case", ['page = "/etc/passwd"\npath = "/a"', 'path = "/a"', 'page = "x.html"\nurl = "https://www.example.com/"']
)
def test_no_file_of_this_machine_is_read_for_cases(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """Whatever a case names: the policy is the text, and pages and references are refused."""
    opened_files: list[Path] = []
    monkeypatch.setattr(Path, "open", lambda path, *_, **__: opened_files.append(path))
    references = "" if "page" in case else 'references = { "/a" = "/etc/passwd" }\n'
    head = f'robots = "/etc/passwd"\n{references}crawler = "x"\n[[case]]\nexpect = "permitted"\n'
    visitor.press("#tab-test", text=POLICY)
    visitor.press("#update", cases=head + case)
    assert "which are not read here" in visitor.words(".message.error")[0]
    assert opened_files == []


def test_too_many_checks_are_left_to_the_command(visitor: Visitor) -> None:
    """Lists that multiply to more than a page can wait for are refused with a sentence."""
    paths = ", ".join(f'"/{number}"' for number in range(60))
    case = f'paths = [{paths}]\ncrawlers = [{paths.replace("/", "a")}]\nexpect = "permitted"\n'
    cases = f'robots = "robots.txt"\n[[case]]\n{case}'
    visitor.press("#tab-test", text=POLICY)
    visitor.press("#update", cases=cases)
    assert "makes 3,600 checks" in visitor.words(".message.error")[0]


def test_paths_of_the_text_are_tried(visitor: Visitor) -> None:
    """One press takes a path for each of its first patterns, and each answer names the line that decided."""
    visitor.press("#tab-try", text=POLICY)
    visitor.press("#take-urls")
    assert visitor.fields["urls"].split() == ["/", "/private/", "/private/free/", "/typo/", "/drafts/", "/news/"]
    assert visitor.words(".answers > li .why")[1].startswith("line 2: Disallow: /private/")


def test_findings_of_one_rule_stand_together(visitor: Visitor) -> None:
    """Of many findings of a rule three are shown, and the rest unfolds; those of one cause are one, with its places."""
    rules = "".join(f"Disallow: /{n}/\nDisallow: /{n}/a\n" for n in range(9))
    visitor.press("#tab-lint", text="User-agent: *\n" + "".join(f"Disalow: /x{n}/\n" for n in range(9)) + rules)
    one_cause = next(one for one in visitor.words(".findings > li") if "misspelt-field" in one)
    assert "at 9 places" in one_cause
    assert "The other 8 places" in one_cause
    group = next(one for one in visitor.words(".findings > li") if "idle-statement" in one)
    assert "9 remarks" in group
    assert "6 more of this kind" in group


def test_the_verdict_and_the_list_count_the_same(visitor: Visitor) -> None:
    """A cause at many places is one mistake, in the sentence above and in the numbers below it."""
    text = "User-agent: *\n" + "".join(f"Disalow: /x{n}/\n" for n in range(9)) + "Disallow: /a/\nDisallow: /a/b\n"
    visitor.press("#tab-lint", text=text)
    assert visitor.words(".verdict")[0].startswith("1 mistake and 1 remark.")
    assert visitor.words(".summary-row p")[0] == "1 warning 1 remark"


@pytest.mark.parametrize("path", ["/", "/lint"])
def test_what_was_not_worked_out_in_time_is_asked_for_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """A busy machine leaves a cell open; the page asks once more, and then has all the time there is."""
    monkeypatch.setattr(linting, "_SECONDS", 0)
    for patient, is_partial in (("", True), ("on", False)):
        headers = OURS | ({"HX-Request": "true", "HX-Target": "result"} if patient else {})
        answer = client.post(path, data={"text": POLICY, "shown_kind": "robots", "patient": patient}, headers=headers)
        assert answer.status_code == 200
        assert ("data-partial" in answer.text) is is_partial, patient


def test_a_fix_shows_what_goes_and_what_comes(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that it takes away stand above those that take their place; what is not shown is counted."""
    visitor.press("#tab-lint", text="User-agent: *\nDisalow: /a\n")
    assert visitor.words(".preview-lines")[0] == "−removed: Disalow: /a+added: Disallow: /a"
    monkeypatch.setattr(linting, "_LINES", 0)
    visitor.press("#tab-lint")
    assert visitor.words(".preview-lines")[0] == "… and 2 more lines"


def test_a_fix_of_several_places_shows_each(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "User-agent: anthropic-ai\nDisallow: /\n\nUser-agent: msnbot\nDisallow: /b\n"
    visitor.press("#tab-lint", text=text)
    (shown,) = visitor.words(".preview-lines")
    assert shown == "line 2+added: User-agent: ClaudeBotline 5+added: User-agent: Bingbot"
    monkeypatch.setattr(linting, "_LINES", 1)
    visitor.press("#tab-lint")
    assert visitor.words(".preview-lines")[0].endswith("User-agent: ClaudeBot… and 1 more line")


def test_a_finding_is_mended_and_undone(visitor: Visitor) -> None:
    """One press puts a fix into effect, and another takes it back, octet for octet."""
    visitor.press("#tab-lint", text=POLICY)
    assert any("Disalow" in heading for heading in visitor.words(".findings h3"))
    place = next(one for one in visitor.page.css(".findings > li") if "misspelt-field" in one.text())
    visitor.press(f"#{place.css_first('.fix button').attributes['id']}")  # type: ignore[union-attr]  # without it the test fails as well
    assert visitor.text == POLICY.replace("Disalow", "Disallow")
    assert "Done line 11" in visitor.notes
    assert not any("Disalow" in heading for heading in visitor.words(".findings h3"))
    visitor.press("#undo")
    assert visitor.text == POLICY
    assert "disabled" in visitor.page.css_first("#undo").attributes  # type: ignore[union-attr]  # without it the test fails as well


def test_all_safe_fixes_are_made_at_once(visitor: Visitor) -> None:
    """No decision is looser after them, and they are one step to undo."""
    text = "User-agent: *\nDisalow: /a\nDissallow: /b\n"
    visitor.press("#tab-lint", text=text)
    visitor.press("#fix-all")
    assert visitor.text == "User-agent: *\nDisallow: /a\nDisallow: /b\n"
    visitor.press("#undo")
    assert visitor.text == text


def test_a_fix_of_a_finding_that_has_gone_changes_nothing(client: TestClient) -> None:
    """A button of a page that is older than the text says so."""
    data = {"text": POLICY, "view": "lint", "fix": "misspelt-field@1-2"}
    answer = client.post("/do/fix", data=data, headers=OURS)
    assert "no longer exists" in answer.text


def test_versions_are_compared(visitor: Visitor) -> None:
    """A change has its usage, its paths, a path for example, and the lines that decided before and decide now."""
    visitor.press("#example")
    visitor.press("#tab-compare", text=visitor.text.replace("Disallow: /subscribers/\n", "Disallow: /members/\n", 1))
    visitor.press("#keep")
    assert "Equal" in visitor.words(".result-box")[0]
    visitor.press("#update", old="")
    assert "no old version yet" in visitor.words("#result")[0]
    visitor.press("#with-nothing")
    assert "Different" in visitor.words(".result-box .message")[0]
    visitor.press("#update", text="User-agent: *\nDisallow: /a/\n", old="User-agent: *\nDisallow: /a/b\n")
    changes = visitor.words(".changes > li")
    assert changes
    assert "stricter" in changes[0]
    assert "line 2: Disallow: /a/" in changes[0]
    assert "Different" in visitor.words(".result-box .message")[0]
    assert visitor.words("tr.old code") == ["Disallow: /a/b"]
    assert visitor.words("tr.new code") == ["Disallow: /a/"]
    visitor.press("#swap")
    assert (visitor.fields["old"], visitor.text) == (
        "User-agent: *\nDisallow: /a/\n",
        "User-agent: *\nDisallow: /a/b\n",
    )
    assert "looser" in visitor.words(".changes > li")[0]


def test_a_policy_is_composed_in_five_steps(visitor: Visitor) -> None:
    """What is said in the fields is previewed, added to the draft, taken out again, and becomes the text."""
    visitor.press("#tab-compose")
    said = {
        "c_who": "searchbot", "c_purposes": "news", "c_where": "/news/", "c_use_index": "may", "c_use_preserve": "not",
        "c_limit_0": "time-limit", "c_value_0": "7-days", "urls": "/news/a.html",
    }  # fmt: skip
    visitor.press("#update", **said)
    assert "searchbot, for news may index /news/, for 7 days" in visitor.words(".new-rules li")
    assert any("✓ index permitted time-limit=7-days" in text for text in visitor.words(".preview td.chips"))
    visitor.press("#compose-add", **said)
    assert visitor.fields["c_who"] == "*"
    assert len(visitor.words(".rules > li")) == 2
    visitor.press(".rules button[value='0']")
    assert len(visitor.words(".rules > li")) == 1
    visitor.press("#compose-use")
    assert "ACAP-allow-index: /news/ time-limit=7-days" in visitor.text
    decision = parse_robots(visitor.text).decide("/news/a", crawler="searchbot", usage="index", purpose="news")
    assert [str(one) for one in decision.restrictions] == ["time-limit=7-days"]
    visitor.press("#undo")
    assert visitor.text == ""


def test_a_preview_of_answers_that_do_not_fit_says_that_it_is_without_them(visitor: Visitor) -> None:
    """Nobody reads `must not train` beside a permission to train: the heading says what the preview leaves out."""
    visitor.press("#tab-compose")
    said = {"c_use_ai-train": "not", "c_use_index": "may", "c_limit_0": "time-limit", "c_value_0": "7"}
    visitor.press("#update", **said)
    assert "What it says, without your answers until the problem above is solved" in visitor.words("#view h3")
    assert not any("ai-train" in text for text in visitor.words(".preview td.chips"))
    visitor.press("#update", **said | {"c_value_0": "7-days"})
    assert "What it says, with your answers" in visitor.words("#view h3")
    assert any("✕ ai-train prohibited" in text for text in visitor.words(".preview td.chips"))
    visitor.press("#compose-add", **said | {"c_value_0": "7-days"})
    assert any("✕ ai-train prohibited" in text for text in visitor.words(".preview td.chips"))


def test_a_plain_robots_txt_is_taken_over_as_sentences(visitor: Visitor) -> None:
    """Whoever begins with a text reads what it says, although no line of it is ACAP."""
    visitor.press("#example")
    group = "User-agent: *\nDisallow: /cgi-bin/\nDisallow: /private/\n"
    visitor.press("#update", text=f"{group}\nUser-agent: GPTBot\nContent-Signal: ai-train=no\nAllow:\n")
    visitor.press("#tab-compose")
    visitor.press("#compose-read")
    assert visitor.words(".rules.kept li") == [
        "No crawler may crawl /cgi-bin/ or /private/",
        "GPTBot must not train AI models on anything",
    ]
    assert visitor.notes.endswith(
        "the draft has 0 ACAP rules; 6 other lines stay as they are, with 2 rules for crawlers"
    )
    assert not any("draft is empty" in text for text in visitor.words("#view .message"))


def test_what_pages_say_of_themselves_is_composed(visitor: Visitor) -> None:
    """A pattern with words becomes META tags and the configuration of the chosen server."""
    visitor.press("#tab-compose")
    visitor.press("#compose-page", c_page_where="drafts", c_words="noindex")
    assert "write which pages" in visitor.notes
    visitor.press("#compose-page", c_page_where="/drafts/", c_words="sudo")
    assert "unknown word `sudo`".replace("`", "") in visitor.notes
    visitor.press("#compose-page", c_page_where="/drafts/*.pdf$", c_word_noindex="on", c_words="max-snippet:20")
    assert '<meta name="robots" content="noindex, max-snippet:20">' in " ".join(visitor.words(".rules code"))
    assert "X-Robots-Tag" in visitor.words("#snippet")[0]
    visitor.press("#update", c_server="caddy")
    assert "header" in visitor.words("#snippet")[0]
    visitor.press("button[name=drop_page]")
    assert visitor.words("#snippet") == []


def test_a_draft_begins_from_the_text(visitor: Visitor) -> None:
    """Its rules are listed in words, and what is not ACAP is kept as it is."""
    visitor.press("#tab-compose", text=POLICY)
    visitor.press("#compose-read")
    assert "No crawler may index /drafts/ Remove what No crawler may index /drafts/" in visitor.words(".rules > li")
    visitor.press("#compose-use")
    assert "Disallow: /private/" in visitor.text
    old, new = parse_robots(POLICY), parse_robots(visitor.text)
    for path in ("/", "/drafts/a", "/news/", "/private/free/x", "/typo/"):
        for name in ("otherbot", "examplebot"):
            for usage in ("crawl", "index"):
                asked = [policy.decide(path, crawler=name, usage=usage) for policy in (old, new)]
                assert asked[0].outcome == asked[1].outcome, (path, name, usage)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"c_limit_0": "time-limit", "c_value_0": "7-days"}, "a restriction needs a permission"),
        ({"c_use_crawl": "may", "c_limit_0": "max-length", "c_value_0": "9-words"}, "applies to none of the usages"),
        ({"c_use_index": "may", "c_limit_0": "time-limit", "c_value_0": "soon"}, "soon"),
        ({"c_use_crawl": "not", "c_where": "/my news"}, "write /my%20news for one path, or /my /news for two"),
        ({"c_use_crawl": "not", "c_who": "GPTBot/1.2"}, "write GPTBot"),
        ({"c_use_crawl": "not", "c_purposes": "a#b"}, "is not a valid purpose; write a"),
        ({"draft": "{"}, "the draft is damaged"),
        ({"draft": '{"sudo": 1}'}, "unknown key"),
    ],
)
def test_what_cannot_be_composed_is_said(visitor: Visitor, fields: dict[str, str], message: str) -> None:
    """Values that do not fit are named beside the preview, and the draft stays as it was."""
    visitor.press("#tab-compose")
    visitor.press("#update", **fields)
    assert visitor.status == 200
    assert message in " ".join(visitor.words("#view .message.error"))


def test_a_file_is_opened_and_downloaded_with_the_same_octets(client: TestClient) -> None:
    """Octets that are no UTF-8 and line ends of another system come back as they were; both are said."""
    octets = b"User-agent: *\r\nDisallow: /caf\xe9/\r\n# \xa9\r\n"
    visitor = Visitor(client)
    visitor.press("#open", ("old.txt", octets))
    assert "the file is not UTF-8" in visitor.notes
    assert "opened old.txt: 38 octets" in visitor.notes
    assert visitor.words(".origin") == ["old.txt ISO 8859-1 CRLF"]
    assert visitor.text == "User-agent: *\nDisallow: /café/\n# ©\n"
    answer = client.post("/download", data=visitor.fields, headers=OURS)
    assert answer.content == octets
    assert answer.headers["content-disposition"] == 'attachment; filename="robots.txt"'
    visitor.press("#plain")
    assert client.post("/download", data=visitor.fields, headers=OURS).content == visitor.text.encode()


def test_a_text_that_outgrows_its_encoding_becomes_utf_8(visitor: Visitor) -> None:
    """A character that Latin-1 lacks makes all of it UTF-8, which is said; until then lines say what they decide."""
    visitor.press("#open", ("robots.txt", b"User-agent: *\nDisallow: /caf\xe9/\n"))
    said = "line 2 prohibits (not tried against the others: the line is not UTF-8)"
    assert any(said in text for text in visitor.words(".states > li"))
    visitor.press("#update", text=visitor.text + "Disallow: /€\n")
    assert "it is UTF-8 now" in visitor.words("#notes")[0]
    assert visitor.fields["encoding"] == "utf-8"
    assert visitor.text.endswith("Disallow: /€\n")


def test_a_policy_is_formatted(visitor: Visitor) -> None:
    """The layout changes, no decision does, and it can be undone."""
    text = "user-agent :  *\nDISALLOW:/a\n\n\n\nallow:  /a/b   \n"
    visitor.press("#format", text=text)
    assert visitor.text == "User-agent: *\nDisallow: /a\n\nAllow: /a/b\n"
    visitor.press("#format")
    assert "the layout is already right" in visitor.notes
    visitor.press("#undo")
    assert visitor.text == text


def test_a_policy_is_converted(visitor: Visitor) -> None:
    """The result is shown with its proof and becomes the text; META tags of a page are for copying alone."""
    visitor.press("#tab-convert", text="User-agent: *\nDisallow: /a/\n")
    assert "ACAP-disallow-crawl: /a/" in visitor.words(".diff tr.new code")
    assert "Disallow: /a/" not in visitor.words(".diff tr.new code")
    assert "Proved" in visitor.words("#result .message")[0]
    visitor.press("#update", into="headers", into_url="/a/b")
    assert visitor.page.css_first("#convert-use") is None
    visitor.press("#update", into="acap")
    visitor.press("#convert-use")
    assert "ACAP-disallow-crawl: /a/" in visitor.text
    assert visitor.fields["old"] == "User-agent: *\nDisallow: /a/\n"
    visitor.press("#tab-compare")
    assert "Equal" in visitor.words("#result .message")[0]


def test_the_workshop_shows_and_uses_a_preset(visitor: Visitor) -> None:
    visitor.press("#tab-compose", text="User-agent: *\nDisallow: /a/\n")
    visitor.press("#preset-show", preset="no-ai-training", p_site="https://www.example.com")
    assert "license.xml" in visitor.words("#result summary")
    visitor.press("#preset-use")
    assert "Disallow: /a/" in visitor.text
    assert "Content-Signal: ai-train=no" in visitor.text


def test_what_stands_against_a_preset_and_who_does_not_read_it_is_said(visitor: Visitor) -> None:
    visitor.press("#tab-compose", text="ACAP-crawler: Googlebot\nACAP-allow-preserve: /\n")
    visitor.press("#start-quote")
    (_, against) = visitor.words("#notes p")
    assert "line 2, ACAP-allow-preserve: /, stands against the preset: Googlebot may preserve copies" in against
    (unread,) = visitor.words("#result .unread")
    assert "do not read ACAP" in unread
    assert "noarchive" in unread


def test_no_training_is_offered_first_in_every_carrier(visitor: Visitor) -> None:
    """Whoever presses the first card gets what `acap compose --preset no-ai-training` writes, and crawlers hear it."""
    text = "User-agent: GPTBot\nDisallow: /a\n"
    visitor.press("#tab-compose", text=text.replace("Disallow: /a", "Allow: /"))
    assert visitor.words(".starts h4")[:2] == [
        "No AI training no-ai-training",
        "No AI training, in ACAP alone no-training",
    ]
    visitor.press(".starts li button")
    assert "GPTBot may crawl at / by the line Allow: / of robots.txt; change it first" in visitor.words("#result p")[0]
    visitor.press(".starts li button", text=text)
    assert "Content-Signal: ai-train=no" in visitor.words("#result tr.new code")
    visitor.press("#preset-use")
    assert visitor.text.encode() == preset_files("no-ai-training", kept=text.encode())["robots.txt"]
    assert visitor.page.css_first("#preset-use") is None
    assert not parse_robots(visitor.text, dialect="rfc9309").allows("/", "ClaudeBot")


def test_beside_a_draft_stands_who_does_not_read_it(visitor: Visitor) -> None:
    """The caveat stays where the draft is, however its rules came there, and goes where they are reached otherwise."""
    visitor.press("#tab-compose", text="User-agent: GPTBot\nAllow: /\n")
    assert visitor.words("#result .unread") == []
    visitor.press("#start-no-training")
    for _ in range(2):
        (unread,) = visitor.words("#result .unread")
        assert "GPTBot" in unread
        assert "Content-Signal: ai-train=no" in unread
        visitor.press("#update")
    visitor.press("#compose-new")
    visitor.press("#compose-add", **{"c_use_ai-input": "not"})
    (unread,) = visitor.words("#result .unread")
    assert unread.endswith("do not read ACAP, so these lines do not bind them.")
    visitor.press("#compose-new")
    visitor.press("#compose-add", c_use_crawl="not")
    assert visitor.words("#result .unread") == []
    robots = preset_files("no-ai-training", kept=b"User-agent: *\nDisallow: /a\n")["robots.txt"]
    visitor.press("#update", text=robots.decode())
    visitor.press("#compose-read")
    assert visitor.words("#result .unread") == []


def test_an_answer_by_acap_alone_says_that_a_large_crawler_does_not_read_it(visitor: Visitor) -> None:
    """`prohibited` and `passed` are what ACAP says, and not what GPTBot does."""
    text = "ACAP-crawler: *\nACAP-disallow-ai-train: /\n"
    asked = {"crawler": "GPTBot", "usage": "ai-train", "urls": "/"}
    visitor.press("#tab-try", text=text, **asked)
    (note,) = visitor.words(".answers .unread")
    assert note.startswith("GPTBot does not read ACAP")
    for others in (
        {"text": f"User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n\n{text}"},
        {"text": "User-agent: GPTBot\nDisallow: /\n"},
        {"crawler": "examplebot"},
    ):
        visitor.press("#update", **{"text": text, **asked, **others})
        assert "prohibited" in visitor.words(".answers .answer")[0]
        assert visitor.words(".answers .unread") == [], others
    visitor.press("#keep-cases", text=text, **asked)
    visitor.press("#tab-test")
    assert "passed" in visitor.words(".cases h3")[0]
    assert visitor.words(".cases .unread") == [note]


def test_what_is_no_path_is_quoted_in_a_sentence(visitor: Visitor) -> None:
    visitor.press("#tab-compose", text="User-agent: *\nDisallow:: /\n")
    visitor.press("#compose-read")
    assert visitor.words(".rules.kept li") == ["No crawler may crawl “: /”, which is no path"]


def test_a_change_is_headed_by_the_paths_that_change(visitor: Visitor) -> None:
    """What a closed crawler may fetch anyway is no change of the site: it is listed where nothing else changes."""
    closed, added = "User-agent: GPTBot\nDisallow: /\n", "\nACAP-crawler: *\nACAP-disallow-ai-train: /\n"
    visitor.press("#tab-compare", text=closed + added, old=closed)
    (change,) = visitor.words(".changes > li")
    assert "any that is not named" in change
    assert "GPTBot" not in change
    assert "1 change of decisions" in visitor.words(".result-box .message")[0]
    (note,) = [text for text in visitor.words("#result .note") if "carry policy" in text]
    assert note == (
        "Not listed: 1 change at resources that carry policy alone (/robots.txt, /ai.txt, /.well-known/tdmrep.json)."
    )
    everyone = f"User-agent: *\nDisallow: /\n{added}"
    visitor.press("#update", text=everyone, old=everyone.replace(added, ""))
    assert "of only /robots.txt, /ai.txt, /.well-known/tdmrep.json" in visitor.words(".changes h3")[0]


def test_many_crawlers_of_a_change_are_folded(visitor: Visitor) -> None:
    """Eight are named, and the others stand behind a word that says how many they are."""
    names = [f"robot{letter}" for letter in "abcdefghijk"]
    text = "".join(f"User-agent: {name}\n" for name in names) + "Disallow: /\n"
    visitor.press("#tab-compare", text=text, old="User-agent: *\nDisallow:\n")
    assert visitor.words(".changes details summary") == ["and 3 more"]
    (folded,) = visitor.words(".changes details")
    assert folded.endswith(", ".join(names[8:]))


def test_long_texts_are_compared_when_somebody_asks(client: TestClient) -> None:
    """While somebody types, what takes long for long texts waits for a button; short ones are compared at once."""
    typing = {**OURS, "HX-Request": "true", "HX-Target": "result"}
    for text, waits in (("User-agent: *\nDisallow: /a\n", False), ("User-agent: *\n" + "# x\n" * 9000, True)):
        for path in ("/compare", "/convert"):
            for headers, there in ((typing, waits), (OURS, False)):
                answer = client.post(path, data={"text": text, "old": text}, headers=headers)
                assert ("may take a minute" in answer.text) is there, (path, waits)


# --- fetching -------------------------------------------------------------------------------------------------------


def test_a_private_address_is_not_fetched_from(visitor: Visitor) -> None:
    """The guard refuses the loopback interface, nothing is sent there, and the message says what would allow it."""
    with Loopback() as there:
        there.says["/robots.txt"] = reply(body=b"User-agent: *\n")
        for where in (there.url(""), f"localhost:{there.port}", f"http://[::ffff:127.0.0.1]:{there.port}/"):
            visitor.press("#fetch", where=where)
            assert visitor.text == ""
            assert "cannot be retrieved" in visitor.notes or "host" in visitor.notes
        visitor.press("#fetch", where=there.url("/robots.txt"))
        assert "acap serve --allow-private" in visitor.notes
        assert there.asked == []


def test_a_private_address_is_fetched_from_where_it_is_allowed() -> None:
    """With the option the site's policy comes, is the old version too, and speaks for its site alone."""
    with Loopback() as there, TestClient(workshop_app(allow_private=True), base_url=HERE) as client:
        there.says["/robots.txt"] = redirect("/other.txt")
        there.says["/other.txt"] = reply(body=POLICY.encode())
        visitor = Visitor(client)
        visitor.press("#fetch", where=there.url("/some/page.html"))
        assert visitor.text == visitor.fields["old"] == POLICY
        assert "by way of 1 redirect" in visitor.notes
        assert visitor.fields["site"] == there.url("/robots.txt")
        visitor.press("#fetch", where=there.url("/missing.txt"))
        assert "answered 404; there is no policy there" in visitor.notes
        assert visitor.text == POLICY
        assert there.targets == ["/robots.txt", "/other.txt", "/missing.txt"]
        assert {asked.headers["user-agent"].split("/")[0] for asked in there.asked} == {"acap"}


@pytest.mark.parametrize(
    ("where", "message"),
    [("", "no address given"), ("ftp://x/", "http"), ("http://", "host"), ("a b", "no possible host")],
)
def test_what_is_no_address_is_said(visitor: Visitor, where: str, message: str) -> None:
    """Nothing is retrieved, and the text stays."""
    visitor.press("#fetch", where=where, text="User-agent: *\n")
    assert message in visitor.notes or "not an" in visitor.notes
    assert visitor.text == "User-agent: *\n"


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:99"},
        {"Origin": HERE, "Sec-Fetch-Site": "cross-site"},
        {"Origin": HERE, "Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_only_its_own_pages_may_send_something(client: TestClient, headers: dict[str, str]) -> None:
    """A form or script of another site is refused, and so is what does not say where it comes from."""
    for path in ("/", "/try", "/do/fetch", "/do/example", "/download"):
        answer = client.post(path, data={"text": "x", "where": "http://127.0.0.1/"}, headers=headers)
        assert answer.status_code == 403
        assert "x" not in answer.text.replace("text", "")
    assert client.post("/", data={"text": "x"}, headers={"Origin": HERE}).status_code == 200


def test_another_host_name_is_refused(client: TestClient) -> None:
    """A name that somebody has made to lead here gets nothing."""
    for method in ("GET", "POST"):
        answer = client.request(method, "/", headers={"Host": "evil.example", "Origin": "http://evil.example"})
        assert answer.status_code == 421


def test_every_page_forbids_scripts_in_it(client: TestClient) -> None:
    """No script stands in a page, none comes from elsewhere, nothing is framed or cached; htmx evaluates nothing."""
    for path in ("/", *(f"/{name}" for name in VIEWS if name != "policy")):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        nonce = re.search(r"style-src 'self' 'nonce-([\w-]{20,})'", policy)
        assert nonce
        assert nonce[1] not in client.get(path).headers["content-security-policy"]
        assert f'nonce="{nonce[1]}"' in answer.text
        assert "default-src 'none'; script-src 'self'; style-src 'self' " in policy
        assert "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"
        assert '"allowEval":false' in answer.text
        assert '"includeIndicatorStyles":false' in answer.text
    assert client.get("/static/htmx/htmx.min.js").status_code == 200
    assert "htmx 2." in client.get("/static/htmx/LICENSE").text


def test_what_the_editor_brings_is_named_with_its_licence(client: TestClient) -> None:
    """Each package stands with its version in the bundle, in the licences, and in the script that builds it."""
    bundle = client.get("/static/codemirror/codemirror.min.js").text
    inside = re.findall(r"[@\w/-]+ \d+\.\d+\.\d+", bundle.partition("*/")[0])
    licences = client.get("/static/codemirror/LICENSE").text
    builder = (Path(__file__).resolve().parent.parent / "tools" / "build-editor").read_text(encoding="utf-8")
    assert len(inside) >= 10
    assert sorted(re.findall(r"[@\w/-]+ \d+\.\d+\.\d+", licences)) == sorted(inside)
    assert all(one.replace(" ", "@") in builder for one in inside)
    assert licences.count("Permission is hereby granted") == licences.count("Copyright")
    assert "eval(" not in bundle
    assert "new Function" not in bundle
    assert len(bundle) < 400_000


def test_hostile_text_is_text(visitor: Visitor) -> None:
    """Markup in a policy, a URL, a name and a draft is never markup of the page, in any view."""
    evil = '</textarea><script>alert(1)</script><img src=x onerror="alert(2)" hx-get="/x">'
    text = f"User-agent: {evil}\nDisallow: /{evil}\nACAP-crawler: *\nACAP-resource-set: a {evil}\n{evil}: x\n\x1b[31m\n"
    visitor.press("#update", text=text, crawler=f"b{evil}", purpose=evil)
    fields = {"urls": f"/{evil}", "old": evil}
    for name in VIEWS:
        visitor.press(f"#tab-{name}")
        visitor.press("#update", **{key: value for key, value in fields.items() if key in visitor.fields})
        assert visitor.status == 200
        assert visitor.text == text
        assert visitor.page.css("script:not([src])") == []
        assert visitor.page.css("img[onerror], [hx-get]") == []
        assert not any("\x1b" in words for words in visitor.words("#result code, #result p, #result h3"))
    visitor.press("#tab-compose")
    visitor.press("#compose-read")
    visitor.press("#compose-add", c_who=evil, c_use_index="may", c_where=evil)
    assert visitor.page.css("script:not([src]), img[onerror]") == []


@pytest.mark.parametrize("field", ["undo", "draft"])
@pytest.mark.parametrize("value", ["[" * 100_000, '{"a":' * 100_000])
def test_what_a_form_carries_may_be_nested_without_an_end(client: TestClient, field: str, value: str) -> None:
    """A damaged history is none, and a damaged draft is told."""
    for path in ("/do/undo", "/do/fix-all", "/do/compose-add", "/compose"):
        answer = client.post(path, data={"text": POLICY, "view": "compose", field: value}, headers=OURS)
        assert answer.status_code == 200, path


@pytest.mark.parametrize("button", ["fix", "fix-all", "cases-begin", "urls"])
def test_a_button_works_beside_a_mistake_in_the_date(client: TestClient, button: str) -> None:
    """The mistake stands once in the page."""
    answer = client.post(f"/do/{button}", data={"text": POLICY, "at": "soon", "view": "test"}, headers=OURS)
    assert answer.status_code == 200
    assert answer.text.count("<code>soon</code> is not a date") == 1


def test_a_header_that_is_no_url_is_of_no_page_of_ours(client: TestClient) -> None:
    data = {"text": POLICY}
    assert client.post("/", data=data, headers={"Origin": "http://[::1"}).status_code == 403
    part = {**OURS, "HX-Request": "true", "HX-Current-URL": "http://[::1"}
    assert client.post("/", data=data, headers=part).headers["hx-push-url"] == "/"
    assert is_of_another_site(Headers({"host": "127.0.0.1", "referer": "http://[::1"}))


def test_what_is_too_large_is_refused_with_a_sentence(client: TestClient) -> None:
    """A text above 1 MB is not taken, typed, opened or sent as a whole; with a script the page stays as it is."""
    big = "#" * (MAX_TEXT + 1)
    answer = client.post("/", data={"text": big}, headers=OURS)
    assert answer.status_code == 413
    assert "larger than 1 MB" in answer.text
    visitor = Visitor(client)
    visitor.press("#open", ("big.txt", big.encode()))
    assert visitor.status == 413
    assert "big.txt" in visitor.html
    assert client.post("/", content=b"x" * (MAX_BODY + 1), headers=OURS).status_code == 413
    part = client.post("/", data={"text": big}, headers={**OURS, "HX-Request": "true"})
    assert (part.status_code, part.headers["hx-retarget"]) == (200, "#notes")
    assert "larger than 1 MB" in part.text
    assert client.post("/", data={"text": big[2:]}, headers=OURS).status_code == 200


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"text=%ff%00%zz&line=9999999999999&line=-1&undo=[{}]&encoding=x&ends=x", CODED),
        (b'--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n\xff\x00\r\n--b--\r\n', f"{PARTS}; boundary=b"),
        (b"", f"{PARTS}; boundary=b"),
        (b"text=a&usage=sudo&at=yesterday&crawler=%20&site=x", CODED),
        (b'undo=[{"of":1}]&undo=%5B%7B%22of%22%3A%22%22%2C%22at%22%3A9%2C%22end%22%3A1%7D%5D', CODED),
    ],
)
def test_any_form_gives_a_page(client: TestClient, body: bytes, kind: str) -> None:
    """Whatever the fields hold, the answer is a page with a policy that can be worked on."""
    for path in ("/", "/try", "/lint", "/do/undo"):
        answer = client.post(path, content=body, headers={**OURS, "Content-Type": kind})
        assert answer.status_code == 200
        assert 'id="workspace"' in answer.text


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"x", "multipart/form-data"),
        (b"--b\r\n\r\nx\r\n--b--", "multipart/form-data; boundary=b"),
        (b"a=1&" * 3000, "application/x-www-form-urlencoded"),
    ],
)
def test_what_is_no_form_is_refused(client: TestClient, body: bytes, kind: str) -> None:
    """It is said in a page, with the status of a wrong request."""
    answer = client.post("/", content=body, headers={**OURS, "Content-Type": kind})
    assert answer.status_code == 400
    assert "cannot be read" in answer.text


def test_what_is_not_there_is_not_found(client: TestClient) -> None:
    """Unknown pages and acts say so."""
    assert client.get("/nothing").status_code == 404
    assert client.post("/do/nothing", data={}, headers=OURS).status_code == 404
    assert client.get("/do/fetch").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example/",
        "/%2fevil.example/",
        "/%5Cevil.example/",
        "/\\evil.example/",
        "//try/",
        "/%2Ftry/",
        "//",
        "/%2F%2Fevil.example//",
        "/try//evil.example/",
        "/.//evil.example/",
        "/%09/evil.example/",
        "/try/",
    ],
)
def test_no_path_leads_to_another_site(client: TestClient, path: str) -> None:
    """A redirect is to a view of this one, whatever a browser may make of the path."""
    answer = client.get(f"http://127.0.0.1{path}", follow_redirects=False)
    if answer.status_code == 404:
        return
    assert answer.status_code == 307
    assert answer.headers["location"] == "http://127.0.0.1/try"


# --- pieces ---------------------------------------------------------------------------------------------------------


@given(st.binary(max_size=80), st.sampled_from(sorted(ENDS)))
def test_octets_come_back_from_the_form(octets: bytes, ends: str) -> None:
    """Octets of one kind of line end become a text of the form, and the same octets again; UTF-16 and NUL are said."""
    lines = octets.replace(b"\r", b"\n").split(b"\n")
    octets = ENDS[ends].encode().join(lines)
    found = opened(octets)
    assert "\r" not in found.text
    if b"\0" in octets or octets.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert found.notes
    else:
        assert octets_of(found.text, found.encoding, found.ends) == octets


@given(st.lists(st.text("ab\n", max_size=8), min_size=2, max_size=6))
def test_undoing_leads_back_through_every_text(texts: list[str]) -> None:
    """Each step gives exactly the text before; what was changed by hand since has nothing to undo."""
    history, now = "", texts[0]
    passed = [now]
    for text in texts[1:]:
        history = recorded(history, now, text, "change")
        if text != now:
            passed.append(text)
        now = text
    assert newest(history, f"{now}x") is None
    for before in reversed(passed[:-1]):
        now, history, step = undone(history, now)
        assert step is not None
        assert now == before
    assert undone(history, now)[2] is None


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.parent.name)
@pytest.mark.parametrize("usage", ["crawl", "index", "present-snippet", "ai-train"])
def test_a_coloured_line_decides_as_it_says(file: Path, usage: str) -> None:
    """At a path of its pattern a line that permits is cited by a permission, one that prohibits by a prohibition."""
    policy = parse_robots(file.read_bytes())
    for name in everyone(policy):
        question = UsageQuestion(name, usage, None)
        for line in shown_lines(policy, question, 1, len(policy.lines)):
            if line.mark not in (LineMark.PERMITS, LineMark.RESTRICTS, LineMark.PROHIBITS) or "as line" in line.says:
                continue
            patterns = [one.pattern for one in policy.statements if one.cited.line == line.number]
            if not any(patterns):
                assert line.says == "permits everything (an empty rule)"
                continue
            decisions = [policy.decide(sample(pattern), crawler=name, usage=usage) for pattern in patterns if pattern]
            cited = [one for one in decisions if any(c.line == line.number for c in one.reason.decided_by)]
            assert any(one.permitted is (line.mark is not LineMark.PROHIBITS) for one in cited), (name, line)


def test_who_is_addressed_is_what_the_engine_hears() -> None:
    """A named group shuts out the group of any crawler; a list of names asks in order; purposes are told apart."""
    policy = parse_robots("User-agent: *\nDisallow: /a\n\nUser-agent: news\nDisallow: /b\n")

    def marks(crawler: str | tuple[str, ...]) -> list[LineMark]:
        return [one.mark for one in shown_lines(policy, UsageQuestion(crawler, "crawl", None), 1, 5)]

    shut, heard = LineMark.OTHERS, LineMark.PROHIBITS
    assert marks("bot") == [LineMark.ADDRESS, heard, LineMark.BLANK, shut, shut]
    assert marks(("news-images", "news")) == [shut, shut, LineMark.BLANK, LineMark.ADDRESS, heard]
    acap = parse_robots("ACAP-crawler: *\nACAP-usage-purpose: news*\nACAP-disallow-index: /\n")
    for purpose, mark in ((None, LineMark.OTHER_USE), ("newsletter", LineMark.PROHIBITS), ("ads", LineMark.OTHER_USE)):
        assert shown_lines(acap, UsageQuestion("bot", "index", purpose), 3, 3)[0].mark is mark


def test_a_control_token_lends_its_operator_no_line_about_crawling() -> None:
    """Google-Extended obeys the group for `*` where Googlebot has its own: of training, and of nothing else."""
    policy = parse_robots("User-agent: *\nDisallow: /a\n\nUser-agent: Googlebot\nAllow: /b\n")
    of_others = [(LineMark.OTHERS, "other crawlers"), (LineMark.OTHERS, "for *")]

    def told(crawler: Asker, usage: str) -> list[tuple[LineMark, str]]:
        return [(one.mark, one.says) for one in shown_lines(policy, UsageQuestion(crawler, usage, None), 1, 2)]

    for crawler in ("Googlebot", ("Googlebot", "other"), Crawler("Googlebot"), "Googlebot/2.1"):
        assert told(crawler, "crawl") == told(crawler, "index") == told(crawler, "search") == of_others
        address, rule = told(crawler, "ai-train")
        assert address == (LineMark.ADDRESS, "addresses this crawler")
        assert rule == (LineMark.PROHIBITS, "prohibits ai-train: a control token of the crawler's operator decides")
        assert told(crawler, "ai-train-generative")[1][0] is LineMark.PROHIBITS
    assert told("bingbot", "crawl")[1] == (LineMark.PROHIBITS, "prohibits")


# --- the command ----------------------------------------------------------------------------------------------------


def test_the_command_needs_no_store_and_nothing_of_a_crawl() -> None:
    """What `acap serve` imports for the workshop are neither stores nor crawls."""
    script = (
        "import sys; import acap.cli.serve; "
        "sys.exit(str(sorted({'apsw', 'scrapy', 'fastwarc', 'acap.harvest.store'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"


def test_the_command_serves_the_workshop_alone() -> None:
    """Without a store it says where it listens, answers there with the workshop, and ends with Ctrl-C."""
    with process("serve", "--port", "0", env=environment(ACAP_STORE="")) as running:
        assert running.stdout is not None
        line = running.stdout.readline().decode()
        found = re.fullmatch(r"Serving the workshop at (http://127\.0\.0\.1:\d+/) \(Ctrl-C stops it\)\n", line)
        assert found is not None, line
        with urllib.request.urlopen(found[1]) as answer:
            assert b'id="workspace"' in answer.read()
        running.send_signal(signal.SIGINT)
        try:
            out, err = running.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            running.kill()
            raise
    assert (running.returncode, out, err) == (130, b"", b"")


def test_a_search_has_the_workshop_beside_it(tmp_path: Path) -> None:
    """With a store it is at /workshop/, with addresses of its own; the pages of the search still run no script."""
    with searchable(tmp_path / "news.acap") as made, TestClient(search_app(made.store), base_url=HERE) as client:
        assert "script-src" not in client.get("/").headers["content-security-policy"]
        assert 'href="/workshop/"' in client.get("/").text
        visitor = Visitor(client, "/workshop/")
        assert 'href="/operator"' in visitor.html
        for name in VIEWS:
            visitor.press(f"#tab-{name}", text=POLICY)
            assert visitor.status == 200
        visitor.press("#example")
        assert "ACAP-crawler: *" in visitor.text
        answer = client.post("/workshop/try", data={"text": "x"}, headers={**OURS, "HX-Request": "true"})
        assert answer.headers["hx-push-url"] == "/workshop/try"
        assert client.get("/workshop", follow_redirects=False).headers["location"].endswith("/workshop/")
        assert client.post("/workshop/do/fetch", data={"where": "x"}).status_code == 403
        assert client.get("/workshop/nothing").status_code == 404
        assert made.store.ledger.count("presented") == 0


def test_a_port_that_is_taken_is_said() -> None:
    """The workshop alone says why it cannot listen, as the search does."""
    with Loopback() as there:
        result = command("serve", "--port", str(there.port))
    assert result.code == 2
    assert "name another --host or --port" in result.err

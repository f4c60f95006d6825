"""The verdict on a robots.txt: mistakes, who may use how much, and rules that do nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import acap
from acap.crawler_list import FIRST
from acap.publish.lint.document import Document
from acap.publish.lint.formats import Style, format_named
from acap.publish.overview import in_short
from acap.publish.verdict import COLUMNS, EXTENTS, PolicyVerdict, verdict
from acap.schema import VERDICT_SCHEMA
from benchmarks.corpus import load
from tests.command_line import acap as run
from tests.portions import portion

_JSON = Path(__file__).parents[1].joinpath("docs/reference/json.md").read_text(encoding="utf-8")
_EXAMPLE = """\
User-agent: *
Disallow: /search
Disallow: /search/old
Dissalow: /x

User-agent: GPTBot
Disallow:
"""


def of(text: str) -> PolicyVerdict:
    return verdict(Document(text.encode(), "robots.txt"))


def test_one_paragraph_says_mistakes_then_uses_then_rules_that_do_nothing() -> None:
    """Search engines are told of the index and trainers of training, those that are told the same together."""
    found = of(_EXAMPLE)
    assert found.text == (
        "1 mistake and 1 remark. Googlebot, Bingbot, OAI-SearchBot and PerplexityBot may index all but /search, /x; "
        "Google-Extended, ClaudeBot, CCBot and 2 more may train AI models on the same part as Googlebot; "
        "GPTBot may train AI models on everything; 1 rule changes no decision."
    )


def test_many_paths_are_a_number_in_the_paragraph_and_listed_in_a_note() -> None:
    """Whoever is told the same paths is told them in the same words, which stand there once."""
    paths = "".join(f"Disallow: /{letter}/\n" for letter in "edcba")
    found = of(f"User-agent: GPTBot\n{paths}\nUser-agent: Googlebot\n{paths}Disallow: /x/\n")
    assert "Googlebot may index all but 6 paths; " in found.text
    assert "GPTBot may train AI models on all but 5 paths." in found.text
    assert found.grid is not None
    assert "all but /a/, /b/, /c/ and 3 more" in found.grid.notes
    assert len(found.grid.notes) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("all but /a, /b", "all but /a, /b"),
        ("all but /a, (/b but not /b/c), /d and 43 more", "all but 46 paths"),
        ("only /a, /b, (/c but not /d) and 2 more", "only 5 paths"),
        ("only /a, /b, /c and 2 more but not /d, /e, /f and 7 more", "only a part"),
        ("all but /a, /b, /c and 1 more, under conditions", "all but 4 paths, under conditions"),
    ],
)
def test_a_long_text_is_said_in_short(text: str, said: str) -> None:
    assert in_short(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "No mistakes. Every crawler may use everything."),
        ("User-agent: *\nDisallow: /\n", "No crawler may use anything."),
        ("<html></html>", "This is a page, not a robots.txt; it has no rules"),
        ("Error 404: gone\n", "This is not a robots.txt: none of its lines is a field; it has no rules"),
    ],
)
def test_what_is_told_of_all_is_told_once(text: str, said: str) -> None:
    assert said in of(text).text


def test_a_page_with_lines_that_count_has_a_grid() -> None:
    """Rules in an error page still decide, so what they come to is told behind what it is."""
    found = of("<html>\nUser-agent: *\nDisallow: /a\n</html>\n")
    assert found.text.startswith(
        "This is a page, not a robots.txt; lines in it that look like rules still count. Every"
    )
    assert found.grid is not None
    assert [row.name for row in found.grid.rows] == ["any crawler"]


def test_a_cut_file_has_no_grid() -> None:
    """What was not read may prohibit anything: nobody is told that anything is permitted."""
    found = of("\x00\x01\x02PK binary")
    assert found.grid is None or not found.instead
    packed = verdict(Document(b"\x1f\x8b\x08\x00 packed", "robots.txt"))
    assert packed.grid is None
    assert "may prohibit anything" in packed.text


def test_crawlers_that_matter_have_a_row_each_and_others_share_one() -> None:
    """Columns are the six usages that matter, and those that are answered otherwise."""
    names = "".join(f"User-agent: x{letter}\n" for letter in "abcdefghi")
    grid = of(f"{names}Disallow: /\n\nACAP-crawler: *\nACAP-disallow-present-thumbnail: /\n").grid
    assert grid is not None
    assert [row.name for row in grid.rows][: len(FIRST)] == list(FIRST)
    assert [row.name for row in grid.rows][len(FIRST) :] == [
        "any other crawler", "xa, xb, xc, xd, xe, xf and 3 more",
    ]  # fmt: skip
    assert [column.head for column in grid.columns] == [*COLUMNS.values(), "present-thumbnail"]
    assert {cell.text for cell in grid.rows[-1].cells} == {"none"}
    assert grid.rows[0].cells[-1].text == "none"


def test_whom_a_file_closes_out_may_use_nothing_though_it_may_read_the_licence() -> None:
    """What carries policy is no part of the site that anybody asks about."""
    told = "License: /license.xml\nDisallow: /"
    found = of(f"User-agent: GPTBot\n{told}\n\nUser-agent: *\n{told}private/\n")
    assert "GPTBot must not train AI models on anything" in found.text
    assert found.grid is not None
    [row] = [row for row in found.grid.rows if row.name == "GPTBot"]
    assert {cell.text for cell in row.cells} == {"none"}


@pytest.mark.portion
def test_a_grid_says_of_real_files_what_is_decided() -> None:
    """At the root and at a path that nothing names each cell is what a decision says."""
    for file in portion(load(), 10):
        policy = acap.parse_robots(file.octets)
        grid = verdict(Document(file.octets, "robots.txt"), findings=()).grid
        if grid is None:
            continue
        for row in (row for row in grid.rows if row.name in FIRST):
            for column, cell in zip(grid.columns, row.cells, strict=True):
                permitted = policy.decide("/zq-nowhere", crawler=row.name, usage=column.usages[0]).permitted
                assert permitted or cell.text != EXTENTS["all"], file.octets
                assert not permitted or cell.text != EXTENTS["none"], file.octets


@pytest.mark.parametrize("text", [_EXAMPLE, "", "<html></html>\n", "User-agent: a\nDisallow: /\n"])
def test_programs_get_the_verdict_as_an_object(tmp_path: Path, text: str) -> None:
    """It is of its schema, each key is documented, and the rows cover every usage of every crawler."""
    file = tmp_path / "robots.txt"
    file.write_text(text, encoding="utf-8")
    (found,) = run("show", "--json", file).objects()
    Draft202012Validator(VERDICT_SCHEMA).validate(found)
    assert found["text"] == of(text).text
    assert all(f"`{key}`" in _JSON for key in VERDICT_SCHEMA["properties"])
    assert bool(found["rows"]) != bool(found["instead"])


def test_lint_as_json_is_its_output_format(tmp_path: Path) -> None:
    """`--json` is one of the names of the form; with another form it is a wrong call."""
    file = tmp_path / "robots.txt"
    file.write_text(_EXAMPLE, encoding="utf-8")
    assert run("lint", "--json", file).out == run("lint", "--output-format", "json", file).out != ""
    assert run("lint", "--json", "--output-format", "sarif", file).code == 2


def test_sarif_links_each_rule_to_the_page_that_was_named(tmp_path: Path) -> None:
    """Without a page nothing is claimed; a relative one, or one with an anchor, is a wrong call."""
    file = tmp_path / "robots.txt"
    file.write_text(_EXAMPLE, encoding="utf-8")
    page = "https://docs.example.com/rules.html"
    driver = json.loads(run("lint", "--output-format", "sarif", "--rules-url", page, file).out)["runs"][0]["tool"][
        "driver"
    ]
    assert driver["informationUri"] == page
    assert {rule["helpUri"] for rule in driver["rules"]} == {f"{page}#{rule['id']}" for rule in driver["rules"]}
    assert "helpUri" not in "".join(format_named("sarif").whole([], Style()))
    for wrong in ("rules.html", f"{page}#top"):
        assert run("lint", "--rules-url", wrong, file).code == 2

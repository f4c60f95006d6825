"""A survey counts kinds of restriction, in the classes of "Consent in Crisis", by crawler, operator and time."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from acap.audits.survey_counts import RESTRICTIONS
from acap.audits.survey_page import survey_page
from acap.audits.survey_tables import RESTRICTION_WORDS, kind_tables, survey_to_json
from tests.command_line import acap as command

KINDS: dict[str, str | None] = {
    "no-file": "<html>log in</html>",
    "nothing": "User-agent: *\nDisallow:\n",
    "sitemap": "User-agent: bot\nAllow: /\nSitemap: https://a.example/s.xml\n",
    "crawl-delay": "User-agent: other\nCrawl-delay: 5\nUser-agent: *\nDisallow: /a\nAllow: /a\nSitemap: /s\n",
    "other": "User-agent: *\nDisallow: /a\n",
    "private-directories": "User-agent: *\nDisallow: /a\nDisallow: /admin/\n",
    "pattern": "User-agent: *\nDisallow: /private\nDisallow: /find?q=\nSitemap: /s\n",
    "full": "User-agent: bot\nDisallow: /\nAllow: /robots.txt\nUser-agent: *\nDisallow: /x?y\n",
    "unknown": None,
}
"""A file of each kind, for `bot`."""


def table(tokens: list[int] | None = None) -> pa.Table:
    columns = {"site": [f"{kind}.example" for kind in KINDS], "robots": list(KINDS.values())}
    return pa.table({**columns, **({} if tokens is None else {"tokens": tokens})})


def test_each_kind_is_counted_as_what_it_is() -> None:
    found = acap.survey(table(), crawlers=["bot"]).total.counts["bot", "crawl"]
    counts = {kind: held.captures for kind, held in found.restrictions.items()}
    assert counts == {**dict.fromkeys(KINDS, 1), "undecided": 0}
    assert tuple(RESTRICTIONS) == tuple(RESTRICTION_WORDS)


def test_kinds_divide_the_extents() -> None:
    """What is read and refuses nothing, something or all is one of the kinds of that; so with operators and weights."""
    found = acap.survey(table(list(range(1, 10))), crawlers=["bot", "other", "GPTBot", "ChatGPT-User"])
    for count in (*found.total.counts.values(), *found.total.operators.values()):
        for extent, kinds in {
            "none": ("nothing", "sitemap", "crawl-delay"),
            "some": ("other", "private-directories", "pattern"),
            "all": ("full",),
        }.items():
            held = count.extents[extent]
            assert sum(count.restrictions[kind].captures for kind in kinds) == held.captures - held.unread
            assert sum(count.restrictions[kind].weight for kind in kinds) == held.weight - held.unread_weight
        assert sum(held.weight for held in count.restrictions.values()) == 45
    assert found.total.counts["bot", "crawl"].restriction_weight_share("full") == 8 / 45


def test_an_operator_is_of_the_kind_of_the_strictest_of_its_crawlers() -> None:
    rows = pa.table({"site": ["a.example"], "robots": ["User-agent: ChatGPT-User\nDisallow: /\nSitemap: /s\n"]})
    found = acap.survey(rows, crawlers=["GPTBot", "ChatGPT-User"]).total
    assert found.counts["GPTBot", "crawl"].restriction_share("sitemap") == 1
    assert found.operators["OpenAI", "crawl"].restriction_share("full") == 1


def test_kinds_are_told_as_text_json_and_page_over_time(tmp_path: Path) -> None:
    months = pa.array([f"2024-0{1 + place % 3}-01" for place in range(len(KINDS))])
    file = tmp_path / "robots.parquet"
    pq.write_table(table([1] * len(KINDS)).append_column("at", months), file)
    found = acap.survey(file, crawlers=["bot", "GPTBot", "ChatGPT-User"])
    titles = [one.title for one in kind_tables(found, "crawl")]
    assert [title.removeprefix("crawl") for title in titles] == [
        ": share of captures by kind of restriction, by crawler",
        ": share of captures by kind of restriction, by operator",
        ", bot: share of captures by kind of restriction, by month",
        ": share of weight by kind of restriction, by crawler",
        ": share of weight by kind of restriction, by operator",
        ", bot: share of weight by kind of restriction, by month",
    ]
    called = ["survey", str(file), "-c", "bot", "-c", "GPTBot", "-c", "ChatGPT-User"]
    told = command(*called, "--kinds").out
    assert all(title in told for title in titles)
    assert "kind of restriction" not in command(*called).out
    page = survey_page(found)
    assert all(title in page for title in titles)
    of_bot = json.loads(command(*called, "--json").out)["periods"][0]["crawlers"][0]
    assert of_bot["restrictions"]["no-file"] == {"captures": 1, "share": 1 / 3, "weight": 1, "weight_share": 1 / 3}
    assert of_bot == json.loads(json.dumps(survey_to_json(found)))["periods"][0]["crawlers"][0]


@pytest.mark.parametrize(
    ("text", "usage", "line", "dialect"),
    [
        ("User-agent: *\nDisallow: /\n", "crawl", 2, "rfc9309"),
        ("User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n", "ai-train", 2, "content-signal"),
        ("ACAP-crawler: *\nACAP-disallow-crawl: /\n", "crawl", 2, "acap"),
        ("", "crawl", 0, ""),
    ],
)
def test_a_row_names_the_dialect_of_the_line_that_decides(
    text: str, usage: str, line: int, dialect: str, tmp_path: Path
) -> None:
    """It is that of the statement which `RobotsPolicy.decide` names."""
    rows = tmp_path / "rows.parquet"
    acap.survey(pa.table({"site": ["a.example"], "robots": [text]}), crawlers=["bot"], usages=usage, rows=rows)
    (row,) = pq.read_table(rows).to_pylist()
    assert (row["line"], row["dialect"]) == (line, dialect)
    decided = acap.parse_robots(text.encode()).decide("/", crawler="bot", usage=usage).reason.decided_by
    assert [(one.line, one.dialect) for one in decided[:1]] == ([(line, dialect)] if line else [])


def test_a_row_has_the_kind_of_restriction(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    acap.survey(table(), crawlers=["bot"], rows=rows)
    assert [json.loads(line)["restriction"] for line in rows.read_text().splitlines()] == list(KINDS)

"""What the commands for crawls tell: files that were written, inputs, times, counts; and short names in Python."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from acap.audits.audit_page import audit_page
from acap.audits.result import times_of
from acap.audits.rows import ERRORS
from acap.audits.summary import AuditSummary
from acap.audits.survey_page import survey_page
from tests import command_line
from tests.command_line import Result

ROOT = Path(__file__).parents[1]
ROBOTS = pa.table({"url": ["https://a.example/"], "robots": ["User-agent: *\nDisallow: /b\n"]})


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    pq.write_table(ROBOTS, tmp_path / "robots.parquet")
    return tmp_path / "robots.parquet"


def audited(*arguments: str | Path) -> Result:
    return command_line.acap("audit", "--processes", "1", *arguments)


def test_the_page_of_an_audit_names_its_inputs_and_times(policies: Path, tmp_path: Path) -> None:
    """Rows with an error stand under what they are, with their reason in words."""
    file, html = tmp_path / "<i>.csv", tmp_path / "a.html"
    rows = [
        "https://a.example/a,2026-01-01T00:00:00Z",
        "https://a.example/b,2026-01-03T00:00:00Z",
        "x,",
        "https://b.example/,",
    ]
    file.write_text("\n".join(["url,fetch_time", *rows]), encoding="utf-8")
    told = audited(file, "--robots", policies, "-c", "examplebot", "-o", tmp_path / "a.parquet", "--html", html)
    assert "crawl: 25.0 % permitted (1), 75.0 % prohibited (3)" in told.out
    assert told.err == f"acap: written: {html}\nacap: written: {tmp_path / 'a.parquet'}\n"
    page = html.read_text(encoding="utf-8")
    assert f"inputs: {tmp_path}/&lt;i&gt;.csv · policies: {policies} · crawler: examplebot" in page
    assert "fetch time: 2026-01-01T00:00:00+00:00 to 2026-01-03T00:00:00+00:00" in re.sub("</?span[^>]*>", "", page)
    assert 'audited: <span class="time">20' in page
    assert "<h3>Carriers that decided</h3>" in page
    assert "Where that statement stood" in page
    without, refused = page.index("Pages without a policy"), page.index("Rows with an error")
    assert (
        without < page.index(f"no-policy: {ERRORS['no-policy']}") < refused < page.index(f"no-url: {ERRORS['no-url']}")
    )


def test_times_are_those_of_all_rows(tmp_path: Path) -> None:
    """A column without a time has none."""
    times = [datetime(2026, 1, day, tzinfo=UTC) for day in (5, 2, 9, 3)]
    kind = pa.timestamp("us", tz="UTC")
    table = pa.table({"fetch_time": pa.array(times, kind), "policy_time": pa.array([None] * 4, kind)})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=1)
    assert times_of(tmp_path / "a.parquet") == {
        "fetch_time": ("2026-01-02T00:00:00+00:00", "2026-01-09T00:00:00+00:00")
    }


def test_the_share_that_hangs_on_silence_tells_what_it_is_of(tmp_path: Path) -> None:
    """Where a site has no robots.txt nobody spoke either."""
    pages, policies = tmp_path / "p.csv", tmp_path / "r.jsonl"
    pages.write_text("url\nhttps://a.example/\nhttps://b.example/\n", encoding="utf-8")
    both = [{"url": "https://a.example/", "robots": ""}, {"url": "https://b.example/", "robots": "", "status": 404}]
    policies.write_text("\n".join(map(json.dumps, both)), encoding="utf-8")
    told = audited(pages, "--robots", policies, "-c", "examplebot", "-o", tmp_path / "a.parquet")
    assert "hangs on silence: 100.0 % (reasons silence and absent); on a missing policy: 0.0 %" in told.out


@pytest.mark.parametrize("option", [(), ("--robots",)])
def test_a_url_is_no_input(option: tuple[str, ...], policies: Path, tmp_path: Path) -> None:
    """The line has its slashes, and says where URLs belong."""
    call: list[str | Path] = [*option, "https://news.example/", *([policies] if option else [])]
    told = audited(*call, "-c", "examplebot", "-o", tmp_path / "a.parquet").wrong_call
    assert (
        "`https://news.example/` is a URL; write URLs into a table with the column url, and give it with --fetch"
        in told
    )


def test_a_survey_says_which_files_it_wrote(policies: Path, tmp_path: Path) -> None:
    rows, html = tmp_path / "rows.csv", tmp_path / "s.html"
    told = command_line.acap("survey", policies, "-c", "bot", "-o", rows, "--html", html)
    assert (told.code, told.err) == (0, f"acap: written: {rows}\nacap: written: {html}\n")
    assert command_line.acap("survey", policies, "-c", "bot").err == ""


def test_the_page_of_a_survey_has_no_backticks(policies: Path) -> None:
    page = survey_page(acap.survey(policies, crawlers=["bot"]))
    assert "`" not in page
    assert "prohibits (0 of the captures), and is hatched" in page


def test_the_help_of_an_audit_is_about_audits() -> None:
    told = " ".join(command_line.acap("audit", "--help").out.split())
    assert "Belongs to the store" not in told
    assert "or a User-Agent string. [required]" in told
    assert "Asking a site" not in command_line.acap("audit", "robots", "--help").out


def test_the_help_of_a_survey_calls_it_as_it_was_called() -> None:
    told = command_line.acap("audit", "robots", "--help").out
    assert "`acap survey` is the same command" in " ".join(told.split())
    assert (told.count("acap survey"), told.count("\n  acap audit robots ")) == (1, 5)
    told = command_line.acap("survey", "--help").out
    assert "`acap audit robots` is the same command" in " ".join(told.split())
    assert (told.count("acap audit robots"), told.count("\n  acap survey ")) == (1, 5)


def test_what_python_shows_is_short() -> None:
    found = acap.survey(ROBOTS, crawlers=["bot", "GPTBot"], usage=["crawl", "index"])
    assert repr(found) == "<RobotsSurvey of 1 capture: 2 crawlers, crawl, index, 1 period>"
    auditing = acap.BatchAuditor(ROBOTS, crawler="examplebot", usage=["index", "ai-train"])
    assert repr(auditing).startswith("<BatchAuditor of 'index', 'ai-train' for Crawler('examplebot'")
    assert len(repr(auditing)) < 200


def test_a_summary_without_rows_is_a_page() -> None:
    assert "<h1>0 pages</h1>" in audit_page(AuditSummary(), {})


def test_the_query_of_the_page_tells_which_pages_and_why(
    policies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("url\nhttps://a.example/a\nhttps://a.example/b\n", encoding="utf-8")
    audited("p.csv", "--robots", policies, "-c", "examplebot", "-u", "ai-train", "-o", "audit.parquet")
    query = (ROOT / "docs/how-to/audit-a-crawl.md").read_text(encoding="utf-8").partition("```sql\nSELECT url")[2]
    rows = duckdb.connect().sql("SELECT url" + query.partition("```")[0]).fetchall()
    assert rows == [("https://a.example/b", "crawl-prohibited", "rfc9309", "robots.txt", 2, None)]
    audited("p.csv", "-c", "examplebot", "-u", "ai-train", "-o", "audit.parquet")
    rows = duckdb.connect().sql("SELECT url" + query.partition("```")[0]).fetchall()
    assert [row[0] for row in rows] == ["https://a.example/a", "https://a.example/b"]
    assert {row[-1] for row in rows} == {"no-policy"}

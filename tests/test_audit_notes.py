"""What an audit and a survey tell whoever made a mistake, or got less than was asked for: one line, with what to do."""

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
from acap.audits.robots_archives import Uncounted
from acap.audits.survey_page import survey_page
from acap.plurals import plural
from tests.command_line import Result
from tests.command_line import acap as called
from tests.many_sites import ManySites, every_way

ROOT = Path(__file__).parents[1]
ROBOTS = "url,robots\nhttps://a.example/,User-agent: *\n"


def audited(tmp_path: Path, pages: str, *more: str | Path, name: str = "pages.csv") -> Result:
    """What an audit of a table tells, beside policies without a time."""
    file, policies = tmp_path / name, tmp_path / "robots.csv"
    file.write_text(pages, encoding="utf-8")
    policies.write_text(ROBOTS, encoding="utf-8")
    given = (file, "--robots", policies, "-c", "examplebot", "-o", tmp_path / "o.parquet", "--processes", "1", *more)
    return called("audit", *given)


def test_one_thing_is_no_several_things() -> None:
    assert [plural(number, "page") for number in (0, 1, 2, 1000)] == ["0 pages", "1 page", "2 pages", "1,000 pages"]
    assert str(Uncounted(1, 2, 0)) == "1 redirect, 2 revisits"
    found = acap.survey(pa.table({"site": ["a.example"], "robots": [b""]}), crawlers=["GPTBot"])
    assert repr(found) == "<RobotsSurvey of 1 capture: 1 crawler, crawl, 1 period>"
    assert repr(acap.PolicyTable.read(pa.table({"url": ["https://a.example/"], "robots": [b""]}))) == (
        "<PolicyTable: 1 site>"
    )


def test_a_summary_of_one_page_is_told_once_and_in_the_singular(tmp_path: Path) -> None:
    """A row that cannot be read is told with its problem, and not by its reason as well."""
    told = audited(tmp_path, "url,status\nhttps://a.example/,OK\n").ended(1)
    assert told.startswith("1 page\n")
    assert "1 record could not be read; the first: " in told
    assert "https://a.example/: a status cannot be read: 'OK'; write a number, such as 200" in told
    assert "a value of its row cannot be read" not in told


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("url,fetch_time\nhttps://a.example/,01/02/2026\n", "write it as 2026-02-01T12:00:00Z or 20260201120000"),
        ("url,html,content\nhttps://a.example/,<p>A,<p>B\n", "`content` and `html` differ; leave one of them out"),
        ("url\nmailto:a@b.example\n", "mailto:a@b.example: its URL is not an http or https URL with a host"),
    ],
)
def test_a_row_that_cannot_be_read_is_told_with_the_form_that_is_right(row: str, words: str, tmp_path: Path) -> None:
    assert words in audited(tmp_path, row).ended(1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("url;status\nhttps://a.example/;200\n", "it has `url;status`; the fields of CSV are separated by commas"),
        ("url\tstatus\nhttps://a.example/\t200\n", "those of a file named .tsv by tabs"),
        ("https://a.example/\n", "it has `https://a.example/`; the first line has to name the columns"),
    ],
)
def test_a_table_without_its_columns_is_told_why(text: str, words: str, tmp_path: Path) -> None:
    assert words in audited(tmp_path, text).ended(2)
    (tmp_path / "survey.csv").write_text(text, encoding="utf-8")
    assert words.partition("; ")[2] in called("survey", tmp_path / "survey.csv").ended(2)


@pytest.mark.parametrize("url", ["s3://bucket/crawl.warc.gz", "gs://b/c", "https://a.example/crawl.warc.gz"])
def test_a_crawl_elsewhere_is_to_be_copied_first(url: str, tmp_path: Path) -> None:
    message = f"acap: `{url}` is not on this machine; copy it here first, and name the copy"
    assert called("audit", url, "-c", "a", "-o", tmp_path / "o.parquet").error.startswith(message)
    assert called("survey", url).error == message


@pytest.mark.parametrize("command", [["survey"], ["audit", "robots"], ["survey", "x.csv", "--before"]])
def test_a_survey_of_a_url_names_what_asks_a_site(command: list[str]) -> None:
    told = called(*command, "https://news.example")
    assert told.code == 2
    assert "`https://news.example` is a URL, and a survey reads files" in told.error
    assert told.error.endswith("; `acap site https://news.example` asks the site itself")


def test_a_folder_with_the_name_of_a_part_is_written_with_a_dot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "missing argument `INPUT...`" in called("audit", "robots", "-c", "GPTBot").error
    Path("robots").mkdir()
    assert "if you mean the file or folder `robots`, write ./robots" in called("audit", "robots", "-c", "GPTBot").error


def test_no_text_for_want_of_content_says_so(tmp_path: Path) -> None:
    pages = "url\nhttps://a.example/\n"
    told = audited(tmp_path, pages, "--content", "ai-train")
    assert "acap: no page of the inputs has its content, so there is no text; give archives, or tables" in told.err
    with_content = "url,html\nhttps://a.example/,<meta name=robots content=noai>\n"
    told = audited(tmp_path, with_content, "--content", "ai-train")
    assert "0 texts" in told.out
    assert "no page" not in told.err


def test_a_time_that_chooses_no_policy_is_told(tmp_path: Path) -> None:
    pages = "url\nhttps://a.example/\n"
    words = "the policies that decide have no time, so each counts whatever `--at` is"
    assert words in audited(tmp_path, pages, "--at", "2020-01-01").err
    assert words not in audited(tmp_path, pages).err


def test_sites_out_of_reach_are_told_with_a_reason(tmp_path: Path) -> None:
    """Of private ones the option is named that asks them; a resumed audit knows it, too."""
    with ManySites(every_way) as sites:
        pages = f"url\n{sites.url(1, '/')}\n{sites.url(3, '/')}\n"
        policies = tmp_path / "robots.csv"
        policies.write_text("url,robots\n", encoding="utf-8")
        (tmp_path / "pages.csv").write_text(pages, encoding="utf-8")
        call = ("audit", tmp_path / "pages.csv", "-c", "a", "--fetch", "-o", tmp_path / "o.parquet", "--processes", "1")
        told = called(*call).err
        assert re.search(r"out of reach: 2 of 2 sites; the first: http://\S+: .+; `--allow-private` asks sites", told)
        told = called(*call, "--allow-private").err
        first = re.escape(sites.url(3, "/").rstrip("/"))
        assert re.search(rf"out of reach: 1 of 2 sites; the first: {first}: it answered with the status 503\n", told)


def test_a_folder_that_is_not_there_is_made_if_the_one_around_it_is(tmp_path: Path) -> None:
    """One level may be new; of two, the path is mistaken rather."""
    pages = tmp_path / "pages.csv"
    pages.write_text("url\nhttps://a.example/\n", encoding="utf-8")
    call = ("audit", pages, "-c", "a", "--processes", "1")
    assert called(*call, "-o", tmp_path / "new" / "o.parquet").code == 1
    assert (tmp_path / "new" / "o.parquet").is_file()
    far = tmp_path / "nix" / "way" / "o.parquet"
    told = called(*call, "-o", far)
    assert (told.code, (tmp_path / "nix").exists()) == (2, False)
    assert f"there is no folder {tmp_path / 'nix'}; check the path {far}" in told.error
    told = called(*call, "-o", tmp_path / "o.parquet", "--html", tmp_path / "nix" / "way" / "o.html")
    assert (told.code, (tmp_path / "nix").exists(), (tmp_path / "o.parquet").exists()) == (2, False, False)


def test_an_interrupt_before_the_audit_began_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("acap.cli.audit_pages.Job", interrupted)
    told = audited(tmp_path, "url\nhttps://a.example/\n")
    out = tmp_path / "o.parquet"
    assert told == Result(130, "", f"acap: stopped: nothing is done yet, and {out} is not written; call it again\n")


def test_wrong_values_in_python_name_what_is_right() -> None:
    """A usage, a table of policies for `decide_table`, and a table of URLs by another name."""
    pages = pa.table({"url": ["https://a.example/"]})
    robots = pa.table({"url": ["https://a.example/"], "robots": [b""]})
    with pytest.raises(ValueError, match="`train` is not a usage; did you mean `ai-train`"):
        acap.audit(pages, robots, crawler="a", usage="train")
    with pytest.raises(TypeError, match="this is PolicyTable; that is for `decide_table` alone: give the table"):
        acap.audit(pages, acap.PolicyTable.read(robots), crawler="a")
    with pytest.raises(ValueError, match="no column `url`; it has `target_uri`"):
        acap.decide_table(pages.rename_columns(["target_uri"]), robots, crawler="a")
    assert repr(acap.decide_table(pages, robots, crawler="a")).endswith("; read it once, as by pyarrow.table(stream)>")


def test_the_pages_of_an_audit_and_of_a_survey_say_what_they_are_of(tmp_path: Path) -> None:
    """What a table is about is told once for all usages; a time stays in one line; a survey has inputs and a date."""
    pages, html = "url\nhttps://a.example/\n", tmp_path / "a.html"
    audited(tmp_path, pages, "-u", "crawl,index", "--html", html)
    page = html.read_text(encoding="utf-8")
    assert "<h1>1 page</h1>" in page
    assert page.count("Why an answer is what it is") == 1
    assert re.search(r'audited: <span class="time">\d{4}-', page)
    table = tmp_path / "robots.parquet"
    pq.write_table(pa.table({"site": ["a.example"], "robots": [b""]}), table)
    assert called("survey", table, "--before", table, "-c", "GPTBot", "--html", html).code == 0
    page = html.read_text(encoding="utf-8")
    assert f"inputs: {table} · earlier crawl: {table} · surveyed: {datetime.now(UTC):%Y-}" in page
    assert "1 capture, 1 crawler." in page
    assert "surveyed" not in survey_page(acap.survey(table, crawlers=["GPTBot"]))


def _queries(page: str) -> list[str]:
    return re.findall(r"```sql\n(.*?)```", (ROOT / "docs/how-to" / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_queries_of_the_guides_run_and_their_reasons_are_those_of_the_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pages = "url,status,html\nhttps://a.example/,200,<meta name=robots content=noai>\nhttps://b.example/,,\nx,,\n"
    told = json.loads(audited(tmp_path, pages, "-u", "ai-train", "--json").out)
    (tmp_path / "o.parquet").rename("audit.parquet")
    of_pages, of_reasons, of_last = [duckdb.connect().sql(query).fetchall() for query in _queries("audit-a-crawl.md")]
    assert ("https://a.example/", "statement", "robots-meta", "page", 1, None) in of_pages
    assert dict(of_reasons) == told["usages"]["ai-train"]["reasons"]
    assert len(of_last) == 3
    for year, robots in (
        ("2023", ["", "User-agent: *\nDisallow: /\n"]),
        ("2024", ["User-agent: *\nDisallow: /\n", ""]),
    ):
        rows = pa.table({"site": ["a.example", "b.example"], "robots": robots})
        acap.survey(rows, crawlers=["GPTBot"], rows=f"rows-{year}.parquet")
    (query,) = _queries("survey.md")
    assert duckdb.connect().sql(query).fetchall() == [("a.example", "GPTBot", "none", "all", 2)]

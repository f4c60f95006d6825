"""Tables of policies of any shape: taken as users mean them, or refused in one line with nothing left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from acap.audits.job import Job
from tests.command_line import Result
from tests.command_line import acap as run

WALL = "User-agent: *\nDisallow: /\n"
PRIVATE = "User-agent: *\nDisallow: /private\n"
PAGES = ["https://a.example/x", "https://a.example/private/x", "http://a.example/x", "https://b.example/x"]


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread works in the place of processes."""
    monkeypatch.setattr(Job, "_pool", lambda _: ThreadPoolExecutor(1))


def asked(robots: Path, *urls: str) -> tuple[Result, list[str], list[str | None]]:
    """What an audit says of pages by a table of policies: how it ended, the outcomes, and why."""
    pages = robots.parent / "pages.jsonl"
    pages.write_text("".join(json.dumps({"url": url}) + "\n" for url in urls or PAGES))
    out = robots.parent / "o.parquet"
    done = run("audit", pages, "--robots", robots, "-c", "examplebot", "-o", out)
    assert not (robots.parent / "o.parquet.parts").exists()
    if not out.exists():
        return done, [], []
    table = pq.read_table(out)
    return done, table["crawl_outcome"].to_pylist(), table["error"].to_pylist()


def kept(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "robots.parquet")
    return folder / "robots.parquet"


@pytest.mark.parametrize("name", ["site", "host", "domain", "Site"])
@pytest.mark.parametrize(
    "form", [lambda one: one, lambda one: one.dictionary_encode(), lambda one: one.cast(pa.string_view())]
)
def test_a_site_may_stand_for_a_url(name: str, form: Callable[[pa.Array], pa.Array], tmp_path: Path) -> None:
    """An origin is of its scheme; a host of both, as whoever keeps files by host means it."""
    robots = form(pa.array([PRIVATE, WALL]))
    if isinstance(robots, pa.StringViewArray):
        robots = pa.array([PRIVATE, WALL])  # Parquet has no views
    hosts = kept(pa.table({name: form(pa.array(["a.example", "b.example"])), "robots": robots}), tmp_path)
    assert asked(hosts)[1] == ["permitted", "prohibited", "permitted", "prohibited"]
    origins = kept(pa.table({name: ["https://a.example", "https://b.example:443/"], "robots": robots}), tmp_path)
    _, outcomes, errors = asked(origins)
    assert outcomes == ["permitted", "prohibited", "prohibited", "prohibited"]
    assert errors == [None, None, "no-policy", None]
    table = pa.table({name: ["a.example"], "robots": [PRIVATE]})
    rows = acap.audit(pa.table({"url": PAGES}), table, crawler="examplebot").to_pylist()
    assert [row["crawl_outcome"] for row in rows] == ["permitted", "prohibited", "permitted", "prohibited"]


def test_the_url_of_a_row_goes_before_its_site(tmp_path: Path) -> None:
    """A table may have both; without a URL the site counts."""
    table = pa.table({
        "url": ["https://a.example/robots.txt", None], "site": ["b.example", "b.example"], "robots": [PRIVATE, WALL],
    })  # fmt: skip
    assert asked(kept(table, tmp_path))[1] == ["permitted", "prohibited", "prohibited", "prohibited"]


@pytest.mark.parametrize(("name", "made", "said"), [
    ("r.parquet", pa.table({"site": ["a.example"], "text": [PRIVATE]}), "it has `site`, `text`"),
    ("r.parquet", pa.table({"where": ["a.example"], "robots": [PRIVATE]}), "it has `where`, `robots`"),
    ("r.parquet", pa.table({"a\nb": [1]}), "it has `a\\nb`"),
    ("r.parquet", pa.table({}), "it has none"),
    ("r.arrow", pa.table({"site": ["a.example"], "text": [PRIVATE]}), "it has `site`, `text`"),
    ("r.csv", b"site,text\na.example,x\n", "it has `site`, `text`"),
    ("r.csv", b"", "it has none"),
    ("r.jsonl", b'{"site": "a.example", "text": "x"}\n', "it has `site`, `text`"),
    ("r.parquet", b"site,robots\na.example,x\n", "r.parquet: "),
    ("r.parquet", b"", "r.parquet: "),
    ("r.arrow", b"no Arrow", "r.arrow: "),
    ("r.csv.gz", b"no gzip", "r.csv.gz: "),
    ("r.cdxj", b"a b {}\n", "policies come from"),
])  # fmt: skip
def test_other_tables_are_refused_in_one_line(name: str, made: Any, said: str, tmp_path: Path) -> None:
    """The line names the columns that there are and those that are needed; nothing is left behind."""
    file = tmp_path / name
    if isinstance(made, bytes):
        file.write_bytes(made)
    elif name.endswith(".arrow"):
        with pa.ipc.new_file(str(file), made.schema) as writer:
            writer.write_table(made)
    else:
        pq.write_table(made, file)
    done, *_ = asked(file)
    assert said in done.wrong_call
    assert "it has" not in said or "`url` or `site`, and `robots`" in done.err
    assert sorted(one.name for one in tmp_path.iterdir()) == ["pages.jsonl", name]


@pytest.mark.parametrize("robots", [
    pa.array([1, 2]), pa.array([[PRIVATE], [PRIVATE]]), pa.array([{"text": PRIVATE}] * 2), pa.array([True, False]),
    pa.array([datetime(2026, 1, 1, tzinfo=UTC)] * 2), pa.array([None, None]), pa.array([None, None], pa.string()),
    pa.array([-(2**55)] * 2, pa.timestamp("ms")), pa.array([], pa.binary()),
])  # fmt: skip
def test_what_is_no_text_prohibits(robots: pa.Array, tmp_path: Path) -> None:
    """A value of another type is there, and may have prohibited; without a row nothing is known."""
    sites = pa.array(["a.example", "b.example"][: len(robots)], pa.string())
    done, outcomes, _ = asked(kept(pa.table({"site": sites, "robots": robots}), tmp_path))
    assert done.code == 1
    assert outcomes == ["prohibited"] * 4


@pytest.mark.parametrize("url", [
    pa.array([["https://a.example/"]]), pa.array([7]), pa.array([None], pa.string()), pa.array(["no URL"]),
    pa.array([{"url": "https://a.example/"}]), pa.array([b"\xff"]), pa.array(["https://a..example/"]),
])  # fmt: skip
def test_a_policy_of_no_site_refuses_its_table(url: pa.Array, tmp_path: Path) -> None:
    """It may be of any, and prohibit what another row permits."""
    done, outcomes, _ = asked(kept(pa.table({"url": url, "robots": [PRIVATE]}), tmp_path))
    assert "robots.parquet: row 1: " in done.wrong_call
    assert outcomes == []


@pytest.mark.parametrize("name", ["url", "site"])
def test_what_stands_beside_a_page_is_told_and_its_site_permits_nothing(name: str, tmp_path: Path) -> None:
    """It need not be a robots.txt; the rest of the table counts."""
    table = pa.table({name: ["https://a.example/page", "https://b.example/"], "robots": ["all", ""]})
    pages = tmp_path / "pages.jsonl"
    urls = [PAGES[0], "https://b.example/x", "https://c.example/x"]
    pages.write_text("".join(json.dumps({"url": url}) + "\n" for url in urls))
    call = ("audit", pages, "--robots", kept(table, tmp_path), "-c", "examplebot", "--missing", "permitted")
    done = run(*call, "-o", tmp_path / "o.parquet")
    assert pq.read_table(tmp_path / "o.parquet")["crawl_outcome"].to_pylist() == [
        "prohibited",
        "permitted",
        "permitted",
    ]
    assert "row 1: `https://a.example/page` is neither a site nor its robots.txt; write https://a.example/r" in done.out


def test_of_two_rows_of_a_site_each_has_to_permit(tmp_path: Path) -> None:
    """Whichever comes first, by whichever name of the site."""
    for rows in ([WALL, PRIVATE], [PRIVATE, WALL]):
        table = pa.table({"site": ["a.example", "https://a.example"], "robots": rows})
        assert asked(kept(table, tmp_path), PAGES[0])[1] == ["prohibited"]


@pytest.mark.parametrize(("beside", "outcome"), [
    ({"state": "present"}, "permitted"),
    ({"state": "unreachable"}, "prohibited"),
    ({"state": "absent", "robots": WALL}, "prohibited"),
    ({"state": "absent"}, "permitted"),
    ({"state": "absent", "robots": None}, "permitted"),
    ({"state": "absent", "robots": ""}, "permitted"),
    ({"state": "absent", "robots": "<html>Not found"}, "permitted"),
    ({"status": 404, "robots": WALL}, "prohibited"),
    ({"status": 404}, "permitted"),
    ({"status": 404, "robots": "Not found"}, "permitted"),
    ({"status": 403}, "prohibited"),
    ({"status": 403, "robots": "Forbidden"}, "permitted"),
    ({"fetch_status": 503}, "prohibited"),
    ({"state": "Present"}, "permitted"),
    ({"cut": True}, "prohibited"),
    ({"cut": False}, "permitted"),
    ({"status": 503, "state": "present"}, "prohibited"),
    ({"status": 404, "state": "unreachable"}, "prohibited"),
    ({"status": 404, "state": "present"}, "prohibited"),
    ({"status": 200, "state": "unreachable"}, "prohibited"),
    ({"status": 200, "state": "present"}, "permitted"),
    ({"status": 410, "state": "absent", "robots": WALL}, "prohibited"),
    ({"status": 410, "state": "absent"}, "permitted"),
    ({"status": 200, "state": "absent", "robots": WALL}, "prohibited"),
    ({"status": 200, "state": "absent", "robots": ""}, "prohibited"),
])  # fmt: skip
def test_states_and_cuts_count_as_in_a_survey(beside: dict[str, Any], outcome: str, tmp_path: Path) -> None:
    """A file that could not be had, or of which octets are missing, permits nothing."""
    row = {"site": "https://a.example", "robots": PRIVATE, **beside}
    robots = kept(pa.Table.from_pylist([row]), tmp_path)
    assert asked(robots, PAGES[0])[1] == [outcome]
    if beside.get("state") != "Present":  # which a table in memory has in lower case
        found = acap.decide_table(PAGES[:1], pq.read_table(robots), crawler="examplebot")
        assert pa.table(found)["outcome"].to_pylist() == [outcome]


@pytest.mark.parametrize(
    "beside", [{"state": "Gone"}, {"state": 5}, {"cut": "perhaps"}, {"robots": repr(WALL.encode())}], ids=repr
)
def test_what_cannot_be_read_of_a_policy_prohibits(beside: dict[str, Any], tmp_path: Path) -> None:
    robots = kept(pa.Table.from_pylist([{"site": "https://a.example", "robots": PRIVATE, **beside}]), tmp_path)
    assert asked(robots, PAGES[0])[1] == ["prohibited"]


@pytest.mark.parametrize("second", ["robots", "Robots"])
@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv"])
def test_a_column_that_stands_twice_is_refused_and_told(second: str, suffix: str, tmp_path: Path) -> None:
    """One of them may prohibit what the other permits; so it is of pages, and in a survey."""
    file = tmp_path / f"robots.{suffix}"
    columns = [pa.array(["https://a.example/"]), pa.array([WALL]), pa.array([PRIVATE])]
    table = pa.Table.from_arrays(columns, names=["url", "robots", second])
    if suffix == "parquet":
        pq.write_table(table, file)
    elif suffix == "arrow":
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    else:
        file.write_text(f'url,robots,{second}\nhttps://a.example/,"{WALL}","{PRIVATE}"\n')
    pages = tmp_path / "pages.csv"
    pages.write_text(f"url\n{PAGES[0]}\n")
    call = ("audit", pages, "-c", "examplebot", "-o", tmp_path / "o.parquet")
    assert "several columns `robots`" in run(*call, "--robots", file).wrong_call
    assert "several columns `robots`" in run("survey", file, "-c", "examplebot").wrong_call
    pages.write_text(f"url,content,Content\n{PAGES[0]},<meta name=robots content=noindex>,<p>\n")
    assert "several columns `content`" in run(*call[:-1], tmp_path / "p.parquet").wrong_call


def test_a_row_of_json_that_says_something_twice_is_refused(tmp_path: Path) -> None:
    """A file of policies has to be whole, and of two texts one may prohibit what the other permits."""
    pages = tmp_path / "pages.csv"
    pages.write_text(f"url\n{PAGES[0]}\n")
    robots = tmp_path / "robots.jsonl"
    for row in (
        '{"site": "a.example", "robots": "WALL", "robots": ""}',
        '{"site": "a.example", "robots": "WALL", "Robots": ""}',
    ):
        robots.write_text(row.replace("WALL", json.dumps(WALL)[1:-1]) + "\n")
        call = ("audit", pages, "-c", "examplebot", "-o", tmp_path / "o.parquet", "--robots", robots)
        assert "its row has the member `robots` twice" in run(*call).wrong_call
    robots.write_text('{"site": "a.example", "robots": "", "robots": ""}\n')
    assert "has the member 'robots' twice; write it once" in run("survey", robots, "-c", "examplebot").wrong_call


def test_a_directory_gives_the_policies_that_are_in_it(tmp_path: Path) -> None:
    """Indexes, other files and the result of an earlier audit are left out; a table without policies is told."""
    folder = tmp_path / "robots"
    folder.mkdir()
    kept(pa.table({"site": ["a.example"], "robots": [PRIVATE]}), folder)
    (folder / "notes.txt").write_text("notes")
    (folder / "index.cdxj").write_text("a b {}\n")
    (folder / "b.csv").write_text(f'site,robots\nb.example,"{WALL}"\n')
    pages = tmp_path / "pages.jsonl"
    pages.write_text("".join(json.dumps({"url": url}) + "\n" for url in PAGES))
    call = ("audit", pages, "--robots", folder, "-c", "examplebot", "-o", folder / "o.parquet")
    for _ in range(2):
        assert run(*call).code == 1
        outcomes = pq.read_table(folder / "o.parquet")["crawl_outcome"].to_pylist()
        assert outcomes == ["permitted", "prohibited", "permitted", "prohibited"]
    (folder / "other.parquet").write_bytes((folder / "o.parquet").read_bytes())
    assert "other.parquet: a table of policies has the columns" in run(*call).wrong_call


def test_rows_are_numbered_through(tmp_path: Path) -> None:
    """A row that names no site is told by its place in the file, however it is read."""
    sites = [f"s{n}.example" for n in range(700)]
    sites[650] = "no host"
    done, *_ = asked(kept(pa.table({"site": sites, "robots": [PRIVATE] * 700}), tmp_path))
    assert "row 651: `'no host'` is not the URL of a site" in done.wrong_call


def test_a_value_that_python_has_not_is_a_doubt_of_its_row_alone(tmp_path: Path) -> None:
    """A time before the year 1 makes its page unreadable, and no other."""
    times = pa.array([0, -(2**55), 1], pa.timestamp("ms"))
    pq.write_table(pa.table({"url": PAGES[:3], "fetch_time": times}), tmp_path / "p.parquet")
    robots = kept(pa.table({"site": ["a.example"], "robots": [PRIVATE]}), tmp_path)
    out = tmp_path / "o.parquet"
    run("audit", tmp_path / "p.parquet", "--robots", robots, "-c", "examplebot", "-o", out)
    found = pq.read_table(out)
    assert found["url"].to_pylist() == PAGES[:3]
    assert found["error"].to_pylist() == [None, "unreadable", None]


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.json", "x", "x.parquet.gz"])
def test_the_output_has_the_name_of_its_form(name: str, tmp_path: Path) -> None:
    """An audit writes Parquet: another name is refused with the one to write."""
    pages = tmp_path / "pages.jsonl"
    pages.write_text('{"url": "https://a.example/"}\n')
    said = run("audit", pages, "-c", "examplebot", "-o", tmp_path / name).wrong_call
    assert "writes Parquet alone; name the output x" in said
    assert list(tmp_path.iterdir()) == [pages]


def test_parts_of_another_audit_come_with_the_command_that_removes_them(tmp_path: Path) -> None:
    """Whoever does not want them can paste it."""
    pages = tmp_path / "pages.jsonl"
    pages.write_text('{"url": "https://a.example/"}\n')
    parts = tmp_path / "my result.parquet.parts"
    parts.mkdir()
    (parts / "audit.json").write_text('{"audit": {}, "now": "2026-01-01T00:00:00+00:00"}')
    said = run("audit", pages, "-c", "examplebot", "-o", tmp_path / "my result.parquet").wrong_call
    assert said.endswith(f"remove them with: rm -r '{parts}'")

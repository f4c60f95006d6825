"""A survey reads what crawls are kept in, counts what came as what it is, and says one line about a wrong call."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import acap
from acap.audits.robots_captures import RobotsCaptures
from acap.audits.survey import default_crawlers
from acap.audits.survey_page import survey_page
from tests.command_line import acap as command
from tests.crawled import crawl, write_warc
from tests.test_import import archive
from tests.test_import import robots as captured

FILES: dict[str, bytes | None] = {
    "open.example": b"User-agent: *\nDisallow:\n",
    "some.example": b"User-agent: *\nDisallow: /a\n",
    "shut.example": b"User-agent: bot\nDisallow: /\n",
    "page.example": b"<html>log in</html>",
    "packed.example": b"\x1f\x8b\x08\x00\x00",
    "gone.example": None,
}
EXTENTS = {"none": 2, "some": 1, "all": 3, "undecided": 0}
STANDINGS = {"read": 3, "missing": 0, "forbidden": 0, "foreign": 1, "damaged": 1, "unreachable": 1}


def table() -> pa.Table:
    return pa.table({"site": list(FILES), "robots": pa.array(FILES.values(), pa.binary())})


def counts(found: acap.RobotsSurvey) -> tuple[dict[str, float], dict[str, int]]:
    """The captures by extent, and by what came."""
    extents = found.total.counts["bot", "crawl"].extents
    return {name: part.captures for name, part in extents.items()}, {
        name: number for name, (number, _) in found.total.standings.items()
    }


def as_folder(path: Path) -> Path:
    path.mkdir()
    for site, octets in FILES.items():
        (path / f"{site}.robots.txt").write_bytes(octets or b"\xff\x00")
    return path


def as_parquet(path: Path) -> Path:
    pq.write_table(table(), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def as_arrow(path: Path) -> Path:
    pyarrow.feather.write_feather(table(), str(path.with_suffix(".arrow")))
    return path.with_suffix(".arrow")


def as_csv(path: Path) -> Path:
    texts = {site: octets.decode("latin-1") if octets else None for site, octets in FILES.items()}
    pyarrow.csv.write_csv(pa.table({"host": list(texts), "body": list(texts.values())}), path.with_suffix(".csv"))
    return path.with_suffix(".csv")


def as_json(path: Path) -> Path:
    rows = [
        {"url": f"https://{site}/", "robots": octets and octets.decode("latin-1")} for site, octets in FILES.items()
    ]
    path.with_suffix(".jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path.with_suffix(".jsonl")


@pytest.mark.parametrize("kept", [as_folder, as_parquet, as_arrow, as_csv, as_json])
def test_every_form_of_a_crawl_is_counted_alike(kept: Callable[[Path], Path], tmp_path: Path) -> None:
    """What could not be had and what is damaged prohibit; another text is told as that; none of them was read."""
    extents, standings = counts(acap.survey(kept(tmp_path / "crawl"), crawlers=["bot"]))
    if kept is as_folder:  # where every file is there
        standings |= {"damaged": standings["damaged"] - 1, "unreachable": standings["unreachable"] + 1}
    assert (extents, standings) == (EXTENTS, STANDINGS)


def test_a_table_in_memory_is_a_source() -> None:
    found = acap.survey(table(), crawlers=["bot"])
    assert counts(found) == (EXTENTS, STANDINGS)
    count = found.total.counts["bot", "crawl"]
    assert (count.share("all"), count.unread_share("all")) == (3 / 6, 2 / 6)
    assert count.read_share("all") == 1 / 3


@pytest.mark.parametrize(
    ("status", "standing", "extent"),
    [
        (200, "read", "none"),
        (404, "missing", "none"),
        (403, "forbidden", "none"),
        (301, "unreachable", "all"),
        (429, "unreachable", "all"),
        (202, "unreachable", "all"),
        (206, "damaged", "all"),
        (503, "unreachable", "all"),
        (-7, "unreachable", "all"),
        (2**40, "unreachable", "all"),
    ],
)
def test_a_status_means_what_the_semantics_say(status: int, standing: str, extent: str) -> None:
    """Section 9: what is not known prohibits, whatever body came with it; 404 comes with a page."""
    body = "<p>Not found" if status in (403, 404) else "User-agent: *\nAllow: /\n"
    rows = pa.table({"site": ["a.example"], "robots": [body], "status": [status]})
    extents, standings = counts(acap.survey(rows, crawlers=["bot"]))
    assert (standings[standing], extents[extent]) == (1, 1)


@pytest.mark.parametrize(
    ("status", "state", "standing"),
    [
        (None, "unreachable", "unreachable"),
        (None, "absent", "read"),
        (None, None, "read"),
        (200, "present", "read"),
        (200, None, "read"),
        (200, "absent", "unreachable"),
        (404, "absent", "read"),
        (404, None, "read"),
        (403, None, "unreachable"),
        (404, "present", "unreachable"),
        (404, "unreachable", "unreachable"),
        (200, "unreachable", "unreachable"),
    ],
)
def test_a_state_counts_beside_a_status(status: int | None, state: str | None, standing: str) -> None:
    """Where there is no status it says what came; where both contradict each other nothing is known.

    A robots.txt is heard where it is said that there is none.
    """
    kinds = {"site": pa.string(), "robots": pa.string(), "status": pa.int64(), "state": pa.string()}
    row = {"site": "a.example", "robots": "User-agent: *\nAllow: /\n", "status": status, "state": state}
    rows = pa.Table.from_pylist([row], schema=pa.schema(kinds))
    assert counts(acap.survey(rows, crawlers=["bot"]))[1][standing] == 1


@pytest.mark.parametrize("late", [{"cut": True}, {"state": "unreachable"}, {"status": 503}, {" Cut": True}])
def test_a_column_that_comes_late_in_json_counts(late: dict[str, Any], tmp_path: Path) -> None:
    """Whichever row has it first, and in whichever batch."""
    row, lines = {"site": "a.example", "robots": "User-agent: *\nAllow: /\n"}, tmp_path / "robots.jsonl"
    for before in (1, 5000):
        lines.write_text("".join(json.dumps(one) + "\n" for one in [row] * before + [row | late]))
        extents, standings = counts(acap.survey(lines, crawlers=["bot"]))
        assert (standings["read"], extents["all"]) == (before, 1)


@pytest.mark.parametrize("names", [("robots", "content"), ("body", "robots_txt"), ("status", "http_status")])
def test_two_columns_for_one_thing_are_refused(names: tuple[str, str], tmp_path: Path) -> None:
    """What one of them prohibits the other may permit."""
    lines = tmp_path / "robots.jsonl"
    row = {"site": "a.example"} | ({"robots": ""} if "status" in names else {})
    lines.write_text(json.dumps(row | dict.fromkeys(names)) + "\n")
    with pytest.raises(ValueError, match=r"leave the one that counts$"):
        acap.survey(lines, crawlers=["bot"])


def test_the_captures_of_robots_txt_in_an_archive_count(tmp_path: Path) -> None:
    path = archive(tmp_path / "crawl.warc.gz", [captured(b"User-agent: *\nDisallow: /\n")])
    found = acap.survey(path, crawlers=["bot"])
    assert found.total.captures == 1
    assert found.total.counts["bot", "crawl"].share("all") == 1


def test_times_are_counted_by_period_and_weights_by_extent() -> None:
    rows = pa.table(
        {
            "site": ["a.example", "b.example", "a.example"],
            "robots": ["User-agent: *\nDisallow: /", "", ""],
            "at": ["2024-01-31", "2024-03-01T00:30:00+02:00", "20240401000000"],
            "tokens": [3, 1, 4],
        }
    )
    found = acap.survey(rows, crawlers=["bot"], period="quarter")
    assert [(str(one.start), one.captures) for one in found.periods] == [("2024-01-01", 2), ("2024-04-01", 1)]
    assert found.total.counts["bot", "crawl"].weight_share("all") == 3 / 8


def test_an_expired_permission_counts_as_of_its_capture() -> None:
    """A capture with a time is judged as of then."""
    text = "ACAP-crawler: *\nACAP-allow-index: / time-limit=until-2020-01-01\n"
    rows = pa.table({"site": ["a.example"] * 2, "robots": [text] * 2, "at": ["2019-06-01", "2021-06-01"]})
    found = acap.survey(rows, crawlers=["bot"], usages="index", period="year")
    assert [one.counts["bot", "index"].share("all") for one in found.periods] == [0, 1]


def test_two_crawls_are_compared_site_by_site() -> None:
    """The last capture of a site counts, whatever its scheme; of what is unknown nothing is told."""
    shut, part = "User-agent: *\nDisallow: /", "User-agent: *\nDisallow: /a"
    before = pa.table({"site": ["a.example", "b.example", "c.example", "d.example"], "robots": ["", part, "", shut]})
    after = pa.table(
        {"url": [f"http://{one}.example/robots.txt" for one in "abcea"], "robots": [shut, shut, None, "", part]}
    )
    changes = acap.survey(after, crawlers=["bot"], before=before).changes
    assert changes is not None
    turns = changes.turns["bot", "crawl"]
    assert (changes.in_both, changes.gone, changes.new) == (3, 1, 1)
    assert (turns.stricter, turns.looser, turns.numbers["none", "some"], turns.numbers["none", "unknown"]) == (
        2,
        0,
        1,
        1,
    )


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_rows_are_written_for_each_capture_crawler_and_usage(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{suffix}"
    acap.survey(table(), crawlers=["bot", "GPTBot"], usages=["crawl", "ai-train"], rows=path)
    rows = pq.read_table(path).num_rows if suffix == "parquet" else len(path.read_text().splitlines())
    assert rows == len(FILES) * 4 + (suffix == "csv")
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_an_interrupted_survey_leaves_no_rows_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends with 130; the rows of an earlier survey stay, and nothing half-written does."""
    path = tmp_path / "rows.parquet"
    path.write_bytes(b"earlier")

    def interrupted(_: Any) -> Iterator[pa.RecordBatch]:
        yield from (
            table()
            .select(["site", "robots"])
            .cast(pa.schema([("site", pa.large_string()), ("robots", pa.large_binary())]))
            .to_batches()
        )
        raise KeyboardInterrupt

    monkeypatch.setattr(RobotsCaptures, "__iter__", interrupted)
    assert command("audit", "robots", "x", "-o", str(path)).code == 130
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == b"earlier"


@pytest.mark.parametrize(
    ("octets", "extent"),
    [
        (b"User-agent: *\nDisallow: /" + b"*a" * 6_000 + b"\n" + b"Allow: /" + b"*a" * 6_000 + b"$\n", None),
        (b"".join(b"User-agent: GPTBot\nDisallow: /%d*x\nAllow: /%d*\n" % (one, one) for one in range(4_000)), None),
        (b"User-agent: *\nDisallow: /\n" + b"Allow: /*a*b*c*d$\nDisallow: /*a*b*c*d*$\n" * 400, None),
        (b"ACAP-crawler: *\n" + b"ACAP-disallow-crawl: /a*b*c\nACAP-allow-crawl: /a*c time-limit=3-days\n" * 300, None),
        (b"\x00" * 100_000, "all"),
        (b"User-agent: *\nDisallow: /\n" + b"#" * 9_000_000, "all"),
    ],
)
def test_hostile_files_are_counted_in_bounded_time(octets: bytes, extent: str | None) -> None:
    """Whatever the octets, there is an extent; what could not be worked out is none of the others."""
    rows = pa.table({"site": ["a.example"], "robots": pa.array([octets], pa.binary())})
    extents, _ = counts(acap.survey(rows, crawlers=["bot", "GPTBot"], usages=["crawl"]))
    assert sum(extents.values()) == 1
    assert extent is None or extents[extent] == 1


def test_the_page_loads_nothing_and_shows_names_as_text() -> None:
    """What names a crawler is no markup; the page has neither a script nor a URL to load from."""
    page = survey_page(acap.survey(table(), crawlers=["bot", "x/1.0 (<script>)"], before=table()))
    assert "<script" not in page
    assert not re.search(r"""(?:src|href)=["']?http|url\(["']?http|@import""", page)


def test_crawlers_of_the_list_are_asked_by_default() -> None:
    names = default_crawlers()
    assert {"GPTBot", "CCBot", "Google-Extended", "Googlebot", "anthropic-ai"} <= set(names)
    assert acap.survey(table()).crawlers == names


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["missing.parquet"], "no file or folder `missing.parquet`; check the path"),
        (["T", "-u", "search"], "no usage `search`"),
        (["T", "-o", "rows.txt"], "`rows.txt` is not a file for rows"),
        (["T", "-c", " "], "crawler is empty"),
        (["T", "-c", "Mozilla/5.0 (compatible; GPTBot/1.0; Googlebot/2.1)"], "names several crawlers, or none"),
        (["T", "--dialect", "x"], "unknown dialect `x`"),
        (["W"], "has no column `site` or `url`"),
        (["J"], "is not JSON"),
        (["E"], "has no files"),
        (["A"], "is not a time"),
        (["P"], "cannot be read"),
        (["T", "--before", "missing"], "no file or folder `missing`"),
    ],
)
def test_a_wrong_call_is_one_line(asked: list[str], said: str, tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "t.parquet")
    (tmp_path / "w.csv").write_text("a,b\n1,2\n")
    (tmp_path / "j.jsonl").write_text('{"site": "a"\n')
    (tmp_path / "a.jsonl").write_text('{"site": "a", "robots": "", "at": "yesterday"}\n')
    (tmp_path / "p.parquet").write_bytes(b"PAR1 no table")
    (tmp_path / "e").mkdir()
    names = {"T": "t.parquet", "W": "w.csv", "J": "j.jsonl", "E": "e", "A": "a.jsonl", "P": "p.parquet"}
    told = command("audit", "robots", *(str(tmp_path / names[one]) if one in names else one for one in asked))
    assert said in told.wrong_call


def test_a_time_without_zone_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        acap.survey(table(), at=datetime(2024, 1, 1))  # noqa: DTZ001  the mistake itself
    assert acap.survey(table(), crawlers=["bot"], at=datetime(2024, 1, 1, tzinfo=UTC)).total.captures == len(FILES)


def test_an_arc_file_counts_as_a_warc_file(tmp_path: Path) -> None:
    """Packed or not, with every kind of answer; of one that is cut the last capture is damaged."""
    responses = crawl(60, 0)
    head = b"1 0 Archive\nURL IP-address Archive-date Content-type Archive-length\n"
    records = [b"filedesc://a.arc 0.0.0.0 20260301000000 text/plain %d\n%b\n" % (len(head), head)]
    for one in responses:
        lines = (
            f"HTTP/1.1 {one.status} Said",
            f"Content-Type: {one.media}",
            f"Content-Length: {len(one.body)}",
            "",
            "",
        )
        block = "\r\n".join(lines).encode() + one.body
        records.append(f"{one.url} 10.0.0.1 {one.at:%Y%m%d%H%M%S} text/plain {len(block)}\n".encode() + block + b"\n")
    (tmp_path / "a.arc").write_bytes(b"".join(records))
    packed = b"".join(map(gzip.compress, records))
    (tmp_path / "a.arc.gz").write_bytes(packed)
    (tmp_path / "cut.arc.gz").write_bytes(packed[:-20])
    expected = acap.survey(write_warc(tmp_path / "a.warc.gz", responses), crawlers=["GPTBot"]).total
    for name in ("a.arc", "a.arc.gz"):
        found = acap.survey(tmp_path / name, crawlers=["GPTBot"]).total
        assert (found.standings, found.counts) == (expected.standings, expected.counts)
    cut = acap.survey(tmp_path / "cut.arc.gz", crawlers=["GPTBot"]).total
    assert cut.standings["damaged"][0] == 1


def test_usages_may_have_commas_between(tmp_path: Path) -> None:
    """As they may in an audit."""
    pq.write_table(table(), tmp_path / "t.parquet")
    call = ("audit", "robots", tmp_path / "t.parquet", "-c", "bot", "--json")
    told = json.loads(command(*call, "-u", "crawl, ai-train", "-u", "INDEX").ended(0))
    assert told["usages"] == ["crawl", "ai-train", "index"]
    assert "no usage `indexx`; did you mean `index`" in command(*call, "-u", "crawl,indexx").wrong_call


def test_crawlers_that_are_not_shown_may_be_refused_as_much(tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "t.parquet")
    told = command("audit", "robots", tmp_path / "t.parquet").ended(0)
    assert re.search(r"^and \d+ more, of which no more is refused$", told, re.MULTILINE)


def test_a_licence_that_is_asked_for_refuses_no_path() -> None:
    """The extent is none, and the number of such captures is told beside it."""
    asks = "License: https://a.example/license.xml\nUser-agent: *\nContent-Signal: ai-train=yes\n"
    found = acap.survey(pa.table({"site": ["a.example"], "robots": [asks]}), crawlers=["bot"], usage="ai-train")
    count = found.total.counts["bot", "ai-train"]
    assert (count.extents["none"].captures, count.restrictions["nothing"].captures, count.conditional) == (1, 1, 1)

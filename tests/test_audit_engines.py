"""An audit is the same on every engine: each only moves batches."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import acap
from acap.audits.rows import schema_of
from tests.crawled import crawl, pages_of, robots_table, table_of

USAGES = ["crawl", "index", "ai-train"]
CRAWLED = crawl(9, 80)
INSTANT = datetime(2024, 6, 1, tzinfo=UTC)
PAGES, ROBOTS = table_of(pages_of(CRAWLED)), robots_table(CRAWLED)


@pytest.fixture(scope="module")
def auditing() -> acap.BatchAuditor:
    """The question of all tests here."""
    return acap.BatchAuditor(ROBOTS, crawler="examplebot", usages=USAGES)


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    """What the function answers to all rows at once."""
    found: list[dict[str, Any]] = acap.audit(PAGES, ROBOTS, crawler="examplebot", usages=USAGES).to_pylist()
    return found


def test_batches_of_any_size_and_pickled_callables_give_the_same_rows(
    auditing: acap.BatchAuditor, expected: list[dict[str, Any]]
) -> None:
    """As Ray and Spark call it: in another process, with batches or tables."""
    again = pickle.loads(pickle.dumps(auditing))
    for size in (1, 7, 1000):
        rows = [row for batch in PAGES.to_batches(max_chunksize=size) for row in again(batch).to_pylist()]
        assert rows == expected
    assert auditing(PAGES).to_pylist() == expected
    plain = list(auditing.over(PAGES.to_batches(max_chunksize=30)))
    assert [row for batch in plain for row in batch.to_pylist()] == expected
    assert not any(pa.types.is_dictionary(kind) for kind in plain[0].schema.types)
    assert len(auditing.spark_schema.split(", ")) == len(auditing.schema)


def test_polars_gives_the_same_rows(auditing: acap.BatchAuditor, expected: list[dict[str, Any]]) -> None:
    """By `map_batches` of a lazy frame."""
    frame = polars.from_arrow(PAGES)
    assert isinstance(frame, polars.DataFrame)

    def audited(batch: polars.DataFrame) -> polars.DataFrame:
        found = polars.from_arrow(auditing(batch.to_arrow()))
        assert isinstance(found, polars.DataFrame)
        return found

    schema = audited(frame.head(0)).schema
    assert frame.lazy().map_batches(audited, schema=schema).collect().to_dicts() == expected


def test_the_last_row_of_a_url_is_the_strictest_of_its_last_second(tmp_path: Path) -> None:
    """The query of the page about audits, whatever the order of the rows: doubt about order prohibits."""
    page = (Path(__file__).parent.parent / "docs/how-to/audit-a-crawl.md").read_text(encoding="utf-8")
    _, _, query = page.partition("```sql\nWITH last AS (")
    query = f"WITH last AS ({query.partition('```')[0]}".replace("audit.parquet", str(tmp_path / "audit.parquet"))
    first, last = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 2, tzinfo=UTC)
    told = [
        ("a", first, "prohibited"), ("a", last, "permitted"), ("b", last, "conditional"), ("b", last, "permitted"),
        ("b", first, "prohibited"), ("c", last, "permitted"), ("c", last, "prohibited"), ("c", last, "conditional"),
        ("d", last, "permitted"), ("d", None, "prohibited"), ("e", None, "permitted"),
    ]  # fmt: skip
    expected = [("a", "permitted"), ("b", "conditional"), ("c", "prohibited"), ("d", "prohibited"), ("e", "permitted")]
    schema = schema_of(["ai-train"])
    for rows in (told, told[::-1]):
        known = [dict.fromkeys(schema.names) | {"url": a, "fetch_time": b, "ai_train_outcome": c} for a, b, c in rows]
        pq.write_table(pa.Table.from_pylist(known, schema), tmp_path / "audit.parquet")
        found = duckdb.connect().execute(f"SELECT url, ai_train_outcome FROM ({query}) ORDER BY url")
        assert found.fetchall() == expected


def test_duckdb_gives_the_same_rows(auditing: acap.BatchAuditor, expected: list[dict[str, Any]]) -> None:
    """A stream of batches out of DuckDB, and the answers back into it."""
    base = duckdb.connect()
    pages = base.cursor()  # a connection has one result at a time
    pages.register("pages", PAGES)
    reader = auditing.reader(pages.sql("FROM pages").to_arrow_reader(17))
    base.register("audited", reader)
    base.sql("SET TimeZone = 'UTC'")
    assert base.sql("FROM audited").to_arrow_table().to_pylist() == expected


def test_a_broadcast_and_a_join_are_ways_to_bring_policies(expected: list[dict[str, Any]]) -> None:
    """Spark's broadcast has the table as `value`; a join brings each row its own robots.txt."""

    class Broadcast:
        value = ROBOTS

    broadcast = acap.BatchAuditor(Broadcast(), crawler="examplebot", usages=USAGES)
    assert broadcast(PAGES).to_pylist() == expected
    by_site = {row["url"].rpartition("/")[0]: row for row in ROBOTS.to_pylist()}
    own = [by_site.get("/".join(url.split("/")[:3])) for url in PAGES["url"].to_pylist()]
    joined = PAGES
    for name, column, kind in (
        ("robots", "robots", pa.binary()),
        ("robots_time", "fetch_time", pa.timestamp("us", tz="UTC")),
        ("robots_status", "status", pa.int64()),
    ):
        values = [None if row is None else row[column] for row in own]
        joined = joined.append_column(name, pa.array(values, kind))
    found = acap.BatchAuditor(None, crawler="examplebot", usages=USAGES)(joined).to_pylist()
    outcomes = [[row[f"{usage}_outcome"] for usage in ("crawl", "index", "ai_train")] for row in found]
    assert outcomes == [[row[f"{usage}_outcome"] for usage in ("crawl", "index", "ai_train")] for row in expected]


def test_a_row_without_its_policy_is_prohibited_whatever_missing_means() -> None:
    """A join that found nothing is no proof that there is no robots.txt."""
    joined = pa.table({"url": ["https://a.example/"], "robots": pa.array([None], pa.binary())})
    found = acap.BatchAuditor(None, crawler="bot", missing="permitted")(joined)
    assert found["crawl_outcome"].to_pylist() == ["prohibited"]
    with pytest.raises(ValueError, match="no column `robots`"):
        acap.BatchAuditor(None, crawler="bot")(joined.select(["url"]))


def test_mistakes_are_told_when_the_question_is_made() -> None:
    """Not on a worker, an hour later."""
    mistakes: list[dict[str, Any]] = [{"usages": ["train"]}, {"crawler": ""}, {"missing": "maybe"}]
    for wrong in mistakes:
        with pytest.raises(ValueError, match=r".+"):
            acap.BatchAuditor(ROBOTS, **{"crawler": "bot", **wrong})


def test_frames_are_audited_as_tables_are() -> None:
    """Frames of pandas and Polars, as pages and as policies."""
    pages = pa.table({"url": ["https://a.example/1", "https://a.example/b/2", None], "html": ["<p>", None, ""]})
    robots = pa.table({"site": ["a.example"], "robots": ["User-agent: *\nDisallow: /b"]})
    asked = dict[str, Any](crawler="x", usage=["crawl", "index"], at=INSTANT)
    expected = acap.audit(pages, robots, **asked).to_pylist()
    for made in (lambda table: table.to_pandas(), polars.DataFrame):
        assert acap.audit(made(pages), made(robots), **asked).to_pylist() == expected
        assert acap.BatchAuditor(made(robots), **asked, now=INSTANT)(made(pages)).to_pylist() == expected

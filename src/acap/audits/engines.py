"""The same audit on any engine: something that can be called with a batch, and pickled to wherever batches are.

    auditing = acap.BatchAuditor(robots, crawler="examplebot", usage=["index", "ai-train"])
    frame.mapInArrow(auditing.over, auditing.spark_schema)          # PySpark
    dataset.map_batches(auditing, batch_format="pyarrow")           # Ray Data
    polars.from_arrow(auditing(frame.to_arrow()))                   # Polars
    duckdb.from_arrow(auditing.reader(relation.to_arrow_reader()))  # DuckDB

An engine only moves batches: what a row comes to depends on the row and the policies alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import pyarrow as pa

from acap.audits.columns import PAGE_TABLE, POLICY_TABLE, pick, repeated, rows_of, table_of, url_of
from acap.audits.policies import SpeakingPolicies, TablePolicies
from acap.audits.rows import Auditor, Missing, resources_of, schema_of
from acap.column_names import NAMES, folded
from acap.crawlers import Crawler, as_crawler
from acap.retrieval.locations import robots_url
from acap.robots import Asker
from acap.usages import asked_usages

ROBOTS = "robots"
"""The column of a batch that has the robots.txt of the site of each row, for those who joined them."""

_BESIDE = ("at", "status", "state", "headers", "cut")
"""What a batch may have beside it, by the names of `NAMES` behind `robots_`, and by `robots_time`."""
_ROWS = 1024  # rows that are judged at once


class BatchAuditor:
    """`acap.audit` with its question fixed; it can be pickled, and keeps the policies that it has read.

    Args:
        policies: a table or frame as `TablePolicies` takes it, or a broadcast of one (whatever has it as `value`).
            None: each row brings its own in the column `robots` and, where they are known, `robots_time`,
            `robots_status`, `robots_state`, `robots_headers` and `robots_cut`, by the other names of
            `acap.column_names` too, behind `robots_`; a null in `robots` is a site that could not be asked.
        crawler: as `acap.decide` takes it.
        usage: as `acap.audit` takes it, like the rest.
        purpose: one purpose, or several.
        at: the instant asked about.
        missing: what decides where no policy of a site is known.
        now: the instant of the audit; the same for all of its batches.
        usages: the same as `usage`, by its earlier name.

    Raises:
        TypeError, ValueError: as `acap.audit`.
    """

    def __init__(
        self,
        policies: Any,
        *,
        crawler: Asker,
        usage: str | Iterable[str] | None = None,
        purpose: str | Iterable[str] | None = None,
        at: datetime | None = None,
        missing: Missing = "prohibited",
        now: datetime | None = None,
        usages: str | Iterable[str] | None = None,
    ) -> None:
        is_broadcast = policies is None or hasattr(policies, "value")
        self._given = policies if is_broadcast else table_of(policies, POLICY_TABLE)
        self._crawler: Crawler = as_crawler(crawler)
        self._usages = tuple(dict.fromkeys(asked_usages(usage, usages, ("crawl",))))
        self._purpose = purpose if purpose is None or isinstance(purpose, str) else tuple(purpose)
        self._at, self._missing, self._now = at, missing, now or datetime.now(UTC)
        self._auditor(TablePolicies(pa.table({"url": pa.array([], pa.string()), ROBOTS: pa.array([], pa.string())})))

    @property
    def schema(self) -> pa.Schema:
        """The columns of its answers."""
        return schema_of(self._usages)

    @property
    def plain_schema(self) -> pa.Schema:
        """The same with words as plain texts, for engines without dictionaries."""
        return pa.schema([pa.field(field.name, _plain(field.type)) for field in self.schema])

    @property
    def spark_schema(self) -> str:
        """The columns of its answers as Spark writes them."""
        return ", ".join(f"`{field.name}` {_spark_type(field.type)}" for field in self.schema)

    def __call__(self, batch: Any) -> pa.Table:
        """The answers to the rows of a batch, in their order; a table of Arrow, or a frame of pandas or Polars."""
        table = table_of(batch, PAGE_TABLE)
        auditor = self._of_all if self._given is not None else self._auditor(_own_policies(table, self._now))
        batches = []
        for start in range(0, table.num_rows, _ROWS):
            resources = resources_of(table.slice(start, _ROWS))
            batches.append(auditor.batch(map(auditor.row, resources)))
        return pa.Table.from_batches(batches, schema=self.schema)

    def over(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The answers to batches, a batch for each; words are plain texts, as Spark has no dictionaries."""
        plain = self.plain_schema
        for batch in batches:
            yield from self(batch).cast(plain).to_batches()

    def reader(self, batches: pa.RecordBatchReader) -> pa.RecordBatchReader:
        """The answers to a stream of batches, as a stream."""
        return pa.RecordBatchReader.from_batches(
            self.schema, (one for each in batches for one in self(each).to_batches())
        )

    def __repr__(self) -> str:
        names = ", ".join(f"{name!r}" for name in self._usages)
        return f"<BatchAuditor of {names} for {self._crawler!r}>"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_of_all"}

    @cached_property
    def _of_all(self) -> Auditor:
        table = getattr(self._given, "value", self._given)
        return self._auditor(TablePolicies(table, now=self._now))

    def _auditor(self, policies: SpeakingPolicies) -> Auditor:
        return Auditor(
            policies,
            crawler=self._crawler,
            usages=self._usages,
            purpose=self._purpose,
            at=self._at,
            missing=self._missing,
            now=self._now,
        )


def _own_policies(table: pa.Table, now: datetime) -> TablePolicies:
    """The policies that the rows of a table bring, each once.

    Raises:
        ValueError: there is no column of them.
    """
    known = _brought(table.column_names)
    own = table.select(list(known)).rename_columns(list(known.values()))
    # The rows are pages, each with the file of its site; one that is no URL is answered without any.
    files = [_file_of(row["url"]) for row in rows_of(table, pick(table.schema, "url"))]
    own = own.add_column(0, "url", pa.array(files, pa.string()))
    return TablePolicies(own.filter(own["url"].is_valid()), now=now)


def _brought(names: Sequence[str]) -> dict[str, str]:
    """The columns of policies in a batch of pages, and how a table of policies calls them.

    Raises:
        ValueError: there is no column of robots.txt files, or one is there twice.
    """
    wanted = {ROBOTS: ROBOTS, "robots_txt": "robots_txt", "robots.txt": "robots.txt", "robots_time": "fetch_time"}
    wanted |= {f"robots_{name}": name for key in _BESIDE for name in NAMES[key]}
    if twice := repeated(names, wanted):
        raise ValueError(f"the table has several columns `{twice}`; leave the one that counts")
    columns = {name: wanted[folded(name)] for name in names if folded(name) in wanted}
    if not any(column in NAMES["robots"] for column in columns.values()):
        raise ValueError(f"no policies were given, and the table has no column `{ROBOTS}`")
    return columns


def _file_of(url: Any) -> str | None:
    """The URL of the robots.txt for a page; None of what is no URL of the web."""
    try:
        return robots_url(url_of(url) or "")
    except ValueError:
        return None


def _plain(kind: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_dictionary(kind) else kind


def _spark_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return "array<string>"
    names = {pa.bool_(): "boolean", pa.int32(): "int", pa.int64(): "bigint"}
    return "timestamp" if pa.types.is_timestamp(kind) else names.get(kind, "string")

"""What of a table of pages may be used for what, on Spark, where the policies are too many for the memory of a worker.

    spark-submit examples/engines/spark_join.py pages.parquet robots.parquet audited.parquet [PAGES]

The tables are as of `spark_audit.py`. The few sites with more than PAGES pages have most of a crawl: their policies are
broadcast, and their pages stay where they are. The pages of all others go to the policies of their site, in buckets of
sites, none of which is large as no site in it is.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql
from pyspark.sql.types import StringType, StructField, StructType

import acap
from acap.retrieval.locations import robots_url

ASKED: Any = {"crawler": "examplebot", "usage": ["crawl", "index", "ai-train"]}
PAGES = 20_000
"""About so many pages are in a bucket, all of which a worker holds at once."""


def site_of(url: str | None) -> str:
    """The robots.txt that speaks for a URL; empty where none does."""
    try:
        return robots_url(url or "")
    except ValueError:
        return ""


def with_sites(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows with their sites."""
    for batch in batches:
        sites = pa.array(map(site_of, batch.column("url").to_pylist()), pa.string())
        yield batch.append_column("site", sites)


def sited(frame: DataFrame) -> DataFrame:
    """A frame with a column `site`."""
    return frame.mapInArrow(with_sites, StructType([*frame.schema, StructField("site", StringType())]))


def main(pages: str, robots: str, out: str, most: int = PAGES) -> None:
    """Audits the pages, and writes a row for each."""
    spark = SparkSession.builder.appName("audit").getOrCreate()
    crawled, policies = sited(spark.read.parquet(pages)), sited(spark.read.parquet(robots))
    counts = crawled.groupBy("site").count().cache()
    large = sql.broadcast(counts.where(sql.col("count") > most).select("site"))
    rest = counts.where(sql.col("count") <= most).agg(sql.sum("count")).first()[0] or 0
    buckets = max(1, math.ceil(rest / most))
    now = datetime.now(UTC)

    known = policies.join(large, "site", "left_semi").toArrow().drop_columns(["site"])
    auditing = acap.BatchAuditor(spark.sparkContext.broadcast(known), **ASKED, now=now)
    columns = auditing.spark_schema
    of_large = crawled.join(large, "site", "left_semi").mapInArrow(auditing.over, columns)

    def audited(pages: pa.Table, policies: pa.Table) -> pa.Table:
        own = acap.BatchAuditor(policies.drop_columns(["site", "bucket"]), **ASKED, now=now)
        return own(pages).cast(own.plain_schema)

    bucket = sql.pmod(sql.xxhash64("site"), sql.lit(buckets)).alias("bucket")
    left, right = (
        frame.join(large, "site", "left_anti").select("*", bucket).groupBy("bucket") for frame in (crawled, policies)
    )
    of_others = left.cogroup(right).applyInArrow(audited, columns)
    of_large.unionByName(of_others).write.mode("overwrite").parquet(out)
    spark.stop()


if __name__ == "__main__":
    pages, robots, out, *most = sys.argv[1:]
    main(pages, robots, out, *map(int, most))

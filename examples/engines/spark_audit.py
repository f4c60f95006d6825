"""What of a table of pages may be used for what, on Spark.

    spark-submit examples/engines/spark_audit.py pages.parquet robots.parquet audited.parquet

`pages.parquet` has a column `url`, and perhaps `fetch_time`, `status`, `headers` and `content`; `robots.parquet` has
`url` and `robots`, and perhaps `fetch_time` and `status`. The workers need `acap[audit]`.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import acap


def main(pages: str, robots: str, out: str) -> None:
    """Audits the pages, and writes a row for each."""
    spark = SparkSession.builder.appName("audit").getOrCreate()
    policies = spark.sparkContext.broadcast(spark.read.parquet(robots).toArrow())
    auditing = acap.BatchAuditor(policies, crawler="examplebot", usage=["crawl", "index", "ai-train"])
    spark.read.parquet(pages).mapInArrow(auditing.over, auditing.spark_schema).write.mode("overwrite").parquet(out)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What a harvest would keep of archives, on Spark: workers judge splits of WARC files.

    spark-submit examples/engines/spark_judge.py robots.parquet judged.parquet crawl-1.warc.gz crawl-2.warc.gz ...

`robots.parquet` is as of `spark_audit.py`; the archives lie where every worker has them. The workers need
`acap[crawl,audit]`.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from acap.archives.splits import WarcSplit, warc_splits
from acap.audits.policies import TablePolicies
from acap.harvest.batch_judge import BatchJudge


def main(robots: str, out: str, *archives: str) -> None:
    """Judges the responses, and writes a row for each."""
    spark = SparkSession.builder.appName("judge").getOrCreate()
    judging = BatchJudge(TablePolicies(spark.read.parquet(robots).toArrow()), crawler="examplebot")

    def splits_of(path: str) -> list[tuple[str, int, int | None]]:
        return [(*split,) for split in warc_splits(path)]

    splits = spark.sparkContext.parallelize(archives, len(archives)).flatMap(splits_of).toDF([*WarcSplit._fields])
    parts = max(splits.count(), 1)
    splits.repartition(parts).mapInArrow(judging.over, judging.spark_schema).write.mode("overwrite").parquet(out)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])

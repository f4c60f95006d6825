"""What a terminal shows while an audit works: pages that are done, and a time left where something gives a rate."""

from __future__ import annotations

from pathlib import Path

import pytest

from acap.audits.job import AuditProgress, Job
from acap.audits.options import AuditOptions
from acap.audits.remaining import Remaining
from acap.crawlers import Crawler
from tests.test_audit_stopped import inputs, one_process, stopped

__all__ = ["inputs", "one_process"]


def at(step: str, done: int, left: int, parts: int = 0) -> AuditProgress:
    return AuditProgress(step, parts, 12, 0, 0, done, left)  # type: ignore[arg-type]


def test_a_small_table_of_policies_tells_no_time_left() -> None:
    """Reading it took a second, most of which was the start of processes."""
    remaining = Remaining()
    assert remaining.seconds(at("policies", 0, 250_001_000), 0.0) is None
    assert remaining.seconds(at("policies", 1_000, 250_000_000), 10.0) is None
    assert remaining.seconds(at("resources", 1_000, 250_000_000), 10.0) is None
    assert remaining.seconds(at("resources", 2_001_000, 248_000_000, parts=1), 14.0) == pytest.approx(1735, abs=1)


@pytest.mark.parametrize(
    ("done", "seconds", "is_told"),
    [(100, 2.0, False), (100, 4.0, True), (2, 50.0, False), (2, 61.0, True), (0, 61.0, False)],
)
def test_a_rate_is_of_some_work_and_some_seconds(done: int, seconds: float, is_told: bool) -> None:
    remaining = Remaining()
    remaining.seconds(at("policies", 0, 1000), 0.0)
    assert (remaining.seconds(at("policies", done, 1000 - done), seconds) is not None) is is_told


def test_parts_that_were_done_before_tell_no_rate() -> None:
    remaining = Remaining()
    remaining.seconds(at("policies", 0, 1000), 0.0)
    assert remaining.seconds(at("resources", 2, 998, parts=4), 10.0) is None
    assert remaining.seconds(at("resources", 4, 996, parts=5), 10.0) == 10.0 / 4 * 996


def test_pages_of_parts_that_were_done_before_are_counted(inputs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    stopped(inputs, out, "examplebot", 2)
    seen: list[AuditProgress] = []
    summary, whole = Job(inputs, [], out, AuditOptions(Crawler("examplebot"), ("crawl",))).run(seen.append)
    judged = [one for one in seen if one.step == "resources"]
    assert (judged[0].parts, whole) == (2, True)
    assert 0 < judged[0].rows < judged[-1].rows == summary.rows

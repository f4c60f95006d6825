"""What a terminal shows while an audit works: pages that are done, and a time left where something gives a rate."""

from __future__ import annotations

from pathlib import Path

import pytest

from acap.audits.job import AuditProgress, Job
from acap.audits.options import AuditOptions
from acap.audits.remaining import Remaining, TimeLeft
from acap.cli.audit_pages import _progress
from acap.crawlers import Crawler
from tests.test_audit_stopped import inputs, one_process, stopped

__all__ = ["inputs", "one_process"]


def at(step: str, done: int, left: int, parts: int = 0) -> AuditProgress:
    return AuditProgress(step, parts, 12, 0, 0, done, left)  # type: ignore[arg-type]


def rounded(left: TimeLeft | None) -> tuple[int, bool] | None:
    return None if left is None else (round(left.seconds), left.is_whole)


def test_a_small_table_of_policies_tells_no_time_left() -> None:
    """Reading it took a second, most of which was the start of processes."""
    remaining = Remaining()
    assert remaining.left(at("policies", 0, 250_001_000), 0.0) is None
    assert remaining.left(at("policies", 1_000, 250_000_000), 10.0) is None
    assert remaining.left(at("resources", 1_000, 250_000_000), 10.0) is None
    left = remaining.left(at("resources", 2_001_000, 248_000_000, parts=1), 14.0)
    assert rounded(left) == (1735, True)


@pytest.mark.parametrize(
    ("done", "seconds", "is_told"),
    [(100, 2.0, False), (100, 4.0, True), (2, 50.0, False), (2, 61.0, True), (0, 61.0, False)],
)
def test_a_rate_is_of_some_work_and_some_seconds(done: int, seconds: float, is_told: bool) -> None:
    remaining = Remaining()
    remaining.left(at("policies", 0, 1000), 0.0)
    assert (remaining.left(at("policies", done, 1000 - done), seconds) is not None) is is_told


def test_parts_that_were_done_before_tell_no_rate() -> None:
    remaining = Remaining()
    remaining.left(at("policies", 0, 1000), 0.0)
    assert remaining.left(at("resources", 2, 998, parts=4), 10.0) is None
    assert remaining.left(at("resources", 4, 996, parts=5), 10.0) == (10.0 / 4 * 996, True)


def test_pages_of_parts_that_were_done_before_are_counted(inputs: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    stopped(inputs, out, "examplebot", 2)
    seen: list[AuditProgress] = []
    summary, whole = Job(inputs, [], out, AuditOptions(Crawler("examplebot"), ("crawl",))).run(seen.append)
    judged = [one for one in seen if one.step == "resources"]
    assert (judged[0].parts, whole) == (2, True)
    assert 0 < judged[0].rows < judged[-1].rows == summary.rows


def asked(count: int, of: int, done: int = 0, left: int = 0) -> AuditProgress:
    return AuditProgress("sites", 0, 12, 0, 0, done, left, count, of)


def test_sites_are_timed_by_those_that_this_call_asked() -> None:
    """Those of an earlier call took none of its time, nor did reading which sites there are."""
    remaining = Remaining()
    remaining.left(at("policies", 0, 1000), 0.0)
    assert remaining.left(asked(5_000, 10_000, left=1000), 100.0) is None
    assert remaining.left(asked(5_100, 10_000, left=1000), 102.0) is None  # those that answer fast
    left = remaining.left(asked(5_500, 10_000, left=1000), 110.0)
    assert rounded(left) == (90, False)
    assert _progress(asked(5_500, 10_000, left=1000), left) == (
        "5,500 of 10,000 sites asked, about 1 min 30 s for the others"
    )
    assert _progress(asked(10_000, 10_000), remaining.left(asked(10_000, 10_000), 200.0)) == (
        "10,000 of 10,000 sites asked"
    )


def test_few_sites_are_timed_after_a_minute() -> None:
    remaining = Remaining()
    remaining.left(asked(0, 100), 0.0)
    assert remaining.left(asked(90, 100), 59.0) is None
    assert rounded(remaining.left(asked(90, 100), 60.0)) == (7, False)


def test_the_last_sites_may_take_longer_each() -> None:
    """Those of one domain wait for each other; the rate of half a minute is told where it is the slower one."""
    remaining = Remaining()
    for second in range(101):
        remaining.left(asked(100 * second, 11_000), float(second))
    for second in range(101, 150):
        remaining.left(asked(10_000 + (second - 100), 11_000), float(second))
    assert rounded(remaining.left(asked(10_050, 11_000), 150.0)) == (950, False)


def test_the_time_for_sites_and_for_octets_is_that_of_the_whole() -> None:
    remaining = Remaining()
    remaining.left(at("policies", 0, 1000), 0.0)
    remaining.left(at("policies", 500, 500), 10.0)
    remaining.left(asked(0, 1_000, 500, 500), 20.0)
    left = remaining.left(asked(500, 1_000, 500, 500), 30.0)
    assert rounded(left) == (20, True)
    assert _progress(asked(500, 1_000, 500, 500), left) == "500 of 1,000 sites asked, about 0 min 20 s left"
    # The time in which sites were asked is none of octets.
    assert rounded(remaining.left(at("resources", 500, 500), 60.0)) == (10, True)

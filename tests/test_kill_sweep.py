"""A sweep that is killed at any moment loses nothing and forgets nothing: the next one completes it."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from tests.harvest import START, Harvest
from tests.killing import Jobs
from tests.test_keeper import everywhere

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KILLS = int(os.environ.get("ACAP_KILLS", "10"))
SEED = int(os.environ.get("ACAP_SEED", "1"))
PAGES = 60
LATER = START + timedelta(days=31)
ROBOTS = (
    b"ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-allow-index: /short/ time-limit=30-days\n"
    b"ACAP-allow-preserve: /short/ time-limit=30-days\nACAP-allow-preserve: /half/ time-limit=7-days\n"
)


@pytest.fixture(scope="module")
def jobs() -> Iterator[Jobs]:
    """Where processes come from."""
    with Jobs() as opened:
        yield opened


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of which two thirds have to go after a month."""
    directory = tmp_path_factory.mktemp("full")
    with Harvest(directory / "harvest.db", directory) as harvest:
        harvest.robots["https://news.example"] = ROBOTS
        for number in range(PAGES):
            folder = ("short", "half", "long")[number % 3]
            harvest.crawl(f"/{folder}/{number}", f"<p>{folder}quorvanel number{number} {'filler ' * 400}")
    return directory


def copied(full: Path, to: Path) -> Path:
    """The store, to do with what one likes."""
    shutil.copytree(full, to)
    return to / "harvest.db"


def test_a_killed_sweep_is_completed_by_the_next(full: Path, tmp_path: Path, jobs: Jobs) -> None:
    """Killed at random moments, again and again: in the end each thing went once, and what had to stay is there."""
    moments = random.Random(SEED)
    whole = jobs.run("sweep", {"store": str(copied(full, tmp_path / "whole")), "at": LATER.isoformat()})
    assert whole.code == 0
    killed = 0
    for number in range(KILLS):
        directory = tmp_path / f"killed-{number}"
        file = copied(full, directory)
        job = {"store": str(file), "at": LATER.isoformat()}
        for _ in range(3):
            moment = moments.uniform(0, whole.seconds)
            killed += jobs.run("sweep", job, moment).killed
        assert jobs.run("sweep", job).code == 0
        with Harvest(file, directory) as harvest:
            harvest.clock.set(LATER)
            acts = Counter((entry.act.url, entry.act.act, entry.act.usage) for entry in harvest.store.ledger.entries())
            assert max(acts.values()) == 1, (number, SEED)
            assert sum(count for (_, act, _), count in acts.items() if act == "removed") == 2 * 20 + 20
            assert harvest.store.ledger.verify().wrong == ()
            assert {path.split("/")[1] for path in harvest.found("filler")} == {"half", "long"}
            assert len(harvest.found("filler")) == 40
            assert sum(len(harvest.copies(f"/long/{page}")) for page in range(2, PAGES, 3)) == 20
            assert harvest.sweep().acts == []
            kept = everywhere(harvest)
            assert b"shortquorvanel" not in kept
            assert b"<p>halfquorvanel" not in kept
            assert b"<p>longquorvanel" in kept
        shutil.rmtree(directory)
    assert killed

"""A page of results is one entry, a year of them has room, and months that are over leave and lose no proof."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acap.clock import FixedClock
from acap.harvest import proof
from acap.harvest.export import ExportError, drop, export, verify_part, verify_parts
from acap.harvest.presentation import Presentation, link, snippet
from acap.harvest.store import Act
from tests.command_line import acap
from tests.harvest import SITE, START, Harvest
from tests.stores import new_store

SIZE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
SECONDS_OF_A_YEAR = 366 * 24 * 3600


@pytest.fixture
def any_harvest(store_place: Path | str, tmp_path: Path) -> Iterator[Harvest]:
    """A harvest in a file, and in another run in PostgreSQL."""
    with Harvest(store_place, tmp_path) as opened:
        yield opened


def show(harvest: Harvest, *numbers: int, where: str = "results") -> None:
    """Shows link and snippet of versions on one page."""
    presentation = Presentation(harvest.store)
    for number in numbers:
        judged = presentation.judged(number)
        assert judged is not None
        presentation.note(link(presentation, judged), snippet(presentation, judged))
    presentation.enter(where)


def test_a_page_of_results_is_one_entry(any_harvest: Harvest) -> None:
    """It tells of each thing shown the version, the policy and why; and it is found by the URL of each."""
    harvest = any_harvest
    for number in range(10):
        harvest.crawl(f"/{number}", f"<title>t{number}</title><p>the quorvanel sails {number}")
    before = harvest.store.ledger.head[0]
    show(harvest, *range(1, 11))
    show(harvest, *range(1, 11))
    assert harvest.store.ledger.head[0] == before + 2
    entry = harvest.store.ledger.at(before + 2)
    assert entry is not None
    told = harvest.store.told(entry.act)
    assert len(told) == 20
    assert {act.usage for act in told} == {"present-link", "present-snippet"}
    assert {act.url for act in told} == {f"{SITE}/{number}" for number in range(10)}
    assert all(act.decision is not None and act.decision["outcome"] == "permitted" for act in told)
    assert [one.seq for one in harvest.store.entries(f"{SITE}/3", acts=("presented",))] == [before + 1, before + 2]
    assert list(harvest.store.entries(f"{SITE}/nothing")) == []
    assert proof.verify(harvest.store).wrong == ()
    harvest.store.database.run("UPDATE grounds SET told = replace(told, 'permitted', 'conditional')")
    assert any(line.startswith("ground 1, on which things were shown") for line in proof.verify(harvest.store).wrong)


def test_a_year_of_a_search_a_second_has_room(tmp_path: Path) -> None:
    """An entry for ten results takes less than 600 octets with its indexes, which is less than 20 GB in a year."""
    entries = 20_000
    with new_store(tmp_path / "s.db", tmp_path) as store:
        store.database.run("PRAGMA synchronous = OFF")
        store.database.run("PRAGMA wal_autocheckpoint = 1000")
        before = int(store.database.rows(SIZE)[0][0])
        at = datetime(2026, 11, 1, 12, 0, 0, 123456, tzinfo=UTC)
        for first in range(0, entries, 1_000):
            store.ledger.append(
                [
                    Act(
                        "presented", at + timedelta(seconds=number), "", "page",
                        detail={
                            "where": "results",
                            "shown": [[9_000_000 + number, 90_000 + one, 900_000 + one] for one in range(10)],
                        },
                    )
                    for number in range(first, first + 1_000)
                ]
            )  # fmt: skip
        after = int(store.database.rows(SIZE)[0][0])
    octets = (after - before) / entries
    assert octets < 600
    assert octets * SECONDS_OF_A_YEAR < 20e9


@pytest.fixture
def months(any_harvest: Harvest) -> Harvest:
    """A harvest from November to January, with a bit of everything in each month."""
    harvest = any_harvest
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-allow-preserve: /old time-limit=20-days\n"
    for number in range(3):
        harvest.crawl("/a", f"<p>the quorvanel sails {number}")
        harvest.crawl("/old", f"<p>the zembrilop sinks {number}")
        resource = harvest.store.resources.find(f"{SITE}/a")
        assert resource is not None
        assert resource.current is not None
        show(harvest, resource.current)
        harvest.pass_days(31)
        harvest.sweep()
    return harvest


def test_months_that_are_over_are_exported_with_their_heads(months: Harvest, tmp_path: Path) -> None:
    """Each file proves itself; a second export finds them as they are; the store stays as it is."""
    directory = tmp_path / "months"
    parts = export(months.store, directory)
    assert [part.month for part, _ in parts] == ["2026-11", "2026-12", "2027-01"]
    assert export(months.store, directory) == parts
    assert [verify_part(path) for _, path in parts] == [part for part, _ in parts]
    assert parts[0][0].head == parts[1][0].before
    entry = months.store.ledger.at(parts[0][0].last)
    assert entry is not None
    assert entry.hash == parts[0][0].head
    assert proof.verify(months.store).wrong == ()


def test_months_may_leave_the_store_and_nothing_loses_its_proof(months: Harvest, tmp_path: Path) -> None:
    """Copies are still shown, time limits go on, all that is held is verified, and the files prove what left."""
    store, directory = months.store, tmp_path / "months"
    noted = store.ledger.at(5)
    assert noted is not None
    parts = export(store, directory)
    before = store.ledger.head[0]
    assert drop(store, parts) == parts[-1][0].last
    assert proof.verify(store).wrong == ()
    assert store.ledger.at(5) is None
    assert store.ledger.head[0] == before + 1
    assert verify_parts(store, directory, noted.hash) == ([], True)
    version = store.resources.version(1)
    assert version is not None
    assert store.read(version).body == b"<p>the quorvanel sails 0"
    months.crawl("/a", "<p>the quorvanel sails again")
    months.crawl("/old", status=304)
    months.pass_days(40)
    months.sweep()
    assert proof.verify(store).wrong == ()
    assert drop(store, export(store, directory)) > 0
    assert proof.verify(store).wrong == ()
    assert verify_parts(store, directory, noted.hash) == ([], True)


FORGERIES = {
    "a copy": 'UPDATE proven SET told = replace(told, \'"copy": "\', \'"copy": "0\')',
    "a first time": "UPDATE proven SET told = replace(told, '\"first_preserved\": 1', '\"first_preserved\": 2')",
    "all of it": "DELETE FROM proven",
    "where it begins": "DELETE FROM about WHERE name = 'ledger begins'",
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_entries_came_to_that_left_cannot_be_changed(months: Harvest, tmp_path: Path, name: str) -> None:
    """The entry that was made when they left has its digest."""
    drop(months.store, export(months.store, tmp_path / "months"))
    months.store.database.run(FORGERIES[name])
    assert proof.verify(months.store).wrong != ()


def test_a_file_that_was_changed_is_found(months: Harvest, tmp_path: Path) -> None:
    """Nothing leaves the store for it, and nothing is verified by it."""
    directory = tmp_path / "months"
    parts = export(months.store, directory)
    path = parts[1][1]
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    other = f"{lines[1]} "
    for changed in (lines[:-1], [lines[0], *lines[2:]], [lines[0], other, *lines[2:]]):
        path.write_bytes(gzip.compress("\n".join([*changed, ""]).encode()))
        with pytest.raises(ExportError):
            drop(months.store, parts)
        wrong, _ = verify_parts(months.store, directory)
        assert wrong
    assert months.store.ledger.begins[0] == 0
    path.write_bytes(b"x")
    with pytest.raises(ExportError, match="cannot be read"):
        export(months.store, directory)


def test_the_command_exports_and_verifies(tmp_path: Path) -> None:
    """A line for each month; the files prove what left; options that do not belong together are refused."""
    where = tmp_path / "s.db"
    with Harvest(where, tmp_path, clock=FixedClock(START - timedelta(days=60))) as harvest:
        harvest.crawl("/a", "<p>the quorvanel sails")
    directory = tmp_path / "months"
    exported = acap("ledger", "--store", where, "--export", directory, "--drop", "--json")
    assert exported.code == 0, exported.err
    told = json.loads(exported.out)
    [part] = told["parts"]
    assert (part["month"], told["dropped"]) == ("2026-09", part["last"])
    assert acap("ledger", "--store", where, "--export", directory).out == ""
    verified = acap("ledger", "--store", where, "--expect-head", part["head"], "--exported", directory)
    assert verified.code == 0, verified.out
    assert acap("ledger", "--store", where, "--verify", "--quick").code == 0
    for wrong in (("--drop",), ("--exported", directory), ("--quick",), ("--export", directory, "--verify")):
        assert acap("ledger", "--store", where, *wrong).code == 2

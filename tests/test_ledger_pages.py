"""A page of results is one entry, a year of them has room, and months that are over leave and lose no proof."""

from __future__ import annotations

import gzip
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acap.clock import FixedClock
from acap.harvest import proof
from acap.harvest.account import Account
from acap.harvest.copies import CopyMissingError
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
    told = harvest.store.acts_of(entry.act)
    assert len(told) == 20
    assert {act.usage for act in told} == {"present-link", "present-snippet"}
    assert {act.url for act in told} == {f"{SITE}/{number}" for number in range(10)}
    assert all(act.decision is not None and act.decision["outcome"] == "permitted" for act in told)
    assert [one.seq for one in harvest.store.entries(f"{SITE}/3", acts=("presented",))] == [before + 1, before + 2]
    assert list(harvest.store.entries(f"{SITE}/nothing")) == []
    assert proof.verify(harvest.store).wrong == ()
    harvest.store.database.run("UPDATE grounds SET told = replace(told, 'permitted', 'conditional')")
    assert any(line.startswith("ground 1 is not") for line in proof.verify(harvest.store).wrong)


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
    left = verify_parts(store, directory, noted.hash)
    assert (left.wrong, left.is_met) == ((), True)
    assert proof.verify(store, noted.hash, exported=directory).wrong == ()
    assert proof.verify(store, noted.hash).wrong != ()
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
    left = verify_parts(store, directory, noted.hash)
    assert (left.wrong, left.is_met) == ((), True)
    assert proof.verify(store, noted.hash, exported=directory).wrong == ()
    assert proof.verify(store, noted.hash).wrong != ()


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


def forged_account(harvest: Harvest) -> Account:
    """What the entries come to, but for a copy of version 1 that a forger put in the place of the one that was kept."""
    store = harvest.store
    account = store.proven.account()
    for entry in store.ledger.entries():
        account.enter(entry.act)
    version = store.resources.version(1)
    assert version is not None
    assert version.place is not None
    [place] = store.append([replace(store.read(version), body=b"<p>a lie")])
    with store.transaction():
        store.commit_copies([place])
        store.hide_copy(1, version.place)
        store.resources.set_place(1, place, version.parts)
    store.erase()
    moved = store.resources.version(1)
    assert moved is not None
    assert moved.place is not None
    account.states["version 1"]["copy"] = store.copies.digest(moved.place)
    return account


def is_forgery_shown(harvest: Harvest) -> bool:
    version = harvest.store.resources.version(1)
    assert version is not None
    try:
        return harvest.store.read(version).body == b"<p>a lie"
    except CopyMissingError:
        return False


def test_what_is_put_beside_a_ledger_of_which_nothing_left_is_not_believed(months: Harvest) -> None:
    """It is found, no copy is shown by it, and nothing leaves the store with it."""
    store = months.store
    account = forged_account(months)
    told = {name: one for name, one in account.states.items() if name == "version 1"}
    store.proven.keep(Account(told))
    store.database.run("DELETE FROM ledger WHERE act = 'preserved' AND url = ?", (f"{SITE}/a",))
    assert "the store has an account of entries that never left it" in proof.verify(store).wrong
    assert not is_forgery_shown(months)


def test_nothing_leaves_a_ledger_that_is_not_whole(months: Harvest, tmp_path: Path) -> None:
    """Else what leaves would make a forgery true: rows beside the ledger, and an entry whose hash was left as it is."""
    store, directory = months.store, tmp_path / "months"
    parts = export(store, directory)
    store.proven.keep(Account({"version 1": {"copy": "0" * 64}}))
    with pytest.raises(ExportError, match="nothing leaves a ledger that is not whole: the store has an account"):
        drop(store, parts)
    store.database.run("DELETE FROM proven")
    store.database.run("DELETE FROM about WHERE name = 'ledger pieces'")
    store.database.run("UPDATE ledger SET entry = replace(entry, '2026', '2036') WHERE act = 'preserved'")
    with pytest.raises(ExportError, match="nothing leaves a ledger that is not whole"):
        drop(store, parts)


@pytest.mark.parametrize("is_told", [False, True], ids=["no entry", "an entry that tells so"])
def test_a_ledger_that_is_said_to_have_left_is_not_believed(months: Harvest, tmp_path: Path, is_told: bool) -> None:
    """By a head that was noted before, or by the true entries; and without an entry of it nothing forged is shown."""
    store, directory = months.store, tmp_path / "months"
    export(store, directory, months.clock.now() + timedelta(days=40))
    last, head = store.ledger.head
    account = forged_account(months)
    with store.transaction():
        detail = {"start": store.ledger.start, "last": last, "head": head, "state": store.proven.keep(account)}
        store.ledger.cut(last, head)
        if is_told:
            store.ledger.append([Act("closed", months.clock.now(), "", "ledger", detail=detail)])
    assert (proof.verify(store).wrong == ()) is is_told
    assert proof.verify(store, head).wrong != ()
    wrong = proof.verify(store, head, exported=directory).wrong
    assert any("when entries left the store differs from the entries" in one for one in wrong) is is_told
    assert wrong != ()
    assert is_forgery_shown(months) is is_told


def test_a_row_of_what_left_is_proven_before_a_copy_is_shown_by_it(months: Harvest, tmp_path: Path) -> None:
    """A forged digest, with that of its piece or without, shows no copy."""
    store = months.store
    drop(store, export(store, tmp_path / "months"))
    account = forged_account(months)
    told = json.dumps(account.states["version 1"], sort_keys=True)
    store.database.run("UPDATE proven SET told = ? WHERE name = 'version 1'", (told,))
    assert not is_forgery_shown(months)
    store.proven.keep(account)
    assert not is_forgery_shown(months)
    assert proof.verify(store).wrong != ()


def test_a_month_of_another_ledger_proves_no_head(months: Harvest, tmp_path: Path) -> None:
    """A store that was made anew is not proven by the true file of a month that is in it."""
    store, directory = months.store, tmp_path / "months"
    [(part, _), *_] = export(store, directory)
    acts = [entry.act for entry in store.ledger.entries()]
    store.database.run("DELETE FROM ledger")
    store.ledger.append([replace(acts[0], detail={**acts[0].detail, "found_in": "x"}), *acts[1:]])
    assert proof.verify(store).wrong == ()
    assert len(proof.verify(store, part.head).wrong) == 1
    wrong = proof.verify(store, part.head, exported=directory).wrong
    assert any("has other entries than the store" in one for one in wrong)
    assert any(one.startswith("no entry has the hash") for one in wrong)


def test_months_are_on_the_disk_before_they_leave_the_store(
    months: Harvest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File and directories are synced, also where the file was there; they are their owner's alone."""
    store, directory = months.store, tmp_path / "new" / "months"
    synced: list[str] = []
    sync = os.fsync

    def noted(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        sync(descriptor)

    monkeypatch.setattr("acap.harvest.export.os.fsync", noted)
    parts = export(store, directory)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (directory, directory.parent)] == [0o700, 0o700]
    assert {stat.S_IMODE(path.stat().st_mode) for _, path in parts} == {0o600}
    assert {str(tmp_path), str(directory.parent), str(directory)} <= set(synced)
    assert sum(Path(one).name.startswith(".ledger-") for one in synced) == len(parts)
    synced.clear()
    export(store, directory)
    assert synced == []
    drop(store, parts)
    assert synced[0] == str(directory)


def test_what_another_export_left_stays_and_is_in_nobodys_way(months: Harvest, tmp_path: Path) -> None:
    """Nobody knows whether it is still being written; one that fails takes away what it made itself, and no more."""
    directory = tmp_path / "months"
    directory.mkdir()
    parts = export(months.store, tmp_path / "elsewhere")
    left = [directory / f".{part.name}.new" for part, _ in parts]
    for one in left:
        one.write_bytes(b"x")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("acap.harvest.export.gzip.GzipFile", None)
        with pytest.raises(TypeError):
            export(months.store, directory)
    assert sorted(directory.iterdir()) == sorted(left)
    assert len(export(months.store, directory)) == len(parts)
    assert all(one.read_bytes() == b"x" for one in left)


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
        assert verify_parts(months.store, directory).wrong
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

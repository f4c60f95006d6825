"""Policies are kept as fetched, and the one fetched last speaks; what is on the schedule is fetched once."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from acap.harvest.store import Store, StoreError, Wanted
from acap.robots import RobotsPolicy, parse_robots
from tests.stores import SITE, START, new_store

ROBOTS = f"{SITE}/robots.txt"
PAGE = f"{SITE}/a"
DAY = timedelta(days=1)
ONE = b"User-agent: *\nDisallow: /one\n"
TWO = b"User-agent: *\nDisallow: /two\n"
REFERS = b"ACAP-crawler: *\nACAP-permissions-reference: https://news.example/terms.txt\n"


def policy(octets: bytes | None, at: datetime, **evidence: str) -> RobotsPolicy:
    """One that was retrieved; None: it could not be had."""
    read = RobotsPolicy.unreachable(ROBOTS) if octets is None else parse_robots(octets, url=ROBOTS)
    return read.with_evidence({"fetched_at": at.isoformat(), "url": ROBOTS, **evidence})


def speaking(store: Store, at: datetime) -> RobotsPolicy:
    found = store.policies.speaking(PAGE, at)
    assert found is not None
    return found[1]


def rows(store: Store, table: str) -> int:
    return int(store.database.rows(f"SELECT count(*) FROM {table}")[0][0])


def test_a_policy_reads_back_as_it_was(store_place: Path | str, tmp_path: Path) -> None:
    """Octets of any kind, dialect, evidence, and what its references said."""
    octets = bytes(range(256)) + b"\n" + REFERS
    told = parse_robots(octets, url=ROBOTS, dialect="google").with_evidence(
        {"fetched_at": START.isoformat(), "headers": [["x", "y"]]}
    )
    uri = "https://news.example/terms.txt"
    variants = [told, told.with_reference(uri, b"\0ACAP-crawler: *\n"), told.with_reference(uri, None)]
    others = [policy(None, START), RobotsPolicy.absent(ROBOTS)]
    with new_store(store_place, tmp_path) as store:
        numbers = [store.policies.note(one, START)[0] for one in (*variants, *others)]
    with new_store(store_place, tmp_path) as store:
        for number, one in zip(numbers, (*variants, *others), strict=True):
            assert store.policies.get(number) == one
            assert dict(store.policies.get(number).evidence) == dict(one.evidence)
            assert store.policies.fetched_at(number) == START
        assert len(set(numbers)) == 5


def test_the_same_policy_is_noted_once(store_place: Path | str, tmp_path: Path) -> None:
    """The same retrieval is the same number; a later one that brings the same is another, with the octets kept once."""
    with new_store(store_place, tmp_path) as store:
        first = policy(ONE, START)
        assert store.policies.note(first, START) == (1, True)
        assert store.policies.note(first, START) == (1, False)
        assert store.policies.note(policy(ONE, START), START) == (1, False)
        number, changed = store.policies.note(policy(ONE, START, confirmed_at=(START + DAY).isoformat()), START)
        assert (number > 1, changed) == (True, False)
        assert store.policies.is_confirmed(1, number)
        assert store.policies.is_confirmed(1, 1)
        assert store.policies.speaking(PAGE, START + DAY) == (number, store.policies.get(number))
        assert rows(store, "documents") == 1
        other, changed = store.policies.note(policy(TWO, START + 2 * DAY), START)
        assert changed
        assert not store.policies.is_confirmed(1, other)


def test_a_policy_that_could_not_be_had_is_no_news(store_place: Path | str, tmp_path: Path) -> None:
    """Neither that it is away, nor that it is back as it was."""
    with new_store(store_place, tmp_path) as store:
        note = store.policies.note
        assert [
            note(policy(octets, START + number * DAY), START)[1]
            for number, octets in enumerate((None, ONE, None, ONE, None, TWO, None, None, b"", b""))
        ] == [False, True, False, False, False, True, False, False, True, False]


def test_what_references_say_is_part_of_a_policy(store_place: Path | str, tmp_path: Path) -> None:
    """If one says something else, the policy does."""
    plain = policy(REFERS, START)
    uri = "https://news.example/terms.txt"
    with new_store(store_place, tmp_path) as store:
        assert store.policies.note(plain.with_reference(uri, b"a"), START)[1]
        later = policy(REFERS, START + DAY)
        assert not store.policies.note(later.with_reference(uri, b"a"), START)[1]
        assert store.policies.note(policy(REFERS, START + 2 * DAY).with_reference(uri, b"b"), START)[1]
        assert list(speaking(store, START + 2 * DAY).supplied) == [(uri, b"b")]


def test_a_site_that_cannot_be_reached_is_held_to_what_it_said_for_30_days(
    store_place: Path | str, tmp_path: Path
) -> None:
    """Then nothing is permitted until it can be reached again (RFC 9309 2.3.1.4)."""
    with new_store(store_place, tmp_path) as store:
        assert store.policies.speaking(PAGE, START) is None
        store.policies.note(policy(ONE, START), START)
        assert speaking(store, START + 29 * DAY).octets == ONE
        assert speaking(store, START + 31 * DAY).state == "unreachable"  # nobody asked
        store.policies.note(policy(None, START + DAY), START)
        assert speaking(store, START + 30 * DAY).octets == ONE
        late = speaking(store, START + 30 * DAY + timedelta(microseconds=1))
        assert not late.decide(PAGE, crawler="examplebot").permitted
        store.policies.note(policy(ONE, START + 40 * DAY), START)
        assert speaking(store, START + 60 * DAY).octets == ONE


def test_a_site_that_could_never_be_reached_permits_nothing(store_place: Path | str, tmp_path: Path) -> None:
    """Nobody knows what it says."""
    with new_store(store_place, tmp_path) as store:
        store.policies.note(policy(None, START), START)
        assert not speaking(store, START).decide(PAGE, crawler="examplebot").permitted


def test_a_policy_from_an_archive_does_not_speak_over_a_later_one(store_place: Path | str, tmp_path: Path) -> None:
    """However late it is noted, it is as old as it is."""
    with new_store(store_place, tmp_path) as store:
        store.policies.note(policy(TWO, START), START)
        assert not store.policies.note(policy(ONE, START - 400 * DAY), START)[1]
        assert speaking(store, START).octets == TWO
        assert store.policies.sites() == [(ROBOTS, START, "present")]


def test_a_policy_of_a_transaction_that_failed_is_not_noted(store_place: Path | str, tmp_path: Path) -> None:
    """Its number may be given to another one, which is then read."""
    first, second = policy(ONE, START), policy(TWO, START)
    with new_store(store_place, tmp_path) as store:
        with suppress(KeyError), store.transaction():
            number, _ = store.policies.note(first, START)
            assert store.policies.get(number).octets == ONE
            raise KeyError
        number, changed = store.policies.note(second, START)
        assert changed
        assert store.policies.get(number).octets == TWO
        number, changed = store.policies.note(first, START)
        assert changed
        assert store.policies.get(number).octets == ONE


def test_a_policy_that_is_missing_is_told_of(store_place: Path | str, tmp_path: Path) -> None:
    """A number that no policy has can only come from damage."""
    with new_store(store_place, tmp_path) as store:
        for ask in (store.policies.get, store.policies.fetched_at):
            with pytest.raises(StoreError, match="is damaged: policy 7 is missing"):
                ask(7)


# The schedule


def begun(store: Store) -> int:
    return store.schedule.begin({}, START).id


def test_the_nearest_urls_come_first(store_place: Path | str, tmp_path: Path) -> None:
    """Breadth first, site by site, and in pieces as long as are asked for."""
    with new_store(store_place, tmp_path) as store:
        run, schedule = begun(store), store.schedule
        found = [Wanted(f"{SITE}/{depth}{name}", SITE, depth) for depth in (1, 0, 2) for name in "ab"]
        schedule.add(run, [Wanted("https://other.example/", "https://other.example", 1), *found], START)
        assert schedule.sites(run, START) == [SITE, "https://other.example"]
        tasks = schedule.waiting(run, SITE, START, 4)
        assert [task.url.removeprefix(SITE) for task in tasks] == ["/0a", "/0b", "/1a", "/1b"]
        rest = schedule.waiting(run, SITE, START, 4, (tasks[-1].depth, tasks[-1].id))
        assert [task.url.removeprefix(SITE) for task in rest] == ["/2a", "/2b"]


def test_a_url_is_on_the_schedule_of_a_run_once(store_place: Path | str, tmp_path: Path) -> None:
    """It keeps the turn it had; another run has a schedule of its own."""
    with new_store(store_place, tmp_path) as store:
        first, second = begun(store), begun(store)
        for depth, found_in in ((1, None), (0, f"{SITE}/x")):
            store.schedule.add(first, [Wanted(PAGE, SITE, depth, "page", found_in)], START)
        [task] = store.schedule.waiting(first, SITE, START, 9)
        assert (task.depth, task.found_in, task.attempts, task.kind) == (1, None, 0, "page")
        store.schedule.close(task.id, "done")
        store.schedule.add(first, [Wanted(PAGE, SITE)], START)
        assert store.schedule.waiting(first, SITE, START, 9) == []
        store.schedule.add(second, [Wanted(PAGE, SITE)], START)
        assert len(store.schedule.waiting(second, SITE, START, 9)) == 1


def test_what_became_of_a_url_is_said_once(store_place: Path | str, tmp_path: Path) -> None:
    """What is said later changes nothing: neither another end, nor another turn."""
    with new_store(store_place, tmp_path) as store:
        run, schedule = begun(store), store.schedule
        schedule.add(run, [Wanted(PAGE, SITE)], START)
        [task] = schedule.waiting(run, SITE, START, 9)
        schedule.close(task.id, "refused", "prohibited")
        schedule.close(task.id, "done")
        schedule.postpone(task.id, START, "later")
        assert schedule.counts(run) == {"waiting": 0, "done": 0, "refused": 1, "failed": 0, "dropped": 0}
        assert schedule.reasons(run) == [("refused", "prohibited", 1)]


def test_a_url_that_is_put_off_comes_when_it_is_due(store_place: Path | str, tmp_path: Path) -> None:
    """With one more attempt, unless it was not its fault."""
    with new_store(store_place, tmp_path) as store:
        run, schedule = begun(store), store.schedule
        assert schedule.next_due(run) is None
        schedule.add(run, [Wanted(PAGE, SITE)], START)
        [task] = schedule.waiting(run, SITE, START, 9)
        schedule.postpone(task.id, START + DAY, "busy")
        schedule.postpone(task.id, START + DAY, "busy", attempt=False)
        assert schedule.sites(run, START) == []
        assert schedule.waiting(run, SITE, START, 9) == []
        assert schedule.next_due(run) == START + DAY
        [task] = schedule.waiting(run, SITE, START + DAY, 9)
        assert task.attempts == 1
        schedule.drop_waiting(run, "limit")
        assert schedule.next_due(run) is None
        assert schedule.reasons(run) == [("dropped", "limit", 1)]


def test_a_run_counts_what_it_took(store_place: Path | str, tmp_path: Path) -> None:
    """Over all calls, until it is ended."""
    with new_store(store_place, tmp_path) as store:
        assert store.schedule.last() is None
        run = store.schedule.begin({"b": 1, "a": [None]}, START)
        store.schedule.spend(run.id, 1.5, 5_000_000_000)
        store.schedule.spend(run.id, 0.25, 1)
        last = store.schedule.last()
        assert last is not None
        assert (last.id, last.started_at, last.ended_at, last.reason) == (run.id, START, None, None)
        assert (last.seconds, last.octets, last.options) == (1.75, 5_000_000_001, {"b": 1, "a": [None]})
        store.schedule.end(run.id, START + DAY, "pages")
        assert store.schedule.run(run.id).ended_at == START + DAY
        assert store.schedule.run(run.id).reason == "pages"


@pytest.mark.parametrize("ahead", [timedelta(minutes=10), 30_000 * DAY])
def test_a_policy_from_the_future_speaks_for_nobody(store_place: Path | str, tmp_path: Path, ahead: timedelta) -> None:
    """A clock was wrong, and nobody knows which: until the site says something else nothing is permitted."""
    with new_store(store_place, tmp_path) as store:
        store.policies.note(policy(ONE, START - DAY), START - DAY)
        store.policies.note(policy(b"", START + ahead), START + ahead)
        assert speaking(store, START).state == "unreachable"
        at = START
        for number, said in enumerate((TWO, ONE, b"")):
            at = START + timedelta(minutes=number)
            _, changed = store.policies.note(policy(said, at), at)
            assert changed
            assert speaking(store, at).octets == said
            assert speaking(store, at + 30 * DAY).octets == said
            assert speaking(store, at + 31 * DAY).state == "unreachable"
            found = store.policies.last_file(PAGE)
            assert found is None or found[0] == at
        archived = policy(TWO, START - DAY).with_evidence(
            {"fetched_at": (START - DAY).isoformat(), "url": ROBOTS, "archive": True}
        )
        assert store.policies.note(archived, at)[1] is False
        assert speaking(store, at).octets == b""

"""The ledger proves content: whatever is forged beside it is found, and no forged copy is shown."""

from __future__ import annotations

import gzip
import json
import os
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from acap.archives import Capture
from acap.archives.record import information_length, members
from acap.harvest import proof
from acap.harvest.account import Account
from acap.harvest.copies import CopyMissingError, Place
from acap.harvest.presentation import Presentation, copy, extract, snippet
from acap.harvest.removal import remove
from acap.harvest.store import Act, Version, open_store
from acap.harvest.store.files import REWRITE, UNLINK
from acap.harvest.store.ledger import bound
from acap.harvest.store.store import OWNER
from tests.harvest import HTML, SITE, START, Harvest

PAGE = "<title>Harbour</title><meta name=robots content='ACAP disallow-present-link'><p>The quorvanel sails today."
ROBOTS = b"""ACAP-crawler: *
ACAP-allow-index: / time-limit=90-days
ACAP-allow-crawl: /
ACAP-disallow-present: /b
ACAP-allow-index: /teaser must-use-resource=https://news.example/b
"""


@pytest.fixture
def any_harvest(store_place: Path | str, tmp_path: Path) -> Iterator[Harvest]:
    """A harvest in a file, and in another run in PostgreSQL."""
    with Harvest(store_place, tmp_path) as opened:
        yield opened


@pytest.fixture
def forged(any_harvest: Harvest) -> Harvest:
    """A harvest with a bit of everything, and nothing wrong with it."""
    return filled(any_harvest)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def tables(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harvest]:
    """The same for all tests that change its tables and take that back."""
    directory = tmp_path_factory.mktemp("tables")
    is_file = request.param == "sqlite"
    # In a database of its own, as one store at a time is written in each.
    where = directory / "harvest.store" if is_file else request.getfixturevalue("postgres_server").create_database()
    with Harvest(where, directory) as opened:
        yield filled(opened)
        assert wrong(opened) == []


def filled(harvest: Harvest) -> Harvest:
    """Pages that are kept, refused, succeeded, shown, removed, required; requests; nothing is wrong with any."""
    harvest.robots[SITE] = ROBOTS
    harvest.crawl("/a", PAGE, headers=(*HTML, ("X-Robots-Tag", "nosnippet")))
    harvest.crawl("/b", "<p>another zembrilop")
    harvest.pass_days(1)
    harvest.crawl("/b", status=304, headers=(("X-Robots-Tag", "noarchive"),))
    harvest.crawl("/b", "<p>now <b class='the-acap:disallow-index'>vexil</b>")
    presentation = Presentation(harvest.store)
    judged = presentation.judged(1)
    assert judged is not None
    presentation.note(copy(presentation, judged).representation)
    presentation.enter("copy")
    remove(harvest.store, f"{SITE}/c", why="a letter")
    harvest.crawl("/teaser", "<p>in its place")
    harvest.crawl("/new", status=503)
    harvest.crawl("/gone", status=404)
    harvest.robots[SITE] = ROBOTS + b"ACAP-request-take-down: /gone\n"
    harvest.crawl("/lost", status=404, headers=(("X-Robots-Tag", "noarchive"),))
    assert wrong(harvest) == []
    return harvest


def wrong(harvest: Harvest) -> list[str]:
    return list(proof.verify(harvest.store).wrong)


def version(harvest: Harvest, number: int = 1) -> Version:
    found = harvest.store.resources.version(number)
    assert found is not None
    return found


def place(harvest: Harvest, number: int = 1) -> Place:
    found = version(harvest, number).place
    assert found is not None
    return found


def file_of(harvest: Harvest, at: Place) -> Path:
    [path] = harvest.directory.rglob(at.file)
    return path


STATEMENTS = {
    "first time": "UPDATE resources SET first_preserved = first_preserved + 315360000000000 WHERE id = 1",
    "first indexed": "UPDATE resources SET first_indexed = NULL WHERE id = 1",
    "first crawled": "UPDATE resources SET first_crawled = first_crawled - 1 WHERE id = 1",
    "first presented": "UPDATE resources SET first_presented = NULL",
    "last crawled": "UPDATE resources SET last_crawled = last_crawled + 1 WHERE id = 1",
    "succeeded": "UPDATE versions SET succeeded_at = NULL WHERE succeeded_at IS NOT NULL",
    "current": "UPDATE resources SET current = 2 WHERE id = 2",
    "speaking": "UPDATE resources SET speaking = 2 WHERE id = 2",
    "heard": 'UPDATE resources SET heard = \'[["X-Robots-Tag", "all"]]\' WHERE id = 1',
    "passages": "UPDATE resources SET passages = '' WHERE passages <> ''",
    "header": "UPDATE versions SET headers = replace(headers, 'nosnippet', 'all') WHERE id = 1",
    "skeleton": "UPDATE versions SET skeleton = replace(skeleton, 'disallow', 'allow') WHERE id = 1",
    "decision": "UPDATE versions SET decisions = replace(decisions, 'prohibited', 'permitted') WHERE id = 1",
    "status": "UPDATE versions SET status = 203 WHERE id = 1",
    "policy of a version": "UPDATE versions SET policy = policy + 1 WHERE id = 1",
    "parts": "UPDATE versions SET parts = '[]' WHERE id = 1",
    "parts of the index": "UPDATE versions SET terms = '[]' WHERE id = 1",
    "resource": "DELETE FROM resources WHERE id = 1",
    "policy": "UPDATE policies SET fetched_at = fetched_at + 1 WHERE id = 1",
    "state of a policy": "UPDATE policies SET state = 'absent' WHERE id = 1",
    "evidence": "UPDATE policies SET evidence = '{}' WHERE id = 1",
    "policy put in": "INSERT INTO policies (url, fetched_at, state, dialect, evidence, content) "
    "SELECT url, fetched_at + 99, 'absent', dialect, evidence, content FROM policies WHERE id = 1",
    "policy taken out": "DELETE FROM policies WHERE id = 1",
    "document taken out": "DELETE FROM documents",
    "supplied": "UPDATE documents SET supplied = '[[\"a\", null]]'",
    "removal": "DELETE FROM requests WHERE action = 'removal'",
    "take-down": "DELETE FROM requests WHERE action = 'take-down'",
    "request that is done": "UPDATE requests SET done_at = 1",
    "site": "UPDATE resources SET site = 'https://other.example' WHERE id = 1",
    "when a request was made": "UPDATE requests SET made_at = made_at + 1 WHERE action = 'removal'",
    "a requirement": "UPDATE requirements SET url = 'https://other.example/'",
    "a requirement put in": "INSERT INTO requirements SELECT 1, usage, restriction, url FROM requirements LIMIT 1",
    "requirements taken out": "DELETE FROM requirements",
    "what one without a body said": "UPDATE resources SET heard = '[]' WHERE speaking IS NULL",
    "succeeded by none": "UPDATE versions SET succeeded_at = 1 WHERE status = 503",
    "request put in": "INSERT INTO requests (action, url, said_in, made_at) VALUES ('removal', 'https://a.b/', '', 1)",
}


class UndoneError(Exception):
    """Whatever was changed is as it was."""


def found_in_tables(harvest: Harvest, sql: str) -> bool:
    """Whether a change is found, though not by a quick look, which is at the chain alone; it is taken back."""
    with suppress(UndoneError), harvest.store.database.transaction():
        harvest.store.database.run(sql)
        found = wrong(harvest) != [] and proof.verify(harvest.store, quick=True).wrong == ()
        raise UndoneError
    return found


@pytest.mark.parametrize("name", STATEMENTS)
def test_what_is_changed_in_the_database_is_found(tables: Harvest, name: str) -> None:
    """Whatever a decision goes by: times, headers, skeletons, decisions, policies, requests."""
    assert found_in_tables(tables, STATEMENTS[name])


def test_a_version_that_is_held_nowhere_and_taken_out_is_found(forged: Harvest) -> None:
    """What failed left no copy and no words, and yet a version."""
    forged.crawl("/a", status=503)
    assert wrong(forged) == []
    assert found_in_tables(forged, "DELETE FROM versions WHERE file IS NULL AND is_indexed = 0")


def test_requests_that_are_settled_take_time_by_their_number() -> None:
    """Ten thousand of them, each settled by itself."""
    account = Account()
    before = time.process_time()
    for number in range(10_000):
        account.enter(Act("requested", START, f"{SITE}/{number}", "re-crawl", detail={"said_in": "x"}))
    for number in range(10_000):
        account.enter(Act("settled", START, f"{SITE}/{number}", "re-crawl"))
    assert time.process_time() - before < 2
    assert all(told["done_at"] is not None for _, told in account.named("request"))


def test_a_stored_policy_that_is_rewritten_is_found(forged: Harvest) -> None:
    """Its octets have a digest in the first entry that cites it."""
    octets = ROBOTS.replace(b"ACAP-disallow-present", b"ACAP-allow-present")
    forged.store.database.run("UPDATE documents SET octets = ?", (octets,))
    assert any(line.startswith("policy 1 is not the one") for line in wrong(forged))


def test_words_of_the_index_that_are_replaced_are_found(forged: Harvest) -> None:
    """So are words beside those that were entered, and fewer of them."""
    store = forged.store
    for title, body in (("Harbour", "other words"), ("Harbour", "The quorvanel sails today more"), ("", "quorvanel")):
        store.database.drop_terms([1])
        store.database.put_terms(1, title, body)
        assert any("the index has other words of it" in line for line in wrong(forged))
    store.database.drop_terms([1])
    store.database.put_terms(1, "Harbour", "The quorvanel sails today.")
    assert wrong(forged) == []


def test_any_bit_of_a_copy_that_is_flipped_is_found(forged: Harvest) -> None:
    """Also one that no reader of the file looks at; and nothing of the copy is shown."""
    at = place(forged)
    path = file_of(forged, at)
    octets = path.read_bytes()
    for number in (4, 8, at.length // 2, at.length - 1):
        changed = bytearray(octets)
        changed[at.offset + number] ^= 1
        path.write_bytes(changed)
        assert any("its copy is not the one that was kept" in line for line in wrong(forged))
        presentation = Presentation(forged.store)
        judged = presentation.judged(1)
        assert judged is not None
        assert judged.capture is None
        assert not any(make(presentation, judged).is_shown for make in (snippet, extract))
    path.write_bytes(octets)
    assert wrong(forged) == []


def test_a_forged_copy_is_found_and_never_shown_nor_kept(forged: Harvest) -> None:
    """A whole record with digests that are right, and a database that says so: the ledger tells of another one."""
    store, number = forged.store, 2
    held = version(forged, number)
    body = b"<p>a lie"
    octets = members(Capture(held.url, held.crawled_at, 200, held.headers, body, None, {"whole": True}))
    path = file_of(forged, place(forged, number))
    start = path.stat().st_size
    path.write_bytes(path.read_bytes() + octets)
    store.files.commit(path.name, start + len(octets))
    store.resources.set_place(number, Place(path.name, start, len(octets)))
    store.database.run("UPDATE versions SET length = ? WHERE id = ?", (len(body), number))
    assert any(line.endswith("its copy is not the one that was kept") for line in wrong(forged))
    assert any("octets at" in line for line in wrong(forged))
    presentation = Presentation(store)
    judged = presentation.judged(number)
    assert judged is not None
    assert not copy(presentation, judged).representation.is_shown
    with pytest.raises(CopyMissingError, match="is not the one that was kept"):
        store.read(version(forged, number))


def test_a_copy_whose_entry_is_changed_too_is_not_shown(forged: Harvest) -> None:
    """The entry that tells of it has to continue the chain, and the next one has to continue it."""
    store, held = forged.store, version(forged)
    [entry] = [one for one in store.ledger.entries(held.url) if one.act.act == "preserved"]
    text = entry.text.replace(store.copies.digest(place(forged)), "0" * 64)
    before = store.ledger.at(entry.seq - 1)
    assert before is not None
    for hash_ in (entry.hash, bound(before.hash, text)):
        store.database.run("UPDATE ledger SET entry = ?, hash = ? WHERE seq = ?", (text, hash_, entry.seq))
        judged = Presentation(store).judged(1)
        assert judged is not None
        assert judged.capture is None
        assert (judged.copy_fault or "").startswith("no entry of the ledger tells of a copy")


def test_a_copy_that_was_taken_out_does_not_come_back(forged: Harvest) -> None:
    """Whoever puts it back into file and database is told that an entry says it went."""
    store, held = forged.store, version(forged)
    before = place(forged)
    octets = file_of(forged, before).read_bytes()
    forged.robots[SITE] = b"ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-disallow-preserve: /\n"
    forged.crawl("/x", status=404)
    forged.sweep()
    assert version(forged).place is None
    path = Path(str(next(forged.directory.rglob("acap-store")))).with_name(before.file)
    path.write_bytes(octets)
    store.files.commit(path.name, len(octets))
    store.resources.set_place(held.id, before)
    assert any("is preserved, and no entry says so" in line for line in wrong(forged))
    judged = Presentation(store).judged(1)
    assert judged is not None
    assert judged.capture is None


def test_a_copy_is_shown_by_its_own_url_alone(forged: Harvest) -> None:
    """A version that is filed under another page is judged as that one, and its copy is of the first."""
    forged.store.database.run("UPDATE versions SET resource = 2 WHERE id = 1")
    with pytest.raises(CopyMissingError, match="no entry of the ledger tells of a copy of version 1"):
        forged.store.read(version(forged))
    assert wrong(forged) != []


OPERATORS = {
    "names": ["friend"], "purposes": ["search"], "silence": [["index", "prohibited"]], "dialect": "google",
    "forbidden": "restricted", "contact": "https://friend.example/",
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_another_operator_is_found(forged: Harvest, name: str) -> None:
    """Also by who opens the store anew: the first entry is bound to whom it was made for, and how he reads policies."""
    database = forged.store.database
    [(text,)] = database.rows("SELECT value FROM about WHERE name = 'operator'")
    other = json.dumps({**json.loads(text), name: OPERATORS[name]})
    database.run("UPDATE about SET value = ? WHERE name = 'operator'", (other,))
    assert wrong(forged) != []
    copies = None if isinstance(forged.where, Path) else forged.directory / "copies"
    with open_store(forged.where, copies=copies) as store:
        assert store.operator != forged.store.operator
        assert "entry 1 does not continue the chain: it or one before it was changed" in proof.verify(store).wrong


def foreign_copies(directory: Path) -> None:
    (directory / "acap-20200101T000000-00001.warc.gz").write_bytes(b"x")


def foreign_file(directory: Path) -> None:
    (directory / "old.warc.gz").write_bytes(b"x")


def octets_at_the_end(directory: Path) -> None:
    path = next(directory.glob("*.warc.gz"))
    path.write_bytes(path.read_bytes() + zlib.compress(b"x"))


def test_a_file_that_is_gone_is_told_of_once(forged: Harvest) -> None:
    """And each copy that was in it, in plain words."""
    at = place(forged)
    file_of(forged, at).unlink()
    lines = wrong(forged)
    assert len([one for one in lines if one.startswith(f"`{at.file}`")]) == 1
    assert not any("Errno" in one for one in lines)
    assert len(lines) == 1 + len(forged.store.resources.kept_for("preserve"))


def test_a_fifo_in_place_of_a_file_ends_no_verification(forged: Harvest) -> None:
    """Of copies, and of the mark of their directory: nobody waits for what it may bring, and it is told of."""
    at = place(forged)
    mark = next(forged.directory.rglob(OWNER))
    for path in (file_of(forged, at), mark):
        octets = path.read_bytes()
        path.unlink()
        os.mkfifo(path)
        assert any(f"`{path.name}`" in line for line in wrong(forged))
        path.unlink()
        path.write_bytes(octets)
    assert wrong(forged) == []


def test_a_fifo_among_exported_months_ends_no_verification(forged: Harvest, tmp_path: Path) -> None:
    """It is no part of the ledger."""
    months = tmp_path / "months"
    months.mkdir()
    path = months / "ledger-2026-11-1.jsonl.gz"
    os.mkfifo(path)
    assert any("not a regular file" in line for line in proof.verify(forged.store, exported=months).wrong)


def another_mark(directory: Path) -> None:
    (directory / "acap-store").write_text("what somebody hid", encoding="ascii")


@pytest.mark.parametrize("put", [foreign_copies, foreign_file, octets_at_the_end, another_mark])
def test_files_beside_the_copies_are_found(forged: Harvest, put: Callable[[Path], None]) -> None:
    """Old copies may lie there unseen."""
    put(next(forged.directory.rglob("acap-store")).parent)
    assert len(wrong(forged)) == 1


@pytest.mark.parametrize("what", [REWRITE, UNLINK])
def test_an_intent_excuses_no_file(forged: Harvest, what: str) -> None:
    """One that counts has copies that were let go until whoever writes next carries it out; another is foreign."""
    store, directory = forged.store, next(forged.directory.rglob("acap-store")).parent
    foreign = "acap-20200101T000000-00001.warc.gz"
    (directory / foreign).write_bytes(b"x")
    store.files.intend(what, foreign)
    assert wrong(forged) == [f"`{foreign}` beside the copies has no copies that count"]
    store.files.commit(foreign, 1)
    assert wrong(forged) == [f"`{foreign}` has copies that were deleted: the next writer removes them"]
    store.files.done(what, foreign)
    store.files.intend(UNLINK, foreign)
    store.erase()
    assert wrong(forged) == []


@pytest.mark.parametrize("hidden", [b"x" * 400, gzip.compress(b"the text of a page that was removed")])
def test_octets_in_place_of_the_record_about_a_file_are_found(forged: Harvest, hidden: bytes) -> None:
    """There is one way alone in which a file begins, but for its number, its time and the version of the program."""
    store, at = forged.store, place(forged)
    path = file_of(forged, at)
    octets = path.read_bytes()
    begins = store.copies.first_octet(at.file)
    more = len(hidden) - begins
    path.write_bytes(hidden + octets[begins:])
    store.database.run("UPDATE versions SET start = start + ? WHERE file IS NOT NULL", (more,))
    store.database.run("UPDATE files SET ending = ending + ?", (more,))
    assert [one for one in wrong(forged) if "does not begin as it was begun" in one] == wrong(forged) != []
    for number in range(begins):
        changed = bytearray(octets[:begins])
        changed[number] ^= 1
        length = information_length(bytes(changed), at.file)
        assert not length or octets[number : number + 1].isalnum()


def test_what_a_long_harvest_keeps_is_proven_at_each_step(any_harvest: Harvest) -> None:
    """Versions, failures, redirects, removals and sweeps leave nothing that the ledger does not prove."""
    harvest = any_harvest
    harvest.robots[SITE] = ROBOTS
    for answer in ("<p>one", "<p>one", 304, 503, "<p>two", 301, "<p>one", 404):
        harvest.pass_days(1)
        is_body = isinstance(answer, str)
        harvest.crawl("/a", answer if isinstance(answer, str) else "", status=200 if is_body else int(answer))
        assert wrong(harvest) == []
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-disallow-preserve: /\n"
    harvest.crawl("/b", "<p>other")
    harvest.sweep()
    remove(harvest.store, f"{SITE}/b")
    harvest.store.requests.readmit(f"{SITE}/b", harvest.clock.now() + timedelta(seconds=1))
    assert wrong(harvest) == []
    told = [json.loads(entry.text) for entry in harvest.store.ledger.entries(acts=("requested", "settled"))]
    assert [(one["act"], one["usage"]) for one in told] == [("requested", "removal"), ("settled", "removal")]

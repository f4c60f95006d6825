"""What is kept is kept whole or not at all, whatever happens to the process, the file or the disk."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acap.retrieval import (
    Answer,
    CacheEntry,
    CacheError,
    Failure,
    FailureKind,
    Hop,
    MemoryCache,
    ResponseCache,
    SqliteCache,
    default_path,
    store,
)
from acap.retrieval.rows import MIGRATIONS

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
URL = "https://site.example/robots.txt"

FULL = Answer(
    url=URL,
    agent="mybot",
    source="https://cdn.example/r",
    fetched_at=NOW,
    status=200,
    headers=(("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "noai"), ("Server", "caf\xe9")),
    octets=bytes(range(256)) * 8,
    chain=(
        Hop(URL, 301, (("Location", "https://cdn.example/r"), ("A", "")), "192.0.2.1"),
        Hop("http://b/", 302, (), None),
    ),
    address="2001:db8::1",
    cut_at=2048,
    confirmed_at=NOW + HOUR,
)
FAILED = Answer(
    url=URL,
    agent="mybot",
    source=URL,
    fetched_at=NOW + HOUR,
    failure=Failure(FailureKind.TIMEOUT, "too `slow` \u2014 é"),
)


@pytest.fixture(params=["memory", "sqlite"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ResponseCache]:
    made: ResponseCache = MemoryCache() if request.param == "memory" else SqliteCache(tmp_path / "answers.sqlite3")
    yield made
    made.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some" / "where" / "answers.sqlite3"


def fill(path: Path, answers: int = 200) -> None:
    opened = SqliteCache(path)
    for number in range(answers):
        opened.store(replace(FULL, url=f"https://site{number}.example/robots.txt"))
    opened.close()


def test_an_answer_comes_back_as_it_was_given(cache: ResponseCache) -> None:
    assert cache.load(URL, "mybot") == CacheEntry()
    cache.store(FULL)
    assert cache.load(URL, "mybot") == CacheEntry(FULL)
    assert cache.load(URL, "other") == CacheEntry()
    assert cache.load("https://other.example/robots.txt", "mybot") == CacheEntry()


def test_a_failure_never_displaces_a_copy(cache: ResponseCache) -> None:
    cache.store(FULL)
    cache.store(FAILED)
    cache.store(replace(FAILED, fetched_at=NOW + 2 * HOUR))
    assert cache.load(URL, "mybot") == CacheEntry(FULL, replace(FAILED, fetched_at=NOW + 2 * HOUR))


def test_what_settles_the_matter_displaces_everything(cache: ResponseCache) -> None:
    cache.store(FULL)
    cache.store(FAILED)
    gone = replace(FULL, status=404, octets=b"", fetched_at=NOW + HOUR)
    cache.store(gone)
    assert cache.load(URL, "mybot") == CacheEntry(gone)


def test_pruning_forgets_what_is_older(cache: ResponseCache) -> None:
    other = replace(FULL, url="https://b.example/robots.txt", fetched_at=NOW - HOUR, confirmed_at=None)
    cache.store(FULL)
    cache.store(FAILED)
    cache.store(other)
    assert cache.prune(NOW) == 1
    assert cache.load(other.url, "mybot") == CacheEntry()
    assert cache.load(URL, "mybot") == CacheEntry(FULL, FAILED)
    assert cache.prune(NOW + 2 * HOUR) == 2
    assert cache.load(URL, "mybot") == CacheEntry()


def test_memory_is_bounded_and_what_was_used_last_stays() -> None:
    cache = MemoryCache(octets=50_000)
    for number in range(100):
        cache.store(replace(FULL, url=f"https://site{number}.example/"))
        cache.load("https://site0.example/", "mybot")
    kept = [number for number in range(100) if cache.load(f"https://site{number}.example/", "mybot") != CacheEntry()]
    assert kept[0] == 0
    assert kept[-1] == 99
    assert len(kept) < 13


def test_a_file_outlives_its_process(path: Path) -> None:
    fill(path, 3)
    opened = SqliteCache(path)
    assert opened.load("https://site2.example/robots.txt", "mybot").settled == replace(
        FULL, url="https://site2.example/robots.txt"
    )
    opened.close()


def test_the_default_place_is_the_users_cache_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    opened = SqliteCache()
    opened.close()
    assert opened.path == default_path()
    assert tmp_path in opened.path.parents
    assert opened.path.is_file()


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_begun_anew_and_loses_no_more_than_time(path: Path, share: float) -> None:
    fill(path)
    os.truncate(path, int(path.stat().st_size * share))
    opened = SqliteCache(path)
    for number in range(200):
        url = f"https://site{number}.example/robots.txt"
        assert opened.load(url, "mybot") in (CacheEntry(), CacheEntry(replace(FULL, url=url)))
    opened.store(FULL)
    assert opened.load(URL, "mybot") == CacheEntry(FULL)
    opened.close()


@pytest.mark.parametrize("offset", [24, 100, 5000, 40_000])
def test_overwritten_pages_never_yield_what_was_not_said(path: Path, offset: int) -> None:
    fill(path)
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b"\xff" * 3000)
    opened = SqliteCache(path)
    for number in range(200):
        url = f"https://site{number}.example/robots.txt"
        assert opened.load(url, "mybot") in (CacheEntry(), CacheEntry(replace(FULL, url=url)))
    opened.store(FULL)
    assert opened.load(URL, "mybot") == CacheEntry(FULL)
    opened.close()


def test_a_damaged_file_is_kept_aside(path: Path) -> None:
    fill(path)
    os.truncate(path, path.stat().st_size // 2)
    opened = SqliteCache(path)
    for number in range(200):
        opened.load(f"https://site{number}.example/robots.txt", "mybot")
    opened.close()
    assert [found for found in path.parent.iterdir() if ".damaged-" in found.name]


def test_a_file_damaged_while_it_is_open_is_begun_anew(path: Path) -> None:
    opened = SqliteCache(path)
    opened.store(FULL)
    opened.close()
    opened = SqliteCache(path)
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 9000)
    opened.store(FULL)
    assert opened.load(URL, "mybot").settled in (None, FULL)
    opened.close()
    again = SqliteCache(path)
    again.store(FULL)
    assert again.load(URL, "mybot") == CacheEntry(FULL)
    again.close()


def test_a_file_emptied_while_it_is_open_is_begun_anew(path: Path) -> None:
    opened = SqliteCache(path)
    opened.store(FULL)
    with sqlite3.connect(path) as other:
        other.execute("DROP TABLE answers")
        other.execute("PRAGMA user_version = 0")
    other.close()
    assert opened.load(URL, "mybot") == CacheEntry()
    opened.store(FULL)
    assert opened.load(URL, "mybot") == CacheEntry(FULL)
    opened.close()


@pytest.mark.parametrize(
    "change",
    ["status = 404", "octets = x'00'", "settled = 1 - settled", "headers = '[]'", "checked_at = 'x'", "digest = ''"],
)
def test_a_row_that_was_changed_was_never_said(path: Path, change: str) -> None:
    fill(path, 1)
    with sqlite3.connect(path) as other:
        other.execute(f"UPDATE answers SET {change}")
    other.close()
    opened = SqliteCache(path)
    assert opened.load("https://site0.example/robots.txt", "mybot") == CacheEntry()
    opened.close()
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT count(*) FROM answers").fetchone() == (0,)
    other.close()


@pytest.mark.parametrize("content", [b"a letter to my aunt", b"SQLite format 2\0 and more"])
def test_a_file_that_is_no_database_is_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(CacheError, match="not an SQLite database"):
        SqliteCache(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE aunts (name)")
    other.close()
    with pytest.raises(CacheError, match="another program"):
        SqliteCache(path)


def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    fill(path, 1)
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(CacheError, match="newer acap"):
        SqliteCache(path)


def test_a_file_of_an_older_version_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path, 2)
    monkeypatch.setattr(store, "MIGRATIONS", (*MIGRATIONS, "ALTER TABLE answers ADD COLUMN note TEXT; SELECT 1"))
    opened = SqliteCache(path)
    assert opened.load("https://site1.example/robots.txt", "mybot").settled is not None
    opened.close()
    with sqlite3.connect(path) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (2,)
        assert other.execute("SELECT count(note), count(*) FROM answers").fetchone() == (0, 2)
    other.close()


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path, 2)
    monkeypatch.setattr(store, "MIGRATIONS", (*MIGRATIONS, "DELETE FROM answers; no such statement"))
    with pytest.raises(CacheError):
        SqliteCache(path)
    monkeypatch.undo()
    opened = SqliteCache(path)
    assert opened.load("https://site1.example/robots.txt", "mybot").settled is not None
    opened.close()


def test_a_locked_file_is_a_clear_error_for_writers_and_none_for_readers(path: Path) -> None:
    fill(path, 1)
    opened = SqliteCache(path, busy_seconds=0.1)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(CacheError, match="locked"):
        opened.store(FULL)
    assert opened.load("https://site0.example/robots.txt", "mybot").settled is not None
    holder.execute("ROLLBACK")
    holder.close()
    opened.store(FULL)
    assert opened.load(URL, "mybot") == CacheEntry(FULL)
    opened.close()


def test_a_place_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CacheError, match="cannot be used"):
        SqliteCache(tmp_path / "file" / "answers.sqlite3")


def test_a_closed_cache_says_so(path: Path) -> None:
    opened = SqliteCache(path)
    opened.close()
    opened.close()
    with pytest.raises(CacheError, match="closed"):
        opened.load(URL, "mybot")


WRITER = """
import sys
from dataclasses import replace
from datetime import UTC, datetime
from acap.retrieval.answers import Answer
from acap.retrieval.store import SqliteCache

path, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
cache = SqliteCache(path)
for number in range(rounds):
    octets = f"{name} {number} ".encode() * 20000
    for url in ("https://shared.example/", f"https://{name}.example/{number % 50}"):
        cache.store(Answer(url=url, agent="a", source=url, fetched_at=datetime.now(UTC), status=200, octets=octets))
    print("ready", flush=True)
"""


def writer(path: Path, name: str, rounds: int) -> subprocess.Popen[str]:
    code = [sys.executable, "-c", WRITER, str(path), name, str(rounds)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(code, stdout=subprocess.PIPE, text=True, env=environment)


def is_whole(answer: Answer) -> bool:
    words = answer.octets.split()
    return len(words) == 40_000 and len(set(words)) == 2


def test_a_process_killed_while_it_writes_leaves_only_whole_answers(path: Path) -> None:
    for delay in (0.05, 0.12, 0.2):
        process = writer(path, "killed", 100_000)
        with process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
        opened = SqliteCache(path)
        shared = opened.load("https://shared.example/", "a").settled
        assert shared is not None
        assert is_whole(shared)
        opened.close()
        with sqlite3.connect(path) as other:
            assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        other.close()
    assert not [found for found in path.parent.iterdir() if ".damaged-" in found.name]


def test_two_processes_write_one_file_and_nothing_is_lost(path: Path) -> None:
    processes = [writer(path, name, 50) for name in ("one", "two")]
    for process in processes:
        with process:
            process.communicate(timeout=30)
        assert process.returncode == 0
    opened = SqliteCache(path)
    for name in ("one", "two"):
        for number in range(50):
            kept = opened.load(f"https://{name}.example/{number}", "a").settled
            assert kept is not None
            assert kept.octets == f"{name} {number} ".encode() * 20_000
    shared = opened.load("https://shared.example/", "a").settled
    assert shared is not None
    assert is_whole(shared)
    opened.close()


def test_processes_that_find_a_file_damaged_set_it_aside_once(path: Path) -> None:
    fill(path)
    os.truncate(path, 3000)
    processes = [writer(path, name, 3) for name in ("one", "two", "three")]
    for process in processes:
        with process:
            process.communicate(timeout=30)
        assert process.returncode == 0
    names = {found.name.removesuffix("-wal").removesuffix("-shm") for found in path.parent.iterdir()}
    assert len([name for name in names if ".damaged-" in name]) == 1
    opened = SqliteCache(path)
    kept = [opened.load(f"https://{name}.example/2", "a").settled for name in ("one", "two", "three")]
    assert all(answer is not None and is_whole(answer) for answer in kept)
    opened.close()


def test_threads_share_a_cache(cache: ResponseCache) -> None:
    wrong: list[object] = []

    def work(name: int) -> None:
        for number in range(20):
            answer = replace(FULL, url=f"https://site{name}.example/{number}")
            cache.store(answer)
            if cache.load(answer.url, "mybot") != CacheEntry(answer):
                wrong.append(answer)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_child_process_opens_the_file_for_itself(path: Path) -> None:
    opened = SqliteCache(path)
    opened.store(FULL)
    child = os.fork()
    if not child:
        try:
            opened.store(FAILED)
            os._exit(0 if opened.load(URL, "mybot") == CacheEntry(FULL, FAILED) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert opened.load(URL, "mybot") == CacheEntry(FULL, FAILED)
    opened.close()

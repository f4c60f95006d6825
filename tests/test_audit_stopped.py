"""What a stopped audit leaves: a finished result stays until there is another, and nothing is written of nothing."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from acap.audits import job
from acap.audits.fetching import fetched_archive
from acap.audits.inputs import InputError, InputPart
from acap.audits.job import AuditProgress, Job
from acap.audits.options import AuditOptions, FetchOptions
from acap.audits.output_lock import LOCK, locked
from acap.audits.part import audit_part
from acap.audits.workers import workers
from acap.crawlers import Crawler
from tests.command_line import acap
from tests.crawled import crawl, write_warc
from tests.many_sites import ManySites, every_way


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread works in the place of processes."""
    monkeypatch.setattr(Job, "_pool", lambda _: ThreadPoolExecutor(1))


@pytest.fixture
def inputs(tmp_path: Path) -> list[Path]:
    """Three archives, which are a part each."""
    return [write_warc(tmp_path / f"{n}.warc.gz", crawl(n, 20)) for n in range(3)]


def stopped(inputs: list[Path], out: Path, crawler: str, parts: int) -> Job:
    """An audit that is stopped by Ctrl-C when so many of its parts are done; with 0 at once."""
    made = Job(inputs, [], out, AuditOptions(Crawler(crawler), ("crawl",)))
    with stopping(parts):
        _, whole = made.run(at_once if parts == 0 else lambda _: None)
    assert not whole
    return made


def at_once(_: AuditProgress) -> None:
    raise KeyboardInterrupt


@contextmanager
def stopping(parts: int) -> Iterator[None]:
    """Ctrl-C when so many parts are done, of this call or of those before."""

    def part(one: InputPart, out: Path, *more: Any) -> int:
        if len(list(out.parent.glob("[0-9]*.json"))) == parts:
            raise KeyboardInterrupt
        return audit_part(one, out, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "audit_part", part)
        yield


def finished(inputs: list[Path], out: Path, crawler: str) -> None:
    made = Job(inputs, [], out, AuditOptions(Crawler(crawler), ("crawl",)))
    assert made.run()[1]
    assert made.written == out
    assert not made.directory.exists()


def about(file: Path) -> tuple[list[str], bool]:
    """Who asked, and whether it is a part."""
    told = json.loads(pq.read_schema(file).metadata[b"acap"])
    return told["crawler"], told["partial"]


def test_of_nothing_nothing_is_written(inputs: list[Path], tmp_path: Path) -> None:
    """Stopped at once, an audit leaves neither a result nor parts."""
    made = stopped(inputs, tmp_path / "o.parquet", "examplebot", 0)
    assert made.written is None
    assert sorted(tmp_path.iterdir()) == inputs


@pytest.mark.parametrize("parts", [0, 1, 2])
def test_a_finished_result_is_replaced_by_a_finished_one_alone(parts: int, inputs: list[Path], tmp_path: Path) -> None:
    """Whatever was done of another audit lies among its parts, and the same call goes on."""
    out = tmp_path / "o.parquet"
    finished(inputs, out, "examplebot")
    before = out.read_bytes()
    made = stopped(inputs, out, "otherbot", parts)
    assert out.read_bytes() == before
    assert made.written == (made.directory / "partial.parquet" if parts else None)
    if made.written is not None:
        assert about(made.written) == (["otherbot"], True)
        assert 0 < pq.read_metadata(made.written).num_rows < pq.read_metadata(out).num_rows
    finished(inputs, out, "otherbot")
    assert about(out) == (["otherbot"], False)


def test_a_part_is_replaced_by_a_later_part_of_the_same_audit(inputs: list[Path], tmp_path: Path) -> None:
    """Where nothing was before, the output has what was done; what somebody else puts there stays."""
    out = tmp_path / "o.parquet"
    rows = []
    for parts in (1, 2):
        assert stopped(inputs, out, "examplebot", parts).written == out
        assert about(out) == (["examplebot"], True)
        rows.append(pq.read_metadata(out).num_rows)
    assert rows[0] < rows[1]
    out.write_bytes(b"mine")
    made = stopped(inputs, out, "examplebot", 2)
    assert (out.read_bytes(), made.written) == (b"mine", made.directory / "partial.parquet")
    finished(inputs, out, "examplebot")


@pytest.mark.parametrize(("before", "parts", "said"), [
    (False, 0, "stopped: nothing is done yet, and o.parquet is not written; call it again"),
    (True, 0, "stopped: nothing is done yet, and o.parquet stays as it was; call it again"),
    (False, 1, "stopped: o.parquet has what was done; the same call goes on"),
    (True, 1, "stopped: o.parquet.parts/partial.parquet has what was done, and o.parquet stays as it was"),
])  # fmt: skip
def test_the_last_line_says_which(
    before: bool, parts: int, said: str, inputs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, and 130; a page of a finished audit stays, too."""
    monkeypatch.chdir(tmp_path)
    call = ("audit", *(one.name for one in inputs), "-c", "examplebot", "-o", "o.parquet", "--html", "o.html")
    if before:
        acap(*call)
    page = Path("o.html").read_bytes() if before else None
    with stopping(parts):
        done = acap(*call)
    assert (done.code, done.err.count("\n")) == (130, 1)
    assert done.err.startswith(f"acap: {said}")
    assert bool(done.out) == (parts > 0)
    assert Path("o.html").exists() == (before or parts > 0)
    assert page is None or Path("o.html").read_bytes() == page
    with stopping(parts):
        told = acap(*call, "--json").objects()[0]
    assert (told["partial"], told["output"]) == (True, said.split()[1] if parts else None)


def test_what_sites_said_goes_with_the_result_that_is_made_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result that cannot be written leaves the earlier one and its archive; the same call writes both."""

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with ManySites(every_way) as sites:
        pq.write_table(pa.table({"url": [sites.url(number, "/b") for number in range(2)]}), tmp_path / "p.parquet")
        out, fetches = tmp_path / "o.parquet", FetchOptions(timeout=3, allow_private=True)

        def made(crawler: str) -> Job:
            return Job([tmp_path / "p.parquet"], [], out, AuditOptions(Crawler(crawler), ("crawl",), fetch=fetches))

        def there() -> list[bytes]:
            return [out.read_bytes(), fetched_archive(out).read_bytes()]

        assert made("examplebot").run()[1]
        before = there()
        with monkeypatch.context() as patch:
            patch.setattr(job, "write_result", full)
            with pytest.raises(OSError, match="No space"):
                made("otherbot").run()
        assert there() == before
        assert made("otherbot").run()[1]
    assert not set(there()) & set(before)
    assert about(out) == (["otherbot"], False)


@pytest.mark.parametrize("harm", ["gone", "cut", "other", "fewer", "account"])
def test_a_part_without_its_rows_is_judged_again(harm: str, inputs: list[Path], tmp_path: Path) -> None:
    """Its account alone is no part: rows that are gone, cut, of another part, or fewer than it tells."""
    out = tmp_path / "o.parquet"
    finished(inputs, out, "examplebot")
    expected = pq.read_table(out)
    out.unlink()

    def killed(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "write_result", killed)
        with pytest.raises(OSError, match="No space"):
            Job(inputs, [], out, AuditOptions(Crawler("examplebot"), ("crawl",))).run()
    directory = out.with_name("o.parquet.parts")
    first, second = (directory / f"{number:06d}.parquet" for number in range(2))
    if harm == "gone":
        second.unlink()
    elif harm == "cut":
        second.write_bytes(second.read_bytes()[:-20])
    elif harm == "other":
        second.write_bytes(first.read_bytes())
    elif harm == "fewer":
        pq.write_table(pq.read_table(second).slice(1), second)
    else:
        second.with_suffix(".json").write_bytes(first.with_suffix(".json").read_bytes())
    finished(inputs, out, "examplebot")
    assert pq.read_table(out).equals(expected)


def test_policies_of_a_part_that_are_gone_are_read_again(inputs: list[Path], tmp_path: Path) -> None:
    """Their account alone is no part either."""
    out = tmp_path / "o.parquet"
    finished(inputs, out, "examplebot")
    expected = pq.read_table(out)
    made = Job(inputs, [], out, AuditOptions(Crawler("examplebot"), ("crawl",)))

    def stop(_: AuditProgress) -> None:
        if list(made.directory.glob("policies-*.json")):
            raise KeyboardInterrupt

    made.run(stop)
    for one in made.directory.glob("policies-*.sqlite"):
        one.unlink()
    finished(inputs, out, "examplebot")
    assert pq.read_table(out).equals(expected)


def test_a_second_process_on_an_output_changes_nothing(
    inputs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so in one line, and the first one goes on."""
    monkeypatch.setattr(Job, "_pool", lambda _: workers(1))
    out = tmp_path / "o.parquet"
    directory = out.with_name("o.parquet.parts")
    refused = []

    def second(_: AuditProgress) -> None:
        before = {one.name: one.stat().st_mtime_ns for one in directory.iterdir()}
        told = acap("audit", *map(str, inputs), "-c", "examplebot", "-o", str(out), "--processes", "1")
        refused.append((told.code, told.out, told.err))
        assert {one.name: one.stat().st_mtime_ns for one in directory.iterdir()} == before

    assert Job(inputs, [], out, AuditOptions(Crawler("examplebot"), ("crawl",))).run(second)[1]
    assert len(refused) > 3
    why = f"acap: {directory}: another process works on this output; wait for it, or name another one\n"
    assert set(refused) == {(2, "", why)}
    assert not directory.exists()


def test_a_lock_goes_with_its_process(inputs: list[Path], tmp_path: Path) -> None:
    """Also if that is killed; until then it keeps others out."""
    out = tmp_path / "o.parquet"
    directory = out.with_name("o.parquet.parts")
    holding = f"""
import sys
from pathlib import Path
from acap.audits.output_lock import locked
with locked(Path({str(directory)!r})):
    print(1, flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", holding], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline()
        with pytest.raises(InputError, match="another process works on this output"):
            finished(inputs, out, "examplebot")
        assert not out.exists()
        other.kill()
    assert (directory / LOCK).exists()
    finished(inputs, out, "examplebot")


@pytest.mark.parametrize("place", [1, 2])
@pytest.mark.parametrize("is_locked", [False, True])
def test_a_lock_on_a_file_that_is_another_one_by_now_is_none(
    place: int, is_locked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who ends removes the file of a lock, which another may have opened by then, and a third may have made it anew."""
    opened = []
    connect = sqlite3.connect

    def opens(file: Path, **how: Any) -> sqlite3.Connection:
        base: sqlite3.Connection = connect(file, **how)
        opened.append(base)
        if len(opened) == place:
            file.unlink()
            if is_locked:
                third.append(connect(file, isolation_level=None))
                third[0].execute("BEGIN EXCLUSIVE")
        return base

    third: list[sqlite3.Connection] = []
    monkeypatch.setattr(sqlite3, "connect", opens)
    if is_locked:
        with pytest.raises(InputError, match="another process works on this output"), locked(tmp_path / "parts"):
            pass
        third[0].close()
    with locked(tmp_path / "parts"), pytest.raises(InputError), locked(tmp_path / "parts"):
        pass
    assert not (tmp_path / "parts").exists()


def test_workers_end_with_a_process_that_is_killed() -> None:
    """They hold its output, so that this has no end before theirs."""
    working = """
import os, sys
from acap.audits.workers import workers
if __name__ == "__main__":
    pool = workers(2)
    print(pool.submit(os.getpid).result(), flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", working], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        assert asking.stdout.readline()
        asking.kill()
        assert asking.communicate(timeout=20)[0] == b""

"""Copies in WARC files: what counts is there whatever happens, and what is deleted is nowhere."""

from __future__ import annotations

import gzip
import os
import random
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]  # it has no types

from acap.archives import Capture
from acap.clock import FixedClock
from acap.harvest.copies import Copies, CopiesDamagedError, CopyMissingError, Place

NOON = datetime(2025, 6, 30, 12, 0, 0, 123456, UTC)
NAME = re.compile(r"acap-20250630T120000-\d{5}\.warc\.gz")


def capture(number: int, size: int = 0, **more: Any) -> Capture:
    """A capture with a word of its own, in `size` octets that hardly compress."""
    noise = random.Random(number).randbytes(size)
    return Capture(
        url=more.pop("url", f"https://www.example.com/{number}"),
        at=NOON + timedelta(seconds=number),
        status=more.pop("status", 200),
        headers=more.pop("headers", (("Content-Type", "text/html"), ("X-Robots-Tag", "noai"), ("X-Robots-Tag", "all"))),
        body=more.pop("body", f"<p>secret{number}word</p>".encode() + noise),
        metadata=more.pop("metadata", {"robots": {"sha256": "ab" * 32}, "restrictions": [["time-limit", "30-days"]]}),
        **more,
    )


def copies(directory: Path, **more: Any) -> Copies:
    """Copies whose clock stands."""
    return Copies(directory, clock=FixedClock(NOON), **more)


def text_of(directory: Path) -> bytes:
    """All that is in the files of a directory, packed and unpacked."""
    out = b""
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        octets = path.read_bytes()
        out += octets + (gzip.decompress(octets) if octets.startswith(b"\x1f\x8b") else b"")
    return out


STRANGE = (
    capture(1),
    capture(2, status=404, reason="Not Found", address="2001:db8::1", body=b""),
    capture(3, body=b"\0\xff\r\n\r\nWARC/1.1\r\nHTTP/1.1 200 OK\r\n\r\n" * 3),
    capture(4, headers=(), metadata={"ferry to Rügen": ["\ud800", None, 1.5, {"a": []}]}),
    capture(5, headers=(("Content-Encoding", "br"), ("Content-Length", "3"), ("Transfer-Encoding", "chunked"))),
    capture(6, headers=(("X-Archive-Orig-Content-Length", "7"), ("x-archive-orig-x-archive-orig-content-length", "8"))),
    capture(7, headers=(("Server", "caf\xe9 \xc3\xa9"), ("content-length", ""), ("A", "b: c: d"))),
    capture(8, url="https://www.example.com/é?x=%20&y=[漢]#a", address="192.0.2.1"),
    Capture("http://a.example/", datetime(2025, 6, 30, 12, tzinfo=timezone(timedelta(hours=2))), 999, (), b"x"),
)


def test_what_was_appended_is_read_back(tmp_path: Path) -> None:
    """URL, time, status, headers, body, address, metadata and reason, whatever they hold."""
    held = copies(tmp_path / "a" / "b")
    places = held.append(STRANGE)
    assert [held.read(place) for place in places] == list(STRANGE)
    assert [copies(tmp_path / "a" / "b").read(place) for place in places] == list(STRANGE)
    assert {place.file for place in places} == set(held.files())
    assert all(NAME.fullmatch(name) for name in held.files())
    assert max(place.offset + place.length for place in places) == held.end(places[0].file)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_other_readers_read_the_files(tmp_path: Path) -> None:
    """warcio finds every digest right, one record in a member; fastwarc reads the same; bodies need no decoding."""
    held = copies(tmp_path)
    places = held.append(STRANGE)
    name, _ = held.rewrite(places[0].file, places[2:6])
    for file, expected in ((places[0].file, STRANGE), (str(name), STRANGE[2:6])):
        found = []
        number = ""
        with (tmp_path / file).open("rb") as stream:
            archive = ArchiveIterator(stream, check_digests=True)
            for record in archive:
                body = record.content_stream().read()
                assert record.digest_checker.passed
                assert archive.err_count == 0
                kind = record.rec_headers.get_header("WARC-Type")
                if kind == "response":
                    number = record.rec_headers.get_header("WARC-Record-ID")
                    found.append(
                        (
                            record.rec_headers.get_header("WARC-Target-URI"),
                            int(record.http_headers.get_statuscode()),
                            body,
                        )
                    )
                elif kind == "metadata":
                    assert record.rec_headers.get_header("WARC-Concurrent-To") == number
                    assert record.rec_headers.get_header("Content-Type") == "application/json"
                else:
                    assert (kind, record.rec_headers.get_header("WARC-Filename")) == ("warcinfo", file)
        wanted = [(each.url, each.status, each.body) for each in expected]
        assert found == wanted
        with (tmp_path / file).open("rb") as stream:
            fast = [
                (record.headers["WARC-Target-URI"], record.http_headers.status_code, record.reader.read())
                for record in FastIterator(stream, parse_http=True, auto_decode="all", verify_digests=True)
                if record.headers["WARC-Type"] == "response"
            ]
        assert fast == wanted


def test_nothing_that_a_server_sent_makes_two_of_a_record(tmp_path: Path) -> None:
    """Line ends in names, values, phrases and URLs are none any more."""
    evil = "x\r\n\r\n\nWARC/1.1\r\nWARC-Type: response\r\n\0"
    held = copies(tmp_path)
    [place] = held.append([capture(1, url=f"https://a.example/{evil}", headers=((evil, evil), ("", "")), reason=evil)])
    again = held.read(place)
    assert (again.body, len(again.headers)) == (capture(1).body, 2)
    assert not re.search(r"[\r\n\0]", again.url + again.reason + str(again.headers[0]))
    with (tmp_path / place.file).open("rb") as stream:
        assert [record.rec_type for record in ArchiveIterator(stream)] == ["warcinfo", "response", "metadata"]


def test_a_file_that_is_full_gets_no_more(tmp_path: Path) -> None:
    """Another one is begun, also within one call; a copy of any size has room."""
    held = copies(tmp_path, rotate_octets=5_000)
    places = held.append([capture(number, 3_000) for number in range(4)]) + held.append([capture(9, 20_000)])
    places += held.append([capture(number) for number in range(10, 12)])
    assert len(held.files()) == 4
    assert [place.file for place in places] == sorted(place.file for place in places)
    assert [held.read(place).body for place in places] == [
        capture(number, size).body
        for number, size in ((0, 3_000), (1, 3_000), (2, 3_000), (3, 3_000), (9, 20_000), (10, 0), (11, 0))
    ]
    assert held.recover({name: held.end(name) for name in held.files()}).cut == {}


def test_nothing_is_written_for_nothing(tmp_path: Path) -> None:
    """No captures, no file; metadata that is no JSON, no file either."""
    held = copies(tmp_path / "none")
    assert held.append([]) == []
    with pytest.raises(TypeError):
        held.append([capture(1), capture(2, metadata={"a": object()})])
    with pytest.raises(ValueError, match="JSON"):
        held.append([capture(2, metadata={"a": float("nan")})])
    assert held.files() == []
    assert not (tmp_path / "none").exists()
    held.remove("acap-20250630T120000-00001.warc.gz")
    assert held.recover({}).removed == ()


@pytest.mark.parametrize("wrong", [{"at": datetime(2025, 6, 30)}, {"status": 7}, {"address": "example.com\r\nA: b"}])  # noqa: DTZ001
def test_what_is_no_capture_is_refused(wrong: dict[str, Any]) -> None:
    """A naive time, a status that is none, an address that is none."""
    with pytest.raises(ValueError, match=r"[`']"):
        Capture(**{"url": "https://a.example/", "at": NOON, "status": 200, "headers": (), "body": b"", **wrong})


def test_a_copy_that_is_not_there_is_missed_by_name(tmp_path: Path) -> None:
    """A file, a place or octets that are wrong: one line that names the file."""
    held = copies(tmp_path)
    first, second = held.append([capture(1), capture(2)])
    whole = (tmp_path / first.file).read_bytes()
    (tmp_path / "outside").write_bytes(whole)
    wrong = [
        Place("acap-20250630T120000-99999.warc.gz", 0, 9),
        Place("outside", first.offset, first.length),
        Place("../outside", first.offset, first.length),
        Place(first.file, first.offset + 1, first.length - 1),
        Place(first.file, first.offset, first.length - 1),
        Place(first.file, first.offset, first.length + second.length),
        Place(first.file, second.offset, second.length + 1),
        Place(first.file, 0, first.offset + first.length),
        Place(first.file, -1, 5),
    ]
    for place in wrong:
        with pytest.raises(CopyMissingError, match=re.escape(f"`{place.file}`")) as error:
            held.read(place)
        assert "\n" not in str(error.value)
    for at in range(first.offset, first.offset + first.length, 7):
        (tmp_path / first.file).write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        # Some octets say nothing: of the time and system in the header of gzip.
        with suppress(CopyMissingError):
            assert held.read(first) == capture(1)
    (tmp_path / first.file).write_bytes(whole)
    assert held.read(first) == capture(1)


def test_octets_that_another_wrote_are_no_copy(tmp_path: Path) -> None:
    """A body, a record or a place that was exchanged for another of the same form."""
    held = copies(tmp_path)
    places = held.append([capture(1), capture(2)])
    octets = (tmp_path / places[0].file).read_bytes()
    halves = [
        gzip.decompress(octets[place.offset :][: place.length]).partition(b"WARC/1.1\r\nWARC-Type: meta")
        for place in places
    ]
    (response, mark, metadata), (_, _, other) = halves
    for first, second in (
        (response.replace(b"secret1", b"secret7"), mark + metadata),
        (response, mark + other),
        (mark + metadata, response),
        (response, response),
        (response[:-4], mark + metadata),
    ):
        packed = gzip.compress(first) + gzip.compress(second)
        (tmp_path / places[0].file).write_bytes(packed)
        with pytest.raises(CopyMissingError, match="is damaged"):
            held.read(Place(places[0].file, 0, len(packed)))
    packed = gzip.compress(response) + gzip.compress(mark + metadata)
    (tmp_path / places[0].file).write_bytes(packed)
    assert held.read(Place(places[0].file, 0, len(packed))) == capture(1)


def test_what_is_deleted_is_in_no_file(tmp_path: Path) -> None:
    """Of a copy that is not kept no word, URL or header is anywhere; the others are as they were, octet for octet."""
    held = copies(tmp_path)
    places = held.append([capture(number) for number in range(5)])
    old = (tmp_path / places[0].file).read_bytes()
    new, moved = held.rewrite(places[0].file, [places[4], places[1]])
    assert new is not None
    assert sorted(moved) == [places[1], places[4]]
    assert (tmp_path / places[0].file).read_bytes() == old
    held.remove(places[0].file)
    assert held.files() == [new]
    text = text_of(tmp_path)
    assert [number for number in range(5) if f"secret{number}word".encode() in text] == [1, 4]
    assert [number for number in range(5) if f"example.com/{number}".encode() in text] == [1, 4]
    written = (tmp_path / new).read_bytes()
    for place, now in moved.items():
        assert written[now.offset :][: now.length] == old[place.offset :][: place.length]
        assert held.read(now) == capture(places.index(place))
    assert held.rewrite(new, []) == (None, {})
    held.remove(new)
    held.remove(new)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_appended_to_a_file_that_is_to_go(tmp_path: Path) -> None:
    """What comes after a rewrite, a removal or in another object begins a file; no name is used twice."""
    held = copies(tmp_path)
    names = [held.append([capture(1)])[0].file]
    held.rewrite(names[0], [])
    names += [place.file for place in held.append([capture(2)])]
    held.remove(names[-1])
    names += [place.file for place in held.append([capture(3)])]
    assert held.append([capture(4)])[0].file == names[-1]
    names += [place.file for place in copies(tmp_path).append([capture(5)])]
    assert len(set(names)) == 4


def test_a_rewrite_of_what_is_missing_changes_nothing(tmp_path: Path) -> None:
    """A place of another file, or beyond the end: no new file stays, and the old one is as it was."""
    held = copies(tmp_path)
    [place] = held.append([capture(1)])
    for wrong in (Place(place.file, place.offset, 99_999), Place("other", 0, 1)):
        with pytest.raises(CopyMissingError):
            held.rewrite(place.file, [place, wrong])
    assert held.files() == [place.file]
    assert held.read(place) == capture(1)


def test_recovery_touches_nothing_that_is_not_ours(tmp_path: Path) -> None:
    """Files of other names, directories and links stay; files that do not count go, ends are cut."""
    held = copies(tmp_path)
    [kept] = held.append([capture(1)])
    end = held.end(kept.file)
    held.append([capture(2)])
    stray = copies(tmp_path).append([capture(3)])[0].file
    strange = ("notes.txt", "acap-20250630T120000-00001.warc", "xacap-20250630T120000-00001.warc.gz", "other.warc.gz")
    for name in strange:
        (tmp_path / name).write_text("mine", encoding="utf-8")
    (tmp_path / "acap-20250630T120000-77777.warc.gz").mkdir()
    (tmp_path / "acap-20250630T120000-88888.warc.gz").symlink_to(tmp_path / "notes.txt")
    before = {path.name for path in tmp_path.iterdir()}
    done = held.recover({kept.file: end, "gone.warc.gz": 5})
    assert (set(done.cut), done.removed, done.missing) == ({kept.file}, (stray,), ("gone.warc.gz",))
    assert {path.name for path in tmp_path.iterdir()} == before - {stray}
    assert held.end(kept.file) == end
    assert b"secret2word" not in text_of(tmp_path)
    assert held.recover({kept.file: end, "gone.warc.gz": 5}).cut == {}
    [after] = held.append([capture(4)])
    assert (after.file, after.offset) == (kept.file, end)
    assert held.read(kept) == capture(1)


def test_a_file_that_lost_copies_is_named(tmp_path: Path) -> None:
    """It is shorter than what counts; the others are recovered all the same."""
    held = copies(tmp_path)
    short = held.append([capture(1)])[0].file
    other = copies(tmp_path).append([capture(2)])[0].file
    os.truncate(tmp_path / short, 100)
    with pytest.raises(CopiesDamagedError, match=f"`{short}` has 100 octets of") as error:
        held.recover({short: 500, other: 400})
    assert "\n" not in str(error.value)
    assert held.end(other) == 400


class KilledError(BaseException):
    """The process is gone."""


class Disk:
    """The calls that change files, with a fault at one of them: an error, or the end of the process.

    Octets that were not synced when the process ends are lost, kept or garbled, and files whose directory was not
    synced may be gone, as after a power cut.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at: int | None = None
        self.kills = self.lasts = False
        self.steps = 0
        self.dead = False
        self.loose: dict[str, int] = {}  # how many octets of a file were synced, where there are more
        self.new: set[str] = set()  # files whose directory was not synced since they were made
        self.gone: set[str] = set()  # or since they were removed
        self._open: dict[int, str] = {}
        self._real: dict[str, Any] = {}
        for name in ("open", "write", "ftruncate", "close", "unlink", "mkdir"):
            self._real[name] = getattr(os, name)
            monkeypatch.setattr(os, name, getattr(self, name))

    def arm(self, at: int | None, *, kills: bool = False, lasts: bool = False) -> None:
        """The next fault is at the `at`-th step from now; what lasts fails from then on."""
        self.at, self.kills, self.lasts, self.steps, self.dead = at, kills, lasts, 0, False
        self.loose.clear()
        self.new.clear()
        self.gone.clear()

    @property
    def is_synced(self) -> bool:
        """Whether a power cut would lose nothing."""
        return not (self.loose or self.new or self.gone)

    def _step(self, what: Callable[[], Any] = lambda: None) -> None:
        if self.dead:
            raise KilledError
        self.steps += 1
        if self.at is not None and (self.steps == self.at or (self.lasts and self.steps > self.at)):
            what()
            self._fail()

    def _fail(self) -> NoReturn:
        if self.kills:
            self.dead = True
            raise KilledError
        raise OSError(28, "No space left on device")

    def _loosen(self, path: str) -> None:
        self.loose.setdefault(path, Path(path).stat().st_size)

    def open(self, path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & os.O_CREAT:
            self._step()
            self.new.add(str(path))
        descriptor: int = self._real["open"](path, flags, *more, **named)
        self._open[descriptor] = str(path)
        return descriptor

    def write(self, descriptor: int, octets: Any) -> int:
        real = self._real["write"]
        if descriptor in self._open:
            self._loosen(self._open[descriptor])
            self._step(lambda: real(descriptor, bytes(octets)[: len(octets) // 2]))
            octets = octets[: max(1, len(octets) // 2)]  # a call may write less than it was given
        written: int = real(descriptor, octets)
        return written

    def ftruncate(self, descriptor: int, end: int) -> None:
        self._loosen(self._open[descriptor])
        self._step()
        self._real["ftruncate"](descriptor, end)

    def close(self, descriptor: int) -> None:
        self._open.pop(descriptor, None)
        self._real["close"](descriptor)

    def unlink(self, path: Any, **named: Any) -> None:
        self._step()
        self._real["unlink"](path, **named)
        self.loose.pop(str(path), None)
        self.new.discard(str(path))
        self.gone.add(str(path))

    def mkdir(self, path: Any, *more: Any, **named: Any) -> None:
        self._step()
        self._real["mkdir"](path, *more, **named)

    def fsync(self, descriptor: int) -> None:
        self._step()
        path = self._open[descriptor]
        if Path(path).is_dir():
            self.new = {name for name in self.new if str(Path(name).parent) != path}
            self.gone = {name for name in self.gone if str(Path(name).parent) != path}
        else:
            self.loose.pop(path, None)

    def cut_power(self, chance: random.Random) -> None:
        """What was not synced is lost, kept or garbled."""
        for name, synced in self.loose.items():
            path = Path(name)
            if path.exists():
                now = path.read_bytes()
                kept = now[: synced + chance.randrange(max(1, len(now) - synced + 1))]
                path.write_bytes(kept + bytes(chance.choice((0, 0, 50))))
        for name in sorted(self.new):
            if chance.random() < 0.5:
                with suppress(FileNotFoundError):
                    self._real["unlink"](name)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """A disk that can fail."""
    return Disk(monkeypatch)


@pytest.mark.parametrize("how", ["error", "lasting error", "killed"])
@pytest.mark.parametrize("rotate", [1_500, 2**20])
def test_an_append_that_fails_leaves_what_counted(disk: Disk, tmp_path: Path, rotate: int, how: str) -> None:
    """At whatever step: what counted is there, nothing else is after recovery, and appending goes on."""
    tried = 0
    kills = how == "killed"
    for step in count(1):
        directory = tmp_path / str(step)
        held = copies(directory, rotate_octets=rotate, fsync=disk.fsync)
        disk.arm(None)
        before = held.append([capture(1), capture(2)])
        committed = {place.file: place.offset + place.length for place in before}
        disk.arm(step, kills=kills, lasts=how == "lasting error")
        try:
            held.append([capture(3), capture(4, 500), capture(5)])
        except (OSError, KilledError):
            tried += 1
        else:
            break
        disk.arm(None)
        if kills:
            held = copies(directory, rotate_octets=rotate, fsync=disk.fsync)
        else:
            if how == "error":
                assert {name: held.end(name) for name in held.files()} == committed
            # Whoever goes on without recovery does not write behind what failed.
            [more] = held.append([capture(6)])
            committed[more.file] = more.offset + more.length
            before.append(more)
        held.recover(committed)
        assert {name: held.end(name) for name in held.files()} == committed
        assert [held.read(place).url[-1] for place in before] == ["1", "2", "6"][: len(before)]
        text = text_of(directory)
        assert not any(f"secret{number}word".encode() in text for number in (3, 4, 5))
        [after] = held.append([capture(7)])
        assert held.read(after) == capture(7)
    assert tried >= 4


@pytest.mark.parametrize("kills", [False, True], ids=["error", "killed"])
def test_a_rewrite_that_fails_leaves_the_old_file(disk: Disk, tmp_path: Path, *, kills: bool) -> None:
    """At whatever step: the old file counts, and recovery takes the unfinished one away."""
    tried = 0
    for step in count(1):
        directory = tmp_path / str(step)
        held = copies(directory, fsync=disk.fsync)
        disk.arm(None)
        places = held.append([capture(number) for number in range(4)])
        committed = {places[0].file: held.end(places[0].file)}
        disk.arm(step, kills=kills)
        try:
            held.rewrite(places[0].file, places[1:3])
        except (OSError, KilledError):
            tried += 1
        else:
            break
        disk.arm(None)
        if not kills:
            assert held.files() == [places[0].file]
        held = copies(directory, fsync=disk.fsync)
        held.recover(committed)
        assert held.files() == [places[0].file]
        assert [held.read(place) for place in places] == [capture(number) for number in range(4)]
        new, moved = held.rewrite(places[0].file, places[1:3])
        assert new is not None
        assert [held.read(moved[place]) for place in places[1:3]] == [capture(1), capture(2)]
    assert tried >= 4


@pytest.mark.parametrize("kills", [False, True], ids=["error", "killed"])
def test_a_removal_or_a_recovery_that_fails_can_be_done_again(disk: Disk, tmp_path: Path, *, kills: bool) -> None:
    """At whatever step: doing it once more completes it."""
    for work in ("remove", "recover"):
        for step in count(1):
            directory = tmp_path / f"{work}{step}"
            held = copies(directory, fsync=disk.fsync)
            disk.arm(None)
            first, second = (copies(directory, fsync=disk.fsync).append([capture(number)])[0] for number in (1, 2))
            committed = {second.file: second.offset + second.length - 20} if work == "recover" else {}
            disk.arm(step, kills=kills)
            done = False
            try:
                held.remove(first.file) if work == "remove" else held.recover(committed)
                done = True
            except (OSError, KilledError):
                disk.arm(None)
                held.remove(first.file) if work == "remove" else held.recover(committed)
            assert held.files() == [second.file]
            if work == "recover":
                assert held.end(second.file) == committed[second.file]
            assert disk.is_synced
            if done:
                assert step > 2
                break


def test_what_was_written_is_synced_before_it_counts(disk: Disk, tmp_path: Path) -> None:
    """A power cut right after an append or a rewrite loses nothing, of a new file or of one that was there."""
    held = copies(tmp_path / "new", fsync=disk.fsync)
    disk.arm(None)
    places = held.append([capture(1)])
    assert disk.is_synced
    places += held.append([capture(2)])
    assert disk.is_synced
    assert len(held.files()) == 1
    new, _ = held.rewrite(places[0].file, [places[0]])
    assert disk.is_synced
    held.remove(str(new))
    assert disk.is_synced


ACTS = st.lists(
    st.tuples(
        st.sampled_from(("append", "append", "delete", "crash", "error", "abort", "reopen")), st.integers(0, 2**32)
    ),
    max_size=14,
)


@given(acts=ACTS)
def test_a_directory_is_what_a_model_says(
    acts: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever is appended, deleted, interrupted, recovered, in any order: what counts is read, and no word else."""
    directory = tmp_path_factory.mktemp("copies")
    with pytest.MonkeyPatch.context() as monkeypatch:
        model = Model(directory, Disk(monkeypatch))
        for what, seed in acts:
            model.act(what, random.Random(seed))
            model.check()
        model.held.recover(model.committed)
        assert {name: model.held.end(name) for name in model.held.files()} == model.committed
        found = {int(number) for number in re.findall(rb"<p>secret(\d+)word", text_of(directory))}
        assert found == set(model.numbers.values())
    shutil.rmtree(directory)


class Model:
    """What a database would know of a directory with copies: each copy's number by its place, and each file's end."""

    def __init__(self, directory: Path, disk: Disk) -> None:
        self.directory, self.disk = directory, disk
        self.numbers: dict[Place, int] = {}
        self.committed: dict[str, int] = {}
        self.next = count()
        self.open()

    def open(self) -> None:
        """As after a start of the process."""
        self.held = copies(self.directory, rotate_octets=2_500, fsync=self.disk.fsync)

    def act(self, what: str, chance: random.Random) -> None:
        """One thing that happens."""
        self.disk.arm(None)
        if what == "append":
            for place, number in self.write(chance).items():
                self.numbers[place] = number
                self.committed[place.file] = max(self.committed.get(place.file, 0), place.offset + place.length)
        elif what == "delete" and self.committed:
            self.delete(chance)
        elif what == "reopen":
            self.open()
        elif what == "abort":
            self.write(chance)
            self.held.recover(self.committed)
        elif what in ("crash", "error"):
            self.fail(chance, kills=what == "crash")

    def write(self, chance: random.Random) -> dict[Place, int]:
        """Appends some; they do not count yet."""
        own = [next(self.next) for _ in range(chance.randint(1, 4))]
        places = self.held.append([capture(number, chance.choice((0, 0, 900))) for number in own])
        return dict(zip(places, own, strict=True))

    def rewrite(self, chance: random.Random) -> tuple[str, str | None, dict[Place, Place]]:
        """Writes a file without some of its copies."""
        file = chance.choice(sorted(self.committed))
        return file, *self.held.rewrite(
            file, [one for one in self.numbers if one.file == file and chance.random() < 0.6]
        )

    def delete(self, chance: random.Random) -> None:
        """Deletes some copies, as the database does it."""
        file, new, moved = self.rewrite(chance)
        for place in [place for place in self.numbers if place.file == file]:
            number = self.numbers.pop(place)
            if place in moved:
                self.numbers[moved[place]] = number
        if new is not None:
            self.committed[new] = self.held.end(new)
        self.held.remove(file)
        del self.committed[file]

    def fail(self, chance: random.Random, *, kills: bool) -> None:
        """Something fails, by an error or by the end of the process, or ends before it is committed."""
        self.disk.arm(chance.randint(1, 12), kills=kills)
        try:
            if self.committed and chance.random() < 0.4:
                self.rewrite(chance)
            else:
                self.write(chance)
        except KilledError:
            self.disk.cut_power(chance)
        except OSError:
            self.disk.arm(None)
            return  # whoever goes on without recovery does no harm
        self.disk.arm(None)
        self.open()
        self.held.recover(self.committed)

    def check(self) -> None:
        """What counts is read."""
        for place, number in self.numbers.items():
            assert self.held.read(place).body.startswith(f"<p>secret{number}word".encode())

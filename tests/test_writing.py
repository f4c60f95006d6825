"""Only a regular file is replaced, and keeps what it is called and whose it is; anything else is written to."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from acap.publish import replacing
from acap.publish.replacing import write_file
from tests.command_line import ROOT, acap, environment, process
from tools.capture import terminal_output

if TYPE_CHECKING:
    from collections.abc import Iterator

ACAP = b"ACAP-crawler: *\nACAP-disallow-index: /\n"
# What is seen where control characters are obeyed.
HOSTILE = b"user-agent:*\nDisalow: /\x1b]0;pwned\x07\x1b[2J\n"


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    file = tmp_path / "robots.txt"
    file.write_bytes(b"user-agent: *\ndisallow: /private/\n")
    return file


@contextmanager
def reading(fifo: Path) -> Iterator[list[bytes]]:
    """Reads what is written to a FIFO while the block runs."""
    came: list[bytes] = []
    reader = threading.Thread(target=lambda: came.append(fifo.read_bytes()), daemon=True)
    reader.start()
    yield came
    reader.join(10)


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_a_fifo_is_written_to_and_stays_one(tmp_path: Path) -> None:
    fifo = tmp_path / "out"
    os.mkfifo(fifo)
    with reading(fifo) as came:
        write_file(fifo, ACAP)
    assert came == [ACAP]
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    assert names(tmp_path) == {"out"}


def test_a_device_is_written_to_and_stays_one(tmp_path: Path) -> None:
    """As root a device like `/dev/null`, made for the test; else the one at hand, which nobody else can replace."""
    device = tmp_path / "null"
    if os.geteuid() == 0:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    else:
        device = Path("/dev/full")
    before = device.stat()
    if os.geteuid() == 0:
        write_file(device, ACAP)
    else:
        with pytest.raises(OSError, match="No space left"):
            write_file(device, ACAP)
    assert stat.S_ISCHR(device.stat().st_mode)
    assert device.stat().st_ino == before.st_ino


WRITERS = {
    "convert": ["convert", "--to", "acap", "-o", "OUT", "ROBOTS"],
    "compose": ["compose", "--from", "TABLE", "-o", "OUT"],
    "lint": ["lint", "--write-baseline", "--baseline", "OUT", "ROBOTS"],
    "test": ["test", "--junit", "OUT", "CASES"],
}


@pytest.mark.parametrize("command", WRITERS)
def test_every_command_that_writes_a_file_writes_into_what_is_none(command: str, robots: Path, tmp_path: Path) -> None:
    table, cases, fifo = tmp_path / "acap.toml", tmp_path / "x.acap.toml", tmp_path / "out"
    table.write_text('[[policy.record]]\ncrawlers = ["*"]\npermit = [{ usage = "index" }]\n', encoding="utf-8")
    cases.write_text(
        'robots = "robots.txt"\n[[case]]\ncrawler = "a"\npath = "/private/x"\nusage = "crawl"\nexpect = "prohibited"\n',
        encoding="utf-8",
    )
    os.mkfifo(fifo)
    named = {"OUT": fifo, "ROBOTS": robots, "TABLE": table, "CASES": cases}
    with reading(fifo) as came:
        result = acap(*(named.get(word, word) for word in WRITERS[command]))
    assert result.code == 0, result.err
    assert came
    assert came[0]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_by_name_goes_on_where_it_is(name: str, robots: Path, tmp_path: Path) -> None:
    """Also where it is a file to which others have written, and to which the shell will."""
    out = tmp_path / "log"
    script = f"echo before; {sys.executable} -m acap.cli.main convert --to acap -o {name} {robots}; echo after"
    with out.open("wb") as opened:
        subprocess.run(["sh", "-c", script], stdout=opened, env=environment(), cwd=ROOT, timeout=60, check=True)
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "before"
    assert any("ACAP-" in line for line in lines)
    assert lines[-1] == "after"


def test_standard_output_by_name_may_be_a_pipe(robots: Path) -> None:
    out, err = process("convert", "--to", "acap", "-o", "/dev/stdout", robots).communicate(timeout=60)
    assert b"ACAP-" in out
    assert b"cannot be written" not in err


def test_a_symbolic_link_goes_on_leading_to_its_file(tmp_path: Path) -> None:
    there, link, dangling = tmp_path / "there", tmp_path / "link", tmp_path / "dangling"
    there.write_bytes(b"old")
    link.symlink_to("there")
    dangling.symlink_to("new")
    write_file(link, ACAP)
    write_file(dangling, ACAP)
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert there.read_bytes() == (tmp_path / "new").read_bytes() == ACAP
    assert names(tmp_path) == {"there", "link", "dangling", "new"}


def test_every_name_of_a_file_goes_on_leading_to_it(tmp_path: Path) -> None:
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_bytes(b"old and longer than the new octets, which must not end in what is left of it")
    other.hardlink_to(file)
    write_file(file, ACAP)
    assert other.read_bytes() == ACAP
    assert file.samefile(other)


def test_octets_of_a_file_with_several_names_come_back_if_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    (tmp_path / "other").hardlink_to(file)
    write = replacing._put

    def full(opened: int, octets: bytes) -> None:
        write(opened, octets[:10])
        if octets == ACAP:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(replacing, "_put", full)
    with pytest.raises(OSError, match="No space left"):
        write_file(file, ACAP)
    assert file.read_bytes() == b"old"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_the_mode_stays(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(mode)
    write_file(file, ACAP)
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert file.read_bytes() == ACAP


def test_a_new_file_is_made_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "new", ACAP)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_attributes_stay(tmp_path: Path) -> None:
    """Where the file system keeps any: an access list is one of them."""
    file = tmp_path / "file"
    file.write_bytes(b"old")
    try:
        os.setxattr(file, "user.origin", b"here")
    except OSError:
        kept = []
    else:
        kept = ["user.origin"]
    write_file(file, ACAP)
    assert [name for name in os.listxattr(file) if name.startswith("user.")] == kept


def as_nobody(script: str) -> subprocess.CompletedProcess[bytes]:
    """Runs Python as somebody who is not root, whoever runs the tests."""
    drop = "import os\nif os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
    return subprocess.run(
        [
            sys.executable,
            "-c",
            f"from acap.publish.replacing import write_file\nfrom pathlib import Path\n{drop}{script}",
        ],
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that others reach: those of pytest are their owner's alone."""
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def test_the_owner_stays(open_folder: Path) -> None:
    """Root writes another's file; another writes into a file that is shared with its group."""
    file = open_folder / "file"
    file.write_bytes(b"old")
    if os.geteuid() == 0:
        os.chown(file, 65534, 65534)
    owner = file.stat().st_uid
    write_file(file, ACAP)
    assert file.read_bytes() == ACAP
    assert file.stat().st_uid == owner
    if os.geteuid() == 0:
        os.chown(file, 0, 65534)
        file.chmod(0o664)
        open_folder.chmod(0o777)
        done = as_nobody(f"write_file(Path({str(file)!r}), b'nobody')")
        assert (done.returncode, done.stderr) == (0, b"")
        assert file.read_bytes() == b"nobody"
        assert (file.stat().st_uid, stat.S_IMODE(file.stat().st_mode)) == (0, 0o664)


def test_a_directory_that_takes_no_file_holds_back_new_files_alone(open_folder: Path) -> None:
    file = open_folder / "file"
    file.write_bytes(b"old")
    file.chmod(0o666)
    open_folder.chmod(0o555)
    done = as_nobody(f"write_file(Path({str(file)!r}), b'new')\nwrite_file(Path({str(file)!r} + '2'), b'new')")
    assert b"PermissionError" in done.stderr
    assert file.read_bytes() == b"new"
    assert names(open_folder) == {"file"}


def test_a_file_that_may_not_be_written_is_not_replaced(open_folder: Path) -> None:
    """Its directory would permit that, which is not the same."""
    file = open_folder / "file"
    file.write_bytes(b"old")
    file.chmod(0o444)
    open_folder.chmod(0o777)
    done = as_nobody(f"write_file(Path({str(file)!r}), b'new')")
    assert b"PermissionError" in done.stderr
    assert file.read_bytes() == b"old"
    assert names(open_folder) == {"file"}


def test_what_cannot_be_written_is_one_line_and_leaves_nothing(robots: Path, tmp_path: Path) -> None:
    before = names(tmp_path)
    nowhere = tmp_path / "no/file"
    result = acap("convert", "--to", "acap", "-o", nowhere, robots)
    assert result.code == 2
    assert result.err == f"acap: `{nowhere}` cannot be written: No such file or directory\n"
    with pytest.raises(IsADirectoryError):
        write_file(tmp_path, ACAP)
    assert names(tmp_path) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["lint", "--diff", "FILE"],
        ["lint", "--diff", "--unsafe-fixes", "FILE"],
        ["format", "--diff", "FILE"],
        ["convert", "--to", "acap", "--diff", "FILE"],
        ["convert", "--to", "acap", "-o", "/dev/stdout", "FILE"],
        ["format", "--diff", "LINK"],
    ],
    ids=" ".join,
)
def test_a_diff_and_a_document_show_on_a_terminal_what_it_would_obey(arguments: list[str], tmp_path: Path) -> None:
    file, link = tmp_path / "robots.txt", tmp_path / "a\x1b[2Jb"
    file.write_bytes(HOSTILE)
    link.symlink_to(file)
    shown = terminal_output(["acap", *({"FILE": str(file), "LINK": str(link)}.get(word, word) for word in arguments)])
    assert "isal" in shown
    assert "\x1b]0" not in shown
    assert "\x1b[2J" not in shown
    assert "\x07" not in shown


def test_a_mended_document_shows_on_a_terminal_what_it_would_obey(tmp_path: Path) -> None:
    file = tmp_path / "robots.txt"
    file.write_bytes(HOSTILE)
    shown = terminal_output(["sh", "-c", f"acap lint --fix - < {file}"])
    assert "Disallow: /" in shown
    assert "\x1b]0" not in shown


def test_a_diff_that_is_piped_is_what_patch_takes(tmp_path: Path) -> None:
    file = tmp_path / "robots.txt"
    file.write_bytes(b"user-agent:*\nDisalow:\t/\x1b[2J\n")
    for command in (["lint", "--diff"], ["format", "--diff"]):
        assert "-Disalow:\t/\x1b[2J\n" in acap(*command, file).out.replace(" Disalow", "-Disalow")

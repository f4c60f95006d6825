"""The command line as a part of a pipeline: it starts fast, answers line by line, and stops cleanly."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from tests.command_line import environment, process

STARTS = {
    "version": ["--version"],
    "check": ["check", "--robots", "FILE", "-c", "a", "https://example.com/"],
    "format": ["format", "--check", "FILE"],
    "lint": ["lint", "FILE"],
    "show": ["show", "FILE"],
}


def started(arguments: list[str], robots: Path, *ask: str) -> str:
    """What statements print to standard error after a command, in a process of its own."""
    given = [str(robots) if word == "FILE" else word for word in arguments]
    script = "import sys\nfrom acap.cli.main import main\nmain(sys.argv[1:])\n" + "\n".join(ask)
    return subprocess.run(
        [sys.executable, "-c", script, *given], capture_output=True, text=True, timeout=60, check=True
    ).stderr.strip()


@pytest.mark.parametrize("arguments", STARTS.values(), ids=STARTS)
def test_the_start_imports_neither_rich_nor_the_network_nor_other_commands_rooms(
    robots: Path, arguments: list[str]
) -> None:
    found = started(
        arguments,
        robots,
        "names = {'.'.join(name.split('.')[:depth]) for name in sys.modules for depth in (1, 2)}",
        "print(sorted(names & {'rich', 'httpx2', 'httpx', 'anyio', 'asyncio', 'ssl', 'pyarrow', 'importlib_metadata', "
        "'traceback', 'textwrap', 'click.shell_completion', 'base64', 'html', 'string', "
        "'acap.pages', 'acap.retrieval', 'acap.harvest', 'acap.web', 'acap.integrations'}), file=sys.stderr)",
    )
    assert found.splitlines()[-1] == "[]"


def test_the_start_makes_dataclasses_only_of_what_checks_its_values_or_has_kinds(robots: Path) -> None:
    """One takes as long to make as four tuples with names."""
    found = started(
        STARTS["check"],
        robots,
        "things = {thing for name, module in sys.modules.items() if name.startswith('acap') for thing in vars(module)"
        ".values() if isinstance(thing, type)}",
        "print(sorted(one.__name__ for one in things if '__dataclass_fields__' in vars(one)), file=sys.stderr)",
    )
    assert found.splitlines()[-1] == "['Facts', 'Licensee', 'Limits', 'Restriction']"


def test_each_url_of_standard_input_is_answered_before_the_next_is_read(robots: Path) -> None:
    running = process("check", "--robots", robots, "-c", "a", "-u", "crawl", "--json", "-")
    assert running.stdin is not None
    assert running.stdout is not None
    for path, outcome in (("/", "permitted"), ("/private/", "prohibited"), ("/x", "permitted")):
        running.stdin.write(f"https://example.com{path}\n".encode())
        running.stdin.flush()
        assert json.loads(running.stdout.readline())["outcome"] == outcome
    assert running.communicate(timeout=60) == (b"", b"")
    assert running.returncode == 1


def test_thousands_of_urls_a_second(robots: Path) -> None:
    count = 20_000
    given = b"".join(b"https://example.com/news/%d\n" % number for number in range(count))
    began = time.perf_counter()
    out, err = process("check", "--robots", robots, "-c", "a", "-u", "crawl", "--json", "-").communicate(
        given, timeout=120
    )
    assert (out.count(b"\n"), err) == (count, b"")
    assert count / (time.perf_counter() - began) > 2_000


def flood(pipe: IO[bytes]) -> None:
    while True:
        pipe.write(b"https://example.com/\n" * 1000)


def test_a_reader_that_goes_away_is_no_error_of_ours(robots: Path) -> None:
    with process("check", "--robots", robots, "-c", "a", "-u", "crawl", "-", bufsize=0) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdin.write(b"https://example.com/\n")
        running.stdout.readline()
        running.stdout.close()
        with pytest.raises(BrokenPipeError):
            flood(running.stdin)
        assert running.wait(timeout=60) == 141
        assert running.stderr.read() == b""


@pytest.mark.parametrize(
    "arguments", [["show", "FILE"], ["check", "--robots", "FILE", "-c", "a", "--json", "/"], ["lint", "--help"]]
)
def test_output_that_cannot_be_written_is_one_line(robots: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        running = process(*(robots if word == "FILE" else word for word in arguments), stdout=full)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 2
    assert re.fullmatch(rb"acap: the output cannot be written: [^\n]+\n", err)


def test_outputs_that_the_shell_has_closed_are_no_error(robots: Path) -> None:
    command = f"'{sys.executable}' -m acap check --robots '{robots}' -c a -u crawl /private/ <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], env=environment(), check=False, timeout=60).returncode == 1


def interrupted(running: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    return running.returncode, out, err


def test_ctrl_c_while_reading_standard_input_ends_with_130(robots: Path) -> None:
    running = process("check", "--robots", robots, "-c", "a", "-u", "crawl", "-")
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(b"https://example.com/\n")
    running.stdin.flush()
    running.stdout.readline()
    assert interrupted(running) == (130, b"", b"")


@pytest.mark.parametrize(
    "command", [["fetch"], ["check", "-c", "a"], ["show"], ["site"]], ids=["fetch", "check", "show", "site"]
)
def test_ctrl_c_while_a_site_keeps_us_waiting_ends_with_130(command: list[str], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/robots.txt"
        running = process(*command, "--allow-private", "--cache-dir", tmp_path, url)
        server.settimeout(60)
        silent, _ = server.accept()
        with silent:
            assert interrupted(running) == (130, b"", b"")


def test_text_beyond_the_output_s_encoding_is_escaped(tmp_path: Path) -> None:
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: *\nDisallow: /ü\n", encoding="utf-8")
    running = process(
        "check", "--robots", file, "-c", "a", "-u", "crawl", "/ü", env=os.environ | {"PYTHONIOENCODING": "ascii"}
    )
    out, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (1, b"")
    assert rb"Disallow: /\xfc" in out

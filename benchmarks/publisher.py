"""What a webmaster waits for: the start of a command, lint of many files, compare of large ones."""

from __future__ import annotations

import compileall
import dataclasses
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import acap
from acap.publish.compare import compare
from acap.robots import parse_robots
from benchmarks.corpus import File

STARTED = 0.1
"""Seconds: at most so long from a call to the answer of a command on one small file."""
LINTED = 3.0
"""Seconds: at most so long for lint of the corpus."""
COMPARED = 1.0
"""Seconds: at most so long for a large file and the same with one more line."""

LARGEST = 10
_SMALL = b"User-agent: *\nDisallow: /private/\n"


@dataclasses.dataclass(frozen=True, slots=True)
class Waits:
    """Seconds by the clock; of commands by their names, least, median and most of the rounds."""

    processors: int
    files: int
    linted: list[float]
    started: dict[str, list[float]]
    compared: dict[str, float]


def measure(files: list[File], rounds: int) -> Waits:
    """Measures by the clock, with all processors that there are: a person waits for the clock."""
    compileall.compile_dir(Path(acap.__file__).parent, quiet=1)  # as an installation does
    with tempfile.TemporaryDirectory() as place:
        corpus, small = Path(place, "corpus"), Path(place, "robots.txt")
        small.write_bytes(_SMALL)
        for number, file in enumerate(files):
            folder = corpus / f"{number:04}"
            folder.mkdir(parents=True)
            (folder / "robots.txt").write_bytes(file.octets)
        calls = {
            "python, nothing": ["-c", "pass"],
            "acap --version": ["-m", "acap", "--version"],
            "acap check": ["-m", "acap", "check", "--robots", str(small), "--crawler", "examplebot", "/private/a"],
            "acap format": ["-m", "acap", "format", "--check", str(small)],
            "acap lint": ["-m", "acap", "lint", str(small)],
        }
        started = {name: [_called(call) for _ in range(rounds * 3)] for name, call in calls.items()}
        linted = [_called(["-m", "acap", "lint", "--quiet", str(corpus)]) for _ in range(rounds)]
    return Waits(os.cpu_count() or 1, len(files), linted, started, _compared(files))


def _called(arguments: list[str]) -> float:
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], capture_output=True, check=False)
    taken = time.perf_counter() - begun
    assert done.returncode in (0, 1), done.stderr
    return taken


def _compared(files: list[File]) -> dict[str, float]:
    """The largest files, each with the same and a line more in its middle: octets and rules, and seconds."""
    found = {}
    for file in sorted(files, key=lambda file: len(file.octets), reverse=True)[:LARGEST]:
        lines = file.octets.splitlines(keepends=True)
        rules = [place for place, line in enumerate(lines) if line.lower().startswith(b"disallow")]
        middle = rules[len(rules) // 2] if rules else len(lines)
        more = b"".join([*lines[:middle], b"Allow: /*one-more\n", *lines[middle:]])
        old, new = parse_robots(file.octets), parse_robots(more)
        begun = time.perf_counter()
        verdict = compare(old, new).verdict
        taken = time.perf_counter() - begun
        assert verdict != "undecided"
        found[f"{len(file.octets):,} octets, {len(rules):,} Disallow lines"] = taken
    return found

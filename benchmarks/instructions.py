"""How many instructions the core needs for fixed work: what a machine that others use can tell of its speed.

``python -m benchmarks.instructions`` counts with valgrind and compares with ``instructions.toml``; a count that is more
than `TOLERANCE` beside the one there ends it with 1, a greater and a smaller one alike, so that the table stays true.
``--update`` writes the table. Another compiler makes other code: its counts are not compared.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks import corpus

TABLE = Path(__file__).with_name("instructions.toml")
ROOT = Path(__file__).resolve().parent.parent
DRIVER = ROOT / "target/quick/examples/work"
WORKS = ("reading", "reading-and-one-question", "questions", "yes-or-no", "questions-at-once")
FILES = 1_000
TOLERANCE = 0.03
HEAD = """\
# Instructions that the core needs for the work of rust/policy/examples/work.rs on {files:,} files of the corpus.
# Written by `python -m benchmarks.instructions --update`.
"""


class CannotCountError(Exception):
    """What is missing to count, or to compare."""


def compiler() -> str:
    """The compiler and its machine, in one line."""
    if not shutil.which("rustc"):
        raise CannotCountError("rustc is not installed")
    lines = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()
    host = next(line.removeprefix("host: ") for line in lines if line.startswith("host: "))
    return f"{lines[0]}, {host}"


def build() -> None:
    """Builds the driver with the profile as it is written, whatever the environment makes of it elsewhere."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CARGO_PROFILE_")}
    environment |= {"CARGO_TARGET_DIR": str(ROOT / "target")}
    command = ["cargo", "build", "--quiet", "--profile", "quick", "--package", "acap-policy", "--example", "work"]
    subprocess.run(command, check=True, cwd=ROOT, env=environment)


def sites() -> bytes:
    """What the driver reads."""
    out = bytearray()
    for file in corpus.load()[:FILES]:
        for octets in (file.octets, "\n".join(file.urls).encode()):
            out += len(octets).to_bytes(8) + octets
    return bytes(out)


def count(work: str, times: int, path: Path) -> int:
    """The instructions of a process that does the work so often."""
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command = [*tool, str(DRIVER), work, str(times), str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    found = re.search(r"I +refs: +([\d,]+)", done.stderr)
    if found is None:
        raise CannotCountError(f"valgrind did not tell its count: {done.stderr[-200:]!r}")
    return int(found[1].replace(",", ""))


def counts() -> dict[str, int]:
    """The instructions of each work.

    Raises:
        CannotCountError: valgrind or the compiler is missing.
    """
    if not shutil.which("valgrind"):
        raise CannotCountError("valgrind is not installed")
    build()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        path = Path(folder, "sites")
        path.write_bytes(sites())
        runs = {(work, times): pool.submit(count, work, times, path) for work in WORKS for times in (1, 2)}
        return {work: runs[work, 2].result() - runs[work, 1].result() for work in WORKS}


def written(table: dict[str, int], rustc: str) -> str:
    """The text of the table."""
    lines = (f"{work} = {number:_}\n" for work, number in table.items())
    return HEAD.format(files=FILES) + f'rustc = "{rustc}"\n\n[counts]\n{"".join(lines)}'


def departures(found: dict[str, int], held: dict[str, int]) -> list[str]:
    """What is not as the table has it, a line each."""
    out = []
    for work, number in found.items():
        before = held.get(work)
        if before is None:
            out.append(f"{work}: {number:,} instructions, and no count in the table")
        elif abs(number / before - 1) > TOLERANCE:
            out.append(f"{work}: {number:,} instructions, {number / before - 1:+.1%} beside {before:,}")
    return out


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the table")
    options = parser.parse_args()
    try:
        rustc = compiler()
        held = tomllib.loads(TABLE.read_text(encoding="utf-8"))
        if not options.update and held["rustc"] != rustc:
            raise CannotCountError(f"the table is of {held['rustc']}, and this is {rustc}")
        found = counts()
        held_counts: dict[str, int] = held["counts"]
    except CannotCountError as error:
        print(f"instructions are not compared: {error}")
        return 0
    for work, number in found.items():
        print(f"{work:<25} {number:>14,}")
    if options.update:
        TABLE.write_text(written(found, rustc), encoding="utf-8")
        return 0
    wrong = departures(found, held_counts)
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        print("faster or meant: `python -m benchmarks.instructions --update`; else find what grew", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Memory that kept policies take: in a fresh process for each contestant, from the size of the resident set.

``python -m benchmarks.memory CONTESTANT`` reads octets from its standard input (for each file its length in eight
octets, then the file) and prints JSON.
"""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import gc
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.contestants import PEERS, Acap
from benchmarks.corpus import CRAWLER, SITE, File

GOAL = 1.5  # times the text, when read
GOAL_ASKED = 1.8  # when each policy was asked once
STATM = Path("/proc/self/statm")
PAGE = 4096  # octets; what Linux counts in on the machines that have a statm


@dataclasses.dataclass(frozen=True, slots=True)
class Memory:
    """Octets that the policies of all files take: when read, and when each was asked once.

    `told` is what acap itself says that its policies hold.
    """

    text: int
    kept: int
    asked: int
    told: int | None = None


def measure(names: Sequence[str], files: Sequence[File]) -> dict[str, Memory]:
    """The memory of each contestant that keeps policies; nothing where the system does not tell."""
    if not STATM.exists():
        return {}
    octets = b"".join(len(file.octets).to_bytes(8) + file.octets for file in files)
    found = {}
    for name in names:
        command = [sys.executable, "-m", "benchmarks.memory", name]
        done = subprocess.run(command, input=octets, capture_output=True, check=True)
        found[name] = Memory(**json.loads(done.stdout))
    return found


def resident() -> int:
    """Octets in memory, once what is free has been given back; without files, as the code that runs is one."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    _, whole, files, *_ = map(int, STATM.read_text().split())
    return (whole - files) * PAGE


def of_one(name: str, files: list[bytes]) -> Memory:
    contestant = Acap() if name == "acap" else PEERS[name]()
    contestant.ask(contestant.policies(files[:1])[0], CRAWLER, [f"{SITE}/"])
    before = resident()
    policies = contestant.policies(files)
    kept = resident()
    for policy in policies:
        contestant.ask(policy, CRAWLER, [f"{SITE}/"])
    asked = resident()
    told = sum(policy._memory for policy in policies) if name == "acap" else None
    return Memory(sum(map(len, files)), kept - before, asked - before, told)


def main() -> None:
    files = []
    while size := sys.stdin.buffer.read(8):
        files.append(sys.stdin.buffer.read(int.from_bytes(size)))
    print(json.dumps(dataclasses.asdict(of_one(sys.argv[1], files))))


if __name__ == "__main__":
    main()

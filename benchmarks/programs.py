"""Implementations of other languages: programs that are asked by lines, and measure themselves.

`benchmarks/install-peers` builds them from `benchmarks/drivers`, as far as the machine has their languages. Google's
matcher takes part where ``ACAP_BENCH_GOOGLE`` names its program; ``GOOGLE_ROBOTSTXT`` names a checkout of its source,
from which install-peers builds that too.

A program reads requests from its standard input and answers on its standard output, a line each, so that the pipe costs
nothing that is measured. Numbers are decimal, times nanoseconds of its own processor time, lines end in LF.

    version                       → a text
    file LENGTH                   LENGTH octets and a LF follow; no answer: keeps the file, the first as number 0
    ask FILE CRAWLER URL          no answer: keeps the question, the first as number 0; the URL ends with the line
    read FROM BEFORE TIMES        reads the files FROM to BEFORE - 1 so often, and keeps their policies → NANOSECONDS
    decide FROM BEFORE TIMES      answers the questions FROM to BEFORE - 1 so often, by policies that were read before
                                  → NANOSECONDS ANSWERS, a digit a question, 1 for allowed
    each FROM BEFORE TIMES        the same, and reads the file of each question before it is answered

Google's matcher keeps no policy: `read` is its reader with a handler that does nothing, and `decide` reads too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.contestants import Contestant, Policy
from benchmarks.corpus import CRAWLER

VARIABLE = "ACAP_BENCH_GOOGLE"
SECOND = 1_000_000_000  # nanoseconds
BUILT = Path(sys.prefix)
"""Where install-peers puts them: the environment of the peers."""


class Program(Contestant):
    """A program; what it keeps of a file is known by the number of the file."""

    in_process = False

    def __init__(self, name: str, command: Sequence[str], *, keeps: bool = True) -> None:
        self.name = name
        self.keeps = keeps
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.version = self._request("version")
        self._files = 0
        self._questions = 0
        self._asked: dict[tuple[int, str, tuple[str, ...]], tuple[int, int]] = {}

    def read(self, files: Sequence[bytes], kept: list[Policy]) -> None:
        for place, octets in enumerate(files):
            self._send(b"file %d\n%b\n" % (len(octets), octets))
            kept[place] = self._files
            self._files += 1

    def ask(self, policy: Policy, crawler: str, urls: Sequence[str]) -> None:
        self._decide(policy, crawler, urls, 1)

    def answers(self, policy: Policy, crawler: str, urls: Sequence[str]) -> list[bool]:
        return [digit == "1" for digit in self._decide(policy, crawler, urls, 1)[1]]

    def seconds_reading(self, files: Sequence[bytes], kept: list[Policy]) -> float:
        if kept[0] is None:
            self.read(files, kept)
        return int(self._request(f"read {kept[0]} {kept[-1] + 1} 1")) / SECOND

    def seconds_asking(self, policy: Policy, crawler: str, urls: Sequence[str], times: int = 1) -> float:
        return self._decide(policy, crawler, urls, times)[0]

    def seconds_of_one_each(
        self, files: Sequence[bytes], crawler: str, urls: Sequence[str], kept: list[Policy]
    ) -> float:
        if kept[0] is None:
            self.read(files, kept)
        return self._run("each", self._range(kept[0], crawler, urls, kept), 1)[0]

    def _decide(self, number: int, crawler: str, urls: Sequence[str], times: int) -> tuple[float, str]:
        return self._run("decide", self._range(number, crawler, urls, [number] * len(urls)), times)

    def _range(self, number: int, crawler: str, urls: Sequence[str], files: Sequence[int]) -> tuple[int, int]:
        """The first and the one beyond the last of questions, which are sent once."""
        key = (number, crawler, tuple(urls))
        if key not in self._asked:
            for file, url in zip(files, urls, strict=True):
                self._send(f"ask {file} {crawler} {url}\n".encode())
            self._asked[key] = (self._questions, self._questions + len(urls))
            self._questions += len(urls)
        return self._asked[key]

    def _run(self, verb: str, questions: tuple[int, int], times: int) -> tuple[float, str]:
        first, beyond = questions
        nanoseconds, answers = self._request(f"{verb} {first} {beyond} {times}").split()
        return int(nanoseconds) / SECOND, answers

    def _send(self, octets: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(octets)

    def _request(self, line: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._send(line.encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().decode().strip()
        if not answer:
            raise RuntimeError(f"the program of {self.name} gave no answer to `{line}`")
        return answer


def command_of(name: str) -> list[str]:
    """The command of a program.

    Raises:
        LookupError: It is not there; the message says why.
    """
    if name == "google":
        if VARIABLE not in os.environ:
            raise LookupError(f"no program given in {VARIABLE}")
        return [os.environ[VARIABLE]]
    tool, command, needed = {
        "robots-parser": ("node", ["node", str(BUILT / "node/driver.js")], BUILT / "node/node_modules/robots-parser"),
        "crawler-commons": ("java", java(), BUILT / "java/Driver.class"),
        **dict.fromkeys(
            ("texting_robots", "fast-robots"), ("", [str(BUILT / "peers"), name, CRAWLER], BUILT / "peers")
        ),
    }[name]
    if tool and not shutil.which(tool):
        raise LookupError(f"{tool} is not installed")
    if not needed.exists():
        raise LookupError("not built")
    return command


def java() -> list[str]:
    """The command of crawler-commons, whose version stands in the name of its archive."""
    folder = BUILT / "java"
    version = next((path.stem.rpartition("-")[2] for path in folder.glob("crawler-commons-*.jar")), "")
    return ["java", f"-Dpeer.version={version}", "-cp", f"{folder}{os.pathsep}{folder}/*", "Driver", CRAWLER]


NAMES = ("robots-parser", "crawler-commons", "texting_robots", "fast-robots", "google")


def program(name: str) -> Program:
    """Starts a program.

    Raises:
        LookupError: It is not there; the message says why.
    """
    return Program(name, command_of(name), keeps=name != "google")

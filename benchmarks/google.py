"""Google's matcher in C++, where the runner has a program that speaks for it: the variable ``ACAP_BENCH_GOOGLE``.

The program reads requests from its standard input and answers on its standard output, a line each; it measures itself,
so that the pipe costs nothing. Numbers are decimal, times nanoseconds of its own processor time, lines end in LF.

    version                       → a text
    file LENGTH                   LENGTH octets and a LF follow; no answer: keeps the file, the first as number 0
    ask FILE CRAWLER URL          no answer: keeps the question, the first as number 0; the URL ends with the line
    read FROM BEFORE TIMES        reads the files FROM to BEFORE - 1 so often with a handler that does nothing
                                  → NANOSECONDS
    decide FROM BEFORE TIMES      answers the questions FROM to BEFORE - 1 so often, with a new matcher for each
                                  → NANOSECONDS ANSWERS, a digit a question, 1 for allowed

With the library of github.com/google/robotstxt such a program has some forty lines: `ParseRobotsTxt` for `read`,
`RobotsMatcher::OneAgentAllowedByRobots` for `decide`.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from benchmarks.contestants import Contestant, Policy

VARIABLE = "ACAP_BENCH_GOOGLE"
SECOND = 1_000_000_000  # nanoseconds


class Google(Contestant):
    """The program; what it keeps of a file is the number of the file."""

    name = "google"
    keeps = False

    def __init__(self, path: str) -> None:
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
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
        return self._run(self._range(kept[0], crawler, urls, kept), 1)[0]

    def _decide(self, number: int, crawler: str, urls: Sequence[str], times: int) -> tuple[float, str]:
        return self._run(self._range(number, crawler, urls, [number] * len(urls)), times)

    def _range(self, number: int, crawler: str, urls: Sequence[str], files: Sequence[int]) -> tuple[int, int]:
        """The first and the one beyond the last of questions, which are sent once."""
        key = (number, crawler, tuple(urls))
        if key not in self._asked:
            for file, url in zip(files, urls, strict=True):
                self._send(f"ask {file} {crawler} {url}\n".encode())
            self._asked[key] = (self._questions, self._questions + len(urls))
            self._questions += len(urls)
        return self._asked[key]

    def _run(self, questions: tuple[int, int], times: int) -> tuple[float, str]:
        first, beyond = questions
        nanoseconds, answers = self._request(f"decide {first} {beyond} {times}").split()
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
            raise RuntimeError(f"the program of {VARIABLE} gave no answer to `{line}`")
        return answer


def program() -> Google:
    """Starts the program that the runner gave. Raises KeyError if none was given."""
    return Google(os.environ[VARIABLE])

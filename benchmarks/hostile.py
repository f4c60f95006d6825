"""Inputs that are known to bring a reader to its knees, each in a process of its own with a time limit.

``python -m benchmarks.hostile CONTESTANT CASE`` reads the file of the case, asks one question and prints the seconds.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence

import acap
from benchmarks import programs
from benchmarks.contestants import PEERS, Acap, Contestant
from benchmarks.corpus import SITE

LIMIT = 10  # seconds
MIB = 1 << 20


def wildcards() -> tuple[bytes, str]:
    return b"User-agent: *\nDisallow: /a*a*a*a*a*a*a*a*b\n", "/" + "a" * 2_000


def many_wildcards() -> tuple[bytes, str]:
    return b"User-agent: *\nDisallow: /" + b"*a" * 1_000 + b"b\n", "/" + "a" * 2_000


def many_rules() -> tuple[bytes, str]:
    lines = (f"Disallow: /private-{number}/*.html\n" for number in range(10 * MIB // 35))
    return b"User-agent: *\n" + "".join(lines).encode(), "/private-1/x.html"


def many_groups() -> tuple[bytes, str]:
    groups = (f"User-agent: bot-{number}\nDisallow: /{number}\n\n" for number in range(100_000))
    return "".join(groups).encode() + b"User-agent: examplebot\nDisallow: /a\n", "/a"


def one_line() -> tuple[bytes, str]:
    return b"User-agent: *\nDisallow: /" + b"a" * (10 * MIB), "/a"


def a_page() -> tuple[bytes, str]:
    row = '<tr><td class="a:b">text: one & two</td></tr>\n<!-- Disallow: / -->\n'
    return f"<!DOCTYPE html>\n<html><body><table>\n{row * 15_000}</table></body></html>\n".encode(), "/a"


def acap_fields() -> tuple[bytes, str]:
    fields = (f"ACAP-allow-crawl: /{'*a' * (n % 40)}\nACAP-disallow-crawl: /{'a*' * (n % 40)}\n" for n in range(5_000))
    return b"ACAP-crawler: *\n" + "".join(fields).encode(), "/" + "a" * 2_000


CASES: dict[str, tuple[str, Callable[[], tuple[bytes, str]]]] = {
    "wildcards": ("`/a*a*a*a*a*a*a*a*b`, a path of 2,000 `a`", wildcards),
    "many-wildcards": ("1,000 wildcards in a rule, a path of 2,000 `a`", many_wildcards),
    "many-rules": ("10 MiB of rules with `*`", many_rules),
    "many-groups": ("100,000 groups", many_groups),
    "one-line": ("a line of 10 MiB", one_line),
    "acap-fields": ("10,000 ACAP fields that all match", acap_fields),
    "a-page": ("1 MB of HTML", a_page),
}


class Unlimited(Acap):
    """acap with room for these files; by default it reads 8 MiB."""

    def read(self, files: Sequence[bytes], kept: list[object]) -> None:
        limits = acap.Limits(file_octets=32 * MIB)
        for place, octets in enumerate(files):
            kept[place] = acap.parse_robots(octets, limits=limits)


def measure(names: Sequence[str]) -> dict[str, dict[str, float | str]]:
    """For each case what each contestant needed in seconds of processor time, or why it gave no answer."""
    return {case: {name: attempt(name, case) for name in names} for case in CASES}


def attempt(name: str, case: str) -> float | str:
    command = [sys.executable, "-m", "benchmarks.hostile", name, case]
    # A session of its own, so that a program that it started goes with it.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            printed, errors = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"more than {LIMIT} s"
    if process.returncode:
        last = errors.strip().rpartition("\n")[2]
        return f"fails: {last.partition(':')[0] or process.returncode}"
    return float(printed)


def contestant_of(name: str) -> Contestant:
    if name == "acap":
        return Unlimited()
    return programs.program(name) if name in programs.NAMES else PEERS[name]()


def main() -> None:
    name, case = sys.argv[1:]
    octets, path = CASES[case][1]()
    one = contestant_of(name)
    # What the first file costs of imports and tables is of the process, not of the case.
    one.seconds_of_one_each([b"User-agent: *\nDisallow: /x\n"], "examplebot", [f"{SITE}/"], [None])
    print(one.seconds_of_one_each([octets], "examplebot", one.asked([SITE + path]), [None]))


if __name__ == "__main__":
    main()

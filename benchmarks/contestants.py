"""Who is measured: acap and its peers, each by the calls that its documentation shows.

A contestant loops over files and URLs by itself, so that no call of ours stands between two of its own.
"""

from __future__ import annotations

import abc
import importlib
import importlib.metadata
import platform
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import acap
from benchmarks.clock import now
from benchmarks.corpus import SITE

Policy = Any
"""Whatever a contestant keeps of a file that it has read."""


class Contestant(abc.ABC):
    """One implementation.

    `keeps` tells whether it reads a file once, and not again for every question; `reads` whether reading can be
    measured by itself; `in_process` whether it is asked by calls, and not a program of another language.
    """

    name: str
    version: str
    keeps = True
    reads = True
    in_process = True

    @abc.abstractmethod
    def read(self, files: Sequence[bytes], kept: list[Policy]) -> None:
        """Reads each file and puts the policy in its place of `kept`, where an older one may be."""

    @abc.abstractmethod
    def ask(self, policy: Policy, crawler: str, urls: Sequence[str]) -> None:
        """Decides each URL and drops the answer."""

    @abc.abstractmethod
    def answers(self, policy: Policy, crawler: str, urls: Sequence[str]) -> list[bool]:
        """Whether the crawler may fetch each URL."""

    def asked(self, urls: Sequence[str]) -> Sequence[str]:
        """What it is asked by: URLs, or what is made of them before anything is measured."""
        return urls

    def yes_or_no(self, policy: Policy, crawler: str, urls: Sequence[str]) -> None:
        """Decides each URL by the shortest call there is, and drops the answer."""
        self.ask(policy, crawler, urls)

    def seconds_reading(self, files: Sequence[bytes], kept: list[Policy]) -> float:
        start = now()
        self.read(files, kept)
        return now() - start

    def seconds_asking(self, policy: Policy, crawler: str, urls: Sequence[str], times: int = 1) -> float:
        start = now()
        for _ in range(times):
            self.ask(policy, crawler, urls)
        return now() - start

    def seconds_of_one_each(
        self, files: Sequence[bytes], crawler: str, urls: Sequence[str], kept: list[Policy]
    ) -> float:
        """Reading each file and asking one URL of it."""
        start = now()
        self.read(files, kept)
        for policy, url in zip(kept, urls, strict=True):
            self.ask(policy, crawler, (url,))
        return now() - start

    def policies(self, files: Sequence[bytes]) -> list[Policy]:
        kept: list[Policy] = [None] * len(files)
        self.read(files, kept)
        return kept


class Acap(Contestant):
    """This package, in its dialect `auto`, which looks for ACAP fields and gives a reason."""

    name = "acap"
    version = acap.__version__

    def read(self, files: Sequence[bytes], kept: list[Policy]) -> None:
        for place, octets in enumerate(files):
            kept[place] = acap.parse_robots(octets)

    def ask(self, policy: Policy, crawler: str, urls: Sequence[str]) -> None:
        for url in urls:
            policy.decide(url, crawler=crawler).permitted  # noqa: B018  the answer itself is measured

    def yes_or_no(self, policy: Policy, crawler: str, urls: Sequence[str]) -> None:
        for url in urls:
            policy.allows(url, crawler)

    def answers(self, policy: Policy, crawler: str, urls: Sequence[str]) -> list[bool]:
        return [policy.decide(url, crawler=crawler).permitted for url in urls]


class Protego(Contestant):
    """What Scrapy uses; pure Python."""

    name = "protego"

    def __init__(self) -> None:
        self.parse: Callable[[str], Any] = importlib.import_module("protego").Protego.parse
        self.version = importlib.metadata.version("protego")

    def read(self, files: Sequence[bytes], kept: list[Policy]) -> None:
        for place, octets in enumerate(files):
            kept[place] = self.parse(octets.decode(errors="replace"))

    def ask(self, policy: Policy, crawler: str, urls: Sequence[str]) -> None:
        for url in urls:
            policy.can_fetch(url, crawler)

    def answers(self, policy: Policy, crawler: str, urls: Sequence[str]) -> list[bool]:
        return [policy.can_fetch(url, crawler) for url in urls]


class Urllib(Contestant):
    """`urllib.robotparser` of the Python that runs; before 3.15 the rules of 1996, without wildcards."""

    name = "urllib.robotparser"
    version = platform.python_version()

    def __init__(self) -> None:
        self.parser: Callable[[], Any] = importlib.import_module("urllib.robotparser").RobotFileParser

    def read(self, files: Sequence[bytes], kept: list[Policy]) -> None:
        for place, octets in enumerate(files):
            kept[place] = policy = self.parser()
            policy.parse(octets.decode(errors="replace").splitlines())

    def ask(self, policy: Policy, crawler: str, urls: Sequence[str]) -> None:
        for url in urls:
            policy.can_fetch(crawler, url)

    def answers(self, policy: Policy, crawler: str, urls: Sequence[str]) -> list[bool]:
        return [policy.can_fetch(crawler, url) for url in urls]


class FastRobotstxt(Contestant):
    """A fork of Google's matcher in C++ with a Python face; reads the file again for every question."""

    name = "fast-robotstxt"
    keeps = False
    reads = False

    def __init__(self) -> None:
        self.allowed: Callable[[str, str, str], bool] = importlib.import_module("robotstxt").RobotsMatcher().is_allowed
        self.version = importlib.metadata.version("fast-robotstxt")

    def read(self, files: Sequence[bytes], kept: list[Policy]) -> None:
        for place, octets in enumerate(files):
            kept[place] = octets.decode(errors="replace")

    def ask(self, policy: Policy, crawler: str, urls: Sequence[str]) -> None:
        for url in urls:
            self.allowed(policy, crawler, url)

    def answers(self, policy: Policy, crawler: str, urls: Sequence[str]) -> list[bool]:
        return [self.allowed(policy, crawler, url) for url in urls]


class Fastrobots(Contestant):
    """A reader in Rust with a Python face; asked by paths, for of a whole URL it compares the scheme with the rules."""

    name = "fastrobots"

    def __init__(self) -> None:
        self.parse: Callable[[str], Any] = importlib.import_module("fastrobots").Robots.parse
        self.version = importlib.metadata.version("fastrobots")

    def read(self, files: Sequence[bytes], kept: list[Policy]) -> None:
        for place, octets in enumerate(files):
            kept[place] = self.parse(octets.decode(errors="replace"))

    def asked(self, urls: Sequence[str]) -> Sequence[str]:
        return [urlsplit(url)._replace(scheme="", netloc="").geturl() or "/" for url in urls]

    def ask(self, policy: Policy, crawler: str, urls: Sequence[str]) -> None:
        for url in urls:
            policy.allowed(url, crawler)

    def answers(self, policy: Policy, crawler: str, urls: Sequence[str]) -> list[bool]:
        return [policy.allowed(url, crawler) for url in urls]


class Reppy(Contestant):
    """C++ behind Cython; no longer maintained."""

    name = "reppy"

    def __init__(self) -> None:
        self.parse: Callable[[str, bytes], Any] = importlib.import_module("reppy.robots").Robots.parse
        self.version = importlib.metadata.version("reppy")

    def read(self, files: Sequence[bytes], kept: list[Policy]) -> None:
        url = f"{SITE}/robots.txt"
        for place, octets in enumerate(files):
            kept[place] = self.parse(url, octets)

    def ask(self, policy: Policy, crawler: str, urls: Sequence[str]) -> None:
        for url in urls:
            policy.allowed(url, crawler)

    def answers(self, policy: Policy, crawler: str, urls: Sequence[str]) -> list[bool]:
        return [policy.allowed(url, crawler) for url in urls]


PEERS: dict[str, type[Contestant]] = {
    "protego": Protego,
    "urllib.robotparser": Urllib,
    "fast-robotstxt": FastRobotstxt,
    "fastrobots": Fastrobots,
    "reppy": Reppy,
}

"""What CPython's tests expect of `RobotFileParser`, read and asked: `vectors/README.md` says what every key means."""

from __future__ import annotations

import io
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from tests.loopback import Loopback, reply
from tests.vector_files import VECTORS, Table, joined

RECORDED = tomllib.loads((VECTORS / "rep/robotparser.toml").read_text(encoding="utf-8"))
LISTED = tomllib.loads((VECTORS / "rep/robotparser-differences.toml").read_text(encoding="utf-8"))

Question = tuple[str, str, str]  # the test, the agent (or none) and the URL, or what else is asked
Answers = Mapping[Question, Any]


class Parser(Protocol):
    """The interface of the standard library's class, as far as it is asked."""

    def read(self) -> None: ...
    def parse(self, lines: Any) -> None: ...
    def mtime(self) -> float: ...
    def can_fetch(self, useragent: str, url: str) -> bool: ...
    def crawl_delay(self, useragent: str) -> Any: ...
    def request_rate(self, useragent: str) -> Any: ...
    def site_maps(self) -> list[str] | None: ...


@dataclass(frozen=True)
class Case:
    """One class of CPython's tests, or one method of it where each has a server of its own."""

    table: Table

    @property
    def name(self) -> str:
        """The class of tests."""
        return str(self.table["name"])

    @property
    def expected(self) -> dict[Question, Any]:
        """Every question of the case with what CPython's test expects."""
        found: dict[Question, Any] = {}
        for asked in self.table.get("asked", []):
            agent = asked["agent"]
            for key, allowed in (("permitted", True), ("refused", False)):
                found |= {(self.name, agent, url): allowed for url in urls(asked, key)}
            for key in ("crawl_delay", "request_rate"):
                if key in asked or asked.get(f"no_{key}"):
                    found[self.name, agent, key] = asked.get(key)
        for key in ("site_maps", "text"):
            if key in self.table:
                found[self.name, "", key] = self.table[key]
        return found | {(self.name, "", flag): value for flag, value in self.table.get("flags", {}).items()}

    def answered(self, make: Callable[..., Parser]) -> dict[Question, Any]:
        """What a class answers to the questions of the case."""
        if "read" not in self.table:
            parser = make()
            if {"robots", "robots_parts"} & set(self.table):
                parser.parse(io.StringIO(self.octets.decode("utf-8", "surrogateescape")).readlines())
            return self._asked(parser, "")
        path = self.table["read"]
        with Loopback(says={path or "/": reply(self.table.get("status", 200), self.octets)}) as server:
            parser = make(server.url(path))
            parser.read()
            return self._asked(parser, server.url(""))

    @property
    def octets(self) -> bytes:
        """The file's octets; none where the case has no file."""
        if "robots_parts" in self.table:
            return joined(self.table["robots_parts"])
        return str(self.table.get("robots", "")).encode()

    def _asked(self, parser: Parser, site: str) -> dict[Question, Any]:
        said: dict[Question, Any] = {}
        for name, agent, asked in self.expected:
            match asked:
                case "crawl_delay":
                    answer: Any = parser.crawl_delay(agent)
                case "request_rate":
                    rate = parser.request_rate(agent)
                    answer = None if rate is None else [rate.requests, rate.seconds]
                case "site_maps":
                    answer = parser.site_maps() or []
                case "text":
                    answer = str(parser)
                case "dated":
                    answer = parser.mtime() > 0
                case "disallow_all" | "allow_all":
                    answer = getattr(parser, asked)
                case url:
                    answer = parser.can_fetch(agent, site + url)
            said[name, agent, asked] = answer
        return said


@dataclass(frozen=True)
class Difference:
    """Answers that differ for one reason."""

    clause: str
    why: str
    unless: Table
    answers: Answers


@cache
def cases() -> list[Case]:
    """Every case, in CPython's order."""
    return [Case(table) for table in RECORDED["test"]]


@cache
def differences() -> list[Difference]:
    """Every listed difference, with our answers."""
    return [
        Difference(one["clause"], one["why"], one.get("unless", {}), dict(_listed(one["answers"])))
        for one in LISTED["difference"]
    ]


def unlike(make: Callable[..., Parser], among: list[Case] | None = None) -> dict[Question, Any]:
    """What a class answers otherwise than expected."""
    found: dict[Question, Any] = {}
    for case in cases() if among is None else among:
        expected = case.expected
        found |= {asked: answer for asked, answer in case.answered(make).items() if answer != expected[asked]}
    return found


def urls(table: Table, key: str) -> Iterator[str]:
    """The URLs of a key, with those that have octets which are no text."""
    yield from table.get(key, [])
    for digits in table.get(f"{key}_hex", []):
        yield bytes.fromhex(digits).decode("utf-8", "surrogateescape")


def _listed(answers: list[Table]) -> Iterator[tuple[Question, Any]]:
    files = {case.name: case.octets.decode() for case in cases() if b"\xf0" not in case.octets}
    for table in answers:
        name = table["test"]
        for key, allowed in (("permitted", True), ("refused", False)):
            for url in urls(table, key):
                yield (name, table["agent"], url), allowed
        if "text" in table:
            yield (name, "", "text"), files[name].rstrip("\r\n")

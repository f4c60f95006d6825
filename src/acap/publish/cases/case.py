"""A case: a question or several, and what their answers are expected to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from acap.restrictions import Facts

Values: TypeAlias = Mapping[str, tuple[str, ...]]
"""Restrictions by name, each with its values."""


class CasesError(ValueError):
    """A file of cases that cannot be used: one line that names the file, the case and the key.

    `unknown`: a file that it names can be opened, and what it was to say is not known.
    """

    def __init__(self, text: str) -> None:
        super().__init__(" ".join(text.split()))
        self.unknown = False


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a decision is to be; None and empty: not asked.

    `restrictions` are these and no others, `restrictions_include` these at least. `lines` and `statements` are of
    those that decide: each must be among them. `kind` is that of the reason (`acap.decision.KINDS`).
    """

    outcome: str
    restrictions: Values | None = None
    restrictions_include: Values | None = None
    lines: tuple[int, ...] = ()
    statements: tuple[str, ...] = ()
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One `[[case]]`: every crawler asks every usage of every URL for every purpose.

    `line` is where it begins, 0 if unknown. A crawler is a name, or names in order with commas between; the
    purpose `""` asks without one. `page` and `headers` are what the URL's own answer says. `at` None is now. `dialect`
    is how the robots.txt is read.
    """

    name: str
    line: int
    urls: tuple[str, ...]
    crawlers: tuple[str, ...]
    usages: tuple[str, ...]
    purposes: tuple[str, ...]
    expected: Expectation
    at: datetime | None = None
    facts: Facts | None = None
    page: Path | None = None
    headers: tuple[tuple[str, str], ...] = ()
    dialect: str = "auto"
    profile: str = "generic"
    elements: bool = True

    def __len__(self) -> int:
        """How many checks it makes."""
        return len(self.urls) * len(self.crawlers) * len(self.usages) * len(self.purposes)


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A file of cases.

    `name` is what it is called in messages. `robots` is the policy's file, `site` the origin whose policy it is;
    `references` are the files of documents that the policy refers to, by their URI; `documents` those of other
    dialects, by the URL or path at which the site has them.
    """

    path: Path
    name: str
    robots: Path | None
    site: str | None
    references: Mapping[str, Path] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    documents: Mapping[str, Path] = field(default_factory=dict)

    def place(self, case: Case) -> str:
        """Where a case is written, `policy.acap.toml:12`."""
        return f"{self.name}:{case.line}" if case.line else self.name

    def error(self, case: Case, text: str) -> CasesError:
        """What is wrong with one of its cases."""
        return CasesError(f"{self.place(case)}: case `{case.name}`: {text}")

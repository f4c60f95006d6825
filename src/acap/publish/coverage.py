"""Coverage: which statements of a robots.txt are ever the reason of an answer.

    coverage = Coverage()
    coverage.add(policy, decision)
    coverage.percent, [one.line for one in coverage.unreached()]

It counts lines: a conventional rule, an ACAP field that permits or prohibits, or a line of Content-Signal,
Content-Usage or License that decides. A line with many statements, by a resource set or a composite usage, is one line;
definitions are reached through the lines that use them, records and purposes through the lines below them. Laws: a line
is reached if it is among those that decided some answer, and seen if it is only among those that lost; a line of
signals with several words (`search=yes, ai-train=no`) is reached if each word decided an answer. A suggestion is a
question that the line decides according to the engine, with that word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, product
from typing import NamedTuple

from acap import _native
from acap.decision import Cited, Decision
from acap.publish.cases.check import robots_source
from acap.publish.convert.signals import FIELDS
from acap.publish.lint.signals import divided
from acap.publish.paths import paths_of
from acap.robots import DIALECTS, PolicyStatement, RobotsPolicy, parse_robots, url_at
from acap.usages import PARENTS, below

# Questions tried per line before it is given up; the first few are the likely ones.
_TRIES = 400
# Questions tried for all lines of a file: some seconds. Further lines get no suggestion.
_TRIES_IN_ALL = 20_000

_STRANGER = "examplebot"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question that a line decides; `purpose` None asks without one. `dialect` is how the file is read for it."""

    path: str
    crawler: str
    usage: str
    purpose: str | None
    dialect: str

    def __str__(self) -> str:
        purpose = f" for {self.purpose}" if self.purpose else ""
        dialect = "" if self.dialect == DIALECTS[0] else f', with dialect = "{self.dialect}"'
        return f"{self.usage} of {self.path} by {self.crawler}{purpose}{dialect}"


@dataclass(frozen=True, slots=True)
class Unreached:
    """A line that decided nothing; `seen`: it applied, and lost.

    `suggestion` is a question that it decides, None if none was found; then `instead` are lines that decide what it
    speaks of.
    """

    line: int
    text: str
    seen: bool
    suggestion: Suggestion | None
    instead: tuple[int, ...] = ()


class _Unit(NamedTuple):
    """A line; for one with signals, a word of it by its place from 0."""

    line: int
    word: int


class Coverage:
    """The lines of one robots.txt that answers have reached, in whatever dialects it was read."""

    def __init__(self) -> None:
        self._policies: dict[str, RobotsPolicy] = {}
        self._lines: dict[int, list[PolicyStatement]] = {}
        # For lines with signals: the word for each usage and effect.
        self._words: dict[int, dict[tuple[str, str], int]] = {}
        self._reached: set[_Unit] = set()
        self._seen: set[_Unit] = set()
        self._at: datetime | None = None
        self._plain: dict[str, RobotsPolicy] = {}
        self._tries = _TRIES_IN_ALL

    def read(self, policy: RobotsPolicy) -> None:
        """Count the lines of a reading of the file, whether or not anything is asked of it."""
        if policy.dialect in self._policies:
            return
        self._policies[policy.dialect] = policy
        for statement in (*policy.statements, *policy.signals):
            if (line := _line(policy, statement.cited)) is not None:
                self._lines.setdefault(line, []).append(statement)
        for extension in policy.extensions:
            if extension.field in FIELDS and extension.line in self._lines:
                meanings = {(each.cited.usage, each.cited.effect) for each in self._lines[extension.line]}
                words = _words(extension.field, extension.value)
                # A line whose words by themselves mean something else counts as one unit.
                self._words[extension.line] = words if words.keys() == meanings else {}

    def add(self, policy: RobotsPolicy, decision: Decision) -> None:
        """Adds an answer, and the policy that gave it."""
        self.read(policy)
        self._at = self._at or decision.at
        reason = decision.reason
        self._reached |= self._units(policy, reason.decided_by)
        self._seen |= self._units(policy, (one.statement for one in reason.lost))

    def _units(self, policy: RobotsPolicy, statements: Iterable[Cited]) -> set[_Unit]:
        """The units of statements."""
        found = ((_line(policy, statement), statement) for statement in statements)
        return {self._unit(line, one) for line, one in found if line is not None and line in self._lines}

    def _unit(self, line: int, cited: Cited) -> _Unit:
        return _Unit(line, self._words.get(line, {}).get((cited.usage, cited.effect), 0))

    @property
    def lines(self) -> tuple[int, ...]:
        """Every counted line, in order."""
        return tuple(sorted(self._lines))

    @property
    def reached(self) -> tuple[int, ...]:
        """Every line that decided an answer, with each of its words."""
        return tuple(line for line in self.lines if not self._missing(line))

    def _every(self, line: int) -> list[_Unit]:
        return [_Unit(line, word) for word in sorted({0, *self._words.get(line, {}).values()})]

    def _missing(self, line: int) -> list[_Unit]:
        return [unit for unit in self._every(line) if unit not in self._reached]

    @property
    def percent(self) -> float:
        """Percentage of lines that are reached; 100 without lines."""
        return 100 * len(self.reached) / len(self._lines) if self._lines else 100.0

    def unreached(self) -> Iterator[Unreached]:
        """The lines that decided nothing, in their order; suggestions are of the first instant that was asked about."""
        for line in self.lines:
            if tried := [(unit, *self._suggestion(unit, self._at)) for unit in self._missing(line)]:
                # The first of several words that can decide is suggested; the next call suggests the next.
                unit, suggestion, instead = min(tried, key=lambda one: one[1] is None)
                yield Unreached(line, self._lines[line][0].cited.text, unit in self._seen, suggestion, instead)

    def suggestions(self, line: int, *, at: datetime | None = None) -> tuple[Suggestion, ...]:
        """Questions that a counted line decides as of `at`, one for each of its words."""
        return tuple(
            suggestion for unit in self._every(line) if (suggestion := self._suggestion(unit, at)[0]) is not None
        )

    def _suggestion(self, unit: _Unit, at: datetime | None) -> tuple[Suggestion | None, tuple[int, ...]]:
        """A question that the unit decides; else the lines that decide the questions it is on."""
        instead: tuple[int, ...] | None = None
        statements = [line for line in self._lines[unit.line] if self._unit(unit.line, line.cited) == unit]
        for policy in self._readings(unit.line):
            for asked in islice(_questions(policy, statements), min(_TRIES, self._tries)):
                self._tries -= 1
                try:
                    decision = policy.decide(
                        url_at(policy, asked.path),
                        crawler=asked.crawler,
                        usage=asked.usage,
                        purpose=asked.purpose,
                        at=at,
                    )
                except ValueError:  # an unknown usage cannot be asked about
                    continue
                if unit in self._units(policy, decision.reason.decided_by):
                    return asked, ()
                if instead is None:
                    decided = (_line(policy, cited) for cited in decision.reason.decided_by)
                    instead = tuple(dict.fromkeys(line for line in decided if line is not None))
        return None, instead or ()

    def _readings(self, line: int) -> Iterator[RobotsPolicy]:
        """The policies in which the line may decide: a conventional rule may where crawlers do not read ACAP."""
        yield from self._policies.values()
        conventional = self._lines[line][0].cited.dialect
        if conventional in DIALECTS and conventional not in self._policies:
            if conventional not in self._plain:
                policy = next(iter(self._policies.values()))
                self._plain[conventional] = parse_robots(policy.octets, url=policy.url, dialect=conventional)
            yield self._plain[conventional]


def _words(field: str, value: str) -> dict[tuple[str, str], int]:
    """The meaning of each word of a line with signals: usage and effect, with the place of the word."""
    first_place: dict[tuple[str, str], int] = {}
    for place, word in enumerate(divided(value)[1].split(",")):
        uses, _ = _native.read_signals(field.lower(), [word.encode()])
        for usage, permits in uses:
            first_place.setdefault((usage, "permits" if permits else "prohibits"), place)
    # The first word with a meaning has the place 0.
    places = {place: number for number, place in enumerate(sorted(set(first_place.values())))}
    return {key: places[place] for key, place in first_place.items()}


def _questions(policy: RobotsPolicy, statements: Sequence[PolicyStatement]) -> Iterator[Suggestion]:
    """What one line could decide: its own usage and paths first, then usages below."""
    for deeper in (False, True):
        for statement in statements:
            usage = statement.cited.usage
            if deeper and usage not in PARENTS:
                continue
            usages = below(usage) if deeper else (usage,)
            named = [one.strip("*") or one for one in statement.crawlers if one != "*"]
            crawlers = named if len(named) == len(statement.crawlers) > 0 else [*named, stranger(policy)]
            purposes: list[str | None] = [one.replace("*", "x") for one in statement.purposes] or [None]
            # `Disallow:` without a path is about every path.
            paths = paths_of(statement.pattern) or ("/",)
            for path, asked, crawler, purpose in product(paths, usages, crawlers, purposes):
                yield Suggestion(path, crawler, asked, purpose, policy.dialect)


def stranger(policy: RobotsPolicy) -> str:
    """A name for a crawler that the policy does not name."""
    named = {name.lower() for name in policy.crawlers}
    number, name = 1, _STRANGER
    while name in named:
        number, name = number + 1, f"{_STRANGER}{number}"
    return name


def _line(policy: RobotsPolicy, cited: Cited) -> int | None:
    """The line of a statement in the robots.txt; None for a statement elsewhere."""
    if cited.source != robots_source(policy) or cited.element is not None or cited.header is not None:
        return None
    return cited.line

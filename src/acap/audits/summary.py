"""The summary of an audit: how many resources are permitted for what, what decided that, and what hangs on silence."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

from acap.audits.rows import EXCEPT, NO_POLICY, AuditRow
from acap.decision import Outcome
from acap.dialects.rsl.associations import is_of_unknown
from acap.plurals import plural

_DAY = int(timedelta(days=1).total_seconds())
AGES = (1, 7, 30)
"""Days up to which a policy is old: the last is the oldest that may speak."""

_PROBLEMS = 100
"""At most this many problems are listed; the others are counted."""


class AnswerGround(NamedTuple):
    """One answer to one usage, and what gave it."""

    usage: str
    outcome: str
    kind: str
    dialect: str
    carrier: str


@dataclass
class AuditSummary:
    """What an audit comes to.

    `grounds` counts answers, `exceptions` those that permit a usage and not one below it, `errors` the rows without a
    policy of their site by reason, `ages` those with one by how old it was in days. `problems` are lines of what could
    not be read, the first hundred; `unread` counts them all. `left_out` are those of what is more than is read at once,
    by URL, until `settle` makes problems of them. `lacking` counts the responses that are refused something and were
    not read as a whole for want of packages, by the extra that brings these. `unknown_licences` counts the rows with an
    answer that hangs on a licence of which nobody knows what it says.
    """

    rows: int = 0
    texts: int = 0
    grounds: Counter[AnswerGround] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    ages: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    unread: int = 0
    left_out: dict[str, str] = field(default_factory=dict)
    exceptions: Counter[tuple[str, str]] = field(default_factory=Counter)
    lacking: Counter[str] = field(default_factory=Counter)
    unknown_licences: int = 0

    def add(self, usages: Iterable[str], row: AuditRow) -> None:
        """Counts one row."""
        self.rows += 1
        if row.error is not None:
            self.errors[row.error] += 1
        else:
            self.ages[age_of(row)] += 1
        if row.lacking and any(cell.outcome != Outcome.PERMITTED for cell in row.cells):
            self.lacking.update(row.lacking)
        hangs_on_unknown = False
        for usage, (outcome, cause, _, dialect, carrier, _, restrictions) in zip(usages, row.cells, strict=True):
            kind = NO_POLICY if row.error == NO_POLICY and cause == "unreachable" else cause or row.error or ""
            ground = usage, outcome, kind, dialect or "", carrier or ""
            if ground not in self.grounds:
                self.grounds[AnswerGround(*ground)] = 0
            self.grounds[ground] += 1  # type: ignore[index]  # it is equal to the key that is there
            for limit in restrictions:
                name, _, below = limit.partition("=")
                if name == EXCEPT:
                    self.exceptions[usage, below] += 1
            if dialect == "rsl" and not hangs_on_unknown:
                hangs_on_unknown = _hangs_on_unknown(usage, outcome, row)
        self.unknown_licences += hangs_on_unknown

    def report(self, problem: str) -> None:
        """Notes what could not be read."""
        self.unread += 1
        if len(self.problems) < _PROBLEMS:
            self.problems.append(problem)

    def merge(self, other: AuditSummary) -> None:
        """Adds what another part came to."""
        self.rows += other.rows
        self.texts += other.texts
        self.grounds += other.grounds
        self.exceptions += other.exceptions
        self.lacking += other.lacking
        self.unknown_licences += other.unknown_licences
        self.errors += other.errors
        self.ages += other.ages
        self.unread += other.unread
        self.problems += other.problems[: _PROBLEMS - len(self.problems)]
        self.left_out |= other.left_out

    def settle(self) -> None:
        """Notes what was left out, once for each URL, whichever parts came upon it."""
        for _, problem in sorted(self.left_out.items()):
            self.report(problem)
        self.left_out.clear()

    @property
    def hints(self) -> list[str]:
        """What would tell more of the responses than this audit knew: a line each, with what to do about it."""
        hints = [
            f"{plural(count, 'file')} not read: pip install 'acap[{extra}]'"
            for extra, count in sorted(self.lacking.items())
        ]
        if self.unknown_licences:
            pages = plural(self.unknown_licences, "page")
            ways = "give an archive that has it with `--robots`, or ask the sites with `--fetch`"
            hints.append(f"{pages}: a licence that robots.txt or the page names is not known; {ways}")
        return hints

    def outcomes(self, usage: str) -> dict[str, int]:
        """How many rows have each outcome."""
        return {outcome: self._sum(usage, outcome=outcome) for outcome in Outcome}

    def hanging(self, usage: str) -> dict[str, int]:
        """How many answers hang on what silence means, and on what is decided where no policy is known."""
        kinds = self._sums(usage, 2)
        return {"silence": kinds["silence"] + kinds["absent"], "missing": self.errors[NO_POLICY]}

    def excepted(self, usage: str) -> dict[str, int]:
        """How many answers permit a usage and prohibit one below it, by that one."""
        return {below: count for (asked, below), count in sorted(self.exceptions.items()) if asked == usage}

    def reasons(self, usage: str) -> dict[str, int]:
        """How many answers each kind of reason gave, the most frequent first."""
        return dict(self._sums(usage, 2).most_common())

    def dialects(self, usage: str) -> dict[str, int]:
        """How many answers a statement of each dialect gave, the most frequent first."""
        return {name: count for name, count in self._sums(usage, 3).most_common() if name}

    def carriers(self, usage: str) -> dict[str, int]:
        """How many answers a statement in each carrier gave, the most frequent first."""
        return {name: count for name, count in self._sums(usage, 4).most_common() if name}

    def usages(self) -> list[str]:
        """The usages in the order in which they were asked."""
        return list(dict.fromkeys(one.usage for one in self.grounds))

    @staticmethod
    def age_names() -> tuple[str, ...]:
        """The words of `ages`, in order."""
        return (*_AGE_NAMES, "unknown")

    def to_json(self) -> dict[str, Any]:
        """Of types that `json.dumps` takes; `from_json` reads it."""
        return {
            "rows": self.rows,
            "texts": self.texts,
            "usages": {
                usage: {
                    "outcomes": self.outcomes(usage),
                    "hanging_on": self.hanging(usage),
                    "excepted": self.excepted(usage),
                    "reasons": self.reasons(usage),
                    "dialects": self.dialects(usage),
                    "carriers": self.carriers(usage),
                }
                for usage in self.usages()
            },
            "errors": dict(sorted(self.errors.items())),
            "policy_age_days": {name: self.ages[name] for name in self.age_names() if self.ages[name]},
            "unread": self.unread,
            "problems": self.problems,
            **({"left_out": self.left_out} if self.left_out else {}),
            **({"lacking": self.lacking} if self.lacking else {}),
            "unknown_licences": self.unknown_licences,
            "grounds": [[*ground, count] for ground, count in sorted(self.grounds.items())],
        }

    @classmethod
    def from_json(cls, account: dict[str, Any]) -> AuditSummary:
        """The summary of the value that `to_json` gave."""
        grounds = Counter({AnswerGround(*one[:5]): one[5] for one in account["grounds"]})
        errors, ages = Counter(account["errors"]), Counter(account["policy_age_days"])
        left_out, problems, unread = account.get("left_out", {}), account["problems"], account["unread"]
        excepted = {usage: one.get("excepted", {}) for usage, one in account["usages"].items()}
        exceptions = Counter({(usage, below): count for usage, one in excepted.items() for below, count in one.items()})
        lacking = Counter(account.get("lacking", {}))
        return cls(
            account["rows"],
            account["texts"],
            grounds,
            errors,
            ages,
            problems,
            unread,
            left_out,
            exceptions,
            lacking,
            account["unknown_licences"],
        )

    def _sum(self, usage: str, *, outcome: str) -> int:
        return sum(count for one, count in self.grounds.items() if one.usage == usage and one.outcome == outcome)

    def _sums(self, usage: str, place: int) -> Counter[str]:
        sums: Counter[str] = Counter()
        for one, count in sorted(self.grounds.items()):
            if one.usage == usage:
                sums[one[place]] += count
        return sums


def _hangs_on_unknown(usage: str, outcome: str, row: AuditRow) -> bool:
    """Whether an answer of a licence that does not permit is given by what holds while it is not known."""
    if outcome == Outcome.PERMITTED:
        return False
    alike = (one[usage].reason.decided_by for one in row.answers if one[usage].outcome == outcome)
    return any(is_of_unknown(first.dialect, first.text) for first, *_ in filter(None, alike))


def age_of(row: AuditRow) -> str:
    """How old the policy of a row was, in words."""
    age = row.age
    if age is None:
        return "unknown"
    return _AGE_NAMES[bisect_left(_SECONDS, age)]


_AGE_NAMES = (*(f"up to {days}" for days in AGES), f"more than {AGES[-1]}")
_SECONDS = tuple(days * _DAY for days in AGES)

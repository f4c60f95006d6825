"""The engines the vectors are asked of, each behind the same few names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import acap
from tests import reference
from tests.vector_files import Policy, Question


@dataclass(frozen=True)
class Answer:
    """What an engine answers; `invalid` if it rejects the question. None is what an engine cannot say."""

    outcome: str
    kind: str = ""
    stated: bool = False
    restrictions: frozenset[tuple[str, str, str | None]] = frozenset()
    lines: frozenset[int] = frozenset()
    below: frozenset[str] = frozenset()
    truncated: bool | None = None
    lost: frozenset[tuple[int | None, str]] | None = None


@dataclass(frozen=True)
class Pace:
    """What an engine reports of politeness at an instant: seconds between requests, whether visits are asked for."""

    delay: float | None
    encouraged: bool
    open: bool
    comments: list[str]


class Engine(Protocol):
    """An engine that has read a vector in one dialect."""

    def ask(self, question: Question) -> Answer:
        """The answer to a question."""

    def missing_references(self, crawler: str) -> Sequence[str]:
        """The references a crawler still needs."""

    def action_requests(self, crawler: str) -> list[tuple[str, str, int]]:
        """The requests to a crawler: action, path, line."""

    def pace(self, crawler: str, at: datetime | None) -> Pace:
        """The politeness asked of a crawler at an instant, or at none in particular."""


class Native:
    """The native core."""

    def __init__(self, policy: Policy, dialect: str) -> None:
        octets, limits = policy.octets, policy.table.get("limits")
        if octets is None:
            self.policy = getattr(acap.RobotsPolicy, policy.table["state"])(policy.url, dialect=dialect)
            return
        self.policy = acap.parse_robots(
            octets, url=policy.url, dialect=dialect, limits=acap.Limits(**limits) if limits else None
        )
        for uri, target in policy.supplied:
            self.policy = self.policy.with_reference(uri, target)

    def ask(self, question: Question) -> Answer:
        try:
            decision = self.policy.decide(
                question.url,
                crawler=acap.Crawler(*question.names, honours=question.honours, silence=question.silence),
                usage=question.usage,
                purpose=question.purpose,
                at=question.at,
                facts=acap.Facts(**question.facts) if question.facts is not None else None,
            )
        except ValueError:
            return Answer("invalid")
        reason = decision.reason
        return Answer(
            str(decision.outcome),
            reason.kind,
            decision.stated,
            frozenset((each.name, each.value, each.usage) for each in decision.restrictions),
            frozenset(cited.line for cited in reason.decided_by if cited.line),
            frozenset(reason.prohibited_below),
            reason.truncated,
            frozenset((one.statement.line, one.key) for one in reason.lost),
        )

    def missing_references(self, crawler: str) -> Sequence[str]:
        found: Sequence[str] = self.policy.missing_references(crawler)
        return found

    def action_requests(self, crawler: str) -> list[tuple[str, str, int]]:
        return [(one.action, one.path, one.line) for one in self.policy.action_requests(crawler)]

    def pace(self, crawler: str, at: datetime | None) -> Pace:
        asked = self.policy.politeness(crawler)
        minute = None if at is None else minute_of_day(at)
        open_ = minute is None or asked.may_visit(minute)
        return Pace(asked.interval(minute), asked.rule_of_thumb, open_, list(asked.comments))


class Reference:
    """The reference interpreter; it reads files and knows nothing of retrieval."""

    def __init__(self, policy: Policy, dialect: str) -> None:
        limits = policy.table.get("limits")
        self.policy = reference.read(
            policy.octets or b"",
            url=policy.url,
            dialect=dialect,
            limits=reference.Limits(**limits) if limits else None,
        )
        for uri, target in policy.supplied:
            self.policy = reference.with_reference(self.policy, uri, target)

    def ask(self, question: Question) -> Answer:
        honours = frozenset(question.honours) if question.honours is not None else None
        try:
            decision = reference.decide(
                self.policy,
                question.url,
                crawler=reference.Crawler(question.names, honours, question.silence),
                usage=question.usage,
                purpose=question.purpose,
                at=question.at,
                facts=question.facts,
                with_below=True,
            )
        except ValueError:
            return Answer("invalid")
        return Answer(
            decision.outcome,
            decision.kind,
            decision.stated,
            frozenset((name, value, part[0] if part else None) for name, value, *part in decision.restrictions),
            decision.decided_by,
            decision.prohibited_below,
        )

    def missing_references(self, crawler: str) -> Sequence[str]:
        return reference.missing_references(self.policy, crawler)

    def action_requests(self, crawler: str) -> list[tuple[str, str, int]]:
        return list(reference.action_requests(self.policy, crawler))

    def pace(self, crawler: str, at: datetime | None) -> Pace:
        asked = reference.politeness(self.policy, crawler)
        delay = asked.seconds if at is None else asked.seconds_at(at)
        open_ = at is None or not asked.visit_times or any(window.holds(at) for window in asked.visit_times)
        return Pace(delay, asked.rule_of_thumb, open_, list(asked.comments))


ENGINES: dict[str, Any] = {"native": Native, "reference": Reference}


def can_read(engine: str, policy: Policy) -> bool:
    """Whether an engine knows what a vector is about."""
    return engine == "native" or policy.octets is not None


def minute_of_day(at: datetime) -> int:
    """The minute of the day, UTC, of an aware instant."""
    utc = at.astimezone(UTC)
    return utc.hour * 60 + utc.minute

"""Both engines behind one question, so that a law or a comparison names neither."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import acap
from acap import _native
from acap.robots import Reading
from tests import reference
from tests.property.strategies import Case, Question


@dataclass(frozen=True)
class Answer:
    """What both engines must agree on; `refused` if the question itself was a mistake."""

    outcome: str
    kind: str = ""
    stated: bool = False
    restrictions: frozenset[tuple[str, str, str | None]] = frozenset()
    lines: frozenset[int] = frozenset()


Engine = Callable[[Case], list[Answer]]
REFUSED = Answer("refused")


def by_reference(case: Case, *, for_use: bool = False, reading: Reading = "careful") -> list[Answer]:
    """The reference's answers to the questions of a case; `for_use`: about what must be used or included."""
    limits = reference.Limits(**case.limits) if case.limits else None
    policy = reference.read(case.octets, url=case.url, dialect=case.dialect, limits=limits, reading=reading)
    for uri, octets in case.supplied.items():
        policy = reference.with_reference(policy, uri, octets)
    policy = replace(policy, for_use=for_use)

    def answer(asked: Question) -> Answer:
        try:
            decision = reference.decide(
                policy,
                asked.url,
                crawler=asked.crawler,
                usage=asked.usage,
                purpose=asked.purpose,
                at=asked.at,
                facts=asked.facts,
            )
        except ValueError:
            return REFUSED
        restrictions = frozenset(
            (name, shown(value), part[0] if part else None) for name, value, *part in decision.restrictions
        )
        return Answer(decision.outcome, decision.kind, decision.stated, restrictions, decision.decided_by)

    return [answer(asked) for asked in case.questions]


def shown(value: str) -> str:
    """A value as text that can be shown: octets that are no UTF-8 are replacement characters."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def by_native(case: Case, *, for_use: bool = False, reading: Reading = "careful") -> list[Answer]:
    """The native core's answers to the questions of a case; `for_use`: about what must be used or included."""
    limits = acap.Limits(**case.limits) if case.limits else None
    policy = acap.parse_robots(case.octets, url=case.url, dialect=case.dialect, limits=limits, reading=reading)
    for uri, octets in case.supplied.items():
        policy = policy.with_reference(uri, octets)
    policy = policy.for_use() if for_use else policy

    def answer(asked: Question) -> Answer:
        try:
            decision = policy.decide(
                asked.url,
                crawler=asked.crawler,
                usage=asked.usage,
                purpose=asked.purpose,
                at=asked.at,
                facts=acap.Facts(**asked.facts) if asked.facts is not None else None,
            )
        except ValueError:
            return REFUSED
        return Answer(
            str(decision.outcome),
            str(decision.reason.kind),
            decision.stated,
            frozenset((each.name, each.value, each.usage) for each in decision.restrictions),
            frozenset(cited.line for cited in decision.reason.decided_by if cited.line),
        )

    return [answer(asked) for asked in case.questions]


def native_matches(pattern: str, path: str) -> bool:
    """Whether the native core's matcher finds the canonical path among the pattern's resources."""
    return _native.matches(pattern.encode(), path.encode())


def native_contains(broad: str, narrow: str) -> bool:
    """Whether the native core finds every path of the canonical pattern `narrow` in `broad`."""
    return _native.contains(narrow.encode(), broad.encode())


def native_path(url: str) -> str:
    """The native core's canonical form of a URL."""
    return _native.canonical_path(url.encode()).decode("ascii")


def native_pattern(pattern: str) -> str:
    """The native core's canonical form of a pattern."""
    return _native.canonical_pattern(pattern.encode()).decode("ascii")

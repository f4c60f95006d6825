"""Whom ACAP lines do not bind: large crawlers do not read them."""

from __future__ import annotations

from collections.abc import Iterable

from acap.crawler_list import known, with_fallback
from acap.decision import Decision, Outcome, crawler_text
from acap.publish.crawlers import ANY
from acap.publish.paths import paths_of
from acap.robots import PolicyStatement, RobotsPolicy, url_at

UNREADING = ("Googlebot", "Bingbot", "GPTBot", "ClaudeBot")
"""Large crawlers whose operators document no ACAP."""

_STATEMENTS = 200
"""ACAP lines that are asked about: each takes four questions, and people wait."""


def unreading(decision: Decision) -> str:
    """Which large crawler was asked about that does not read what decides, for it is ACAP alone; empty: none."""
    decided = decision.reason.decided_by
    if not decided or any(one.dialect != "acap" for one in decided):
        return ""
    return unreader(crawler_text(decision).partition(",")[0])


def unreader(name: str) -> str:
    """The large crawler of this name, if it does not read ACAP; else empty."""
    crawler = known(name)
    return crawler.name if crawler is not None and crawler.name in UNREADING else ""


def unbound(policy: RobotsPolicy, names: Iterable[str] = UNREADING) -> tuple[str, ...]:
    """Those large crawlers to which ACAP alone refuses or limits something: they do not read it.

    Each is asked at a path of each ACAP line that addresses it, about the usage of the line.
    """
    lines = [statement for statement in policy.statements if statement.cited.dialect == "acap"][:_STATEMENTS]
    asked = dict.fromkeys(filter(None, map(unreader, names)))
    return tuple(name for name in asked if any(_is_alone(policy, statement, name) for statement in lines))


def _is_alone(policy: RobotsPolicy, statement: PolicyStatement, name: str) -> bool:
    """Whether an ACAP line addresses a crawler, which no line that it reads tells as much."""
    is_addressed = any(one == ANY or unreader(one) == name for one in statement.crawlers)
    path = next(iter(paths_of(statement.pattern)), None)
    if not is_addressed or path is None:
        return False
    try:
        decision = policy.decide(url_at(policy, path), crawler=with_fallback(name), usage=statement.cited.usage)
    except ValueError:
        return False
    return decision.outcome != Outcome.PERMITTED and bool(unreading(decision))

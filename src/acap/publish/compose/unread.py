"""Whom ACAP lines do not reach: large crawlers do not read them; and what to add to a draft for these."""

from __future__ import annotations

from collections.abc import Iterable

from acap.crawler_list import known, with_fallback
from acap.decision import Decision, Outcome, crawler_text
from acap.publish.cases.paths import paths_of
from acap.publish.compose.draft import ANY, Draft, Rule
from acap.publish.compose.starts import STARTS, UNREAD, UNREADING, Start
from acap.publish.presets import PRESETS
from acap.robots import PolicyStatement, RobotsPolicy, parse_robots, url_at

_STATEMENTS = 200
"""ACAP lines that are asked about: each takes four questions, and people wait."""


def unread(draft: Draft, octets: bytes) -> str:
    """What large crawlers do not read of a draft, whose text is given, and what to add for them; empty: nothing.

    Lines of robots.txt say to them what a draft says of crawling, and what the preset for every carrier says.
    """
    said = {_words(rule) for record, part, rule in draft.rules() if ANY in record.crawlers and not part.purposes}
    found = [start for start in STARTS.values() if start.rules and said.issuperset(map(_words, start.rules))]
    missing = [start for start in found if start.elsewhere and not _reaches(start, octets)]
    if missing:
        return " ".join((UNREAD, *(one.elsewhere.removeprefix(UNREAD).strip() for one in missing)))
    reached = {_words(rule) for start in found for rule in start.rules}
    return UNREAD if any(_is_unread(rule, draft, reached) for _, _, rule in draft.rules()) else ""


def unreading(decision: Decision) -> str:
    """Which large crawler was asked about that does not read what decides, for it is ACAP alone; empty: none."""
    decided = decision.reason.decided_by
    if not decided or any(one.dialect != "acap" for one in decided):
        return ""
    return unreader(crawler_text(decision).partition(",")[0])


def unreader(name: str) -> str:
    """The large crawler of this name, if it does not read ACAP; else empty."""
    found = known(name)
    return found.name if found is not None and found.name in UNREADING else ""


def unbound(policy: RobotsPolicy, names: Iterable[str] = UNREADING) -> tuple[str, ...]:
    """Those large crawlers to which ACAP alone refuses or limits something: they do not read it.

    Each is asked at a path of each ACAP line that addresses it, about the usage of the line.
    """
    lines = [one for one in policy.statements if one.cited.dialect == "acap"][:_STATEMENTS]
    asked = dict.fromkeys(filter(None, map(unreader, names)))
    return tuple(name for name in asked if any(_is_alone(policy, one, name) for one in lines))


def _is_alone(policy: RobotsPolicy, statement: PolicyStatement, name: str) -> bool:
    """Whether an ACAP line addresses a crawler, which no line that it reads tells as much."""
    heard = any(one == ANY or unreader(one) == name for one in statement.crawlers)
    path = next(iter(paths_of(statement.pattern)), None)
    if not heard or path is None:
        return False
    try:
        decision = policy.decide(url_at(policy, path), crawler=with_fallback(name), usage=statement.cited.usage)
    except ValueError:
        return False
    return decision.outcome != Outcome.PERMITTED and bool(unreading(decision))


def _words(rule: Rule) -> tuple[object, ...]:
    return rule.permits, rule.usage.lower(), rule.resources, rule.restrictions


def _is_unread(rule: Rule, draft: Draft, reached: Iterable[object]) -> bool:
    is_conventional = draft.conventional and rule.usage.lower() == "crawl"
    return not is_conventional and _words(rule) not in reached


def _reaches(start: Start, octets: bytes) -> bool:
    """Whether robots.txt closes out everyone whom the same preset for every carrier does."""
    if not start.everywhere:
        return False
    policy = parse_robots(octets, dialect="rfc9309")
    names = [one.name for one in PRESETS[start.everywhere].closed]
    return not any(policy.allows("/", name) for name in names)

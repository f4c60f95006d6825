"""Whom ACAP lines do not reach: large crawlers do not read them; and what to add to a draft for these."""

from __future__ import annotations

from collections.abc import Iterable

from acap.publish.compose.draft import ANY, Draft, Rule
from acap.publish.compose.starts import STARTS, UNREAD, Start
from acap.publish.presets import PRESETS
from acap.robots import parse_robots


def unread(draft: Draft, octets: bytes) -> str:
    """What large crawlers do not read of a draft, whose text is given, and what to add for them; empty: nothing.

    Lines of robots.txt say to them what a draft says of crawling, and what the preset for every carrier says.
    """
    stated = {_words(rule) for record, part, rule in draft.rules() if ANY in record.crawlers and not part.purposes}
    starts = [start for start in STARTS.values() if start.rules and stated.issuperset(map(_words, start.rules))]
    missing = [start for start in starts if start.elsewhere and not _reaches(start, octets)]
    if missing:
        return " ".join((UNREAD, *(one.elsewhere.removeprefix(UNREAD).strip() for one in missing)))
    reached = {_words(rule) for start in starts for rule in start.rules}
    return UNREAD if any(_is_unread(rule, draft, reached) for _, _, rule in draft.rules()) else ""


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
    names = [crawler.name for crawler in PRESETS[start.everywhere].closed]
    return not any(policy.allows("/", name) for name in names)

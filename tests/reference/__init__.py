"""A slow and obvious interpreter of the semantics, written from the text and not from the native core.

It is an oracle for the property tests: `read` a robots.txt, `decide` a question, and compare. Nothing else uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .canonical import canonical_path, canonical_pattern
from .crawler import Crawler, as_crawler
from .decision import Decision, decide
from .limits import Limits
from .pattern import contains, matches
from .policy import DIALECTS, Policy, read, with_reference
from .politeness import Politeness
from .politeness import politeness as politeness_of
from .restrictions import Facts

Canonical = Callable[[str], str]
Matcher = Callable[[str, str], bool]


def references(policy: Policy, crawler: str | Sequence[str] | Crawler) -> tuple[str, ...]:
    """The URIs of the references that apply to the crawler, each once, in order."""
    return tuple(dict.fromkeys(uri for uri, _, _ in policy.references(as_crawler(crawler))))


def missing_references(policy: Policy, crawler: str | Sequence[str] | Crawler) -> tuple[str, ...]:
    """The references that apply and are not supplied, or failed."""
    return tuple(dict.fromkeys(uri for uri, _ in policy.missing(as_crawler(crawler))))


def action_requests(policy: Policy, crawler: str | Sequence[str] | Crawler) -> tuple[tuple[str, str, int], ...]:
    """The action requests to the crawler: action, canonical path, line."""
    return tuple(policy.action_requests(as_crawler(crawler)))


def politeness(policy: Policy, crawler: str | Sequence[str] | Crawler) -> Politeness:
    """What the policy asks of the crawler's pace."""
    return politeness_of(policy, as_crawler(crawler))


__all__ = [
    "DIALECTS",
    "Canonical",
    "Crawler",
    "Decision",
    "Facts",
    "Limits",
    "Matcher",
    "Policy",
    "Politeness",
    "action_requests",
    "canonical_path",
    "canonical_pattern",
    "contains",
    "decide",
    "matches",
    "missing_references",
    "politeness",
    "read",
    "references",
    "with_reference",
]

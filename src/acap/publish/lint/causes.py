"""Findings of one cause: what people are told once, with all places. Reports for programs have each by itself.

Two findings of a rule have one cause if it blames the same other lines for both, or else gives the same help.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acap.publish.lint.finding import Finding


def causes(findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], ...]:
    """The findings of each cause, in their order; those of a cause stand where its first does."""
    by_cause: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        by_cause.setdefault(_cause(finding), []).append(finding)
    return tuple(map(tuple, by_cause.values()))


def places_text(messages: Sequence[str]) -> str:
    """What is said behind the first message of a cause: how many places it has, or how many more like it.

    The first names one crawler, say, and is not what is said of the others.
    """
    if len(messages) < 2:
        return ""
    return f"at {len(messages)} places" if len({*messages}) == 1 else f"and {len(messages) - 1} more like it"


def _cause(finding: Finding) -> tuple[object, ...]:
    if finding.stands_for is not None:
        return (finding.code, *finding.stands_for)
    evidence = tuple(related.line for related in finding.related) or finding.help or finding.message
    return (finding.code, finding.severity, finding.fix is None or finding.fix.safe, finding.fix is None, evidence)

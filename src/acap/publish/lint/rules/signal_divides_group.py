"""A signal between User-agent lines, which ends their run for signals and not for fetching."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.crawler_names import product
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

_SIGNALS = ("Content-Signal", "Content-Usage", "License")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each signal between two User-agent lines of one group that name different crawlers."""
    if not any(document.kinds[field] for field in _SIGNALS):
        return
    for group in document.groups:
        signals = [field for field in group.body if field.kind in _SIGNALS]
        numbers = [signal.line for signal in signals]
        for agent, following in zip(group.agents, group.agents[1:], strict=False):
            place = bisect_right(numbers, agent.line)
            between = signals[place] if place < len(signals) and numbers[place] < following.line else None
            if between is not None and product(agent.value) != product(following.value):
                yield RULE.at_line(
                    document,
                    between.line,
                    (
                        f"this {between.kind} line addresses `{agent.value}` but not `{following.value}`; for fetching "
                        f"the two are one group and share its rules"
                    ),
                    help=f"end the group of `{agent.value}` with a rule: `Allow: /` permits all",
                    related=(Related(following.line, "the group goes on here"),),
                )


RULE = Rule(
    code="signal-divides-group",
    summary="a content signal stands between User-agent lines of one group",
    severity="warning",
    why=(
        "By RFC 9309 only Allow and Disallow end a run of User-agent lines. By its draft a Content-Usage line ends one "
        "too, and authors of Content-Signal and License lines mean the same: the signal is for the crawlers above it. "
        "So the file divides in two ways, and readers differ on which crawlers the signal addresses."
    ),
    clause="draft-ietf-aipref-attach, RFC 9309 2.2",
    examples=(
        Example(
            bad="User-agent: Googlebot\nContent-Signal: ai-input=no\n\nUser-agent: *\nAllow: /\n",
            good="User-agent: Googlebot\nContent-Signal: ai-input=no\nAllow: /\n\nUser-agent: *\nAllow: /\n",
        ),
    ),
    check=check,
)

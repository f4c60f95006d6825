"""A User-agent line without a name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import from_problem, of_problem


def check(document: Document) -> Iterator[Finding]:
    """What the reader finds; where nothing is prohibited, or others are named beside it, no rule is lost."""
    if not (problems := document.problems.get("empty-agent", ())):
        return
    lost = {
        agent.line
        for group in document.groups
        if not any(agent.value for agent in group.agents)
        and any(rule.kind == "Disallow" and rule.value for rule in group.rules)
        for agent in group.agents
    }
    for problem in problems:
        finding = from_problem(document, problem)
        yield finding if problem.line in lost else replace(finding, severity="info")


_REPORTED = of_problem(
    "empty-agent",
    summary="a User-agent line names no crawler",
    why=(
        "A User-agent line with nothing after its colon names no crawler, and the rules below it apply to none; it "
        "does not mean every crawler. The intended name is unknown, so there is no automatic fix. Write `User-agent: "
        "*` for all crawlers that have no group of their own, or the name of the crawler."
    ),
    examples=(
        Example(
            bad="User-agent:\nDisallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
        ),
    ),
)
RULE = replace(_REPORTED, check=check)

"""Several URLs asked about at once: outcome, restrictions, the reason as a tree, and every usage."""

from __future__ import annotations

from dataclasses import dataclass, replace

from acap.decision import Decision
from acap.explain import Node, summary, tree, visible
from acap.publish.cases.paths import paths_of
from acap.robots import RobotsPolicy
from acap.web.workshop.deciding_lines import UsageQuestion, line_of
from acap.web.workshop.workspace import Workspace, known_usages

MOST = 100
"""At most this many URLs per question."""

_WITH_USAGES = 25
"""At most this many of them get a table of all usages."""

_SUGGESTED = 12
_STATEMENTS = 500


@dataclass(frozen=True, slots=True)
class UsageAnswer:
    """What is decided on one usage: its name, the outcome, the restrictions, and the line that decides in words."""

    usage: str
    outcome: str
    restrictions: tuple[str, ...]
    why: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """What is decided on one URL; `wrong` says why it could not be asked about."""

    url: str
    use: UsageAnswer | None = None
    tree: Node | None = None
    usages: tuple[UsageAnswer, ...] = ()
    wrong: str = ""


def tried(policy: RobotsPolicy, question: UsageQuestion, urls: str) -> tuple[list[Tried], int]:
    """What is decided on each URL, one a line; and how many more there were.

    Raises:
        ValueError: a crawler without a name, a usage that nothing knows.
    """
    wanted = list(dict.fromkeys(url for line in urls.splitlines() if (url := line.strip())))
    usages = tuple(known_usages(policy))
    # What is wrong with the question is wrong with each URL, and is raised here.
    policy.decide("/", crawler=question.crawler, usage=question.usage, purpose=question.purpose, at=question.at)
    found = [
        _tried(policy, question, url, usages if place < _WITH_USAGES else ()) for place, url in enumerate(wanted[:MOST])
    ]
    return found, max(len(wanted) - MOST, 0)


def _tried(policy: RobotsPolicy, question: UsageQuestion, url: str, usages: tuple[str, ...]) -> Tried:
    try:
        decisions = [
            policy.decide(url, crawler=question.crawler, usage=usage, purpose=question.purpose, at=question.at)
            for usage in (question.usage, *usages)
        ]
    except ValueError as error:
        return Tried(visible(url), wrong=visible(str(error)))
    uses = [_use(decision) for decision in decisions]
    return Tried(visible(url), uses[0], tree(decisions[0]), tuple(uses[1:]))


def _use(decision: Decision) -> UsageAnswer:
    restrictions = tuple(
        visible(f"{restriction.name}={restriction.value}{f' (for {restriction.usage})' if restriction.usage else ''}")
        for restriction in decision.restrictions
    )
    usage = decision.usage if isinstance(decision.usage, str) else ", ".join(decision.usage)
    return UsageAnswer(
        visible(usage), str(decision.outcome), restrictions, summary(decision, short=True), line_of(decision)
    )


def suggested(space: Workspace) -> Workspace:
    """The workspace with paths that its own lines are about as its URLs."""
    found = dict.fromkeys(["/"])
    for statement in space.policy.statements[:_STATEMENTS]:
        if len(found) < _SUGGESTED and (paths := paths_of(statement.pattern)):
            found[paths[0]] = None
    if len(found) == 1:
        return space.noted("done", "no line of the text has a path; write URLs of your site")
    return replace(space, urls="\n".join(found))

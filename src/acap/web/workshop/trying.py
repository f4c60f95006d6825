"""Several URLs asked about at once: outcome, restrictions, the reason as a tree, and every usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from time import monotonic

from acap.decision import Decision
from acap.explain import NO_NAMES, Node, condition_text, summary, tree, visible
from acap.publish.documents import read_document, site_of
from acap.publish.paths import paths_of
from acap.publish.unbound import unreading
from acap.robots import RobotsPolicy
from acap.web.workshop import documents
from acap.web.workshop.deciding_lines import UsageQuestion, line_of
from acap.web.workshop.recognising import OF_ONE_URL
from acap.web.workshop.workspace import Workspace, known_usages

MOST = 100
"""At most this many URLs per question."""

_WITH_USAGES = 25
"""At most this many of them get a table of all usages."""

_SUGGESTED = 12
_STATEMENTS = 500


@dataclass(frozen=True, slots=True)
class UsageAnswer:
    """What is decided on one usage: its name, the outcome, the restrictions, and the line that decides in words.

    `needs` are what would satisfy the conditions. `unread` is the crawler, where it does not read what decides.
    """

    usage: str
    outcome: str
    restrictions: tuple[str, ...]
    why: str
    line: int | None = None
    needs: tuple[str, ...] = ()
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Tried:
    """What is decided on one URL; `wrong` says why it could not be asked about."""

    url: str
    use: UsageAnswer | None = None
    tree: Node | None = None
    usages: tuple[UsageAnswer, ...] = ()
    wrong: str = ""


def tried(space: Workspace) -> tuple[list[Tried], int]:
    """What the text decides on each URL, one a line; and how many more there were.

    Raises:
        ValueError: a crawler without a name, a usage that nothing knows.
        ImportError: the text is a page, and what reads pages is not installed.
    """
    question = space.question
    answers = _of_robots(space.policy, question) if space.kind == "robots" else documents.answers(space)
    wanted = list(dict.fromkeys(url for line in space.urls.splitlines() if (url := line.strip())))
    most = 1 if space.kind in OF_ONE_URL else MOST
    usages = tuple(known_usages(space.policy))
    # What is wrong with the question is wrong with each URL, and is raised here.
    answers.decide("/", [question.usage])
    until = monotonic() + (inf if space.kind == "robots" else documents.SECONDS)
    attempts: list[Tried] = []
    for url in wanted[:most]:
        if monotonic() > until:
            break
        attempts.append(_tried(answers, url, (question.usage, *(usages if len(attempts) < _WITH_USAGES else ()))))
    return attempts, len(wanted) - len(attempts)


def _of_robots(policy: RobotsPolicy, question: UsageQuestion) -> documents.UrlDecisions:
    """What a robots.txt decides."""

    def decide(url: str, usages: Sequence[str]) -> Sequence[Decision]:
        return [
            policy.decide(url, crawler=question.crawler, usage=usage, purpose=question.purpose, at=question.at)
            for usage in usages
        ]

    return documents.UrlDecisions(decide, lambda _: NO_NAMES)


def _tried(answers: documents.UrlDecisions, url: str, usages: Sequence[str]) -> Tried:
    try:
        decisions = answers.decide(url, usages)
        names = answers.names(url)
    except ValueError as error:
        return Tried(visible(url), wrong=visible(str(error)))
    uses = [_use(decision, names) for decision in decisions]
    return Tried(visible(url), uses[0], tree(decisions[0], names=names), tuple(uses[1:]))


def _use(decision: Decision, names: Mapping[str, str]) -> UsageAnswer:
    restrictions = tuple(
        visible(f"{restriction.name}={restriction.value}{f' (for {restriction.usage})' if restriction.usage else ''}")
        for restriction in decision.restrictions
    )
    usage = decision.usage if isinstance(decision.usage, str) else ", ".join(decision.usage)
    return UsageAnswer(
        visible(usage),
        str(decision.outcome),
        restrictions,
        summary(decision, names, short=True),
        line_of(decision),
        tuple(map(condition_text, decision.conditions)),
        unreading(decision),
    )


def suggested(space: Workspace) -> Workspace:
    """The workspace with paths that its own lines are about as its URLs."""
    paths_tried = dict.fromkeys(["/"])
    patterns = [statement.pattern for statement in space.policy.statements[:_STATEMENTS]]
    if space.kind not in ("robots", *OF_ONE_URL):
        site = site_of(space.kind, space.octets)
        patterns = list(read_document(space.kind, space.octets, f"{site}/").patterns[:_STATEMENTS])
    for pattern in patterns:
        if len(paths_tried) < _SUGGESTED and (paths := paths_of(pattern)):
            paths_tried[paths[0]] = None
    if len(paths_tried) == 1:
        return space.noted("done", "no line of the text has a path; write URLs of your site")
    return replace(space, urls="\n".join(paths_tried))

"""More than one group for the same crawler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from acap.outline import RULES, Field, Group
from acap.problems import Example
from acap.publish.lint.crawler_names import compared, listing
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

MOST = 20  # other groups pointed at
_LATER = frozenset({"Content-Signal", "Content-Usage", "License"})
"""Fields that only crawlers know which merge groups."""


def check(document: Document) -> Iterator[Finding]:
    """A finding for each group that is the second of some crawlers, and has rules that the first lacks."""
    if len(document.groups) < 2:
        return
    places: dict[str, dict[int, Field]] = {}
    for number, group in enumerate(document.groups):
        for agent in group.agents:
            if name := compared(agent.value):
                places.setdefault(name, {}).setdefault(number, agent)
    crawlers: dict[int, list[list[Field]]] = {}
    contents = [_content(group) for group in document.groups]
    adds = lru_cache(lambda first, later: _adds(contents[first], contents[later]))  # of a pair that many share
    for agents in places.values():
        first, *others = agents
        if any(adds(first, later) for later in others):
            crawlers.setdefault(others[0], []).append(list(agents.values()))
    for second in sorted(crawlers):
        yield _finding(document, sorted(crawlers[second], key=lambda fields: fields[1].line))


def _finding(document: Document, crawlers: Sequence[Sequence[Field]]) -> Finding:
    """What is said of crawlers whose second group is the same; of each its lines that name it."""
    names = listing([fields[1].value for fields in crawlers])
    has = "already has a group at" if len(crawlers) == 1 else "already have groups, the first at"
    ahead = dict.fromkeys(fields[0].line for fields in crawlers)
    further = dict.fromkeys(field.line for fields in crawlers for field in fields[2:])
    related = (
        *(Related(line, "the first group" if len(crawlers) == 1 else "a first group") for line in ahead),
        *(Related(line, "a further one") for line in further),
    )
    return RULE.at_line(
        document,
        crawlers[0][1].line,
        f"{names} {has} line {min(ahead)}; crawlers merge them, but older ones follow only the first",
        help="write all rules for a crawler in one group",
        related=related[: MOST + 1],
    )


class _Content(NamedTuple):
    """What crawlers hear in a group that merge none: its rules that have a path, and its other fields."""

    rules: frozenset[tuple[str, str]]
    others: frozenset[tuple[str, str]]
    kinds: frozenset[str]


def _content(group: Group) -> _Content:
    rules = frozenset((field.kind, field.value) for field in group.rules if field.value)
    others = ((field.kind, field.value) for field in group.body if field.kind not in RULES and field.kind not in _LATER)
    return _Content(rules, frozenset(others), frozenset(kind for kind, _ in rules))


def _adds(first: _Content, later: _Content) -> bool:
    """Whether a later group says what the first does not: who follows the first alone misses it."""
    if not later.others <= first.others:
        return True
    kinds = first.kinds | later.kinds
    # Where nothing is refused no rule says anything, and where everything is no other Disallow does.
    if "Disallow" not in kinds or ("Allow" not in kinds and ("Disallow", "/") in first.rules):
        return False
    return not later.rules <= first.rules


RULE = Rule(
    code="several-groups-for-one-crawler",
    summary="a crawler has more than one group",
    severity="info",
    why=(
        "By RFC 9309 crawlers merge all groups that name them, and the large ones do. Crawlers that follow the "
        "agreement of 1994 stop at the first group that names them and never see the rules of the second. A second `*` "
        "group often comes from a service that puts its own lines before yours."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /a/\n\nUser-agent: *\nDisallow: /b/\n",
            good="User-agent: *\nDisallow: /a/\nDisallow: /b/\n",
        ),
    ),
    check=check,
)

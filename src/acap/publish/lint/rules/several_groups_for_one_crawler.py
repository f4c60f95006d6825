"""More than one group for the same crawler."""

from __future__ import annotations

from collections.abc import Iterator

from acap.outline import RULES, Field, Group
from acap.problems import Example
from acap.publish.lint.crawler_names import compared
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

MOST = 20  # further groups pointed at


def check(document: Document) -> Iterator[Finding]:
    """A finding for each crawler with several groups, at the second."""
    if len(document.groups) < 2:
        return
    places: dict[str, dict[int, Field]] = {}
    for number, group in enumerate(document.groups):
        for agent in group.agents:
            if name := compared(agent.value):
                places.setdefault(name, {}).setdefault(number, agent)
    rules = [_rules(group) for group in document.groups]
    for found in places.values():
        # Where all say the same it is the same which of them is followed.
        if len(found) > 1 and any(rules[number] != rules[next(iter(found))] for number in found):
            first, second, *others = found.values()
            yield RULE.at_line(
                document,
                second.line,
                (
                    f"`{second.value}` already has a group at line {first.line}; crawlers merge them, but older ones "
                    f"follow only the first"
                ),
                help="write all rules for a crawler in one group",
                related=(
                    Related(first.line, "the first group"),
                    *(Related(other.line, "a further one") for other in others[:MOST]),
                ),
            )


def _rules(group: Group) -> list[tuple[str, str]]:
    """What a group says, in some order; what refuses nothing says nothing."""
    refuses = any(rule.kind == "Disallow" and rule.value for rule in group.rules)
    return sorted((field.kind, field.value) for field in group.body if refuses or field.kind not in RULES)


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

"""A group that has no rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example
from acap.publish.lint.crawler_names import listing, product
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_FIELD = re.compile(r"\s(?:dis)?allow\s*:", re.IGNORECASE)


def check(document: Document) -> Iterator[Finding]:
    """A finding if the last group, the only one that can, has no rule, and its crawlers have none elsewhere."""
    if not document.groups or document.groups[-1].rules:
        return
    group, earlier = document.groups[-1], document.groups[:-1]
    elsewhere = {product(agent.value) for one in earlier for agent in one.agents}
    agents = [agent for agent in group.agents if agent.value and product(agent.value) not in elsewhere]
    if not agents:
        return
    names = listing([agent.value for agent in agents])
    default = any(
        one.is_default and any(rule.value and rule.kind == "Disallow" for rule in one.rules) for one in earlier
    )
    if default:
        message = f"the group of {names} has no rule, so it permits everything: the rules of `*` do not apply there"
    elif not group.body:
        message = f"the group of {names} says nothing"
    else:
        return
    help_ = "write its rules, or `Disallow:` if it should have none"
    if any(_FIELD.search(agent.value) for agent in agents):
        help_ = "give each field a line of its own"
    finding = RULE.at_line(document, agents[0].line, message, help=help_)
    yield finding if default else replace(finding, severity="info")


RULE = Rule(
    code="group-without-rules",
    summary="a group has no Allow or Disallow line",
    severity="warning",
    why=(
        "A crawler follows only the group that names it. A group without rules therefore does not leave the crawler to "
        "the rules of `*`: it frees the crawler from them. Write `Disallow:` if you mean that, and repeat the rules if "
        "you do not."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private/\n\nUser-agent: Bingbot\nCrawl-delay: 5\n",
            good="User-agent: *\nDisallow: /private/\n\nUser-agent: Bingbot\nCrawl-delay: 5\nDisallow: /private/\n",
        ),
    ),
    check=check,
)

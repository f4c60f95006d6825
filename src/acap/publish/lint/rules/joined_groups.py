"""User-agent lines that share the rules below them, though they look like groups of their own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from acap.outline import Group
from acap.problems import Example
from acap.publish.lint.crawler_names import product
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each User-agent line between which and the next something stands that ends no group."""
    for group in document.groups:
        # What permits everything is no burden to share.
        if len(group.agents) < 2 or not any(rule.kind == "Disallow" and rule.value for rule in group.rules):
            continue
        for agent, following in zip(group.agents, group.agents[1:], strict=False):
            between = _between(document, group, agent.line, following.line)
            if between is not None and product(agent.value) != product(following.value):
                yield RULE.at_line(
                    document,
                    following.line,
                    (
                        f"{between} does not end a group: `{agent.value}` and `{following.value}` share the rules from "
                        f"line {group.rules[0].line} on"
                    ),
                    help=(
                        f"if `{agent.value}` should have none of them, give it a rule of its own: `Disallow:` permits "
                        f"all"
                    ),
                    related=(Related(group.agents[0].line, "the group begins here"),),
                )


def _between(document: Document, group: Group, line: int, following: int) -> str | None:
    """What stands between two User-agent lines and looks like the end of a group; none where nothing does."""
    after = bisect_right(group.body, line, key=lambda one: one.line)
    if extension := next((field for field in group.body[after : after + 1] if field.line < following), None):
        # Readers of its draft end the group there.
        return None if extension.kind == "Content-Usage" else f"a {extension.kind} line"
    lines = document.lines
    if not any(lines.kind(number) == "blank" for number in range(line + 1, following)):
        return None
    # Whoever puts a blank line between everything means nothing by it.
    last = group.agents[-1].line
    return None if last < len(lines) and lines.kind(last + 1) == "blank" else "a blank line"


RULE = Rule(
    code="joined-groups",
    summary="User-agent lines share rules although something stands between them",
    severity="warning",
    why=(
        "A group ends where a User-agent line follows a rule (an Allow or Disallow line). Blank lines and lines such "
        "as Crawl-delay do not end it. So a crawler with only a Crawl-delay, or nothing, follows the rules of the next "
        "group: often `Disallow: /`."
    ),
    clause="RFC 9309 2.2",
    examples=(
        Example(
            bad="User-agent: Bingbot\nCrawl-delay: 10\n\nUser-agent: BadBot\nDisallow: /\n",
            good="User-agent: Bingbot\nCrawl-delay: 10\nDisallow:\n\nUser-agent: BadBot\nDisallow: /\n",
        ),
    ),
    check=check,
)

"""A rule on the line that names its crawler."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.harmless import weighed
from acap.publish.lint.mending import eol
from acap.publish.lint.rule import Rule

_RULE = re.compile(r"(?P<name>\S+)\s+(?P<rule>(?:dis)?allow\s*:.*)", re.IGNORECASE)

_ONE = re.compile(r"(?:dis)?allow\s*:\s*\S*\s*", re.IGNORECASE)


def check(document: Document) -> Iterator[Finding]:
    """A finding for each User-agent line with an Allow or a Disallow behind the name."""
    for group in document.groups:
        for agent in group.agents:
            if (match := _RULE.fullmatch(agent.value)) is None:
                continue
            head = document.outline.octets(agent.name_span)
            lines = head + b": " + match["name"].encode() + eol(document) + match["rule"].encode()
            finding = RULE.at_line(
                document,
                agent.line,
                f"`{match['rule']}` stands on the line of `{match['name']}`, so no crawler reads it",
                help="give it a line of its own",
                fix=Fix("give it a line of its own", (Edit(*agent.span, lines),), safe=False),
            )
            # Of several fields on one line the first path is no path.
            yield weighed(document, finding, unread={agent.line}) if _ONE.fullmatch(match["rule"]) else finding


RULE = Rule(
    code="rule-on-agent-line",
    summary="a User-agent line has a rule behind the name",
    severity="error",
    why=(
        "A line has one field. Crawlers take everything behind `User-agent:` for a name, and read of that as much as "
        "can be one. So what stands behind the name forbids nothing."
    ),
    clause="RFC 9309 2.2",
    examples=(
        Example(
            bad="User-agent: * Disallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
    fix="unsafe",
    weighs=True,
)

"""Several names on one User-agent line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.crawler_list import known
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.mending import eol
from acap.publish.lint.rule import Rule

_LIST = re.compile(r"[A-Za-z0-9*][\w.*/-]*(?:\s*[,;|]\s*[A-Za-z0-9*][\w.*/-]*)+")
_DIVIDED = re.compile(r"\s*[,;|]\s*|\s+")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each User-agent line with several names."""
    for group in document.groups:
        for agent in group.agents:
            if _LIST.fullmatch(agent.value) or (" " in agent.value and _all_known(agent.value)):
                names = _DIVIDED.split(agent.value)
                head = document.outline.octets(agent.name_span)
                lines = eol(document).join(head + b": " + name.encode() for name in names)
                yield RULE.at_line(
                    document,
                    agent.line,
                    f"one User-agent line addresses one crawler; only `{names[0]}` is read here",
                    help="give each crawler a User-agent line of its own",
                    fix=Fix("give each crawler a line of its own", (Edit(*agent.span, lines),), safe=False),
                )


def _all_known(name: str) -> bool:
    parts = name.split()
    if known(name) is not None:
        return False
    return all(
        part == "*" or ((crawler := known(part)) is not None and crawler.name.lower() == part.lower()) for part in parts
    )


RULE = Rule(
    code="several-crawlers-on-a-line",
    summary="a User-agent line names several crawlers",
    severity="error",
    why=(
        "A User-agent line has one name. Crawlers read the first and drop the rest, so the others are not addressed: "
        "they follow the rules for `*`, or none. Several User-agent lines in a row share the rules that follow them."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: GPTBot, CCBot\nDisallow: /\n",
            good="User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n",
            fixed="User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n",
        ),
    ),
    check=check,
    fix="unsafe",
)

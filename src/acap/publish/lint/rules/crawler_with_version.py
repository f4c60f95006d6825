"""A crawler named with its version."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.named_already import NamedAlready
from acap.publish.lint.rule import Rule, replaced

_VERSIONED = re.compile(r"([A-Za-z0-9._-]+)/v?\.?\d[\w.]*")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each User-agent line with a version."""
    already: NamedAlready | None = None
    for group in document.groups:
        for agent in group.agents:
            match = _VERSIONED.fullmatch(agent.value)
            if match is None or match[1].lower() == "mozilla":
                continue
            already = already or NamedAlready(document)
            there, name = already.beside(agent.line, match[1]), match[1]
            if there is None:
                title, edits = f"write `{name}`", replaced(document, agent.value_span, name)
            elif there.in_group:
                title, edits = f"remove the line: line {there.line} names `{name}` already", already.removed(agent.line)
            else:
                title, edits = f"write its rules into the group of `{name}` at line {there.line}", ()
            yield RULE.at_line(
                document,
                agent.line,
                f"`{agent.value}` has a version; crawlers compare only `{name}`",
                help=title,
                fix=Fix(title, edits) if edits else None,
            )


RULE = Rule(
    code="crawler-with-version",
    summary="a User-agent line names a version",
    severity="info",
    why=(
        "A User-agent line holds a product token, which has no version. Crawlers drop the version, so the line "
        "addresses every version of the crawler; for a strict reader it may address none."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: Googlebot/2.1\nDisallow: /private/\n",
            good="User-agent: Googlebot\nDisallow: /private/\n",
            fixed="User-agent: Googlebot\nDisallow: /private/\n",
        ),
        Example(
            bad="User-agent: ExampleBot\nUser-agent: ExampleBot/1.0\nDisallow: /private/\n",
            good="User-agent: ExampleBot\nDisallow: /private/\n",
            fixed="User-agent: ExampleBot\nDisallow: /private/\n",
        ),
    ),
    check=check,
    fix="safe",
)

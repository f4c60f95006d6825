"""A crawler named with its version."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.rule import Rule, replaced

_VERSIONED = re.compile(r"([A-Za-z0-9._-]+)/v?\.?\d[\w.]*")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each User-agent line with a version."""
    for group in document.groups:
        for agent in group.agents:
            found = _VERSIONED.fullmatch(agent.value)
            if found is None or found[1].lower() == "mozilla":
                continue
            edits = replaced(document, agent.value_span, found[1])
            yield RULE.at_line(
                document,
                agent.line,
                f"`{agent.value}` has a version; crawlers compare only `{found[1]}`",
                help=f"write `{found[1]}`",
                fix=Fix(f"write `{found[1]}`", edits) if edits else None,
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
    ),
    check=check,
    fix="safe",
)

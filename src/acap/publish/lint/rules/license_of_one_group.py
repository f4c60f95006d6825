"""A License line behind the last group, which binds the crawlers of that group alone."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.crawler_names import listing
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for a License line that looks as if it spoke for the file, and stands in the last of several groups."""
    if not document.kinds["License"] or len(document.groups) < 2:
        return
    licences = [extension for extension in document.extensions if extension.field == "License"]
    last = document.groups[-1]
    if last.is_default or {licence.group for licence in licences} != {len(document.groups) - 1}:
        return
    first = licences[0]
    if not last.rules or first.line < last.rules[-1].line or not _apart(document, first.line):
        return
    names = listing([agent.value for agent in last.agents])
    yield RULE.at_line(
        document,
        first.line,
        f"the line stands in the group of {names}; by RSL the licence applies to no other crawler",
        help="put it above the first User-agent line, if it is for every crawler",
    )


def _apart(document: Document, line: int) -> bool:
    """Whether a blank line or a Sitemap line stands above."""
    return line > 1 and document.lines[line - 2].kind in ("blank", "Sitemap", "comment")


RULE = Rule(
    code="license-of-one-group",
    summary="a License line at the end belongs to the last group",
    severity="warning",
    why=(
        "A License line inside a group is for the crawlers of that group; outside a group it is for all. A group lasts "
        "until the next User-agent line or the end of the file, across blank lines. So a line at the end of the file, "
        "where publishers like to put it, licenses only the last crawler named."
    ),
    clause="RSL 1.0, robots.txt",
    examples=(
        Example(
            bad=(
                "User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nDisallow: /\n\nLicense: "
                "https://example.com/license.xml\n"
            ),
            good=(
                "License: https://example.com/license.xml\n\nUser-agent: *\nDisallow: /private/\n\nUser-agent: "
                "GPTBot\nDisallow: /\n"
            ),
        ),
    ),
    check=check,
)

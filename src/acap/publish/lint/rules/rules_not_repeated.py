"""A group that repeats most rules of `*`, and not all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.outline import Group
from acap.problems import Example
from acap.publish.lint.crawler_names import listing
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

_ALLOWS = re.compile(r"\b(?:allow|permit|let)s?\b.{0,40}\b(?:crawl|bot|spider|search)", re.IGNORECASE)
FEWEST, MOST = 4, 2  # fewest rules in common, and most rules left out


def check(document: Document) -> Iterator[Finding]:
    """A finding for each group that was evidently copied from that of `*`, and lacks one or two of its rules.

    A rule that a comment there names was left out on purpose, and so was one where a comment lets the crawler in.
    """
    if len(document.groups) < 2:
        return
    default: dict[str, int] = {}
    for group in document.groups:
        if group.is_default:
            default.update(_refused(group))
    if len(default) < FEWEST + 1:
        return
    for group in document.groups:
        if group.is_default or len(group.rules) < FEWEST:
            continue
        own = _refused(group)
        if len(own.keys() & default.keys()) < FEWEST or "/" in own:
            continue
        begun = tuple(pattern.rstrip("*") for pattern in own)
        allowed = {rule.value for rule in group.rules if rule.kind == "Allow"}
        missing = [
            pattern
            for pattern in default
            if pattern not in own
            and pattern not in allowed
            and not pattern.startswith(begun)
            and not any(one.startswith(pattern.rstrip("*")) for one in begun)
        ]
        if 0 < len(missing) <= MOST and not any(pattern in ("/", "/*", "*") for pattern in missing):
            comments = _comments(document, group)
            if _ALLOWS.search(comments) or all(pattern in comments for pattern in missing):
                continue  # on purpose
            names = listing([agent.value for agent in group.agents])
            yield RULE.at_line(
                document,
                group.agents[0].line,
                f"the group of {names} repeats the rules of `*` except {listing(missing)}",
                help=(
                    "repeat every rule that it should obey too: the rules of `*` do not apply to a crawler that is "
                    "named"
                ),
                related=tuple(Related(default[pattern], "not repeated") for pattern in missing),
            )


def _comments(document: Document, group: Group) -> str:
    """The comments in a group and on the line above it."""
    first, last = group.agents[0].line, group.rules[-1].line
    comments = (line.comment for line in document.lines[max(first - 2, 0) : last])
    return b"\n".join(comments).decode("utf-8", "replace")


def _refused(group: Group) -> dict[str, int]:
    """Its Disallow patterns with their lines."""
    return {rule.value: rule.line for rule in group.rules if rule.value and rule.kind == "Disallow"}


RULE = Rule(
    code="rules-not-repeated",
    summary="a group repeats the rules of `*` except for one or two",
    severity="info",
    why=(
        "A crawler that is named follows only its own group, so groups are often copies of the group of `*`. A rule "
        "added later is easily added only to `*`, and the named crawlers never get it."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad=(
                "User-agent: *\nDisallow: /a/\nDisallow: /b/\nDisallow: /c/\nDisallow: /d/\nDisallow: "
                "/new/\n\nUser-agent: Googlebot\nDisallow: /a/\nDisallow: /b/\nDisallow: /c/\nDisallow: /d/\n"
            ),
            good=(
                "User-agent: *\nDisallow: /a/\nDisallow: /b/\nDisallow: /c/\nDisallow: /d/\nDisallow: "
                "/new/\n\nUser-agent: Googlebot\nDisallow: /a/\nDisallow: /b/\nDisallow: /c/\nDisallow: /d/\nDisallow: "
                "/new/\n"
            ),
        ),
    ),
    check=check,
)

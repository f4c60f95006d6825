"""A group that lacks rules of `*`, which its crawlers no longer hear."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.outline import Group
from acap.problems import Example
from acap.publish.lint.crawler_names import hears_any, listing
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix, Related
from acap.publish.lint.mending import eol
from acap.publish.lint.rule import Rule

_ALLOWS = re.compile(r"\b(?:allow|permit|let)s?\b.{0,40}\b(?:crawl|bot|spider|search)", re.IGNORECASE)
FEWEST = 4
"""Rules in common from which on a group is a copy of that of `*`."""
_NAMED = 12  # rules that are pointed at
_ALL = ("", "/")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each group that was evidently copied from that of `*` and lacks rules, or only adds rules to it.

    A rule that a comment there names was left out on purpose, and so was one where a comment lets the crawler in. Who
    repeats a few rules of many has chosen.
    """
    if len(document.groups) < 2:
        return
    default: dict[str, int] = {}
    for group in document.groups:
        if group.is_default:
            default.update(_refused(group))
    if not default:
        return
    for group in document.groups:
        own = _refused(group)
        allowed = {rule.value for rule in group.rules if rule.kind == "Allow"}
        if group.is_default or not own or any(one.rstrip("*") in _ALL for one in (*own, *allowed)):
            continue
        begun = tuple(pattern.rstrip("*") for pattern in own)
        heard = [pattern for pattern in default if pattern in own or pattern.startswith(begun)]
        missing = [
            pattern
            for pattern in default
            if pattern not in heard
            and pattern not in allowed
            and not any(one.startswith(pattern.rstrip("*")) for one in begun)
        ]
        copied = len(own.keys() & default.keys()) >= FEWEST and len(missing) <= len(heard)
        added = not heard
        if not missing or not (copied or added) or any(pattern.rstrip("*") in _ALL for pattern in missing):
            continue
        comments = _comments(document, group)
        if _ALLOWS.search(comments) or all(pattern in comments for pattern in missing):
            continue  # on purpose
        hearing = [agent.value for agent in group.agents if hears_any(agent.value)]
        if not hearing:
            continue
        names, have, hear = listing(hearing), *(("has", "hears") if len(hearing) == 1 else ("have", "hear"))
        number = f"{len(missing)} rules" if len(missing) > 1 else "a rule"
        yield RULE.at_line(
            document,
            group.agents[0].line,
            f"the group of {names} repeats the rules of `*` except {listing(missing)}"
            if copied
            else f"{names} {have} this group, and so no longer {hear} {number} of `*`: {listing(missing)}",
            help="repeat every rule that it should obey too: the rules of `*` do not apply to a crawler that is named",
            fix=_repeated(document, group, missing),
            related=tuple(Related(default[pattern], "not repeated") for pattern in missing[:_NAMED]),
        )


def _repeated(document: Document, group: Group, missing: list[str]) -> Fix | None:
    """The missing rules behind the last of the group. It prohibits more; whether that was meant is for the author."""
    last = group.rules[-1].line
    end = document.bounds(last)[1]
    lines = b"".join(eol(document) + b"Disallow: " + pattern.encode() for pattern in missing)
    return Fix("repeat them in this group", (Edit(end, end, lines),), safe=False)


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
    summary="a crawler with a group of its own no longer hears rules of `*`",
    severity="info",
    why=(
        "A crawler that is named follows only its own group, so groups are often copies of the group of `*`. A rule "
        "added later is easily added only to `*`, and the named crawlers never get it. And who writes a group with one "
        "rule for one crawler often means it in addition to those of `*`, which it replaces. A group that repeats a "
        "few rules of many is taken for a choice."
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
            fixed=(
                "User-agent: *\nDisallow: /a/\nDisallow: /b/\nDisallow: /c/\nDisallow: /d/\nDisallow: "
                "/new/\n\nUser-agent: Googlebot\nDisallow: /a/\nDisallow: /b/\nDisallow: /c/\nDisallow: /d/\nDisallow: "
                "/new/\n"
            ),
        ),
        Example(
            bad="User-agent: *\nDisallow: /cgi/\n\nUser-agent: Bingbot\nDisallow: /search\n",
            good="User-agent: *\nDisallow: /cgi/\n\nUser-agent: Bingbot\nDisallow: /search\nDisallow: /cgi/\n",
            fixed="User-agent: *\nDisallow: /cgi/\n\nUser-agent: Bingbot\nDisallow: /search\nDisallow: /cgi/\n",
        ),
    ),
    check=check,
    fix="unsafe",
)

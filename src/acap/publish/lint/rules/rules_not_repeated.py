"""A group that lacks rules of `*`, which its crawlers no longer hear."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from acap.outline import Group
from acap.problems import Example
from acap.publish.lint.crawler_names import hears_any, listing, product
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix, Related
from acap.publish.lint.mending import eol
from acap.publish.lint.rule import Rule

_ALLOWS = re.compile(r"\b(?:allow|permit|let)s?\b.{0,40}\b(?:crawl|bot|spider|search)", re.IGNORECASE)
FEWEST = 4
"""Rules in common from which on a group is a copy of that of `*`."""
_LOOKS = 1 << 18
"""Rules that are compared per file, half a second; of a real one a tenth."""
_AT_ONCE = 256  # beginnings that are compared in the time of one step
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
    groups: dict[str, list[int]] = {}
    for number, group in enumerate(document.groups):
        if group.is_default:
            default.update(_refused(group))
        for name in {product(agent.value) for agent in group.agents}:
            groups.setdefault(name, []).append(number)
    if not default:
        return
    looks = 0
    for number, group in enumerate(document.groups):
        if group.is_default or not _refused(group):
            continue
        followers, followed = _followers(document, number, groups)
        merged = [document.groups[one] for one in followed]
        rules = sum(len(one.rules) for one in merged)
        looks += len(default) * (1 + rules // _AT_ONCE) + rules
        if looks > _LOOKS:
            return
        own = {pattern: line for one in merged for pattern, line in _refused(one).items()}
        allowed = {rule.value for one in merged for rule in one.rules if rule.kind == "Allow"}
        if not followers or any(one.rstrip("*") in _ALL for one in (*own, *allowed)):
            continue
        begun = tuple(sorted(pattern.rstrip("*") for pattern in own))
        covered = {pattern for pattern in default if pattern in own or pattern.startswith(begun)}
        missing = [
            pattern
            for pattern in default
            if pattern not in covered and pattern not in allowed and not _begins_any(pattern.rstrip("*"), begun)
        ]
        copied = len(own.keys() & default.keys()) >= FEWEST and len(missing) <= len(covered)
        added = not covered
        if not missing or not (copied or added) or any(pattern.rstrip("*") in _ALL for pattern in missing):
            continue
        comments = _comments(document, group)
        if _ALLOWS.search(comments) or all(pattern in comments for pattern in missing):
            continue  # on purpose
        names, have, hear = listing(followers), *(("has", "hears") if len(followers) == 1 else ("have", "hear"))
        number_of = f"{len(missing)} rules of" if len(missing) > 1 else "a rule of"
        yield RULE.at_line(
            document,
            group.agents[0].line,
            f"the group of {names} repeats the rules of `*` except {listing(missing)}"
            if copied
            else f"{names} {have} this group, and so no longer {hear} {number_of} `*`: {listing(missing)}",
            help="repeat every rule that it should obey too: the rules of `*` do not apply to a crawler that is named",
            fix=_repeated(document, group, missing),
            related=tuple(Related(default[pattern], "not repeated") for pattern in missing[:_NAMED]),
        )


def _begins_any(pattern: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern begins one of several, which are in order."""
    at = bisect_left(patterns, pattern)
    return at < len(patterns) and patterns[at].startswith(pattern)


def _followers(document: Document, number: int, groups: Mapping[str, list[int]]) -> tuple[list[str], list[int]]:
    """Who would follow `*` without this group, and the groups that they follow, which merge (RFC 9309 2.2.1).

    Whoever is named in no other group comes before those who are, of whom the last of their groups speaks; who shares a
    group of `*` hears its rules.
    """
    names = [agent.value for agent in document.groups[number].agents if hears_any(agent.value)]
    if alone := [name for name in names if len(groups[product(name)]) == 1]:
        return alone, [number]
    if any(groups[product(name)][-1] > number for name in names):
        return [], []
    followed = sorted({one for name in names for one in groups[product(name)]})
    return ([], []) if any(document.groups[one].is_default for one in followed) else (names, followed)


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

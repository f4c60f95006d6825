"""`*` as a part of a crawler's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from acap.crawler_list import known
from acap.problems import Example
from acap.publish.lint.crawler_names import stands_for_several
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.rule import Rule, replaced

_TRAILING = re.compile(r"([A-Za-z0-9._-]*[A-Za-z0-9_-])\*")
_BEHIND = re.compile(r"([A-Za-z0-9._-]+)[^A-Za-z0-9._*,;-][^*]*\*")
"""Behind a version, a blank or a brace, where crawlers have stopped reading."""

_BETWEEN = re.compile(r"\*+([A-Za-z0-9._-]*[A-Za-z][A-Za-z0-9._-]*)\*+")
_LETTER = re.compile(r"\w")
_TAG = re.compile(r"</?\w")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each User-agent line with `*` beside other letters."""
    for group in document.groups:
        for agent in group.agents:
            name = agent.value
            if "*" not in name or not name.strip("* ") or name.startswith("* "):
                continue
            if "(" in name or "\ufffd" in name:
                continue  # a whole User-Agent string, or no UTF-8: other rules report it
            if match := _TRAILING.fullmatch(name):
                edits = replaced(document, agent.value_span, match[1])
                plain = RULE.at_line(
                    document,
                    agent.line,
                    f"`*` has no meaning in a name; the line addresses only `{match[1]}`",
                    help=f"write `{match[1]}`",
                    fix=Fix(f"write `{match[1]}`", edits) if edits else None,
                )
                # The name before it is read, and the crawler that bears it obeys; `Google*` was to be more than that.
                yield plain if stands_for_several(match[1]) else replace(plain, severity="info")
            elif match := _BEHIND.match(name):
                own = "the product token that the crawler's operator documents"
                plain = RULE.at_line(
                    document,
                    agent.line,
                    f"`*` has no meaning in a name; crawlers read `{name}` as `{match[1]}`",
                    help=f"write `{match[1]}`" if known(match[1]) else f"write {own}",
                )
                yield replace(plain, severity="info")
            else:
                yield RULE.at_line(
                    document,
                    agent.line,
                    f"`*` has no meaning in a name; no crawler is called `{name}`",
                    help=_way_out(name),
                )


def _way_out(name: str) -> str:
    if _TAG.search(name):
        return "a robots.txt is not HTML; give each field a line of its own"
    if name.startswith("*") and (":" in name or ";" in name):
        return "write only `*`"
    if match := _BETWEEN.fullmatch(name):
        return f"write `{match[1]}`"
    return "give each crawler a User-agent line of its own" if _LETTER.search(name) else "write `*`"


RULE = Rule(
    code="wildcard-in-crawler-name",
    summary="a crawler's name has a wildcard in it",
    severity="warning",
    why=(
        "`*` alone addresses every crawler that no other group names. Inside a name it is not a wildcard: `*bot` "
        "addresses no crawler, and `Google*` addresses a crawler called `Google`, not `Googlebot`. Crawlers drop the "
        "star of `Googlebot*`."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: Mediapartners-Google*\nDisallow: /private/\n",
            good="User-agent: Mediapartners-Google\nDisallow: /private/\n",
            fixed="User-agent: Mediapartners-Google\nDisallow: /private/\n",
        ),
        Example(
            bad="User-agent: *bot\nDisallow: /\n",
            good="User-agent: *\nDisallow: /\n",
        ),
    ),
    check=check,
    fix="safe",
)

"""`#` inside a pattern, where a comment begins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from acap.publish.lint.finding import Finding
from acap.publish.lint.groups import said_beside
from acap.publish.lint.regex import late
from acap.publish.lint.rule import Example, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.publish.lint.document import Document

_CUT = late(rb":\s*([^\s#][^#]*)(?<=\S)#(\S*)\s*\Z")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line whose `#` looks like a part of a URL.

    It is mere information if another line of the group has the pattern too, or if it is a URL, which matches nothing.
    """
    cut = [
        (line, pattern, found)
        for line, pattern in document.rules
        if b"#" in line.octets and (found := _CUT.search(line.octets))
    ]
    told = said_beside(document.groups, {line.number: (pattern,) for line, pattern, _ in cut})
    for line, pattern, found in cut:
        url = (found[1] + b"#" + found[2]).decode("utf-8", "replace")
        one = RULE.at_line(
            document,
            line.number,
            f"`#` begins a comment: of `{url}` the pattern is `{pattern}`",
            help="leave out the fragment, which no crawler sends; put a blank before a comment",
        )
        yield replace(one, severity="info") if line.number in told or "://" in pattern else one


RULE = Rule(
    code="comment-in-pattern",
    summary="a `#` cuts a pattern off",
    severity="warning",
    why=(
        "`#` begins a comment wherever it stands. `Disallow: /*#top` is the line `Disallow: /*`, and disallows the "
        "whole site. What follows `#` in a URL is never sent to a site, so no rule can speak of it."
    ),
    clause="RFC 9309 2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /*#top\n",
            good="User-agent: *\nDisallow: /top/  # not for crawlers\n",
        ),
    ),
    check=check,
)

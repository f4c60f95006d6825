"""`#` inside a pattern, where a comment begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap.outline import Field
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.repetition import repeated_beside
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line whose `#` looks like a part of a URL.

    It is mere information if another line of the group has the pattern too, or if it is a URL, which matches nothing.
    """
    cut = [(rule, fragment) for rule in document.path_rules if (fragment := _fragment(document, rule)) is not None]
    repeated = repeated_beside(document.groups, {rule.line: (rule.value,) for rule, _ in cut})
    for rule, fragment in cut:
        url = rule.value + fragment
        one = RULE.at_line(
            document,
            rule.line,
            f"`#` begins a comment, so the pattern of `{url}` is `{rule.value}`",
            help="remove the fragment, which no crawler sends; put a blank before a comment",
        )
        yield replace(one, severity="info") if rule.line in repeated or "://" in rule.value else one


def _fragment(document: Document, rule: Field) -> str | None:
    """What stands right behind a pattern from `#` on, if it is one word; none where nothing does."""
    end = rule.value_span.end
    if not rule.value or not document.text.startswith(b"#", end):
        return None
    fragment = document.text[end : document.bounds(rule.line)[1]].rstrip()
    return None if fragment.split()[1:] else fragment.decode("utf-8", "replace")


RULE = Rule(
    code="comment-in-pattern",
    summary="a `#` cuts a pattern off",
    severity="warning",
    why=(
        "`#` begins a comment wherever it stands. `Disallow: /*#top` is the line `Disallow: /*`, and disallows the "
        "whole site. Crawlers never send the part of a URL after `#`, so no rule can match it."
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

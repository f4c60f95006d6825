"""`$` inside a pattern, where it is a dollar sign."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_NOT_LAST = re.compile(r"[^/]\$[*?&/$]")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line with such a pattern."""
    for rule in document.path_rules:
        if "$" in rule.value and _NOT_LAST.search(rule.value):
            yield RULE.at_line(
                document,
                rule.line,
                f"`$` ends a pattern only as its last octet; in `{rule.value}` it is a dollar sign of the URL",
                help="write the `$` at the end, or remove it",
            )


RULE = Rule(
    code="dollar-inside-pattern",
    summary="a `$` that is not at the end of a pattern is a dollar sign",
    severity="warning",
    why=(
        "At the end of a pattern `$` says that the path ends there. Anywhere else it is an ordinary dollar sign, so "
        "`/*.pdf$*` matches only URLs in which `.pdf$` is written. A `$` inside a word is not reported, because it "
        "probably belongs there."
    ),
    clause="RFC 9309 2.2.3",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /*.pdf$*\n",
            good="User-agent: *\nDisallow: /*.pdf$\n",
        ),
    ),
    check=check,
)

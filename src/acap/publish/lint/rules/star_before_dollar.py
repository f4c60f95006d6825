"""A pattern that ends with `*$`, where neither does anything."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule, shortened

_END = re.compile(r"\*+\$\Z")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line with such a pattern."""
    for rule in document.path_rules:
        shorter = _END.sub("", rule.value)
        if shorter == rule.value or not shorter:
            continue
        yield RULE.corrected(
            document,
            rule,
            shorter,
            f"`{rule.value}` matches what `{shorter}` matches: the `*` takes all that `$` would exclude",
            help=f"write `{shorter}`, or `{shorter}$` for that path alone",
            edits=shortened(document, rule, shorter),
        )


RULE = Rule(
    code="star-before-dollar",
    summary="a `*` before the `$` at the end of a pattern undoes it",
    severity="info",
    why=(
        "`$` says that the path ends there, and `*` stands for anything, the rest of the path too. So `/api*$` matches "
        "every path that begins with `/api`, as `/api` does. Whoever wants the path `/api` alone writes `/api$`."
    ),
    clause="RFC 9309 2.2.3",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /api*$\n",
            good="User-agent: *\nDisallow: /api\n",
            fixed="User-agent: *\nDisallow: /api\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: /\nAllow: /news/*$\n",
            good="User-agent: *\nDisallow: /\nAllow: /news/$\n",
            fixed="User-agent: *\nDisallow: /\nAllow: /news/\n",
        ),
    ),
    check=check,
    fix="safe",
)

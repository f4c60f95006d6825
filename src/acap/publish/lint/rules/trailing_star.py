"""A pattern that ends with `*`, which adds nothing."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule, shortened


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line with such a pattern."""
    for rule in document.path_rules:
        pattern = rule.value
        if not pattern.endswith("*") or not (shorter := pattern.rstrip("*")) or shorter.endswith("$"):
            continue
        message = f"`{pattern}` matches what `{shorter}` matches"
        yield RULE.corrected(document, rule, shorter, message, edits=shortened(document, rule, shorter))


RULE = Rule(
    code="trailing-star",
    summary="a `*` at the end of a pattern adds nothing",
    severity="info",
    why=(
        "Every pattern is the beginning of a path, so it matches what follows anyway. Crawlers without wildcards take "
        "the star literally and match nothing. The star matters in one case: between Allow and Disallow the longer "
        "pattern wins, and the star counts."
    ),
    clause="RFC 9309 2.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private/*\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
    fix="safe",
    default=False,
)

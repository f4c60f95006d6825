"""`{*}` in a pattern, as templates have it."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.harmless import weighed
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line with it."""
    for rule in document.path_rules if b"{*}" in document.text else ():
        if "{*}" not in rule.value:
            continue
        plain = rule.value.replace("{*}", "*")
        message = f"braces have no meaning in a pattern; `{rule.value}` matches only URLs that contain `{{` and `}}`"
        yield weighed(document, RULE.corrected(document, rule, plain, message, safe=False))


RULE = Rule(
    code="star-in-braces",
    summary="a wildcard stands in braces",
    severity="warning",
    why=(
        "In a pattern `*` stands for any characters and `$` for the end; everything else stands for itself. "
        "`Disallow: /{*}`, as a template or a page of documentation has it, matches only URLs with braces, so what it "
        "was to disallow is allowed."
    ),
    clause="RFC 9309 2.2.3",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /drafts/{*}\n",
            good="User-agent: *\nDisallow: /drafts/*\n",
            fixed="User-agent: *\nDisallow: /drafts/*\n",
        ),
    ),
    check=check,
    fix="unsafe",
    weighs=True,
)

"""A rule on a file that carries policy, which crawlers may always fetch."""

from __future__ import annotations

from collections.abc import Iterator

from acap import _native
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule
from acap.robots import DIALECTS

_PATHS = next(paths for name, *_, paths in _native.dialects() if name == DIALECTS[0])  # that lint reads in


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Disallow line on one of these files."""
    for rule in document.path_rules:
        path = rule.value.rstrip("*$")
        if rule.kind == "Disallow" and path in _PATHS:
            yield RULE.at_line(
                document,
                rule.line,
                f"`{path}` says what crawlers may do, so crawlers that follow it may always fetch it",
                help="remove the line",
            )


RULE = Rule(
    code="blocked-policy-resource",
    summary="a file that carries policy is disallowed",
    severity="info",
    why=(
        "Crawlers may always fetch `/robots.txt`, whatever it says of itself, or they could not know it. Treat other "
        "files that carry policy the same way: a crawler that may not read a reservation cannot respect it."
    ),
    clause="RFC 9309 2.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /robots.txt\nDisallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
)

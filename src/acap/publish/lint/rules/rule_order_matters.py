"""Rules whose order decides for crawlers that stop at the first match."""

from __future__ import annotations

from collections.abc import Iterator

from acap import _native
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

MOST = 200  # rules of a group that are compared with each other


def check(document: Document) -> Iterator[Finding]:
    """A finding for each rule that comes behind a broader one of the other kind."""
    if not document.kinds["Allow"]:
        return
    for group in document.groups:
        before: dict[str, list[tuple[int, bytes]]] = {"Allow": [], "Disallow": []}
        for rule in group.rules[:MOST]:
            pattern = _native.canonical_pattern(rule.value.encode())
            if not pattern:
                continue
            other = before["Disallow" if rule.kind == "Allow" else "Allow"]
            broader = next((number for number, one in other if _native.contains(pattern, one) and pattern != one), None)
            if broader is not None:
                yield RULE.at_line(
                    document,
                    rule.line,
                    f"crawlers that stop at the first matching rule never get here: line {broader} is broader",
                    help=f"move it above line {broader}",
                    related=(Related(broader, "matches all of it"),),
                )
            before[rule.kind].append((rule.line, pattern))


RULE = Rule(
    code="rule-order-matters",
    summary="crawlers that take the first match decide differently",
    severity="info",
    why=(
        "Crawlers that follow RFC 9309 take the longest matching pattern, whatever the order. Crawlers that follow the "
        "memo of 1996 take the first. With the narrower rules on top, both decide the same."
    ),
    clause="draft-koster-robots-00 3.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /a/\nAllow: /a/b/\n",
            good="User-agent: *\nAllow: /a/b/\nDisallow: /a/\n",
        ),
    ),
    check=check,
    default=False,
)

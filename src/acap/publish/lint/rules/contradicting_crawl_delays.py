"""Different Crawl-delays for the same crawlers."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each group with more than one value, at the second."""
    if document.kinds["Crawl-delay"] < 2:
        return
    for group in document.groups:
        delays = [field for field in group.body if field.kind == "Crawl-delay"]
        other = next((field for field in delays if field.value != delays[0].value), None)
        if other is not None:
            yield RULE.at_line(
                document,
                other.line,
                f"the group asks for a delay of `{delays[0].value}` and of `{other.value}`",
                help="a Crawl-delay line does not end a group; give each crawler a rule too, or ask for one delay",
                related=(Related(delays[0].line, "the other delay"),),
            )


RULE = Rule(
    code="contradicting-crawl-delays",
    summary="a group asks for two different delays",
    severity="warning",
    why=(
        "No standard says which of two delays counts; a considerate crawler takes the longer. Often the author meant "
        "two groups: a User-agent line begins a new group only after an Allow or Disallow line."
    ),
    clause="RFC 9309 2.2.4",
    examples=(
        Example(
            bad="User-agent: Bingbot\nCrawl-delay: 5\nUser-agent: Yeti\nCrawl-delay: 10\nDisallow: /private/\n",
            good=(
                "User-agent: Bingbot\nCrawl-delay: 5\nDisallow: /private/\n\nUser-agent: Yeti\nCrawl-delay: "
                "10\nDisallow: /private/\n"
            ),
        ),
    ),
    check=check,
)

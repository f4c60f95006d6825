"""Crawlers whom conventional lines address, and ACAP records do not."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.crawler_names import listing, product
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

MOST = 5  # further lines pointed at


def check(document: Document) -> Iterator[Finding]:
    """One finding a document, at the first such crawler."""
    records = document.records
    if not records or not any(field.name.endswith("-crawl") for record in records for field in record.fields):
        return
    acap = {product(name) for record in records for field in record.crawlers for name in field.texts("crawler")}
    missing = [
        agent
        for group in document.groups
        if group.rules
        for agent in group.agents
        if agent.value and product(agent.value) not in acap
    ]
    if missing:
        names = listing([field.value for field in missing])
        yield RULE.at_line(
            document,
            missing[0].line,
            f"no ACAP-crawler line names {names}; of the ACAP records only the one for `*` applies",
            help="give it an ACAP record",
            related=tuple(Related(field.line, f"`{field.value}`") for field in missing[1 : MOST + 1]),
        )


RULE = Rule(
    code="conventional-without-acap",
    summary="a crawler has a group but no ACAP record",
    severity="info",
    why=(
        "A crawler that reads ACAP takes its own record, or the record of `*`. If it has only a group of its own, the "
        "record of `*` applies beside that group, and an Allow line in the group lifts no prohibition of the record."
    ),
    clause="G 1.5",
    examples=(
        Example(
            bad=(
                "User-agent: *\nDisallow: /private/\n\nUser-agent: ExampleBot\nDisallow: /a/\n\nACAP-crawler: "
                "*\nACAP-disallow-crawl: /private/\n"
            ),
            good=(
                "User-agent: *\nDisallow: /private/\n\nUser-agent: ExampleBot\nDisallow: /a/\n\nACAP-crawler: "
                "*\nACAP-disallow-crawl: /private/\n\nACAP-crawler: ExampleBot\nACAP-disallow-crawl: /a/\n"
            ),
        ),
    ),
    check=check,
)

"""Crawlers whom ACAP fields address about crawling, and conventional lines do not."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.crawler_names import addressed, listing, product
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

MOST = 5  # further lines pointed at


def check(document: Document) -> Iterator[Finding]:
    """One finding a document, at the first such crawler."""
    if not document.acap_fields or not document.path_rules or document.policy.ignores_conventional is not None:
        return
    conventional = {product(agent.value) for group in document.groups for agent in group.agents}
    missing = [
        crawler
        for record in document.records
        if any(field.name.endswith("-crawl") for field in record.fields)
        for field in record.crawlers
        for crawler in addressed(field)
        if product(crawler.name) not in conventional
    ]
    if missing:
        names = listing([named.name for named in missing])
        yield RULE.at_line(
            document,
            missing[0].line,
            f"ACAP fields tell {names} what to crawl, but no User-agent line does",
            help="write the same rules for it in a group, in case it does not read ACAP",
            related=tuple(Related(named.line, f"`{named.name}`") for named in missing[1 : MOST + 1]),
        )


RULE = Rule(
    code="acap-without-conventional",
    summary="a crawler has an ACAP record but no group",
    severity="info",
    why=(
        "A crawler that does not read ACAP ignores ACAP fields and follows the group that names it, or the group of "
        "`*`. As long as a site uses both vocabularies, rules about crawling belong in both."
    ),
    clause="G 1.5",
    examples=(
        Example(
            bad=(
                "User-agent: *\nDisallow: /private/\n\nACAP-crawler: *\nACAP-disallow-crawl: "
                "/private/\n\nACAP-crawler: ExampleBot\nACAP-disallow-crawl: /\n"
            ),
            good=(
                "User-agent: *\nDisallow: /private/\n\nUser-agent: ExampleBot\nDisallow: /\n\nACAP-crawler: "
                "*\nACAP-disallow-crawl: /private/\n\nACAP-crawler: ExampleBot\nACAP-disallow-crawl: /\n"
            ),
        ),
    ),
    check=check,
)

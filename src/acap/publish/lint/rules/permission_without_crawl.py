"""A permission for what may not be crawled."""

from __future__ import annotations

from collections.abc import Iterator

from acap import _native
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

MOST = 300  # permissions and prohibitions that are compared


def check(document: Document) -> Iterator[Finding]:
    """A finding for each permission of a use of resources that the same record keeps the same crawlers from."""
    if not document.acap_fields:
        return
    acap = [statement for statement in document.statements if statement.cited.dialect == "acap"]
    refusals = [one for one in acap if one.cited.usage == "crawl" and one.cited.effect == "prohibits"][:MOST]
    if not refusals:
        return
    crawled = {
        name for one in acap if one.cited.usage == "crawl" and one.cited.effect == "permits" for name in one.crawlers
    }
    seen = set()
    for permission in [one for one in acap if one.cited.effect == "permits" and one.cited.usage != "crawl"][:MOST]:
        if (
            permission.cited.line in seen
            or not crawled.isdisjoint(permission.crawlers)
            or permission.cited.line is None
        ):
            continue
        pattern = _native.canonical_pattern(permission.pattern.encode())
        refusal = next(
            (
                two
                for two in refusals
                if two.crawlers == permission.crawlers
                and two.purposes in ((), permission.purposes)
                and _native.contains(pattern, _native.canonical_pattern(two.pattern.encode()))
            ),
            None,
        )
        if refusal is not None and refusal.cited.line is not None:
            seen.add(permission.cited.line)
            yield RULE.at_line(
                document,
                permission.cited.line,
                f"this permits nothing: line {refusal.cited.line} keeps crawlers away from everything it covers",
                help="permit crawling it too",
                related=(Related(refusal.cited.line, "this prohibits crawling it"),),
            )


RULE = Rule(
    code="permission-without-crawl",
    summary="a use is permitted for resources that may not be crawled",
    severity="warning",
    why=(
        "A crawler that may not crawl a resource has no copy to index, keep or show. Every other usage depends on "
        "crawl: `ACAP-allow-index: /a/` beside `ACAP-disallow-crawl: /` permits nothing. ACAP cannot list pages that "
        "crawlers may not fetch."
    ),
    clause="G 2.4",
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-crawl: /archive/\nACAP-allow-index: /archive/2009/\n",
            good="ACAP-crawler: *\nACAP-disallow-present: /archive/\nACAP-allow-index: /archive/2009/\n",
        ),
    ),
    check=check,
)

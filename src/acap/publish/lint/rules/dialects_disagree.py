"""Conventional lines and ACAP fields that decide otherwise about crawling."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.analysis import Disagreement
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each pair of lines that disagree, with a path at which they do."""
    if not document.acap_fields or not document.path_rules or document.policy.ignores_conventional is not None:
        return
    for disagreement in document.analysis.disagreements:
        line, other = (
            (disagreement.acap, disagreement.conventional)
            if disagreement.acap
            else (disagreement.conventional, disagreement.acap)
        )
        yield RULE.at_line(
            document,
            line,
            _message(disagreement),
            help="say the same in both vocabularies",
            related=(Related(other, "the line of the other dialect"),) if other else (),
            witness=disagreement.witness,
        )


def _message(disagreement: Disagreement) -> str:
    who = "crawlers that no line names" if disagreement.crawler == "*" else f"`{disagreement.crawler}`"
    permits, refuses = (
        ("conventional lines", "ACAP") if disagreement.permits == "conventional" else ("ACAP", "conventional lines")
    )
    verbs = ("let", "refuses") if disagreement.permits == "conventional" else ("lets", "refuse")
    return f"{permits} {verbs[0]} {who} fetch `{disagreement.witness}`, {refuses} {verbs[1]} it"


RULE = Rule(
    code="dialects-disagree",
    summary="User-agent groups and ACAP fields disagree about crawling",
    severity="warning",
    why=(
        "A site with both vocabularies says everything twice: to crawlers that read ACAP, and to the others. If the "
        "two differ, the answer depends on what a crawler can read. That may be intended, because you may trust a "
        "crawler that reads ACAP with more. It also happens when someone changes only one of the two."
    ),
    clause="P1 4.1, G 2.1",
    examples=(
        Example(
            bad=(
                "User-agent: *\nDisallow: /private/\n\nACAP-crawler: *\nACAP-disallow-crawl: "
                "/private/\nACAP-disallow-crawl: /drafts/\n"
            ),
            good=(
                "User-agent: *\nDisallow: /private/\nDisallow: /drafts/\n\nACAP-crawler: *\nACAP-disallow-crawl: "
                "/private/\nACAP-disallow-crawl: /drafts/\n"
            ),
        ),
    ),
    check=check,
)

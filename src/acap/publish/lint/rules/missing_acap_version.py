"""ACAP fields without a version."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.mending import insertion
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding at the first ACAP line, if no line names a version."""
    if document.acap_fields and document.policy.version is None and not document.kinds["##ACAP"]:
        fix = Fix("declare version 1.1", (insertion(document, 1, b"##ACAP version=1.1"),))
        yield RULE.at_line(
            document,
            document.acap_fields[0].line,
            "no line declares the version of ACAP",
            help="begin the file with `##ACAP version=1.1`",
            fix=fix,
        )


RULE = Rule(
    code="missing-acap-version",
    summary="the file has ACAP fields but declares no version",
    severity="info",
    why=(
        "`##ACAP version=…` tells a crawler that the file has ACAP fields, and of which version. ACAP recommends it as "
        "the first line."
    ),
    clause="P1 4.5.4",
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
            good="##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
            fixed="##ACAP version=1.1\nACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
        ),
    ),
    check=check,
    fix="safe",
)

"""A permission and a prohibition of which neither is narrower."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each such permission, with the prohibition and a path at which it shows."""
    if not document.acap_fields:
        return
    for doubt in document.analysis.doubts:
        purpose = f" for the purpose {doubt.purpose}" if doubt.purpose else ""
        yield RULE.at_line(
            document,
            doubt.permission,
            (
                f"neither this permission nor the prohibition in line {doubt.prohibition} is narrower; for example at "
                f"`{doubt.witness}`, {doubt.usage}{purpose} stays prohibited"
            ),
            help="write a permission for the paths that both match, if you want to permit them",
            related=(Related(doubt.prohibition, "the prohibition, which wins"),),
            witness=doubt.witness,
        )


RULE = Rule(
    code="contradiction-in-doubt",
    summary="a permission and a prohibition overlap, and neither is narrower",
    severity="warning",
    why=(
        "Where ACAP permits and prohibits the same use of the same resource, the narrower of the two statements "
        "decides. `/news/*` and `/*.pdf$` overlap, and neither lies inside the other, so the prohibition wins for "
        "paths that both match. Write a statement for exactly that overlap."
    ),
    clause="P1 4.3",
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-allow-index: /*.pdf$\nACAP-disallow-index: /news/\n",
            good=("ACAP-crawler: *\nACAP-allow-index: /news/*.pdf$\nACAP-disallow-index: /news/\n"),
        ),
    ),
    check=check,
)

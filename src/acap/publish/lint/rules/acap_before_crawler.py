"""An ACAP field above the first crawler line."""

from __future__ import annotations

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import insertion
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Addresses all of them to every crawler; permissions among them then count."""
    first = document.problems[problem.code][0]
    return Fix("put `ACAP-crawler: *` above", (insertion(document, first.line, b"ACAP-crawler: *"),), safe=False)


RULE = of_problem(
    "acap-before-crawler",
    summary="an ACAP field stands above the first ACAP-crawler line and has no effect",
    why=(
        "ACAP permissions and prohibitions belong to a record, and a record begins with the crawlers that it "
        "addresses. A User-agent line does not begin an ACAP record: the two vocabularies share the file but not their "
        "groups. A field above the first ACAP-crawler line addresses no crawler. Put `ACAP-crawler: *` above it, or "
        "the name of the crawler you mean."
    ),
    examples=(
        Example(
            bad="ACAP-disallow-crawl: /private/\n",
            good="ACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
            fixed="ACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
        ),
        Example(
            bad="User-agent: *\nACAP-disallow-index: /drafts/\n",
            good="ACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
            fixed="User-agent: *\nACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
        ),
    ),
    mend=mend,
    fix="unsafe",
)

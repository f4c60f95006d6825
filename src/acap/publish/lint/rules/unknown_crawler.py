"""Names that no crawler of the list bears."""

from __future__ import annotations

from collections.abc import Iterator

from acap.crawler_list import as_of, nearest
from acap.problems import Example
from acap.publish.lint.crawler_names import is_known, listing, named
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

MOST = 5  # further lines pointed at


def check(document: Document) -> Iterator[Finding]:
    """One finding a document: at the first such name, with the others beside it."""
    unknown = [
        one
        for one in named(document)
        if "*" not in one.name and not is_known(document, one.name) and nearest(one.name) is None
    ]
    if unknown:
        names = listing([one.name for one in unknown])
        yield RULE.at_line(
            document,
            unknown[0].line,
            f"not in the list of known crawlers of {as_of()}: {names}",
            help="if you know the crawler, add it to `crawlers` in `acap.toml`",
            related=tuple(Related(one.line, f"`{one.name}`") for one in unknown[1 : MOST + 1]),
        )


RULE = Rule(
    code="unknown-crawler",
    summary="no known crawler has this name",
    severity="info",
    why=(
        "Rules for a crawler that no longer runs have no effect, and sites copy old lists of crawlers long after the "
        "crawlers are gone. The list of known crawlers has a date and cannot be complete: a name missing from it may "
        "well be a crawler. Add names that you know to the configuration."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: Zzyzxbot\nDisallow: /private/\n",
            good="User-agent: Googlebot\nDisallow: /private/\n",
        ),
    ),
    check=check,
    default=False,
)

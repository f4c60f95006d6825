"""Noindex lines, which nobody follows any more."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

MOST = 5  # further lines pointed at


def check(document: Document) -> Iterator[Finding]:
    """One finding a document, at the first such line."""
    lines = list(document.lines.numbers("Noindex"))
    if lines:
        count = f"{len(lines)} Noindex lines keep" if len(lines) > 1 else "Noindex keeps"
        yield RULE.at_line(
            document,
            lines[0],
            f"{count} nothing out of an index: Google stopped reading it in 2019, and no other crawler documents it",
            help='write `<meta name="robots" content="noindex">` into the pages, or send `X-Robots-Tag: noindex`, '
            "and do not disallow those pages: crawlers have to fetch them to see it",
            related=tuple(Related(line, "another") for line in lines[1 : MOST + 1]),
        )


RULE = Rule(
    code="noindex-in-robots",
    summary="no crawler follows a Noindex line any more",
    severity="warning",
    why=(
        "Google read Noindex lines without ever documenting them, and stopped on 1 September 2019. A page that should "
        "stay out of an index has to say so itself, in its head or its headers, and crawlers must be allowed to fetch "
        "it: they cannot obey what they may not see."
    ),
    clause="Google, note on unsupported rules in robots.txt, 2019",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private/\nNoindex: /drafts/\n",
            good="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
)

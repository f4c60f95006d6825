"""A file longer than crawlers need to read."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example, Long
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

MOST = 500 * 1024


def check(document: Document) -> Iterator[Finding]:
    """A finding at the line that the bound cuts."""
    if len(document.octets) > MOST:
        line, _ = document.place(min(MOST, max(len(document.text) - 1, 0)))
        yield RULE.at_line(
            document,
            line,
            f"the file has {len(document.octets):,} octets; from here on crawlers need not read it",
            help="say the same in fewer lines: one pattern with `*` may replace many",
        )


RULE = Rule(
    code="file-too-large",
    summary="the file is larger than crawlers need to read",
    severity="warning",
    why=(
        "A crawler must read the first 500 KiB of a robots.txt. Google stops there. A rule beyond that point has no "
        "effect, so what it was to disallow is allowed."
    ),
    clause="RFC 9309 2.5",
    examples=(
        Example(
            bad=Long("User-agent: *\n", "Disallow: /number/0123456789/\n", 17_200),
            good="User-agent: *\nDisallow: /number/\n",
        ),
    ),
    check=check,
)

"""A field without its colon."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from acap.publish.lint.finding import Fix
from acap.publish.lint.mending import within, without_colon
from acap.publish.lint.rule import Example, of_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.problems import Problem
    from acap.publish.lint.document import Document
    from acap.publish.lint.finding import Finding


def mend(document: Document, problem: Problem) -> Fix | None:
    """Puts a colon behind the name, which ends at the first blank."""
    edits = within(document, problem.line, rb"[ \t]+", rb":\g<0>")
    return Fix("insert the colon", edits) if edits else None


def check(document: Document) -> Iterator[Finding]:
    """What the reader finds; and each Sitemap line whose first colon is that of its URL, at which it is divided."""
    yield from _READ.check(document)
    for extension in document.extensions if document.kinds["Sitemap"] else ():
        if extension.field == "Sitemap" and (name := without_colon(document, extension.line)):
            edits = within(document, extension.line, rb"[ \t]+", rb":\g<0>")
            fix = Fix("insert the colon", edits) if edits else None
            yield RULE.at_line(document, extension.line, f"`{name}` has no colon", help=f"write `{name}:`", fix=fix)


_READ = of_problem(
    "missing-colon",
    summary="a field is not followed by a colon",
    why=(
        "Every field of a robots.txt is a name, a colon and a value. Google's matcher guesses the colon where a line "
        "is exactly two words; many other crawlers, and most libraries that crawlers are built on, skip the line. A "
        "Disallow without its colon therefore keeps some crawlers out and lets others in. Write the colon."
    ),
    examples=(
        Example(
            bad="Sitemap https://example.com/sitemap.xml\n",
            good="Sitemap: https://example.com/sitemap.xml\n",
            fixed="Sitemap: https://example.com/sitemap.xml\n",
        ),
        Example(
            bad="User-agent: *\nDisallow /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    mend=mend,
    fix="safe",
)

RULE = replace(_READ, check=check)

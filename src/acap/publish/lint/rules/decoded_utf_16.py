"""A file in UTF-16."""

from __future__ import annotations

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.rule import of_problem


def mend(document: Document, _: Problem) -> Fix | None:
    """Writes the same text as UTF-8."""
    return Fix("save it as UTF-8", (Edit(0, len(document.octets), document.text),))


RULE = of_problem(
    "decoded-utf-16",
    summary="the file is UTF-16, which many crawlers cannot read",
    why=(
        "RFC 9309 wants a robots.txt in UTF-8. A file saved as `Unicode`, as some Windows editors call it, has two "
        "octets a letter; a crawler that expects UTF-8 finds no known field in it and treats the whole site as open. "
        "It was decoded here, but others may not do so: save it as UTF-8."
    ),
    examples=(
        Example(
            bad="\ufeffUser-agent: *\nDisallow: /private/\n".encode("utf-16-le"),
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    mend=mend,
    fix="safe",
)

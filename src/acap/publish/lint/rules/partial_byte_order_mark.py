"""A part of a byte order mark at the beginning of the file."""

from __future__ import annotations

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.mending import MARK
from acap.publish.lint.rule import of_problem


def mend(document: Document, _: Problem) -> Fix | None:
    """Takes the part of the mark away, which is read as nothing."""
    length = 2 if document.text.startswith(MARK[:2]) else 1
    return Fix("remove it", (Edit(0, length, b""),))


RULE = of_problem(
    "partial-byte-order-mark",
    summary="the file begins with part of a byte order mark",
    why=(
        "Editors may put an invisible mark of three octets before a UTF-8 text, which crawlers skip. Here one or two "
        "of them are left. Many readers then see a strange letter before the first field, usually `User-agent`, and "
        "skip the line; the rules below it apply to no crawler. Save the file as plain UTF-8."
    ),
    examples=(
        Example(
            bad=b"\xef\xbbUser-agent: *\nDisallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    mend=mend,
    fix="safe",
)

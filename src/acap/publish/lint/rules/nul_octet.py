"""A NUL within a line."""

from __future__ import annotations

import re

from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Fix
from acap.publish.lint.rule import of_problem


def mend(document: Document, problem: Problem) -> Fix | None:
    """Takes every NUL of the line away; it is safe at the end of a prohibition, which grows, and in a remark."""
    start = document.starts[problem.line - 1]
    octets = document.line_octets(problem.line)
    edits = tuple(Edit(start + run.start(), start + run.end(), b"") for run in re.finditer(b"\0+", octets))
    kind = document.lines[problem.line - 1].kind
    at_end = b"\0" not in octets.rstrip(b"\0 \t")
    safe = (kind == "Disallow" and at_end) or (kind == "comment" and not octets.lstrip().startswith(b"##"))
    return Fix("remove it", edits, safe=safe)


RULE = of_problem(
    "nul-octet",
    summary="a line contains a NUL octet, which belongs in no text",
    why=(
        "NUL octets come from broken copies, and from UTF-16 text that has lost its mark. Programs written in C take a "
        "NUL for the end of the line; others read it as part of the path, and no URL has it. So the rule matches "
        "different URLs for different crawlers, or none. Remove the octets, and save the file as UTF-8."
    ),
    examples=(
        Example(
            bad=b"User-agent: *\nDisallow: /a\0b\n",
            good="User-agent: *\nDisallow: /ab\n",
            fixed="User-agent: *\nDisallow: /ab\n",
        ),
        Example(
            bad=b"User-agent: *\nDisallow: /private/\0\0\0\n",
            good="User-agent: *\nDisallow: /private/\n",
            fixed="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    mend=mend,
    fix="safe",
)

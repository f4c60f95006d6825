"""A line that is not UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import from_problem, of_problem


def check(document: Document) -> Iterator[Finding]:
    """What the reader finds; on a line that decides it is more than information."""
    for problem in document.problems.get("invalid-utf-8", ()):
        finding = from_problem(document, problem)
        kind = document.lines[problem.line - 1].kind
        if kind == "User-agent":
            message = "the name is not UTF-8, so it is neither `*` nor the name of any crawler"
            finding = replace(finding, severity="warning", message=message, help="write the name without the octet")
        elif kind in ("Allow", "Disallow"):
            finding = replace(finding, severity="warning")
        yield finding


_REPORTED = of_problem(
    "invalid-utf-8",
    summary="a line contains octets that are not UTF-8",
    why=(
        "Letters beyond ASCII were saved in an older encoding, such as Windows-1252. In a comment that is harmless. In "
        "a path it is not: crawlers compare octet by octet, and URLs have such letters in UTF-8 (`/caf%C3%A9/`), so "
        "the rule matches no real URL. The old encoding is uncertain, so there is no automatic fix: save the file as "
        "UTF-8, or write the path as in URLs, with `%` escapes."
    ),
    examples=(
        Example(
            bad=b"User-agent: *\nDisallow: /caf\xe9/\n",
            good="User-agent: *\nDisallow: /caf\u00e9/\n",
        ),
    ),
)
RULE = replace(_REPORTED, check=check, worst="warning")

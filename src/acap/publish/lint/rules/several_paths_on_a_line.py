"""Several paths on one Allow or Disallow line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.mending import eol
from acap.publish.lint.rule import Rule

_DIVIDED = re.compile(r"\s*[,;]\s*|\s+")
_ENTITY = re.compile(r"&#?\w+;")
"""A letter as HTML writes it, whose semicolon divides nothing."""


def check(document: Document) -> Iterator[Finding]:
    """A finding for each line with several paths."""
    for rule in document.path_rules:
        pattern = rule.value
        if " " not in pattern and "\t" not in pattern and "," not in pattern and ";" not in pattern:
            continue
        paths = [path for path in _DIVIDED.split(pattern) if path]
        if len(paths) < 2 or not all(path.startswith("/") and path.strip("/*$") for path in paths):
            continue
        if _ENTITY.search(pattern):
            continue
        head = document.outline.octets(rule.name_span)
        lines = eol(document).join(head + b": " + path.encode() for path in paths)
        edits = (Edit(*rule.span, lines),) if "\ufffd" not in pattern else ()
        yield RULE.at_line(
            document,
            rule.line,
            f"`{pattern}` is read as one path, so it matches none of the {len(paths)}",
            help="give each path a line of its own",
            fix=Fix("give each path a line of its own", edits, safe=rule.kind == "Disallow") if edits else None,
        )


RULE = Rule(
    code="several-paths-on-a-line",
    summary="a line has several paths",
    severity="error",
    why=(
        "An Allow or Disallow line has one pattern. `Disallow: /a/ /b/` disallows the one path `/a/ /b/`, which no "
        "URL has, and neither `/a/` nor `/b/`."
    ),
    clause="RFC 9309 2.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /cgi-bin/ /tmp/\n",
            good="User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\n",
            fixed="User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\n",
        ),
    ),
    check=check,
    fix="safe",
)

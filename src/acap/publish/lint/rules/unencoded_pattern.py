"""Octets of a pattern that are written otherwise than in URLs, which not all crawlers take for the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.rule import Example, Rule, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.publish.lint.document import Document

_LOWER = re.compile("%(?:[0-9A-Fa-f][a-f]|[a-f][0-9A-Fa-f])")
_OTHER = re.compile("[^\x00-\x7f]")


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Allow and Disallow line with letters beyond ASCII, or with escapes in lower case."""
    for line, pattern in document.rules:
        if pattern.isascii() and ("%" not in pattern or not _LOWER.search(pattern)):
            continue
        if "\ufffd" in pattern:
            continue  # not UTF-8, which the reader reports
        written = _LOWER.sub(lambda found: found[0].upper(), pattern)
        written = _OTHER.sub(lambda found: "".join(f"%{octet:02X}" for octet in found[0].encode()), written)
        what = "letters beyond ASCII" if not pattern.isascii() else "escapes in lower case"
        edits = replaced(document, line.number, pattern.encode(), written.encode())
        yield RULE.at_line(
            document,
            line.number,
            f"`{pattern}` has {what}; not every crawler compares them with `{written}`, as URLs have it",
            help=f"write `{written}`",
            fix=Fix(f"write `{written}`", edits) if edits else None,
        )


RULE = Rule(
    code="unencoded-pattern",
    summary="a pattern is not encoded as URLs are",
    severity="info",
    why=(
        "A URL on the wire has letters beyond ASCII as escapes, `%C3%A4` for `ä`. RFC 9309 has crawlers encode both "
        "sides before they compare, and not all do. A pattern that is written as the URL is sent matches for "
        "everybody."
    ),
    clause="RFC 9309 2.2.2",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /straße/\n",
            good="User-agent: *\nDisallow: /stra%C3%9Fe/\n",
            fixed="User-agent: *\nDisallow: /stra%C3%9Fe/\n",
        ),
        Example(
            bad="User-agent: *\nDisallow: /stra%c3%9fe/\n",
            good="User-agent: *\nDisallow: /stra%C3%9Fe/\n",
            fixed="User-agent: *\nDisallow: /stra%C3%9Fe/\n",
        ),
    ),
    check=check,
    fix="safe",
)

"""A Sitemap line without a whole URL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urljoin

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Edit, Finding, Fix
from acap.publish.lint.mending import UNSEEN
from acap.publish.lint.rule import Rule, replaced

_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/]", re.IGNORECASE)
_WIDE = "\uff1a".encode()
_SCHEME = re.compile(rb"([A-Za-z-]+)[ \t]+[a-z][a-z0-9+.-]*", re.IGNORECASE)
"""The first colon of the line is that of the URL, and what stands before it is taken for the field."""


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Sitemap line whose value is no absolute URL."""
    if not document.kinds["Sitemap"]:
        return
    for field in document.outline.fields:
        value = field.value
        if field.kind != "Sitemap" or _ABSOLUTE.match(value):
            continue
        fix: Fix | None = None
        written = document.outline.octets(field.name_span)
        if value.startswith("/") and (alone := _SCHEME.fullmatch(written)):
            name, end = alone[1].decode(), field.name_span.start + alone.end(1)
            fix = Fix("insert the colon", (Edit(end, end, b":"),))
            yield RULE.at_line(document, field.line, f"`{name}` has no colon", help=f"write `{name}:`", fix=fix)
            continue
        if not value:
            yield RULE.at_line(document, field.line, "the Sitemap line has no URL", help="write its URL")
            continue
        if _WIDE in written:
            yield RULE.at_line(
                document,
                field.line,
                "the colon is U+FF1A, which most crawlers do not accept",
                help="write `:` after `Sitemap`",
            )
            continue
        if (unseen := UNSEEN.search(value)) and _ABSOLUTE.match(plain := UNSEEN.sub("", value).strip()):
            yield RULE.at_line(
                document,
                field.line,
                f"the URL contains the invisible character U+{ord(unseen[0]):04X}, so it is not a URL",
                help=f"write `{plain}`",
            )
            continue
        if document.url and value.startswith("/"):
            url = urljoin(document.url, value)
            edits = replaced(document, field.value_span, url)
            fix = Fix(f"write `{url}`", edits) if edits else None
        yield RULE.at_line(
            document,
            field.line,
            f"`{value}` is not an absolute URL, and a Sitemap line needs one",
            help="write the whole URL, with `https://` and the name of the site",
            fix=fix,
        )


RULE = Rule(
    code="sitemap-not-absolute",
    summary="a Sitemap line has no absolute URL",
    severity="warning",
    why=(
        "A Sitemap line holds a whole URL, because a sitemap may be on another site. Most crawlers ignore a line with "
        "only a path, with a name without `https://`, or without a colon after the word Sitemap."
    ),
    clause="sitemaps.org, robots.txt",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private/\n\nSitemap: /sitemap.xml\n",
            good="User-agent: *\nDisallow: /private/\n\nSitemap: https://example.com/sitemap.xml\n",
        ),
        Example(
            bad="Sitemap https://example.com/sitemap.xml\n",
            good="Sitemap: https://example.com/sitemap.xml\n",
            fixed="Sitemap: https://example.com/sitemap.xml\n",
        ),
    ),
    check=check,
    fix="safe",
)

"""A Sitemap line without a whole URL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.mending import without_colon
from acap.publish.lint.regex import late
from acap.publish.lint.rule import Example, Rule, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acap.publish.lint.document import Document

_ABSOLUTE = late(r"[a-z][a-z0-9+.-]*://[^\s/]", re.IGNORECASE)


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Sitemap line whose value is no absolute URL."""
    if not document.kinds["Sitemap"]:
        return
    for extension in document.extensions:
        value = extension.value
        if extension.field != "Sitemap" or _ABSOLUTE.match(value) or without_colon(document, extension.line):
            continue
        if not value:
            yield RULE.at_line(document, extension.line, "the Sitemap line names no sitemap", help="write its URL")
            continue
        fix = None
        if document.url and value.startswith("/"):
            url = urljoin(document.url, value)
            edits = replaced(document, extension.line, value.encode(), url.encode())
            fix = Fix(f"write `{url}`", edits) if edits else None
        yield RULE.at_line(
            document,
            extension.line,
            f"`{value}` is no absolute URL, and a Sitemap line needs one",
            help="write the whole URL, with `https://` and the name of the site",
            fix=fix,
        )


RULE = Rule(
    code="sitemap-not-absolute",
    summary="a Sitemap line has no absolute URL",
    severity="warning",
    why=(
        "A Sitemap line holds a whole URL, because a sitemap may lie on another site. Most crawlers pass over a "
        "line with a path alone, or with a name without `https://`."
    ),
    clause="sitemaps.org, robots.txt",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /private/\n\nSitemap: /sitemap.xml\n",
            good="User-agent: *\nDisallow: /private/\n\nSitemap: https://example.com/sitemap.xml\n",
        ),
    ),
    check=check,
)

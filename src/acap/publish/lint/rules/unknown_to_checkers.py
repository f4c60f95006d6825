"""Fields that the checkers of Google do not know."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

# github.com/GoogleChrome/lighthouse, core/audits/seo/robots-txt.js, DIRECTIVE_SAFELIST (2026-09; Content-Signal by
# pull request 16767, License not by 17160 yet).
LIGHTHOUSE = frozenset({
    "user-agent", "disallow", "allow", "sitemap", "crawl-delay", "clean-param", "host", "request-rate", "visit-time",
    "noindex", "content-signal",
})  # fmt: skip
# github.com/google/robotstxt, reporting_robots.cc: tags it knows, and kUnsupportedTags (4af32e5, 2026-02-19).
SUPPORTED = frozenset({"user-agent", "disallow", "allow", "sitemap"})
UNSUPPORTED = frozenset({
    "clean-param", "crawl-delay", "host", "noarchive", "noindex", "nofollow", "content-signal", "content-usage",
    "domain", "request-rate", "revisit-after", "visit-time",
})  # fmt: skip


def check(document: Document) -> Iterator[Finding]:
    """A finding for the first line of each field that one of them does not know."""
    reported: set[str] = set()
    for field in document.outline.fields:
        name = field.kind.lower()
        if name in reported or name in SUPPORTED:
            continue
        reported.add(name)
        says = []
        if name not in LIGHTHOUSE:
            says.append("Lighthouse calls it unknown, and fails its audit of robots.txt")
        says.append(
            "Search Console calls it unsupported" if name in UNSUPPORTED else "Google's reporter does not know it"
        )
        yield RULE.at_line(
            document,
            field.line,
            f"`{field.name}`: {'; '.join(says)}",
            help="nothing is wrong with the line; a header may say the same, where the vocabulary has one",
        )


RULE = Rule(
    code="unknown-to-checkers",
    summary="checkers such as Lighthouse and Search Console do not know a field",
    severity="info",
    why=(
        "Google's checkers know few fields. Lighthouse fails its audit of robots.txt for any other, which costs points "
        "of its score; Search Console lists what it knows and does not support. Crawlers ignore lines that they do not "
        "know, so no decision depends on it. The rule runs if it is selected."
    ),
    clause="Lighthouse, robots-txt audit; google/robotstxt, reporting_robots.cc",
    examples=(
        Example(
            bad="User-agent: *\nContent-Usage: train-ai=n\nDisallow:\n",
            good="User-agent: *\nDisallow: /private/\n\nSitemap: https://www.example.com/sitemap.xml\n",
        ),
    ),
    check=check,
    default=False,
)

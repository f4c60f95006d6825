"""A sitemap that nobody may fetch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap import _native
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule

_NOBODY = "a-crawler-that-no-file-names"
_STORES = (".googleapis.com", ".amazonaws.com", ".cloudfront.net", ".windows.net", ".digitaloceanspaces.com")
MOST = 50  # sitemaps, and crawlers, that are asked about


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Sitemap line of this site that every crawler is refused, where the site itself is not."""
    if not document.kinds["Sitemap"] or not document.kinds["Disallow"]:
        return
    maps = [extension for extension in document.extensions if extension.field == "Sitemap" and _origin(extension.value)]
    sites = {_origin(extension.value) for extension in maps}
    # What a service for files keeps is of another host than the site, unless somebody says otherwise.
    sites = {site for site in sites if site and not site.endswith(_STORES)}
    own = _native.origin(document.url) if document.url else next(iter(sites)) if len(sites) == 1 else None
    maps = [extension for extension in maps if _origin(extension.value) == own][:MOST]
    if not maps:
        return
    policy = document.policy
    crawlers = [_NOBODY, *(name for name in policy.crawlers[:MOST] if name.strip("* "))]
    for sitemap in maps:
        decision = policy.decide(sitemap.value, crawler=_NOBODY)
        if decision.permitted or policy.decide(f"{own}/", crawler=_NOBODY).outcome == decision.outcome:
            continue
        if any(policy.decide(sitemap.value, crawler=crawler).permitted for crawler in crawlers):
            continue
        lines = [cited.line for cited in decision.reason.decided_by if cited.line]
        finding = RULE.at_line(
            document,
            sitemap.line,
            "no crawler may fetch this sitemap"
            if document.url
            else "if it is of this site, no crawler may fetch this sitemap",
            help="allow it, or remove the Sitemap line",
            related=tuple(Related(line, "this refuses it") for line in lines),
        )
        # Whose the file is is not known, and sitemaps of other sites are fetched by their rules.
        yield finding if document.url else replace(finding, severity="info")


def _origin(url: str) -> str | None:
    if not url.lower().startswith(("http://", "https://")):
        return None
    try:
        return _native.absolute(url)[0]
    except ValueError:
        return None


RULE = Rule(
    code="blocked-sitemap",
    summary="a sitemap is disallowed",
    severity="warning",
    why=(
        "A Sitemap line announces a file, and crawlers fetch it like any other. A Disallow line that matches it keeps "
        "them out, and Google's Search Console reports the sitemap as blocked."
    ),
    clause="sitemaps.org, robots.txt",
    examples=(
        Example(
            bad="User-agent: *\nDisallow: /*.xml$\n\nSitemap: https://example.com/sitemap.xml\n",
            good=(
                "User-agent: *\nAllow: /sitemap.xml$\nDisallow: /*.xml$\n\nSitemap: https://example.com/sitemap.xml\n"
            ),
        ),
    ),
    check=check,
)

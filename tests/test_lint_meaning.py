"""Rules of lint on meaning: the cases in which they speak, and those in which they must not."""

from __future__ import annotations

from datetime import UTC, datetime
from time import process_time

import pytest

from acap.problems import DocumentKind
from acap.publish.analysis import Analysis, Disagreement, Doubt, Redundant
from acap.publish.lint.catalogue import rule
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.fixing import applied
from acap.publish.lint.markup import tags
from acap.publish.lint.signals import divided, signals
from acap.robots import parse_robots
from tests.test_rep_corpus import corpus

TODAY = datetime(2026, 11, 21, tzinfo=UTC)
STAR = "User-agent: *\n"


def document(
    text: str | bytes, kind: DocumentKind = "robots", *, url: str | None = None, crawlers: frozenset[str] = frozenset()
) -> Document:
    octets = text if isinstance(text, bytes) else text.encode()
    return Document(octets, "example", kind, url=url, today=TODAY, known_crawlers=crawlers)


def found(code: str, text: str | bytes, kind: DocumentKind = "robots", *, url: str | None = None) -> list[Finding]:
    return list(rule(code).check(document(text, kind, url=url)))


def lines(code: str, text: str | bytes, kind: DocumentKind = "robots", *, url: str | None = None) -> list[int]:
    return [finding.line for finding in found(code, text, kind, url=url)]


SPEAKS: list[tuple[str, str | bytes, list[int]]] = [
    ("crawler-with-version", "User-agent: WebZIP/4.0\nUser-agent: moget/2.1\nDisallow: /\n", [1, 2]),
    ("crawler-with-version", "User-agent: BotX/v1.0beta\nDisallow: /\n", [1]),
    ("user-agent-string", "User-agent: Mozilla/4\nDisallow: /\n", [1]),
    ("user-agent-string", "User-agent: SuperBot/3.1 (Win32)\nDisallow: /\n", [1]),
    ("blank-in-crawler-name", "User-agent: URLy Warning\nDisallow: /\n", [1]),
    ("wildcard-in-crawler-name", "User-agent: Google*\nUser-agent: *spider*\nDisallow: /\n", [1, 2]),
    ("several-crawlers-on-a-line", "User-agent: GPTBot; CCBot\nDisallow: /\n", [1]),
    ("several-crawlers-on-a-line", "User-agent: Googlebot Bingbot\nDisallow: /\n", [1]),
    ("several-crawlers-on-a-line", "User-agent: GPTBot | CCBot | *\nDisallow: /\n", [1]),
    ("several-groups-for-one-crawler", "User-agent: A\nDisallow: /x\nUser-agent: a/1.0\nDisallow: /y\n", [3]),
    ("joined-groups", "User-agent: a\n\nUser-agent: b\nDisallow: /\n", [3]),
    ("joined-groups", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n", [3]),
    ("group-without-rules", "User-agent: *\nDisallow: /p/\nUser-agent: a\nUser-agent: b\nCrawl-delay: 5\n", [3]),
    ("group-without-rules", "User-agent: a\n", [1]),
    ("allow-only-group", "User-agent: *\nDisallow: /p/\nUser-agent: a\nAllow: /p/q/\n", [4]),
    ("trailing-star", "User-agent: *\nDisallow: /a*\nAllow: /b/**\n", [2, 3]),
    ("dollar-inside-pattern", "User-agent: *\nDisallow: /*.doc$/\n", [2]),
    ("blank-in-pattern", "User-agent: *\nDisallow: /Style Library/*\n", [2]),
    ("several-paths-on-a-line", "User-agent: *\nDisallow: /a/, /b/\nAllow: /c/;/d/\n", [2, 3]),
    ("comment-in-pattern", "User-agent: *\nDisallow: /search/#*\n", [2]),
    ("backslash-in-pattern", "User-agent: *\nDisallow: /a\\b\nDisallow: /x\\d+\n", [2, 3]),
    ("unencoded-pattern", "User-agent: *\nDisallow: /é\nDisallow: /%c3%A9\n", [2, 3]),
    ("blocks-everything", "User-agent: a\nUser-agent: *\nDisallow: /a\nDisallow: /*\n", [4]),
    ("blocks-assets", "User-agent: Googlebot\nDisallow: /static/js/\nDisallow: /*.css?\n", [2, 3]),
    ("blocked-policy-resource", "User-agent: *\nDisallow: /robots.txt$\n", [2]),
    ("crawl-delay-ignored", "User-agent: Googlebot-Image\nUser-agent: Googlebot\nCrawl-delay: 1\nDisallow:\n", [3]),
    ("long-crawl-delay", "User-agent: *\nCrawl-delay: 60\nDisallow:\n", [2]),
    ("noindex-in-robots", "User-agent: *\nNoindex: /a\nNoindex: /b\n", [2]),
    (
        "sitemap-not-absolute",
        "Sitemap: www.example.com/sitemap.xml\nSitemap:\nSitemap: //example.com/s.xml\n",
        [1, 2, 3],
    ),
    ("unknown-signal", "User-agent: *\nContent-Signal: search=yes,\nContent-Signal: ai-train\nAllow: /\n", [2, 3]),
    ("contradicting-signals", "User-agent: *\nContent-Signal: search=yes, search=no\nAllow: /\n", [2]),
    ("contradicting-signals", "User-agent: *\nContent-Signal: /a ai-train=no\nContent-Signal: /a AI-Train=yes\n", [3]),
    ("bad-content-usage", "User-agent: *\nContent-Usage: train-ai=n,\nContent-Usage: /x search\nAllow: /\n", [2, 3]),
    ("license-not-absolute", "License: license.xml\nLicense:\n", [1, 2]),
    (
        "license-of-one-group",
        "User-agent: *\nDisallow:\nUser-agent: a\nDisallow: /\nSitemap: https://example.com/s\nLicense: u:1\n",
        [6],
    ),
    (
        "signal-outside-group",
        "Content-Usage: train-ai=n\nContent-Signal: ai-train=no\nUser-agent: *\nAllow: /\n",
        [1, 2],
    ),
    ("contradicting-crawl-delays", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2\nDisallow:\n", [4]),
    ("html-instead-of-robots", "\n <html>\n<body>\nDisallow: /\n", [2]),
    ("html-instead-of-robots", b"\xef\xbb\xbf<!doctype HTML><title>Not found</title>", [1]),
    ("carriage-return-lines", b"# all\rUser-agent: *\rDisallow: /\r", [1]),
    ("missing-acap-version", "User-agent: *\nDisallow: /\nACAP-crawler: *\nACAP-disallow-crawl: /\n", [3]),
    ("missing-acap-version", "ACAP crawler *\nACAP-disallow-crawl: /\n", [1]),
    ("take-down-left-standing", "ACAP-crawler *\nACAP-request-take-down /a\n", [2]),
    ("unused-definition", "ACAP-composite-usage: index follow preserve\nACAP-composite-usage: c index\n", [1, 2]),
    ("unused-definition", "ACAP-resource-set s /a\nACAP-resource-set t acap:resource-set:s\n", [1, 2]),
    ("unknown-crawler", "ACAP-crawler: nobodys-bot, GPTBot\nACAP-disallow-crawl: /\n", [1]),
    (
        "unused-definition",
        "ACAP-qualified-usage: short present max-length=9-chars\nACAP-crawler: *\nACAP-allow-crawl: /\n",
        [1],
    ),
    ("take-down-left-standing", "ACAP-crawler: *\nACAP-request-take-down: /a\nACAP-request-take-down: /b\n", [2, 3]),
    (
        "permission-without-crawl",
        "ACAP-crawler: a\nACAP-disallow-crawl: /\nACAP-allow-present-snippet: /n/\nACAP-allow-index: /*.htm$\n",
        [3, 4],
    ),
    ("spent-time-limit", "ACAP-crawler: *\nACAP-allow-index: / time-limit=until-2026-11-20\n", [2]),
    (
        "restriction-not-lifted",
        "ACAP-crawler: a\nACAP-allow-index: / time-limit=9-days\nACAP-allow-index: *.htm$\n",
        [3],
    ),
    ("restriction-not-lifted", "ACAP-crawler: a\nACAP-allow-index: /a\nACAP-allow-index: / time-limit=9-days\n", [2]),
    ("rule-order-matters", "User-agent: *\nAllow: /\nDisallow: /a/\n", [3]),
    ("blank-line-inside-group", "User-agent: *\n# all\n\nDisallow: /a/\n\nDisallow: /b/\n", [4]),
]

KEEPS_QUIET: list[tuple[str, str | bytes]] = [
    ("unknown-crawler", "User-agent: *\nUser-agent:\nUser-agent: Googlebot/2.1\nDisallow: /\n"),
    ("unknown-crawler", "# User-agent: Zzyzxbot\nDisallow: /\n"),
    ("misspelt-crawler", "User-agent: SearchBot1\nUser-agent: *Googlebott*\nUser-agent: Snapbot\nDisallow: /\n"),
    ("retired-crawler", "User-agent: Googlebot\nUser-agent: Zzyzxbot\nDisallow: /\n"),
    (
        "crawler-with-version",
        "User-agent: Mozilla/4.0\nUser-agent: toCrawl/UrlDispatcher\nUser-agent: MJ12bot\nDisallow: /\n",
    ),
    ("user-agent-string", "User-agent: Googlebot/2.1\nUser-agent: Mozillabot\nDisallow: /\n"),
    ("blank-in-crawler-name", "User-agent: Sogou web spider\nUser-agent: * all\nUser-agent: a (b c)\nDisallow: /\n"),
    ("wildcard-in-crawler-name", "User-agent: *\nUser-agent: * # all\nUser-agent: **\nDisallow: /\n"),
    (
        "several-crawlers-on-a-line",
        "User-agent: Sogou web spider\nUser-agent: larbin larbin@example.com\nDisallow: /\n",
    ),
    ("several-crawlers-on-a-line", "User-agent: Mozilla/5.0 (compatible; a, b; c)\nDisallow: /\n"),
    ("several-groups-for-one-crawler", "User-agent: a\nUser-agent: a\nDisallow: /\nUser-agent: b\nDisallow: /\n"),
    ("several-groups-for-one-crawler", "User-agent: web spider\nDisallow: /\nUser-agent: web bot\nDisallow: /\n"),
    ("joined-groups", "User-agent: a\nUser-agent: b\nCrawl-delay: 1\nDisallow: /\n"),
    ("joined-groups", "User-agent: a\n\nUser-agent: b\n\nDisallow: /\n"),
    ("joined-groups", "User-agent: a\n# not b\nUser-agent: b\nDisallow: /\n"),
    ("joined-groups", "User-agent: a\n\nUser-agent: b\n"),
    ("group-without-rules", "User-agent: *\nDisallow:\n\nUser-agent: a\nCrawl-delay: 5\n"),
    ("group-without-rules", "User-agent: *\nAllow: /\n\nUser-agent: a\nCrawl-delay: 5\n"),
    (
        "group-without-rules",
        "User-agent: *\nDisallow: /p/\nUser-agent: a\nDisallow: /\nUser-agent: a\nCrawl-delay: 5\n",
    ),
    ("group-without-rules", "User-agent: *\nContent-Signal: ai-train=no\n"),
    ("allow-only-group", "User-agent: *\nDisallow: /p/\nUser-agent: a\nAllow: /p/q/\nAllow: /\n"),
    ("allow-only-group", "User-agent: *\nDisallow:\nUser-agent: a\nAllow: /p/q/\n"),
    ("allow-only-group", "User-agent: *\nDisallow: /\nUser-agent: a\nDisallow: /b\nUser-agent: a\nAllow: /b/c\n"),
    ("directory-without-slash", "User-agent: *\nDisallow: /p\nDisallow: /p/\n"),
    ("directory-without-slash", "User-agent: *\nDisallow: /a.html\nUser-agent: a\nDisallow: /a.html/\n"),
    ("directory-without-slash", "User-agent: *\nAllow: /p\nUser-agent: a\nDisallow: /p/\n"),
    ("trailing-star", "User-agent: *\nDisallow: /a*\u00a0\n"),
    ("trailing-star", "User-agent: *\nDisallow: *\nDisallow: /a*$\nDisallow: /a$*\nDisallow: /*b\n"),
    (
        "dollar-inside-pattern",
        "User-agent: *\nDisallow: /$/\nDisallow: /a$b\nDisallow: /*.pdf$\nDisallow: /?$filter=\n",
    ),
    ("unencoded-pattern", b"User-agent: *\nDisallow: /\xe9\nDisallow: /%C3%A9\nDisallow: /%zz\n"),
    ("blank-in-pattern", "User-agent: *\nDisallow: /a/ /b/\nDisallow: /a/ # not b\nDisallow: for robots only\n"),
    ("several-paths-on-a-line", "User-agent: *\nDisallow: /* */\nDisallow: /a,/\nDisallow: /a;b\nDisallow: /a b\n"),
    ("comment-in-pattern", "User-agent: *\nDisallow: /a # b\nDisallow: /c #d\nDisallow: # /e\nDisallow: #f\n"),
    ("comment-in-pattern", "User-agent: *\nDisallow: /a# all of it\n"),
    ("blocks-everything", "User-agent: *\nDisallow: /\nAllow: /public/\n"),
    ("blocks-everything", "User-agent: BadBot\nDisallow: /\n"),
    ("blocks-assets", "User-agent: Wget\nDisallow: /js/\n\nUser-agent: *\nDisallow: /jsmith/\nDisallow: /*.json\n"),
    ("blocks-assets", "User-agent: *\nDisallow: /js/\nAllow: /*.js$\n"),
    ("blocked-sitemap", "User-agent: a\nDisallow:\nUser-agent: *\nDisallow: /s\nSitemap: https://example.com/s.xml\n"),
    ("blocked-sitemap", "User-agent: *\nDisallow: /\nSitemap: https://example.com/s.xml\n"),
    ("blocked-sitemap", "User-agent: *\nDisallow: /s\nSitemap: https://a.example/s\nSitemap: https://b.example/s\n"),
    ("blocked-sitemap", "User-agent: *\nDisallow: /s\nSitemap: /s.xml\n"),
    ("blocked-policy-resource", "User-agent: *\nDisallow: /robots.txt.bak\nAllow: /robots.txt\n"),
    ("crawl-delay-ignored", "User-agent: Googlebot\nUser-agent: Bingbot\nCrawl-delay: 1\nDisallow:\n"),
    ("long-crawl-delay", "User-agent: *\nCrawl-delay: 59.9\nCrawl-delay: nan\nCrawl-delay: inf\nCrawl-delay: x\n"),
    ("sitemap-not-absolute", "Sitemap: HTTPS://example.com/s.xml\nSitemap: ftp://example.com/s.xml\n"),
    ("unknown-signal", "User-agent: *\nContent-Signal: /blog/ Search=YES, ai-input=no,use=reference\nAllow: /\n"),
    (
        "contradicting-signals",
        "User-agent: *\nContent-Signal: ai-train=no\nContent-Signal: /a ai-train=yes\nAllow: /\n",
    ),
    (
        "contradicting-signals",
        "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\nUser-agent: a\nContent-Signal: ai-train=yes\n",
    ),
    (
        "bad-content-usage",
        'User-agent: *\nContent-Usage: train-ai=n, search=y;why="a, b", x-own=(1 2), other\nAllow: /\n',
    ),
    ("bad-content-usage", "User-agent: *\nContent-Usage: /a train-ai=n\nAllow: /\n"),
    ("license-not-absolute", "License: https://example.com/license.xml\nLicense: urn:example:1\n"),
    ("license-of-one-group", "User-agent: a\nDisallow: /\n\nUser-agent: *\nDisallow: /p\n\nLicense: u:1\n"),
    ("license-of-one-group", "License: u:1\nUser-agent: *\nDisallow:\nUser-agent: a\nDisallow: /\n\nLicense: u:2\n"),
    ("license-of-one-group", "User-agent: *\nDisallow:\nUser-agent: a\nDisallow: /\nLicense: u:1\n"),
    ("license-of-one-group", "User-agent: a\nDisallow: /\n\nLicense: u:1\n"),
    ("signal-outside-group", "User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"),
    (
        "contradicting-crawl-delays",
        "User-agent: a\nCrawl-delay: 1\nDisallow:\nUser-agent: b\nCrawl-delay: 2\nDisallow:\n",
    ),
    ("contradicting-crawl-delays", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 1\nDisallow:\n"),
    ("joined-groups", "User-agent: a\nContent-Usage: train-ai=n\nUser-agent: b\nDisallow: /\n"),
    ("html-instead-of-robots", "# <html>\nUser-agent: *\nDisallow: /<html>\n"),
    ("carriage-return-lines", b"User-agent: *\r\nDisallow: /\r\r\n\r\n\r"),
    ("byte-order-mark", "User-agent: *\n\ufeffDisallow: /\n"),
    ("missing-acap-version", "ACAP-version: 1.1\nACAP-crawler: *\n"),
    ("missing-acap-version", "User-agent: *\nDisallow: /ACAP-crawler\n"),
    ("acap-without-conventional", "ACAP-crawler: a\nACAP-disallow-crawl: /\n"),
    ("acap-without-conventional", "User-agent: *\nDisallow:\nACAP-crawler: a\nACAP-disallow-index: /\n"),
    (
        "acap-without-conventional",
        "User-agent: *\nDisallow: /\nACAP-ignore-conventional-records\nACAP-crawler: a\nACAP-allow-crawl: /\n",
    ),
    ("conventional-without-acap", "User-agent: a\nDisallow: /\nACAP-crawler: *\nACAP-disallow-index: /\n"),
    (
        "empty-disallow-lost",
        "User-agent: a\nDisallow:\nACAP-crawler: *\nACAP-disallow-crawl: /x\nACAP-crawler: A\nACAP-allow-crawl: /\n",
    ),
    ("empty-disallow-lost", "User-agent: a\nDisallow:\nDisallow: /x\nACAP-crawler: *\nACAP-disallow-crawl: /x\n"),
    ("empty-disallow-lost", "User-agent: a\nDisallow:\nACAP-crawler: b\nACAP-disallow-crawl: /x\n"),
    ("empty-disallow-lost", "User-agent: *\nDisallow:\nACAP-crawler: *\nACAP-disallow-index: /x\n"),
    (
        "permission-without-crawl",
        "ACAP-crawler: *\nACAP-disallow-crawl: /\nACAP-allow-crawl: /n/\nACAP-allow-index: /n/\n",
    ),
    ("permission-without-crawl", "ACAP-crawler: *\nACAP-disallow-crawl: /a/b/\nACAP-allow-index: /a/\n"),
    ("permission-without-crawl", "ACAP-crawler: a\nACAP-disallow-crawl: /\nACAP-crawler: b\nACAP-allow-index: /\n"),
    (
        "permission-without-crawl",
        "ACAP-crawler: *\nACAP-usage-purpose: p\nACAP-disallow-crawl: /\nACAP-usage-purpose: q\nACAP-allow-index: /\n",
    ),
    ("unused-definition", "ACAP-qualified-usage: q present max-length=9-chars\nACAP-crawler: *\nACAP-allow-(Q): /\n"),
    ("unused-definition", "ACAP-qualified-usage: q present max-length=9-chars\nACAP-crawler: *\nACAP-allow-q): /\n"),
    (
        "unused-definition",
        (
            "ACAP-qualified-usage: q index time-limit=5-days\nACAP-crawler: *\nACAP-composite-usage: z (q) =preserve\n"
            "ACAP-disallow-(z): /\n"
        ),
    ),
    ("restriction-not-lifted", "ACAP-crawler: a\nACAP-allow-index: /a time-limit=9-days\nACAP-allow-index: /\n"),
    ("restriction-not-lifted", "ACAP-crawler: a\nACAP-allow-index: / time-limit=9-days\nACAP-allow-preserve: /a\n"),
    (
        "restriction-not-lifted",
        "ACAP-crawler: a\nACAP-allow-index: / time-limit=9-days\nACAP-crawler: b\nACAP-allow-index: /b\n",
    ),
    (
        "restriction-not-lifted",
        "ACAP-crawler: a\nACAP-allow-present: / time-limit=9-days\nACAP-allow-present: /a must-use-resource=/x\n",
    ),
    (
        "unused-definition",
        (
            "ACAP-qualified-usage: q present max-length=9-chars\nACAP-composite-usage: c index (q)\n"
            "ACAP-crawler: *\nACAP-allow-(c): /\n"
        ),
    ),
    ("unused-definition", "ACAP-resource-set: s /a\nACAP-crawler: *\nACAP-allow-index: /b acap:resource-set:S\n"),
    # What has no colon is a field too, and what refers to nothing that is defined may refer to the name next to it.
    (
        "unused-definition",
        (
            "##ACAP version=1.1\nACAP-resource-set: s /a/ /b/\nACAP-crawler: *\n"
            "ACAP-disallow-index the-acap:resource-set:s\n"
        ),
    ),
    (
        "unused-definition",
        "ACAP-qualified-usage q present max-length=9-chars\nACAP-crawler: *\nACAP disallow (q) /\n",
    ),
    (
        "unused-definition",
        (
            "ACAP-qualified-usage: q present max-length=9-chars\nACAP-composite-usage: c index q\n"
            "ACAP-crawler: *\nACAP-allow-(c): /\n"
        ),
    ),
    ("unused-definition", "ACAP-resource-set: s /a\nACAP-crawler: *\nACAP-disallow-index: the-acap:resource-set: s\n"),
    ("unused-definition", "ACAP-resource-set: s1 /a\nACAP-crawler: *\nACAP-disallow-index: acap:resource-set:s\n"),
    ("unused-definition", "ACAP-resource-set: a\u2013b /a\nACAP-crawler: *\nACAP-allow-index: acap:resource-set:a-b\n"),
    (
        "conventional-without-acap",
        "User-agent: bot1\nDisallow: /\nACAP-crawler bot1\nACAP-disallow-crawl: /\n",
    ),
    (
        "conventional-without-acap",
        "User-agent: a\nUser-agent: b\nDisallow: /\nACAP-crawler: a, b/1\nACAP-disallow-crawl /\n",
    ),
    ("spent-time-limit", "ACAP-crawler: *\nACAP-allow-index: / time-limit=30-days\n"),
    ("spent-time-limit", "ACAP-crawler: *\nACAP-disallow-index: / time-limit=until-2000-01-01\n"),
    ("spent-time-limit", "User-agent: *\nDisallow: /until-2000-01-01\n"),
    ("rule-order-matters", "User-agent: *\nAllow: /a/\nDisallow: /b/\nAllow: /\n"),
    ("blank-line-inside-group", "User-agent: *\nDisallow: /a/\n\nSitemap: https://example.com/s\n"),
    ("rules-not-repeated", STAR + "".join(f"Disallow: /{n}/\n" for n in "abcde") + "User-agent: x\nDisallow: /a/\n"),
    (
        "rules-not-repeated",
        STAR + "".join(f"Disallow: /{n}/\n" for n in "abcde") + "User-agent: x\nAllow: /e/\n"
        "" + "".join(f"Disallow: /{n}/\n" for n in "abcd"),
    ),
]


@pytest.mark.parametrize(("code", "text", "expected"), SPEAKS)
def test_a_rule_speaks(code: str, text: str | bytes, expected: list[int]) -> None:
    """Each rule finds the lines that it is about."""
    assert lines(code, text) == expected


@pytest.mark.parametrize(("code", "text"), KEEPS_QUIET)
def test_a_rule_keeps_quiet(code: str, text: str | bytes) -> None:
    """What only resembles a mistake is none."""
    assert [finding.message for finding in found(code, text)] == []


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "User-agent", ":\n#\n", "ACAP-crawler:\nACAP-\n", "\0\r\n\xff"])
def test_every_rule_takes_any_text(text: str) -> None:
    """A file of nothing, or of next to nothing, fails no rule."""
    for code in {one[0] for one in SPEAKS} | {one[0] for one in KEEPS_QUIET}:
        for kind in rule(code).kinds:
            list(rule(code).check(document(text, kind)))


# What the words of findings say.


def test_a_crawler_that_its_group_frees_is_freed() -> None:
    """What group-without-rules says is what is decided: the crawler may fetch what `*` may not."""
    policy = parse_robots("User-agent: *\nDisallow: /p/\n\nUser-agent: a\nCrawl-delay: 5\n")
    assert policy.decide("/p/", crawler="a").permitted
    assert not policy.decide("/p/", crawler="b").permitted


def test_joined_groups_share_what_is_decided() -> None:
    """What joined-groups says is what is decided: the rules hold for both crawlers."""
    policy = parse_robots("User-agent: a\nCrawl-delay: 10\n\nUser-agent: b\nDisallow: /\n")
    assert not policy.decide("/x", crawler="a").permitted
    assert not policy.decide("/x", crawler="b").permitted


def test_a_permission_without_crawl_permits_nothing() -> None:
    """What permission-without-crawl says is what is decided."""
    policy = parse_robots("ACAP-crawler: *\nACAP-disallow-crawl: /archive/\nACAP-allow-index: /archive/2009/\n")
    assert not policy.decide("/archive/2009/a", crawler="a", usage="index").permitted


def test_the_configuration_names_crawlers_that_are_known() -> None:
    """A name of one's own is neither unknown nor misspelt, whatever its case and version."""
    text = "User-agent: OurBot/2.0\nUser-agent: Gogglebot\nDisallow: /\n"
    own = document(text, crawlers=frozenset({"ourbot", "gogglebot"}))
    assert list(rule("unknown-crawler").check(own)) == []
    assert list(rule("misspelt-crawler").check(own)) == []


def test_unknown_crawlers_are_one_finding() -> None:
    """All unknown names of a file are in one finding, which points at each line."""
    text = "".join(f"User-agent: zz{letter}zz\n" for letter in "abcdef") + "Disallow: /\n"
    (finding,) = found("unknown-crawler", text)
    assert "`zzazz`, `zzbzz`, `zzczz`, `zzdzz` and 2 more" in finding.message
    assert [related.line for related in finding.related] == [2, 3, 4, 5, 6]


def test_crawlers_of_acap_records_are_looked_at_too() -> None:
    """A name on an ACAP-crawler line is a name."""
    assert lines("misspelt-crawler", "ACAP-crawler: Gogglebot\nACAP-disallow-crawl: /\n") == [1]
    assert lines("retired-crawler", "ACAP-crawler: msnbot\nACAP-disallow-crawl: /\n") == [1]


def test_a_header_for_a_misspelt_crawler_is_found() -> None:
    """X-Robots-Tag and META may name a crawler, and may misspell it."""
    assert len(found("misspelt-crawler", "X-Robots-Tag: gogglebot: noindex\n", "headers")) == 1
    assert found("misspelt-crawler", "X-Robots-Tag: googlebot: noindex\n", "headers") == []


def test_a_name_is_replaced_where_it_stands() -> None:
    """The fix of a misspelt name changes the name alone; case, comment and line end stay."""
    given = document("user-AGENT :  Gogglebot  # ours\r\nDisallow: /\r\n")
    octets, _ = applied(given, list(rule("misspelt-crawler").check(given)))
    assert octets == b"user-AGENT :  Googlebot  # ours\r\nDisallow: /\r\n"


def test_several_paths_of_an_allow_are_no_safe_fix() -> None:
    """Dividing a Disallow line takes away; dividing an Allow line gives, so it is for a person to judge."""
    fixes = [one.fix for one in found("several-paths-on-a-line", "User-agent: *\nDisallow: /a /b\nAllow: /c /d\n")]
    assert [fix is not None and fix.safe for fix in fixes] == [True, False]


def test_a_star_that_decides_stays() -> None:
    """Beside Allow lines the star of a Disallow may decide by its length, so it has no fix."""
    text = "User-agent: *\nDisallow: /a*\nAllow: /b*\n"
    assert [one.fix is not None for one in found("trailing-star", text)] == [False, True]
    assert found("trailing-star", "User-agent: *\nDisallow: /a*\n")[0].fix is not None


def test_a_relative_sitemap_is_mended_where_the_site_is_known() -> None:
    """With the URL of the robots.txt the whole URL can be written; without it there is no fix."""
    text = "Sitemap: /sitemap.xml\n"
    assert found("sitemap-not-absolute", text)[0].fix is None
    given = document(text, url="https://example.com/robots.txt")
    octets, _ = applied(given, list(rule("sitemap-not-absolute").check(given)))
    assert octets == b"Sitemap: https://example.com/sitemap.xml\n"


def test_a_sitemap_of_another_site_is_not_judged() -> None:
    """The rules of a site say nothing about a sitemap that lies on another."""
    text = "User-agent: *\nDisallow: /s\nSitemap: https://cdn.example.net/s.xml\n"
    assert lines("blocked-sitemap", text, url="https://example.com/robots.txt") == []
    assert lines("blocked-sitemap", text, url="https://cdn.example.net/robots.txt") == [3]


def test_a_lost_permission_is_written_into_the_record_of_its_crawler() -> None:
    """Two crawler lines that came to stand one below the other are parted again; only an unsafe fix permits more."""
    text = (
        "User-agent: ours\nDisallow:\n\nUser-agent: bad\nDisallow: /\n\n"
        "ACAP-crawler: ours\nACAP-crawler: bad\nACAP-disallow-crawl: /\n"
    )
    given = document(text)
    (finding,) = rule("empty-disallow-lost").check(given)
    assert finding.line == 2
    assert finding.fix is not None
    assert not finding.fix.safe
    octets, _ = applied(given, [finding])
    policy = parse_robots(octets)
    assert policy.decide("/a", crawler="ours").permitted
    assert not policy.decide("/a", crawler="bad").permitted
    assert list(rule("empty-disallow-lost").check(document(octets))) == []


def test_a_time_limit_is_over_from_the_following_day() -> None:
    """The last day is a day of the permission; a reminder comes thirty days before, for information."""

    def severities(day: str) -> list[str]:
        text = f"ACAP-crawler: *\nACAP-allow-index: / time-limit=until-{day}\n"
        return [finding.severity for finding in found("spent-time-limit", text)]

    assert severities("2026-11-20") == ["warning"]
    assert severities("2026-11-21") == ["info"]
    assert severities("2026-12-20") == ["info"]
    assert severities("2026-12-21") == []


def test_a_set_with_a_spent_limit_is_one_finding() -> None:
    """A field on several resources is one line, and one finding."""
    text = (
        "ACAP-resource-set: s /a /b /c\nACAP-crawler: *\n"
        "ACAP-allow-index: the-acap:resource-set:s time-limit=until-2001-01-01\n"
    )
    assert lines("spent-time-limit", text) == [3]


def test_words_to_different_crawlers_do_not_conflict() -> None:
    """`index` for one crawler and `noindex` for another are no contradiction."""
    page = '<meta name="robots" content="index">\n<meta name="bingbot" content="noindex">\n'
    assert lines("conflicting-meta", page, "page") == []
    assert lines("conflicting-meta", page.replace("bingbot", "ROBOTS"), "page") == [1]


def test_a_header_contradicts_its_page_to_the_same_crawler() -> None:
    """A header with several lines is read as one list for each crawler."""
    assert len(found("conflicting-meta", "X-Robots-Tag: follow\nX-Robots-Tag: none\n", "headers")) == 1
    assert found("conflicting-meta", "X-Robots-Tag: a: follow\nX-Robots-Tag: b: none\n", "headers") == []


# What follows from all statements together is worked out elsewhere; here it is put into words.


def analysed(text: str, **found: object) -> Document:
    given = document(text)
    empty: dict[str, object] = {"redundant": (), "doubts": (), "disagreements": (), "undecided": 0}
    given.__dict__["analysis"] = Analysis(**(empty | found))  # type: ignore[arg-type]  # fields of several types
    return given


def test_an_idle_statement_names_the_lines_that_say_it() -> None:
    """It underlines the line, says why it decides nothing, and points at the lines in its place."""
    text = "User-agent: *\nDisallow: /a/\nDisallow: /a/b/\nDisallow: a\n"
    given = analysed(text, redundant=(Redundant(3, "covered", (2,)), Redundant(4, "unmatchable", ())))
    unmatchable, covered = rule("idle-statement").check(given)
    assert (covered.line, covered.column) == (3, 1)
    assert given.text[covered.start : covered.end] == b"Disallow: /a/b/"
    assert "line 2" in covered.message
    assert [related.line for related in covered.related] == [2]
    assert "no URL" in unmatchable.message


def test_what_is_said_for_clarity_is_no_finding() -> None:
    """An empty Disallow, `Allow: /`, and whatever silence permits anyway may be said."""
    text = "User-agent: *\nDisallow:\nAllow: /\nAllow: /a\n"
    redundant = (Redundant(2, "covered", (3,)), Redundant(3, "covered", (2,)), Redundant(4, "covered", ()))
    assert list(rule("idle-statement").check(analysed(text, redundant=redundant))) == []


def test_an_overridden_statement_points_at_no_more_than_some_lines() -> None:
    """Of a hundred lines that win, some are named and the others counted."""
    text = STAR + "Disallow: /a/\n" * 100
    given = analysed(text, redundant=(Redundant(2, "overridden", tuple(range(3, 101))),))
    (finding,) = rule("idle-statement").check(given)
    assert finding.message.endswith("(see lines 3, 4, 5, 6 and 94 more)")
    assert len(finding.related) == 8


def test_a_doubt_names_the_prohibition_and_a_path() -> None:
    """It stands at the permission, and its witness is a path at which the prohibition stands."""
    text = "ACAP-crawler: *\nACAP-allow-index: /*.pdf$\nACAP-disallow-index: /news/\n"
    given = analysed(text, doubts=(Doubt(2, 3, "index", "/news/.pdf"),))
    (finding,) = rule("contradiction-in-doubt").check(given)
    assert finding.line == 2
    assert [related.line for related in finding.related] == [3]
    assert finding.witness == "/news/.pdf"
    assert not parse_robots(text).decide("/news/.pdf", crawler="a", usage="index").permitted


@pytest.mark.parametrize(
    ("disagreement", "line", "related", "said"),
    [
        (Disagreement("*", 2, 5, "conventional", "/b"), 5, [2], "conventional lines let crawlers that no line names"),
        (Disagreement("x", 2, 0, "acap", "/a"), 2, [], "ACAP lets `x` fetch `/a`, conventional lines refuse it"),
        (
            Disagreement("x", 0, 5, "conventional", "/b"),
            5,
            [],
            "conventional lines let `x` fetch `/b`, ACAP refuses it",
        ),
    ],
)
def test_a_disagreement_says_who_permits(disagreement: Disagreement, line: int, related: list[int], said: str) -> None:
    """It stands at the ACAP field, or at the conventional line where there is none."""
    text = "User-agent: *\nDisallow: /a\n\nACAP-crawler: *\nACAP-disallow-crawl: /b\n"
    (finding,) = rule("dialects-disagree").check(analysed(text, disagreements=(disagreement,)))
    assert finding.line == line
    assert [one.line for one in finding.related] == related
    assert said in finding.message
    assert finding.witness == disagreement.witness


@pytest.mark.parametrize("code", ["contradiction-in-doubt", "dialects-disagree", "idle-statement"])
def test_nothing_is_worked_out_where_there_is_nothing_to_find(code: str) -> None:
    """A file without the vocabulary in question is not analysed at all."""
    given = document("# nothing here\n")
    assert list(rule(code).check(given)) == []
    assert "analysis" not in given.__dict__


# How lines belong together.


def test_groups_are_those_that_decisions_have() -> None:
    """Lines of other vocabularies and blank lines end no group; a rule does; what is before the first is in none."""
    text = (
        "Disallow: /0\nUser-agent: a\nCrawl-delay: 1\n\nUser-agent: b\n"
        "Allow: /x # y\nSitemap: u\nDisallow:\nUser-agent: *\n"
    )
    first, second = document(text).groups
    assert [agent.value for agent in first.agents] == ["a", "b"]
    assert [(rule.line, rule.value) for rule in first.rules] == [(6, "/x"), (8, "")]
    assert [field.kind for field in first.body] == ["Crawl-delay", "Allow", "Disallow"]
    assert second.is_default
    assert second.rules == ()


def test_whoever_a_blank_follows_the_star_is_every_crawler() -> None:
    """`* (all)` is for the crawlers that no group names, and `*bot` for none (RFC 9309 2.2.1)."""
    star, name = document("User-agent: * (all)\nDisallow: /\nUser-agent: *bot\nDisallow: /\n").groups
    assert (star.is_default, name.is_default) == (True, False)


def test_groups_of_the_corpus_are_those_of_its_statements() -> None:
    """Of each Allow and Disallow line the pattern, and whom it is addressed to, are what the native core says."""
    for file in corpus()[::5]:
        given = document(file["robots"].encode("latin-1"))
        stands = {
            rule.line: (rule.value, tuple(agent.value for agent in group.agents))
            for group in given.groups
            for rule in group.rules
        }
        for statement in given.statements:
            if statement.cited.dialect != "acap" and statement.cited.line is not None:
                assert stands[statement.cited.line] == (statement.pattern, statement.crawlers)


def test_records_are_those_that_decisions_have() -> None:
    """Crawler lines gather, a field ends them, definitions belong to no record; names are read in any case."""
    text = (
        "ACAP-resource-set: s /a\nacap-CRAWLER: a\nACAP-crawler: b # c\nACAP disallow crawl: /x\n"
        "ACAP-crawler: *\nACAP-allow-index: / time-limit=9-days\n"
    )
    first, second = document(text).records
    assert [crawler.value for crawler in first.crawlers] == ["a", "b"]
    assert [(field.line, field.name, field.value) for field in first.fields] == [(4, "disallow-crawl", "/x")]
    assert [crawler.value for crawler in second.crawlers] == ["*"]
    assert second.fields[0].value == "/ time-limit=9-days"


@pytest.mark.parametrize(
    ("text", "well"),
    [
        ("", True),
        ("train-ai=n, search=y", True),
        ("a", True),
        ("a=?1, b=-1.5;x;y=z", True),
        ('a="x, \\"y\\""', True),
        ("Train-AI=n", False),
        ("a=n,", False),
        ("a = n", False),
        ("a=n b=y", False),
        ("a=n;", False),
        ("=n", False),
    ],
)
def test_a_dictionary_forgives_nothing(text: str, well: bool) -> None:
    """RFC 9651: keys in lower case, commas between members, none at the end, no blank around `=`."""
    problems = parse_robots(f"User-agent: *\nContent-Usage: {text}\n").problems
    assert ("bad-content-usage" not in {problem.code for problem in problems}) is well


def test_signals_are_divided_into_names_and_values() -> None:
    """A path may stand before them; a name without `=` has no value."""
    assert divided("/a b=c") == ("/a", "b=c")
    assert divided("b=c") == ("", "b=c")
    assert [tuple(one) for one in signals("a=b, c ,d = e")] == [("a", "b"), ("c", None), ("d", "e")]


def test_the_tags_of_a_page_are_those_that_no_comment_and_no_script_holds() -> None:
    """What a comment, a script, a title or a template holds is no tag; what the text ends in is not closed."""
    text = b"<!-- <a> --><P CLASS='>'><script><b></script><title><i></title><template><u></template><br/><meta name=x"
    found = [(tag.name, tag.closed) for tag in tags(text)]
    assert found == [
        ("p", True),
        ("script", True),
        ("/script", True),
        ("title", True),
        ("/title", True),
        ("template", True),
        ("/template", True),
        ("br", True),
        ("meta", False),
    ]
    assert [(tag.name, tag.closed) for tag in tags(b"<p><!-- <a>")] == [("p", True), ("!--", False)]
    assert [(one.name, one.value) for one in list(tags(text))[-1].attributes(text)] == [("name", "x")]


@pytest.mark.parametrize("piece", [b"<meta ", b'<a b="', b"<!--", b"<script>", b"<a =", b"</title><title>", b"<a =' "])
def test_the_tags_of_a_hostile_page_are_found_in_linear_time(piece: bytes) -> None:
    """Half a megabyte of what never ends takes less than a second."""
    text = piece * (512 * 1024 // len(piece))
    begun = process_time()
    assert all(tag.attributes(text) is not None for tag in tags(text))
    assert process_time() - begun < 5

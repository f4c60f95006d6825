"""What a review of findings in real files has taught the rules: how bad each is, what helps, and when to keep quiet."""

from __future__ import annotations

import pytest

from acap.publish.lint.catalogue import rules
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.run import findings_of, lint

STAR = "User-agent: *\n"


def found(code: str, text: str | bytes) -> tuple[Finding, ...]:
    return findings_of(rules()[code], Document(text.encode() if isinstance(text, str) else text, "robots.txt"))


SEVERITIES: list[tuple[str, str | bytes, list[str]]] = [
    ("empty-agent", "User-agent:\nDisallow:\n", ["info"]),
    ("no-field", "<!-- ours -->\n" + STAR + "Disallow: /p/\n", ["info"]),
    ("no-field", "---\n" + STAR + "Disallow: /p/\n", ["info"]),
    ("no-field", STAR + "all but one\nDisallow: /p/\n", ["warning"]),
    ("empty-agent", "User-agent:\nUser-agent: a\nDisallow: /\n", ["info"]),
    ("empty-agent", "User-agent:\nDisallow: /p/\n", ["error"]),
    ("group-without-rules", STAR, ["info"]),
    ("group-without-rules", STAR + "Disallow: /p/\nUser-agent: a\n", ["warning"]),
    ("group-without-rules", STAR + "Disallow: /p/\nUser-agent: a\n" + STAR, ["warning"]),
    ("rule-before-agent", "Allow: /\nUser-agent: a\nDisallow: /p/\n", ["info"]),
    ("rule-before-agent", "Disallow: /q/\nAllow: /\nUser-agent: a\nDisallow: /p/\n", ["error", "error"]),
    ("invalid-utf-8", b"User-agent: *\xa0\nDisallow: /p/\n", ["warning"]),
    ("misspelt-crawler", "User-agent: Gogglebot\nUser-agent: Googlebot\nDisallow: /\n", ["info"]),
    ("misspelt-crawler", "User-agent: Gogglebot\nDisallow: /\n", ["warning"]),
    ("wildcard-in-crawler-name", "User-agent: Mediapartners-Google*\nDisallow: /\n", ["info"]),
    ("wildcard-in-crawler-name", "User-agent: facebookexternalhit/*\nDisallow: /\n", ["info"]),
    ("wildcard-in-crawler-name", "User-agent: Google*\nDisallow: /\n", ["warning"]),
    ("user-agent-string", "User-agent: ExampleBot (+https://example.com/bot)\nDisallow: /\n", ["info"]),
    ("user-agent-string", "User-agent: Mozilla/5.0 (compatible; ExampleBot/1.0)\nDisallow: /\n", ["warning"]),
    ("blocked-sitemap", STAR + "Disallow: /s\nSitemap: https://example.com/s.xml\n", ["info"]),
    ("idle-statement", STAR + "Disallow: /a\nDisallow: /a/b\n", ["info"]),
    ("idle-statement", STAR + "Allow: *.css\nDisallow: /private/\n", ["info"]),
    ("idle-statement", STAR + "Allow: /a/\nDisallow: /a/\n", ["warning"]),
    ("backslash-in-pattern", STAR + "Disallow: /s?\nDisallow: /s\\?\n", ["info"]),
    ("comment-in-pattern", STAR + "Disallow: /a/\nDisallow: /a/#/b\n", ["info"]),
    ("no-field", "$$$$..MMMM\n" + STAR + "Disallow: /p/\n", ["info"]),
    ("no-field", "DISALLOW ALL BUT ONE\n" + STAR + "Disallow: /p/\n", ["warning"]),
    ("unknown-field", "@@@@ :: @@@@\n" + STAR + "Disallow: /p/\n", ["info"]),
    ("no-field", "1\n" + STAR + "Disallow: /p/\n", ["info"]),
    ("absolute-rule", STAR + "Disallow: /p/\nDisallow: https://example.com/p/a.pdf\n", ["info"]),
    ("comment-in-pattern", "User-agent: a\nDisallow: /\n" + STAR + "Disallow: /#a\nDisallow: /#b\n", ["warning"] * 2),
    ("no-field", STAR + "Disallow: /p/\n</pre>\n", ["info"]),
    ("no-field", STAR + "Disallow: /p/\n<!--\nfetched from the cache\n-->\n", ["info"] * 3),
    ("unknown-field", "https://example.com/robots.txt\n" + STAR + "Disallow: /p/\n", ["info"]),
    ("absolute-rule", STAR + "Disallow: https://example.com/p/\nDisallow: /p/\n", ["info"]),
]


@pytest.mark.parametrize(("code", "text", "expected"), SEVERITIES)
def test_what_harms_nobody_is_mere_information(code: str, text: str | bytes, expected: list[str]) -> None:
    """A finding is a warning or an error only where what was meant is not in force."""
    assert [finding.severity for finding in found(code, text)] == expected


KEEPS_QUIET: list[tuple[str, str | bytes]] = [
    ("idle-statement", STAR + "Allow: /book\nDisallow: /bookings\n"),
    ("idle-statement", STAR + "Disallow: /a\nACAP-crawler: *\nACAP-disallow-crawl: /a\n"),
    ("unencoded-pattern", STAR + "Disallow: /caf\u00e9/\nDisallow: /caf%C3%A9/\n"),
    ("byte-order-mark", "\ufeff# for all\nUser-agent: *\nDisallow: /p/\n"),
    ("carriage-return-lines", b"User-agent: *\r\nDisallow: /p/\r\n\rSitemap: https://example.com/s\n"),
    ("joined-groups", "User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nDisallow:\n"),
    ("joined-groups", "User-agent: a/1.0\nCrawl-delay: 1\n\nUser-agent: a/2.0\nDisallow: /p/\n"),
    ("several-groups-for-one-crawler", "User-agent: a\nDisallow: /\n\nUser-agent: a/1.0\nDisallow: /\n"),
    ("misspelt-crawler", "User-agent: EMail Wolf\nDisallow: /\n"),
    ("wildcard-in-crawler-name", "User-agent: Example (me*at*example.com)\nDisallow: /\n"),
    ("blank-in-crawler-name", "User-agent: MS Search 6.0 Robot\nDisallow: /\n"),
    ("blocks-assets", STAR + "Disallow: /static/js/s_code.js\nDisallow: /forms.asmx/js\nDisallow: /wp-admin/css/\n"),
    ("blocks-assets", "User-agent: Googlebot\nUser-agent: bingbot\nDisallow:\n\n" + STAR + "Disallow: /js/\n"),
    ("blank-in-pattern", STAR + "Disallow: * https:*\nDisallow: *%20https:*\n"),
    ("unencoded-pattern", STAR + "Disallow: https://example.com/caf\u00e9\n"),
    ("carriage-return-lines", b"# a\r# b\r\nUser-agent: *\r\nDisallow: /p/\r\n"),
    ("misspelt-crawler", "User-agent: ias_crawler\nDisallow: /\n"),
    ("several-groups-for-one-crawler", "User-agent: a\nDisallow:\n\nUser-agent: a/1.0\nAllow: /\n"),
    ("blocks-assets", STAR + "Disallow: /cdn/wpm/*.js\n"),
    ("blank-in-pattern", STAR + "Allow: /My%20Documents/\nAllow: /My Documents/\n"),
    ("idle-statement", STAR + "Disallow: *{cart}*\nDisallow: *%7Bcart%7D*\n"),
    ("idle-statement", STAR + "Disallow: /*?a%3Db\nDisallow: /*?a%3db\n"),
    ("idle-statement", "User-agent: Y!J-A\nDisallow: /p/\nUser-agent: Y!J-B\nDisallow: /p/\n"),
    ("carriage-return-lines", b"User-agent: *\rAllow: /\r"),
    ("blank-in-pattern", STAR + "Disallow: /caf\u00e9 au lait\nDisallow: /caf%C3%A9_au_lait\n"),
    ("unencoded-pattern", STAR + "Disallow: /caf\u00e9 au lait\n"),
    ("blocked-sitemap", STAR + "Disallow: /s\nSitemap: https://storage.googleapis.com/s.xml\n"),
    (
        "rules-not-repeated",
        "# Let our crawler in\nUser-agent: x\n"
        + "".join(f"Disallow: /{n}/\n" for n in "abcd")
        + STAR
        + "".join(f"Disallow: /{n}/\n" for n in "abcde"),
    ),
    ("several-paths-on-a-line", STAR + "Disallow: /caf&eacute;/a/\n"),
    ("crawl-delay-ignored", "User-agent: Google-Extended\nDisallow: /\n\nCrawl-delay: 1\n"),
    ("long-crawl-delay", "User-agent: a\nDisallow: /\nCrawl-delay: 999\n"),
    (
        "rules-not-repeated",
        "User-agent: x # may see /e/\n"
        + "".join(f"Disallow: /{n}/\n" for n in "abcd")
        + STAR
        + "".join(f"Disallow: /{n}/\n" for n in "abcde"),
    ),
    (
        "rules-not-repeated",
        STAR
        + "".join(f"Disallow: /*/{n}\n" for n in ("a", "b", "c", "d", "e/"))
        + "User-agent: x\n"
        + "".join(f"Disallow: /*/{n}\n" for n in ("a", "b", "c", "d", "e*")),
    ),
    (
        "rules-not-repeated",
        STAR + "".join(f"Disallow: /{n}/\n" for n in "abcde") + "User-agent: x\nDisallow: /e/private/\n"
        "" + "".join(f"Disallow: /{n}/\n" for n in "abcd"),
    ),
]


@pytest.mark.parametrize(("code", "text"), KEEPS_QUIET)
def test_a_rule_keeps_quiet_about_what_works(code: str, text: str | bytes) -> None:
    """What does as its author wished is no finding, however unusual it looks."""
    assert [finding.message for finding in found(code, text)] == []


HELP: list[tuple[str, str, str]] = [
    ("relative-pattern", STAR + "Disallow: .js\n", "`*.js`"),
    ("relative-pattern", STAR + "Disallow: ?print\n", "`/*?print`"),
    ("relative-pattern", STAR + "Disallow: sid=\n", "`/*sid=`"),
    ("relative-pattern", STAR + "Disallow: www.example.com/a\n", "another host"),
    ("relative-pattern", STAR + "Disallow: ([0-9]+)/a\n", "not a regular expression"),
    ("absolute-rule", STAR + "Disallow: https://test.example.com/\n", "robots.txt of test.example.com"),
    ("absolute-rule", STAR + "Allow: https://example.com/sitemap.xml 2026-11-22\n", "a Sitemap line"),
    ("blank-in-pattern", STAR + "Disallow: /en- us/\n", "remove it"),
    ("unencoded-pattern", STAR + "Disallow: /a\u200b/\n", "`/a/`"),
    ("unencoded-pattern", STAR + "Disallow: /a\u00e2\u201e\u00a2\n", "`/a%E2%84%A2`"),
    ("user-agent-string", "User-agent: Mozilla/5.0 (compatible; Two Words Bot)\nDisallow: /\n", "the product token"),
    ("relative-pattern", STAR + "Disallow: .html?\n", "`*.html?`"),
    ("relative-pattern", STAR + "Disallow: .html$\n", "`*.html$`"),
    ("relative-pattern", STAR + "Allow: ^/login$\n", "not a regular expression"),
    ("relative-pattern", STAR + "Disallow: example.hu\n", "another host"),
    ("relative-pattern", STAR + "Disallow: example.pl\n", "`/example.pl`"),
    ("blank-in-pattern", STAR + "Disallow: /a </div> <div class=\n", "the path alone"),
    ("no-field", STAR + "Disallow:\n/search\n", "before the path"),
    ("absolute-rule", STAR + "Allow: http://ads.example.com/a.js\n", "another host"),
    ("backslash-in-pattern", STAR + "Disallow: */\\\n", "`*/%5C`"),
    ("backslash-in-pattern", STAR + "Disallow: /a/*\\u00\n", "`/a/*%5Cu00`"),
    ("backslash-in-pattern", STAR + "Disallow: /a\\*\n", "`*` for any characters"),
    ("unencoded-pattern", STAR + "Disallow: *\u00a4tPage=*\n", "`*&currentPage=*`"),
    ("user-agent-string", "User-agent: Two Words Bot (https://example.com)\nDisallow: /\n", "the product token"),
    ("backslash-in-pattern", STAR + "Disallow: /a/.*\\?.*\n", "`*` for any characters"),
    ("unencoded-pattern", STAR + "Disallow: /c\u043enf/\n", "`/conf/`"),
    ("unencoded-pattern", STAR + "Disallow: /\u0441\u043e\u0440/\n", "`/%D1%81%D0%BE%D1%80/`"),
    ("unencoded-pattern", STAR + "Disallow: /a/ \u200e\n", "`/a/`"),
    ("unknown-field", STAR + "\u200bCrawl-delay: 30\nDisallow: /p/\n", "`Crawl-delay`"),
    ("group-without-rules", "User-agent: * Allow: /\n", "a line of its own"),
    ("wildcard-in-crawler-name", "User-agent: *<br/>\nDisallow:\n", "not HTML"),
    ("wildcard-in-crawler-name", "User-agent: /*\nDisallow: /p/\n", "write `*`"),
    ("blank-in-pattern", STAR + "Disallow: /a' union select b -- c\n", "union%20select%20b%20--"),
    ("unencoded-pattern", STAR + "Disallow: /a\u00a0\u2026/\n", "`/a%E2%80%A6/`"),
    ("user-agent-string", "User-agent: Mozilla/5.0 (compatible; Yahoo! Slurp; https://x)\nDisallow: /\n", "`Slurp`"),
    ("blank-in-pattern", STAR + "Allow: /User-agent: ExampleBot\n", "a line of its own"),
    ("relative-pattern", STAR + "Disallow: Disallow: /p/\n", "the field once"),
    ("blank-in-pattern", STAR + "Disallow: /caf\u00e9 au lait\n", "`/caf%C3%A9%20au%20lait`"),
    ("unknown-field", STAR + "Disallow:\n/wiki/Project:Votes\n", "before the path"),
    ("sitemap-not-absolute", "Sitemap\uff1ahttps://example.com/s.xml\n", "after `Sitemap`"),
    ("sitemap-not-absolute", "Sitemap:\u00a0https://example.com/s.xml\n", "`https://example.com/s.xml`"),
    ("relative-pattern", STAR + "Disallow: 0\n", "remove the line"),
    ("wildcard-in-crawler-name", "User-agent: *javascript:;\nDisallow: /p/\n", "write only `*`"),
    ("no-field", STAR + "Disallow:\nplugins/\n", "the whole path"),
    ("relative-pattern", STAR + "Allow:User-agent: *\nDisallow: /p/\n", "a line of its own"),
    ("unknown-field", "er-agent: *\nDisallow: /p/\n", "`User-agent`"),
    ("user-agent-string", "User-agent: mozilla/4\nDisallow: /\n", "product token"),
]


@pytest.mark.parametrize(("code", "text", "expected"), HELP)
def test_help_leads_to_what_was_meant(code: str, text: str, expected: str) -> None:
    """Whoever does what a finding says does not get a line that is wrong in another way."""
    (finding,) = found(code, text)
    assert finding.help is not None
    assert expected in finding.help


def test_a_named_crawler_is_not_kept_away_by_a_group_that_does_not_name_it() -> None:
    """A crawler that shares a further group with `*` follows that group alone."""
    shut = STAR + "Disallow: /\n\n"
    (alone,) = found("blocks-everything", shut + STAR + "Disallow: /p/\n")
    (shared,) = found("blocks-everything", shut + "User-agent: a\n" + STAR + "Disallow: /p/\n")
    assert alone.message == "this keeps all crawlers from the whole site"
    assert shared.message == "this keeps crawlers that no other group names from the whole site"


def test_an_idle_line_is_shown_the_line_that_says_the_same() -> None:
    """Lines that only happen to stand beside are not named."""
    text = STAR + "Disallow: /\n" + "".join(f"Allow: /{n}.php\n" for n in "abcdef") + "Allow: /*/i/\nAllow: /*/a/i/\n"
    (finding,) = found("idle-statement", text)
    assert [related.line for related in finding.related] == [9]


def test_an_unknown_crawler_is_looked_for_on_request() -> None:
    """Most names that no list holds are those of real crawlers, so the rule is off unless it is selected."""
    document = Document(b"User-agent: Zzyzxbot\nDisallow: /\n", "robots.txt")
    assert lint(document) == ()
    assert [finding.code for finding in lint(document, select=["unknown-crawler"])] == ["unknown-crawler"]

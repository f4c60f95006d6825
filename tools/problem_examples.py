"""The smallest file for each code of `acap.problems.CATALOGUE`: the page on problems shows what it gives."""

from __future__ import annotations

from dataclasses import dataclass

import acap

SITE = "https://www.example.com/robots.txt"


@dataclass(frozen=True, slots=True)
class Example:
    """A file with the problem; `shown` is what the page shows of it where the octets themselves would not do."""

    octets: bytes
    shown: str = ""

    def problem(self, code: str) -> acap.Problem:
        """The problem as the readers report it. Raises LookupError if they don't."""
        policy = acap.parse_robots(self.octets, url=SITE)
        for problem in policy.problems:
            if problem.code == code:
                return problem
        raise LookupError(f"the example of `{code}` does not have that problem, but {policy.problems}")

    def text(self) -> str:
        """The file as the page shows it, without the last line end."""
        return self.shown or self.octets.decode().removesuffix("\n")


def _acap(*lines: str) -> Example:
    """Lines of a record for any crawler."""
    return Example("".join(f"{line}\n" for line in ("ACAP-crawler: *", *lines)).encode())


def _lines(*lines: str) -> Example:
    return Example("".join(f"{line}\n" for line in lines).encode())


EXAMPLES: dict[str, Example] = {
    "missing-colon": _lines("User-agent: *", "Disallow /private/"),
    "misspelt-field": _lines("User-agent: *", "Dissallow: /private/"),
    "unknown-field": _lines("User-agent: *", "Disallow: /private/", "Deny: /drafts/"),
    "no-field": _lines("User-agent: *", "Please be polite to our server", "Disallow: /private/"),
    "rule-before-agent": _lines("Disallow: /private/", "User-agent: *", "Disallow: /drafts/"),
    "empty-agent": _lines("User-agent:", "Disallow: /private/"),
    "relative-pattern": _lines("User-agent: *", "Disallow: private/"),
    "absolute-rule": _lines("User-agent: *", "Disallow: https://www.example.com/private/"),
    "unreadable-value": _lines("User-agent: *", "Crawl-delay: ten"),
    "cut-file": Example(
        b"User-agent: *\nDisallow: /a\n" + b"Disallow: /b\n" * 40_500,
        shown="User-agent: *\nDisallow: /a\nDisallow: /b\n… 40,499 times more",
    ),
    "overlong-line": Example(
        b"User-agent: *\nAllow: /" + b"a" * 20_000 + b"\n",
        shown="User-agent: *\nAllow: /aaaaaaaaaaaaaaaa… 20,000 letters",
    ),
    "partial-byte-order-mark": Example(
        b"\xef\xbbUser-agent: *\nDisallow: /private/\n", shown="<EF BB>User-agent: *\nDisallow: /private/"
    ),
    "decoded-utf-16": Example(
        "\ufeffUser-agent: *\nDisallow: /private/\n".encode("utf-16-le"),
        shown="<FF FE>User-agent: *\nDisallow: /private/\n(two octets a character)",
    ),
    "invalid-utf-8": Example(
        "User-agent: *\nDisallow: /café/\n".encode("latin-1"), shown="User-agent: *\nDisallow: /caf<E9>/"
    ),
    "nul-octet": Example(b"User-agent: *\nDisallow: /a\0b\n", shown="User-agent: *\nDisallow: /a<00>b"),
    "acap-hyphen": _acap("ACAP-allow preserve: /"),
    "acap-unknown-field": _acap("ACAP-permit-crawl: /"),
    "acap-before-crawler": _lines("ACAP-disallow-crawl: /private/", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
    "acap-no-crawler": _lines("ACAP-crawler:", "ACAP-allow-crawl: /"),
    "acap-crawler-name": _lines("ACAP-crawler: ExampleBot/1.0", "ACAP-allow-crawl: /"),
    "acap-several-crawlers": _lines("ACAP-crawler: SearchBot1, SearchBot2", "ACAP-allow-crawl: /"),
    "acap-any-beside-names": _lines("ACAP-crawler: *", "ACAP-crawler: SearchBot1", "ACAP-allow-crawl: /"),
    "acap-several-any-records": _acap("ACAP-allow-crawl: /", "ACAP-crawler: *", "ACAP-disallow-index: /drafts/"),
    "acap-misplaced-definition": _acap(
        "ACAP-allow-crawl: the-acap:resource-set:open", "ACAP-resource-set: open /news/ /sport/"
    ),
    "acap-bad-definition": _lines("ACAP-resource-set: open", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
    "acap-duplicate-definition": _lines(
        "ACAP-resource-set: open /news/",
        "ACAP-resource-set: open /sport/",
        "ACAP-crawler: *",
        "ACAP-allow-crawl: the-acap:resource-set:open",
    ),
    "acap-undefined-usage": _lines(
        "ACAP-qualified-usage: short-copy preserve time-limit=7-days", "ACAP-crawler: *", "ACAP-allow-(shortcopy): /"
    ),
    "acap-undefined-set": _lines(
        "ACAP-resource-set: images /*.gif$ /*.png$",
        "ACAP-crawler: *",
        "ACAP-disallow-index: the-acap:resource-set:image",
    ),
    "acap-void-constituent": _lines(
        "ACAP-composite-usage: archive index (short-copy)", "ACAP-crawler: *", "ACAP-allow-(archive): /"
    ),
    "acap-plural": _acap("ACAP-allow-present-links: /news/"),
    "acap-unknown-usage": _acap("ACAP-allow-presnt: /"),
    "acap-guessed-usage": _acap("ACAP-disallow-presnt: /"),
    "acap-empty-purpose": _acap("ACAP-usage-purpose:", "ACAP-allow-crawl: /"),
    "acap-empty-resource": _acap("ACAP-allow-index:"),
    "acap-foreign-resource": _acap("ACAP-allow-index: https://www.example.org/news/"),
    "acap-relative-pattern": _acap("ACAP-disallow-crawl: private/"),
    "acap-qualifier-on-prohibition": _acap("ACAP-disallow-preserve: /news/ time-limit=30-days"),
    "acap-unknown-qualifier": _acap("ACAP-allow-index: / max-age=7-days"),
    "acap-bad-value": _acap("ACAP-allow-index: / time-limit=until-2009-02-30"),
    "acap-misplaced-qualifier": _acap("ACAP-allow-crawl: / time-limit=7-days"),
    "acap-older-word": _acap("ACAP-allow-index: / used-resource=/news/summary.txt"),
    "acap-later-version": _lines(
        "##ACAP version=1.0", "ACAP-crawler: *", "ACAP-allow-index: / must-use-resource=the-acap:idlist:lead,body"
    ),
    "acap-stray-text": _acap("ACAP-allow-index: / except images"),
    "acap-prohibited-local-usage": _lines(
        "ACAP-qualified-usage: short-copy preserve time-limit=7-days",
        "ACAP-crawler: *",
        "ACAP-disallow-(short-copy): /",
    ),
    "acap-permission-beside-reference": _lines(
        "ACAP-crawler: partnerbot", "ACAP-permissions-reference: /partner/robots.txt", "ACAP-allow-crawl: /"
    ),
    "acap-request-in-sub-record": _acap(
        "ACAP-usage-purpose: news", "ACAP-allow-crawl: /", "ACAP-request-take-down: /news/mistake.html"
    ),
    "acap-request-wildcard": _acap("ACAP-request-re-crawl: /news/*"),
    "acap-too-much": Example(
        b"ACAP-crawler: *\n" + b"ACAP-allow-index: /a\n" * 10_001,
        shown="ACAP-crawler: *\nACAP-allow-index: /a\n… 10,000 times more",
    ),
    "acap-second-version": _lines("##ACAP version=1.1", "##ACAP version=1.0", "ACAP-crawler: *", "ACAP-allow-crawl: /"),
}
"""An example for every code."""

"""A field that no reader here knows."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import replace

from acap.crawler_list import known
from acap.dialects.spelling import one_slip
from acap.problems import Example, Problem
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.mending import UNSEEN, changed, token
from acap.publish.lint.rule import field_span, from_problem, of_problem
from acap.publish.lint.rules.html_instead_of_robots import commented
from acap.publish.lint.rules.no_field import drawn

ELSEWHERE = {
    "noarchive": "no search engine promises to read it; say it in the page, or as `X-Robots-Tag: noarchive`",
    "nofollow": "Google ignores it since September 2019; say it in the page, or as `X-Robots-Tag: nofollow`",
    "nosnippet": "no search engine promises to read it; say it in the page, or as `X-Robots-Tag: nosnippet`",
    "no-index": "Google ignores even `Noindex` since September 2019; say it in the page, or as `X-Robots-Tag: noindex`",
    "cache-delay": "some parsing libraries read it, but no large crawler; more crawlers read `Crawl-delay`",
    "disallowaitraining": "it comes from an expired draft; today write `Content-Usage: train-ai=n`",
    "allowaitraining": "it comes from an expired draft; today write `Content-Usage: train-ai=y`",
    "llms-txt": "no crawler is known to read it; agents look for llms.txt at its own URL",
    "llm-policy": "no crawler is known to read it; agents look for llms.txt at its own URL",
    "schemamap": "some agents look for it, but no search engine; it asks for nothing and forbids nothing",
}
"""Fields in real use that readers here pass over, as most crawlers do: worth a word, and no mistake of spelling."""

_NAME = re.compile(r"[A-Za-z][A-Za-z _-]*")
_ADDRESSED = re.compile(r"(?P<crawler>\*|[A-Za-z][\w.-]*)\s+(?P<rule>disallow|allow)", re.IGNORECASE)
"""A rule with its crawler on one line."""
_ASIDE = re.compile(r"\([^()]*\)|</?\w[^<>]*>")
"""A remark in parentheses, and what looks like a tag, to the end of the line."""
_NAMES = ("User-agent", "Disallow", "Allow", "Sitemap", "Crawl-delay", "Content-Signal", "Content-Usage")


def check(document: Document) -> Iterator[Finding]:
    """Findings; those of fields that are known elsewhere are softer."""
    problems = document.problems.get("unknown-field", ())
    rules = [(number, document.lines.kind(number)) for number in document.lines.numbers(*_RULES)] if problems else []
    comments = commented(document) if problems else set()
    for problem in problems:
        name = problem.words[0]
        finding = from_problem(document, problem, mend(document, problem, name, rules))
        known_elsewhere = ELSEWHERE.get(name.lower())
        if known_elsewhere:
            finding = replace(finding, severity="info", help=known_elsewhere)
        elif unseen := UNSEEN.search(name):
            plain = UNSEEN.sub("", name)
            message = (
                f"the field's name contains the invisible character U+{ord(unseen[0]):04X}, so no crawler knows it"
            )
            finding = replace(finding, message=message, help=f"write `{plain}`")
        elif finding.fix is not None:
            finding = replace(finding, help=finding.fix.title)
        elif (addressed := _ADDRESSED.fullmatch(name)) and (addressed["crawler"] == "*" or known(addressed["crawler"])):
            rule = addressed["rule"].capitalize()
            finding = replace(
                finding,
                message=f"`{addressed['crawler']}` before `{addressed['rule']}` makes the line unreadable",
                help=f"write `User-agent: {addressed['crawler']}` on a line of its own, and the `{rule}` below it",
            )
        elif name.startswith("/"):
            finding = replace(finding, help="write `Disallow:` or `Allow:` before the path")
        elif name.lower() in ("http", "https"):
            finding = replace(finding, help="a URL alone has no effect: put a field before it")
            if problem.text.rstrip().lower().endswith("/robots.txt"):
                finding = replace(finding, severity="info", help="put `#` before a comment")
        elif problem.line in comments or drawn(problem.text) or _ASIDE.fullmatch(problem.text.strip("\ufeff \t")):
            finding = replace(finding, severity="info")
        yield finding


def mend(document: Document, problem: Problem, name: str, rules: list[tuple[int, str]]) -> Fix | None:
    """A URL alone that is a sitemap's, and names that are one slip away from a known one."""
    if name.lower() in ("http", "https"):
        if "sitemap" not in problem.text.lower():
            return None
        return Fix(
            "put `Sitemap:` before the URL",
            changed(document, field_span(document, problem.line), r"\S+", r"Sitemap: \g<0>"),
        )
    if not _NAME.fullmatch(name):
        return None
    spelt = re.sub("[^a-z]", "", name.lower())
    if name.lower().endswith(" sitemap"):
        suggested = "Sitemap"
    else:
        suggested = next((one for one in _NAMES if one_slip(spelt, one.replace("-", "").lower())), "")
        if not suggested and len(spelt) >= len("agent") and "useragent".endswith(spelt):
            suggested = "User-agent"
    edits = token(document, problem, suggested) if suggested else ()
    # A Sitemap decides nothing, and one more Disallow prohibits more. The others permit, or gather rules anew.
    safe = suggested == "Sitemap" or (suggested == "Disallow" and not _divides(rules, problem.line))
    return Fix(f"write `{suggested}`", edits, safe=safe) if edits else None


_RULES = ("User-agent", "Allow", "Disallow")


def _divides(rules: list[tuple[int, str]], line: int) -> bool:
    """Whether a rule at a line would part User-agent lines that name one group."""
    at = bisect(rules, (line, ""))
    return [kind for _, kind in rules[max(at - 1, 0) : at + 1]] == ["User-agent", "User-agent"]


RULE = replace(
    of_problem(
        "unknown-field",
        summary="the name of a field is unknown",
        why=(
            "A crawler silently skips lines with an unknown name. If you meant Disallow, nothing is forbidden. A name "
            "may also be real, yet hardly any crawler reads it: Google stopped reading Noindex and Nofollow in "
            "robots.txt in 2019. Correct the spelling, use a field that crawlers read, or put `#` before a note for "
            "people."
        ),
        examples=(
            Example(
                bad="User-agent: *\nDisallow: /private/\nDeny: /drafts/\n",
                good="User-agent: *\nDisallow: /private/\nDisallow: /drafts/\n",
            ),
            Example(
                bad="User-agent: *\nDisallop: /private/\n",
                good="User-agent: *\nDisallow: /private/\n",
                fixed="User-agent: *\nDisallow: /private/\n",
            ),
            Example(
                bad="User-agent: *\nDisallow: /private/\n\nhttps://www.example.com/sitemap.xml\n",
                good="User-agent: *\nDisallow: /private/\n\nSitemap: https://www.example.com/sitemap.xml\n",
                fixed="User-agent: *\nDisallow: /private/\n\nSitemap: https://www.example.com/sitemap.xml\n",
            ),
        ),
        fix="safe",
    ),
    check=check,
)

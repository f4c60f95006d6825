"""Lines of vocabularies that not all crawlers read, and who does."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

READERS = {
    "Crawl-delay": "Bing, Anthropic and some others",
    "Request-rate": "Seznam and few others",
    "Visit-time": "hardly any crawler",
    "Clean-param": "Yandex",
    "Robot-version": "hardly any crawler",
    "Comment": "hardly any crawler",
    "Content-Signal": "crawlers bound by its terms; not Google",
    "Content-Usage": "no crawler yet: it is a draft of the IETF",
    "License": "readers of RSL",
}
"""Who reads a field, as far as it was known in November 2026."""


def check(document: Document) -> Iterator[Finding]:
    """A finding for each such field, at the first line that has it."""
    for kind, readers in READERS.items():
        number = next(document.lines.numbers(kind), None)
        if number is not None:
            yield RULE.at_line(document, number, f"{kind} is read by {readers}")


RULE = Rule(
    code="only-some-crawlers-understand",
    summary="a field that not all crawlers read",
    severity="info",
    why=(
        "Every crawler reads User-agent, Allow and Disallow. Other fields are agreements between some crawlers and "
        "some sites. They do no harm, because a crawler that does not know a field skips it. Do not rely on one for a "
        "rule that every crawler should follow."
    ),
    clause="RFC 9309 2.2.4",
    examples=(
        Example(
            bad="User-agent: *\nCrawl-delay: 5\nDisallow: /private/\n",
            good="User-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
    default=False,
)

"""A Crawl-delay for crawlers that pay no attention to it."""

from __future__ import annotations

from collections.abc import Iterator

from acap.outline import Group
from acap.problems import Example
from acap.publish.lint.crawler_names import listing, product
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule

_DEAF = (
    "googlebot",
    "adsbot-google",
    "mediapartners-google",
    "storebot-google",
    "googleother",
    "google-",
    "applebot",
    "yandex",
)


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Crawl-delay line of a group that names such crawlers alone, and lets them fetch something."""
    if not document.kinds["Crawl-delay"]:
        return
    for group in document.groups:
        if all(product(agent.value).startswith(_DEAF) for agent in group.agents) and not shut_out(group):
            for field in group.body:
                if field.kind == "Crawl-delay":
                    names = listing([agent.value for agent in group.agents])
                    yield RULE.at_line(
                        document, field.line, f"Crawl-delay has no effect on {names}",
                        help="set its speed in its operator's tools for site owners, if there is a setting",
                    )  # fmt: skip


def shut_out(group: Group) -> bool:
    """Whether a group may fetch nothing at all, so that no delay matters."""
    shut = any(rule.kind == "Disallow" and rule.value in ("/", "/*", "*") for rule in group.rules)
    return shut and not any(rule.kind == "Allow" and rule.value for rule in group.rules)


RULE = Rule(
    code="crawl-delay-ignored",
    summary="a Crawl-delay for a crawler that ignores it",
    severity="info",
    why=(
        "Crawl-delay is in no standard. Bing and several others follow it; Google and Apple never did, and Yandex "
        "stopped in 2018. Their crawlers slow down by themselves when a server answers slowly or with 503 or 429."
    ),
    clause="Google, robots.txt specification",
    examples=(
        Example(
            bad="User-agent: Googlebot\nCrawl-delay: 10\nDisallow: /private/\n",
            good="User-agent: Bingbot\nCrawl-delay: 10\nDisallow: /private/\n",
        ),
    ),
    check=check,
)

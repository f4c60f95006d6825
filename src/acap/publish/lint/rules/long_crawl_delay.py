"""A Crawl-delay that lets a crawler see next to nothing of a site."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule
from acap.publish.lint.rules.crawl_delay_ignored import shut_out

LONG = 60.0
DAY = 24 * 60 * 60


def check(document: Document) -> Iterator[Finding]:
    """A finding for each Crawl-delay line of a minute or more, unless the group may fetch nothing."""
    if not document.kinds["Crawl-delay"]:
        return
    moot: set[int] | None = None
    for extension in document.extensions:
        if extension.field != "Crawl-delay":
            continue
        try:
            delay = float(extension.value)
        except ValueError:
            continue
        if LONG <= delay < float("inf"):
            if moot is None:
                moot = {field.line for group in document.groups if shut_out(group) for field in group.body}
            if extension.line in moot:
                continue
            yield RULE.at_line(
                document,
                extension.line,
                f"one request in {delay:g} s is at most {DAY / delay:,.0f} a day",
                help="if that is too few for your site, ask for a shorter delay",
            )


RULE = Rule(
    code="long-crawl-delay",
    summary="a Crawl-delay of a minute or more",
    severity="info",
    why=(
        "A crawler that keeps to a delay of ten minutes fetches 144 pages a day. On a larger site it sees each page "
        "only now and then. Bing, for one, takes longer delays than 30 s for a mistake."
    ),
    clause="Bing, Crawl-delay",
    examples=(
        Example(
            bad="User-agent: *\nCrawl-delay: 600\nDisallow: /private/\n",
            good="User-agent: *\nCrawl-delay: 10\nDisallow: /private/\n",
        ),
    ),
    check=check,
)

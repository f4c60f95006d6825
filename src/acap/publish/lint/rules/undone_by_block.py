"""Lines that a block before them undoes, as the managed one of a CDN does."""

from __future__ import annotations

from collections.abc import Iterator

from acap.problems import Example
from acap.publish.compare import SECONDS, STEPS
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule
from acap.publish.prepended import managed, prepended


def check(document: Document) -> Iterator[Finding]:
    """A finding for each line that no longer decides what it decides by itself."""
    block, origin = document.prepended, document.octets
    if block is None:
        divided = managed(document.octets)
        if divided is None:
            return
        block, origin = divided
    effective = prepended(block, origin, steps=STEPS, seconds=SECONDS)
    for undone in effective.undone:
        change = undone.change
        who = "any other crawler" if "*" in change.crawlers else change.crawlers[0]
        by = f"`{undone.by.text}`" if undone.by.line else "what the block says to this crawler"
        yield RULE.at_line(
            document,
            undone.line + (effective.lines if document.prepended is None else 0),
            f"the block before it makes {change.usages[0]} {change.after.outcome} for {who}, by {by}",
            help="write it into a group of this crawler's own, or switch the block off where it is managed",
            witness=change.witness,
        )


RULE = Rule(
    code="undone-by-block",
    summary="a managed block before the site's own lines undoes one of them",
    severity="warning",
    why=(
        "A CDN may put a block of its own before the robots.txt of the site. Crawlers read both as one file: groups of "
        "one name are one group, in which the longest path wins and Allow wins a tie. A crawler that has a group in "
        "the block no longer hears the site's group for any crawler. So lines can lose their effect that nobody "
        "touched. Lint sees the block in a file as it is served, by its comments, or with --prepended."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad=(
                "# BEGIN Cloudflare Managed content\nUser-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"
                "# END Cloudflare Managed Content\n\nUser-agent: *\nDisallow: /\n"
            ),
            good=(
                "# BEGIN Cloudflare Managed content\nUser-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"
                "# END Cloudflare Managed Content\n\nUser-agent: *\nDisallow: /private/\n"
            ),
        ),
    ),
    check=check,
)

"""A managed block whose prohibitions the site's own lines lift."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acap.problems import Example
from acap.publish.compare import SECONDS, STEPS, Change, compare
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.rule import Rule
from acap.publish.prepended import lifted, managed
from acap.robots import RobotsPolicy, parse_robots


def check(document: Document) -> Iterator[Finding]:
    """A finding for each line that permits what a line of the block prohibits."""
    block, origin = document.prepended, document.octets
    if block is None:
        divided = managed(document.octets)
        if divided is None:
            return
        block, origin = divided
    undone, lines = lifted(block, origin, steps=STEPS, seconds=SECONDS)
    in_file = lines if document.prepended is None else 0
    whole = parse_robots(block + (b"" if block.endswith((b"\n", b"\r")) else b"\n") + origin) if undone else None
    for lift in undone:
        who = "any other crawler" if "*" in lift.change.crawlers else lift.change.crawlers[0]
        because = "" if lift.change.after.line else ", which follows its own group and hears no other"
        repeat = f"repeat `{lift.text}` in the group of this crawler, if the block should stand"
        plain = RULE.at_line(
            document,
            lift.line + in_file,
            f"this lifts `{lift.text}` of the managed block for {who}{because}: {lift.change.usages[0]} is "
            f"{lift.change.after.outcome}",
            help=f"remove it, or {repeat}" if lift.change.after.line else repeat,
            witness=lift.change.witness,
        )
        yield replace(plain, severity="info") if whole and _refused(whole, lift.change) else plain


def _refused(policy: RobotsPolicy, change: Change) -> bool:
    """Whether the crawler may fetch nothing: its group is stricter than the block, of which it lifts a use."""
    nothing = parse_robots(b"User-agent: *\nDisallow: /\n")
    return compare(nothing, policy, crawlers=change.crawlers, usage="crawl", steps=STEPS).verdict == "equal"


RULE = Rule(
    code="lifted-block",
    summary="a line of the site lifts a prohibition of the managed block before it",
    severity="warning",
    why=(
        "Whoever switches on a managed block of a CDN, against AI crawlers for example, expects it to hold. Crawlers "
        "read it with the site's own lines as one file: where both have a group for a crawler the groups are one, and "
        "`Allow: /` wins against a `Disallow: /` of the same length. A crawler that only the site names hears nothing "
        "of what the block says to any crawler. Every such case is proved, with a path that shows it."
    ),
    clause="RFC 9309 2.2.1, 2.2.2",
    examples=(
        Example(
            bad=(
                "# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n"
                "# END Cloudflare Managed Content\n\nUser-agent: GPTBot\nAllow: /\n"
            ),
            good=(
                "# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /\n"
                "# END Cloudflare Managed Content\n\nUser-agent: *\nAllow: /\n"
            ),
        ),
    ),
    check=check,
)

"""Crawlers that are named in one group with `*`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from acap.crawler_list import known
from acap.problems import Example
from acap.publish.lint.crawler_names import hears_any, listing, product
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule


def check(document: Document) -> Iterator[Finding]:
    """A finding for each group with `*` that names crawlers for whom that changes nothing."""
    groups = Counter(name for group in document.groups for name in {product(agent.value) for agent in group.agents})
    for group in document.groups:
        any_ = next((agent for agent in group.agents if product(agent.value) == "*"), None)
        if any_ is None or len(group.agents) < 2 or not group.rules:
            continue
        # With a second group the names join both, and who would follow another crawler's group follows this one.
        needless = [
            agent
            for agent in group.agents
            if (name := product(agent.value)) != "*"
            and groups[name] == 1
            and hears_any(name)
            and not _follows(name, groups)
        ]
        if needless:
            names, one = listing([agent.value for agent in needless]), len(needless) == 1
            yield RULE.at_line(
                document,
                needless[0].line,
                f"naming {names} changes nothing: {'it shares' if one else 'they share'} the group of `*`",
                help=f"remove the name{'' if one else 's'}, or write a group without `*` for {'it' if one else 'them'}",
                related=(Related(any_.line, "this line addresses them already"),),
            )


def _follows(name: str, groups: Counter[str]) -> bool:
    """Whether the crawler would follow a group of another name, were it not named here."""
    crawler = known(name)
    return crawler is not None and any(product(one) in groups for one in crawler.fallback)


RULE = Rule(
    code="named-beside-any",
    summary="crawlers are named in the group of `*`, which addresses them anyway",
    severity="info",
    why=(
        "The group of `*` holds for every crawler that no group names. A crawler that is named in that very group is "
        "told what all are told. Lists of AI crawlers often end up there: whoever meant to refuse these alone refuses "
        "everybody, and whoever meant to refuse them more than others does not."
    ),
    clause="RFC 9309 2.2.1",
    examples=(
        Example(
            bad="User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: *\nDisallow: /private/\n",
            good="User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n",
        ),
    ),
    check=check,
)

"""Control tokens: names of robots.txt by which operators ask what they may do with what their crawlers fetch.

What the file refuses a token to crawl, it refuses the operator's crawlers to do. A token without a group of its own
obeys that for everybody, unless its operator says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .crawler import Crawler, names_of
from .policy import Policy
from .signals import Heeded
from .usages import covers


@dataclass(frozen=True)
class ControlToken:
    """A token, the usages it controls, and the crawlers whose content it is about."""

    name: str
    usages: tuple[str, ...]
    crawlers: tuple[str, ...]
    obeys_everybodys: bool = True


TOKENS = (
    ControlToken("applebot-extended", ("ai-train",), ("applebot",)),
    ControlToken(
        "google-extended",
        ("ai-train", "ai-input"),
        (
            *("googlebot", "googlebot-image", "googlebot-mobile", "googlebot-news", "googlebot-video"),
            *("googleother", "googleother-image", "googleother-video", "storebot-google"),
        ),
    ),
    ControlToken("yandexadditional", ("ai-input",), ("yandexbot",), obeys_everybodys=False),
    ControlToken("yandexadditionalbot", ("ai-input",), ("yandexbot",), obeys_everybodys=False),
)


def controlled(policy: Policy, crawler: Crawler, usage: str, path: str, url: str) -> Iterator[Heeded]:
    """What the tokens of the crawler's operator refuse; the first of its names tells who runs it."""
    if policy.dialect != "auto" or path.partition("?")[0] in policy.always_fetched():
        return
    for token in TOKENS:
        has_group = any(group.names(token.name) or group.is_cut for group in policy.groups)
        of_operator = names_of(crawler)[:1] in [[name] for name in token.crawlers]
        speaks = of_operator and any(covers(held, usage) for held in token.usages)
        if not speaks or not (has_group or token.obeys_everybodys):
            continue
        refusals = policy.rep(Crawler([token.name]), path, url).refusals
        if refusals:
            lines = [refusal.line for refusal in refusals[:1] if refusal.line is not None]
            yield Heeded("prohibited", frozenset(lines), "control-token")

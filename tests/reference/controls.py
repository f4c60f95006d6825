"""Control tokens: names of robots.txt by which operators ask what they may do with what their crawlers fetch.

What the rules refuse a token to crawl, they refuse the operator's crawlers to do. What a crawler of the token's name is
told beside the rules, by signals, licences and the ACAP records that name it, they are told where it refuses, asks or
restricts. A token without a group of its own obeys that for everybody, unless its operator says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .acap_file import AcapFile
from .conventional import Field
from .crawler import Crawler, names_of, others_of
from .policy import Policy
from .signals import FIELDS, LICENCE, Heeded, Section, Signals
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
    """What the rules for the tokens of the crawler's operator refuse."""
    for token in speaking(policy, crawler, usage, path):
        refusals = policy.rep(Crawler([token.name]), path, url).refusals if hears_groups(policy, token) else ()
        if refusals:
            lines = [refusal.line for refusal in refusals[:1] if refusal.line is not None]
            yield Heeded("prohibited", frozenset(lines), "control-token")


def speaking(policy: Policy, crawler: Crawler, usage: str, path: str) -> Iterator[ControlToken]:
    """The tokens that control the use. The first of the crawler's names tells who runs it, and so may each further name
    of its User-Agent string: then a token speaks that the policy names."""
    if policy.dialect != "auto" or path.partition("?")[0] in policy.always_fetched:
        return
    first, others = names_of(crawler)[:1], others_of(crawler)
    for token in TOKENS:
        of_operator = first in [[name] for name in token.crawlers]
        of_other = not set(token.crawlers).isdisjoint(others) and policy.names_crawler(token.name)
        if (of_operator or of_other) and any(covers(held, usage) for held in token.usages):
            yield token


def hears_groups(policy: Policy, token: ControlToken) -> bool:
    """Whether a token has a group of its own, which may be one with a name that was cut, or obeys that for `*`."""
    return token.obeys_everybodys or any(group.names(token.name) or group.is_cut for group in policy.groups)


def beside_rules(policy: Policy, token: ControlToken, crawler: Crawler) -> Policy:
    """What a token is told beside the rules: by ACAP if a record names it, by signals, further licences."""
    acap, signals = AcapFile(), Signals()
    if any(token.name in record.names for record in policy.acap.records):
        records = tuple(one for one in policy.acap.records if token.name in one.names or one.is_cut)
        statements = tuple(one for one in policy.acap.statements if token.name in one.names or one.every_crawler)
        acap = replace(policy.acap, records=records, statements=statements)
    if hears_groups(policy, token):
        heard = set(policy.signals.licences([token.name])) - set(policy.signals.licences(names_of(crawler)))
        sections = tuple(
            Section(one.agents, [found for found in one.fields if is_kept(found, heard)])
            for one in policy.signals.sections
        )
        signals = replace(policy.signals, sections=sections)
    return replace(policy, groups=(), acap=acap, signals=signals, for_use=False)


def is_kept(found: tuple[Field, bool], licences: set[int]) -> bool:
    """Whether a line is none of a licence, or one of these."""
    return FIELDS[found[0].kind] != LICENCE or found[0].line.number in licences

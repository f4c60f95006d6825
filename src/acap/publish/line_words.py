"""What one line of a robots.txt says to whom, as sentences: for editors, wherever the text is open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from acap.explain import visible
from acap.publish.change_words import usages_text
from acap.publish.compose.draft import Rule
from acap.publish.compose.sentences import audience, sentence
from acap.publish.crawlers import ANY, askers
from acap.publish.lint.document import Document
from acap.publish.overview import overview
from acap.robots import DIALECTS

_ANY_OTHER = "Any other crawler"
"""Of a group for `*` beside groups with names, which it does not address."""

SECONDS = 0.3
"""Time for the proofs of what a crawler may use."""


class LineSentence(NamedTuple):
    """Whom a line speaks of, and what it says: `Any crawler`, `must not crawl /private/`."""

    who: str
    what: str


def line_sentences(document: Document, line: int, seconds: float = SECONDS) -> Iterator[LineSentence]:
    """What each statement of a line, from 1, is to whom; of one that names crawlers what they may use at all."""
    if document.kind != "robots":
        return
    policy = document.policy
    field = document.outline.by_line.get(line)
    if field is not None and field.name in ("User-agent", "crawler") and not policy.truncated:
        # A line may name what no crawler is called; the part of it counts that is a name.
        named = field.texts("crawler") or (field.value,)
        for row in overview(policy, crawlers=askers(named), seconds=seconds):
            for part in row.parts:
                yield _sentence(row.text, f"may use {part.text}: {usages_text(part.usages)}")
    has_other_groups = any(one.cited.dialect in DIALECTS and ANY not in one.crawlers for one in policy.statements)
    for one in (*policy.statements, *policy.signals):
        if one.cited.line != line or not (one.cited.source or "").endswith("robots.txt"):
            continue
        who = audience(one.crawlers, one.purposes)
        if has_other_groups and one.cited.dialect in DIALECTS and ANY in one.crawlers:
            who = _ANY_OTHER
        if not one.pattern:
            yield _sentence(who, "may crawl everything: the rule is empty")
        elif one.cited.effect == "conditional":
            yield _sentence(who, f"may use {one.pattern} as the terms of the licence say")
        else:
            permits = one.cited.effect == "permits"
            restrictions = tuple(one.restrictions) if permits else ()
            yield _sentence(who, sentence(Rule(permits, one.cited.usage, (one.pattern,), restrictions)))


def _sentence(who: str, what: str) -> LineSentence:
    return LineSentence(visible(who), visible(what))

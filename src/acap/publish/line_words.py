"""What one line of a robots.txt says to whom, as sentences: for editors, wherever the text is open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from acap.explain import visible
from acap.publish.change_words import usages_text
from acap.publish.compose.draft import Rule
from acap.publish.compose.sentences import addressed, as_path, audience
from acap.publish.crawlers import ANY, askers
from acap.publish.lint.document import Document
from acap.publish.overview import overview
from acap.publish.unbound import unbound, unreader
from acap.robots import DIALECTS

_ANY_OTHER = "Any other crawler"
"""Of a group for `*` beside groups with names, which it does not address."""

_UNBOUND = "does not read ACAP, which alone says a part of this, so that part does not bind it"

SECONDS = 0.3
"""Time for the proofs of what a crawler may use."""


class LineSentence(NamedTuple):
    """Whom a line speaks of, and what it says: `Any crawler`, `must not crawl /private/`."""

    who: str
    what: str


def line_sentences(document: Document, line: int, seconds: float = SECONDS, asked: str = "") -> Iterator[LineSentence]:
    """What each statement of a line, from 1, is to whom; of one that names crawlers what they may use at all.

    Last it says which large crawlers do not read the line, of those that it names and the one that is `asked` about.
    """
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
        for name in unbound(policy, named):
            yield _sentence(name, _UNBOUND)
    has_other_groups = any(one.cited.dialect in DIALECTS and ANY not in one.crawlers for one in policy.statements)
    deaf: dict[str, None] = {}
    for statement in (*policy.statements, *policy.signals):
        if statement.cited.line != line or not (statement.cited.source or "").endswith("robots.txt"):
            continue
        who = audience(statement.crawlers, statement.purposes)
        if statement.cited.dialect == "acap":
            deaf |= dict.fromkeys(map(unreader, (*statement.crawlers, *([asked] if ANY in statement.crawlers else ()))))
        if has_other_groups and statement.cited.dialect in DIALECTS and ANY in statement.crawlers:
            who = _ANY_OTHER
        if not statement.pattern:
            yield _sentence(who, "may crawl everything: the rule is empty")
        elif statement.cited.effect == "conditional":
            yield _sentence(who, f"may use {statement.pattern} as the terms of the licence say")
        else:
            permits = statement.cited.effect == "permits"
            restrictions = tuple(statement.restrictions) if permits else ()
            yield _sentence(
                *addressed(who, Rule(permits, statement.cited.usage, (as_path(statement.pattern),), restrictions))
            )
    for name in filter(None, deaf):
        yield _sentence(name, "does not read ACAP, so this line does not bind it")


def _sentence(who: str, what: str) -> LineSentence:
    return LineSentence(visible(who), visible(what))

"""Voices: what one dialect says in one document, held against what others say of the same use.

    for found in contradictions("/a", own, [*own, *others]):
        print(found.permits.text, found.refuses.text)

No dialect lifts what another refuses, so a permission that contradicts a refusal does nothing. Silence contradicts
nothing, and neither does a rule of crawling: what may be fetched need not be free to be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from acap.combine import decide_each
from acap.decision import Cited
from acap.outline import USES
from acap.problems import Problem
from acap.robots import RobotsPolicy, parse_robots
from acap.statement import Source, Statement

USAGES = ("tdm", "ai-train", "ai-train-generative", "ai-input", "ai-index", "index")
"""What dialects have words for in common."""
ASKER = "a-crawler-that-no-file-names"
_REPLACING = ("tdmrep", "rsl")
"""Dialects in which a page replaces what its site says (TDMRep 6.7, RSL 1.0 4)."""


class DialectPart(NamedTuple):
    """One dialect in one document: a robots.txt with its lines alone, or a source with its statements alone."""

    document: str
    says: RobotsPolicy | Source

    def on(self, url: str) -> dict[str, Cited | None]:
        """The statement that decides each usage; None where it is silent."""
        robots, others = (self.says, ()) if isinstance(self.says, RobotsPolicy) else (None, (self.says,))
        decisions = decide_each(url, crawler=ASKER, usages=USAGES, robots=robots, others=others)
        return {
            usage: one.reason.decided_by[0] if one.reason.kind == "statement" and one.reason.decided_by else None
            for usage, one in decisions.items()
        }


class Contradiction(NamedTuple):
    """A use that a statement permits and one of another voice does not; where each stands."""

    usage: str
    permits: Cited
    refuses: Cited
    document: str


@dataclass(frozen=True, slots=True)
class OneDialect:
    """What a source says in one of its dialects."""

    source: Source
    dialect: str
    problems: Sequence[Problem] = ()

    def statements(self, url: str) -> Iterable[Statement]:
        """Those of its statements."""
        return [statement for statement in self.source.statements(url) if statement.dialect == self.dialect]


def lines_of(robots: RobotsPolicy, *kinds: str) -> RobotsPolicy:
    """A policy with the lines of some fields alone; each stays where it stands."""
    kept = ("User-agent", "##ACAP", *kinds)
    lines = ((line.octets.rstrip() if line.kind in kept else b"") + b"\n" for line in robots.lines)
    return parse_robots(b"".join(lines))


def by_dialect(document: str, source: RobotsPolicy | Source, url: str) -> Iterator[DialectPart]:
    """Every voice of a document that speaks of a resource or, in robots.txt, of any."""
    if isinstance(source, RobotsPolicy):
        for field in USES:
            if source.lines.kinds[field]:
                yield DialectPart(document, lines_of(source, field))
    else:
        for dialect in dict.fromkeys(statement.dialect for statement in source.statements(url)):
            yield DialectPart(document, OneDialect(source, dialect))


def contradictions(url: str, own: Sequence[DialectPart], others: Sequence[DialectPart]) -> Iterator[Contradiction]:
    """What a voice permits of a resource and another does not: of each two statements the broadest usage."""
    answers = [voice.on(url) for voice in others]
    for voice in own:
        mine = voice.on(url)
        for refusing, theirs in zip(others, answers, strict=True):
            pairs: set[tuple[Cited, Cited]] = set()
            for usage, permits in mine.items():
                refuses = theirs[usage]
                if permits is None or refuses is None or permits.effect != "permits" or refuses.effect == "permits":
                    continue
                if permits.dialect == refuses.dialect and permits.dialect in _REPLACING:
                    continue
                if refusing is not voice and (permits, refuses) not in pairs:
                    pairs.add((permits, refuses))
                    yield Contradiction(usage, permits, refuses, refusing.document)

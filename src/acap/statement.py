"""Statements, and what makes them: the one form in which every reader says what it found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeGuard, runtime_checkable

from acap._native import Statement, satisfied
from acap.conditions import Condition
from acap.crawlers import Crawler, as_crawler
from acap.licensee import Licensee
from acap.problems import Problem


@runtime_checkable
class Source(Protocol):
    """Something that makes statements about resources: a page, a header, a licence, a file of another dialect."""

    @property
    def dialect(self) -> str:
        """The name of its dialect."""

    @property
    def problems(self) -> Sequence[Problem]:
        """What its reader found wrong."""

    def statements(self, url: str) -> Iterable[Statement]:
        """The statements that apply to a resource."""


class SourceForAsker(Source, Protocol):
    """A source whose statements depend on who asks: its groups are for crawlers, its terms for licensees."""

    def statements_for(self, url: str, crawler: Crawler) -> Iterable[Statement]:
        """The statements that apply to a resource for who asks; `statements` has those for anybody."""


class ReadsTerms(Source, Protocol):
    """A source that has read documents with terms, which count for every carrier of its dialect that names them."""

    def terms_of(self, policy: str, licensee: Licensee | None) -> Sequence[tuple[str, Condition | None]] | None:
        """What the document of a URL comes to for who asks: outcomes with conditions; None if it was not given."""


# `isinstance` looks for every member of a protocol, and so takes a hundred times as long.
def is_for_asker(source: Source) -> TypeGuard[SourceForAsker]:
    """Whether the statements of a source depend on who asks."""
    return hasattr(source, "statements_for")


def reads_terms(source: Source) -> TypeGuard[ReadsTerms]:
    """Whether a source has read documents with terms."""
    return hasattr(source, "terms_of")


def statements_of(sources: Iterable[Source], url: str, asker: str | Iterable[str] | Crawler) -> list[Statement]:
    """What sources say of a resource to who asks. What a licence that the asker holds made conditional is permitted.

    Raises:
        ValueError, TypeError: as `Crawler`.
    """
    sources = tuple(sources)
    if not sources:
        return []
    crawler = as_crawler(asker)
    return settled(unsettled_statements(sources, url, crawler), crawler, sources)


def settled(
    statements: Sequence[Statement], asker: str | Iterable[str] | Crawler, sources: Iterable[Source] = ()
) -> list[Statement]:
    """Statements of all carriers, in their order, as they stand beside each other.

    A later carrier that reserves rights and names no terms takes those of the carrier before it that reserves them
    (TDMRep 6.7: what a carrier does not say it does not reset). Terms that one of the sources has read count as it read
    them. What a licence that the asker holds made conditional is permitted, and what can be had for a payment alone for
    which it is not ready is prohibited.
    """
    kept = list(statements)
    for at in sorted(range(len(kept)), key=lambda at: kept[at].rank):
        if kept[at].rank and kept[at].outcome == "prohibited":
            kept[at] = _with_terms(kept[at], kept)
    licensee = asker.licensee if isinstance(asker, Crawler) else None
    for source in sources:
        if reads_terms(source):
            kept = [each for statement in kept for each in _as_read(statement, source, licensee)]
    return kept if licensee is None else [_for(statement, licensee) for statement in kept]


def _with_terms(statement: Statement, beside: Iterable[Statement]) -> Statement:
    """A reservation with the terms of an earlier carrier; as it is, if its own terms are there and cannot be read."""
    earlier = [
        one
        for one in beside
        if one.dialect == statement.dialect and one.rank < statement.rank and one.outcome != "permitted"
    ]
    last = max((one.rank for one in earlier), default=0)
    terms = [one for one in earlier if one.rank == last]
    if statement.firm or len(terms) != 1 or terms[0].condition is None:
        return statement
    return on_terms(statement, "conditional", terms[0].condition)


def _as_read(statement: Statement, source: ReadsTerms, licensee: Licensee | None) -> Iterable[Statement]:
    """What a conditional statement comes to by the terms that it names, if a source of its dialect has read them."""
    condition = statement.condition if statement.outcome == "conditional" else None
    policy = None if condition is None or statement.dialect != source.dialect else condition.policy
    read = None if policy is None else source.terms_of(policy, licensee)
    return (statement,) if read is None else tuple(on_terms(statement, *one) for one in read)


def on_terms(statement: Statement, outcome: str, condition: Condition | None) -> Statement:
    """A reservation, as it stands, with the outcome of terms."""
    return Statement(
        dialect=statement.dialect,
        usage=statement.usage,
        outcome=outcome,
        source=statement.source,
        line=statement.line,
        column=statement.column,
        element=statement.element,
        header=statement.header,
        text=statement.text,
        place=statement.place,
        condition=condition,
        lifts=statement.lifts,
        rank=statement.rank,
    )


def unsettled_statements(sources: Iterable[Source], url: str, crawler: Crawler) -> list[Statement]:
    """What sources say of a resource to who asks."""
    statements: list[Statement] = []
    for source in sources:
        if is_for_asker(source):
            statements += source.statements_for(url, crawler)
        else:
            statements += source.statements(url)
    return statements


def _for(statement: Statement, licensee: Licensee) -> Statement:
    """A conditional statement as it stands for who asks."""
    condition = statement.condition if statement.outcome == "conditional" else None
    if condition is None:
        return statement
    if not licensee.licences.isdisjoint(condition.documents):
        return satisfied(statement)
    is_offered = condition.asks != "payment" or licensee.pays(condition.payment)
    return statement if is_offered else on_terms(statement, "prohibited", None)


def are_licensed(sources: Iterable[Source], robots: object) -> bool:
    """Whether a source has read the documents that License lines of this robots.txt name, and speaks in their place.

    Of a source that has a robots.txt of its own, it has to be the same.
    """
    return any(
        getattr(source, "reads_licence_lines", False) and getattr(source, "robots", robots) == robots
        for source in sources
    )


__all__ = [
    "ReadsTerms",
    "Source",
    "SourceForAsker",
    "Statement",
    "are_licensed",
    "on_terms",
    "settled",
    "statements_of",
    "unsettled_statements",
]

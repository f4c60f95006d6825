"""What a page is meant to say, looked for among what it says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from acap.conditions import Condition
from acap.statement import Statement
from acap.usages import PARENTS, above


class PageAnswer(NamedTuple):
    """What one page was found to say: `missing` is what it should say and does not; `known` is whether it was had.

    `url` is none where the pattern has no sample. `lines` are those that would say what is missing: of those that stand
    together one is enough.
    """

    url: str | None
    pattern: str
    known: bool
    missing: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...] = ()


class MeantStatement(NamedTuple):
    """What a statement says; dialect and condition are empty where it does not matter who says it."""

    crawler: str | None
    usage: str
    outcome: str
    restrictions: tuple[tuple[str, str], ...]
    dialect: str = ""
    condition: Condition | None = None

    def __str__(self) -> str:
        limits = "".join(f" {name}={value}" for name, value in self.restrictions)
        named = self.condition.documents if self.condition else ()
        terms = f" on the terms of {' or '.join(named)}" if named else ""
        within = f" in {self.dialect}" if self.dialect else ""
        return f"{self.outcome} {self.usage}{limits}{terms}{within}{f' for {self.crawler}' if self.crawler else ''}"


def unsaid(wanted: Iterable[Statement], page: Iterable[Statement], *, in_dialect: bool = False) -> tuple[str, ...]:
    """What a page does not say of what it should, in words; with `in_dialect` each has to say it in its own dialect.

    META elements for robots and their header have the same words, so that either says them.
    """
    stated = {_said(statement, in_dialect=in_dialect) for statement in page}
    asked = dict.fromkeys(_said(statement, in_dialect=in_dialect) for statement in wanted)
    return tuple(str(one) for one in asked if not _is_stated(one, stated))


def _said(statement: Statement, *, in_dialect: bool) -> MeantStatement:
    crawler = statement.crawler.lower() if statement.crawler else None
    dialect = "robots-meta" if statement.dialect == "x-robots-tag" else statement.dialect
    beside = (dialect, statement.condition) if in_dialect else ()
    return MeantStatement(crawler, statement.usage, statement.outcome, tuple(sorted(statement.restrictions)), *beside)


def _is_stated(one: MeantStatement, stated: set[MeantStatement]) -> bool:
    """Whether a page says it, to the crawler itself or to any; a prohibition is also one of a usage above.

    Within a dialect, a page that prohibits says more than one that permits with restrictions.
    """
    if one.dialect and one.outcome == "permitted" and one.restrictions:
        stricter = one._replace(outcome="prohibited", restrictions=())
        return any(one._replace(crawler=who) in stated for who in {one.crawler, None}) or _is_stated(stricter, stated)
    usages = (one.usage, *(above(one.usage) if one.outcome == "prohibited" and one.usage in PARENTS else ()))
    return any(one._replace(crawler=who, usage=name) in stated for who in {one.crawler, None} for name in usages)

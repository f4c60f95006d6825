"""What a page is meant to say, looked for among what it says; and what all of it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from acap.combine import decide_each
from acap.conditions import Condition
from acap.crawlers import as_crawler
from acap.decision import STRICTNESS, Decision
from acap.pages.page import PagePolicy
from acap.problems import Problem
from acap.publish.contradictions import ASKER, lines_of
from acap.publish.crawlers import ANY, everyone, once
from acap.publish.patterns import check_time, in_time
from acap.robots import NO_ROBOTS, RobotsPolicy
from acap.statement import Source, Statement, unsettled_statements
from acap.usages import PARENTS, above


class PageAnswer(NamedTuple):
    """What one page was found to say: `missing` is what it should say and does not; `known` is whether it was had.

    `url` is none where the pattern has no sample. `lines` are those that would say what is missing: of those that stand
    together one is enough. `undecided` is why it may come to less all the same, and empty if it does not.
    """

    url: str | None
    pattern: str
    known: bool
    missing: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...] = ()
    undecided: str = ""


class ComparedStatement(NamedTuple):
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


def missing_statements(
    wanted: Iterable[Statement], page: Iterable[Statement], *, in_dialect: bool = False
) -> tuple[str, ...]:
    """What a page does not say of what it should, in words; with `in_dialect` each has to say it in its own dialect.

    META elements for robots and their header have the same words, so that either says them.
    """
    stated = {_compared_statement(statement, in_dialect=in_dialect) for statement in page}
    asked = dict.fromkeys(_compared_statement(statement, in_dialect=in_dialect) for statement in wanted)
    return tuple(str(one) for one in asked if not _is_stated(one, stated))


def _compared_statement(statement: Statement, *, in_dialect: bool) -> ComparedStatement:
    crawler = statement.crawler.lower() if statement.crawler else None
    dialect = "robots-meta" if statement.dialect == "x-robots-tag" else statement.dialect
    beside = (dialect, statement.condition) if in_dialect else ()
    return ComparedStatement(
        crawler, statement.usage, statement.outcome, tuple(sorted(statement.restrictions)), *beside
    )


def _is_stated(one: ComparedStatement, stated: set[ComparedStatement]) -> bool:
    """Whether a page says it, to the crawler itself or to any; a prohibition is also one of a usage above.

    Within a dialect, a page that prohibits says more than one that permits with restrictions.
    """
    if one.dialect and one.outcome == "permitted" and one.restrictions:
        stricter = one._replace(outcome="prohibited", restrictions=())
        return any(one._replace(crawler=who) in stated for who in {one.crawler, None}) or _is_stated(stricter, stated)
    usages = (one.usage, *(above(one.usage) if one.outcome == "prohibited" and one.usage in PARENTS else ()))
    return any(one._replace(crawler=who, usage=name) in stated for who in {one.crawler, None} for name in usages)


# --- what it comes to -------------------------------------------------------------------------------------------------

SECONDS = 20.0
"""Time to ask for each crawler what is meant and what is live; beyond it that is not known."""
_FIELDS = {"content-signal": "Content-Signal", "content-usage": "Content-Usage", "acap": "ACAP"}


class PageSources(NamedTuple):
    """What a site says at one page: the page, all else but robots.txt, and that if it counts.

    Licences that were read speak in the place of the page's references.
    """

    page: PagePolicy
    others: Sequence[Source]
    robots: RobotsPolicy = NO_ROBOTS

    def at(self, url: str, asker: str) -> list[Statement]:
        """All of it, whomever the page addresses."""
        own = [one for one in self.page.statements(url) if one.dialect != "rsl" and one.part != "element"]
        return own + unsettled_statements(self.others, url, as_crawler(asker))


@dataclass(frozen=True, slots=True)
class _DialectStatements:
    """Statements of one dialect, of whatever carrier."""

    dialect: str
    read: Sequence[Statement]
    problems: Sequence[Problem] = ()

    def statements(self, url: str) -> Sequence[Statement]:  # noqa: ARG002  they are of one page
        """All of them."""
        return self.read


def loosened(wanted: PageSources, live: PageSources, url: str, *, in_dialect: bool = True) -> Iterator[str]:
    """What a page does not come to, in words: within one dialect a carrier may replace another.

    With `in_dialect` each dialect has to come to it by itself; otherwise all of the page together. Of usages for which
    it is the same the broadest are told, and crawlers by name where it is not so for any. Raises LateError.
    """
    stated = [statement.crawler for sources in (wanted, live) for statement in sources.page.statements(url)]
    lines = [{name: lines_of(sources.robots, field) for name, field in _FIELDS.items()} for sources in (wanted, live)]
    reported: set[tuple[str, str, str]] = set()
    with in_time(SECONDS):
        for crawler in once([ANY, *filter(None, stated), *everyone(wanted.robots, live.robots)]):
            check_time()
            asker = ASKER if crawler == ANY else crawler
            before, after = (_by_dialect(sources.at(url, asker), in_dialect=in_dialect) for sources in (wanted, live))
            for dialect in dict.fromkeys((*before, *after)):
                wanted_answers = _answers(lines[0].get(dialect), dialect, before.get(dialect, ()), url, asker)
                live_answers = _answers(lines[1].get(dialect), dialect, after.get(dialect, ()), url, asker)
                less = {
                    usage: answer for usage, answer in wanted_answers.items() if _is_less(live_answers[usage], answer)
                }
                for usage, answer in less.items():
                    outcome = " ".join(map(str, (answer.outcome, *answer.restrictions)))
                    if (dialect, usage, outcome) in reported or not less.keys().isdisjoint(above(usage)):
                        continue
                    if crawler == ANY:
                        reported.add((dialect, usage, outcome))
                    who = "" if crawler == ANY else f" for {crawler}"
                    by = next(iter(live_answers[usage].reason.decided_by), None)
                    where = "" if by is None else by.header or by.element or by.source
                    beside = f", for `{by.text}` of {where} decides there" if by is not None else ""
                    within = f" in {dialect}" if dialect else ""
                    limits = "".join(f" {limit}" for limit in answer.restrictions)
                    yield f"{answer.outcome} {usage}{limits}{within}{who}{beside}"


def _by_dialect(statements: Iterable[Statement], *, in_dialect: bool) -> dict[str, list[Statement]]:
    """Statements by their dialects, or all under one; META elements for robots and their header are one dialect."""
    by_dialect: dict[str, list[Statement]] = {}
    for statement in statements:
        dialect = "robots-meta" if statement.dialect == "x-robots-tag" else statement.dialect
        by_dialect.setdefault(dialect if in_dialect else "", []).append(statement)
    return by_dialect


def _answers(
    lines: RobotsPolicy | None, dialect: str, statements: Sequence[Statement], url: str, asker: str
) -> dict[str, Decision]:
    """What one dialect comes to, with its lines of robots.txt."""
    others = [_DialectStatements(dialect, statements)]
    return decide_each(url, crawler=asker, usages=tuple(PARENTS), robots=lines, others=others)


def _is_less(decision: Decision, wanted: Decision) -> bool:
    """Whether less is refused than is meant, or it is to be had on other conditions or with fewer restrictions."""
    is_other = decision.outcome == wanted.outcome == "conditional" and {*decision.conditions} != {*wanted.conditions}
    is_other |= decision.outcome != "prohibited" and not {*wanted.restrictions} <= {*decision.restrictions}
    return is_other or STRICTNESS[decision.outcome] < STRICTNESS[wanted.outcome]

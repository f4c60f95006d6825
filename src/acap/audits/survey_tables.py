"""A survey as tables: lines of text, and one JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from acap.audits.survey import RobotsSurvey
from acap.audits.survey_changes import Turns
from acap.audits.survey_counts import EXTENTS, MARKS, RESTRICTIONS, SurveyCount, SurveyPeriod
from acap.schema import SCHEMA

SHOWN = 25
"""Crawlers in a table of text, unless more are asked for."""

STANDING_WORDS: Mapping[str, str] = {
    "read": "a robots.txt, be it empty",
    "missing": "none (404 and other 4xx): no instructions",
    "forbidden": "a 401 or 403: no instructions, unless --forbidden says otherwise",
    "foreign": "another text, as an error page: no instructions",
    "damaged": "no text, or not whole: everything is prohibited",
    "unreachable": "nothing is known: everything is prohibited",
}
"""What came where a robots.txt was asked for."""


RESTRICTION_WORDS: Mapping[str, str] = {
    "no-file": "there is no robots.txt: missing, forbidden, or another text",
    "nothing": "a robots.txt that refuses nothing, without a Sitemap line",
    "sitemap": "it refuses nothing, and has a Sitemap line",
    "crawl-delay": "it refuses nothing, and has a Crawl-delay line",
    "other": "it refuses some of the site, in none of the two ways below",
    "private-directories": "it refuses some of the site, and has a Disallow line of /admin, /private or /confidential",
    "pattern": "it refuses some of the site, and has a Disallow line with a query",
    "full": "it refuses all of the site",
    "undecided": "what it refuses was not worked out",
    "unknown": "damaged or out of reach: it is not known what the site says",
}
"""The kinds of restriction, in the classes of "Consent in Crisis" (Longpre and others, 2024); the last two are ours."""


def strictest_first(counts: Iterable[SurveyCount]) -> list[SurveyCount]:
    """Those first that more files refuse all of their site, then some of it."""

    def key(count: SurveyCount) -> tuple[float, float, str]:
        return (-count.read_share("all"), -count.read_share("some"), count.name.lower())

    return sorted(counts, key=key)


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{share * 100:.1f}%"


def text_lines(survey: RobotsSurvey, *, shown: int = SHOWN, kinds: bool = False) -> Iterator[str]:
    """The tables of a survey: what came, who is refused how much, over time, and since an earlier crawl.

    With `kinds`, shares by kind of restriction too.
    """
    total = survey.total
    yield from _table(
        ["captures", f"{total.captures:,}", "", ""],
        [
            [f"  {name}", f"{number:,}", percent(number / total.captures if total.captures else 0), words]
            for name, words in STANDING_WORDS.items()
            for number, _ in [total.standings[name]]
            if number
        ],
    )
    for usage in survey.usages:
        yield ""
        yield f"{usage}: share of captures, and in brackets the part of it without a file that was read"
        yield from _shares("crawler", strictest_first(total.of_usage(usage)), survey.weighs, shown)
        several = [count for count in total.operators_of(usage) if len(survey.operators[count.name]) > 1]
        if several:
            yield ""
            yield f"{usage}: the strictest of what an operator's crawlers are told"
            yield from _shares("operator", strictest_first(several), survey.weighs, shown)
        if kinds:
            yield from _kinds(survey, usage, shown)
    dated = [period for period in survey.periods if period.start is not None]
    if len(dated) > 1:
        yield ""
        yield from _over_time(survey, dated)
    yield from _others(survey)
    yield from _changes(survey, shown)


def _kinds(survey: RobotsSurvey, usage: str, shown: int) -> Iterator[str]:
    for table in kind_tables(survey, usage):
        yield ""
        yield table.title
        yield from _table(table.head, table.rows[:shown])


class KindTable(NamedTuple):
    """Shares by kind of restriction: what they are of, the names of the columns, and the rows."""

    title: str
    head: list[str]
    rows: list[list[str]]


def kind_tables(survey: RobotsSurvey, usage: str, over_time: int = 1) -> Iterator[KindTable]:
    """Shares by kind of restriction: by crawler, by operator, weighed, and over time for the strictest crawlers."""
    crawlers = strictest_first(survey.total.of_usage(usage))
    totals = survey.total.operators_of(usage)
    operators = strictest_first(count for count in totals if len(survey.operators[count.name]) > 1)
    for weighed in (False, True) if survey.weighs else (False,):
        of = "weight" if weighed else "captures"
        for what, counts in (("crawler", crawlers), ("operator", operators)):
            if counts:
                rows = [[count.name, *_kind_shares(count, weighed=weighed)] for count in counts]
                title = f"{usage}: share of {of} by kind of restriction, by {what}"
                yield KindTable(title, [what, *RESTRICTION_WORDS], rows)
        dated = [period for period in survey.periods if period.start is not None]
        for count in crawlers[: over_time if len(dated) > 1 else 0]:
            rows = [
                [str(period.start)[:7], *_kind_shares(period.counts[count.name, usage], weighed=weighed)]
                for period in dated
            ]
            title = f"{usage}, {count.name}: share of {of} by kind of restriction, by {survey.period}"
            yield KindTable(title, [survey.period, *RESTRICTION_WORDS], rows)


def _kind_shares(count: SurveyCount, *, weighed: bool) -> list[str]:
    share = count.restriction_weight_share if weighed else count.restriction_share
    return [percent(share(kind)) for kind in RESTRICTION_WORDS]


def _shares(what: str, counts: list[SurveyCount], weighs: bool, shown: int) -> Iterator[str]:
    head = [what, "all", "", "some", "none", "", "undecided", *(["all, weighed"] if weighs else [])]

    def row(count: SurveyCount) -> list[str]:
        def unread(extent: str) -> str:
            share = count.unread_share(extent)
            return f"({percent(share)})" if share else ""

        cells = [count.name, percent(count.share("all")), unread("all"), percent(count.share("some"))]
        cells += [percent(count.share("none")), unread("none"), percent(count.share("undecided"))]
        return [*cells, percent(count.weight_share("all"))] if weighs else cells

    yield from _table(head, [row(count) for count in counts[:shown]])
    if len(counts) > shown:
        yield f"and {len(counts) - shown} more, of which no more is refused"


def _over_time(survey: RobotsSurvey, dated: list[SurveyPeriod]) -> Iterator[str]:
    usage = survey.usages[0]
    names = [count.name for count in strictest_first(survey.total.of_usage(usage))[:6]]
    yield f"{usage}: share of captures that refuse all, by {survey.period}"
    rows = [
        [str(period.start)[:7], f"{period.captures:,}"]
        + [percent(period.counts[name, usage].share("all")) for name in names]
        for period in dated
    ]
    yield from _table([survey.period, "captures", *names], rows)


def _others(survey: RobotsSurvey) -> Iterator[str]:
    total = survey.total
    for head, numbers in (("fields", total.fields), ("signals", total.signals), ("problems", total.problems)):
        held = sorted(((number, name) for name, number in numbers.items() if number), reverse=True)
        if held:
            yield ""
            rows = [[f"  {name}", f"{number:,}", percent(number / total.captures)] for number, name in held[:SHOWN]]
            yield from _table([head, "captures", ""], rows)
    if beside := str(survey.left):
        yield ""
        yield f"not counted: {beside}"


def _changes(survey: RobotsSurvey, shown: int) -> Iterator[str]:
    changes = survey.changes
    if changes is None:
        return
    yield ""
    yield f"sites in both crawls {changes.in_both:,}, only before {changes.gone:,}, only after {changes.new:,}"
    for usage in survey.usages:
        turns = [turn for turn in changes.turns.values() if turn.usage == usage]
        turns.sort(key=lambda turn: (-turn.stricter, -turn.looser, turn.name.lower()))
        ways = [("none", "some"), ("none", "all"), ("some", "all"), ("some", "none"), ("all", "none"), ("all", "some")]
        head = [usage, "stricter", "looser", *(f"{was} to {is_}" for was, is_ in ways)]
        rows = [
            [turn.name, f"{turn.stricter:,}", f"{turn.looser:,}", *(f"{turn.numbers[way]:,}" for way in ways)]
            for turn in turns[:shown]
        ]
        yield from _table(head, rows)


def _table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Rows under a head, each column as wide as its widest cell; numbers to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]

    def aligned(place: int, cell: str) -> str:
        is_text = place == 0 or not any(row[place][:1].isdigit() or row[place][:1] == "(" for row in rows)
        return cell.ljust(widths[place]) if is_text else cell.rjust(widths[place])

    for row in (head, *rows):
        yield "  ".join(aligned(place, cell) for place, cell in enumerate(row)).rstrip()


# --- JSON -------------------------------------------------------------------------------------------------------------


def survey_to_json(survey: RobotsSurvey) -> dict[str, Any]:
    """A survey, of types that `json.dumps` takes; shares are from 0 to 1."""
    changes = survey.changes
    return {
        "schema": SCHEMA,
        "usages": list(survey.usages),
        "period": survey.period,
        "left": survey.left._asdict(),
        "total": _period(survey, survey.total),
        "periods": [_period(survey, period) for period in survey.periods],
        "changes": changes
        and {
            "in_both": changes.in_both,
            "gone": changes.gone,
            "new": changes.new,
            "turns": [_turns(turn) for turn in changes.turns.values()],
        },
    }


def _period(survey: RobotsSurvey, period: SurveyPeriod) -> dict[str, Any]:
    return {
        "start": period.start and period.start.isoformat(),
        "captures": period.captures,
        "standings": {
            name: {"captures": number, "weight": weight} for name, (number, weight) in period.standings.items()
        },
        "fields": dict(period.fields),
        "signals": dict(period.signals),
        "problems": dict(period.problems),
        "crawlers": [_count(count, survey.weighs) for count in period.counts.values()],
        "operators": [
            {**_count(count, survey.weighs), "crawlers": list(survey.operators[count.name])}
            for count in period.operators.values()
        ],
    }


def _count(count: SurveyCount, weighs: bool) -> dict[str, Any]:
    def part(extent: str) -> dict[str, float]:
        held = count.extents[extent]
        out = {"captures": held.captures, "unread": held.unread, "share": count.share(extent)}
        weights = {"weight": held.weight, "unread_weight": held.unread_weight}
        return {**out, **weights, "weight_share": count.weight_share(extent)} if weighs else out

    def kind(name: str) -> dict[str, float]:
        held = count.restrictions[name]
        out = {"captures": held.captures, "share": count.restriction_share(name)}
        weights = {"weight": held.weight, "weight_share": count.restriction_weight_share(name)}
        return {**out, **weights} if weighs else out

    extents = {extent: part(extent) for extent in EXTENTS}
    restrictions = {name: kind(name) for name in RESTRICTIONS}
    named = {"name": count.name, "usage": count.usage}
    return {**named, **extents, "restrictions": restrictions, "conditional": count.conditional}


def _turns(turn: Turns) -> dict[str, Any]:
    table = {was: {is_: turn.numbers[was, is_] for is_ in MARKS} for was in MARKS}
    return {"name": turn.name, "usage": turn.usage, "stricter": turn.stricter, "looser": turn.looser, "turns": table}

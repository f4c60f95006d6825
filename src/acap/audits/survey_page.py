"""A survey as one page of HTML: plots, and the tables with their numbers. It loads nothing and runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from types import MappingProxyType

import acap
from acap.audits.html_page import html_page
from acap.audits.survey import RobotsSurvey
from acap.audits.survey_counts import SurveyCount
from acap.audits.survey_plots import Series, bars, lines
from acap.audits.survey_tables import RESTRICTION_WORDS, STANDING_WORDS, kind_tables, percent, strictest_first
from acap.explain import visible
from acap.plurals import plural

_PLOTTED = 25
"""Crawlers in a plot."""

_TIMES = 6
"""Crawlers whose kinds of restriction are told over time."""

_STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1d2429; --soft: #5b666e; --rule: #d9dfe3; --all: #a4361f;
  --some: #e0a33a; --none: #b9c7d1; --undecided: #7d6aa8; --hatch: #fff; --s0: #a4361f; --s1: #1f6fa4; --s2: #8a6d00;
  --s3: #6b4fa0; --s4: #1d7a4f; --s5: #5b666e; }
@media (prefers-color-scheme: dark) { :root { --back: #14181b; --text: #e4e9ec; --soft: #9aa7b0; --rule: #333c43;
  --all: #e0684d; --some: #d9a441; --none: #46545f; --undecided: #a08fd0; --hatch: #14181b; --s0: #f0826a;
  --s1: #6db3e6; --s2: #d9b84a; --s3: #b9a3e8; --s4: #6fce9f; --s5: #9aa7b0; } }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { margin-top: 2.5rem; font-size: 1.2rem; }
p, figcaption { max-width: 46rem; } .soft, figcaption { color: var(--soft); }
figure { margin: 1rem 0; overflow-x: auto; } svg { width: 100%; min-width: 34rem; height: auto; }
svg text { fill: var(--text); font-size: 12px; } .grid { stroke: var(--rule); } .hatch { stroke: var(--hatch);
  stroke-width: 3; } .all { fill: var(--all); } .some { fill: var(--some); } .none { fill: var(--none); }
.undecided { fill: var(--undecided); } .line { fill: none; stroke-width: 2; }
.line.s0 { stroke: var(--s0); } .line.s1 { stroke: var(--s1); } .line.s2 { stroke: var(--s2); }
.line.s3 { stroke: var(--s3); } .line.s4 { stroke: var(--s4); } .line.s5 { stroke: var(--s5); }
.dot.s0, svg .name.s0 { fill: var(--s0); } .dot.s1, svg .name.s1 { fill: var(--s1); }
.dot.s2, svg .name.s2 { fill: var(--s2); } .dot.s3, svg .name.s3 { fill: var(--s3); }
.dot.s4, svg .name.s4 { fill: var(--s4); } .dot.s5, svg .name.s5 { fill: var(--s5); }
.key { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; padding: 0; list-style: none; }
.key i { display: inline-block; width: .9rem; height: .9rem; margin-right: .4rem; vertical-align: -.1rem; }
.key .all { background: var(--all); } .key .some { background: var(--some); } .key .none { background: var(--none); }
.key .undecided { background: var(--undecided); } .key .unread { background: repeating-linear-gradient(45deg,
  var(--soft) 0 3px, var(--hatch) 3px 6px); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th:first-child, td:first-child, .words { text-align: left; } td.words { white-space: normal; }
summary { cursor: pointer; color: var(--soft); } summary:focus-visible { outline: 2px solid var(--s1); }
"""


def survey_page(
    survey: RobotsSurvey, *, title: str = "Survey of robots.txt files", asked: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The page of a survey; `asked` are words of the question with their values, such as the inputs and the date."""
    made_by = f"Made by acap {escape(acap.__version__)}, semantics {escape(str(acap.SEMANTICS))}."
    parts = [_summary(survey), *(_usage(survey, usage) for usage in survey.usages), *_rest(survey)]
    question = " · ".join(f"{escape(name)}: {escape(visible(value))}" for name, value in asked.items())
    about = [f'<p class="soft">{question}</p>'] if asked else []
    body = "\n".join([f"<h1>{escape(title)}</h1>", *about, *parts, f'<p class="soft">{made_by}</p>'])
    return html_page(title, _STYLE, body)


def _summary(survey: RobotsSurvey) -> str:
    total = survey.total
    rows = [
        [name, f"{number:,}", percent(number / total.captures if total.captures else 0), words]
        for name, words in STANDING_WORDS.items()
        for number, _ in [total.standings[name]]
    ]
    unknown = sum(total.standings[name][0] for name in ("damaged", "unreachable"))
    beside = str(survey.left)
    return (
        f"<p>{plural(total.captures, 'capture')}, {plural(len(survey.crawlers), 'crawler')}."
        " What could not be retrieved"
        f" or read prohibits ({unknown:,} of the captures), and is hatched in the plots, as is what had no file.</p>"
        + (f"<p>Not counted: {escape(beside)}.</p>" if beside else "")
        + _table(["what came", "captures", "share", "what it means"], rows, words_at=3)
    )


def _usage(survey: RobotsSurvey, usage: str) -> str:
    total = survey.total
    counts = strictest_first(total.of_usage(usage))
    several = strictest_first(count for count in total.operators_of(usage) if len(survey.operators[count.name]) > 1)
    name = escape(usage)
    parts = [
        f"<h2>Who is refused how much: {name}</h2>",
        _KEY,
        _figure(bars(counts[:_PLOTTED], f"Share of captures by crawler, {usage}"), _caption(counts)),
        _details("Every crawler", _shares(counts, survey, "crawler")),
    ]
    if several:
        caption = "Operators with several crawlers: the strictest of what these are told."
        parts += [
            f"<h2>By operator: {name}</h2>",
            _figure(bars(several[:_PLOTTED], f"Share of captures by operator, {usage}"), caption),
            _details("Every such operator", _shares(several, survey, "operator")),
        ]
    if survey.weighs:
        caption = "The same captures by what they weigh: if weights are tokens, shares of tokens."
        plot = bars(counts[:_PLOTTED], f"Share of weight by crawler, {usage}", weighed=True)
        parts += [f"<h2>Weighed: {name}</h2>", _figure(plot, caption)]
    return "\n".join([*parts, *_over_time(survey, usage, counts), *_kinds(survey, usage)])


def _kinds(survey: RobotsSurvey, usage: str) -> Iterator[str]:
    yield f"<h2>Kinds of restriction: {escape(usage)}</h2>"
    rows = [[kind, words] for kind, words in RESTRICTION_WORDS.items()]
    yield _details("What the kinds are", _table(["kind", "what it means"], rows, words_at=1))
    for place, table in enumerate(kind_tables(survey, usage, _TIMES)):
        inner = _table(table.head, table.rows)
        yield (
            f'<p class="soft">{escape(table.title)}</p>{inner}'
            if place == 0 and len(table.rows) <= _PLOTTED
            else _details(table.title, inner)
        )


def _caption(counts: Sequence[SurveyCount]) -> str:
    if len(counts) <= _PLOTTED:
        return "Those first that most files refuse all of their site."
    return f"The {_PLOTTED} of {len(counts)} crawlers that most files refuse all of their site."


def _over_time(survey: RobotsSurvey, usage: str, counts: Sequence[SurveyCount]) -> Iterator[str]:
    dated = [period for period in survey.periods if period.start is not None]
    if len(dated) < 2:
        return
    starts = [str(period.start)[:7] for period in dated]
    names = [count.name for count in counts[:6]]
    series = [Series(name, tuple(period.counts[name, usage].share("all") for period in dated)) for name in names]
    yield f"<h2>Over time: {escape(usage)}</h2>"
    caption = f"Share of the captures of each {survey.period} that refuse the whole site."
    yield _figure(lines(series, starts, f"Share of captures that refuse all, by {survey.period}, {usage}"), caption)
    rows = [
        [start, f"{period.captures:,}", *(percent(line.shares[place]) for line in series)]
        for place, (start, period) in enumerate(zip(starts, dated, strict=True))
    ]
    yield _details("The numbers", _table([survey.period, "captures", *names], rows))


def _rest(survey: RobotsSurvey) -> Iterator[str]:
    total = survey.total
    for head, numbers in (
        ("Fields", total.fields),
        ("Signals that speak to a crawler", total.signals),
        ("Problems", total.problems),
    ):
        held = sorted(((number, name) for name, number in numbers.items() if number), reverse=True)
        if held:
            rows = [[name, f"{number:,}", percent(number / total.captures)] for number, name in held]
            yield f"<h2>{head}</h2>" + _table(["", "captures", "share"], rows)
    changes = survey.changes
    if changes is None:
        return
    yield (
        f"<h2>Since the earlier crawl</h2><p>Sites in both crawls: {changes.in_both:,}; only in the earlier: "
        f"{changes.gone:,}; only in the later: {changes.new:,}.</p>"
    )
    ways = [("none", "some"), ("none", "all"), ("some", "all"), ("some", "none"), ("all", "none"), ("all", "some")]
    turns = sorted(changes.turns.values(), key=lambda turn: (-turn.stricter, -turn.looser, turn.name.lower()))
    rows = [
        [turn.name, turn.usage, f"{turn.stricter:,}", f"{turn.looser:,}", *(f"{turn.numbers[way]:,}" for way in ways)]
        for turn in turns
    ]
    columns = ["crawler", "usage", "stricter", "looser", *(f"{was} to {is_}" for was, is_ in ways)]
    yield _table(columns, rows[:_PLOTTED]) + (
        _details("Every crawler", _table(columns, rows)) if len(rows) > _PLOTTED else ""
    )


_KEY = (
    '<ul class="key"><li><i class="all"></i>all: the whole site</li><li><i class="some"></i>some paths</li>'
    '<li><i class="none"></i>none</li><li><i class="undecided"></i>not worked out</li>'
    '<li><i class="unread"></i>without a file that was read</li></ul>'
)


def _shares(counts: Iterable[SurveyCount], survey: RobotsSurvey, what: str) -> str:
    head = [what, "all", "without a file", "some", "none", "without a file", "undecided", "conditional"]
    rows = [
        [
            count.name,
            percent(count.share("all")),
            percent(count.unread_share("all")),
            percent(count.share("some")),
            percent(count.share("none")),
            percent(count.unread_share("none")),
            percent(count.share("undecided")),
            f"{count.conditional:,.0f}",
            *([percent(count.weight_share("all"))] if survey.weighs else []),
        ]
        for count in counts
    ]
    return _table([*head, *(["all, weighed"] if survey.weighs else [])], rows)


def _figure(plot: str, caption: str) -> str:
    return f"<figure>{plot}<figcaption>{escape(caption)}</figcaption></figure>"


def _details(summary: str, inner: str) -> str:
    return f"<details><summary>{escape(summary)}</summary>{inner}</details>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, words_at: int = -1) -> str:
    def cell(place: int, text: str) -> str:
        return f'<td class="words">{escape(text)}</td>' if place == words_at else f"<td>{escape(text)}</td>"

    kinds = ['class="words" ' if place == words_at else "" for place in range(len(head))]
    top = "".join(f'<th {kind}scope="col">{escape(text)}</th>' for kind, text in zip(kinds, head, strict=True))
    body = "".join(f"<tr>{''.join(cell(place, text) for place, text in enumerate(row))}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'

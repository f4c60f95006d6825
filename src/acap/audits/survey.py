"""A survey of robots.txt files: who is refused how much of how many sites, by which line, over time.

    found = survey("robots.parquet", rows="rows.parquet", before="robots-2023.parquet")
    found.total.counts["GPTBot", "crawl"].share("all")

Laws:

1. A row is a decision: outcome, line and kind are what `RobotsPolicy.decide` says of `/`, and the extent is proved.
2. What could not be retrieved is counted as what it is, and never as a file that was read.
3. Memory is bounded whatever the sources: they are read in batches, and what is kept are counts.
4. Nothing is kept of a survey that breaks off: reading again costs less than what would have to be kept to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, cast

import pyarrow as pa

from acap import _native, crawler_list
from acap.audits.robots_archives import Uncounted
from acap.audits.robots_captures import NO_CAPTURES, RobotsCaptures, Source
from acap.audits.survey_changes import CrawlMarks, SurveyChanges, compared
from acap.audits.survey_counts import SurveyPeriod, counted, total
from acap.audits.survey_rows import RowWriter
from acap.crawlers import each_crawler
from acap.notebook import shares_html
from acap.plurals import plural
from acap.problems import CATALOGUE
from acap.retrieval.answers import Answer, Meaning, Rules, meaning
from acap.usages import asked_usages

Period: TypeAlias = Literal["month", "quarter", "year"]

_MONTHS: Mapping[str, int] = {"month": 1, "quarter": 3, "year": 12}
_SEVERITIES = ("error", "warning", "info")
_MEANINGS = (Meaning.READ, Meaning.ABSENT, Meaning.RESTRICTED, Meaning.UNREACHABLE)
_STATUSES = 1000
Sources: TypeAlias = Source | Iterable[Source]


class RobotsSurvey(NamedTuple):
    """What was found.

    `total` is of all captures, `periods` of each period; of captures without a time there is one without a start.
    `operators` are the crawlers of each. `left` is what archives have beside captures that count.
    """

    crawlers: tuple[str, ...]
    usages: tuple[str, ...]
    operators: Mapping[str, tuple[str, ...]]
    period: Period
    periods: tuple[SurveyPeriod, ...]
    total: SurveyPeriod
    left: Uncounted
    changes: SurveyChanges | None = None

    @property
    def weighs(self) -> bool:
        """Whether captures have weights."""
        return any(weight > 0 for _, weight in self.total.standings.values())

    def __repr__(self) -> str:
        return (
            f"<RobotsSurvey of {plural(self.total.captures, 'capture')}: {plural(len(self.crawlers), 'crawler')}, "
            f"{', '.join(self.usages)}, {plural(len(self.periods), 'period')}>"
        )

    def _repr_html_(self) -> str:
        """What notebooks show: for each usage who is refused how much, the strictest first."""
        tables = []
        for usage in self.usages:
            shares = [(count.name, count.share("all"), count.share("some")) for count in self.total.of_usage(usage)]
            tables.append(shares_html("crawler", usage, sorted(shares, key=lambda one: (-one[1], -one[2], one[0]))))
        return f"<div>{plural(self.total.captures, 'capture')}</div>{''.join(tables)}"


class SurveyProgress(NamedTuple):
    """How far a survey is: captures that are counted, and octets of files that are read, of how many."""

    captures: int
    octets: int
    of_octets: int


def default_crawlers() -> tuple[str, ...]:
    """The AI crawlers of the list, retired ones too, for files name them; then the search crawlers that are run."""
    listed = crawler_list.known_crawlers()
    for_ai = [crawler for crawler in listed if {"ai-train", "ai-input"} & set(crawler.purposes)]
    others = [
        crawler for crawler in listed if crawler not in for_ai and "search" in crawler.purposes and not crawler.retired
    ]
    # A name that no User-agent line can spell alone is that of another.
    others = [crawler for crawler in others if _native.crawler_name(crawler.name) == crawler.name]
    return tuple(crawler.name for crawler in [*for_ai, *others])


def survey(
    sources: Sources,
    *,
    crawlers: str | Iterable[str] | None = None,
    usage: str | Iterable[str] | None = None,
    rows: Path | str | None = None,
    before: Sources | None = None,
    period: Period = "month",
    at: datetime | None = None,
    dialect: str = "auto",
    forbidden: Literal["unavailable", "restricted"] | None = None,
    processes: int = 1,
    on_progress: Callable[[SurveyProgress], None] | None = None,
    usages: str | Iterable[str] | None = None,
) -> RobotsSurvey:
    """Surveys the robots.txt files of many sites.

    Args:
        sources: folders of files, tables (Parquet, CSV, JSON Lines, Arrow) and archives (WARC, ARC), by their paths; or
            tables in memory. `acap.audits.robots_captures` says which columns they have.
        crawlers: a name, or several; one that is known obeys the groups that it falls back to. None:
            `default_crawlers()`.
        usage: one usage, by default crawl, or several.
        rows: a file to which a row is written for each capture, crawler and usage: .parquet, .csv or .jsonl.
        before: an earlier crawl, to which this one is compared site by site.
        period: how long the periods are in which captures with a time are counted.
        at: the instant asked about of captures without a time, with a time zone; none is now.
        dialect: how conventional lines are read.
        forbidden: what 401 and 403 mean; none: as the dialect says.
        processes: how many read large archives, 0: one for each processor. They are spawned, so a program that asks for
            several guards its main module, as `multiprocessing` says. Files are judged on all processors anyway.
        on_progress: called after each batch of captures.
        usages: the same as `usage`, by its earlier name.

    Returns:
        The counts. A share of them is one of captures: give one capture of each site and period.

    Raises:
        ValueError: a source that cannot be read (`SourceError`), an unknown usage or dialect, a name that is none or
            would be cut, or a file for rows of another kind.
        OSError: the rows cannot be written.
    """
    if period not in _MONTHS:
        raise ValueError(f"period is `{period}`; it may be {', '.join(_MONTHS)}")
    names = tuple(dict.fromkeys(default_crawlers() if crawlers is None else each_crawler(crawlers)))
    if not names:
        raise ValueError("no crawler was given; name one, or leave `crawlers` out")
    used = tuple(dict.fromkeys(asked_usages(usage, usages, ("crawl",))))
    if not used:
        raise ValueError("no usage was given")
    operators = _operators(names)
    now = _micros(at)
    panel = _panel(names, used, operators, dialect, forbidden)
    later, earlier = (RobotsCaptures([] if given is None else _listed(given), processes) for given in (sources, before))
    seen = 0

    def judged_of(captures: RobotsCaptures) -> Generator[_native.Judgements, None, None]:
        nonlocal seen
        with closing(captures.__iter__()) as batches:
            for batch in batches:
                judged = panel.judge(_stream(batch), now)
                yield judged
                seen += len(judged)
                if on_progress is not None:
                    octets, of_octets = later.octets + earlier.octets, later.of_octets + earlier.of_octets
                    on_progress(SurveyProgress(seen, octets, of_octets))

    tally = _native.Tally(panel, _MONTHS[period])
    with ExitStack() as stack:
        writer = None if rows is None else stack.enter_context(RowWriter(Path(rows)))
        marks = None if before is None else (stack.enter_context(CrawlMarks()), stack.enter_context(CrawlMarks()))
        for judged in stack.enter_context(closing(judged_of(later))):
            tally.add(judged)
            if writer is not None:
                writer.write(partial(panel.rows, judged))
            if marks is not None:
                marks[1].add(panel, judged)
        changes = None
        if marks is not None:
            for judged in stack.enter_context(closing(judged_of(earlier))):
                marks[0].add(panel, judged)
            changes = compared(panel, *marks, names, used)
        if writer is not None:
            writer.finish(partial(panel.rows, panel.judge(_stream(NO_CAPTURES), now)))
    periods = counted(tally, names, operators, used)
    return RobotsSurvey(
        names, used, operators, period, periods, total(periods, names, operators, used), later.left, changes
    )


def _listed(sources: Sources) -> list[Source]:
    if isinstance(sources, Path | str) or not isinstance(sources, Iterable):
        return [sources]
    # A table of Arrow is one source, whatever else it can be read as.
    return [cast("Source", sources)] if hasattr(sources, "__arrow_c_stream__") else list(sources)


def _stream(batch: pa.RecordBatch) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(batch.schema, [batch])


def _micros(at: datetime | None) -> int:
    if at is not None and at.tzinfo is None:
        raise ValueError(f"the datetime `{at.isoformat()}` has no time zone; add one, UTC for example")
    return int((at or datetime.now(UTC)).timestamp()) * 1_000_000


def _operators(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The crawlers of each operator, in the order of their names; one that is not known is its own."""
    out: dict[str, tuple[str, ...]] = {}
    for name in names:
        crawler = crawler_list.known(name)
        operator = name if crawler is None or crawler.operator == "unknown" else crawler.operator
        out[operator] = (*out.get(operator, ()), name)
    return dict(sorted(out.items(), key=lambda one: one[0].lower()))


def _group_names(name: str) -> tuple[str, ...]:
    """The names by which a crawler finds its group."""
    crawler = crawler_list.known(name)
    return crawler.names if crawler is not None and crawler.name.lower() == name.strip().lower() else (name,)


def _panel(
    names: tuple[str, ...],
    usages: tuple[str, ...],
    operators: Mapping[str, tuple[str, ...]],
    dialect: str,
    forbidden: Literal["unavailable", "restricted"] | None,
) -> _native.Panel:
    places = {name: place for place, name in enumerate(names)}
    rules = Rules.of(dialect, forbidden=forbidden)
    severities = [_SEVERITIES.index(CATALOGUE[code].severity) for code in _native.problem_codes()]
    return _native.Panel(
        [(name, _group_names(name)) for name in names],
        [[places[name] for name in of] for of in operators.values()],
        usages,
        severities,
        [_MEANINGS.index(_meaning(status, rules)) for status in range(_STATUSES)],
        dialect,
    )


def _meaning(status: int, rules: Rules) -> Meaning:
    """What a robots.txt with a status means, whatever it says."""
    url = "https://site.invalid/robots.txt"
    return meaning(Answer(url, "", url, datetime.now(UTC), status=status, octets=b"User-agent: *\n"), rules)

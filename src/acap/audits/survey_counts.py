"""What was counted in a survey of robots.txt files: captures by crawler, usage and period, and shares of them.

A share is of all captures of a period. What is not known, for a file is missing, foreign, damaged or out of reach, is a
part of the shares by what it means for a crawler (semantics, section 9), and each share says how much of it that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Literal, NamedTuple, TypeAlias

from acap import _native

Extent: TypeAlias = Literal["none", "some", "all", "undecided"]
"""How much of a site is refused: no path, some, or all but resources that carry policy; or it was not worked out."""

Standing: TypeAlias = Literal["read", "missing", "forbidden", "foreign", "damaged", "unreachable"]
"""What came where a robots.txt was asked for."""

EXTENTS: tuple[str, ...] = tuple(_native.Panel.EXTENTS)
RESTRICTIONS: tuple[str, ...] = tuple(_native.Panel.RESTRICTIONS)
"""The kinds of restriction, from none to full, and then what is not known."""
STANDINGS: tuple[str, ...] = tuple(_native.Panel.STANDINGS)
FIELDS: tuple[str, ...] = tuple(_native.Panel.FIELDS)
SIGNALS: tuple[str, ...] = tuple(_native.Panel.SIGNALS)
MARKS: tuple[str, ...] = tuple(_native.Panel.MARKS)


class ExtentCount(NamedTuple):
    """Captures of an extent: how many, what they weigh, and how many of both had no file that was read."""

    captures: float = 0
    weight: float = 0
    unread: float = 0
    unread_weight: float = 0


class RestrictionCount(NamedTuple):
    """Captures of a kind of restriction: how many, and what they weigh."""

    captures: float = 0
    weight: float = 0


class SurveyCount(NamedTuple):
    """What captures of a period say to a crawler, or to an operator's crawlers, about a usage.

    `extents` has a part for each of `EXTENTS`, `restrictions` for each of `RESTRICTIONS`; `conditional` is the number
    of captures that ask for a licence for `/`.
    """

    name: str
    usage: str
    extents: Mapping[str, ExtentCount]
    restrictions: Mapping[str, RestrictionCount]
    conditional: float

    @property
    def captures(self) -> float:
        """All captures."""
        return sum(part.captures for part in self.extents.values())

    @property
    def weight(self) -> float:
        """What all captures weigh."""
        return sum(part.weight for part in self.extents.values())

    def share(self, extent: str) -> float:
        """The share of captures with this extent, from 0 to 1."""
        return _share(self.extents[extent].captures, self.captures)

    def unread_share(self, extent: str) -> float:
        """The part of that share that had no file that was read."""
        return _share(self.extents[extent].unread, self.captures)

    def read_share(self, extent: str) -> float:
        """The share of this extent among files that were read."""
        read = {name: part.captures - part.unread for name, part in self.extents.items()}
        return _share(read[extent], sum(read.values()))

    def weight_share(self, extent: str) -> float:
        """The share of this extent in what all captures weigh: of tokens, if weights are tokens."""
        return _share(self.extents[extent].weight, self.weight)

    def restriction_share(self, kind: str) -> float:
        """The share of captures with this kind of restriction."""
        return _share(self.restrictions[kind].captures, self.captures)

    def restriction_weight_share(self, kind: str) -> float:
        """The share of this kind of restriction in what all captures weigh."""
        return _share(self.restrictions[kind].weight, self.weight)


class SurveyPeriod(NamedTuple):
    """What was counted of a period; `start` is its first day, none for captures without a time, or for all of them.

    `standings` are captures and weights by what came; `fields` and `signals` captures with each; `problems` captures
    with each problem, by its code. `counts` are by crawler and usage, `operators` by operator and usage: the strictest
    of what its crawlers are told.
    """

    start: date | None
    standings: Mapping[str, tuple[int, float]]
    fields: Mapping[str, int]
    signals: Mapping[str, int]
    problems: Mapping[str, int]
    counts: Mapping[tuple[str, str], SurveyCount]
    operators: Mapping[tuple[str, str], SurveyCount]

    @property
    def captures(self) -> int:
        """Number of captures."""
        return sum(number for number, _ in self.standings.values())

    @property
    def read(self) -> int:
        """Number of files that were read."""
        return self.standings["read"][0]

    def of_usage(self, usage: str) -> Iterator[SurveyCount]:
        """What each crawler is told about a usage."""
        return (count for (_, of), count in self.counts.items() if of == usage)

    def operators_of(self, usage: str) -> Iterator[SurveyCount]:
        """What each operator is told about a usage."""
        return (count for (_, of), count in self.operators.items() if of == usage)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


_Count: TypeAlias = tuple[Mapping[str, ExtentCount], Mapping[str, RestrictionCount], float]
_NO_COUNT: _Count = (
    {extent: ExtentCount() for extent in EXTENTS},
    {kind: RestrictionCount() for kind in RESTRICTIONS},
    0,
)
_Cells: TypeAlias = list[tuple[int, int, tuple[int, int, int] | None, float, float]]


def counted(
    tally: _native.Tally, names: tuple[str, ...], operators: Mapping[str, tuple[str, ...]], usages: tuple[str, ...]
) -> tuple[SurveyPeriod, ...]:
    """Every period that was counted, in order; captures without a time come first."""
    return tuple(
        SurveyPeriod(
            None if month is None else date(*_year_and_month(month), 1),
            dict(zip(STANDINGS, counts["standings"], strict=True)),
            dict(zip(FIELDS, counts["fields"], strict=True)),
            dict(zip(SIGNALS, counts["signals"], strict=True)),
            {code: number for code, number in zip(_native.problem_codes(), counts["codes"], strict=True) if number},
            *_divided(_of_cells(counts["counts"]), names, operators, usages),
        )
        for month, counts in tally.counts()
    )


def _year_and_month(month: int) -> tuple[int, int]:
    """Within the years that a date can have."""
    return min(max(month // 12, 1), 9999), month % 12 + 1


_Counts: TypeAlias = dict[tuple[str, str], SurveyCount]


def _divided(
    cells: Mapping[tuple[int, int], _Count],
    names: tuple[str, ...],
    operators: Mapping[str, tuple[str, ...]],
    usages: tuple[str, ...],
) -> tuple[_Counts, _Counts]:
    """The counts of crawlers, and those of operators, which stand behind them."""

    def named(called: Iterable[str], first: int) -> _Counts:
        return {
            (name, usage): SurveyCount(name, usage, *cells.get((place, number), _NO_COUNT))
            for place, name in enumerate(called, first)
            for number, usage in enumerate(usages)
        }

    return named(names, 0), named(operators, len(names))


def _of_cells(cells: _Cells) -> dict[tuple[int, int], _Count]:
    out: dict[tuple[int, int], _Count] = {}
    for crawler, usage, cell, captures, weight in cells:
        extents, restrictions, conditional = out.get((crawler, usage), _NO_COUNT)
        if cell is None:
            out[crawler, usage] = (extents, restrictions, conditional + captures)
            continue
        extent, standing, kind = EXTENTS[cell[0]], STANDINGS[cell[1]], RESTRICTIONS[cell[2]]
        unread = standing != "read"
        part = ExtentCount(captures, weight, captures * unread, weight * unread)
        out[crawler, usage] = (
            {**extents, extent: _sum(extents[extent], part)},
            {**restrictions, kind: _both(restrictions[kind], RestrictionCount(captures, weight))},
            conditional,
        )
    return out


def _sum(one: ExtentCount, other: ExtentCount) -> ExtentCount:
    return ExtentCount(*(a + b for a, b in zip(one, other, strict=True)))


def _both(one: RestrictionCount, other: RestrictionCount) -> RestrictionCount:
    return RestrictionCount(one.captures + other.captures, one.weight + other.weight)


def total(
    periods: tuple[SurveyPeriod, ...],
    names: tuple[str, ...],
    operators: Mapping[str, tuple[str, ...]],
    usages: tuple[str, ...],
) -> SurveyPeriod:
    """All periods together."""
    counts, of_operators = _divided({}, names, operators, usages)
    for period in periods:
        counts = {key: _together(count, period.counts[key]) for key, count in counts.items()}
        of_operators = {key: _together(count, period.operators[key]) for key, count in of_operators.items()}
    standings = {
        name: (
            sum(period.standings[name][0] for period in periods),
            sum(period.standings[name][1] for period in periods),
        )
        for name in STANDINGS
    }
    fields = {name: sum(period.fields[name] for period in periods) for name in FIELDS}
    signals = {name: sum(period.signals[name] for period in periods) for name in SIGNALS}
    return SurveyPeriod(
        None, standings, fields, signals, _added(period.problems for period in periods), counts, of_operators
    )


def _added(all_: Iterable[Mapping[str, int]]) -> dict[str, int]:
    out: dict[str, int] = {}
    for counts in all_:
        for code, number in counts.items():
            out[code] = out.get(code, 0) + number
    return out


def _together(one: SurveyCount, other: SurveyCount) -> SurveyCount:
    extents = {name: _sum(one.extents[name], other.extents[name]) for name in EXTENTS}
    restrictions = {kind: _both(one.restrictions[kind], other.restrictions[kind]) for kind in RESTRICTIONS}
    return one._replace(extents=extents, restrictions=restrictions, conditional=one.conditional + other.conditional)

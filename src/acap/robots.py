"""robots.txt: the typed view of the native policy.

policy = parse_robots(octets, url="https://example.com/robots.txt")
policy.decide("https://example.com/a", crawler="examplebot", usage="index").permitted
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import eq
from types import MappingProxyType
from typing import Any, Literal, Self, TypeAlias, cast, overload

from acap import _native
from acap.crawlers import Crawler
from acap.decision import Cited
from acap.outline import Outline
from acap.problems import Problem, problem

DIALECTS: tuple[str, ...] = tuple(_native.DIALECTS)
"""Ways of reading conventional lines; `auto` alone reads ACAP lines too."""

Asker: TypeAlias = str | Iterable[str] | Crawler
"""A name, a User-Agent string, an ordered sequence of names, or a `Crawler`."""


State: TypeAlias = Literal["present", "absent", "unreachable"]
"""Whether there was a robots.txt: one was read, there is none, or nobody knows."""


_MOST = {"line_octets": 65_535}


def _default(name: str) -> int:
    return _native.default_limits()[name]


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what is read of one file, in octets and numbers (P1 4.6, K2 5, RFC 9309 2.5).

    What a limit cuts is a problem, and named in every reason. Beyond the limits on records and fields prohibitions are
    kept, and permissions lift none: all that is left of them is what they restrict. `file_octets` is at most 2^30 and
    `line_octets` 65,535, for positions and lengths are kept in so many bits; no other is more than 2^30.
    """

    file_octets: int = _default("file_octets")
    line_octets: int = _default("line_octets")
    records: int = _default("records")
    sub_records: int = _default("sub_records")
    fields_per_record: int = _default("fields_per_record")
    fields_per_sub_record: int = _default("fields_per_sub_record")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            most = _MOST.get(field.name, 2**30)
            if not 0 <= getattr(self, field.name) <= most:
                raise ValueError(f"{field.name} must be from 0 to {most}")

    def _numbers(self) -> tuple[int, int, int, int, int, int]:
        return (
            self.file_octets,
            self.line_octets,
            self.records,
            self.sub_records,
            self.fields_per_record,
            self.fields_per_sub_record,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """A line as it stands: its number from 1, its octets with the line end, and the kind of its field."""

    number: int
    octets: bytes
    kind: str

    @property
    def body(self) -> bytes:
        """What stands before the comment."""
        return self.octets.partition(b"#")[0]

    @property
    def comment(self) -> bytes:
        """The comment with its `#`, without the line end; empty if there is none (RFC 9309 2.2)."""
        return self.octets[len(self.body) :].rstrip(b"\r\n")


class Lines(Sequence[Line]):
    """Every line of a text, nine octets of memory each: a `Line` is made of one when it is asked for.

    `starts` has the octet of the text at which each begins; the line of number n is at n - 1, there as here.
    """

    __slots__ = ("_kinds", "_names", "_text", "starts")

    def __init__(self, text: bytes, starts: Sequence[int], kinds: bytes, names: Sequence[str]) -> None:
        self.starts = starts
        self._text = text
        self._kinds = kinds
        self._names = names

    def __len__(self) -> int:
        return len(self._kinds)

    @overload
    def __getitem__(self, place: int) -> Line: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Line, ...]: ...
    def __getitem__(self, place: int | slice) -> Line | tuple[Line, ...]:
        each = range(len(self))[place]
        return self._line(each) if isinstance(each, int) else tuple(map(self._line, each))

    def __iter__(self) -> Iterator[Line]:
        return map(self._line, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lines) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Lines: {len(self)}>"

    @property
    def kinds(self) -> Counter[str]:
        """How many lines there are of each kind."""
        return Counter({name: self._kinds.count(place) for place, name in enumerate(self._names)})

    def kind(self, number: int) -> str:
        """The kind of the line of a number from 1."""
        return self._names[self._kinds[number - 1]]

    def numbers(self, *kinds: str) -> Iterator[int]:
        """The numbers of the lines of these kinds, in order."""
        wanted = bytes(name in kinds for name in self._names)
        if any(wanted):
            marks = self._kinds.translate(wanted.ljust(256, b"\0"))
            at = marks.find(1)
            while at >= 0:
                yield at + 1
                at = marks.find(1, at + 1)

    def of(self, *kinds: str) -> Iterator[Line]:
        """The lines of these kinds, in order."""
        return (self._line(number - 1) for number in self.numbers(*kinds))

    def _line(self, place: int) -> Line:
        beyond = self.starts[place + 1] if place + 1 < len(self) else len(self._text)
        octets = self._text[self.starts[place] : beyond]
        return Line(place + 1, octets, self._names[self._kinds[place]])


@dataclasses.dataclass(frozen=True, slots=True)
class PolicyStatement:
    """A statement with who it is addressed to and what it is about.

    `crawlers` has `*` for any crawler, and for a line of which something is cut: every crawler hears what it prohibits.
    """

    cited: Cited
    crawlers: tuple[str, ...]
    purposes: tuple[str, ...]
    pattern: str
    restrictions: tuple[tuple[str, str], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Extension:
    """A line of another vocabulary; `group` is the number of its group from 0, or none before the first.

    `start` is the octet in the text at which its value begins.
    """

    field: str
    value: str
    line: int
    column: int
    start: int
    group: int | None


@dataclasses.dataclass(frozen=True, slots=True)
class ActionRequest:
    """`ACAP-request-take-down` or `ACAP-request-re-crawl` (P1 4.5.2.3)."""

    action: str
    path: str
    line: int


@dataclasses.dataclass(frozen=True, slots=True)
class Window:
    """A part of the day in minutes from midnight, UTC; it may cross midnight."""

    start: int
    end: int

    def contains(self, minute: int) -> bool:
        """Whether a minute of the day (0 to 1439) lies in the window."""
        if self.start <= self.end:
            return self.start <= minute < self.end
        return minute >= self.start or minute < self.end


@dataclasses.dataclass(frozen=True, slots=True)
class Rate:
    """So many documents in so many seconds, inside a window or, without one, always."""

    documents: float
    seconds: float
    window: Window | None = None
    line: int | None = None

    @property
    def interval(self) -> float:
        """Seconds from one request to the next."""
        return self.seconds / self.documents


@dataclasses.dataclass(frozen=True, slots=True)
class Politeness:
    """What a crawler is asked to keep to; reported, never part of an outcome.

    `rule_of_thumb` says that only the encouragement of the 2.0.0 proposal applies: the slower of 10 s and twice the
    time the last fetch took.
    """

    visit_times: tuple[Window, ...] = ()
    rates: tuple[Rate, ...] = ()
    delays: tuple[float, ...] = ()
    comments: tuple[str, ...] = ()
    rule_of_thumb: bool = False

    def interval(self, minute: int | None = None) -> float | None:
        """Seconds to leave between requests at a minute of the day, UTC; none if nothing is asked.

        Inside a window its own rate counts, outside the slowest untimed one; Crawl-delay is an untimed rate, and the
        slower wins.
        """
        if minute is not None:
            timed = [rate.interval for rate in self.rates if rate.window is not None and rate.window.contains(minute)]
            if timed:
                return max(timed)
        untimed = [rate.interval for rate in self.rates if rate.window is None]
        return max([*untimed, *self.delays], default=None)

    def may_visit(self, minute: int) -> bool:
        """Whether a minute of the day, UTC, lies in the times at which visits are asked for."""
        return not self.visit_times or any(window.contains(minute) for window in self.visit_times)

    def next_visit(self, at: datetime) -> datetime | None:
        """The first instant from one on at which visits are asked for, in UTC; None if there is none in a day.

        Raises:
            ValueError: the instant has no time zone.
        """
        if at.utcoffset() is None:
            raise ValueError(f"the datetime `{at}` has no time zone; add one, UTC for example")
        at = at.astimezone(UTC)
        minute = at.hour * 60 + at.minute
        for later in range(24 * 60):
            if self.may_visit((minute + later) % (24 * 60)):
                return at if later == 0 else at.replace(second=0, microsecond=0) + timedelta(minutes=later)
        return None


class RobotsPolicy(_native.Policy):
    """What one robots.txt says: frozen, safe to share between threads; pickles as its octets and options.

    Made by `parse_robots`, by a `Retriever`, or by `absent` and `unreachable`. Decisions are the native core's:
    `decide` and `decide_many`.
    """

    __slots__ = ()

    @property
    def state(self) -> State:
        """Whether there was a robots.txt (RFC 9309 2.3.1); `unreachable` prohibits everything."""
        return cast("State", self._state)

    @property
    def text(self) -> bytes:
        """What lines and spans are of: the octets, or of UTF-16 what they decode to."""
        return self._text()

    @property
    def supplied(self) -> tuple[tuple[str, bytes | None], ...]:
        """The resources that references were supplied with, by URI; None for one that could not be had."""
        return tuple(self._supplied)

    @property
    def limits(self) -> Limits:
        """The limits it was read under."""
        numbers = self._limits
        return Limits() if numbers is None else Limits(*numbers)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything the readers found wrong, in the order of lines; worked out when asked for."""
        return tuple(problem(*found) for found in self._problems())

    @property
    def evidence(self) -> Mapping[str, Any]:
        """What a retrieval said: status, headers, chain, times; empty where nothing was retrieved."""
        return MappingProxyType(self._evidence or {})

    def with_evidence(self, evidence: Mapping[str, Any]) -> Self:
        """The same policy carrying what its retrieval said."""
        return type(self)(self._reading, evidence=dict(evidence))

    @property
    def lines(self) -> Lines:
        """Every line; their octets together are the text."""
        return Lines(self.text, *self._outline())

    @property
    def outline(self) -> Outline:
        """What each line with a field holds, with its place, and which lines belong together; worked out each time."""
        return Outline(self.text, self._fields())

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """Values of the Sitemap lines, each once."""
        return tuple(dict.fromkeys(one.value for one in self.extensions if one.field == "Sitemap" and one.value))

    @property
    def extensions(self) -> tuple[Extension, ...]:
        """Lines of other vocabularies: Sitemap, politeness, Content-Signal, Content-Usage, License and more."""
        return tuple(Extension(*found) for found in self._extensions())

    @property
    def statements(self) -> tuple[PolicyStatement, ...]:
        """Every statement of ACAP and the Robots Exclusion Protocol, conventional ones first."""
        return tuple(
            PolicyStatement(Cited(*cited), crawlers, purposes, pattern, tuple(restrictions))
            for cited, crawlers, purposes, pattern, restrictions in self._statements()
        )

    @property
    def signals(self) -> tuple[PolicyStatement, ...]:
        """What Content-Signal, Content-Usage and License lines say; in dialect `auto`, which heeds them.

        Of a line without path the pattern is `/`. Before the first group `*` is every crawler.
        """
        return tuple(
            PolicyStatement(Cited(*cited), crawlers, purposes, pattern, tuple(restrictions))
            for cited, crawlers, purposes, pattern, restrictions in self._signals()
        )

    def references(self, crawler: Asker) -> tuple[str, ...]:
        """URIs of `ACAP-permissions-reference` that concern a crawler, supplied or not (P1 4.5.2.2)."""
        return tuple(dict.fromkeys(uri for uri, _, _ in self._references(crawler)))

    def missing_references(self, crawler: Asker) -> tuple[str, ...]:
        """Those of them that are missing or of no use; until they are supplied everything is prohibited."""
        return tuple(dict.fromkeys(uri for uri, _, missing in self._references(crawler) if missing))

    def with_reference(self, uri: str, data: bytes | None) -> Self:
        """The same policy with the resource of a reference; None says that it could not be had, which prohibits."""
        return type(self)(self._with_reference(uri, data), evidence=self._evidence)

    def for_use(self) -> Self:
        """The same policy, to be asked about a resource that must be used or included, for that use (P1 4.5.3.1).

        What it prohibits of crawling is put aside; everything else that it says, and all that the resource itself says,
        stands. Only of a resource that a statement of the same site names.
        """
        return type(self)(self._put_aside(), evidence=self._evidence)

    def action_requests(self, crawler: Asker) -> tuple[ActionRequest, ...]:
        """Requests to take down or to crawl again that concern a crawler (P1 4.5.2.3)."""
        found = self._action_requests(crawler)
        return tuple(ActionRequest("take-down" if down else "re-crawl", path, line) for down, path, line in found)

    def politeness(self, crawler: Asker) -> Politeness:
        """What a crawler is asked to keep to: Visit-time, Request-rate, Crawl-delay, Comment."""
        visit, rates, delays, comments, thumb = self._politeness(crawler)
        return Politeness(
            tuple(Window(start, end) for start, end, _ in visit),
            tuple(
                Rate(number, seconds, Window(*window) if window else None, line)
                for number, seconds, window, line in rates
            ),
            tuple(delay for delay, _ in delays),
            tuple(comment for comment, _ in comments),
            thumb,
        )

    @classmethod
    def absent(cls, url: str | None, *, dialect: str = "auto") -> Self:
        """The policy of a site without robots.txt: no instructions (RFC 9309 2.3.1.3)."""
        return cls(_native.Policy._without(url, dialect, False))

    @classmethod
    def unreachable(cls, url: str | None, *, dialect: str = "auto") -> Self:
        """The policy of a site whose robots.txt cannot be reached: complete disallow (RFC 9309 2.3.1.4)."""
        return cls(_native.Policy._without(url, dialect, True))

    def __reduce__(self) -> tuple[Any, ...]:
        state = (self.octets, self.url, self.dialect, self._limits, self.state, self._supplied, self._evidence)
        return _restore, (type(self), *state, self._is_for_use)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RobotsPolicy) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.octets, self.url, self.dialect))

    def _identity(self) -> tuple[Any, ...]:
        state = (self.octets, self.url, self.dialect, self._limits, self.state, self._supplied)
        return (*state, self._is_for_use)

    def __repr__(self) -> str:
        where = f" of {self.url}" if self.url else ""
        state = f"{len(self.octets)} octets" if self.state == "present" else self.state
        return f"<RobotsPolicy{where}: {self.dialect}, {state}>"


def _restore(
    cls: type[RobotsPolicy],
    octets: bytes,
    url: str | None,
    dialect: str,
    limits: tuple[int, int, int, int, int, int] | None,
    state: str,
    supplied: list[tuple[str, bytes | None]],
    evidence: dict[str, Any] | None,
    is_for_use: bool = False,
) -> RobotsPolicy:
    if state == "present":
        policy = cls(octets, url=url, dialect=dialect, limits=limits)
    else:
        policy = cls(_native.Policy._without(url, dialect, state == "unreachable"))
    for uri, data in supplied:
        policy = policy.with_reference(uri, data)
    policy = policy.for_use() if is_for_use else policy
    return policy if evidence is None else policy.with_evidence(evidence)


def parse_robots(
    data: bytes | str, *, url: str | None = None, dialect: str = "auto", limits: Limits | None = None
) -> RobotsPolicy:
    """Reads a robots.txt; never raises on its content.

    Args:
        data: its octets, or text that is encoded as UTF-8.
        url: an absolute URL of the site, so that the policy answers for its scheme, host and port alone.
        dialect: one of `DIALECTS`.
        limits: bounds on what is read; by default those of `Limits`, and none in dialect `google`.

    Raises:
        ValueError: an unknown dialect, or a URL without scheme or host.
        TypeError: data is neither bytes nor str.
    """
    return RobotsPolicy(data, url, dialect, None if limits is None else limits._numbers())


def parse_robots_many(
    items: Iterable[bytes | tuple[bytes, str | None]], *, dialect: str = "auto", limits: Limits | None = None
) -> list[RobotsPolicy]:
    """Reads many files at once, on all processors and without the GIL; each item is octets, or octets and a URL.

    Raises:
        ValueError: an unknown dialect, or a URL without scheme or host.
    """
    pairs = [(item, None) if isinstance(item, bytes) else item for item in items]
    numbers = None if limits is None else limits._numbers()
    return [RobotsPolicy(reading) for reading in _native.read_many(pairs, dialect, numbers)]


def url_at(policy: RobotsPolicy, path: str) -> str:
    """A path as a URL that can be asked for: one that begins with `//` could name a host, and gets the policy's own."""
    if not path.startswith("//"):
        return path
    return ((policy.url and _native.origin(policy.url)) or _SITE) + path


_SITE = "https://site.invalid"  # RFC 6761 6.4: nobody's

NO_ROBOTS = parse_robots(b"")
"""What decides where no robots.txt was given: nothing."""

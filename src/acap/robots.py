"""robots.txt: the typed view of the native policy.

policy = parse_robots(octets, url="https://example.com/robots.txt")
policy.decide("https://example.com/a", crawler="examplebot", usage="index").permitted

Most of the module is one class, every method of which hands a question to the core.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self, TypeAlias, cast, get_args

from acap import _native
from acap.crawlers import Crawler
from acap.decision import Cited, cited
from acap.lines import Line, Lines
from acap.outline import Outline
from acap.politeness import Politeness, Rate, Window
from acap.problems import Problem, problem

Dialect: TypeAlias = Literal["auto", "rfc9309", "google", "rep-1994", "norobots-1996", "robots-2.0"]
"""A way of reading conventional lines."""

DIALECTS: tuple[Dialect, ...] = get_args(Dialect)
"""Ways of reading conventional lines; `auto` alone reads ACAP lines too."""

Reading: TypeAlias = Literal["careful", "strict"]
"""How signals are read: what plainly refuses is a refusal, or what their texts say and no more."""

Asker: TypeAlias = str | Iterable[str] | Crawler
"""A name, a User-Agent string, an ordered sequence of names, or a `Crawler`."""


READINGS: tuple[Reading, ...] = get_args(Reading)

State: TypeAlias = Literal["present", "absent", "unreachable"]
"""Whether there was a robots.txt: one was read, there is none, or that is unknown."""


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


class PolicyStatement(NamedTuple):
    """A statement with who it is addressed to and what it is about.

    `crawlers` has `*` for any crawler, and for a line of which something is cut: every crawler hears what it prohibits.
    """

    cited: Cited
    crawlers: tuple[str, ...]
    purposes: tuple[str, ...]
    pattern: str
    restrictions: tuple[tuple[str, str], ...]


class Extension(NamedTuple):
    """A line of another vocabulary; `group` is the number of its group from 0, or none before the first.

    `start` is the octet in the text at which its value begins.
    """

    field: str
    value: str
    line: int
    column: int
    start: int
    group: int | None


class ActionRequest(NamedTuple):
    """`ACAP-request-take-down` or `ACAP-request-re-crawl` (P1 4.5.2.3)."""

    action: str
    path: str
    line: int


class UsageDefinition(NamedTuple):
    """What a local usage means that a page names.

    `is_defined`: by this very name, and for the version of the file; otherwise its parts restrict and prohibit, and
    lift nothing. Each of the `parts` is a usage, whether it is permitted, and its qualifiers.
    """

    is_defined: bool
    parts: list[tuple[str, bool, list[tuple[str, str]]]]


class RobotsPolicy(_native.Policy):
    """What one robots.txt says: frozen, safe to share between threads; pickles as its octets and options.

    Made by `parse_robots`, by a `Retriever`, or by `absent` and `unreachable`. Decisions are the native core's:
    `decide` and `decide_many`; `allows` is a bare yes or no.
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
        """The resources that references were supplied with, by URI; None for one that could not be retrieved."""
        return tuple(self._supplied)

    @property
    def reading(self) -> Reading:
        """How its signals are read."""
        return "strict" if self._is_by_letter else "careful"

    def with_reading(self, reading: Reading) -> Self:
        """The same policy with its signals read so.

        `strict` gives the answer of their texts: what these call unknown (`train-ai=no`, a retired name) says nothing
        then, of Content-Usage the longest path selects one line for all names, and what may not be fetched has no
        preference. Dialects that read no signals have one reading.

        Raises:
            ValueError: an unknown reading.
        """
        return type(self)(self._read_by_letter(is_strict(reading)), evidence=self._evidence)

    @property
    def limits(self) -> Limits:
        """The limits it was read under."""
        numbers = self._limits
        return Limits() if numbers is None else Limits(*numbers)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything the readers found wrong, in the order of lines; worked out when asked for."""
        return tuple(problem(*found) for found in self._problems())

    def _repr_html_(self) -> str:
        """What notebooks show: whose it is, and its first lines."""
        from acap.notebook import policy_html  # 2 ms, and `html`, for notebooks alone

        return policy_html(self.url, self.state, self.lines, len(self.problems))

    @property
    def evidence(self) -> Mapping[str, Any]:
        """The evidence of a retrieval: status, headers, chain, times; empty where nothing was retrieved."""
        return MappingProxyType(self._evidence or {})

    @property
    def base_url(self) -> str | None:
        """The URL that relative references in it are of: where it came from in the end, by redirects (RFC 3986 5.1.3).

        Its rules are for the site that was asked, `url` (RFC 9309 2.3.1.2).
        """
        final = self.evidence.get("final_url")
        return self.url if final is None else str(final)

    def with_evidence(self, evidence: Mapping[str, Any]) -> Self:
        """The same policy with the evidence of its retrieval."""
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
        return tuple(
            dict.fromkeys(
                extension.value for extension in self.extensions if extension.field == "Sitemap" and extension.value
            )
        )

    @property
    def extensions(self) -> tuple[Extension, ...]:
        """Lines of other fields: Sitemap, politeness, Content-Signal, Content-Usage, License and more."""
        return tuple(Extension(*found) for found in self._extensions())

    @property
    def statements(self) -> tuple[PolicyStatement, ...]:
        """Every statement of ACAP and the Robots Exclusion Protocol, conventional ones first."""
        return tuple(
            PolicyStatement(cited(one), crawlers, purposes, pattern, tuple(restrictions))
            for one, crawlers, purposes, pattern, restrictions in self._statements()
        )

    @property
    def signals(self) -> tuple[PolicyStatement, ...]:
        """What Content-Signal, Content-Usage and License lines say; in dialect `auto`, which heeds them.

        Of a line without path the pattern is `/`. Before the first group `*` is every crawler.
        """
        return tuple(
            PolicyStatement(cited(one), crawlers, purposes, pattern, tuple(restrictions))
            for one, crawlers, purposes, pattern, restrictions in self._signals()
        )

    @property
    def local_usages(self) -> tuple[str, ...]:
        """The names of the usages that it defines itself (P1 4.5.3)."""
        return tuple(self._local_usages())

    def parts_of(self, usage: str) -> tuple[str, ...] | None:
        """The usages that the name of a local one stands for in questions; None if it defines no such name."""
        parts = self._parts_of(usage)
        return None if parts is None else tuple(parts)

    def definitions(self, usages: Sequence[tuple[str, bool]]) -> list[UsageDefinition]:
        """What each of the local usages means that a page permits (True) or prohibits (P2 3)."""
        return [UsageDefinition(*found) for found in self._locals(usages)]

    def has_line(self, *kinds: str) -> bool:
        """Whether a line is of one of these kinds."""
        return self._has_line(kinds)

    @property
    def has_licences(self) -> bool:
        """Whether it has a License line that was read (RSL 1.0 4.4)."""
        return self._has_licences

    def references(self, crawler: Asker) -> tuple[str, ...]:
        """URIs of `ACAP-permissions-reference` that concern a crawler, supplied or not (P1 4.5.2.2)."""
        return tuple(dict.fromkeys(uri for uri, _, _ in self._references(crawler)))

    def reference_lines(self, crawler: Asker) -> tuple[tuple[int, str], ...]:
        """The same in the order of lines, each with the number of its line."""
        return tuple(sorted({(line, uri) for uri, line, _ in self._references(crawler)}))

    def missing_references(self, crawler: Asker) -> tuple[str, ...]:
        """Those of them that are missing or of no use; until they are supplied everything is prohibited."""
        return tuple(dict.fromkeys(uri for uri, _, missing in self._references(crawler) if missing))

    def with_reference(self, uri: str, data: bytes | None) -> Self:
        """The same policy with the resource of a reference; None if it could not be retrieved, which prohibits."""
        return type(self)(self._with_reference(uri, data), evidence=self._evidence)

    def for_use(self) -> Self:
        """The same policy, to be asked about a resource that must be used or included, for that use (P1 4.5.3.1).

        What it prohibits of crawling is put aside; everything else that it says, and all that the resource itself says,
        stands. Only of a resource that a statement of the same site names.
        """
        return type(self)(self._put_aside(), evidence=self._evidence)

    def licences(self, crawler: Asker) -> tuple[tuple[str, int], ...]:
        """The documents that License lines name for a crawler, each once, with its first line (RSL 1.0 4.4).

        Those of its groups replace those for every crawler, if one of them is an absolute URL and not of plain http.
        """
        first: dict[str, int] = {}
        for target, line in self._licences(crawler):
            first.setdefault(target, line)
        return tuple(first.items())

    def controlled_licences(self, crawler: Asker) -> tuple[tuple[str, int, tuple[str, ...]], ...]:
        """The documents that License lines name for the control tokens of a crawler's operator, beside `licences`.

        Each comes with its line and the usages that the token controls, for which it is.
        """
        licences = self._controlled_licences(crawler)
        return tuple(dict.fromkeys((target, line, tuple(usages)) for target, line, usages in licences))

    def action_requests(self, crawler: Asker) -> tuple[ActionRequest, ...]:
        """Requests to take down or to crawl again that concern a crawler (P1 4.5.2.3)."""
        requests = dict.fromkeys(self._action_requests(crawler))
        return tuple(ActionRequest("take-down" if down else "re-crawl", path, line) for down, path, line in requests)

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
        return _restore, (type(self), *state, self._is_for_use, self.reading)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RobotsPolicy) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.octets, self.url, self.dialect))

    def _identity(self) -> tuple[Any, ...]:
        state = (self.octets, self.url, self.dialect, self._limits, self.state, self._supplied)
        return (*state, self._is_for_use, self.reading)

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
    reading: Reading = "careful",
) -> RobotsPolicy:
    if state == "present":
        policy = cls(octets, url=url, dialect=dialect, limits=limits)
    else:
        policy = cls(_native.Policy._without(url, dialect, state == "unreachable"))
    for uri, data in supplied:
        policy = policy.with_reference(uri, data)
    policy = policy.for_use() if is_for_use else policy
    policy = policy if reading == policy.reading else policy.with_reading(reading)
    return policy if evidence is None else policy.with_evidence(evidence)


def is_strict(reading: str) -> bool:
    """Whether signals are read by the letter.

    Raises:
        ValueError: an unknown reading.
    """
    if reading not in READINGS:
        raise ValueError(f"reading `{reading}` is none of {', '.join(READINGS)}")
    return reading == "strict"


def is_reference(value: str) -> bool:
    """Whether the value of a License line may be a URL, or a reference to one: `CC BY 4.0` is none (RFC 3986 4.1)."""
    return len(value.split()) == 1 or value.startswith("/") or "://" in value


def reads_vocabularies(policy: RobotsPolicy) -> bool:
    """Whether lines of ACAP, Content-Signal, Content-Usage and License take part: the dialect reads them."""
    return any(name == policy.dialect and reads for name, _, _, reads, _ in _native.dialects())


def licence_lines(robots: RobotsPolicy) -> tuple[str, ...]:
    """What License lines say, to whomever, each value once, as it is written (RSL 1.0 4.2)."""
    return tuple(dict.fromkeys(extension.value for extension in robots.extensions if extension.field == "License"))


def permission_references(robots: RobotsPolicy) -> tuple[str, ...]:
    """The documents that ACAP records refer any crawler to, each once, as they are written (P1 4.5.2.2)."""
    if robots.state != "present" or b"reference" not in robots.text.lower():
        return ()  # the outline of a large file takes its time
    records = (field.words for field in robots.outline.acap if field.name == "permissions-reference")
    return tuple(dict.fromkeys(word.text for words in records for word in words if word.role == "uri"))


def parse_robots(
    data: bytes | str,
    *,
    url: str | None = None,
    dialect: str = "auto",
    limits: Limits | None = None,
    reading: Reading = "careful",
) -> RobotsPolicy:
    """Reads a robots.txt; never raises on its content.

    Args:
        data: its octets, or text that is encoded as UTF-8.
        url: an absolute URL of the site, so that the policy answers for its scheme, host and port alone.
        dialect: one of `DIALECTS`.
        limits: bounds on what is read; by default those of `Limits`, and none in dialect `google`.
        reading: one of `READINGS`: how its signals are read (`RobotsPolicy.with_reading`).

    Raises:
        ValueError: an unknown dialect or reading, or a URL without scheme or host.
        TypeError: data is neither bytes nor str.
    """
    policy = RobotsPolicy(data, url, dialect, None if limits is None else limits._numbers())
    return policy.with_reading(reading) if is_strict(reading) else policy


def parse_robots_many(
    items: Iterable[bytes | str | tuple[bytes | str, str | None]],
    *,
    dialect: str = "auto",
    limits: Limits | None = None,
    reading: Reading = "careful",
) -> list[RobotsPolicy]:
    """Reads many files at once, on all processors and without the GIL.

    Args:
        items: octets or texts, each by itself or in a tuple with an absolute URL of its site, or None.
        dialect: as of `parse_robots`, like the rest.
        limits: bounds on what is read.
        reading: how signals are read.

    Raises:
        ValueError: an unknown dialect or reading, or a URL without scheme or host; the message names its item.
        TypeError: an item is something else; the message names it.
    """
    by_letter = is_strict(reading)
    numbers = None if limits is None else limits._numbers()
    policies = _native.read_many(items, RobotsPolicy, dialect, numbers)
    return [policy.with_reading(reading) for policy in policies] if by_letter else policies


def url_at(policy: RobotsPolicy, path: str) -> str:
    """A path as a URL that can be asked for: one that begins with `//` could name a host, and gets the policy's own."""
    if not path.startswith("//"):
        return path
    return ((policy.url and _native.origin(policy.url)) or _SITE) + path


_SITE = "https://site.invalid"  # RFC 6761 6.4: nobody's

NO_ROBOTS = parse_robots(b"")
"""What decides where no robots.txt was given: nothing."""

__all__ = [
    "DIALECTS",
    "NO_ROBOTS",
    "READINGS",
    "ActionRequest",
    "Asker",
    "Extension",
    "Limits",
    "Line",
    "Lines",
    "PolicyStatement",
    "Politeness",
    "Rate",
    "Reading",
    "RobotsPolicy",
    "State",
    "UsageDefinition",
    "Window",
    "is_strict",
    "parse_robots",
    "parse_robots_many",
    "url_at",
]

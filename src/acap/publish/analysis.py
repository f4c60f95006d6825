"""Findings on the statements of a robots.txt taken together: redundant lines, doubts, disagreements.

They are exact: each holds for every path, or names a path that shows it. A question that takes too long is left out,
and counted as `undecided`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from math import inf
from time import monotonic
from typing import Literal, NamedTuple, cast

from acap import _native
from acap.lines import Lines
from acap.publish.compare import compare
from acap.publish.crawlers import ANY, everyone, stranger, treated_alike
from acap.restrictions import TimeLimit, restriction
from acap.robots import PolicyStatement, RobotsPolicy, parse_robots, reads_vocabularies, url_at
from acap.usages import PARENTS, above, below

Because = Literal["unmatchable", "covered", "overridden"]

_FIELDS = 200  # most ACAP fields examined per file; the largest real file has a hundred
_AGAIN = 1 << 24  # most octets read again, the file once without each field; real files take a tenth
_PATIENCE = 2  # after this many fields that took too long, each some seconds, no more are examined
_LOOKS = 1 << 28  # octets of names searched for, each on every line; a file of a hundred crawlers takes a hundredth
_NAME = 16  # a shorter name counts as this many octets
_STEPS = 1 << 22  # of a comparison, some thirty milliseconds; real files take a tenth
_PAIRS = 20_000  # most pairs of a permission and a prohibition that are compared
_DATES = 4  # most last days to come, after each of which lines are examined again; real files have one


class Redundant(NamedTuple):
    """A line that changes no decision of any crawler, purpose or usage.

    `because`: `unmatchable` (no URL's path has that form), `covered` (other lines say the same, or
    nothing says otherwise), or `overridden` (other lines always win). `by` are those lines.
    """

    line: int
    because: Because
    by: tuple[int, ...]


class Doubt(NamedTuple):
    """A permission and a prohibition of which neither is narrower, so that the prohibition stands (P1 4.3).

    `witness` is a path at which it does, for the `purpose` if they are for one (`""` if not).
    """

    permission: int
    prohibition: int
    usage: str
    witness: str
    purpose: str = ""


class Disagreement(NamedTuple):
    """Conventional lines and ACAP fields that decide otherwise about crawling the same path.

    `conventional` and `acap` are the lines that decide, 0 where none does; `crawler` is `*` for one that no line names.
    `permits` says which side permits.
    """

    crawler: str
    conventional: int
    acap: int
    permits: Literal["conventional", "acap"]
    witness: str


class Analysis(NamedTuple):
    """All findings, in the order of lines; `undecided` is the number of questions that took too long."""

    redundant: tuple[Redundant, ...]
    doubts: tuple[Doubt, ...]
    disagreements: tuple[Disagreement, ...]
    undecided: int


def analysis(policy: RobotsPolicy, *, at: datetime | None = None, seconds: float = inf) -> Analysis:
    """Analyses the file's own lines, without the documents it refers to.

    `at`: the instant from which the findings hold; by default now. `seconds`: what is not begun by then is left out.
    """
    until = monotonic() + seconds
    at = at or datetime.now(UTC)
    everybody = everyone(policy)
    lines = policy.lines
    number = len(lines)
    if sum(max(len(name), _NAME) for name in everybody) * number > _LOOKS:
        return Analysis((), (), (), number)
    statements: Sequence[PolicyStatement] = ()
    if lines.kinds["ACAP"]:
        policy = _alone(policy, everybody)
        statements = policy.statements
    own = [statement for statement in statements if statement.cited.dialect == "acap" and statement.cited.line]
    askers = (_native.crawler_name(asker) for _, asker in treated_alike(everybody, policy))
    names = [[name] if name else [] for name in askers]
    rules, undecided = _native.redundant_lines(policy, names)
    redundant = [Redundant(line, cast("Because", because), tuple(by)) for line, because, by in rules]
    doubts: list[Doubt] = []
    disagreements: list[Disagreement] = []
    if any(statement.cited.dialect == "acap" for statement in statements):
        # A line that only repeats the other vocabulary is for crawlers that do not read that one.
        alone = without_lines(policy, _fields(policy))
        redundant_alone: set[int] = set()
        left = until - monotonic()
        if policy.ignores_conventional is None and left > 0:
            redundant_alone = {redundant_line.line for redundant_line in analysis(alone, at=at, seconds=left).redundant}
        fields, more = _redundant_fields(policy, own, at, until)
        redundant = sorted(
            [*(redundant_line for redundant_line in redundant if redundant_line.line in redundant_alone), *fields],
            key=lambda one: one.line,
        )
        undecided += more
        doubts = list(_doubts(policy, own, at, until))
        if monotonic() < until:
            disagreements = list(_disagreements(policy, statements, at))
        undecided += monotonic() >= until
    return Analysis(tuple(redundant), tuple(doubts), tuple(disagreements), undecided)


def without_lines(
    policy: RobotsPolicy, numbers: set[int], instead: bytes = b"#", *, lines: Lines | None = None
) -> RobotsPolicy:
    """The same policy with some lines empty; the others keep their numbers. Who has its lines already gives them."""
    text, lines = policy.text, policy.lines if lines is None else lines
    kept, at = [], 0
    for line in (lines[number - 1] for number in sorted(numbers)):
        if line.octets.strip():
            start = lines.starts[line.number - 1]
            kept += [text[at:start], instead, _end(line.octets)]
            at = start + len(line.octets)
    return parse_robots(b"".join([*kept, text[at:]]), url=policy.url, dialect=policy.dialect, limits=policy.limits)


def _alone(policy: RobotsPolicy, everybody: Iterable[str]) -> RobotsPolicy:
    """The policy without its references, which prohibit everything while they are missing (P1 4.5.2.2).

    Each is replaced by a field that decides nothing, and holds the record together as the reference does.
    """
    asking = stranger(policy)
    names = (asking if name == ANY else name for name in everybody)
    lines = {line for name in names for line, _ in policy.reference_lines(name)}
    return without_lines(policy, lines, b"ACAP-request-re-crawl: /") if lines else policy


def _end(octets: bytes) -> bytes:
    return octets[len(octets.rstrip(b"\r\n")) :]


def _redundant_fields(
    policy: RobotsPolicy, statements: Sequence[PolicyStatement], at: datetime, until: float
) -> tuple[list[Redundant], int]:
    """ACAP permissions and prohibitions that change no decision, from the last to the first."""
    by_line = {line: list(group) for line, group in groupby(statements, key=lambda one: one.cited.line or 0)}
    has_names = any(statement.cited.usage not in PARENTS for statement in statements)
    rules = _rules(policy)
    instants = _instants(statements, at)
    if (
        len(instants) > _DATES + 1
        or len(by_line) > _FIELDS
        or len(by_line) * len(policy.text) * (2 if rules else 1) > _AGAIN
    ):
        return [], len(by_line)
    gone: set[int] = set()
    found: list[Redundant] = []
    undecided, lines = 0, policy.lines
    # The file as it is, and its fields without conventional lines, which repeat much of it.
    now = [policy, without_lines(policy, rules)] if rules else [policy]
    for number, line in enumerate(sorted(by_line, reverse=True)):
        if undecided == _PATIENCE or monotonic() > until:
            return found, undecided + len(by_line) - number
        left_out = [gone | {line}, gone | {line} | rules][: len(now)]
        less = [without_lines(policy, numbers, lines=lines) for numbers in left_out]
        # A usage that this file defines may depend on any other.
        touched = None if has_names else _touched(by_line[line])
        verdicts = set()
        for one, other in zip(now, less, strict=True):
            usages = touched if touched is not None and _differ_by(one, other, line) else None
            verdicts |= {compare(one, other, usages=usages, at=each, steps=_STEPS).verdict for each in instants}
        if verdicts == {"equal"}:
            gone.add(line)
            now = less
            found.append(_idle_field(policy, less[-1], by_line[line], line, at))
        undecided += "undecided" in verdicts
    return found, undecided


def _fields(policy: RobotsPolicy) -> set[int]:
    return set(policy.lines.numbers("ACAP"))


def _rules(policy: RobotsPolicy) -> set[int]:
    return set(policy.lines.numbers("User-agent", "Allow", "Disallow"))


def _differ_by(robots_policy: RobotsPolicy, other: RobotsPolicy, line: int) -> bool:
    """Whether the two policies differ only by the statements of the line.

    Without a permission, purpose lines may join, and `ACAP-ignore-conventional-records` may lose its effect.
    """
    rest = [each for each in robots_policy.statements if each.cited.line != line]
    return rest == list(other.statements) and (robots_policy.ignores_conventional is None) == (
        other.ignores_conventional is None
    )


def _touched(statements: Sequence[PolicyStatement]) -> list[str] | None:
    """Usages one of which changes if any does, as a usage that depends on another changes only with it. None: all."""
    touched: dict[str, None] = {}
    for usage in {statement.cited.usage for statement in statements}:
        if usage not in PARENTS or usage == "other":
            return None
        touched |= dict.fromkeys((usage, *below(usage)))
    return list(touched)


def _instants(statements: Iterable[PolicyStatement], at: datetime) -> list[datetime]:
    """The instant from which findings hold, and the later ones at which a permission expires (P1 4.5.3.1)."""
    values = (value for statement in statements for name, value in statement.restrictions if name == "time-limit")
    limits = (restriction("time-limit", value) for value in set(values))
    over = {limit.expires("crawl") for limit in limits if isinstance(limit, TimeLimit)}
    return [at, *sorted(instant for instant in over if instant is not None and instant > at)]


def _idle_field(
    policy: RobotsPolicy, less: RobotsPolicy, statements: Sequence[PolicyStatement], line: int, at: datetime
) -> Redundant:
    """Why a field is redundant: the lines that decide at a path of its pattern."""
    first = statements[0]
    path = _native.meeting([first.pattern.encode()])
    if path is None:
        return Redundant(line, "covered", ())
    try:
        decision = less.decide(
            url_at(less, path.decode("utf-8", "replace")),
            crawler=_asker(policy, first),
            usage=first.cited.usage,
            purpose=_purpose(first) or None,
            at=at,
        )
    except ValueError:
        return Redundant(line, "covered", ())
    by = tuple(cited.line for cited in decision.reason.decided_by if cited.line and cited.line != line)[:4]
    permits = first.cited.effect == "permits"
    return Redundant(line, "covered" if permits == decision.permitted else "overridden", by)


def _doubts(policy: RobotsPolicy, statements: Sequence[PolicyStatement], at: datetime, until: float) -> Iterator[Doubt]:
    """Pairs that match a common path, with neither narrower than the other, so that the prohibition stands there."""
    permissions = [statement for statement in statements if statement.cited.effect == "permits"]
    prohibitions = [statement for statement in statements if statement.cited.effect == "prohibits"]
    if len(permissions) * len(prohibitions) > _PAIRS:
        return
    reported: set[tuple[int, int]] = set()
    for permission in permissions:
        if monotonic() > until:
            return
        for prohibition in prohibitions:
            lines = (permission.cited.line or 0, prohibition.cited.line or 0)
            if lines in reported or not _same_footing(permission, prohibition):
                continue
            purpose = _purpose(permission)
            if witness := _tie(policy, permission, prohibition, purpose, at):
                reported.add(lines)
                yield Doubt(*lines, prohibition.cited.usage, witness, purpose)


def _asker(policy: RobotsPolicy, statement: PolicyStatement) -> str:
    """A crawler that is told the statement; one that nobody is told has no crawlers."""
    return stranger(policy) if ANY in statement.crawlers else next(iter(statement.crawlers), ANY)


def _same_footing(permission: PolicyStatement, prohibition: PolicyStatement) -> bool:
    """Whether the two are of one tier, and no comparison of patterns tells which is narrower."""
    ours, theirs = permission.cited.usage, prohibition.cited.usage
    related = ours == theirs or (ours in PARENTS and theirs in above(ours))
    if not related or permission.crawlers != prohibition.crawlers or permission.purposes != prohibition.purposes:
        return False
    relation = _native.compare(permission.pattern.encode(), prohibition.pattern.encode())
    if relation == "same":
        return ours == theirs
    # The draft's own comparison, which calls itself unreliable, takes the prohibition for the narrower.
    return relation in ("incomparable", "draft-broader") or (ours != theirs and relation == "draft-narrower")


def _purpose(statement: PolicyStatement) -> str:
    """A purpose that the statement is for; `""` if it is for every one."""
    if ANY in statement.purposes:
        return ""
    # The whole purpose is matched, so a final `$` adds nothing (P1 4.5.1).
    purposes = [purpose.strip().removesuffix("$") for purpose in statement.purposes]
    plain = (purpose for purpose in purposes if "*" not in purpose)
    return next(plain, None) or next((purpose.replace("*", "x") for purpose in purposes), "")


def _tie(
    policy: RobotsPolicy, permission: PolicyStatement, prohibition: PolicyStatement, purpose: str, at: datetime
) -> str | None:
    """A path that both match and that the prohibition decides; none if there is none."""
    crawler = _asker(policy, permission)
    witness = _native.meeting([permission.pattern.encode(), prohibition.pattern.encode()])
    if witness is None:
        return None
    path = witness.decode("utf-8", "replace")
    try:
        decision = policy.decide(
            url_at(policy, path), crawler=crawler, usage=permission.cited.usage, purpose=purpose or None, at=at
        )
    except ValueError:
        return None
    decides = any(cited.line == prohibition.cited.line for cited in decision.reason.decided_by)
    keys = ("tie", "draft-comparison")
    lost = any(one.statement.line == permission.cited.line and one.key in keys for one in decision.reason.lost)
    return path if decides and lost else None


def _disagreements(policy: RobotsPolicy, statements: Sequence[PolicyStatement], at: datetime) -> Iterator[Disagreement]:
    """Paths that conventional lines alone and ACAP fields alone decide differently, for crawlers that both address."""
    if policy.ignores_conventional is not None or not reads_vocabularies(policy):
        return
    acap = {
        name.lower() for statement in statements if statement.cited.dialect == "acap" for name in statement.crawlers
    }
    conventional = {
        name.lower() for statement in statements if statement.cited.dialect != "acap" for name in statement.crawlers
    }
    if not acap or not conventional:
        return
    comparison = compare(
        without_lines(policy, _fields(policy)),
        without_lines(policy, _rules(policy)),
        usages=["crawl"],
        at=at,
        steps=_STEPS,
    )
    for change in comparison.changes:
        before, after = change.before, change.after
        crawler = next((name for name in change.crawlers if {name.lower(), ANY} & acap), None)
        # Where ACAP is silent, conventional lines count for its readers too.
        if crawler is None or before.outcome == after.outcome or not after.line:
            continue
        permits: Literal["conventional", "acap"] = "conventional" if before.outcome == "permitted" else "acap"
        yield Disagreement(crawler, before.line, after.line, permits, change.witness)

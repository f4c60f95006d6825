"""The rules of conventional groups, merged for each crawler as in RFC 9309 2.2.1."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from acap import _native
from acap.outline import Outline
from acap.publish.convert.precedence import PathRule
from acap.publish.patterns import check_time
from acap.robots import PolicyStatement, RobotsPolicy, parse_robots

ANY = "*"


@dataclass(slots=True)
class Gathered:
    """The rules for crawlers that get the same ones.

    `names` as they are written, `*` alone for those that no group names. `rules` are all rules of their groups; `lines`
    are those of the groups, User-agent lines too.
    """

    names: list[str]
    rules: list[PathRule]
    lines: list[int] = field(default_factory=list)


def names_of(agent: str) -> list[str]:
    """The names by which a User-agent value is found; none if by no name (RFC 9309 2.2.1)."""
    return _native.agent_names(agent)


def folded_names(agents: Iterable[str]) -> dict[str, None]:
    """The names in lower case by which User-agent values are found, each once, in order."""
    return dict.fromkeys(name.lower() for agent in agents for name in names_of(agent))


def versioned(policy: RobotsPolicy) -> frozenset[str]:
    """The names, in lower case, of crawlers of which a group may follow the proposal 2.0.0, by its Robot-version."""
    versions = [
        extension.line
        for extension in policy.extensions
        if extension.field == "Robot-version" and extension.value.startswith("2.")
    ]
    names: set[str] = set()
    for group in policy.outline.groups if versions else ():
        place, rules = bisect_right(versions, group.agents[-1].line), group.rules
        if place < len(versions) and (not rules or versions[place] < rules[0].line):
            names.update(name.lower() for name in group.names if name != ANY)
    return frozenset(names)


def conventional(octets: bytes) -> RobotsPolicy:
    """A robots.txt as RFC 9309 alone reads it."""
    return parse_robots(octets, dialect="rfc9309")


def gathered(policy: RobotsPolicy) -> list[Gathered]:
    """The rules for each crawler, in the order of their names; crawlers with the same lines are together."""
    spellings: dict[str, str] = {}
    for agent in policy.crawlers:
        for name in names_of(agent):
            spellings.setdefault(name.lower(), name)
    own: dict[str, list[PathRule]] = {name: [] for name in spellings}
    outline = policy.outline
    for statement in policy.statements:
        check_time()
        rules = list(_rules(outline, statement))
        for name in folded_names(statement.crawlers):
            own[name].extend(rules)
    alike: dict[tuple[PathRule, ...], Gathered] = {}
    for name, rules in own.items():
        if name != ANY:
            alike.setdefault(tuple(rules), Gathered([], rules)).names.append(spellings[name])
    out = list(alike.values())
    if ANY in own:
        out.append(Gathered([ANY], own[ANY]))
    _add_lines(outline, out)
    return out


def _rules(outline: Outline, statement: PolicyStatement) -> Iterator[PathRule]:
    line = statement.cited.line or 0
    permits = statement.cited.effect == "permits"
    pattern = _native.canonical_pattern(outline.octets(outline.by_line[line].value_span)).decode("ascii")
    if pattern == "" or not pattern.startswith(("/", "*")):
        return  # An empty rule says no more than silence; another one matches no path.
    yield PathRule(pattern, permits, line, len(pattern))
    if permits and (wide := widened(pattern)) is not None:
        yield PathRule(wide, permits, line, len(wide))


def widened(pattern: str) -> str | None:
    """The directory that `Allow: …/index.htm(l)` permits too, as the widely used matcher does."""
    directory, slash, file = pattern.rpartition("/")
    return f"{directory}/$" if slash and file.startswith("index.htm") else None


def _add_lines(outline: Outline, groups: Sequence[Gathered]) -> None:
    """Adds to each the lines of its groups, for their comments."""
    places = {name.lower(): place for place, one in enumerate(groups) for name in one.names}
    for group in outline.groups:
        check_time()
        for place in {places[name.lower()] for name in group.names if name.lower() in places}:
            groups[place].lines.extend(field.line for field in (*group.agents, *group.rules))

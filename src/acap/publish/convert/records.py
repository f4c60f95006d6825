"""What conventional groups say, gathered for each crawler as RFC 9309 gathers it (2.2.1)."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acap import _native
from acap.publish.convert.precedence import Rule
from acap.publish.patterns import check_time
from acap.robots import RobotsPolicy, parse_robots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from acap.robots import Line, PolicyStatement

ANY = "*"


@dataclass(slots=True)
class Gathered:
    """What is said to crawlers alike.

    `names` as they are written, `*` alone for those that no group names. `rules` are all rules of their groups; `lines`
    are those of the groups, User-agent lines too.
    """

    names: list[str]
    rules: list[Rule]
    lines: list[int] = field(default_factory=list)


def names_of(agent: str) -> list[str]:
    """The names by which a User-agent value is found; none if by no name.

    The leading run of `[A-Za-z0-9._-]`, and the product token, the leading run of `[A-Za-z_-]` (RFC 9309 2.2.1).
    """
    if is_any(agent):
        return [ANY]
    found = [re.match(r"[A-Za-z0-9._-]*", agent), re.match(r"[A-Za-z_-]*", agent)]
    return list(dict.fromkeys(one[0] for one in found if one and one[0]))


def versioned(policy: RobotsPolicy) -> frozenset[str]:
    """The names, in lower case, of crawlers of which a group may follow the proposal 2.0.0, by its Robot-version."""
    versions = [one.line for one in policy.extensions if one.field == "Robot-version" and one.value.startswith("2.")]
    found: set[str] = set()
    for agents, rules in groups(policy.lines) if versions else ():
        place = bisect_right(versions, agents[-1].number)
        if place < len(versions) and (not rules or versions[place] < rules[0].number):
            found.update(name.lower() for name in agent_names(agents) if name != ANY)
    return frozenset(found)


def is_any(agent: str) -> bool:
    """`*`, also when a blank and further text follow."""
    return re.match(r"\*(\s|$)", agent) is not None


def conventional(octets: bytes) -> RobotsPolicy:
    """A robots.txt as RFC 9309 alone reads it."""
    return parse_robots(octets, dialect="rfc9309")


def gathered(policy: RobotsPolicy) -> list[Gathered]:
    """What each crawler is told, in the order in which they are named; crawlers told the same lines are together."""
    spellings: dict[str, str] = {}
    for agent in policy.crawlers:
        for name in names_of(agent):
            spellings.setdefault(name.lower(), name)
    own: dict[str, list[Rule]] = {name: [] for name in spellings}
    for statement in policy.statements:
        check_time()
        rules = list(_rules(policy, statement))
        for name in dict.fromkeys(name.lower() for agent in statement.crawlers for name in names_of(agent)):
            own[name].extend(rules)
    alike: dict[tuple[Rule, ...], Gathered] = {}
    for name, rules in own.items():
        if name != ANY:
            alike.setdefault(tuple(rules), Gathered([], rules)).names.append(spellings[name])
    out = list(alike.values())
    if ANY in own:
        out.append(Gathered([ANY], own[ANY]))
    _add_lines(policy, out)
    return out


def _rules(policy: RobotsPolicy, statement: PolicyStatement) -> Iterator[Rule]:
    line = statement.cited.line or 0
    permits = statement.cited.effect == "permits"
    pattern = _native.canonical_pattern(_value(policy, statement, line)).decode("ascii")
    if pattern == "" or not pattern.startswith(("/", "*")):
        return  # An empty one says nothing that silence does not say; another one matches no path.
    yield Rule(pattern, permits, line, len(pattern))
    if permits and (wide := widened(pattern)) is not None:
        yield Rule(wide, permits, line, len(wide))


def widened(pattern: str) -> str | None:
    """The directory that `Allow: …/index.htm(l)` permits too, as the widely used matcher does."""
    directory, slash, file = pattern.rpartition("/")
    return f"{directory}/$" if slash and file.startswith("index.htm") else None


def _value(policy: RobotsPolicy, statement: PolicyStatement, line: int) -> bytes:
    """The octets of a pattern; as text they are not all to be had."""
    if "\ufffd" not in statement.pattern:
        return statement.pattern.encode()
    octets = policy.lines[line - 1].octets.partition(b"#")[0]
    return octets.partition(b":")[2].strip() or octets.split()[-1]


def _add_lines(policy: RobotsPolicy, found: Sequence[Gathered]) -> None:
    """Adds to each the lines of its groups, for their comments."""
    by_name = {name.lower(): one for one in found for name in one.names}
    for agents, rules in groups(policy.lines):
        check_time()
        named = (by_name.get(name.lower()) for name in agent_names(agents))
        for one in {id(one): one for one in named if one is not None}.values():
            one.lines.extend(line.number for line in (*agents, *rules))


def agent_names(lines: Iterable[Line]) -> list[str]:
    """The names by which User-agent lines are found."""
    return [name for line in lines for agent in parse_robots(line.octets).crawlers for name in names_of(agent)]


def groups(lines: Sequence[Line]) -> list[tuple[list[Line], list[Line]]]:
    """The User-agent lines and the rules of each group; lines of other kinds end nothing (RFC 9309 2.2)."""
    out: list[tuple[list[Line], list[Line]]] = []
    for line in lines:
        if line.kind == "User-agent":
            if not out or out[-1][1]:
                out.append(([], []))
            out[-1][0].append(line)
        elif line.kind in ("Allow", "Disallow") and out:
            out[-1][1].append(line)
    return out

"""Two policies that are to be compared, and every question at which they could differ."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from random import Random

import acap
from acap.publish.compare import Comparison
from acap.publish.crawlers import asked_as, everyone, stranger
from acap.publish.questions import NO_PURPOSE
from acap.robots import url_at
from tests.property import vocabulary as words
from tests.property.strategies import (
    INSTANTS,
    Case,
    Line,
    Palette,
    acap_record,
    acap_rule,
    conventional_group,
    generate,
    path_of,
    plain,
    stray_line,
)

LETTERS = "/.ab?"
SHORT = tuple("/" + "".join(rest) for length in range(5) for rest in itertools.product(LETTERS, repeat=length))
"""Every path of up to five letters over those that matter to paths."""
SPECIAL = tuple("/" + "".join(rest) for length in range(4) for rest in itertools.product("/.ab?%$*~", repeat=length))
"""Shorter ones, with letters that patterns or escapes give a meaning."""
UNKNOWN_PURPOSE = "no purpose of anyone"


@dataclass(frozen=True)
class Pair:
    """An old and a new policy of one dialect."""

    old: Case
    new: Case

    def policies(self) -> tuple[acap.RobotsPolicy, acap.RobotsPolicy]:
        """Both, read."""
        return read(self.old), read(self.new)

    def described(self) -> str:
        """To be read by whoever has to settle it."""
        return "\n".join(
            f"{name}: url={case.url!r} dialect={case.dialect!r} limits={case.limits} supplied={case.supplied}\n"
            + "\n".join(f"{number:4}  {line.octets!r}" for number, line in enumerate(case.lines, start=1))
            for name, case in (("old", self.old), ("new", self.new))
        )


def read(case: Case) -> acap.RobotsPolicy:
    """The policy of a case, with what it refers to."""
    limits = acap.Limits(**case.limits) if case.limits else None
    policy = acap.parse_robots(case.octets, url=case.url, dialect=case.dialect, limits=limits)
    for uri, octets in case.supplied.items():
        policy = policy.with_reference(uri, octets)
    return policy


def changed_line(random: Random, line: Line) -> Line:
    """The line with another resource, or the other effect."""
    text = line.octets.decode("utf-8", "surrogateescape")
    for one, other in (("isallow", "llow"), ("Allow", "Disallow"), ("-allow-", "-disallow-"), ("isallow", "ISALLOW")):
        if one in text and random.random() < 0.3:
            return replace(line, octets=text.replace(one, other, 1).encode("utf-8", "surrogateescape"))
    head, colon, _ = text.partition(":")
    return Line(f"{head}{colon} {random.choice(words.PATTERNS)}".encode("utf-8", "surrogateescape"), line.kind)


def edited(random: Random, case: Case) -> Case:
    """The case with a line more, less, otherwise, or two in each other's place."""
    palette = Palette.drawn(random)
    written = [word.decode("utf-8", "replace") for line in case.lines for word in line.octets.split()[1:]]
    patterns = [word for word in written if word.startswith(("/", "*"))]
    palette = replace(palette, patterns=[*palette.patterns, *patterns, *patterns])
    act = random.randrange(6)
    index = random.randrange(len(case.lines)) if case.lines else 0
    if act == 0 and case.lines:
        return case.without_line(index)
    if act == 1 and case.lines:
        lines = list(case.lines)
        lines[index] = changed_line(random, lines[index])
        return replace(case, lines=tuple(lines))
    if act == 2 and len(case.lines) > 1:
        lines = list(case.lines)
        other = random.randrange(len(lines))
        lines[index], lines[other] = lines[other], lines[index]
        return replace(case, lines=tuple(lines))
    if act == 3:
        more = random.choice((conventional_group, acap_record))(random, palette)
        return replace(case, lines=(*case.lines[:index], *more, *case.lines[index:]))
    if act == 4 and case.supplied:
        supplied = dict(case.supplied)
        supplied[random.choice(list(supplied))] = random.choice((None, *map(str.encode, words.REFERENCED)))
        return replace(case, supplied=supplied)
    rule = (
        acap_rule(random, palette)
        if random.random() < 0.5
        else plain(f"{random.choice(('Allow', 'Disallow'))}: {random.choice(palette.patterns)}", "rep")
    )
    return case.with_line(index, random.choice((rule, rule, rule, stray_line(random))))


def generate_pair(random: Random) -> Pair:
    """A policy and one that is like it, in most cases; the same for the same state of `random`."""
    old = replace(generate(random), questions=())
    if random.random() < 0.1:
        new = replace(generate(random), dialect=old.dialect, url=old.url, questions=())
        if new.dialect == "google":
            new = replace(new, limits=None)
        return Pair(old, new)
    new = old
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        new = edited(random, new)
    return Pair(old, new) if random.random() < 0.5 else Pair(new, old)


def askers(*policies: acap.RobotsPolicy) -> list[tuple[str, tuple[str, ...]]]:
    """Every crawler: how a comparison calls it, and the names it asks by."""
    asking = stranger(*policies)
    return [(name, asked_as(name, asking)) for name in everyone(*policies)]


def paths(random: Random, pair: Pair, number: int) -> list[str]:
    """Paths that the lines of both policies may match, and others."""
    written = [
        word.decode("utf-8", "replace")
        for case in (pair.old, pair.new)
        for line in case.lines
        for word in line.octets.split()
        if word.startswith((b"/", b"*"))
    ] or ["/"]
    near = [path_of(random, random.choice(written)) for _ in range(number // 2)]
    return [
        # No URL has a control character.
        re.sub(r"[\x00-\x1f\x7f]", lambda found: f"%{ord(found[0]):02X}", path)
        for path in (*near, *random.choices((*SHORT, *SPECIAL, *words.URLS), k=number - len(near)))
        if path.startswith("/")
    ]


def purposes(*policies: acap.RobotsPolicy) -> list[str]:
    """No purpose, what the policies write, parts of it, and what none writes."""
    written = [purpose for policy in policies for one in policy.statements for purpose in one.purposes]
    # A final `$` says nothing more of a purpose (P1 4.5.1).
    bare = [purpose.strip().removesuffix("$") for purpose in written]
    parts = [purpose.replace("*", filling) for purpose in bare for filling in ("", "x")]
    found = dict.fromkeys([NO_PURPOSE, *written, *parts, UNKNOWN_PURPOSE, "news", "http://a.b/c"])
    return [purpose for purpose in found if not purpose or purpose.strip()]


@dataclass(frozen=True)
class Found:
    """A question at which the two policies differ."""

    crawler: str
    purpose: str
    usage: str
    path: str
    before: tuple[str, tuple[str, ...]]
    after: tuple[str, tuple[str, ...]]


def said(policy: acap.RobotsPolicy, path: str, **asked: object) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Outcome, restrictions, and excluded purposes."""
    path = url_at(policy, path)
    try:
        decision = policy.decide(path, **asked)  # type: ignore[arg-type]  # options of several types
    except ValueError:
        decision = policy.decide(path, **(asked | {"usage": "other"}))  # type: ignore[arg-type]  # options of several types
    held = [str(one) for one in decision.restrictions if one.name != "excluded-purpose"]
    excluded = [str(one) for one in decision.restrictions if one.name == "excluded-purpose"]
    return str(decision.outcome), tuple(sorted(held)), tuple(sorted(excluded))


__all__ = ["INSTANTS", "Comparison", "Found", "Pair", "askers", "generate_pair", "paths", "purposes", "read", "said"]

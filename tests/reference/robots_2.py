"""The proposal of 1996 for a version 2.0.0: `Robot-version`, explicit and wildcard strings (R2).

Strings without `*` are the exact path; with `*` the whole path, query included. In order: explicit Allow, Disallow,
wildcard Allow. What matches nothing is refused if there is a wildcard Allow, or Allow lines and no Disallow lines
(our choice where the proposal says "Discuss").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from . import records_1994
from .canonical import canonical_octets
from .conventional import ALLOW, DISALLOW, Field, Group, Refusal, Verdict
from .pattern import ANY, matches_in_full
from .records_1994 import record_for

VERSION = re.compile(r"([0-9]+)\.([0-9]+)(\.[0-9]+)?")
Form = Literal["1.0", "2.0", "experimental"]


def form_of(record: Group) -> Form:
    """The form of a record: by the `Robot-version` that directly follows its User-agent lines, else 1.0."""
    found = record.first_after_agents
    version = VERSION.fullmatch(found.value) if found and found.kind == "robot-version" else None
    if version is None or int(version[1]) != 2:
        return "1.0"
    return "experimental" if int(version[2]) % 2 else "2.0"


def decide(records: Sequence[Group], names: Sequence[str], path: str) -> Verdict:
    """The dialect `robots-2.0`: the verdict of the crawler's record, in the record's own form."""
    record, named = record_for(records, names)
    if record is None or not named or form_of(record) == "1.0":
        return records_1994.decide(record, named, path)
    if form_of(record) == "2.0":
        return verdict_of(record.rules, path)
    return records_1994.decide(records_1994.default_record(records), False, path)


def second_reading(groups: Sequence[Group], path: str) -> tuple[Refusal, ...]:
    """What `Robot-version` adds to `auto`: refusals of groups that name the crawler, first the one that decides."""
    refusals: tuple[Refusal, ...] = ()
    for group in groups:
        if form_of(group) == "2.0":
            refusals += verdict_of(group.rules, path).refusals
    return refusals


def default_reading(groups: Sequence[Group], everybody: Sequence[Group], path: str) -> tuple[Refusal, ...]:
    """The refusals of the groups for everybody, to which an experimental group sends its crawler."""
    if not any(form_of(group) == "experimental" for group in groups):
        return ()
    rules = [rule for group in everybody for rule in group.rules]
    return records_1994.decide(Group(rules=rules), False, path).refusals


def verdict_of(rules: Sequence[Field], path: str) -> Verdict:
    """The verdict of a 2.0 record on a canonical path."""
    allows = [rule for rule in rules if rule.kind == ALLOW]
    disallows = [rule for rule in rules if rule.kind == DISALLOW]
    explicit = [rule for rule in allows if ANY not in rule.value and rule.is_whole]
    wildcard = [rule for rule in allows if ANY in rule.value or not rule.is_whole]  # it may have had one
    for rule in [*explicit, *disallows, *wildcard]:
        if rule.line.cut or (rule.kind == ALLOW and not rule.is_whole):
            continue  # what it prohibits it refuses apart; that there was an Allow still counts below
        if is_string_of(rule, path):
            if rule.kind == ALLOW:
                return Verdict(allowed_by=rule.line.number)
            return Verdict(refusals=(Refusal(canonical_string(rule) + "$", rule.line.number, named=True),))
    if wildcard or (allows and not disallows):
        return Verdict(refusals=(Refusal("/", None, named=True),))
    return Verdict()


def is_string_of(rule: Field, path: str) -> bool:
    """Whether the rule's string is the path, or with a wildcard, path and query."""
    string = canonical_string(rule)
    return matches_in_full(string, path if ANY in string else path.partition("?")[0])


def canonical_string(rule: Field) -> str:
    """The canonical form of a string; a `$` in it is literal everywhere."""
    return canonical_octets(rule.value.encode("utf-8", "surrogateescape"), literal=b"$")

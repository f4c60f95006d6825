"""Conventional lines: fields as Google's matcher reads them, groups of RFC 9309, and the rule that decides.

    group = startgroupline *(startgroupline / emptyline) *(rule / emptyline)      RFC 9309 2.2

An unknown field between two User-agent lines does not split a group. Rules before the first agent are void.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from .acap_fields import read_acap_field
from .canonical import canonical_pattern
from .crawler import agent_line_is_default, agent_line_names, first_named
from .lines import Line
from .pattern import END, matches
from .text import BLANKS, CONTROLS, UNSEEN, ascii_lower, before_control, hyphened, without_controls

AGENT, ALLOW, DISALLOW, SITEMAP = "user-agent", "allow", "disallow", "sitemap"
SPELLINGS = {
    AGENT: ("user-agent", "useragent", "user agent"),
    ALLOW: ("allow",),
    DISALLOW: ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    SITEMAP: ("sitemap", "site-map"),
}  # DEVIATION: Google's tolerance; a key counts if it begins with one of these
WHOLE_NAMES = {
    *("crawl-delay", "crawldelay", "request-rate", "visit-time", "comment", "robot-version", "host", "clean-param"),
    *("noindex", "content-signal", "content-signals", "content-usage", "license", "licence"),
}
DECIDING_KINDS = {AGENT, ALLOW, DISALLOW, "content-signal", "content-signals", "content-usage", "license", "licence"}
HALF_UNSEEN = re.compile("[\udcc2\udce2\udcef]|\udce2[\udc80\udc81]|\udcef\udcbb")  # a limit cut the rest


@dataclass(frozen=True)
class Field:
    """A line with a key and a value; `kind` is one of the spellings' kinds, else the key in lower case."""

    line: Line
    kind: str
    value: str
    is_whole: bool = True


@dataclass
class Group:
    """User-agent lines, the rules under them, and whatever else stood there."""

    agents: list[Field] = field(default_factory=list)
    rules: list[Field] = field(default_factory=list)
    others: list[Field] = field(default_factory=list)
    first_after_agents: Field | None = None

    def names(self, name: str) -> bool:
        """Whether one of its lines names the crawler."""
        return any(agent_line_names(agent.value, name) for agent in self.agents)

    def is_default(self) -> bool:
        """Whether one of its lines is for everybody."""
        return any(agent_line_is_default(agent.value) for agent in self.agents)

    @property
    def is_cut(self) -> bool:
        """Whether a limit cut one of its User-agent lines: nobody knows whom it names."""
        return any(agent.line.cut for agent in self.agents)

    @property
    def disallows(self) -> list[Field]:
        """Its rules that prohibit."""
        return [rule for rule in self.rules if rule.kind == DISALLOW]


@dataclass(frozen=True)
class Refusal:
    """A prohibition of crawl that REP speaks: its resources, its line (None: nothing matched), whom it addresses."""

    pattern: str
    line: int | None
    named: bool
    firm: bool = False


@dataclass(frozen=True)
class Verdict:
    """What REP says of a path: its refusals, strongest first; if none, the line that allowed (None: none spoke)."""

    refusals: tuple[Refusal, ...] = ()
    allowed_by: int | None = None


@lru_cache(2_000)
def read_field(line: Line) -> Field | None:
    """The field a line holds; one without kind if it holds text but no field, None if it is blank or a comment."""
    blanks, between = (BLANKS, " \t") if line.plain else (BLANKS + CONTROLS, BLANKS)
    text = line.text.partition("#")[0].strip(blanks)
    if not text:
        return None
    key, colon, value = text.partition(":")
    if not colon:
        # DEVIATION: exactly two words are a key and its value, as Google reads them
        words = [word.strip(blanks) for word in re.split(f"[{between}]", text)]
        words = [word for word in words if word]
        key, value = words if len(words) == 2 else ("", "")
        if line.cut and kind_read(text) == DISALLOW:
            key = text
    kind = kind_of(ascii_lower(key.strip(BLANKS))) if line.plain else kind_read(key)
    is_unseen = not line.plain and kind != kind_of(key_of(key))  # a permission is none behind what nobody sees
    value = value.strip(blanks)
    if line.plain:
        return Field(line, kind, value)
    read = before_control(value)
    if line.cut:
        held = read if kind == DISALLOW else value
        return Field(line, kind, "" if kind in {AGENT, ALLOW} or not colon else held, is_whole=False)
    if kind == AGENT and read != value:
        return Field(replace(line, cut=True), kind, "", is_whole=False)  # it may have been any name
    if kind.startswith(("licen", "content-")):
        return Field(line, kind, value, is_whole=read == value)  # its own reader judges what is odd
    if kind == DISALLOW and read != value:
        line = replace(line, cut=True)  # the pattern may have been narrower
    if kind == ALLOW and is_unseen:
        return Field(line, kind, "", is_whole=False)
    return Field(line, kind, read, is_whole=read == value)


def key_of(name: str) -> str:
    """A name without control characters and outer blanks, in lower case."""
    return ascii_lower(without_controls(name).strip(BLANKS))


def kind_of(key: str) -> str:
    """The kind of a field: one of the spellings' if the key begins with a spelling, else the key."""
    return next((kind for kind, spellings in SPELLINGS.items() if key.startswith(spellings)), key)


def kind_read(name: str) -> str:
    """The kind of a field; of one that takes part in decisions also behind characters that nobody sees."""
    key = key_of(name)
    kind = kind_of(key)
    if kind in SPELLINGS or kind in WHOLE_NAMES:
        return kind
    seen = kind_of(without_unseen(key))
    return seen if seen in DECIDING_KINDS else kind


def without_unseen(text: str) -> str:
    """A text without the blanks and the characters before it that nobody sees, and without a part of one at the end."""
    left = re.sub(f"^(?:{UNSEEN.pattern}|[{BLANKS}])+", "", text)
    return "" if HALF_UNSEEN.fullmatch(left) else left


def read_fields(lines: Iterable[Line]) -> list[Field]:
    """The fields of all lines that hold one."""
    return [found for found in map(read_field, lines) if found]


def is_acap(found: Field) -> bool:
    """Whether the line belongs to the other reader, and so is none at all to this one (P1 4.1)."""
    return is_acap_line(found.line.text.strip(BLANKS) if found.line.plain else key_of(found.line.text))


def is_slipped_acap(found: Field) -> bool:
    """Whether it is no field of this reader, and one of the other whose mark has slipped."""
    return not found.line.plain and found.kind not in {*SPELLINGS, *WHOLE_NAMES} and bool(read_acap_field(found.line))


def is_acap_line(text: str) -> bool:
    """Whether a line is marked as one of ACAP."""
    return hyphened(text).startswith("acap-")


def read_groups(fields: Iterable[Field], *, acap: bool = False) -> list[Group]:
    """The groups in the order of the file, each User-agent line after a rule starting the next.

    `acap`: beside a reader of ACAP, which knows its lines by a slipped mark, too.
    """
    groups: list[Group] = []
    for found in fields:
        if found.kind == AGENT:
            if not groups or groups[-1].rules:
                groups.append(Group())
            groups[-1].agents.append(found)
            groups[-1].first_after_agents = None
        elif groups:
            group = groups[-1]
            if not (is_acap(found) or (acap and is_slipped_acap(found))):
                group.first_after_agents = group.first_after_agents or found
            (group.rules if found.kind in {ALLOW, DISALLOW} else group.others).append(found)
    return groups


def groups_for(groups: Sequence[Group], names: Sequence[str]) -> tuple[list[Group], bool]:
    """The groups that speak to the crawler, and whether they name it; those for everybody if none does."""
    name = first_named(names, lambda name: any(group.names(name) for group in groups))
    if name is not None:
        return [group for group in groups if group.names(name)], True
    return [group for group in groups if group.is_default()], False


def decide(groups: Sequence[Group], named: bool, path: str) -> Verdict:
    """The verdict of the merged groups on a canonical path: the longest pattern, Allow on ties (RFC 9309 2.2.2)."""
    best_allow, allowed_by = -1, None
    refusals: list[tuple[int, Refusal]] = []
    for rule in (rule for group in groups for rule in group.rules):
        if rule.line.cut or (rule.kind == ALLOW and not rule.is_whole):
            continue  # what a limit cut refuses apart; what is not whole could permit too much
        pattern = canonical_pattern(rule.value)
        if rule.kind == DISALLOW and matches(pattern, path):
            refusals.append((len(pattern), Refusal(pattern, rule.line.number, named)))
        if rule.kind == ALLOW:
            pattern = pattern if matches(pattern, path) else directory_of_index(pattern)
            if matches(pattern, path) and len(pattern) > best_allow:
                best_allow, allowed_by = len(pattern), rule.line.number
    # Every Disallow that Allow does not outweigh stands, not only the longest: else one more Disallow, longer but
    # broader in an ACAP permission's eyes, could be the one that is overridden, and so permit (law: monotone).
    standing = [(length, refusal) for length, refusal in refusals if length > max(best_allow, 0)]
    if standing:
        return Verdict(tuple(refusal for _, refusal in sorted(standing, key=lambda found: -found[0])))
    empty = next((refusal.line for _, refusal in refusals if not refusal.pattern), None)
    return Verdict(allowed_by=empty if allowed_by is None else allowed_by)


def directory_of_index(pattern: str) -> str:
    """DEVIATION: `…/index.htm` of an Allow stands for its directory too, as Google reads it. Else the pattern."""
    directory, slash, name = pattern.rpartition("/")
    return directory + slash + END if slash and name.startswith("index.htm") else pattern

"""What each line of a policy decides, for one crawler, purpose and usage.

Nothing here reads the text. The engine tells which lines are addressed to a crawler; what a line decides is asked at a
path that its own pattern matches.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from acap import _native
from acap.decision import Decision
from acap.explain import KEYS, KINDS, visible
from acap.problems import Problem
from acap.robots import Asker, PolicyStatement, RobotsPolicy, url_at

_EFFORT = 1_500_000
"""Statements of the file times lines that are tried: about two seconds. What is over it says what it says."""

_LINE = 2_000
"""Characters of a line that are shown."""


class LineMark(StrEnum):
    """What a line comes to. Colours go by it; the word is always there."""

    PERMITS = "permits"
    RESTRICTS = "restricts"
    PROHIBITS = "prohibits"
    OVERRULED = "overruled"
    OTHER_USE = "other-use"
    OTHERS = "others"
    ADDRESS = "address"
    VOCABULARY = "vocabulary"
    DEFINES = "defines"
    COMMENT = "comment"
    BLANK = "blank"
    VOID = "void"


SIGNS: Mapping[LineMark, str] = {
    LineMark.PERMITS: "✓",
    LineMark.RESTRICTS: "◐",
    LineMark.PROHIBITS: "✕",
    LineMark.OVERRULED: "⊘",
    LineMark.OTHER_USE: "·",
    LineMark.OTHERS: "–",
    LineMark.ADDRESS: "▸",
    LineMark.VOCABULARY: "◆",
    LineMark.DEFINES: "=",
    LineMark.COMMENT: "#",
    LineMark.BLANK: "",
    LineMark.VOID: "!",
}

LEGEND: Sequence[tuple[LineMark, str]] = (
    (LineMark.PERMITS, "permits"),
    (LineMark.RESTRICTS, "permits, with a restriction"),
    (LineMark.PROHIBITS, "prohibits"),
    (LineMark.OVERRULED, "overruled by other lines"),
    (LineMark.OTHER_USE, "about another usage or purpose"),
    (LineMark.OTHERS, "for other crawlers"),
    (LineMark.VOCABULARY, "other vocabulary"),
    (LineMark.VOID, "void"),
)


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line as it is shown: its text, what it comes to, that in words, and the problems that were found in it."""

    number: int
    text: str
    mark: LineMark
    says: str
    problems: tuple[Problem, ...]

    @property
    def sign(self) -> str:
        """The mark as a character."""
        return SIGNS[self.mark]


@dataclass(frozen=True, slots=True)
class UsageQuestion:
    """Who asks, what for, and when."""

    crawler: Asker
    usage: str
    purpose: str | tuple[str, ...] | None
    at: datetime | None = None


def shown_lines(
    policy: RobotsPolicy, question: UsageQuestion, first: int, last: int, encoding: str = "utf-8"
) -> list[ShownLine]:
    """The lines from `first` to `last`, with what each decides; `encoding` is that of the octets.

    Raises:
        ValueError: a crawler without a name, a usage that nothing knows.
    """
    statements: dict[int, list[PolicyStatement]] = defaultdict(list)
    everything = policy.statements
    for statement in everything:
        if statement.cited.line is not None and (statement.cited.source or "").endswith("robots.txt"):
            statements[statement.cited.line].append(statement)
    problems: dict[int, list[Problem]] = defaultdict(list)
    for problem in policy.problems:
        problems[problem.line].append(problem)
    is_heard = Audience(policy, question)
    others = {extension.line: extension.field for extension in policy.extensions}
    wanted = [number for number in range(first, last + 1) if number in statements]
    tries = len(everything) * sum(len(statements[number]) for number in wanted) <= _EFFORT
    found = []
    for line in policy.lines[first - 1 : last]:
        if not line.octets:
            continue
        said = statements.get(line.number, [])
        wrong = tuple(problems.get(line.number, ()))
        if said:
            mark, says = _statement(policy, question, said, is_heard, tries=tries)
        elif line.kind in ("blank", "comment"):
            mark, says = LineMark(line.kind), ""
        elif any(problem.severity == "error" for problem in wrong):
            mark, says = LineMark.VOID, "applies to no crawler"
        elif line.number in others:
            mark, says = LineMark.VOCABULARY, f"{others[line.number]}: no permission or prohibition"
        elif line.kind == "unknown":
            mark, says = LineMark.VOID, "not understood"
        else:
            mark, says = LineMark.DEFINES, ""
        found.append(ShownLine(line.number, _text(line.octets, encoding), mark, visible(says), wrong))
    return _addressed(found, policy, statements, is_heard)


class Audience:
    """The lines that are addressed to a crawler that asks for a purpose."""

    def __init__(self, policy: RobotsPolicy, question: UsageQuestion) -> None:
        self._lines: dict[int, bool] = {}
        for line, is_for_purpose in _native.addressed_lines(policy, question.crawler, question.purpose):
            self._lines[line] = self._lines.get(line, False) or is_for_purpose

    def __call__(self, statement: PolicyStatement, *, any_purpose: bool = False) -> bool:
        """Whether a statement of the file is; with `any_purpose` also what is for another purpose counts."""
        is_for_purpose = self._lines.get(statement.cited.line or 0)
        return is_for_purpose is not None and (any_purpose or is_for_purpose)


def _statement(
    policy: RobotsPolicy, question: UsageQuestion, said: Sequence[PolicyStatement], is_heard: Audience, *, tries: bool
) -> tuple[LineMark, str]:
    """What the statements of one line come to: the first that decides something, else the first that lost."""
    heard = sorted(filter(is_heard, said), key=lambda one: one.cited.usage != question.usage)
    if not heard:
        first = said[0]
        if first.purposes and is_heard(first, any_purpose=True):
            return LineMark.OTHER_USE, f"for another purpose: {_listed(first.purposes)}"
        return LineMark.OTHERS, f"for {_listed(first.crawlers)}"
    lost = ""
    for one in heard:
        if not one.pattern:
            if question.usage == "crawl":
                return LineMark.PERMITS, "permits everything (an empty rule)"
            continue
        is_lost = "\N{REPLACEMENT CHARACTER}" in one.pattern
        if not tries or is_lost:
            if one.cited.usage == question.usage:
                because = "the line is not UTF-8" if is_lost else "there are too many"
                return _effect(one), f"{one.cited.effect} (not tried against the others: {because})"
            continue
        decision = policy.decide(
            url_at(policy, sample(one.pattern)),
            crawler=question.crawler,
            usage=question.usage,
            purpose=question.purpose,
            at=question.at,
        )
        reason = decision.reason
        if any(cited.line == one.cited.line for cited in reason.decided_by):
            return _deciding(one, question, permitted=decision.permitted)
        for loser in reason.lost:
            if loser.statement.line == one.cited.line and not lost:
                lines = ", ".join(str(cited.line) for cited in reason.decided_by if cited.line)
                winner = f"by line {lines}: " if lines else ""
                lost = f"overruled {winner}{KEYS.get(loser.key, loser.key)}"
        if lost or one.cited.usage != question.usage:
            continue
        if reason.kind == "silence":
            lost = "matches no path"
        elif reason.kind != "statement":
            lost = f"does not count here: {KINDS.get(reason.kind, reason.kind)}"
        elif (one.cited.effect == "permits") is decision.permitted:
            # Another vocabulary says the same, and is the one that is cited.
            mark, says = _deciding(one, question, permitted=decision.permitted)
            return mark, f"{says}, as line {reason.decided_by[0].line} does"
    if lost:
        return LineMark.OVERRULED, lost
    return LineMark.OTHER_USE, f"about {_listed(dict.fromkeys(one.cited.usage for one in heard))}"


def _deciding(statement: PolicyStatement, question: UsageQuestion, *, permitted: bool) -> tuple[LineMark, str]:
    cited = statement.cited
    about = "" if cited.usage == question.usage else f" {cited.usage}"
    if cited.effect == "prohibits" or not permitted:
        because = f", which {question.usage} needs" if cited.usage in ("crawl", "preserve") and about else ""
        gone = ", but the permission does not apply" if cited.effect == "permits" else ""
        return LineMark.PROHIBITS, f"{cited.effect}{about}{because}{gone}"
    held = _listed(f"{name}={value}" for name, value in statement.restrictions)
    return _effect(statement), f"permits{about}{f' with {held}' if held else ''}"


def _effect(statement: PolicyStatement) -> LineMark:
    if statement.cited.effect == "prohibits":
        return LineMark.PROHIBITS
    return LineMark.RESTRICTS if statement.restrictions else LineMark.PERMITS


def _addressed(
    found: list[ShownLine],
    policy: RobotsPolicy,
    statements: Mapping[int, Sequence[PolicyStatement]],
    is_heard: Audience,
) -> list[ShownLine]:
    """Lines that say who is meant take their mark from the statements that follow them."""
    after: bool | None = None
    if found:
        following = (number for number in statements if number > found[-1].number)
        if (next_one := min(following, default=None)) is not None:
            after = is_heard(statements[next_one][0], any_purpose=True)
    out = []
    kinds = {line.number: line.kind for line in policy.lines[found[0].number - 1 : found[-1].number]} if found else {}
    for one in reversed(found):
        said = statements.get(one.number)
        if said:
            after = is_heard(said[0], any_purpose=True)
        shown = one
        if one.mark is LineMark.DEFINES and kinds[one.number] == "User-agent" and after is not None:
            mark, says = (LineMark.ADDRESS, "addresses this crawler") if after else (LineMark.OTHERS, "other crawlers")
            shown = ShownLine(one.number, one.text, mark, says, one.problems)
        out.append(shown)
    return out[::-1]


def line_of(decision: Decision) -> int | None:
    """The line of the robots.txt that decided, if one did."""
    first = next(iter(decision.reason.decided_by), None)
    return None if first is None or first.element is not None or first.header is not None else first.line


def sample(pattern: str) -> str:
    """A path that the pattern matches."""
    path = pattern.removesuffix("$").replace("*", "")
    return path if path.startswith("/") else f"/{path}"


def _listed(words: Iterator[str] | Sequence[str] | Mapping[str, None]) -> str:
    listed = list(words)
    return ", ".join(listed[:4]) + (f" and {len(listed) - 4} more" if len(listed) > 4 else "")


def _text(octets: bytes, encoding: str) -> str:
    text = octets.decode(encoding, "replace").rstrip("\r\n")
    more = len(text) - _LINE
    return visible(text[:_LINE]) + (f" … and {more} more" if more > 0 else "")

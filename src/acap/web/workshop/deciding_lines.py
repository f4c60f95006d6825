"""What each line of a policy decides, for one crawler, purpose and usage.

The engine says which lines are addressed to a crawler. What a line decides is asked at a path that its pattern matches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from acap import _native
from acap.crawlers import Crawler
from acap.decision import Decision
from acap.explain import KEYS, KINDS, visible
from acap.problems import Problem, of_the_whole
from acap.publish.crawlers import stranger
from acap.robots import Asker, PolicyStatement, RobotsPolicy, url_at
from acap.usages import COMPOSITES, PARENTS

_EFFORT = 1_500_000
"""Most statements of the file times lines that are tried, about two seconds; beyond it a line has its own effect."""

_LINE = 2_000
"""Characters of a line that are shown."""

_LINES = 20
"""Most lines that are named where one is overruled."""

_RUNS = 100
"""Most runs of lines that are told of one mark."""


class LineMark(StrEnum):
    """The effect of a line. The colour shows it; the word is always there."""

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
    (LineMark.VOCABULARY, "another field, such as Sitemap"),
    (LineMark.DEFINES, "names crawlers, purposes or sets for other lines"),
    (LineMark.VOID, "no effect: no crawler understands it"),
)


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line as it is shown: its text, its mark, the mark in words, and the problems in the line."""

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
class LineRun:
    """Lines that follow each other and come to the same, and what that is in words."""

    first: int
    last: int
    says: str


@dataclass(frozen=True, slots=True)
class LineState:
    """The lines with one mark: how many there are, where the first of them stand, and how many runs are not told."""

    mark: LineMark
    word: str
    count: int
    runs: tuple[LineRun, ...]
    more: int

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
    every_statement = policy.statements
    for statement in every_statement:
        if statement.cited.line is not None and (statement.cited.source or "").endswith("robots.txt"):
            statements[statement.cited.line].append(statement)
    problems: dict[int, list[Problem]] = defaultdict(list)
    for problem in of_the_whole(policy.problems):
        problems[problem.line].append(problem)
    is_addressed = Audience(policy, question)
    others = {extension.line: extension.field for extension in policy.extensions}
    wanted = [number for number in range(first, last + 1) if number in statements]
    tries = len(every_statement) * sum(len(statements[number]) for number in wanted) <= _EFFORT
    shown = []
    decisions = _Decisions(policy, question)
    for line in policy.lines[first - 1 : last]:
        if not line.octets:
            continue
        here = statements.get(line.number, [])
        wrong = tuple(problems.get(line.number, ()))
        if here:
            mark, says = _statement(decisions, question, here, is_addressed, tries=tries)
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
        shown.append(ShownLine(line.number, _text(line.octets, encoding), mark, visible(says), wrong))
    return _addressed(shown, policy, statements, is_addressed)


def line_states(lines: Sequence[ShownLine]) -> list[LineState]:
    """Lines by what they come to, in the order of the legend."""
    runs: dict[LineMark, list[LineRun]] = defaultdict(list)
    counts: Counter[LineMark] = Counter()
    for line in lines:
        counts[line.mark] += 1
        here = runs[line.mark]
        if here and here[-1].last == line.number - 1 and here[-1].says == line.says:
            here[-1] = LineRun(here[-1].first, line.number, line.says)
        else:
            here.append(LineRun(line.number, line.number, line.says))
    return [
        LineState(mark, word, counts[mark], tuple(runs[mark][:_RUNS]), max(len(runs[mark]) - _RUNS, 0))
        for mark, word in LEGEND
        if counts[mark]
    ]


class _Decisions:
    """What is decided at paths, each once; and by which lines, and why others lost."""

    def __init__(self, policy: RobotsPolicy, question: UsageQuestion) -> None:
        self._policy, self._question = policy, question
        self._known: dict[str, tuple[Decision, frozenset[int | None], Mapping[int | None, str]]] = {}

    def at(self, path: str) -> tuple[Decision, frozenset[int | None], Mapping[int | None, str]]:
        """The decision, the lines that decided, and the key by which each other line lost."""
        if path not in self._known:
            question = self._question
            decision = self._policy.decide(
                url_at(self._policy, path),
                crawler=question.crawler,
                usage=question.usage,
                purpose=question.purpose,
                at=question.at,
            )
            reason = decision.reason
            lost = {one.statement.line: one.key for one in reversed(reason.lost)}
            self._known[path] = (decision, frozenset(cited.line for cited in reason.decided_by), lost)
        return self._known[path]


class Audience:
    """The lines that are addressed to a crawler that asks for a purpose."""

    def __init__(self, policy: RobotsPolicy, question: UsageQuestion) -> None:
        self._lines: dict[int, bool] = {}
        crawler = question.crawler if _is_controlled(question.usage) else _without_tokens(policy, question.crawler)
        asked = _native.Question(crawler, question.purpose)
        for line, is_for_purpose in _native.addressed_lines(policy, asked):
            self._lines[line] = self._lines.get(line, False) or is_for_purpose

    def __call__(self, statement: PolicyStatement, *, any_purpose: bool = False) -> bool:
        """Whether a statement of the file is addressed to the crawler; with `any_purpose` for any purpose."""
        is_for_purpose = self._lines.get(statement.cited.line or 0)
        return is_for_purpose is not None and (any_purpose or is_for_purpose)


def _is_controlled(usage: str) -> bool:
    """Whether a control token may refuse the usage, or a part of it, to the crawlers of its operator."""
    above: set[str | None] = set()
    for part in COMPOSITES.get(usage, (usage,)):
        at: str | None = part
        while at is not None:
            above.add(at)
            at = PARENTS.get(at)
    return any(not above.isdisjoint(usages) for _, usages, _, _ in _native.control_tokens())


def _without_tokens(policy: RobotsPolicy, crawler: Asker) -> Asker:
    """The crawler as one that hears no control token: the first name tells its operator, and here is nobody's."""
    if isinstance(crawler, Crawler):
        return Crawler(stranger(policy), *crawler.names, purposes=crawler.purposes)
    return (stranger(policy), *((crawler,) if isinstance(crawler, str) else crawler))


def _statement(
    decisions: _Decisions,
    question: UsageQuestion,
    statements: Sequence[PolicyStatement],
    is_addressed: Audience,
    *,
    tries: bool,
) -> tuple[LineMark, str]:
    """The mark of a line: that of its first statement that decides something, else of the first that lost."""
    addressed = sorted(filter(is_addressed, statements), key=lambda one: one.cited.usage != question.usage)
    if not addressed:
        first = statements[0]
        if first.purposes and is_addressed(first, any_purpose=True):
            return LineMark.OTHER_USE, f"for another purpose: {_listed(first.purposes)}"
        return LineMark.OTHERS, f"for {_listed(first.crawlers)}"
    lost = ""
    for statement in addressed:
        if not statement.pattern:
            if question.usage == "crawl":
                return LineMark.PERMITS, "permits everything (an empty rule)"
            continue
        is_lost = "\N{REPLACEMENT CHARACTER}" in statement.pattern
        if not tries or is_lost:
            if statement.cited.usage == question.usage:
                because = "the line is not UTF-8" if is_lost else "there are too many"
                return _effect(statement), f"{statement.cited.effect} (not tried against the others: {because})"
            continue
        decision, deciding, losing = decisions.at(sample(statement.pattern))
        reason = decision.reason
        if statement.cited.line in deciding:
            if reason.kind == "control-token":
                return LineMark.PROHIBITS, f"prohibits {question.usage}: {KINDS[reason.kind]}"
            return _deciding(statement, question, permitted=decision.permitted)
        if (key := losing.get(statement.cited.line)) is not None and not lost:
            lines = ", ".join(str(cited.line) for cited in reason.decided_by[:_LINES] if cited.line)
            winner = f"by line {lines}: " if lines else ""
            lost = f"overruled {winner}{KEYS.get(key, key)}"
        if lost or statement.cited.usage != question.usage:
            continue
        if reason.kind == "silence":
            lost = "matches no path"
        elif reason.kind != "statement":
            lost = f"does not count here: {KINDS.get(reason.kind, reason.kind)}"
        elif (statement.cited.effect == "permits") is decision.permitted:
            # Another vocabulary says the same, and is the one that is cited.
            mark, says = _deciding(statement, question, permitted=decision.permitted)
            return mark, f"{says}, as line {reason.decided_by[0].line} does"
    if lost:
        return LineMark.OVERRULED, lost
    return LineMark.OTHER_USE, f"about {_listed(dict.fromkeys(statement.cited.usage for statement in addressed))}"


def _deciding(statement: PolicyStatement, question: UsageQuestion, *, permitted: bool) -> tuple[LineMark, str]:
    cited = statement.cited
    about = "" if cited.usage == question.usage else f" {cited.usage}"
    if cited.effect == "prohibits" or not permitted:
        because = f", which {question.usage} needs" if cited.usage in ("crawl", "preserve") and about else ""
        gone = ", but the permission does not apply" if cited.effect == "permits" else ""
        return LineMark.PROHIBITS, f"{cited.effect}{about}{because}{gone}"
    restrictions = _listed(f"{name}={value}" for name, value in statement.restrictions)
    return _effect(statement), f"permits{about}{f' with {restrictions}' if restrictions else ''}"


def _effect(statement: PolicyStatement) -> LineMark:
    if statement.cited.effect == "prohibits":
        return LineMark.PROHIBITS
    return LineMark.RESTRICTS if statement.restrictions else LineMark.PERMITS


def _addressed(
    lines: list[ShownLine],
    policy: RobotsPolicy,
    statements: Mapping[int, Sequence[PolicyStatement]],
    is_addressed: Audience,
) -> list[ShownLine]:
    """A User-agent line takes its mark from the statements that follow it."""
    after: bool | None = None
    if lines:
        following = (number for number in statements if number > lines[-1].number)
        if (next_one := min(following, default=None)) is not None:
            after = is_addressed(statements[next_one][0], any_purpose=True)
    out = []
    kinds = {line.number: line.kind for line in policy.lines[lines[0].number - 1 : lines[-1].number]} if lines else {}
    for line in reversed(lines):
        here = statements.get(line.number)
        if here:
            after = is_addressed(here[0], any_purpose=True)
        shown = line
        if line.mark is LineMark.DEFINES and kinds[line.number] == "User-agent" and after is not None:
            mark, says = (LineMark.ADDRESS, "addresses this crawler") if after else (LineMark.OTHERS, "other crawlers")
            shown = ShownLine(line.number, line.text, mark, says, line.problems)
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

"""A first file of cases: the present decisions of a robots.txt, at paths of its patterns. A net, not a judgement.

Each usage with a statement is asked for every crawler that the policy names and for one it does not, at a path for each
line that matters to the usage. Equal answers share a case.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from acap.crawler_list import with_fallback
from acap.publish.coverage import Coverage, Suggestion
from acap.publish.crawlers import name_of, stranger
from acap.robots import DIALECTS, RobotsPolicy, parse_robots, url_at
from acap.usages import PARENTS, above

# Most crawlers and paths written; a policy with more of them gets a comment that says so.
MAX_CRAWLERS = 20
MAX_PATHS = 60


@dataclass(frozen=True, slots=True)
class _Answer:
    """The common answer of several questions."""

    usage: str
    purpose: str
    dialect: str
    outcome: str
    restrictions: tuple[tuple[str, str], ...]
    missing: bool
    """Whether it is because a document that the policy refers to is missing."""


def starter(policy: RobotsPolicy, robots: str, at: datetime) -> str:
    """The text of a file of cases that passes: the decisions of `policy` at an instant.

    `robots` is the policy's file as the file of cases names it.
    """
    crawlers = list(dict.fromkeys([stranger(policy), *(name for name in map(name_of, policy.crawlers) if name)]))
    cut = len(crawlers) > MAX_CRAWLERS
    # One case for crawlers with the same answers, and then for usages.
    by_crawlers: dict[tuple[_Answer, tuple[str, ...]], list[str]] = defaultdict(list)
    readings: dict[str, RobotsPolicy] = {DIALECTS[0]: policy}
    questions = _questions(policy, at)
    for crawler in crawlers[:MAX_CRAWLERS]:
        asker = with_fallback(crawler)
        answers: dict[_Answer, list[str]] = defaultdict(list)
        for (usage, purpose, dialect), paths in questions.items():
            if dialect not in readings:
                readings[dialect] = parse_robots(policy.octets, dialect=dialect)
            cut = cut or len(paths) > MAX_PATHS
            for path in paths[:MAX_PATHS]:
                read = readings[dialect]
                decision = read.decide(url_at(read, path), crawler=asker, usage=usage, purpose=purpose or None, at=at)
                restrictions = tuple((restriction.name, restriction.value) for restriction in decision.restrictions)
                answers[
                    _Answer(
                        usage,
                        purpose,
                        dialect,
                        str(decision.outcome),
                        restrictions,
                        decision.kind == "reference-missing",
                    )
                ].append(path)
        for answer, found in answers.items():
            by_crawlers[answer, tuple(found)].append(crawler)
    lines = [
        "# What this robots.txt decides today: a change of the policy that changes an answer fails a case.",
        "# Keep the cases that say what you mean, fix those that do not, and name them in your own words.",
        *(["# The policy has more crawlers or paths than are asked for here."] if cut else []),
        f"robots = {_text(robots)}",
        f"at = {at.date().isoformat()}  # time limits are judged as of this day",
    ]
    names: dict[str, int] = defaultdict(int)
    for (answer, asked), askers in by_crawlers.items():
        lines += ["", *_case(answer, asked, askers, names)]
    return "\n".join(lines) + "\n"


def _questions(policy: RobotsPolicy, at: datetime) -> dict[tuple[str, str, str], list[str]]:
    """Usage, purpose and dialect, each with the paths to ask about."""
    coverage = Coverage()
    coverage.read(policy)
    asked = [suggestion for line in coverage.lines for suggestion in coverage.suggestions(line, at=at)]
    questions: dict[tuple[str, str, str], dict[str, None]] = {("crawl", "", DIALECTS[0]): {"/": None}}
    for one in asked:
        questions.setdefault((one.usage, one.purpose or "", one.dialect), {"/": None})
    for (usage, purpose, dialect), paths in questions.items():
        for one in asked:
            if one.dialect == dialect and _bears_on(one, usage, purpose):
                paths[one.path] = None
    return {key: list(paths) for key, paths in questions.items()}


def _bears_on(suggestion: Suggestion, usage: str, purpose: str) -> bool:
    usages = (usage, *above(usage)) if usage in PARENTS else (usage,)
    return suggestion.usage in usages and (suggestion.purpose or "") == purpose


def _case(answer: _Answer, paths: Iterable[str], crawlers: list[str], names: dict[str, int]) -> Iterator[str]:
    purpose = f" for {answer.purpose}" if answer.purpose else ""
    without = "" if answer.dialect == DIALECTS[0] else ", for those that do not read ACAP"
    who = crawlers[0] if len(crawlers) == 1 else f"{crawlers[0]} and {len(crawlers) - 1} more"
    name = f"{answer.usage}{purpose} by {who}{without}: {answer.outcome}"
    names[name] += 1
    yield "[[case]]"
    yield f"name = {_text(name if names[name] == 1 else f'{name} ({names[name]})')}"
    yield from _list("path", "paths", list(paths))
    yield from _list("crawler", "crawlers", crawlers)
    yield f"usage = {_text(answer.usage)}"
    if answer.purpose:
        yield f"purpose = {_text(answer.purpose)}"
    if answer.dialect != DIALECTS[0]:
        yield f"dialect = {_text(answer.dialect)}"
    yield f"expect = {_text(answer.outcome)}"
    if answer.missing:
        yield 'kind = "reference-missing"'
    if answer.outcome == "permitted":
        by_name: dict[str, list[str]] = defaultdict(list)
        for restriction, value in answer.restrictions:
            by_name[restriction].append(value)
        pairs = (f"{key} = {_value(values)}" for key, values in by_name.items())
        yield f"restrictions = {{ {', '.join(pairs)} }}" if by_name else "restrictions = {}"


def _list(one: str, many: str, values: list[str]) -> Iterator[str]:
    if len(values) == 1:
        yield f"{one} = {_text(values[0])}"
        return
    line = f"{many} = {_value(values)}"
    if len(line) <= 100:
        yield line
        return
    yield f"{many} = ["
    yield from (f"    {_text(value)}," for value in values)
    yield "]"


def _value(values: list[str]) -> str:
    return _text(values[0]) if len(values) == 1 else f"[{', '.join(map(_text, values))}]"


def _text(text: str) -> str:
    """A basic string of TOML: JSON's escapes, and DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

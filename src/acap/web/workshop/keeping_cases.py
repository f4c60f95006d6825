"""Cases for `acap test` in the workshop: begun, added to, and checked while somebody types.

No file of this machine is read, whatever a case names.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from acap.crawler_list import names_in
from acap.decision import Decision
from acap.explain import visible
from acap.publish.cases import Case, CaseFile, CasesError, Result, check_file
from acap.publish.cases.file import parse_cases
from acap.publish.cases.report import because
from acap.publish.cases.starter import starter
from acap.publish.unbound import unreading
from acap.robots import RobotsPolicy, parse_robots
from acap.web.workshop.deciding_lines import UsageQuestion, line_of
from acap.web.workshop.trying import MOST as MOST_URLS
from acap.web.workshop.workspace import Workspace

NAME = "robots.acap.toml"
"""What the file of cases is called."""

HEAD = 'robots = "robots.txt"\n'
EXPECTED: dict[str, str] = {
    "permitted": "permitted",
    "conditional": "permitted, with restrictions",
    "prohibited": "prohibited",
}
"""Outcomes that a case can expect, in words."""

MOST = 2_000
"""At most this many checks are made here."""

_STATEMENTS = 600
"""Most statements of a policy from which cases are begun here; `acap test --init` takes any number."""

_SHOWN = 10
_NUMBERED = re.compile(r"^case \d+$")
_URL = re.compile(r"https?://[^/?#]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ShownCheck:
    """A check in words: its question, what was missed, the line that decided, and who does not read it."""

    asked: str
    passed: bool
    missed: tuple[tuple[str, str], ...]
    why: str
    line: int | None
    unread: str


@dataclass(frozen=True, slots=True)
class CheckedCase:
    """A case with its checks, of which `more` are not shown."""

    name: str
    line: int
    passed: bool
    checks: tuple[ShownCheck, ...]
    more: int


@dataclass(frozen=True, slots=True)
class CheckedCases:
    """The result of a file of cases; `wrong` says why it cannot be used."""

    cases: tuple[CheckedCase, ...] = ()
    passed: int = 0
    failed: int = 0
    wrong: str = ""


class _WorkspacePolicies:
    """The policy of the workspace, in every dialect."""

    def __init__(self, space: Workspace, site: str | None) -> None:
        self._octets = space.octets
        self._url = site or space.address
        self._read: dict[str, RobotsPolicy] = {}

    def find(self, crawler: str, dialect: str) -> RobotsPolicy:
        """The policy, the same for every crawler."""
        del crawler
        if dialect not in self._read:
            self._read[dialect] = parse_robots(self._octets, url=self._url, dialect=dialect)
        return self._read[dialect]


def checked(space: Workspace) -> CheckedCases:
    """Every case of the workspace, asked of its policy."""
    try:
        file = _file(space.cases)
        results = check_file(file, _WorkspacePolicies(space, file.site))
    except CasesError as error:
        return CheckedCases(wrong=visible(str(error)))
    passed = sum(1 for result in results if result.passed)
    return CheckedCases(tuple(_cases(results)), passed, len(results) - passed)


def _file(text: str) -> CaseFile:
    """The cases in a text. Raises CasesError, also for what would be read from this machine."""
    file = parse_cases(text.encode("utf-8", "replace"), Path(NAME), name=NAME)
    if file.references or file.documents or any(case.page is not None for case in file.cases):
        raise CasesError(
            f"{NAME}: `page`, `references` and `documents` name files, which are not read here; use `acap test`"
        )
    if (checks := sum(map(len, file.cases))) > MOST:
        raise CasesError(f"{NAME}: makes {checks:,} checks, and {MOST:,} is the most here; use `acap test`")
    return file


def _cases(results: Sequence[Result]) -> Iterator[CheckedCase]:
    for case, group in groupby(results, lambda result: result.case):
        ordered = sorted(group, key=lambda result: result.passed)
        checks = tuple(
            ShownCheck(
                visible(str(one.check)),
                one.passed,
                tuple((visible(miss.expected), visible(miss.decided)) for miss in one.missed),
                visible(because(one)),
                line_of(one.decision),
                unreading(one.decision),
            )
            for one in ordered[:_SHOWN]
        )
        yield CheckedCase(
            visible(case.name), case.line, all(one.passed for one in ordered), checks, max(len(ordered) - _SHOWN, 0)
        )


# --- writing cases ----------------------------------------------------------------------------------------------------


def added(space: Workspace) -> Workspace:
    """The workspace with the case of the fields."""
    form = space.form
    where = [line for part in form["t_where"].split() if (line := part.strip())]
    crawlers = names_in(form["t_crawler"])
    if not where:
        return space.noted("error", "write the addresses that the case is about, such as `/news/`", "t_where")
    if not crawlers:
        return space.noted("error", "write the crawler that asks, such as `Googlebot`", "t_crawler")
    if wrong := next((one for one in where if not (one.startswith("/") or _URL.match(one))), None):
        return space.noted("error", f"`{wrong}` is neither a path such as `/news/` nor a URL", "t_where")
    key = "path" if all(one.startswith("/") for one in where) else "url"
    lines = ["[[case]]"]
    if name := form["t_name"].strip():
        lines.append(f"name = {_text(name)}")
    lines += [
        f"{key}{'s' if len(where) > 1 else ''} = {_list(where)}",
        f"crawler{'s' if len(crawlers) > 1 else ''} = {_list(crawlers)}",
        f"usage = {_text(form['t_usage'] or 'crawl')}",
        f"expect = {_text(form['t_expect'] if form['t_expect'] in EXPECTED else 'prohibited')}",
    ]
    case = "\n".join([*lines, ""])
    try:
        _file(HEAD + case)
    except CasesError as error:
        return space.noted("error", visible(str(error).partition("case 1: ")[2] or str(error)))
    return replace(space, cases=_with(space.cases, case), form=space.form.without("t_where", "t_name"))


def removed(space: Workspace) -> Workspace:
    """The workspace without the case that begins in the line of the form; comments above the next one stay."""
    number = space.form["drop_case"]
    try:
        cases = _file(space.cases).cases
        place = next(place for place, case in enumerate(cases) if case.line and str(case.line) == number)
        lines = space.cases.splitlines(keepends=True)
        begin = cases[place].line - 1
        end = next((line for line in range(begin + 1, len(lines)) if lines[line].lstrip().startswith("[")), len(lines))
        while end > begin + 1 and end < len(lines) and lines[end - 1].startswith("#"):
            end -= 1
        left = "".join((*lines[:begin], *lines[end:]))
        # Only the one case, wherever else a bracket may begin a line.
        others = (*cases[:place], *cases[place + 1 :])
        if others and _alike(_file(left).cases) != _alike(others):
            raise CasesError("more would go than the case")
    except (CasesError, StopIteration):
        return space.noted("error", "this case cannot be found in the file of cases; remove it there", "cases")
    done = f"case removed: {visible(cases[place].name)}"
    return replace(space, cases=left if others else "").noted("done", done)


def _alike(cases: Sequence[Case]) -> list[Case]:
    """Cases without what their place gives them."""
    return [replace(case, line=0, name=_NUMBERED.sub("", case.name)) for case in cases]


def begun(space: Workspace) -> Workspace:
    """The workspace with cases for what its policy decides now."""
    if not space.text:
        return space.noted("error", "there is no robots.txt yet; paste one first")
    if len(space.policy.statements) > _STATEMENTS:
        return space.noted("error", "the text has very many lines; `acap test --init robots.txt` writes its cases")
    cases = starter(space.policy, "robots.txt", space.instant or datetime.now(UTC))
    return replace(space, cases=cases).noted("done", "each case states the current decision; keep those that you mean")


def kept(space: Workspace) -> Workspace:
    """The workspace with what is decided now about its URLs as cases."""
    urls = [url for line in space.urls.splitlines() if (url := line.strip())]
    try:
        cases = cases_text(space.policy, space.question, urls[:MOST_URLS])
    except ValueError as error:
        return space.noted("error", str(error))
    if not cases:
        return space.noted("error", "there is no URL to keep; write one first", "urls")
    return replace(space, cases=_with(space.cases, cases)).noted("done", "the answers are test cases now")


def cases_text(policy: RobotsPolicy, question: UsageQuestion, urls: Sequence[str]) -> str:
    """A case for each URL that can be asked about, and purpose: what is decided now. Empty without one."""
    purposes = question.purpose if isinstance(question.purpose, tuple) else (question.purpose,)
    parts: list[str] = []
    for url in dict.fromkeys(urls):
        if not (url.startswith("/") or _URL.match(url)):
            continue
        for purpose in purposes:
            try:
                decision = policy.decide(
                    url, crawler=question.crawler, usage=question.usage, purpose=purpose, at=question.at
                )
            except ValueError:
                continue
            parts.append(_case(question, url, purpose, decision))
    return "\n".join(parts)


def _case(question: UsageQuestion, url: str, purpose: str | None, decision: Decision) -> str:
    crawler = question.crawler
    names = crawler if isinstance(crawler, str) else ",".join(crawler) if isinstance(crawler, tuple) else ""
    lines = [
        "[[case]]",
        f"{'path' if url.startswith('/') else 'url'} = {_text(url)}",
        f"crawler = {_text(names)}",
        f"usage = {_text(question.usage)}",
    ]
    if purpose is not None:
        lines.append(f"purpose = {_text(purpose)}")
    if question.at is not None:
        lines.append(f"at = {question.at.isoformat()}")
    lines.append(f"expect = {_text(str(decision.outcome))}")
    restrictions: dict[str, list[str]] = defaultdict(list)
    for restriction in decision.restrictions:
        restrictions[restriction.name].append(restriction.value)
    if restrictions:
        pairs = ", ".join(f"{name} = {_list(values)}" for name, values in restrictions.items())
        lines.append(f"restrictions = {{ {pairs} }}")
    return "\n".join([*lines, ""])


def _with(cases: str, more: str) -> str:
    return f"{cases.rstrip() or HEAD.rstrip()}\n\n{more}"


def _text(value: str) -> str:
    """A basic string of TOML: as one of JSON, but for a character that only TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: Sequence[str]) -> str:
    return _text(values[0]) if len(values) == 1 else f"[{', '.join(map(_text, values))}]"

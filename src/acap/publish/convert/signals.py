"""Signals, Content-Signal and Content-Usage, in conversions: what applies to a crawler, and ACAP as signals.

Laws:
- The groups that name a crawler are merged, and then those of `*` do not apply; lines before the first group are for
  every crawler.
- A word is written for the usage it is named after; a note tells which others it refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from acap import _native
from acap.publish.convert.order import GroupLine
from acap.publish.convert.precedence import PathRule
from acap.publish.convert.records import ANY, folded_names
from acap.publish.patterns import check_time
from acap.robots import PolicyStatement, RobotsPolicy

FIELDS = ("Content-Signal", "Content-Usage")
"""The lines that are read here; a License line makes conditions, which no other form can express."""


class SignalWord(NamedTuple):
    """A name of a use, with the words that refuse and permit it; `more` are further usages that it covers."""

    field: str
    refuses: str
    permits: str
    more: tuple[str, ...] = ()


WORDS = {
    "index": SignalWord("Content-Signal", "search=no", "search=yes", ("present-link", "present-snippet")),
    "ai-input": SignalWord("Content-Signal", "ai-input=no", "ai-input=yes", ("ai-index",)),
    "ai-train": SignalWord("Content-Signal", "ai-train=no", "ai-train=yes"),
    "ai-train-generative": SignalWord("Content-Usage", "train-ai=n", "train-ai=y"),
}
"""The usages of ACAP that a signal can refuse."""


class Signals:
    """The signals of a file for each crawler."""

    def __init__(self, policy: RobotsPolicy, named: Iterable[str], *, permitting: bool = True) -> None:
        """`named` are the names that conventional groups bear; without `permitting` what they permit is left out."""
        self._lines = {extension.line: extension for extension in policy.extensions if extension.field in FIELDS}
        self._named = folded_names(named)
        self._every: list[PolicyStatement] = []
        self._own: dict[str, list[PolicyStatement]] = {}
        for signal in policy.signals:
            check_time()
            line = self._lines.get(signal.cited.line or 0)
            if line is None or not (permitting or signal.cited.effect == "prohibits"):
                continue
            if line.group is None:
                self._every.append(signal)
                continue
            for name in folded_names(signal.crawlers):
                self._own.setdefault(name, []).append(signal)

    @property
    def effective_lines(self) -> frozenset[int]:
        """The lines with an effect."""
        return frozenset(one.cited.line or 0 for one in self._all())

    @property
    def refused(self) -> frozenset[str]:
        """Every usage that some line refuses."""
        return frozenset(one.cited.usage for one in self._all() if one.cited.effect == "prohibits")

    def _all(self) -> Iterator[PolicyStatement]:
        return chain(self._every, *self._own.values())

    @property
    def for_every_crawler(self) -> tuple[str, ...]:
        """The lines before the first group, as written."""
        return self._written(self._every)

    def lines(self, crawler: str) -> tuple[str, ...]:
        """The lines of the crawler's groups, as written."""
        return self._written(self._statements_for(crawler))

    def _written(self, statements: Iterable[PolicyStatement]) -> tuple[str, ...]:
        extensions = (self._lines[statement.cited.line or 0] for statement in statements)
        return tuple(dict.fromkeys(f"{extension.field}: {extension.value}" for extension in extensions))

    def _statements_for(self, crawler: str) -> list[PolicyStatement]:
        key = crawler.lower()
        return self._own.get(key if key in self._named else ANY, [])

    def rules(self, crawler: str) -> dict[str, tuple[PathRule, ...]]:
        """The rules for a crawler by refused usage; the longest decides."""
        rules: dict[str, dict[PathRule, None]] = {}
        for statement in (*self._every, *self._statements_for(crawler)):
            check_time()
            pattern = _native.canonical_pattern(statement.pattern.encode()).decode("ascii")
            permits = statement.cited.effect == "permits"
            whole = not self._lines[statement.cited.line or 0].value.startswith("/")
            # Of equally long paths the refusal stands; a missing path has length 0.
            rank = 0 if whole else 2 * len(pattern)
            rule = PathRule(pattern, permits, statement.cited.line or 0, rank if permits else rank + 1)
            rules.setdefault(statement.cited.usage, {})[rule] = None
        return {usage: tuple(rules) for usage, rules in rules.items() if not all(rule.permits for rule in rules)}


def signal_paths(pattern: str) -> tuple[str, ...]:
    """The paths of signals, which begin with `/`, that match together what a pattern matches."""
    rest = pattern.lstrip("*")
    if rest == pattern:
        return (pattern,)
    return ("/",) if not rest else (f"/*{rest}", *((rest,) if rest.startswith("/") else ()))


def signal_lines(lines: Iterable[tuple[str, GroupLine]], *, permitting: bool) -> Iterator[str]:
    """Lines that say of usages what rules say, one for each path; without `permitting` what they refuse alone."""
    words_of: dict[tuple[str, str], list[str]] = {}
    for usage, line in lines:
        kind, _, pattern = line.text.partition(": ")
        permits = kind == "Allow"
        if permitting or not permits:
            word = WORDS[usage]
            for path in (pattern,) if pattern.startswith("/") else signal_paths(pattern):
                words_of.setdefault((word.field, path), []).append(word.permits if permits else word.refuses)
    for (field, path), words in words_of.items():
        yield f"{field}: {'' if path == '/' else f'{path} '}{', '.join(dict.fromkeys(words))}"

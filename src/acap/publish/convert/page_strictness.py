"""Proof that statements about a page are no looser than robots.txt: what has no exact form is prohibited.

Laws, for every crawler that may fetch the page, every purpose that robots.txt tells apart, and every usage:
- No answer of the statements is looser, unless headers have no word that is as strict: robots.txt has to state that,
  and a note says so.
- Every answer that is stricter is noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from acap import _native
from acap._native import Statement
from acap.decision import STRICTNESS, Decision
from acap.pages import words
from acap.pages.writing import page_statements
from acap.publish.compare import SECONDS
from acap.publish.convert.conversion import Note, Target
from acap.publish.convert.page_answers import Answers, page_of
from acap.publish.convert.states import ANYBODY, USAGES, above, has_acap_word
from acap.publish.patterns import check_time
from acap.publish.questions import purposes_of
from acap.restrictions import Restriction
from acap.robots import RobotsPolicy

_ROUNDS = len(USAGES) + 2
_TRIED = 64
"""At most this many permissions that make answers less strict are tried."""
_NAMED = 5
"""Most crawlers named in a note."""
_WORDS = ("nofollow", "noai", "noarchive", "nosnippet", "noindex")
"""Words that prohibit, the weakest first."""


class _Question(NamedTuple):
    crawler: str
    purpose: str | None
    """The purpose asked for, and a pattern of the policy that matches it."""
    pattern: str | None
    usage: str


def settled(
    policy: RobotsPolicy, url: str, to: Target, crawlers: Sequence[str], lines: Sequence[str]
) -> tuple[list[str], list[Note]]:
    """The lines with missing ones added, and notes of answers that are stricter or cannot be expressed."""
    return _PageStrictness(policy, url, to, crawlers).settled(list(lines))


class _PageStrictness:
    def __init__(self, policy: RobotsPolicy, url: str, to: Target, crawlers: Sequence[str]) -> None:
        self._policy, self._url, self._to = policy, url, to
        self._wanted = {
            _Question(name, purpose, pattern, usage): self._decided(name, purpose, usage)
            for name in crawlers
            for purpose, pattern in _purposes(policy)
            if policy.decide(url, crawler=name, purpose=purpose).permitted
            for usage in USAGES
        }
        self._without_word: dict[str, None] = {}

    def _decided(self, crawler: str, purpose: str | None, usage: str) -> Decision:
        check_time()
        return self._policy.decide(self._url, crawler=crawler, usage=usage, purpose=purpose)

    def settled(self, lines: list[str]) -> tuple[list[str], list[Note]]:
        for number in range(_ROUNDS):
            looser = [asked for asked, wanted, given in self._answers(lines) if _is_looser(given, wanted)]
            more = dict.fromkeys(line for asked in looser for line in self._taking(asked, exact=number == 0))
            added = [line for line in more if line not in lines]
            if not added:
                break
            lines = [*lines, *added]
        if self._to == "meta":
            lines = self._eased(lines)
        stricter = [asked for asked, wanted, given in self._answers(lines) if _is_looser(wanted, given)]
        notes = [
            Note(0, f"`{usage}` has no word in headers; robots.txt must say it", True) for usage in self._without_word
        ]
        by_whom: dict[str, dict[str, None]] = {}
        for asked in stricter:
            whom = "others" if asked.crawler == ANYBODY else f"`{asked.crawler}`"
            by_whom.setdefault(whom, {})[asked.usage] = None
        alike: dict[str, list[str]] = {}
        for whom, usages in by_whom.items():
            alike.setdefault(", ".join(_topmost(usages)), []).append(whom)
        notes += [
            Note(0, f"stricter than robots.txt for {_listed(whom)}: {usages}", loss=True)
            for usages, whom in alike.items()
        ]
        return lines, notes

    def _answers(self, lines: list[str]) -> Iterator[tuple[_Question, Decision, Decision]]:
        text = "".join(f"{line}\n" for line in lines).encode()
        answers = Answers(page_of(text, self._to, self._url))
        for asked, wanted in self._wanted.items():
            yield asked, wanted, answers.of(asked.crawler, asked.purpose)[asked.usage]

    def _taking(self, asked: _Question, *, exact: bool) -> Iterator[str]:
        """Lines that are as strict as the policy, exactly as strict if that can be expressed."""
        wanted = self._wanted[asked]
        if self._to == "meta":
            yield from self._tag(asked, wanted if exact else None)
            return
        for word in _WORDS:
            if asked.usage in _prohibited(word):
                yield f"X-Robots-Tag: {word}" if asked.crawler == ANYBODY else f"X-Robots-Tag: {asked.crawler}: {word}"
                return
        self._without_word[asked.usage] = None

    def _tag(self, asked: _Question, wanted: Decision | None) -> tuple[str, ...]:
        """A tag that permits under the wanted restrictions, or prohibits."""
        limits = () if wanted is None else tuple((one.name, one.value) for one in _restrictions(wanted))
        has_words = wanted is not None and wanted.permitted and all(has_acap_word(name) for name, _ in limits)

        def written(*, permits: bool) -> tuple[str, ...]:
            statement = Statement(
                dialect="acap",
                usage=asked.usage,
                outcome="permitted" if permits else "prohibited",
                crawler=None if asked.crawler == ANYBODY else asked.crawler,
                named=asked.crawler != ANYBODY,
                purpose=asked.pattern,
                restrictions=limits if permits else (),
            )
            return page_statements([statement]).meta

        if has_words:
            try:
                return written(permits=True)
            except ValueError:
                pass
        return written(permits=False)

    def _eased(self, lines: list[str]) -> list[str]:
        """The lines with permissions that make an answer less strict and none looser: `other` is silent beside them."""
        stricter = [asked for asked, wanted, given in self._answers(lines) if _is_looser(wanted, given)]
        for asked in stricter[:_TRIED]:
            if not self._wanted[asked].permitted:
                continue
            more = [*lines, *(line for line in self._tag(asked, self._wanted[asked]) if line not in lines)]
            answers = list(self._answers(more))
            eased = any(one == asked and not _is_looser(wanted, given) for one, wanted, given in answers)
            if eased and not any(_is_looser(given, wanted) for _, wanted, given in answers):
                lines = more
        return lines


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _topmost(usages: Iterable[str]) -> list[str]:
    known = set(usages)
    return [usage for usage in usages if not known & set(above(usage)[1:])]


def _restrictions(decision: Decision) -> list[Restriction]:
    return [restriction for restriction in decision.restrictions if restriction.name != "excluded-purpose"]


def _is_looser(loose: Decision, strict: Decision) -> bool:
    """Whether the first answer is looser than the second."""
    if loose.outcome != strict.outcome:
        return STRICTNESS[loose.outcome] < STRICTNESS[strict.outcome]
    restrictions = {(restriction.name, restriction.value) for restriction in _restrictions(loose)}
    return loose.permitted and not {(one.name, one.value) for one in _restrictions(strict)} <= restrictions


def _prohibited(word: str) -> set[str]:
    """The usages that a conventional word prohibits, those below included."""
    usages = {
        usage
        for read in words.read(word, agents=False)
        for rule in read.rules_for("generic")
        if rule.restriction is None
        for usage in rule.usages
    }
    return {usage for usage in USAGES if usages & set(above(usage))}


def _purposes(policy: RobotsPolicy) -> list[tuple[str | None, str | None]]:
    """Purposes that the policy tells apart, each with a pattern that matches it; none, and what no pattern matches."""
    globs = [
        (written, re.compile(b".*".join(map(re.escape, _native.folded_purpose(written).split(b"*"))), re.DOTALL))
        for written in policy.purposes
        if written not in ("", "*")
    ]

    def pattern(purpose: str) -> str | None:
        folded = _native.folded_purpose(purpose)
        return next((written for written, glob in globs if glob.fullmatch(folded)), None)

    return [(purpose or None, pattern(purpose) if purpose else None) for purpose in purposes_of(policy, SECONDS)]

"""The answers to a batch of questions, and how they are written as JSON.

The law of this module: whatever is not known, not understood or not decided in time is a row that prohibits, with its
`error`. Rows come URL by URL and for each URL usage by usage, as many as were asked for.
"""

from __future__ import annotations

import json
import math
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, repeat
from json.encoder import encode_basestring_ascii
from operator import add
from typing import Any, NamedTuple, cast

from acap._native import SEMANTICS, Question
from acap.table import ERRORS as NO_QUESTION
from acap.table import PolicyTable
from acap.web.decisions import bounds
from acap.web.decisions.questions import Questions
from acap.web.decisions.sites import ReadyPolicy

UNKNOWN = {
    "deadline": "the policy was not there, or the question not decided, by the deadline",
    "ending": "the server ends",
    "fault": "the policy was not retrieved, by a fault of the server",
    "overloaded": "there was no room for the retrieval of the policy, or for the policy",
}
"""Why the policy of a site is unknown, or a question undecided."""

OF_POLICY = {
    "restrictions-too-long": "the restrictions of a permission are too long to be sent",
    "unreachable": "the site could not be asked for its policy, and no copy stands in",
}
"""Why a policy that is known, or known to be out of reach, answers with an error."""

ERRORS = tuple(sorted({*UNKNOWN, *OF_POLICY, *NO_QUESTION, "no-http"} - {"no-policy"}))
"""Every value of `error` but null.

Of no question are `no-http`, a URL that is neither of http nor of https, and those of `acap.table.ERRORS`.
"""


class RowAnswer(NamedTuple):
    """What is said of a URL for one usage; many URLs share one.

    `kind` of the reason, None where no policy was asked. `line` that decided, None for none, and its `rule`.
    `restrictions` as `name=value`. `age` of the policy in seconds; `stale`: a copy stands in while the site is out of
    reach. `error` is one of `ERRORS`; `retry_after` the seconds after which it is worth to ask again.
    """

    usage: str
    outcome: str
    kind: str | None = None
    line: int | None = None
    rule: str | None = None
    restrictions: tuple[str, ...] = ()
    age: int | None = None
    stale: bool = False
    error: str | None = None
    retry_after: int | None = None


class Rows(NamedTuple):
    """The answers of a batch: URL by URL, and for each URL usage by usage.

    `distinct` are the answers, each once; `places` of each row the place of its answer among them.
    """

    urls: Sequence[str | None]
    width: int
    distinct: list[RowAnswer]
    places: list[int]

    def each(self) -> Iterator[tuple[str | None, RowAnswer]]:
        """The rows one by one."""
        for row, place in enumerate(self.places):
            yield self.urls[row // self.width], self.distinct[place]


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions, the site of each URL (None: not a URL), the policies that are known, why others are not."""

    asked: Questions
    sites: Sequence[str | None]
    policies: Mapping[str, ReadyPolicy]
    unknown: Mapping[str, str]
    now: float

    def rows(self, until: float) -> Rows:
        """An answer for each question; those not decided `until` then (`time.monotonic`) are errors."""
        usages = self.asked.usages
        known = list(self.policies.values())
        table = PolicyTable([ready.policy for ready in known])
        question = Question(self.asked.crawler, self.asked.purpose or None)
        there: dict[RowAnswer, int] = {}
        places: list[int] = []

        def place(answer: RowAnswer) -> int:
            return there.setdefault(answer, len(there))

        for begin, end in self._chunks():
            if time.monotonic() > until:
                break
            urls = self.asked.urls[begin:end]
            found, of_rows = table.decide(urls, usages, question, "prohibited", ["rule", "restrictions"]).distinct()
            rows = [place(answer) if (answer := self._answer(one, known)) is not None else -1 for one in found]
            decided = list(map(rows.__getitem__, of_rows))
            if -1 in rows:  # of those that have no policy it depends on the site why
                for row in (row for row, one in enumerate(decided) if one < 0):
                    site = self.sites[begin + row // len(usages)]
                    error = "no-http" if site is None else self.unknown.get(site, "deadline")
                    decided[row] = place(_without_policy(usages[row % len(usages)], error))
            places += decided
        late = [place(_without_policy(usage, "deadline")) for usage in usages]
        places += late * (len(self.asked.urls) - len(places) // len(usages))
        return Rows(self.asked.urls, len(usages), list(there), places)

    @property
    def is_light(self) -> bool:
        """Whether it is decided in milliseconds."""
        width = len(self.asked.usages)
        return width * len(self.asked.urls) <= bounds.LIGHT_ROWS and self._sums()[-1] <= bounds.LIGHT_OCTETS

    def _sums(self) -> list[int]:
        """Up to each URL, the octets of the policies that are asked, counted for each answer."""
        octets = {site: ready.octets * len(self.asked.usages) for site, ready in self.policies.items()}
        return list(accumulate((octets.get(site or "", 0) for site in self.sites), initial=0))

    def _chunks(self) -> Iterator[tuple[int, int]]:
        """Places of URLs that are decided together: so many, and so much that their policies may make of it."""
        width, count = len(self.asked.usages), len(self.asked.urls)
        sums = self._sums()
        begin = 0
        while begin < count:
            heavy = bisect_right(sums, sums[begin] + bounds.CHUNK_OCTETS) - 1
            end = min(count, begin + max(1, bounds.CHUNK_ROWS // width), max(heavy, begin + 1))
            yield begin, end
            begin = end

    def _answer(self, row: tuple[Any, ...], known: Sequence[ReadyPolicy]) -> RowAnswer | None:
        """What a row of the table says; None where the table has no policy of its site."""
        usage, outcome, kind, _, _, line, policy, error, rule, restrictions = row
        if policy is None:
            return None if error == "no-policy" else RowAnswer(usage, "prohibited", error=error)
        ready = known[policy]
        if sum(map(len, restrictions)) > bounds.RESTRICTION_CHARACTERS:
            return RowAnswer(usage, "prohibited", kind, line or None, error="restrictions-too-long")
        if ready.failure is not None and outcome == "prohibited":  # what carries policy may be fetched all the same
            again = max(bounds.RETRY_SECONDS, math.ceil(ready.until - self.now))
            return RowAnswer(usage, outcome, kind, error="unreachable", retry_after=again)
        shown = rule if rule is None or len(rule) <= bounds.RULE_CHARACTERS else f"{rule[: bounds.RULE_CHARACTERS]}…"
        age = None if ready.stated_at is None else max(0, int(self.now - ready.stated_at))
        return RowAnswer(usage, outcome, kind, line or None, shown, tuple(restrictions), age, ready.stale)


def _without_policy(usage: str, error: str) -> RowAnswer:
    return RowAnswer(usage, "prohibited", error=error, retry_after=bounds.RETRY_SECONDS if error in UNKNOWN else None)


def to_json(asked: Questions, rows: Rows) -> bytes:
    """The answers as a JSON document."""
    head = {"semantics": SEMANTICS, "source": "robots.txt", "crawler": asked.crawler, "usages": asked.usages}
    tails = [_tail(answer) for answer in rows.distinct]
    urls: Iterable[str] = map(_text, rows.urls)
    if None not in rows.urls:
        urls = map(encode_basestring_ascii, cast("Sequence[str]", rows.urls))
    if rows.width > 1:
        urls = chain.from_iterable(map(repeat, urls, repeat(rows.width)))
    # No step of Python's own for a row: there are twenty thousand of them.
    answers = ',\n{"url": '.join(map(add, urls, map(tails.__getitem__, rows.places)))
    begin = '\n{"url": ' if rows.places else ""
    return f'{json.dumps(head)[:-1]}, "answers": [{begin}{answers}\n]}}\n'.encode("ascii")


def _tail(answer: RowAnswer) -> str:
    """What follows the URL of a row: written out, in a tenth of the time that `json.dumps` takes for it.

    Usages, outcomes, kinds and errors are words of ours, which have nothing to escape.
    """
    usage, outcome, kind, line, rule, restrictions, age, stale, error, retry_after = answer
    return (
        f', "usage": "{usage}", "outcome": "{outcome}", "kind": {_word(kind)}, "line": {line or "null"}, '
        f'"rule": {_text(rule)}, "restrictions": [{", ".join(map(_text, restrictions))}], '
        f'"age": {"null" if age is None else age}, "stale": {"true" if stale else "false"}, '
        f'"error": {_word(error)}, "retry_after": {retry_after or "null"}}}'
    )


def _word(word: str | None) -> str:
    return "null" if word is None else f'"{word}"'


def _text(text: str | None) -> str:
    return "null" if text is None else encode_basestring_ascii(text)

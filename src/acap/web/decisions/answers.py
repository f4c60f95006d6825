"""The answers to a batch of questions, and how they are written as JSON.

The law of this module: whatever is not known, not understood or not decided in time is a row that prohibits, with its
`error`. Rows come URL by URL and for each URL usage by usage, as many as were asked for.
"""

from __future__ import annotations

import json
import math
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate
from json.encoder import encode_basestring_ascii
from typing import Any

from acap._native import SEMANTICS
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


@dataclass(frozen=True, eq=False)
class RowAnswer:
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

    @cached_property
    def tail(self) -> str:
        """What follows the URL in JSON."""
        return f", {json.dumps(asdict(self))[1:]}"


Rows = list[tuple[str | None, RowAnswer]]


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
        rows: Rows = []
        for chunk in self._decided(until):
            rows += chunk
        usages = self.asked.usages
        late = [RowAnswer(usage, "prohibited", error="deadline", retry_after=bounds.RETRY_SECONDS) for usage in usages]
        left = self.asked.urls[len(rows) // len(usages) :]
        rows += [(url, answer) for url in left for answer in late]
        return rows

    def _decided(self, until: float) -> Iterator[Rows]:
        """The answers in chunks, until the time is over."""
        asked, known = self.asked, list(self.policies.values())
        table = PolicyTable([one.policy for one in known])
        said: dict[tuple[Any, ...], RowAnswer] = {}
        for begin, end in self._chunks():
            if time.monotonic() > until:
                return
            found = table.decide(
                asked.urls[begin:end], asked.crawler, asked.usages, asked.purpose or None, None, None, "prohibited",
                ["rule", "restrictions"],
            )  # fmt: skip
            rows: Rows = []
            for place, row in enumerate(found):
                url, usage, outcome, kind, _, _, line, policy, error, rule, restrictions = row
                if error == "no-policy":
                    site = self.sites[begin + place // len(asked.usages)]
                    error, kind = "no-http" if site is None else self.unknown.get(site, "deadline"), None
                key = (usage, outcome, kind, line, policy, error, *restrictions)
                answer = said.get(key)
                if answer is None:
                    ready = None if policy is None else known[policy]
                    answer = said[key] = self._answer(usage, outcome, kind, line, rule, restrictions, error, ready)
                rows.append((url, answer))
            yield rows

    def _chunks(self) -> Iterator[tuple[int, int]]:
        """Places of URLs that are decided together: so many, and so much that their policies may make of it."""
        width, count = len(self.asked.usages), len(self.asked.urls)
        octets = {site: ready.octets * width for site, ready in self.policies.items()}
        sums = list(accumulate((octets.get(site or "", 0) for site in self.sites), initial=0))
        begin = 0
        while begin < count:
            heavy = bisect_right(sums, sums[begin] + bounds.CHUNK_OCTETS) - 1
            end = min(count, begin + max(1, bounds.CHUNK_ROWS // width), max(heavy, begin + 1))
            yield begin, end
            begin = end

    def _answer(
        self, usage: str, outcome: str, kind: str | None, line: int, rule: str | None, restrictions: Sequence[str],
        error: str | None, ready: ReadyPolicy | None,
    ) -> RowAnswer:  # fmt: skip
        if ready is None:
            again = bounds.RETRY_SECONDS if error in UNKNOWN else None
            return RowAnswer(usage, "prohibited", kind, error=error, retry_after=again)
        if sum(map(len, restrictions)) > bounds.RESTRICTION_CHARACTERS:
            return RowAnswer(usage, "prohibited", kind, line or None, error="restrictions-too-long")
        if ready.failure is not None and outcome == "prohibited":  # what carries policy may be fetched all the same
            again = max(bounds.RETRY_SECONDS, math.ceil(ready.until - self.now))
            return RowAnswer(usage, outcome, kind, error="unreachable", retry_after=again)
        shown = rule if rule is None or len(rule) <= bounds.RULE_CHARACTERS else f"{rule[: bounds.RULE_CHARACTERS]}…"
        age = None if ready.told_at is None else max(0, int(self.now - ready.told_at))
        return RowAnswer(usage, outcome, kind, line or None, shown, tuple(restrictions), age, ready.stale)


def to_json(asked: Questions, rows: Rows) -> bytes:
    """The answers as a JSON document."""
    head = {"semantics": SEMANTICS, "source": "robots.txt", "crawler": asked.crawler, "usages": asked.usages}
    texts = ("null" if url is None else encode_basestring_ascii(url) for url, _ in rows)
    answers = ",\n".join([f'{{"url": {text}{answer.tail}' for text, (_, answer) in zip(texts, rows, strict=True)])
    return f'{json.dumps(head)[:-1]}, "answers": [\n{answers}\n]}}\n'.encode("ascii")

"""The policies of sites in archives, by time: which one speaks for a page that was captured at an instant.

The laws of this module:

1. The capture of robots.txt that is nearest before the instant speaks, for at most 30 days. One up to 24 hours later
   counts as before where there is none: a crawler may write the page first. Otherwise none speaks.
2. A capture that cannot be read stays where it was: its site was out of reach then. Damage is never looser than a 503.
3. While a site was out of reach its last file serves for 30 days, as in a crawl (RFC 9309 2.3.1.4); that there was none
   does not. So it is where something else came in place of the file; where no file was known, that says nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from acap.harvest.copies import read_warc
from acap.harvest.store.policies import STALE
from acap.retrieval.answers import Answer, Failure, FailureKind, Meaning, Rules, meaning
from acap.retrieval.exchange import MAX_REDIRECTS, REDIRECTS
from acap.retrieval.locations import canonical, resolve, robots_url
from acap.robots import RobotsPolicy, parse_robots

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from acap.harvest.copies import Capture, Damage

LATER = timedelta(hours=24)  # so much later a capture counts as before; a file is fresh for as long (RFC 9309 2.4)


@dataclass(frozen=True, slots=True)
class _Said:
    """What an archive has of a robots.txt at an instant; `capture` is None where that cannot be read, for `why`."""

    at: datetime
    capture: Capture | None
    why: str = ""


class Timelines:
    """Of every site in some archives."""

    def __init__(self, dialect: str, rules: Rules, paths: Iterable[Path]) -> None:
        """Reads the archives, in whatever order. Raises OSError for one that cannot be opened."""
        self.dialect = dialect
        self.rules = rules
        found: dict[str, list[_Said]] = {}

        def add(url: str | None, said: _Said) -> None:
            try:
                known = url is not None and canonical(url)
            except ValueError:
                return
            if known and known == robots_url(known):
                found.setdefault(known, []).append(said)

        def damaged(damage: Damage) -> None:
            if damage.at is not None:
                add(damage.url, _Said(damage.at, None, damage.message))

        for path in paths:
            for capture in read_warc(path, on_problem=damaged):
                add(capture.url, _Said(capture.at, capture))
        # Of one instant what cannot be read comes last, and so counts.
        self._sites = {
            url: Timeline(self, url, sorted(said, key=lambda one: (one.at, one.capture is None)))
            for url, said in found.items()
        }

    def of(self, url: str) -> Timeline:
        """The captures of the robots.txt at a URL; none if the archives have none."""
        return self._sites.get(url) or Timeline(self, url, [])


class Timeline:
    """The captures of one robots.txt, in the order of time."""

    def __init__(self, timelines: Timelines, url: str, said: list[_Said]) -> None:
        self._all = timelines
        self._url = url
        self._said = said
        self._answers: dict[int, Answer] = {}
        self._policies: dict[tuple[int, bool], RobotsPolicy] = {}

    def speaking(self, at: datetime) -> RobotsPolicy | None:
        """The policy for what was captured at an instant; None if nobody knows."""
        place = self._place(at)
        return None if place is None else self._bridged(place, at)

    def newest(self, now: datetime) -> tuple[datetime, RobotsPolicy] | None:
        """When the archives last have anything of it, and the policy that this comes to now."""
        if not self._said:
            return None
        last = len(self._said) - 1
        return self._said[last].at, self._bridged(last, now)

    def _place(self, at: datetime) -> int | None:
        after = bisect_right(self._said, at, key=lambda one: one.at)
        if after and at - self._said[after - 1].at <= STALE:
            return after - 1
        if after < len(self._said) and self._said[after].at - at <= LATER:
            return after
        return None

    def _bridged(self, place: int, at: datetime) -> RobotsPolicy:
        """The policy of a capture, or of the last file before it while the site was out of reach."""
        answer = self._answer(place)
        if meaning(answer, self._all.rules) is not Meaning.UNREACHABLE and not answer.is_other_document:
            return self._policy(place)
        settled = self._settled_before[place]
        if settled is not None and meaning(self._answer(settled), self._all.rules) is Meaning.READ:
            if at - self._said[settled].at <= STALE:
                return self._policy(settled)
            return self._policy(place, unreachable=True)
        return self._policy(place)

    @cached_property
    def _settled_before(self) -> list[int | None]:
        """For each capture the last one before it by which the site said something that stands."""
        out: list[int | None] = []
        last: int | None = None
        for place in range(len(self._said)):
            out.append(last)
            if self._answer(place).settled:
                last = place
        return out

    def _policy(self, place: int, *, unreachable: bool = False) -> RobotsPolicy:
        key = place, unreachable
        if key not in self._policies:
            answer = self._answer(place)
            means = Meaning.UNREACHABLE if unreachable else meaning(answer, self._all.rules)
            self._policies[key] = self._made(answer, means).with_evidence(_evidence(answer, means))
        return self._policies[key]

    def _made(self, answer: Answer, means: Meaning) -> RobotsPolicy:
        dialect = self._all.dialect
        if means is Meaning.READ or (means is Meaning.ABSENT and answer.is_other_document):
            return parse_robots(answer.octets, url=self._url, dialect=dialect)
        if means is Meaning.ABSENT:
            return RobotsPolicy.absent(self._url, dialect=dialect)
        return RobotsPolicy.unreachable(self._url, dialect=dialect)

    def _answer(self, place: int) -> Answer:
        if place not in self._answers:
            self._answers[place] = self._answered(self._said[place])
        return self._answers[place]

    def _answered(self, first: _Said) -> Answer:
        """What the site answered, redirects followed as far as the archives have them."""
        said: _Said | None = first
        for hop in range(MAX_REDIRECTS + 1):
            if said is None or said.capture is None:
                why = "the archives have no capture of what it redirects to" if said is None else said.why
                return self._failed(first, FailureKind.CUT_BODY if said else FailureKind.REDIRECT, why)
            capture = said.capture
            if capture.status == 206:
                return self._failed(first, FailureKind.CUT_BODY, "a part of the document was sent (206)")
            if capture.status not in REDIRECTS:
                octets = capture.body if 200 <= capture.status < 300 else b""
                return Answer(self._url, "", capture.url, first.at, capture.status, capture.headers, octets)
            if hop == MAX_REDIRECTS:
                break
            locations = {value for name, value in capture.headers if name.lower() == "location"}
            try:
                target = resolve(capture.url, locations.pop() if len(locations) == 1 else "\0")
            except ValueError:
                return self._failed(first, FailureKind.REDIRECT, "its redirect leads nowhere")
            said = self._all.of(target)._near(said.at)
        return self._failed(first, FailureKind.TOO_MANY_REDIRECTS, f"more than {MAX_REDIRECTS} redirects")

    def _near(self, at: datetime) -> _Said | None:
        place = self._place(at)
        return None if place is None else self._said[place]

    def _failed(self, first: _Said, kind: FailureKind, why: str) -> Answer:
        return Answer(self._url, "", self._url, first.at, failure=Failure(kind, why))


def _evidence(answer: Answer, means: Meaning) -> dict[str, Any]:
    failure = answer.failure
    return {
        "url": answer.url,
        "meaning": str(means),
        "status": answer.status,
        "fetched_at": answer.fetched_at.isoformat(),
        "failure": None if failure is None else {"kind": str(failure.kind), "text": failure.text},
    }

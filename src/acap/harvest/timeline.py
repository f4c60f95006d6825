"""The policies of sites in archives, by time: which one speaks for a page that was captured at an instant.

The laws of this module:

1. The capture of robots.txt that is nearest before the instant speaks, for at most 30 days. One up to 24 hours later
   counts as before where there is none: a crawler may write the page first. Otherwise none speaks.
2. A capture that cannot be read stays where it was: its site was out of reach then. Damage is never looser than a 503.
   Damage of which nobody knows of which site it is may be a robots.txt that prohibited: from the last record before it
   in its file on, no site's earlier file speaks; nor does any if no record there could be read, or a thousand times so.
   For one site it is so where the date of a capture cannot be read, or is to come.
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
from acap.harvest.keeper import NOT_MODIFIED
from acap.harvest.store.policies import STALE
from acap.retrieval.answers import Answer, Failure, FailureKind, Meaning, Rules, meaning
from acap.retrieval.exchange import MAX_REDIRECTS, REDIRECTS
from acap.retrieval.locations import canonical, is_robots_url, resolve
from acap.robots import RobotsPolicy, parse_robots

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from acap.harvest.copies import Capture, Damage, Revisit

LATER = timedelta(hours=24)  # so much later a capture counts as before; a file is fresh for as long (RFC 9309 2.4)


_MOST_LOST = 1_000
"""So many records of which nobody knows of which site they were are weighed one by one."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What an archive has of a robots.txt at an instant; `capture` is None where that cannot be read, for `why`."""

    at: datetime
    capture: Capture | None
    why: str = ""
    is_lost: bool = False  # nobody knows what was said, so that nothing said before holds on


class Timelines:
    """Of every site in some archives."""

    def __init__(self, dialect: str, rules: Rules, paths: Iterable[Path], now: datetime | None = None) -> None:
        """Reads the archives, in whatever order; a date after `now` is none. Raises OSError for one not opened."""
        self.dialect = dialect
        self.rules = rules
        self._undated: set[str | None] = set()
        """The robots.txt of which something may have been said at any time; None: any of them."""
        self._revisits: list[Revisit] = []
        self._now = now
        self._found: dict[str, list[_Said]] = {}
        self._lost: list[_Said] = []
        for path in paths:
            self._read(path)
        for revisit in self._revisits:
            self._add(revisit.url, self._revisited(revisit))
        for said in self._found.values():
            # Of one instant what cannot be read comes last, and so counts.
            said += self._lost
            said.sort(key=lambda one: (one.at, one.capture is None, one.is_lost))
        self._sites = {url: Timeline(self, url, said) for url, said in self._found.items()}

    def of(self, url: str) -> Timeline:
        """The captures of the robots.txt at a URL; none if the archives have none."""
        return self._sites.get(url) or Timeline(self, url, [])

    def is_certain(self, url: str) -> bool:
        """Whether it is known when everything that the archives have of a robots.txt was said."""
        return self._undated.isdisjoint((None, url))

    def _revisited(self, one: Revisit) -> _Said:
        """What a site said whose octets are in another record; they may be those of any before it."""
        known = [said for said in self._found.get(canonical(one.url), ()) if said.capture is not None]
        before = [said for said in known if said.at < one.at]
        meant = [said for said in before if said.at == one.refers_at]
        if not meant and len({said.capture.body for said in before if said.capture is not None}) == 1:
            meant = before
        if not meant:
            return _Said(one.at, None, "its octets are in another record, which is not at hand", is_lost=True)
        return _Said(one.at, meant[-1].capture)

    def _read(self, path: Path) -> None:
        last: datetime | None = None
        undated: list[tuple[str | None, str]] = []  # before anything could be read

        def lost(url: str | None, why: str) -> None:
            if last is None:
                undated.append((url, why))
            elif url is not None:
                self._add(url, _Said(last, None, why, is_lost=True))
            elif not self._lost or self._lost[-1].at != last:
                self._lost.append(_Said(last, None, why, is_lost=True))
                if len(self._lost) > _MOST_LOST:
                    # Each counts for every site: with so many nobody knows anything of any.
                    self._undated.add(None)

        def damaged(damage: Damage) -> None:
            if damage.is_other:
                return
            if damage.url is None or not self._is_date(damage.at):
                lost(damage.url, damage.message)
            elif damage.at is not None:
                self._add(damage.url, _Said(damage.at, None, damage.message))

        def revisited(one: Revisit) -> None:
            if not self._is_date(one.at):
                lost(one.url, "its date is to come")
            elif one.status != NOT_MODIFIED and is_robots_url(one.url):
                self._revisits.append(one)

        for capture in read_warc(path, on_problem=damaged, on_revisit=revisited):
            if not self._is_date(capture.at):
                lost(capture.url, f"its date, {capture.at.isoformat()}, is to come")
                continue
            last = capture.at
            self._add(capture.url, _Said(capture.at, capture))
            waiting, undated = undated, []
            for url, why in waiting:
                lost(url, why)
        for url, _ in undated:
            if url is None or is_robots_url(url):
                self._undated.add(None if url is None else canonical(url))

    def _is_date(self, at: datetime | None) -> bool:
        return at is not None and (self._now is None or at <= self._now)

    def _add(self, url: str | None, said: _Said) -> None:
        if url is not None and is_robots_url(url):
            self._found.setdefault(canonical(url), []).append(said)


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
        if self._said and not self._all.is_certain(self._url):
            return RobotsPolicy.unreachable(self._url, dialect=self._all.dialect)
        place = self._place(at)
        return None if place is None else self._bridged(place, at)

    def newest(self, now: datetime) -> tuple[datetime, RobotsPolicy] | None:
        """When the archives last have anything of it, and the policy that this comes to now."""
        if not self._said:
            return None
        last = len(self._said) - 1
        if not self._all.is_certain(self._url):
            return self._said[last].at, RobotsPolicy.unreachable(self._url, dialect=self._all.dialect)
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
        if self._said[place].is_lost:
            return self._policy(place)
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
            if self._answer(place).settled or self._said[place].is_lost:
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
        "archive": True,
        "url": answer.url,
        "meaning": str(means),
        "status": answer.status,
        "fetched_at": answer.fetched_at.isoformat(),
        "failure": None if failure is None else {"kind": str(failure.kind), "text": failure.text},
    }

"""The policies of sites in archives, by time: which one decides on a page that was captured at an instant.

The laws of this module:

1. The last capture of robots.txt before the instant decides, for at most 30 days. One up to 24 hours later counts as
   before, as a crawler may write the page first. Where there are both, both have to permit. Without either, no policy
   is known.
2. A capture that cannot be read keeps its instant: its site counts as out of reach then. Damage is never looser than a
   503. Damage of an unknown site may be a robots.txt that prohibited: from the last record before it in its file on, no
   earlier robots.txt of any site counts, nor one of the instant of the next record. Without a record before it, that
   holds from the beginning on; none counts at all if no record there could be read, or after a thousand such instants.
   The same applies to one site where the date of a capture
   cannot be read, or is in the future.
3. While a site was out of reach its last file serves for 30 days, as in a crawl (RFC 9309 2.3.1.4); the absence of a
   file does not. Another document in place of the file counts as out of reach, or as nothing if no file was known and
   none that was damaged since may have been one. A statement that may have been made but is lost is not bridged. All of
   this holds of what a redirect leads to, too: it serves as it was until the next capture at the URL of the redirect,
   never as it was captured later.
4. A revisit has its own status and headers, with the octets of the record that it names and of no other. If it names
   none, they are those of all captures before it, if these were always the same.
5. The order of captures of one instant is unknown. Whatever would prohibit in either order does: of files that differ
   none counts, and the statements of that instant are lost; a failure beside a file counts as after it.
6. Spellings of one URL are one document (RFC 3986 6.2.2): a capture of `/robots%2Etxt` counts as one of `/robots.txt`.
7. Of each document to which redirects lead the capture decides that is nearest to the instant asked about, by the rule
   of law 1: ages do not add up along redirects. One that is not there, or too old, is out of reach.

Timelines are one module with the archives they are read from, because a redirect leads from one timeline to another.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from acap.archives.archive import ArchiveReader, Damage, Revisit, read_warc
from acap.archives.archived import document_name
from acap.archives.archived_answers import (
    ArchivedAnswer,
    PolicyAnswer,
    Way,
    answer_of,
    is_from,
    is_of_others,
    is_same,
    location_of,
    prohibits,
    without_page,
    word_of,
)
from acap.archives.capture import Capture, Digest, digest_of
from acap.archives.site_documents import LATER, STALE
from acap.remembered import KeptBeside
from acap.retrieval.answers import NOT_MODIFIED, PARTIAL, FailureKind, Meaning, Rules, meaning, values
from acap.retrieval.body import CutBodyError, check_whole
from acap.retrieval.exchange import MAX_REDIRECTS, REDIRECTS
from acap.retrieval.locations import is_robots_url, normal, robots_url
from acap.robots import RobotsPolicy, parse_robots

_ELSEWHERE = "its octets are in another record, which is not at hand"
_DIFFER = "of this instant several captures are at hand, which differ"

_MOST_REDIRECTS = 256
"""At most this many targets of redirects are looked at for one question; what more may have said is lost."""

_FOLLOWED, _LEAST_FOLLOWED = 2**12, 8
"""At most this many redirects are followed for all captures of one timeline together, of each as it stood; though for
each capture this many at least, as a chain with two captures at each end may have."""

_WAYS = 2**14
"""Ways through redirects of one timeline that are kept."""

_POLICIES = 1024
_POLICY_OCTETS = 2**24
"""Policies of one timeline that are kept, and octets of their text."""

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
"""Before any capture."""

_MOST_LOST = 1_000
"""At most this many instants of records whose site is unknown are weighed; beyond that every timeline is in doubt."""


class Timelines:
    """The timelines of every site in some archives."""

    def __init__(
        self,
        dialect: str,
        rules: Rules,
        paths: Iterable[Path],
        now: datetime | None = None,
        *,
        known: Callable[[str], Iterable[PolicyAnswer]] = lambda _: (),
        read: ArchiveReader = read_warc,
    ) -> None:
        """Reads the archives, in any order. Raises OSError if one cannot be opened.

        A date after `now` does not count. `known` gives further known policies for the URL of a robots.txt. `read` is
        what reads an archive.
        """
        self.dialect = dialect
        self.rules = rules
        self._undated: set[str | None] = set()
        """URLs of robots.txt files with statements that may be of any time; None: any URL."""
        self._revisits: list[Revisit] = []
        self._now = now
        self._answers_by_url: dict[str, list[ArchivedAnswer]] = {}
        self._lost: list[ArchivedAnswer] = []
        self._named: dict[Hashable, Capture | None] = {}
        """By number, by URL and instant, and by digest of its octets; None: several, or it cannot be read."""
        self._first: dict[str, tuple[Capture | None, datetime | None]] = {}
        """By URL of a robots.txt: its first content, and when another content came."""
        self._known = known
        self._captures_of = read
        self._targets: frozenset[str] = frozenset()
        self._is_again = False
        given = tuple(paths)
        for path in given:
            self._read(path)
        self._read_targets(given)
        for url in {*self._answers_by_url, *filter(None, (self._place(revisit.url) for revisit in self._revisits))}:
            self._recall(url)
        for revisit in sorted(self._revisits, key=lambda revisit: revisit.at):  # one may name another
            self._add(revisit.url, self._revisited(revisit))
        self._sites: dict[str, Timeline] = {}

    def _place(self, url: str) -> str | None:
        """The URL by which a timeline goes: that of a robots.txt, however it is spelled, or of what one redirects to.

        None of anything else, and of a robots.txt where the archives are read again.
        """
        if is_robots_url(url):
            return None if self._is_again else robots_url(url)
        return name if self._targets and (name := document_name(url)) in self._targets else None

    def _read_targets(self, paths: Sequence[Path]) -> None:
        """Reads the archives again for what robots.txt files redirect to beside each other, as often as it leads on."""
        known: set[str] = set()
        for _ in range(MAX_REDIRECTS):
            self._targets = frozenset(self._redirected() - known)
            if not self._targets:
                break
            known |= self._targets
            self._is_again = True
            for path in paths:
                self._read(path)
        self._is_again, self._targets = False, frozenset(known)

    def _redirected(self) -> set[str]:
        """What captures redirect to that is no robots.txt."""
        captures = (answer.capture for answers in self._answers_by_url.values() for answer in answers)
        locations = (
            location_of(capture) for capture in captures if capture is not None and capture.status in REDIRECTS
        )
        return {url for url in locations if url is not None and not is_robots_url(url)}

    def of(self, url: str) -> Timeline:
        """The timeline of the URL of a robots.txt; empty if nothing is known of it."""
        if url not in self._sites:
            if url not in self._answers_by_url:
                self._recall(url)
            if answers := self._answers_by_url.get(url, []):
                answers = self._ordered(url, [*answers, *self._lost])
            self._sites[url] = Timeline(self, url, answers)
        return self._sites[url]

    def target(self, url: str) -> Timeline:
        """The timeline of what a robots.txt redirects or refers to, while the timeline of that is in use."""
        return self.of(url)

    def lost(self, url: str, at: datetime) -> tuple[RobotsPolicy, ...]:
        """What speaks for a site of which nothing is known: that something is lost which may have been its robots.txt.

        Empty if nothing is lost that may count at the instant.
        """
        if not self.is_certain(url):
            return (self.out_of_reach(url),)
        return Timeline(self, url, self._ordered(url, self._lost)).speaking(at) if self._lost else ()

    def out_of_reach(self, url: str) -> RobotsPolicy:
        """The policy of a site of which it is unknown when it said what."""
        return RobotsPolicy.unreachable(url, dialect=self.dialect)

    def _ordered(self, url: str, answers: list[ArchivedAnswer]) -> list[ArchivedAnswer]:
        """In order of time; at one instant files first, then failures, then lost captures, which therefore count."""
        ordered: list[ArchivedAnswer] = []
        for at, together in groupby(sorted(answers, key=lambda answer: answer.at), key=lambda answer: answer.at):
            group = list(together)
            if len(group) > 1:
                ranks: list[list[ArchivedAnswer]] = [[], [], [], []]
                for answer in group:
                    ranks[self._rank(url, answer)].append(answer)
                if len({word_of(answer) for answer in ranks[0]}) > 1:
                    ranks[3].append(ArchivedAnswer(at, None, _DIFFER, is_lost=True, several=tuple(ranks[0])))
                    ranks[0] = []
                group = [answer for rank in ranks for answer in rank]
            ordered += group
        return ordered

    def _rank(self, url: str, archived: ArchivedAnswer) -> int:
        """0 for a file, 1 for another document in its place, 2 for a failure, 3 for a lost capture."""
        if archived.capture is None:
            return 3 if archived.is_lost else 2
        if archived.capture.status in REDIRECTS:
            return 0
        answer = answer_of(url, archived.at, archived.capture)
        if archived.capture.status == PARTIAL or meaning(answer, self.rules) is Meaning.UNREACHABLE:
            return 2
        return int(answer.is_other_document)

    def _recall(self, url: str) -> None:
        """Adds policies known from elsewhere; of an archive that is at hand, its own captures are used instead."""
        at_hand: dict[datetime, list[ArchivedAnswer]] = {}
        for answer in self._answers_by_url.get(url, ()):
            at_hand.setdefault(answer.at, []).append(answer)
        for known in self._known(url):
            if not self._is_date(known.at) or any(is_from(known, answer) for answer in at_hand.get(known.at, ())):
                continue
            status, failure = known.evidence.get("status"), known.evidence.get("failure")
            if known.state != "unreachable":
                status = 200 if known.state == "present" else 404
            elif not known.evidence:
                continue  # the site was never asked
            elif failure is not None or not isinstance(status, int) or 200 <= status < 400:
                why = str((failure or {}).get("text", "the site was out of reach"))
                self._add(
                    url,
                    ArchivedAnswer(known.at, None, why, is_lost=bool(known.evidence.get("lost")), policy=known.policy),
                )
                continue
            self._add(
                url, ArchivedAnswer(known.at, Capture(url, known.at, status, (), known.octets), policy=known.policy)
            )

    def timelines(self) -> Iterator[tuple[str, Timeline]]:
        """The timeline of each robots.txt in the archives, by its URL."""
        for url in filter(is_robots_url, sorted(self._answers_by_url)):
            yield url, self.of(url)

    def is_certain(self, url: str) -> bool:
        """Whether the time of everything that the archives have of a robots.txt is known."""
        return self._undated.isdisjoint((None, url))

    def _revisited(self, revisit: Revisit) -> ArchivedAnswer:
        """The capture of a revisit, with the octets of another record."""
        is_repeated = revisit.status in (0, NOT_MODIFIED)  # status and headers too
        if revisit.is_named or (revisit.digest is not None and not is_repeated):
            repeated = self._named_capture(revisit, is_repeated=is_repeated)
        else:
            repeated = self._always(self._place(revisit.url) or revisit.url, revisit.at)
        if repeated is None or (is_repeated and is_of_others(_payload(revisit), repeated)):
            return ArchivedAnswer(revisit.at, None, _ELSEWHERE, is_lost=True)
        repeated = replace(repeated, url=revisit.url, at=revisit.at, number="")
        if is_repeated:
            return ArchivedAnswer(revisit.at, repeated)
        try:
            if not values(revisit.headers, "content-encoding"):
                check_whole(revisit.status, revisit.headers, len(repeated.body), is_unchunked=True)
        except CutBodyError as error:
            return ArchivedAnswer(revisit.at, None, str(error), is_lost=True)
        return ArchivedAnswer(revisit.at, replace(repeated, status=revisit.status, headers=revisit.headers))

    def _named_capture(self, revisit: Revisit, *, is_repeated: bool) -> Capture | None:
        """The capture that a revisit names; of one that repeats no status, else one that has the same digest."""
        try:
            place = normal(revisit.refers_url or revisit.url), revisit.refers_at
        except ValueError:
            return None
        named = self._named.get(revisit.refers_to or place)
        if named is not None:
            is_there = revisit.refers_at in (None, named.at) and (
                not revisit.refers_url or place[0] == normal(named.url)
            )
            if is_there and (is_repeated or not is_of_others(revisit.digest, named)):
                return named
        return None if is_repeated or revisit.digest is None else self._named.get(revisit.digest)

    def _always(self, url: str, at: datetime) -> Capture | None:
        """The content of a robots.txt before an instant, if it was always the same; None if not, or without any."""
        if url not in self._first:
            answers = sorted([*self._answers_by_url.get(url, ()), *self._lost], key=lambda answer: answer.at)
            first = answers[0].capture if answers else None
            others = (answer.at for answer in answers if first is None or not is_same(answer.capture, first))
            self._first[url] = first, next(others, None)
        first, until = self._first[url]
        return None if first is None or first.at >= at or (until is not None and until <= at) else first

    def _read(self, path: Path) -> None:
        last: datetime | None = None
        undated: list[tuple[str | None, str]] = []  # before the first readable record
        waiting: dict[str | None, str] = {}  # for the next date, as they may be of that instant too

        def lost(url: str | None, why: str) -> None:
            if url is not None and (url := self._place(url)) is None:
                return
            waiting.setdefault(url, why)
            if last is None:
                undated.append((url, why))
            else:
                self._lose(url, last, why)

        def reached(at: datetime) -> None:
            for url, why in waiting.items():
                self._lose(url, at, why)
            waiting.clear()

        def damaged(damage: Damage) -> None:
            if damage.at is not None and self._is_date(damage.at):
                reached(damage.at)
            if damage.hides:
                lost(None, damage.message)
            if damage.is_other:
                return
            if damage.url is None or not self._is_date(damage.at):
                lost(damage.url, damage.message)
            elif damage.at is not None:
                self._add(damage.url, ArchivedAnswer(damage.at, None, damage.message))

        def revisited(revisit: Revisit) -> None:
            if not self._is_date(revisit.at):
                lost(revisit.url, "its date is to come")
                return
            reached(revisit.at)
            if self._place(revisit.url) is not None:
                self._revisits.append(revisit)

        for capture in self._captures_of(path, on_problem=damaged, on_revisit=revisited):
            if not self._is_date(capture.at):
                lost(capture.url, f"its date, {capture.at.isoformat()}, is to come")
                continue
            last = capture.at
            if self._place(capture.url) is not None:
                taken = without_page(capture) if self._is_again else capture
                self._add(capture.url, ArchivedAnswer(capture.at, taken))
            reached(last)
            for url, why in undated:  # from a time on of which nothing is known
                self._lose(url, _BEGINNING, why)
                self._lose(url, last, why)
            undated.clear()
        self._undated.update(url for url, _ in undated)

    def _lose(self, url: str | None, at: datetime, why: str) -> None:
        """Notes that something is lost at an instant or later, of one site or of any."""
        if url is None and self._is_again:
            return
        answer = ArchivedAnswer(at, None, why, is_lost=True, is_dated=False)
        if url is not None:
            self._add(url, answer)
        elif not self._lost or self._lost[-1].at != at:
            self._lost.append(answer)
            if len(self._lost) > _MOST_LOST:
                # Each counts for every site: with this many, no site's timeline is known.
                self._undated.add(None)

    def _is_date(self, at: datetime | None) -> bool:
        return at is not None and (self._now is None or at <= self._now)

    def _add(self, url: str | None, answer: ArchivedAnswer) -> None:
        if url is None or (url := self._place(url)) is None:
            return
        capture = answer.capture
        self._answers_by_url.setdefault(url, []).append(answer)
        if answer.is_dated:
            self._name((url, answer.at), capture, is_same)
        if capture is not None and capture.number:
            self._name(capture.number, capture, is_same)
        if capture is not None and capture.digest is not None:
            self._name(capture.digest, capture, lambda one, other: one.body == other.body)
        if url in self._first:
            first, until = self._first[url]
            self._first[url] = first, until or (None if is_same(capture, first) else answer.at)

    def _name(self, name: Hashable, capture: Capture | None, is_same: Callable[[Capture, Capture], bool]) -> None:
        known = self._named.setdefault(name, capture)
        if known is not None and (capture is None or not is_same(capture, known)):
            self._named[name] = None


class _InstantQuestion:
    """What speaks at an instant, and the redirects that were followed to answer it.

    `is_bridged`: where the answer of a site passed, the last one that lasts speaks. `is_newest`: of each document the
    last capture speaks, however old it is. `latest`: no capture after this instant speaks.
    """

    def __init__(
        self,
        at: datetime,
        *,
        is_bridged: bool = True,
        is_newest: bool = False,
        latest: datetime | None = None,
        most: int | None = None,
    ) -> None:
        self.at, self.is_bridged, self.is_newest, self.latest = at, is_bridged, is_newest, latest
        self.most = self.left = _MOST_REDIRECTS if most is None else most
        self.known: dict[tuple[str, frozenset[str]], list[Way]] = {}
        self._within: dict[datetime, _InstantQuestion] = {}
        self._whole = self

    def until(self, end: datetime) -> _InstantQuestion:
        """The same question of what stood until an instant: nothing that was captured later counts."""
        end = end if self.latest is None else min(end, self.latest)
        whole = self._whole
        if end not in whole._within:
            at = min(self.at, end)
            made = _InstantQuestion(at, is_bridged=self.is_bridged, is_newest=self.is_newest, latest=end)
            made._whole = whole
            whole._within[end] = made
        return whole._within[end]

    def follows(self) -> bool:
        """Whether one more redirect may be followed, which then counts; all that stood at times of it are one."""
        self._whole.left -= 1
        return self._whole.left >= 0

    def counts_after(self, then: datetime) -> bool:
        """Whether a capture after the instant counts as before."""
        return then - self.at <= LATER and (self.latest is None or then <= self.latest)


class _Before(NamedTuple):
    """Before a capture: the last redirect since the last one with an answer that lasted then, and that one.

    `is_damaged`: since then one could not be read, which may have been a file.
    """

    redirect: int | None
    settled: int | None
    is_damaged: bool


class Timeline:
    """The captures of one robots.txt, in order of time."""

    def __init__(self, timelines: Timelines, url: str, answers: list[ArchivedAnswer]) -> None:
        self._all = timelines
        self._url = url
        self._asked = frozenset((url,))
        self._answers = answers
        self._dated = [place for place, answer in enumerate(answers) if answer.is_dated]
        self._ends: dict[int, Way | str] = {}  # by the place of a capture; of a redirect the URL to which it leads
        self._then: dict[int, list[Way]] = {}
        self._policies: KeptBeside[int, Way, RobotsPolicy] = KeptBeside(_POLICIES, _POLICY_OCTETS)

    def speaking(self, at: datetime) -> tuple[RobotsPolicy, ...]:
        """The policies for a page that was captured at an instant, each of which has to permit; empty if unknown."""
        if self._answers and not self._all.is_certain(self._url):
            return (self._all.out_of_reach(self._url),)
        return tuple(map(self._policy, self._ways(_InstantQuestion(at), self._asked)))

    def newest(self, now: datetime) -> tuple[datetime, RobotsPolicy] | None:
        """The time of the last capture, and the policy that it leads to now."""
        if not self._answers:
            return None
        last = len(self._answers) - 1
        if not self._all.is_certain(self._url):
            return self._answers[last].at, self._all.out_of_reach(self._url)
        ways = self._bridged(last, _InstantQuestion(now, is_newest=True), self._asked)
        return self._answers[last].at, _unreachable_or_last([self._policy(way) for way in ways])

    @property
    def has_file(self) -> bool:
        """Whether the site had a robots.txt at its last answer; another document in its place is none."""
        for place in range(len(self._answers) - 1, -1, -1):
            settled = [way for way in self._of_then(place) if way.is_settled]
            if settled:
                return any(way.means is Meaning.READ for way in settled)
        return False

    def policies(self) -> Iterator[RobotsPolicy]:
        """The policy of each capture, in order of time; empty if their times are unknown."""
        for place in self._dated if self._all.is_certain(self._url) else ():
            if self._answers[place].policy is not None:
                continue  # it was known before
            yield from self._most_prohibiting(self._answers[place].several)
            ways = self._of_then(place)
            policy = _unreachable_or_last([self._policy(way) for way in ways])
            is_lost = any(way.is_lost for way in ways)
            yield policy.with_evidence({**policy.evidence, "lost": True}) if is_lost else policy

    def _most_prohibiting(self, several: tuple[ArchivedAnswer, ...]) -> Iterator[RobotsPolicy]:
        """That of differing files of an instant that is kept, if it is not known yet, as a kept file may be used.

        The site counts as out of reach then, and its last file serves. Our choice: the file with the shortest
        prohibited path, then the one with the most prohibited paths.
        """
        files = [answer for answer in several if answer.capture is not None and 200 <= answer.capture.status < 300]
        if files and (most := max(files, key=prohibits)).policy is None:
            yield self._policy_of(Way.to(most, self._all.rules))

    def _places(self, question: _InstantQuestion) -> list[int]:
        """The captures that decide: one before the instant, then one after it."""
        deciding, at = [], question.at
        after = bisect_right(self._answers, at, key=lambda answer: answer.at)
        if after:
            before = self._answers[after - 1]
            if question.is_newest or at - before.at <= STALE or not before.is_dated:
                deciding.append(after - 1)
        # A capture that is undated, but after some instant, counts as before another only where no other decides there.
        places = self._dated if deciding else range(len(self._answers))
        following = bisect_left(places, after)
        if following < len(places) and question.counts_after(then := self._answers[places[following]].at):
            last = bisect_right(self._dated, then, key=lambda place: self._answers[place].at) - 1
            is_dated = last >= 0 and self._answers[self._dated[last]].at == then
            deciding.append(self._dated[last] if is_dated else places[following])
        return deciding

    def _ways(self, question: _InstantQuestion, asked: frozenset[str]) -> list[Way]:
        """The ways that count at an instant, of the redirects of the URLs `asked`, which led here; empty if unknown."""
        led = self._bridged if question.is_bridged else self._led
        ways = [way for place in self._places(question) for way in led(place, question, asked)]
        return list(dict.fromkeys(ways))

    def _led(self, place: int, question: _InstantQuestion, asked: frozenset[str]) -> list[Way]:
        """The ways from a capture on. At each target one capture before the instant and one after it may decide."""
        target = self._end(place)
        if isinstance(target, Way):
            return [target]
        if target in asked:
            return self._failed(place, FailureKind.REDIRECT, f"its redirects lead in a circle, back to {target}")
        if len(asked) > MAX_REDIRECTS:
            return self._failed(place, FailureKind.TOO_MANY_REDIRECTS, f"more than {MAX_REDIRECTS} redirects")
        if not self._all.is_certain(target):
            why = "it is unknown when the answer that it redirects to was given"
            return self._failed(place, FailureKind.CUT_BODY, why, is_lost=True)
        key = target, asked
        if (led := question.known.get(key)) is None:
            if not question.follows():
                why = f"more than {question.most} redirects may lead to what was said at that time"
                return self._failed(place, FailureKind.CUT_BODY, why, is_lost=True)
            led = question.known[key] = self._all.target(target)._ways(question, asked | {target})
        if not led:
            why = "the archives have no capture of what it redirects to, of that time"
            return self._failed(place, FailureKind.REDIRECT, why)
        return [self._way((place, id(way)), way, partial(way.behind, self._answers[place])) for way in led]

    def _end(self, place: int) -> Way | str:
        """The way to a capture; of a redirect the URL to which it leads."""
        if (known := self._ends.get(place)) is None:
            answer = self._answers[place]
            if answer.capture is None or answer.capture.status not in REDIRECTS:
                known = Way.to(answer, self._all.rules)
            else:
                nowhere = Way.failed(answer, FailureKind.REDIRECT, "its redirect leads nowhere")
                known = location_of(answer.capture) or nowhere
            self._ends[place] = known
        return known

    def _failed(self, place: int, kind: FailureKind, why: str, *, is_lost: bool = False) -> list[Way]:
        """The way from a redirect on that leads to no answer."""
        made = partial(Way.failed, self._answers[place], kind, why, is_lost=is_lost)
        return [self._way((place, why), None, made)]

    @cached_property
    def _made_ways(self) -> KeptBeside[Hashable, Way | None, Way]:  # by redirects and damage, of which most have none
        return KeptBeside(_WAYS, _WAYS)

    def _way(self, key: Hashable, further: Way | None, made: Callable[[], Way]) -> Way:
        """A way that was made before, as long as it is known: so the same ways lead to the same policy."""
        return self._made_ways.of(key, further, made, lambda _: 1)

    def _bridged(self, place: int, question: _InstantQuestion, asked: frozenset[str]) -> list[Way]:
        """The ways of a capture; while the site was out of reach, those of the last file before it."""
        ways: list[Way] = []
        for way in self._led(place, question, asked):
            ways += self._bridging(way, place, question, asked) if way.is_bridged else [way]
        return ways

    def _bridging(self, way: Way, place: int, question: _InstantQuestion, asked: frozenset[str]) -> list[Way]:
        """The last files before a capture without a file; without any, its own way."""
        ways: list[Way] = []
        settled = self._settled_before(place, question, asked)
        if (
            way.is_other
            and self._before[place].is_damaged
            and all(before.means is not Meaning.READ for before in settled)
        ):
            return [self._out_of_reach(way)]
        for before in settled:
            if before.means is not Meaning.READ:
                ways.append(way if before.is_settled else self._out_of_reach(way))
            else:
                ways.append(before if question.at - before.oldest <= STALE else self._out_of_reach(way))
        return ways or [way]

    def _out_of_reach(self, way: Way) -> Way:
        return self._way(id(way), way, lambda: way.out_of_reach)

    def _settled_before(self, place: int, question: _InstantQuestion, asked: frozenset[str]) -> list[Way]:
        """The ways of the last capture before another one with an answer that lasts, or may last; empty without any.

        What a redirect leads to lasts as of the instant until which it stood, and otherwise as of its own.
        """
        redirect, settled, _ = self._before[place]
        if redirect is not None:
            until = self._answers[redirect + 1].at
            ways = self._led(redirect, question.until(until), asked)
            if _may_last(ways):
                return ways
            ways = self._led(redirect, question, asked)
            if any(way.means is Meaning.READ or way.is_lost for way in ways):
                # A file was captured there later: it may have been there, and was, or was not, as it is.
                return [self._until(until, way) for way in ways]
        if settled is None:
            return []
        return [self._until(self._answers[settled + 1].at, way) for way in self._of_then(settled)]

    def _until(self, until: datetime, way: Way) -> Way:
        """A way that stood until an instant: what was captured there only later is unknown."""
        is_known = all(archived.at <= until for archived in way.passed[1:])
        return way if is_known or way.means is not Meaning.READ else self._out_of_reach(way)

    @cached_property
    def _before(self) -> list[_Before]:
        out: list[_Before] = []
        redirect: int | None = None
        settled: int | None = None
        is_damaged = False
        for place, answer in enumerate(self._answers):
            out.append(_Before(redirect, settled, is_damaged))
            is_redirect = answer.capture is not None and answer.capture.status in REDIRECTS
            if _may_last(self._of_then(place)):
                redirect, settled, is_damaged = place if is_redirect else None, place, False
            elif is_redirect:
                redirect = place
            is_damaged |= answer.capture is None
        return out

    def _of_then(self, place: int) -> list[Way]:
        """The ways from a capture on, as of its own instant and without those of earlier captures."""
        if place not in self._then:
            most = min(max(_FOLLOWED // len(self._answers), _LEAST_FOLLOWED), _MOST_REDIRECTS)
            question = _InstantQuestion(self._answers[place].at, is_bridged=False, most=most)
            self._then[place] = self._led(place, question, self._asked)
        return self._then[place]

    def _policy(self, way: Way) -> RobotsPolicy:
        return self._policies.of(id(way), way, partial(self._policy_of, way), lambda made: len(made.octets))

    def _policy_of(self, way: Way) -> RobotsPolicy:
        before = way.passed[0].policy if len(way.passed) == 1 and not way.is_out else None
        if before is not None:
            return before()
        dialect, octets = self._all.dialect, way.answer(self._url).octets
        if way.means is Meaning.READ or (way.means is Meaning.ABSENT and way.is_other):
            policy = parse_robots(octets, url=self._url, dialect=dialect)
        elif way.means is Meaning.ABSENT:
            policy = RobotsPolicy.absent(self._url, dialect=dialect)
        else:
            policy = RobotsPolicy.unreachable(self._url, dialect=dialect)
        return policy.with_evidence(way.evidence(self._url))


def _payload(revisit: Revisit) -> Digest | None:
    """The digest of the octets that a revisit repeats. That of a 304 may be of its own body, which is empty."""
    is_of_nothing = (
        revisit.status == 0 and revisit.digest is not None and revisit.digest == digest_of(revisit.digest[0], b"")
    )
    return None if revisit.status == NOT_MODIFIED or is_of_nothing else revisit.digest


def _may_last(ways: Iterable[Way]) -> bool:
    """Whether an answer stands until the site says something else, or may."""
    return any(way.is_lost or way.is_settled for way in ways)


def _unreachable_or_last(policies: list[RobotsPolicy]) -> RobotsPolicy:
    """The policy that permits nothing, if there is one; else the last."""
    return next((policy for policy in policies if policy.state == "unreachable"), policies[-1])

"""The policies of sites in archives, by time: which one decides on a page that was captured at an instant.

The laws of this module:

1. The last capture of robots.txt before the instant decides, for at most 30 days. One up to 24 hours later counts as
   before, as a crawler may write the page first. Where there are both, both have to permit. Without either, no policy
   is known.
2. A capture that cannot be read keeps its instant: its site counts as out of reach then. Damage is never looser than a
   503. Damage of an unknown site may be a robots.txt that prohibited: from the last record before it in its file on, no
   earlier robots.txt of any site counts, nor one of the instant of the next record; none counts at all if no record
   there could be read, or after a thousand such instants. The same applies to one site where the date of a capture
   cannot be read, or is in the future.
3. While a site was out of reach its last file serves for 30 days, as in a crawl (RFC 9309 2.3.1.4); the absence of a
   file does not. Another document in place of the file counts as out of reach, or as nothing if no file was known. A
   statement that may have been made but is lost is not bridged, not even at the target of a redirect.
4. A revisit has its own status and headers, with the octets of the record that it names and of no other. If it names
   none, they are those of all captures before it, if these were always the same.
5. The order of captures of one instant is unknown. Whatever would prohibit in either order does: of files that differ
   none counts, and the statements of that instant are lost; a failure beside a file counts as after it.
6. Spellings of one URL are one document (RFC 3986 6.2.2): a capture of `/robots%2Etxt` counts as one of `/robots.txt`.

Timelines are one module with the archives they are read from, because a redirect leads from one timeline to another.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from acap import _native
from acap.archives.archive import ArchiveReader, Damage, Revisit, read_warc
from acap.archives.archived import document_name
from acap.archives.capture import Capture, Digest
from acap.archives.site_documents import LATER, STALE
from acap.outline import Field
from acap.retrieval.answers import NOT_MODIFIED, PARTIAL, Answer, Failure, FailureKind, Meaning, Rules, meaning, values
from acap.retrieval.body import CutBodyError, check_whole
from acap.retrieval.exchange import MAX_REDIRECTS, REDIRECTS
from acap.retrieval.locations import is_robots_url, normal, resolve, robots_url
from acap.robots import RobotsPolicy, parse_robots

_ELSEWHERE = "its octets are in another record, which is not at hand"
_DIFFER = "of this instant several captures are at hand, which differ"

_MOST_LOST = 1_000
"""At most this many instants of records whose site is unknown are weighed; beyond that every timeline is in doubt."""


class PolicyAnswer(NamedTuple):
    """The answer to a request for a robots.txt; `state` is `present`, `absent` or `unreachable`, `policy` reads it."""

    at: datetime
    state: str
    octets: bytes
    evidence: Mapping[str, Any]
    policy: Callable[[], RobotsPolicy]


@dataclass(frozen=True, slots=True)
class _SiteAnswer:
    """What an archive has of a robots.txt at an instant; `capture` is None if it cannot be read, for `why`."""

    at: datetime
    capture: Capture | None
    why: str = ""
    is_lost: bool = False  # its statements are unknown, so that no earlier ones count any longer
    is_dated: bool = True  # otherwise it is of this instant or later
    policy: Callable[[], RobotsPolicy] | None = None  # its policy as known before
    several: tuple[_SiteAnswer, ...] = ()  # captures of the same instant that differ


@dataclass(frozen=True, slots=True)
class _Way:
    """The answer that a capture leads to, redirects followed; `is_lost` as of the capture at the end."""

    answer: Answer
    is_lost: bool = False


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
        self._found: dict[str, list[_SiteAnswer]] = {}
        self._lost: list[_SiteAnswer] = []
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
        for url in {*self._found, *filter(None, (self._place(one.url) for one in self._revisits))}:
            self._recall(url)
        for revisit in sorted(self._revisits, key=lambda one: one.at):  # one may name another
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
        captures = (one.capture for said in self._found.values() for one in said)
        found = (_location(one) for one in captures if one is not None and one.status in REDIRECTS)
        return {url for url in found if url is not None and not is_robots_url(url)}

    def of(self, url: str) -> Timeline:
        """The timeline of the URL of a robots.txt; empty if nothing is known of it."""
        if url not in self._sites:
            if url not in self._found:
                self._recall(url)
            if said := self._found.get(url, []):
                said = self._ordered(url, [*said, *self._lost])
            self._sites[url] = Timeline(self, url, said)
        return self._sites[url]

    def target(self, url: str) -> Timeline:
        """The timeline of what a robots.txt redirects or refers to, while the timeline of that is in use."""
        return self.of(url)

    def lost(self, url: str, at: datetime) -> tuple[RobotsPolicy, ...]:
        """What speaks for a site of which nothing is known: that something is lost which may have been its robots.txt.

        Empty if nothing is lost that may count at the instant.
        """
        if not self.is_certain(url):
            return (RobotsPolicy.unreachable(url, dialect=self.dialect),)
        return Timeline(self, url, self._ordered(url, self._lost)).speaking(at) if self._lost else ()

    def _ordered(self, url: str, said: list[_SiteAnswer]) -> list[_SiteAnswer]:
        """In order of time; at one instant files first, then failures, then lost captures, which therefore count."""
        ordered: list[_SiteAnswer] = []
        for at, together in groupby(sorted(said, key=lambda one: one.at), key=lambda one: one.at):
            group = list(together)
            if len(group) > 1:
                ranks: list[list[_SiteAnswer]] = [[], [], [], []]
                for one in group:
                    ranks[self._rank(url, one)].append(one)
                if len({_word(one) for one in ranks[0]}) > 1:
                    ranks[3].append(_SiteAnswer(at, None, _DIFFER, is_lost=True, several=tuple(ranks[0])))
                    ranks[0] = []
                group = [one for rank in ranks for one in rank]
            ordered += group
        return ordered

    def _rank(self, url: str, one: _SiteAnswer) -> int:
        """0 for a file, 1 for another document in its place, 2 for a failure, 3 for a lost capture."""
        if one.capture is None:
            return 3 if one.is_lost else 2
        if one.capture.status in REDIRECTS:
            return 0
        answer = _answer(url, one.at, one.capture)
        if one.capture.status == PARTIAL or meaning(answer, self.rules) is Meaning.UNREACHABLE:
            return 2
        return int(answer.is_other_document)

    def _recall(self, url: str) -> None:
        """Adds policies known from elsewhere; of an archive that is at hand, its own captures are used instead."""
        at_hand: dict[datetime, list[_SiteAnswer]] = {}
        for said in self._found.get(url, ()):
            at_hand.setdefault(said.at, []).append(said)
        for one in self._known(url):
            if not self._is_date(one.at) or any(_is_from(one, said) for said in at_hand.get(one.at, ())):
                continue
            status, failure = one.evidence.get("status"), one.evidence.get("failure")
            if one.state != "unreachable":
                status = 200 if one.state == "present" else 404
            elif not one.evidence:
                continue  # the site was never asked
            elif failure is not None or not isinstance(status, int) or 200 <= status < 400:
                why = str((failure or {}).get("text", "the site was out of reach"))
                self._add(
                    url, _SiteAnswer(one.at, None, why, is_lost=bool(one.evidence.get("lost")), policy=one.policy)
                )
                continue
            self._add(url, _SiteAnswer(one.at, Capture(url, one.at, status, (), one.octets), policy=one.policy))

    def timelines(self) -> Iterator[tuple[str, Timeline]]:
        """The timeline of each robots.txt in the archives, by its URL."""
        for url in filter(is_robots_url, sorted(self._found)):
            yield url, self.of(url)

    def is_certain(self, url: str) -> bool:
        """Whether the time of everything that the archives have of a robots.txt is known."""
        return self._undated.isdisjoint((None, url))

    def _revisited(self, one: Revisit) -> _SiteAnswer:
        """The capture of a revisit, with the octets of another record."""
        is_repeated = one.status in (0, NOT_MODIFIED)  # status and headers too; a 304 may have a digest of nothing
        if one.is_named or (one.digest is not None and not is_repeated):
            meant = self._meant(one, is_repeated=is_repeated)
        else:
            meant = self._always(self._place(one.url) or one.url, one.at)
        if meant is None:
            return _SiteAnswer(one.at, None, _ELSEWHERE, is_lost=True)
        meant = replace(meant, url=one.url, at=one.at, number="")
        if is_repeated:
            return _SiteAnswer(one.at, meant)
        try:
            if not values(one.headers, "content-encoding"):
                check_whole(one.status, one.headers, len(meant.body), is_unchunked=True)
        except CutBodyError as error:
            return _SiteAnswer(one.at, None, str(error), is_lost=True)
        return _SiteAnswer(one.at, replace(meant, status=one.status, headers=one.headers))

    def _meant(self, one: Revisit, *, is_repeated: bool) -> Capture | None:
        """The capture that a revisit names; of one that repeats no status, else one that has the same digest."""
        try:
            place = normal(one.refers_url or one.url), one.refers_at
        except ValueError:
            return None
        meant = self._named.get(one.refers_to or place)
        if meant is not None:
            is_there = one.refers_at in (None, meant.at) and (not one.refers_url or place[0] == normal(meant.url))
            if is_there and (is_repeated or not _differ(one.digest, meant.digest)):
                return meant
        return None if is_repeated or one.digest is None else self._named.get(one.digest)

    def _always(self, url: str, at: datetime) -> Capture | None:
        """The content of a robots.txt before an instant, if it was always the same; None if not, or without any."""
        if url not in self._first:
            said = sorted([*self._found.get(url, ()), *self._lost], key=lambda one: one.at)
            first = said[0].capture if said else None
            others = (one.at for one in said if first is None or not _is_same(one.capture, first))
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
                self._add(damage.url, _SiteAnswer(damage.at, None, damage.message))

        def revisited(one: Revisit) -> None:
            if not self._is_date(one.at):
                lost(one.url, "its date is to come")
                return
            reached(one.at)
            if self._place(one.url) is not None:
                self._revisits.append(one)

        for capture in self._captures_of(path, on_problem=damaged, on_revisit=revisited):
            if not self._is_date(capture.at):
                lost(capture.url, f"its date, {capture.at.isoformat()}, is to come")
                continue
            last = capture.at
            if self._place(capture.url) is not None:
                said = _without_page(capture) if self._is_again else capture
                self._add(capture.url, _SiteAnswer(capture.at, said))
            reached(last)
            for url, why in undated:
                self._lose(url, last, why)
            undated.clear()
        self._undated.update(url for url, _ in undated)

    def _lose(self, url: str | None, at: datetime, why: str) -> None:
        """Notes that something is lost at an instant or later, of one site or of any."""
        if url is None and self._is_again:
            return
        said = _SiteAnswer(at, None, why, is_lost=True, is_dated=False)
        if url is not None:
            self._add(url, said)
        elif not self._lost or self._lost[-1].at != at:
            self._lost.append(said)
            if len(self._lost) > _MOST_LOST:
                # Each counts for every site: with this many, no site's timeline is known.
                self._undated.add(None)

    def _is_date(self, at: datetime | None) -> bool:
        return at is not None and (self._now is None or at <= self._now)

    def _add(self, url: str | None, said: _SiteAnswer) -> None:
        if url is None or (url := self._place(url)) is None:
            return
        capture = said.capture
        self._found.setdefault(url, []).append(said)
        if said.is_dated:
            self._name((url, said.at), capture, _is_same)
        if capture is not None and capture.number:
            self._name(capture.number, capture, _is_same)
        if capture is not None and capture.digest is not None:
            self._name(capture.digest, capture, lambda one, other: one.body == other.body)
        if url in self._first:
            first, until = self._first[url]
            self._first[url] = first, until or (None if _is_same(capture, first) else said.at)

    def _name(self, name: Hashable, capture: Capture | None, is_same: Callable[[Capture, Capture], bool]) -> None:
        known = self._named.setdefault(name, capture)
        if known is not None and (capture is None or not is_same(capture, known)):
            self._named[name] = None


def _without_page(capture: Capture) -> Capture:
    """A capture of what a robots.txt redirects to; of a page, which is no robots.txt, not its body."""
    if not 200 <= capture.status < 300 or _native.is_robots(capture.body):
        return capture
    return replace(capture, body=b"<html>" if _native.unreadable(capture.body) is None else b"\x1f\x8b\x08")


def _location(capture: Capture) -> str | None:
    """Where a capture redirects to; None if that is nowhere, or unknown."""
    locations = set(values(capture.headers, "location"))
    try:
        return normal(resolve(capture.url, locations.pop() if len(locations) == 1 else "\0"))
    except ValueError:
        return None


def _is_same(one: Capture | None, other: Capture | None) -> bool:
    """Whether two captures say the same."""
    if one is None or other is None or (one.status, one.body) != (other.status, other.body):
        return False
    return values(one.headers, "location") == values(other.headers, "location")


def _word(one: _SiteAnswer) -> tuple[int, Hashable]:
    """The parts of a capture in which captures may differ."""
    assert one.capture is not None
    if one.capture.status in REDIRECTS:
        return 3, values(one.capture.headers, "location")
    return (2, one.capture.body) if 200 <= one.capture.status < 300 else (4, None)


def _prohibits(said: _SiteAnswer) -> tuple[int, int, bool]:
    """A measure of how much a file prohibits, by its fields; of two equal ones the known one is greater."""
    fields = () if said.capture is None else parse_robots(said.capture.body).outline.fields
    paths = [path for field in fields for path in _prohibited(field)]
    return -min(map(len, paths), default=1 << 30), len(paths), said.policy is not None


def _prohibited(field: Field) -> Sequence[str]:
    """What a field prohibits."""
    if field.kind == "Disallow":
        return (field.value,) if field.value else ()
    return field.texts("resource") if field.name.startswith("disallow") else ()


def _is_from(known: PolicyAnswer, said: _SiteAnswer) -> bool:
    """Whether a known policy was learned from this capture; unknown for the target of a redirect."""
    if said.capture is None:
        return known.state == "unreachable" and (said.is_lost or not known.evidence.get("lost"))
    status = said.capture.status
    if known.state == "unreachable":
        return status in REDIRECTS or (not known.evidence.get("lost") and not 200 <= status < 300)
    if known.state == "present":
        return status in REDIRECTS or (200 <= status < 300 and said.capture.body == known.octets)
    return 300 <= status < 500


def _answer(url: str, at: datetime, capture: Capture) -> Answer:
    octets = capture.body if 200 <= capture.status < 300 else b""
    return Answer(url, "", capture.url, at, capture.status, capture.headers, octets, as_robots=True)


def _differ(one: Digest | None, other: Digest | None) -> bool:
    """Whether two digests are certainly of different octets."""
    return one is not None and other is not None and one[0] == other[0] and one[1] != other[1]


class Timeline:
    """The captures of one robots.txt, in order of time."""

    def __init__(self, timelines: Timelines, url: str, said: list[_SiteAnswer]) -> None:
        self._all = timelines
        self._url = url
        self._said = said
        self._dated = [place for place, one in enumerate(said) if one.is_dated]
        self._ways: dict[int, list[_Way]] = {}
        self._policies: dict[tuple[int, int, bool], RobotsPolicy] = {}

    def speaking(self, at: datetime) -> tuple[RobotsPolicy, ...]:
        """The policies for a page that was captured at an instant, each of which has to permit; empty if unknown."""
        if self._said and not self._all.is_certain(self._url):
            return (RobotsPolicy.unreachable(self._url, dialect=self._all.dialect),)
        found = [policy for place in self._places(at) for policy in self._bridged(place, at)]
        return tuple({id(policy): policy for policy in found}.values())

    def newest(self, now: datetime) -> tuple[datetime, RobotsPolicy] | None:
        """The time of the last capture, and the policy that it leads to now."""
        if not self._said:
            return None
        last = len(self._said) - 1
        if not self._all.is_certain(self._url):
            return self._said[last].at, RobotsPolicy.unreachable(self._url, dialect=self._all.dialect)
        return self._said[last].at, _unreachable_or_last(self._bridged(last, now))

    @property
    def has_file(self) -> bool:
        """Whether the site had a robots.txt at its last answer; another document in its place is none."""
        for place in range(len(self._said) - 1, -1, -1):
            settled = [way.answer for way in self._of(place) if way.answer.settled]
            if settled:
                return any(meaning(answer, self._all.rules) is Meaning.READ for answer in settled)
        return False

    def policies(self) -> Iterator[RobotsPolicy]:
        """The policy of each capture, in order of time; empty if their times are unknown."""
        for place in self._dated if self._all.is_certain(self._url) else ():
            if self._said[place].policy is not None:
                continue  # it was known before
            yield from self._most_prohibiting(self._said[place].several)
            ways = self._of(place)
            policy = _unreachable_or_last([self._policy(place, number) for number in range(len(ways))])
            is_lost = any(way.is_lost for way in ways)
            yield policy.with_evidence({**policy.evidence, "lost": True}) if is_lost else policy

    def _most_prohibiting(self, several: tuple[_SiteAnswer, ...]) -> Iterator[RobotsPolicy]:
        """That of differing files of an instant that is kept, if it is not known yet, as a kept file may be used.

        The site counts as out of reach then, and its last file serves. Our choice: the file with the shortest
        prohibited path, then the one with the most prohibited paths.
        """
        files = [one for one in several if one.capture is not None and 200 <= one.capture.status < 300]
        if files and (most := max(files, key=_prohibits)).policy is None:
            [way] = self._followed(most)
            means = meaning(way.answer, self._all.rules)
            yield self._made(way.answer, means).with_evidence(_evidence(way.answer, means))

    def near(self, at: datetime) -> list[_SiteAnswer]:
        """The captures that decide at an instant: one before it, then one after it."""
        return [self._said[place] for place in self._places(at)]

    def _places(self, at: datetime) -> list[int]:
        found = []
        after = bisect_right(self._said, at, key=lambda one: one.at)
        if after and (at - self._said[after - 1].at <= STALE or not self._said[after - 1].is_dated):
            found.append(after - 1)
        # A capture that is undated, but after some instant, counts as before another only where no other decides there.
        places = self._dated if found else range(len(self._said))
        following = bisect_left(places, after)
        if following < len(places) and (then := self._said[places[following]].at) - at <= LATER:
            last = bisect_right(self._dated, then, key=lambda place: self._said[place].at) - 1
            is_dated = last >= 0 and self._said[self._dated[last]].at == then
            found.append(self._dated[last] if is_dated else places[following])
        return found

    def _bridged(self, place: int, at: datetime) -> list[RobotsPolicy]:
        """The policies of a capture; while the site was out of reach, those of the last file before it."""
        found = []
        for number, way in enumerate(self._of(place)):
            means = meaning(way.answer, self._all.rules)
            if way.is_lost or (means is not Meaning.UNREACHABLE and not way.answer.is_other_document):
                found.append(self._policy(place, number))
            else:
                found += self._bridging(place, number, at)
        return found

    def _bridging(self, place: int, number: int, at: datetime) -> list[RobotsPolicy]:
        """The last files before a capture without a file; without any, the answer of the capture itself."""
        settled = self._settled_before[place]
        if settled is None:
            return [self._policy(place, number)]
        is_fresh = at - self._said[settled].at <= STALE
        found = []
        for before, way in enumerate(self._of(settled)):
            is_file = meaning(way.answer, self._all.rules) is Meaning.READ
            if is_file and is_fresh:
                found.append(self._policy(settled, before))
            else:
                is_none = way.answer.settled and not is_file
                found.append(self._policy(place, number, unreachable=not is_none))
        return found

    @cached_property
    def _settled_before(self) -> list[int | None]:
        """For each capture the last one before it with an answer of the site that lasts, or may last."""
        out: list[int | None] = []
        last: int | None = None
        for place in range(len(self._said)):
            out.append(last)
            if any(way.is_lost or way.answer.settled for way in self._of(place)):
                last = place
        return out

    def _policy(self, place: int, number: int, *, unreachable: bool = False) -> RobotsPolicy:
        key = place, number, unreachable
        if key not in self._policies:
            answer, before = self._of(place)[number].answer, self._said[place].policy
            means = Meaning.UNREACHABLE if unreachable else meaning(answer, self._all.rules)
            if before is not None and not unreachable:
                self._policies[key] = before()
            else:
                self._policies[key] = self._made(answer, means).with_evidence(_evidence(answer, means))
        return self._policies[key]

    def _made(self, answer: Answer, means: Meaning) -> RobotsPolicy:
        dialect = self._all.dialect
        if means is Meaning.READ or (means is Meaning.ABSENT and answer.is_other_document):
            return parse_robots(answer.octets, url=self._url, dialect=dialect)
        if means is Meaning.ABSENT:
            return RobotsPolicy.absent(self._url, dialect=dialect)
        return RobotsPolicy.unreachable(self._url, dialect=dialect)

    def _of(self, place: int) -> list[_Way]:
        if place not in self._ways:
            self._ways[place] = self._followed(self._said[place])
        return self._ways[place]

    def _followed(self, first: _SiteAnswer) -> list[_Way]:
        """The answers of the site, with redirects followed as far as the archives have them.

        At each target one capture before and one after may decide, and both count: at most 32 ways.
        """
        ways: list[_Way] = []
        # Each capture with the URLs on the way to it: those of all ways, if several lead there.
        reached = [(first, {self._url})]
        for hop in range(MAX_REDIRECTS + 1):
            further: dict[int, tuple[_SiteAnswer, set[str]]] = {}
            for said, asked in reached:
                target = self._target(first, said, hop, asked)
                if isinstance(target, _Way):
                    ways.append(target)
                elif not self._all.is_certain(target):
                    why = "it is unknown when the answer that it redirects to was given"
                    ways.append(_Way(self._failed(first, FailureKind.CUT_BODY, why), is_lost=True))
                elif near := self._all.target(target).near(said.at):
                    for one in near:
                        further.setdefault(id(one), (one, {target}))[1].update(asked)
                else:
                    why = "the archives have no capture of what it redirects to"
                    ways.append(_Way(self._failed(first, FailureKind.REDIRECT, why)))
            reached = list(further.values())
        return ways

    def _target(self, first: _SiteAnswer, said: _SiteAnswer, hop: int, asked: set[str]) -> str | _Way:
        """The next URL of a redirect that `asked` led to; or the answer of the capture."""
        capture = said.capture
        if capture is None:
            return _Way(self._failed(first, FailureKind.CUT_BODY, said.why), said.is_lost)
        if capture.status == PARTIAL:
            return _Way(self._failed(first, FailureKind.CUT_BODY, "a part of the document was sent (206)"))
        if capture.status not in REDIRECTS:
            return _Way(_answer(self._url, first.at, capture))
        if (target := _location(capture)) is None:
            return _Way(self._failed(first, FailureKind.REDIRECT, "its redirect leads nowhere"))
        if target in asked:
            text = f"its redirects lead in a circle, back to {target}"
            return _Way(self._failed(first, FailureKind.REDIRECT, text))
        if hop == MAX_REDIRECTS:
            text = f"more than {MAX_REDIRECTS} redirects"
            return _Way(self._failed(first, FailureKind.TOO_MANY_REDIRECTS, text))
        return target

    def _failed(self, first: _SiteAnswer, kind: FailureKind, why: str) -> Answer:
        return Answer(self._url, "", self._url, first.at, failure=Failure(kind, why))


def _unreachable_or_last(policies: list[RobotsPolicy]) -> RobotsPolicy:
    """The policy that permits nothing, if there is one; else the last."""
    return next((one for one in policies if one.state == "unreachable"), policies[-1])


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

"""The policies of the sites of an audit: which of them speak for a URL at an instant.

The laws of this module:

1. Of files with times the nearest before the instant speaks, as `acap.archives.timeline` has it. A file without a time
   speaks at every instant. Where several speak, each has to permit.
2. A row of a table is an answer to a request for robots.txt. One without a file is a site that could not be asked; what
   else an answer means is for its status to say (RFC 9309 2.3.1).
3. Documents beside a robots.txt are those of the instant asked about, as `acap.archives.archived` has it; a licence
   that is older than it says is unknown. What ACAP records refer to is supplied from archives too (`references`).
4. Nothing is known of a site that is not among them, and that is not a permission. At a time from which something was
   lost that may have been of any site it counts as out of reach.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol, TypeAlias, runtime_checkable

import pyarrow as pa

from acap import _native
from acap.archives.archive import Damage
from acap.archives.capture import Capture
from acap.archives.shelf import ALWAYS, ArchiveShelf, ShelfEvent, ShelfReplay, shelved
from acap.archives.shelved import DocumentsByTime, ShelvedDocuments, ShelvedTimelines
from acap.archives.site_documents import octets_carried, with_documents
from acap.archives.timeline import Timelines
from acap.audits.columns import POLICY_TABLE, columns_in_words, instant_of, pick, row_status, rows_of, table_of, url_of
from acap.audits.header_values import header_block
from acap.audits.references import ShelvedReferences
from acap.audits.written import UnreadableValueError, octets_of, state_of, truth_of
from acap.clock import SystemClock
from acap.remembered import KeptBeside, KeptValues
from acap.retrieval.answers import Rules
from acap.retrieval.locations import robots_url, site_named
from acap.robots import RobotsPolicy

_KEPT = 2048
_KEPT_OCTETS = 2**22
"""Policies of some sites that are kept prepared, and octets of them, with the documents beside them."""

_DOCUMENTED = 8
_DOCUMENTED_OCTETS = 2**24
"""Policies whose documents of all times are in memory, and octets of these."""

_ALWAYS = 4_000
_ALWAYS_OCTETS = 2**25
"""Files without a time of one site that are read, and octets of them: each has to permit. More are out of reach."""

_Beside: TypeAlias = tuple[int, tuple[str, ...]]
"""A policy, by its number, and the licences that a page names."""

_ONCE = datetime(2000, 1, 1, tzinfo=UTC)
"""The instant at which a file without a time is read."""


class SpeakingPolicies(Protocol):
    """Which policies speak for a URL."""

    def speaking(self, url: str, at: datetime, licences: Sequence[str] = ()) -> tuple[RobotsPolicy, ...]:
        """The policies of the URL's site at an instant, each of which has to permit; empty if none is known.

        They carry the documents of the site, with the `licences` that the resource names, as far as they are known.
        Raises ValueError for what is no http or https URL.
        """
        ...


@runtime_checkable
class DocumentedPolicies(SpeakingPolicies, Protocol):
    """The same, which also know what else a site says."""

    def without_robots(self, url: str, at: datetime, licences: Sequence[str] = ()) -> tuple[RobotsPolicy, ...]:
        """What speaks for the URL of a site that has no robots.txt: policies without rules, with its documents."""
        ...


class ShelvedPolicies:
    """The policies and documents on a shelf, those of each site read when it is asked about.

    Some sites are in memory, in two halves. When the newer half is full the older one is let go of, whole: so nothing
    stays that is made of what has gone.
    """

    def __init__(
        self,
        shelf: ArchiveShelf,
        now: datetime,
        *,
        dialect: str = "auto",
        rules: Rules | None = None,
    ) -> None:
        """A date after `now` does not count. `rules` are those of the dialect, if none are given."""
        self._shelf = shelf
        timelines = ShelvedTimelines(shelf, dialect, rules or Rules.of(dialect), now)
        self._newer = _SitesInMemory(shelf, timelines, ShelvedDocuments(shelf, now))
        self._older: _SitesInMemory | None = None

    @property
    def left_out(self) -> Mapping[str, str]:
        """What is more than is read at once of the sites that were asked about: by URL, of too many the first."""
        return self._shelf.left_out

    def speaking(self, url: str, at: datetime, licences: Sequence[str] = ()) -> tuple[RobotsPolicy, ...]:
        """As of `SpeakingPolicies`."""
        file = robots_url(url)
        return self._of(file).speaking(file, at, tuple(licences))

    def without_robots(self, url: str, at: datetime, licences: Sequence[str] = ()) -> tuple[RobotsPolicy, ...]:
        """The policies of a URL's site where it counts as one that has no robots.txt: what its documents say counts."""
        file = robots_url(url)
        return self._of(file).without_robots(file, at, tuple(licences))

    def let_go(self) -> None:
        """Lets go of what is in memory."""
        for half in (self._newer, self._older):
            if half is not None:
                half.timelines.let_go()
        self._newer, self._older = self._newer.fresh(), None

    def _of(self, file: str) -> _SitesInMemory:
        """The half that has the site of a robots.txt, or is to read it."""
        newer, older = self._newer, self._older
        if newer.timelines.has_read(file):
            return newer
        if older is not None and older.timelines.has_read(file):
            if not older.timelines.is_overfull:
                return older
            older.timelines.let_go()
            self._older = None
        if newer.timelines.is_full:
            if older is not None:
                older.timelines.let_go()
            self._older, self._newer = newer, newer.fresh()
        return self._newer


class _SitesInMemory:
    """What is read of some sites, and made of it."""

    def __init__(self, shelf: ArchiveShelf, timelines: ShelvedTimelines, documents: ShelvedDocuments) -> None:
        self._shelf = shelf
        self._documents = documents
        self.timelines = timelines
        self._references = ShelvedReferences(timelines)
        self._always: KeptValues[str, tuple[RobotsPolicy, ...]] = KeptValues(_KEPT, _KEPT_OCTETS)
        self._absent: KeptValues[str, RobotsPolicy] = KeptValues(_KEPT, _KEPT_OCTETS)
        self._documented: KeptBeside[_Beside, RobotsPolicy, DocumentsByTime]
        self._documented = KeptBeside(_DOCUMENTED, _DOCUMENTED_OCTETS)
        self._changes: KeptBeside[_Beside, RobotsPolicy, list[datetime]] = KeptBeside(_KEPT, _KEPT_OCTETS)
        self._carrying: KeptBeside[tuple[_Beside, int], RobotsPolicy, tuple[RobotsPolicy, ...]]
        self._carrying = KeptBeside(_KEPT, _KEPT_OCTETS)

    def fresh(self) -> _SitesInMemory:
        """Those of the same shelf, none of which is read; the documents of this one are let go of."""
        self._documented.clear()
        return _SitesInMemory(self._shelf, self.timelines.fresh(), self._documents)

    def speaking(self, file: str, at: datetime, licences: tuple[str, ...]) -> tuple[RobotsPolicy, ...]:
        """As of `SpeakingPolicies`, for the site of a robots.txt."""
        policies = (*self._of_any_time(file), *self.timelines.of(file).speaking(at))
        # Where nothing is known of a site, damage that may be of any may have been its robots.txt.
        policies = policies or self.timelines.lost(file, at)
        supplied = (variant for policy in policies for variant in self._references.supplied(policy, at))
        return tuple(variant for policy in supplied for variant in self._with_documents(policy, at, licences))

    def without_robots(self, file: str, at: datetime, licences: tuple[str, ...]) -> tuple[RobotsPolicy, ...]:
        """As of `DocumentedPolicies`, for the site of a robots.txt."""
        dialect = self.timelines.dialect
        absent = self._absent.get(file) or self._absent.put(file, RobotsPolicy.absent(file, dialect=dialect), 0)
        return self._with_documents(absent, at, licences)

    def _of_any_time(self, file: str) -> tuple[RobotsPolicy, ...]:
        """The policies of files without a time; each is read by itself, as an archive with nothing else is."""
        known = self._always.get(file)
        if known is None:
            policies: list[RobotsPolicy] = []
            octets = 0
            for event in self._shelf.always(file, _ALWAYS):
                replay = ShelfReplay([event], most=_ALWAYS_OCTETS - octets)
                timelines = Timelines(self.timelines.dialect, self.timelines.rules, replay.paths, read=replay)
                speaking = timelines.of(file).speaking(_ONCE) or timelines.lost(file, _ONCE)
                policies += [policy.with_evidence({**policy.evidence, "fetched_at": None}) for policy in speaking]
                octets += replay.octets
                if replay.unread:
                    self._shelf.leave_out(file, f"more than {_ALWAYS_OCTETS:,} octets of files without a time")
                    break
            known = self._always.put(file, tuple(policies), sum(len(policy.octets) for policy in policies))
        return known

    def _with_documents(
        self, policy: RobotsPolicy, at: datetime, licences: tuple[str, ...]
    ) -> tuple[RobotsPolicy, ...]:
        """A policy with the documents that counted beside it at an instant: as often as these may have been others."""
        if policy.state == "unreachable":
            return (policy,)
        key = id(policy), licences
        size = len(policy.octets)
        changes = self._changes.of(key, policy, lambda: self._beside(policy, licences).changes, lambda _: size)

        def copies() -> tuple[RobotsPolicy, ...]:
            beside = self._beside(policy, licences).speaking(at)
            return tuple(policy if one is None else with_documents(policy, one) for one in beside)

        place = key, bisect_right(changes, at)
        return self._carrying.of(place, policy, copies, lambda made: sum(map(octets_carried, made)))

    def _beside(self, policy: RobotsPolicy, licences: tuple[str, ...]) -> DocumentsByTime:
        """The documents of all times beside a policy: of few sites, as some have very many."""
        key = id(policy), licences
        return self._documented.of(
            key, policy, lambda: self._documents.beside(policy, licences), lambda made: len(policy.octets) + made.octets
        )


class TablePolicies(ShelvedPolicies):
    """The policies in a table of Arrow, in memory; they can be pickled.

    A row is an answer to a request for robots.txt: `url`, of the file or of its site, or `site`, an origin or a host;
    `robots`, its octets or text, null if it could not be retrieved; and where they are known `fetch_time`,
    `status` or `state` (present, absent, unreachable), `headers`, and `cut`, whether octets are missing.
    """

    def __init__(self, table: Any, *, now: datetime | None = None, dialect: str = "auto") -> None:
        """Takes whatever speaks the Arrow protocol; a date after `now` does not count.

        Raises:
            TypeError: it is no table.
            ValueError: a column is missing, or a row has no URL of a site, or that of a page.
        """
        self._given = table_of(table, POLICY_TABLE), now or SystemClock().now(), dialect
        shelf = ArchiveShelf(":memory:")
        shelf.add(events_of(self._given[0], 0, self._given[1], of_page=_refuse))
        shelf.finish()
        super().__init__(shelf, self._given[1], dialect=dialect)

    def __reduce__(self) -> tuple[Any, ...]:
        return _table_policies, self._given


def _table_policies(table: pa.Table, now: datetime, dialect: str) -> TablePolicies:
    return TablePolicies(table, now=now, dialect=dialect)


def _refuse(problem: str) -> None:
    """A table in memory is one call's: that it is a table of pages is the caller's mistake."""
    raise ValueError(problem)


def events_of(
    table: pa.Table,
    number: int,
    now: datetime | None,
    report: Callable[[str], None] = lambda _: None,
    first: int = 1,
    *,
    of_page: Callable[[str], None] | None = None,
) -> Iterator[ShelfEvent]:
    """What the table of this number says of sites, for the shelf.

    What stands beside the URL of a page need not be a robots.txt: of that hears `of_page`, or `report`, and its site is
    one that could not be asked. So is that of a row with a value that cannot be read. `first`: the number of the first
    row.

    Raises:
        ValueError: a column is missing, or a row has no URL of a site: it may have prohibited what another permits.
    """
    names = pick(table.schema, *_COLUMNS, required=())
    if "robots" not in names or not {"url", "site"} & names.keys():
        needed = "a table of policies has the columns `url` or `site`, and `robots`"
        raise ValueError(f"{needed}; {columns_in_words(table.schema)}")
    for place, row in enumerate(rows_of(table, names), first):
        try:
            files = _files_of(row)
        except ValueError as error:
            written = ascii(row.get("url") if row.get("url") is not None else row.get("site"))[:80]
            fix = "is not the URL of a site, and its policy may be of any; correct the row, or leave it out"
            raise ValueError(f"row {place}: `{written}` {fix}") from error
        if (why := _not_a_file(row)) is not None:
            (of_page or report)(f"row {place}: {why}")
            row |= {"at": None, "robots": None, "status": None, "state": None}
        for file in files:
            yield policy_event(number, place, {**row, "url": file}, now, report)


_COLUMNS = ("url", "site", "robots", "at", "status", "state", "headers", "cut")


def _files_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The robots.txt files that a row is about: one, or those of a host, whose schemes it does not tell.

    Raises:
        ValueError: it has no URL of a site.
    """
    named = _named(row)
    if "://" in named:
        return (robots_url(named),)
    if not named or "@" in named:  # of `mailto:` a host could be made
        raise ValueError(named)
    return tuple(robots_url(f"{scheme}://{named}/") for scheme in ("https", "http"))


def _named(row: Mapping[str, Any]) -> str:
    """The text that names the site of a row; empty without any."""
    return (url_of(row.get("site") if row.get("url") is None else row.get("url")) or "").strip()


def _not_a_file(row: Mapping[str, Any]) -> str | None:
    """Why a row is no answer to a request for robots.txt; None if it is one, or names its site by a host."""
    named = _named(row)
    try:
        site_named(named if "://" in named else f"https://{named}")
    except ValueError as error:
        return str(error)
    return None


def policy_event(
    number: int,
    place: int,
    row: Mapping[str, Any],
    now: datetime | None,
    report: Callable[[str], None] = lambda _: None,
) -> ShelfEvent:
    """What a row says of its site, by the keys of `NAMES`; `report` hears of a value that cannot be read.

    Raises:
        ValueError: it has no URL of a site.
    """
    key = url = robots_url(url_of(row.get("url")) or "")
    try:
        at = instant_of(row.get("at"))
        if at is None:
            at, key = _ONCE, ALWAYS + url
        answer = _answer(url, at, row, is_to_come=now is not None and at > now)
    except UnreadableValueError as error:
        report(f"row {place}: {url} counts as out of reach, as {error}")
        # Whenever it was, it may have prohibited.
        key, answer = ALWAYS + url, Damage("table", place, str(error), url, _ONCE)
    return shelved(number, place, key, answer)


def _answer(url: str, at: datetime, row: Mapping[str, Any], *, is_to_come: bool) -> Capture | Damage:
    """The answer of a site; damage where there was none, or where it came at a time that is to come."""
    octets, block = octets_of(row.get("robots")), header_block(row.get("headers"))
    why = block.why_not_all(len(octets or b""))
    status, state = row_status(row.get("status"), block.status), state_of(row.get("state"))
    answer, doubt = _native.robots_answer(octets, status, state, truth_of(row.get("cut")), bool(why))
    if doubt or is_to_come:
        words = _DOUBTS[doubt or "none"].format(status=status, why=why)
        return Damage("table", 0, f"the table has {words}", url, at)
    return Capture(url, at, answer, block.headers, octets or b"")


_DOUBTS: Mapping[str, str] = {
    "none": "no answer of the site",
    "other-state": "the status {status}, and a state that contradicts it",
    "cut": "a part of the file",
    "short": "a part of the file: {why}",
    "refused": "a robots.txt, and a status that contradicts it",
}
"""Why nothing is known of a site, by the words of the core."""

"""Policies that are asked for now: each site of an audit once, and what it said as an archive beside the output.

The laws of this module:

1. What a site said is in the journal before another one takes its turn. So a kill loses nothing but the requests on
   their way. A resumed audit asks nobody again, unless the answer is more than a day old by then (RFC 9309 2.4).
2. What was retrieved is an archive, and is judged as any archive is. Given as policies, it leads to the same rows.
3. A document that did not come whole has a record that says so, and counts as out of reach. A fault of ours does too.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime, timedelta
from ipaddress import ip_address
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, NamedTuple

from anyio.to_thread import current_default_thread_limiter

from acap.archives.archived import document_name, is_inside, own_documents
from acap.archives.archived_answers import OLDEST
from acap.archives.capture import Capture
from acap.archives.page_licences import licences, licences_in
from acap.archives.record import TruncatedReason, information, lost, members
from acap.archives.shelf import ArchiveShelf
from acap.archives.site_documents import LEFT_OUT, SiteDocuments, documents_of, targets_of, with_documents
from acap.audits.columns import instant_of
from acap.audits.inputs import FETCHED, InputPart, resources
from acap.audits.options import FetchOptions
from acap.audits.policies import ShelvedPolicies
from acap.audits.references import REFERENCES
from acap.clock import Clock, SystemClock
from acap.retrieval import AsyncRetriever, Retrieved
from acap.retrieval.agent import user_agent
from acap.retrieval.answers import FailureKind
from acap.retrieval.locations import canonical, robots_url, site_of
from acap.retrieval.pace import DomainPace, domain_of
from acap.sites.gathering import MAX_DOCUMENTS, gather
from acap.sites.policy import SitePolicy

FRESH = timedelta(hours=24)
"""How long an answer counts before a site is asked again (RFC 9309 2.4)."""

_AT_ONCE = 128  # sites; what one that never answers holds is a place among them
_OF_ONE = 4  # of one domain: they are likely one machine
_THREADS = 200  # in which names are resolved
_LEFT_OUT = 4 * MAX_DOCUMENTS  # documents beyond the bounds of a site that get a record; the reader has bounds as well


def fetched_archive(out: Path) -> Path:
    """The archive beside an output with what sites said when they were asked."""
    return out.with_name(out.name + FETCHED)


def sites_in(part: InputPart) -> dict[str, list[str]]:
    """The sites of a part of the input, each with the licences that its pages name: of too many the first.

    Raises:
        OSError: the file cannot be opened.
    """
    by_site: dict[str, dict[str, None]] = {}
    for resource in resources(part, lambda _: None):
        try:
            url = canonical(resource.url)
        except (ValueError, TypeError):
            continue
        named = by_site.setdefault(site_of(url), {})
        # What cannot be read here names nothing, and a licence that is not known prohibits.
        with suppress(Exception):
            of_page = licences_in(url, resource.headers, resource.octets or b"")
            named.update(dict.fromkeys(of_page[: max(MAX_DOCUMENTS - len(named), 0)]))
    return {site: list(named) for site, named in by_site.items()}


def together(parts: Iterable[Mapping[str, Sequence[str]]]) -> dict[str, list[str]]:
    """The sites of several parts."""
    sites: dict[str, list[str]] = {}
    for of_part in parts:
        for site, named in of_part.items():
            known = sites.setdefault(site, [])
            known += [licence for licence in named if licence not in known][: MAX_DOCUMENTS - len(known)]
    return sites


def unknown(
    sites: Mapping[str, Sequence[str]], shelf: ArchiveShelf, policies: ShelvedPolicies, now: datetime
) -> dict[str, Sequence[str]]:
    """The sites of which not everything is on the shelf, as it was said in the last day or as it always counts."""
    return {
        site: named
        for site, named in sites.items()
        if not shelf.knows(f"{site}/robots.txt") or not _has_all(site, named, policies, now)
    }


def _has_all(site: str, named: Sequence[str], policies: ShelvedPolicies, now: datetime) -> bool:
    speaking = policies.speaking(f"{site}/", now, named)
    for policy in speaking:
        at = instant_of(policy.evidence.get(OLDEST) or policy.evidence.get("fetched_at"))
        if policy.state == "unreachable" or (at is not None and now - at > FRESH):
            return False
        supplied = policy.evidence.get(REFERENCES, {}).values()
        if any(document is None or now - (instant_of(document[1]) or now) > FRESH for document in supplied):
            return False
        documents = documents_of(policy) or SiteDocuments()
        fresh = {
            document.url
            for document in documents.documents
            if document.last_stated_at is not None and now - document.last_stated_at <= FRESH
        }
        wanted = {*own_documents(site), *targets_of(policy), *documents.policies, *named} - {LEFT_OUT}
        wanted = {url for url in wanted if not is_inside(site, url)}
        if not set(map(document_name, wanted)) <= set(map(document_name, fresh)):
            return False
    return bool(speaking)


class SiteRecords(NamedTuple):
    """The records of what a site says; why it is out of reach, empty if it is not; whether that is for its address."""

    octets: bytes
    failure: str = ""
    is_private: bool = False


class Unanswered(NamedTuple):
    """How many sites of those that were asked are out of reach.

    `first` is one of them with the reason; `is_private` whether any was not asked as it is in a private network.
    """

    sites: int
    of_sites: int
    first: str
    is_private: bool


class FetchJournal:
    """What sites said, in a file of SQLite: each of them whole or not at all, whatever ends the process."""

    def __init__(self, file: Path) -> None:
        """Opens the file, or makes it. Raises `sqlite3.Error` if that fails."""
        self._base = sqlite3.connect(file, isolation_level=None)
        self._base.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
            "CREATE TABLE IF NOT EXISTS site (url TEXT PRIMARY KEY, at TEXT NOT NULL, records BLOB NOT NULL, "
            "failure TEXT NOT NULL, is_private INTEGER NOT NULL)"
        )

    def known(self, since: datetime) -> set[str]:
        """The sites that were asked since then."""
        rows = self._base.execute("SELECT url, at FROM site")
        return {url for url, at in rows if datetime.fromisoformat(at) >= since}

    def keep(self, site: str, at: datetime, records: SiteRecords) -> None:
        """Keeps what a site said when it was asked at an instant."""
        values = (site, at.isoformat(), *records)
        self._base.execute("INSERT OR REPLACE INTO site VALUES (?, ?, ?, ?, ?)", values)

    def unanswered(self, sites: Iterable[str]) -> Unanswered:
        """Which of these sites are out of reach."""
        number = of_sites = 0
        first, is_private = "", False
        for site in sites:
            of_sites += 1
            query = "SELECT failure, is_private FROM site WHERE url = ? AND failure <> ''"
            for failure, is_of_private in self._base.execute(query, (site,)):
                number, first = number + 1, first or f"{site}: {failure}"
                is_private = is_private or bool(is_of_private)
        return Unanswered(number, of_sites, first, is_private)

    def records(self, sites: Iterable[str]) -> Iterator[bytes]:
        """What these sites said."""
        for site in sites:
            for (octets,) in self._base.execute("SELECT records FROM site WHERE url = ?", (site,)):
                yield octets

    def close(self) -> None:
        """Closes the file."""
        self._base.close()


def fetch(
    sites: Mapping[str, Sequence[str]],
    journal: Path,
    archive: Path,
    options: FetchOptions,
    *,
    rules: Mapping[str, Any],
    on_progress: Callable[[int, int], None] = lambda *_: None,
    clock: Clock | None = None,
) -> tuple[datetime, Unanswered]:
    """Asks sites for what is not in the journal, and writes all of it as an archive.

    Gives the instant of the end, and which sites are out of reach.

    Args:
        sites: those to ask, each with the licences that its pages name.
        journal: the file that keeps what was said.
        archive: the WARC file to write.
        options: how sites are asked.
        rules: `dialect` and `forbidden`, as `acap.Retriever` takes them.
        on_progress: hears how many sites of how many are done.
        clock: by which a day passes.

    Raises:
        OSError, sqlite3.Error: something cannot be written.
    """
    clock = clock or SystemClock()
    with closing(FetchJournal(journal)) as kept:
        done = kept.known(clock.now() - FRESH)
        left = in_turns(site for site in sites if site not in done)
        asking = _SiteRequests(kept, options, rules, clock)
        if left:
            asyncio.run(asking.all([(site, sites[site]) for site in left], len(sites), on_progress))
        making = archive.with_name(archive.name + ".making")
        with making.open("wb") as stream:
            stream.write(information(archive.name, user_agent()))
            for octets in kept.records(sorted(sites)):
                stream.write(octets)
            stream.flush()
            os.fsync(stream.fileno())
        unanswered = kept.unanswered(sorted(sites))
    making.replace(archive)
    return clock.now(), unanswered


def in_turns(sites: Iterable[str]) -> list[str]:
    """Sites in an order in which those of one domain are far from each other."""
    domains: dict[str, list[str]] = defaultdict(list)
    for site in sorted(sites):
        domains[domain_of(site)].append(site)
    return [site for turn in zip_longest(*domains.values()) for site in turn if site is not None]


class _SiteRequests:
    """The asking of many sites, at a pace."""

    def __init__(self, journal: FetchJournal, options: FetchOptions, rules: Mapping[str, Any], clock: Clock) -> None:
        self._journal = journal
        self._clock = clock
        self._pace = DomainPace(_AT_ONCE, _OF_ONE)
        self._retriever = AsyncRetriever(
            user_agent=options.user_agent, timeout=options.timeout, allow_private=options.allow_private, clock=clock,
            **rules,
        )  # fmt: skip

    async def all(
        self, sites: Sequence[tuple[str, Sequence[str]]], total: int, on_progress: Callable[[int, int], None]
    ) -> None:
        """Asks all of them."""
        current_default_thread_limiter().total_tokens = _THREADS
        left = iter(sites)
        done = total - len(sites)

        async def work() -> None:
            nonlocal done
            for site, named in left:
                async with self._pace.turn(domain_of(site)):
                    at = self._clock.now()
                    records = await self._site_records(site, named)
                self._journal.keep(site, at, records)
                done += 1
                on_progress(done, total)

        on_progress(done, total)
        async with self._retriever:
            await asyncio.gather(*(work() for _ in range(min(_AT_ONCE, len(sites)))))

    async def _site_records(self, site: str, named: Sequence[str]) -> SiteRecords:
        """The records of what a site says."""
        at = self._clock.now()
        try:
            # The site came from a file of others: it may not lead into a private network.
            steps = gather(self._retriever, f"{site}/", found=True)
            site_policy = await self._retriever.gather(steps)
            octets = b"".join([record async for record in self._records(site_policy, named)])
            return SiteRecords(octets, *_failure_of(site_policy))
        except Exception as error:  # noqa: BLE001 - whatever it is, the site counts as out of reach
            why = f"{type(error).__name__}: {error}"[:300]
            return SiteRecords(lost(robots_url(f"{site}/"), at, "unspecified", {"error": why}), why)

    async def _records(self, site_policy: SitePolicy, named: Sequence[str]) -> Any:
        for document in site_policy.documents:
            if document.retrieved is not None:
                yield records_of(document.retrieved, is_robots=document.kind == "robots.txt")
        for url in site_policy.left_out[:_LEFT_OUT]:
            with suppress(ValueError):
                yield lost(canonical(url), self._clock.now(), "unspecified", {"error": "beyond the bounds of a site"})
        policy = with_documents(site_policy.robots, SiteDocuments.of_site(site_policy))
        if named and policy.state != "unreachable":
            known = {document.url for document in site_policy.documents}
            wanted = [licence for licence in named if licence not in known]
            for came in await self._retriever.gather(licences(policy, wanted, self._retriever.patience)):
                yield records_of(came, is_robots=False)


def _failure_of(site_policy: SitePolicy) -> tuple[str, bool]:
    """Why a site is out of reach, empty if it is not, and whether it was not asked for its address."""
    if site_policy.robots.state != "unreachable":
        return "", False
    for document in site_policy.documents:
        if document.kind == "robots.txt" and document.retrieved is not None:
            answer = document.retrieved.answer
            if answer.failure is not None:
                return answer.failure.text, answer.failure.kind is FailureKind.ADDRESS_REFUSED
            return f"it answered with the status {answer.status}", False
    return "it is out of reach", False


def records_of(came: Retrieved, *, is_robots: bool) -> bytes:
    """The records of what was said at a URL in the end; the way there, by redirects, is in the metadata.

    More redirects than are followed are each a record, so that an archive has them as they were (RFC 9309 2.3.1.2).
    """
    answer, evidence = came.answer, came.evidence
    if is_robots and answer.failure is not None and answer.failure.kind is FailureKind.TOO_MANY_REDIRECTS:
        with suppress(ValueError):
            return b"".join(_redirects(came))
    # The reader of a robots.txt cuts it itself; of anything else a part is none.
    if answer.failure is None and answer.status is not None and (is_robots or answer.cut_at is None):
        address = answer.address if _is_address(answer.address) else None
        with suppress(ValueError):
            return members(
                Capture(answer.url, answer.fetched_at, answer.status, answer.headers, answer.octets, address, evidence)
            )
    return lost(answer.url, answer.fetched_at, _why(came), evidence)


def _redirects(came: Retrieved) -> Iterator[bytes]:
    answer, metadata = came.answer, came.evidence
    led = [(hop.url, hop.status, hop.headers) for hop in answer.chain]
    for url, status, headers in (*led, (answer.source, answer.status or 0, answer.headers)):
        yield members(Capture(url, answer.fetched_at, status, headers, b"", None, metadata))
        metadata = {}


def _is_address(text: str | None) -> bool:
    try:
        return text is not None and bool(ip_address(text))
    except ValueError:
        return False


_WHY: Mapping[FailureKind, TruncatedReason] = {
    FailureKind.TIMEOUT: "time",
    FailureKind.CONNECT: "disconnect",
    FailureKind.CUT_BODY: "disconnect",
}


def _why(came: Retrieved) -> Literal["length", "time", "disconnect", "unspecified"]:
    failure = came.answer.failure
    return "length" if failure is None else _WHY.get(failure.kind, "unspecified")

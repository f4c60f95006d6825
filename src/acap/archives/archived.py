"""The documents of sites in archives, beside robots.txt: what the newest capture of each says, or that of a time.

The laws of this module:

1. A capture says what its site said then. The newest known of a document counts, of the archives and of the store, and
   what no archive has is no statement. Captures of one instant that differ are a document that could not be retrieved.
2. Damage is never looser than a server that fails: a capture that cannot be read, or leads to what is not there, is a
   document that could not be retrieved. While a site failed, or something else stood in the place of a file, the last
   file serves for 30 days, a licence for its own max-age if that is shorter, as in a crawl. Redirects lead to captures
   of the same time, as far as these are read: an audit reads them, an import does not.
3. Licences that pages name are looked for once one of them names any: at most as many of a site as a crawl asks for.
   One that is not found is unknown, and prohibits; it is looked for in later archives too. So is one that a robots.txt
   names, and a policy that a tdmrep.json names, as nobody knows whether it was there: what is not known is never looser
   than a 404 (our choice). So is one in a private network that a public site names, or redirects to.
4. Damage of an unknown URL may be a document of any site: captures up to it, or none at all, are documents that could
   not be had. What the store knows from elsewhere stands.
5. Spellings of one URL are one document (RFC 3986 6.2.2).
6. Of a time the last capture before it counts, as of robots.txt. One up to 24 hours later counts as before if there is
   none, or only a licence that is too old; if there is one, both do, each for itself, and so at each redirect: every
   way has to permit. What was captured later alone is heard beside silence: it may have been there before. Where the
   instant of a capture is unknown, the document is. A tdmrep.json or ai.txt has no age of its own:
   `acap.archives.shelved` says what an old one comes to.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice
from pathlib import Path

from acap.archives.archive import ArchiveReader, Damage, Revisit, read_warc
from acap.archives.capture import Capture
from acap.archives.dated_documents import (
    DatedDocument,
    PossibleDocument,
    behind,
    combined,
    counting,
    made_of,
    target_of,
    word_of,
)
from acap.archives.site_documents import (
    LATER,
    LICENCES,
    STALE,
    KeptDocument,
    Kind,
    SiteDocuments,
    kept_document,
    policies_of,
    targets_of,
)
from acap.dialects.well_known import AI_TXT_PATH, TDMREP_PATH
from acap.retrieval.addresses import leads_inside
from acap.retrieval.answers import NOT_MODIFIED
from acap.retrieval.exchange import MAX_REDIRECTS
from acap.retrieval.foreign import kind_at
from acap.retrieval.locations import canonical, normal, site_of
from acap.robots import RobotsPolicy
from acap.sites.gathering import MAX_DOCUMENTS

# What another spelling of a URL has: escapes, and ends that are not sent.
_ODD = re.compile(r"[%#?]")
_OWN: dict[str, Kind] = {TDMREP_PATH: "tdmrep.json", AI_TXT_PATH: "ai.txt"}
OWN_PATHS = tuple(_OWN)
"""Where documents of a site stand, beside its robots.txt."""

_NAMED: tuple[Kind, ...] = ("licence", "tdm-policy")
_POLICIES = 256  # that the tdmrep.json of a site named over time
_TICK = timedelta(microseconds=1)
_EARLY = datetime.min.replace(tzinfo=UTC) + LATER


class ArchivedDocuments:
    """The documents in some archives."""

    def __init__(
        self,
        paths: Iterable[Path],
        named: Iterable[str],
        now: datetime,
        *,
        read: ArchiveReader = read_warc,
        lost: datetime | None = None,
        is_asked: bool = True,
    ) -> None:
        """Reads the archives by `read`, for the documents of sites and for these URLs; `lost` as the property.

        `is_asked`: they are of a crawl that may have asked for documents; tables of robots.txt files are not.

        Raises:
            OSError: one cannot be opened.
        """
        self._wanted = frozenset(map(document_name, named))
        self._now = now
        self._captures_of = read
        self._by_name: dict[str, list[tuple[datetime, Capture | None]]] = {}
        self._revisits: list[Revisit] = []
        self._undated: set[str] = set()
        self._ordered: dict[str, list[tuple[datetime, Capture | None]]] = {}
        self._histories: dict[tuple[Kind, str], list[DatedDocument]] = {}
        self._lost = lost
        self._is_asked = is_asked
        for path in paths:
            self._read(path)
        for revisit in self._revisits:
            self._add(revisit.url, revisit.at, self._repeated(revisit))

    @property
    def lost(self) -> datetime | None:
        """Up to when captures of any document may be lost; None if none is."""
        return self._lost

    @property
    def sites(self) -> set[str]:
        """The sites of which they have a document of their own."""
        return {site_of(url) for url in self._by_name if is_own_document(url)}

    @property
    def targets(self) -> list[str]:
        """What captures redirect to, the newest first."""
        led = [
            (at, target) for captures in self._by_name.values() for at, one in captures if (target := target_of(one))
        ]
        return list(dict.fromkeys(target for _, target in sorted(led, reverse=True)))

    def has_any(self, documents: Iterable[str]) -> bool:
        """Whether they have a capture of one of these documents."""
        return any(document_name(url) in self._by_name for url in documents)

    def changes(self) -> list[datetime]:
        """The instants at which what documents say of a time becomes something else, in order."""
        instants: set[datetime] = set()
        for url, captures in self._by_name.items():
            for at, capture in captures:
                until = made_of("licence", url, at, capture).counts_until
                instants |= {max(at, _EARLY) - LATER, at, until + _TICK}
        return sorted(instants)

    def beside(self, robots: RobotsPolicy, known: SiteDocuments | None) -> SiteDocuments | None:
        """What a site says beside its robots.txt by the newest captures; None if nothing is known.

        `known` is what the store knows of it.
        """
        wanted = {url: kind for kind, url in _own_of(robots)}
        wanted |= {document.url: document.kind for document in (known.of_pages if known is not None else ())}
        wanted |= dict.fromkeys(targets_of(robots), "licence")
        documents = {document.url: document for document in (known.documents if known is not None else ())}
        self._find(robots, wanted, documents)
        policies = SiteDocuments(tuple(documents.values())).policies
        self._find(robots, dict.fromkeys(policies, "tdm-policy"), documents)
        return SiteDocuments(tuple(documents.values())) if documents or known is not None else None

    def _find(self, robots: RobotsPolicy, wanted: Mapping[str, Kind], documents: dict[str, KeptDocument]) -> None:
        """Adds the newest of wanted documents to those that are known; what is named and not there is unknown."""
        for url, kind in wanted.items():
            if (newest := self._newest_for(robots.url, kind, url)) is not None:
                documents[url] = self._joint(documents.get(url), newest)
            elif kind in _NAMED and self._is_asked:
                documents.setdefault(url, kept_document(kind, url, None))

    def at(self, robots: RobotsPolicy, named: Sequence[str], at: datetime) -> list[SiteDocuments | None]:
        """What a site may have said beside its robots.txt at an instant, with the licences that a page names.

        Each has to permit. None: nothing is known.
        """
        home = robots.url
        possible = [self._possible(None, kind, url, at) for kind, url in _own_of(robots)]  # it names no other host
        tdmreps = (way for one in possible if one.kind == "tdmrep.json" for way in one.ways if way is not None)
        policies = dict.fromkeys(policy for way in tdmreps for policy in policies_of(way))
        possible += [self._possible(home, "tdm-policy", url, at) for url in policies]
        of_robots = targets_of(robots)
        possible += [self._possible(home, "licence", url, at) for url in of_robots]
        of_page = (url for url in dict.fromkeys(named[:MAX_DOCUMENTS]) if url not in of_robots)
        possible += [self._possible(home, "page-licence", url, at) for url in of_page]
        return combined(possible, at)

    def _possible(self, home: str | None, kind: Kind, url: str, at: datetime) -> PossibleDocument:
        """What a document that a site names may have been at an instant; one that is not there is unknown."""
        unknown = kept_document(kind, url, None)
        if is_inside(home, url):
            return PossibleDocument(kind, url, (unknown,))
        is_doubt = kind == "page-licence" or (kind in _NAMED and self._is_asked)
        missing = unknown if is_doubt else None
        return PossibleDocument.at(kind, url, [way or missing for way in self._ways(kind, url, at)], at)

    def policies_ever(self, site: str) -> tuple[str, ...]:
        """The URLs of the policies that each tdmrep.json of a site named, the newest first; of too many the first."""
        url = site + TDMREP_PATH
        urls = [document_name(url)]
        for one in urls:  # and what it was redirected to, as far as that was read
            led = dict.fromkeys(dated.target for dated in self._history("tdmrep.json", one))
            urls += [target for target in led if target in self._by_name and target not in urls]
        history = sorted((dated for one in urls for dated in self._history("tdmrep.json", one)), key=lambda one: one.at)
        bodies = dict.fromkeys((dated.document.octets, dated.document.base_url) for dated in reversed(history))
        kept = (KeptDocument("tdmrep.json", url, 200, octets, {"final_url": base}) for octets, base in bodies)
        return tuple(islice(dict.fromkeys(name for document in kept for name in policies_of(document)), _POLICIES))

    def with_pages(self, home: str, named: Iterable[str], known: SiteDocuments) -> SiteDocuments:
        """What is known of the site of a page, with the licences that the page names, as far as there is room."""
        before = {document.url: document for document in known.of_pages}
        documents = dict(before)
        for url in named:
            if url in documents or len(documents) < MAX_DOCUMENTS:
                newest = self._newest_for(home, "page-licence", url)
                if newest is not None:
                    documents[url] = self._joint(documents.get(url), newest)
                elif not known.knows(url):
                    documents[url] = kept_document("page-licence", url, None)
        return known if documents == before else known.with_pages(documents.values())

    def _read(self, path: Path) -> None:
        last: datetime | None = None
        is_lost = False

        def lose(at: datetime | None) -> None:
            self._lost = max(filter(None, (self._lost, at or self._now)))

        def reached(at: datetime) -> None:
            nonlocal last, is_lost
            if is_lost:
                lose(at)
            last, is_lost = min(at, self._now), False

        def damaged(damage: Damage) -> None:
            nonlocal is_lost
            if damage.url is not None and self._is_wanted(damage.url):
                self._add(damage.url, damage.at, None)
            elif damage.is_of_any:
                is_lost = True
                lose(last)

        def revisited(revisit: Revisit) -> None:
            reached(revisit.at)
            if self._is_wanted(revisit.url):
                self._revisits.append(revisit)

        for capture in self._captures_of(path, on_problem=damaged, on_revisit=revisited):
            reached(capture.at)
            if self._is_wanted(capture.url):
                self._add(capture.url, capture.at, capture)

    def _is_wanted(self, url: str) -> bool:
        if not self._wanted and not url.endswith(OWN_PATHS) and _ODD.search(url) is None:
            return False
        name = document_name(url)
        return name in self._wanted or is_own_document(name)

    def _add(self, url: str, at: datetime | None, capture: Capture | None) -> None:
        name = document_name(url)
        if at is None or at > self._now:
            self._undated.add(name)
            at, capture = self._now, None
        self._by_name.setdefault(name, []).append((at, capture))

    def _repeated(self, revisit: Revisit) -> Capture | None:
        """The capture that a revisit repeats: of the same URL with the same digest, or of the instant it names."""
        for _, capture in self._by_name.get(document_name(revisit.url), ()):
            if capture is None or revisit.status not in (0, NOT_MODIFIED, capture.status):
                continue
            is_same = revisit.digest is not None and revisit.digest == capture.digest
            if is_same or (revisit.refers_at == capture.at and revisit.digest is None):
                return capture
        return None

    def _newest_for(self, home: str | None, kind: Kind, url: str) -> KeptDocument | None:
        """The newest capture of a document that a site names; that it could not be retrieved from a private network."""
        return kept_document(kind, url, None) if is_inside(home, url) else self._newest(kind, url)

    def _newest(self, kind: Kind, url: str) -> KeptDocument | None:
        """What the last of the captures of a document says; None if the archives have none, and none may be lost."""
        return self._ways(kind, url, None)[-1]

    def _ways(
        self, kind: Kind, url: str, at: datetime | None, passed: tuple[str, ...] = ()
    ) -> list[KeptDocument | None]:
        """What a document may have been at an instant, redirects followed; None: nothing that is known.

        Without an instant the newest captures count. `passed` are the URLs whose redirects led to it.
        """
        lost = None if self._lost is None else made_of(kind, url, self._lost, None)
        history = self._history(kind, url)
        if at is None:
            counts = [history[-1] if history else None]
        elif document_name(url) in self._undated:
            return [made_of(kind, url, self._now, None)]
        else:
            counts = counting(history, at, is_any_before=lost is not None)
        ways: list[KeptDocument | None] = []
        for dated in counts:
            ways += [lost] if dated is None else self._counted(dated, at, passed)
        return ways

    def _counted(self, dated: DatedDocument, at: datetime | None, passed: tuple[str, ...]) -> list[KeptDocument]:
        """What counts of a document by its capture, redirects followed."""
        if dated.target is not None:
            return self._led(dated, dated.target, at, passed)
        document = dated.document
        # One that stands in for a failure does for 30 days, whenever the site failed.
        is_over = at is not None and document.last_stated_at != dated.at and document.counts_until < at
        return [made_of(document.kind, document.url, dated.at, None) if is_over else document]

    def _led(self, one: DatedDocument, target: str, at: datetime | None, passed: tuple[str, ...]) -> list[KeptDocument]:
        """What a redirect leads to; it could not be retrieved if it is not there."""
        kind, passed = one.document.kind, (*passed, document_name(one.document.url))
        is_old = at is not None and kind in LICENCES and at - one.at > STALE
        if is_old or target in passed or len(passed) > MAX_REDIRECTS:
            return [one.document]
        return [behind(one, target, document, at) for document in self._ways(kind, target, at, passed)]

    def _history(self, kind: Kind, url: str) -> list[DatedDocument]:
        """What counts of a document after each of the instants of its captures, but for those that may be lost."""
        if (kind, url) not in self._histories:
            newest = None if self._lost is None else made_of(kind, url, self._lost, None)
            history = self._histories[kind, url] = []
            for at, capture in self._captures(document_name(url)):
                target, document = target_of(capture), made_of(kind, url, at, capture)
                if target is None:
                    newest = document.after(newest, at)
                    history.append(DatedDocument(at, newest, None, None))
                else:
                    history.append(DatedDocument(at, document, newest, target))
                    newest = self._then(kind, url, at, target).after(newest, at)
        return self._histories[kind, url]

    def _then(self, kind: Kind, url: str, at: datetime, target: str) -> KeptDocument:
        """What a redirect led to at its own instant, by the captures of that time alone."""
        passed = [document_name(url)]
        while target not in passed and len(passed) <= MAX_REDIRECTS and target not in self._undated:
            passed.append(target)
            captures = self._captures(target)
            place = max(bisect_right(captures, at, key=lambda one: one[0]) - 1, 0)
            if not captures or captures[place][0] - at > LATER:
                break
            capture = captures[place][1]
            if (further := target_of(capture)) is None:
                document = made_of(kind, url, at, capture)
                came = {"final_url": target, "chain": [{"url": one} for one in passed[:-1]]}
                return document._replace(evidence={**came, **document.evidence})
            target = further
        return made_of(kind, url, at, None)

    def _captures(self, name: str) -> list[tuple[datetime, Capture | None]]:
        """The captures of a document in order, one of an instant, but for those that may be lost; None: unreadable."""
        if name not in self._ordered:
            ordered = self._ordered[name] = []
            unordered = sorted(self._by_name.get(name, ()), key=lambda one: one[0])
            for at, together in groupby(unordered, key=lambda one: one[0]):
                if self._lost is None or self._lost < at:
                    captures = [capture for _, capture in together]
                    ordered.append((at, captures[0] if len(set(map(word_of, captures))) == 1 else None))
        return self._ordered[name]

    def _joint(self, known: KeptDocument | None, newest: KeptDocument) -> KeptDocument:
        """What counts of a document in the store and one in the archives: the later one, after the earlier one."""
        if known is None:
            return newest
        then, at = (document.last_stated_at or datetime.min.replace(tzinfo=UTC) for document in (known, newest))
        if then == at and (known.status, known.octets) != (newest.status, newest.octets):
            return made_of(known.kind, known.url, at, None)
        return newest.after(known, at) if then < at else known.after(newest, then)


def _own_of(robots: RobotsPolicy) -> list[tuple[Kind, str]]:
    """The documents of a site beside its robots.txt that have a place of their own."""
    home = site_of(robots.url or "")
    return [(kind, home + path) for path, kind in _OWN.items()]


def is_inside(home: str | None, url: str) -> bool:
    """Whether a site of the public internet names a document in a private network; what is no URL is nowhere."""
    try:
        return home is not None and leads_inside(home, canonical(url))
    except ValueError:
        return False


def own_documents(home: str) -> list[str]:
    """The URLs of a site's documents beside robots.txt that have a place of their own; `home` is any of its URLs."""
    return [site_of(home) + path for path in _OWN]


def is_own_document(url: str) -> bool:
    """Whether a URL, in the one form of it, is that of such a document; false of what is no URL."""
    try:
        return kind_at(url) in _OWN.values()
    except ValueError:
        return False


def document_name(url: str) -> str:
    """The URL of a document in the one form of it; as it is written if it is none."""
    try:
        return normal(url)
    except ValueError:
        return url

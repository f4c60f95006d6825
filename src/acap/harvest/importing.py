"""Taking in archives: the captures of WARC files are judged as a crawl's responses are, and kept or not.

The laws of this module:

1. The policy of its time decides whether a capture may have been crawled; `timeline` chooses it among those in the
   archives and those that the store knows. Without one, crawling counts as prohibited unless the operator decides
   otherwise.
2. The newest known policy decides whether it may be indexed and preserved, with now as the first time
   (`import_policies`). A licence of it that had expired when the page was captured is unknown (`reception`).
3. A capture that was taken in before is skipped, unless more of it may be kept by now: its site has said something else
   since, or another archive brought a licence. One older than the current version is skipped. The order of captures of
   one instant is unknown: if one differs from the current version, its headers count, and a differing body is a doubt.
4. The headers of a capture that cannot be read, or whose status does not last, count as in a crawl: damage never makes
   anything looser. A capture with a date in the future, or with none that can be read, counts as of now.

The stations of a capture are one module, in the order in which it passes them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from acap.archives import Capture, Damage, Revisit, read_warc
from acap.archives.capture import Digest, digest_of
from acap.archives.page_licences import licences_in
from acap.dialects.response import PAYMENT_REQUIRED
from acap.dialects.well_known import brings_document
from acap.harvest.act import REMOVAL, record_of
from acap.harvest.fetched import Fetched, doubt_of
from acap.harvest.import_policies import ImportPolicies, Missing
from acap.harvest.keeper import BATCH, Keeper
from acap.harvest.latest import statements_of
from acap.harvest.resource import Resource, Version
from acap.harvest.store import Store
from acap.retrieval.answers import ACCEPTED, NOT_MODIFIED, Headers
from acap.retrieval.locations import canonical, is_robots_url, site_of
from acap.robots import RobotsPolicy

_DAMAGES = 1_000
"""At most this many damages are listed; the others are only counted."""

_KEPT = frozenset({*range(200, 300), 300, 301, 302, 303, 307, 308, 401, 403, 404, 410, 451}) - {ACCEPTED, 206}
"""Statuses that last; of responses with others only the headers count."""


@dataclass
class Imported:
    """The results for the captures: `kept` were judged, `counts` are their outcomes by usage; `refused` may not have
    been crawled, by kind; `passed` were skipped, by reason. `damaged` counts what could not be read: `damages` are the
    first thousand, and those after which nothing was read.
    """

    captures: int = 0
    kept: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    damaged: int = 0
    damages: list[Damage] = field(default_factory=list)
    sites_without_policy: set[str] = field(default_factory=set)

    def to_json(self) -> dict[str, Any]:
        """Of types that `json.dumps` takes."""
        return {
            "captures": self.captures,
            "kept": self.kept,
            "refused": dict(self.refused),
            "passed": dict(self.passed),
            "outcomes": [
                {"usage": usage, "outcome": outcome, "captures": number}
                for (usage, outcome), number in sorted(self.counts.items())
                if usage in ("index", "preserve")
            ],
            "sites_without_policy": sorted(self.sites_without_policy),
            "damaged": self.damaged,
            "damages": [{"file": one.file, "offset": one.offset, "message": one.message} for one in self.damages],
        }


def import_warc(
    store: Store,
    files: Iterable[Path],
    *,
    fetch_policy: Callable[[str], RobotsPolicy] | None = None,
    missing: Missing = "prohibited",
    on_progress: Callable[[Imported], None] | None = None,
) -> Imported:
    """Takes WARC or ARC files into a store, whose turn to write the caller has.

    Args:
        store: open.
        files: in any order; policies are taken from all of them.
        fetch_policy: gives the current policy of a site, by a URL of it. It decides on what may be kept.
            Without it sites are not asked.
        missing: what decides on crawling where the archives have no policy of the time.
        on_progress: called after each batch.

    Raises:
        OSError: a file cannot be opened; StoreError: the store cannot be written; ValueError: `missing` is `now`, and
            there is no `fetch_policy`.
    """
    if missing == "now" and fetch_policy is None:
        raise ValueError("`missing` is `now`, and nothing asks sites for the policy of now; give `fetch_policy`")
    paths = tuple(files)
    imported = Imported()
    policies = ImportPolicies(store, fetch_policy, missing, paths)
    keeper = Keeper(store)
    policies.keep(keeper)
    importing = _Import(store, keeper, policies, imported)
    for path in paths:
        importing.origin = path.name
        if path.stat().st_size == 0:
            importing.damaged(Damage(str(path), 0, "the file is empty"))
        for capture in read_warc(path, on_problem=importing.damaged, on_revisit=importing.revisit):
            importing.take(capture)
            if importing.pending >= BATCH:
                importing.flush()
                if on_progress is not None:
                    on_progress(imported)
    importing.flush()
    imported.counts = keeper.counts
    return imported


class _Import:
    def __init__(self, store: Store, keeper: Keeper, policies: ImportPolicies, imported: Imported) -> None:
        self._store = store
        self._keeper = keeper
        self._policies = policies
        self._imported = imported
        self._removed = frozenset(store.requests.open(REMOVAL))
        self._crawler = store.operator.crawler
        self._urls: set[str] = set()  # of the pending captures
        self.origin = ""
        self.pending = 0

    def damaged(self, damage: Damage) -> None:
        """Takes the headers of a response that cannot be read, if there are any."""
        self._imported.damaged += 1
        if damage.is_end or len(self._imported.damages) < _DAMAGES:
            self._imported.damages.append(damage)
        if damage.url is not None and not damage.is_other:
            at = damage.at or self._store.clock.now()
            self._take_without_body(Capture(damage.url, at, 200, damage.headers, b""), damage.status, damage.message)

    def revisit(self, revisit: Revisit) -> None:
        """Takes the headers of a response whose octets are in another record."""
        self._imported.captures += 1
        if self._urls:
            self.flush()  # the capture it refers to may be pending
        resources = self._store.resources
        resource = resources.find(revisit.url)
        version = resources.current_of(resource)
        capture = Capture(revisit.url, revisit.at, revisit.status or 200, revisit.headers, b"")
        is_repeated = revisit.status in (0, NOT_MODIFIED) or (version is not None and revisit.status == version.status)
        if revisit.at > self._store.clock.now():
            self._take_without_body(capture, revisit.status, "its date is to come")
        elif is_repeated and _refers_to_version(version, revisit) and self._is_its_payload(version, revisit):
            self._take(replace(capture, status=NOT_MODIFIED, digest=_payload(revisit)))
        else:
            status = 0 if revisit.status == NOT_MODIFIED else revisit.status
            self._take_without_body(capture, status, "its octets are in another record")

    def _is_its_payload(self, version: Version | None, revisit: Revisit) -> bool:
        """Whether the digest of a revisit is known to be one of the current version: by a record, or by its octets.

        A site that answers 304 says itself that nothing has changed, and needs no digest.
        """
        digest = _payload(revisit)
        if version is None or digest is None:
            return revisit.status == NOT_MODIFIED
        name, octets = digest
        if name == "sha256" and octets.hex() == version.sha256:
            return True
        entries = self._store.ledger.entries(version.url, acts=("crawled",), last=_LOOKED_AT)
        known = {entry.act.detail.get("payload", "") for entry in entries if entry.act.version == version.id}
        return f"{name}:{octets.hex()}" in known

    def take(self, capture: Capture) -> None:
        """Judges one capture."""
        self._imported.captures += 1
        now = self._store.clock.now()
        if capture.at > now:
            self._take_without_body(replace(capture, body=b""), capture.status, "its date is to come")
        else:
            self._take(replace(capture, digest=_digest(capture)))

    def _take_without_body(self, capture: Capture, status: int, why: str) -> None:
        """Takes a response whose body is not available; its status may be 0, unknown."""
        now = self._store.clock.now()
        self._take(replace(capture, at=min(capture.at, now)), unread=why, status=status)

    def _take(self, capture: Capture, *, unread: str = "", status: int | None = None) -> None:
        imported = self._imported
        status = capture.status if status is None else status
        try:
            url = canonical(capture.url)
        except ValueError:
            imported.passed["no http or https URL"] += 1
            return
        if url in self._urls:
            self.flush()
        speaks = brings_document(status) and not unread
        why = self._why_not(url, capture, status, doubt_of(status, unread))
        before = self._partly_kept(url, capture) if why == _BEFORE and speaks else None
        if why is not None and before is None:
            imported.passed[why] += 1
            return
        if speaks and before is None and self._is_contested(url, capture.at):
            capture, unread, speaks = replace(capture, body=b""), _CONTESTED, False
        policies = self._policies.of_time(url, capture.at)
        decisions = [policy.decide(url, crawler=self._crawler, at=capture.at) for policy in policies]
        # Each has to permit: the first that does not decides, else the first.
        then, decision = min(zip(policies, decisions, strict=True), key=lambda one: one[1].permitted)
        now, fetched = self._store.clock.now(), None
        if decision.permitted:
            named = licences_in(url, capture.headers, capture.body) if speaks else ()
            fetched = Fetched(
                url, now, status, capture.headers, capture.body, self._policies.of_page(url, named), decision,
                capture.address, origin=self.origin, captured_at=capture.at, unread=unread, payload=capture.digest,
                chosen=then.evidence.get("chosen", ""),
            )  # fmt: skip
        if before is not None and (fetched is None or not self._keeper.would_keep_more(before, fetched)):
            imported.passed[_BEFORE] += 1
            return
        if then.state == "unreachable" and not then.evidence:
            imported.sites_without_policy.add(site_of(url))
        if fetched is None:
            record = record_of(decision)
            last = self._store.ledger.entries(url, acts=("refused",), last=4)
            if any(entry.act.usage == "crawl" and entry.act.decision == record for entry in last):
                imported.passed["refused before"] += 1
                return
            imported.refused[decision.reason.kind] += 1
            self._keeper.refuse(url, decision, then, now)
        else:
            imported.kept += 1
            self._keeper.keep(fetched)
        self._urls.add(url)
        self.pending += 1

    def flush(self) -> None:
        """Writes the results."""
        self._keeper.flush()
        for fault in self._keeper.faults:
            self.damaged(Damage(self.origin, 0, f"internal error: {fault}"))
        self._keeper.faults.clear()
        self._urls.clear()
        self.pending = 0

    def _why_not(self, url: str, capture: Capture, status: int, doubt: str) -> str | None:
        if is_robots_url(url):
            return "robots.txt"
        lasts = status in _KEPT and not doubt
        if not (lasts or doubt or status == PAYMENT_REQUIRED or statements_of(capture.headers)):
            return f"status {status}"
        if url in self._removed:
            return "removed by the operator"
        resources = self._store.resources
        resource = resources.find(url)
        versions = () if resource is None else resources.versions(resource.id)
        # A passing response made no version, but its headers counted.
        times = [
            version.confirmed_at for version in versions if resource and (version.id == resource.current or not lasts)
        ]
        newest = max(times, default=None)
        if resource is None or newest is None or newest < capture.at:
            return None
        if newest > capture.at:
            return "older than what is held"
        sha256 = _sha256(capture) if brings_document(status) and not doubt else ""
        together = (version for version in versions if version.confirmed_at == capture.at)
        is_repeated = any(_is_same_answer(resource, version, status, sha256, capture.headers) for version in together)
        return _BEFORE if is_repeated else None

    def _partly_kept(self, url: str, capture: Capture) -> Version | None:
        """The current version, if a capture brought it, and it is not both indexed and preserved."""
        resources = self._store.resources
        resource = resources.find(url)
        version = resources.current_of(resource)
        if resource is None or version is None or version.confirmed_at != capture.at or not version.sha256:
            return None
        is_same = _is_same_answer(resource, version, capture.status, _sha256(capture), capture.headers)
        return version if is_same and not (version.is_indexed and version.place is not None) else None

    def _is_contested(self, url: str, at: datetime) -> bool:
        """Whether the current version of a URL is of this instant."""
        resources = self._store.resources
        version = resources.current_of(resources.find(url))
        return version is not None and version.confirmed_at == at


_BEFORE = "taken in before"
_CONTESTED = "another capture of the same instant says something else"
_LOOKED_AT = 32  # entries of a URL, for digests of its payload


def _is_same_answer(resource: Resource, version: Version, status: int, sha256: str, headers: Headers) -> bool:
    """Whether a capture says the same as a version of its instant; `sha256` is empty without a body."""
    stated = set(statements_of(headers))
    if status == NOT_MODIFIED:
        return version.id == resource.current and stated <= {*statements_of(version.headers), *resource.later_headers}
    return version.status == status and version.sha256 in (sha256, "") and stated == set(statements_of(version.headers))


def _sha256(capture: Capture) -> str:
    return hashlib.sha256(capture.body).hexdigest()


def _digest(capture: Capture) -> Digest | None:
    """The digest by which a revisit may confirm a capture: that of its record, else SHA-1, as most archives have it.

    That of a 304 may be of an empty body, which is not that of the page.
    """
    if capture.status == NOT_MODIFIED:
        return None
    return capture.digest or digest_of("sha1", capture.body)


def _payload(revisit: Revisit) -> Digest | None:
    """The digest of the octets that a revisit refers to; that of a 304 may be that of an empty body."""
    return None if revisit.status == NOT_MODIFIED else revisit.digest


def _refers_to_version(version: Version | None, revisit: Revisit) -> bool:
    """Whether a revisit refers to the current version; one that names no record does if its status is 304."""
    if revisit.refers_at is None or version is None:
        return revisit.status == NOT_MODIFIED and not revisit.is_named
    try:
        is_there = not revisit.refers_url or canonical(revisit.refers_url) == canonical(revisit.url)
    except ValueError:
        return False
    return is_there and revisit.refers_at in (version.crawled_at, version.confirmed_at)


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The files, and the archives in directories, in order."""
    for path in paths:
        if path.is_dir():
            yield from sorted(
                file for file in path.rglob("*") if file.name.endswith((".warc", ".warc.gz", ".arc", ".arc.gz"))
            )
        else:
            yield path

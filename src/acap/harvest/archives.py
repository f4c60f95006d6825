"""Taking in archives: the captures of WARC files are judged as a crawl's responses are, and kept or not.

The laws of this module:

1. Whether something may have been crawled is asked of the policy of its time: the site's robots.txt in the archives
   that was captured last before it, or else the first one after. Where there is none, nobody knows, which prohibits.
2. Whether it may be indexed and preserved is asked now, of the newest policy that is known, with now as the first time.
3. What was taken in before is passed over, and so is what is older than what is held.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from acap.harvest.copies import Capture, Damage, read_warc
from acap.harvest.judgement import said
from acap.harvest.keeper import BATCH, Fetched, Keeper
from acap.harvest.store.policies import STALE
from acap.harvest.store.requests import REMOVAL
from acap.retrieval.answers import Answer, Meaning, Rules, meaning
from acap.retrieval.locations import canonical, resolve, robots_url, site_of
from acap.robots import RobotsPolicy, parse_robots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from acap.harvest.store import Store

MOST_HOPS = 5  # RFC 9309 2.3.1.2
_KEPT = frozenset({*range(200, 300), 300, 301, 302, 303, 307, 308, 401, 403, 404, 410, 451}) - {206}
"""Statuses that say something that lasts; the others are passed over."""


@dataclass
class Imported:
    """What became of the captures: `kept` were judged, `counts` has by usage and outcome how; `refused` may not have
    been crawled, by kind; `passed` over, by reason; `damages` are what could not be read.
    """

    captures: int = 0
    kept: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
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
            "damages": [{"file": one.file, "offset": one.offset, "message": one.message} for one in self.damages],
        }


def import_warc(
    store: Store,
    files: Iterable[Path],
    *,
    fetch_policy: Callable[[str], RobotsPolicy] | None = None,
    on_progress: Callable[[Imported], None] | None = None,
) -> Imported:
    """Takes WARC or ARC files into a store, whose turn to write the caller has.

    Args:
        store: open.
        files: in whatever order; policies are looked for in all of them.
        fetch_policy: gives the policy that speaks now for a site, by a URL of it. It decides on what may be held, and
            on crawling where the archives have none. Without it sites are not asked.
        on_progress: called after each batch.

    Raises:
        OSError: a file cannot be opened; StoreError: the store cannot be written.
    """
    paths = tuple(files)
    imported = Imported()
    policies = _Policies(store, fetch_policy)
    for path in paths:
        policies.gather(path)
    keeper = Keeper(store)
    importing = _Import(store, keeper, policies, imported)
    for path in paths:
        for capture in read_warc(path, on_problem=imported.damages.append):
            importing.take(capture, path.name)
            if importing.pending >= BATCH:
                importing.flush()
                if on_progress is not None:
                    on_progress(imported)
    importing.flush()
    imported.counts = keeper.counts
    return imported


class _Import:
    def __init__(self, store: Store, keeper: Keeper, policies: _Policies, imported: Imported) -> None:
        self._store = store
        self._keeper = keeper
        self._policies = policies
        self._imported = imported
        self._removed = frozenset(store.requests.open(REMOVAL))
        self._crawler = store.operator.crawler
        self._newest: dict[str, datetime] = {}  # of what is pending
        self.pending = 0

    def take(self, capture: Capture, origin: str) -> None:
        """Judges one capture."""
        imported = self._imported
        imported.captures += 1
        try:
            url = canonical(capture.url)
        except ValueError:
            imported.passed["no http or https URL"] += 1
            return
        if (why := self._why_not(url, capture)) is not None:
            imported.passed[why] += 1
            return
        then = self._policies.of_time(url, capture.at)
        if then._state == "unreachable" and not then.evidence:
            imported.sites_without_policy.add(site_of(url))
        decision = then.decide(url, crawler=self._crawler, at=capture.at)
        now = self._store.clock.now()
        if not decision.permitted:
            told = said(decision)
            last = self._store.ledger.entries(url, acts=("refused",), last=4)
            if any(entry.act.usage == "crawl" and entry.act.decision == told for entry in last):
                imported.passed["refused before"] += 1
                return
            imported.refused[decision.reason.kind] += 1
            self._keeper.refuse(url, decision, then, now)
        else:
            imported.kept += 1
            self._newest[url] = capture.at
            self._keeper.keep(
                Fetched(
                    url, now, capture.status, capture.headers, capture.body, self._policies.of_now(url), decision,
                    capture.address, origin=origin, captured_at=capture.at,
                )
            )  # fmt: skip
        self.pending += 1

    def flush(self) -> None:
        """Writes what was judged."""
        self._keeper.flush()
        self._newest.clear()
        self.pending = 0

    def _why_not(self, url: str, capture: Capture) -> str | None:
        if url == robots_url(url):
            return "robots.txt"
        if capture.status not in _KEPT:
            return f"status {capture.status}"
        if url in self._removed:
            return "removed by the operator"
        newest = self._newest.get(url)
        if newest is None:
            resources = self._store.resources
            resource = resources.find(url)
            version = None if resource is None or resource.current is None else resources.version(resource.current)
            newest = None if version is None else version.confirmed_at
        if newest is not None and newest >= capture.at:
            return "taken in before" if newest == capture.at else "older than what is held"
        return None


class _Policies:
    """The policies of all sites in the archives, by time; and the newest that is known of each."""

    def __init__(self, store: Store, fetch: Callable[[str], RobotsPolicy] | None) -> None:
        self._store = store
        self._fetch = fetch
        operator = store.operator
        self._dialect = operator.dialect
        self._rules = Rules.of(operator.dialect, forbidden=operator.forbidden)
        self._captures: dict[str, list[Capture]] = {}
        self._read: dict[tuple[str, datetime], RobotsPolicy] = {}
        self._now: dict[str, RobotsPolicy] = {}
        self._fetched: dict[str, RobotsPolicy] = {}

    def gather(self, path: Path) -> None:
        """Finds the policies in a file."""
        for capture in read_warc(path):
            try:
                url = canonical(capture.url)
            except ValueError:
                continue
            if url == robots_url(url):
                held = self._captures.setdefault(url, [])
                held.append(capture)
                held.sort(key=lambda one: one.at)

    def of_time(self, url: str, at: datetime) -> RobotsPolicy:
        """The policy of a URL's site at an instant."""
        at_site = robots_url(url)
        capture = self._nearest(at_site, at)
        if capture is not None:
            return self._policy(at_site, capture)
        fetched = self._live(at_site)
        return RobotsPolicy.unreachable(at_site, dialect=self._dialect) if fetched is None else fetched

    def of_now(self, url: str) -> RobotsPolicy:
        """The newest policy that is known of a URL's site: of the site itself, of the store, of the archives."""
        at_site = robots_url(url)
        known = self._now.get(at_site)
        if known is None:
            known = self._now[at_site] = self._newest(at_site)
        return known

    def _newest(self, at_site: str) -> RobotsPolicy:
        fetched = self._live(at_site)
        if fetched is not None and fetched._state != "unreachable":
            return fetched
        shelf, now = self._store.policies, self._store.clock.now()
        speaking = shelf.speaking(at_site, now)
        known = None if speaking is None else (shelf.fetched_at(speaking[0]), speaking[1])
        captures = self._captures.get(at_site)
        if captures and (known is None or known[0] < captures[-1].at):
            known = captures[-1].at, self._policy(at_site, captures[-1])
        # Where the site was asked and did not answer, what it said before stands for a while (RFC 9309 2.3.1.4).
        if known is None or (fetched is not None and now - known[0] > STALE):
            return fetched or RobotsPolicy.unreachable(at_site, dialect=self._dialect)
        return known[1]

    def _live(self, at_site: str) -> RobotsPolicy | None:
        if self._fetch is None:
            return None
        if at_site not in self._fetched:
            self._fetched[at_site] = self._fetch(at_site)
        return self._fetched[at_site]

    def _nearest(self, at_site: str, at: datetime) -> Capture | None:
        captures = self._captures.get(at_site)
        if not captures:
            return None
        return captures[max(0, bisect_right(captures, at, key=lambda one: one.at) - 1)]

    def _policy(self, at_site: str, capture: Capture) -> RobotsPolicy:
        key = at_site, capture.at
        if key not in self._read:
            self._read[key] = self._read_policy(at_site, capture)
        return self._read[key]

    def _read_policy(self, at_site: str, first: Capture) -> RobotsPolicy:
        spoke = _spoke_last(first, self._nearest)
        answer = Answer(
            at_site, "", first.url if spoke is None else spoke.url, first.at, None if spoke is None else spoke.status,
            () if spoke is None else spoke.headers,
        )  # fmt: skip
        means = meaning(answer, self._rules)
        if means is Meaning.READ and spoke is not None:
            policy = parse_robots(spoke.body, url=at_site, dialect=self._dialect)
        elif means is Meaning.ABSENT:
            policy = RobotsPolicy.absent(at_site, dialect=self._dialect)
        else:
            policy = RobotsPolicy.unreachable(at_site, dialect=self._dialect)
        return policy.with_evidence(
            {"url": at_site, "meaning": str(means), "status": answer.status, "fetched_at": first.at.isoformat()}
        )


def _spoke_last(first: Capture, nearest: Callable[[str, datetime], Capture | None]) -> Capture | None:
    """The capture at the end of the redirects; None if it is not there, or they do not end."""
    capture: Capture | None = first
    for hop in range(MOST_HOPS + 1):
        if capture is None or not 300 <= capture.status < 400:
            return capture
        locations = [value for name, value in capture.headers if name.lower() == "location"]
        if hop == MOST_HOPS or not locations:
            break
        try:
            target = resolve(capture.url, locations[0])
        except ValueError:
            break
        capture = nearest(target, capture.at)
    return None


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The files, and the archives in directories, in order."""
    for path in paths:
        if path.is_dir():
            yield from sorted(
                one for one in path.rglob("*") if one.name.endswith((".warc", ".warc.gz", ".arc", ".arc.gz"))
            )
        else:
            yield path

"""A harvest without a network: responses are given to the keeper as a crawl would, at times that a test sets."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Self

from acap.archives.site_documents import KeptDocument, Kind, SiteDocuments, with_documents
from acap.clock import FixedClock
from acap.harvest.keeper import Fetched, Keeper, Kept
from acap.harvest.operator import Operator
from acap.harvest.review import Review
from acap.harvest.store import Act, Store, open_store
from acap.harvest.store.database import words_of
from acap.harvest.sweep import Swept, sweep
from acap.licensee import Licensee
from acap.robots import RobotsPolicy, parse_robots

if TYPE_CHECKING:
    from pathlib import Path

SITE = "https://news.example"
START = datetime(2026, 11, 1, 12, tzinfo=UTC)
HTML = (("Content-Type", "text/html; charset=utf-8"),)


@dataclass
class Harvest:
    """A store, what its sites say, and a clock; use it as a context manager. `where` is a file or a URL.

    `documents` are what a site says beside its robots.txt, by the site, where a crawl asked for them.
    """

    where: Path | str
    directory: Path
    names: tuple[str, ...] = ("searchbot",)
    purposes: tuple[str, ...] = ()
    usages: tuple[str, ...] = ()
    licensee: Licensee | None = None
    documents: dict[str, SiteDocuments] = field(default_factory=dict)
    robots: dict[str, bytes | None] = field(default_factory=dict)
    clock: FixedClock = field(default_factory=lambda: FixedClock(START))
    last: Kept | None = None

    def __enter__(self) -> Self:
        self._opened = ExitStack()
        operator = Operator(self.names, self.purposes, usages=self.usages, licensee=self.licensee)
        copies = self.directory / "copies" if isinstance(self.where, str) else None
        self.store: Store = self._opened.enter_context(
            open_store(self.where, operator=operator, copies=copies, clock=self.clock)
        )
        self._opened.enter_context(self.store.writing())
        self.keeper = Keeper(self.store)
        self._policies: dict[str, tuple[bytes | None, SiteDocuments | None, RobotsPolicy]] = {}
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def policy(self, site: str = SITE) -> RobotsPolicy:
        """What the site says now; the same object for as long as it says the same."""
        octets, documents = self.robots.get(site, b""), self.documents.get(site)
        said = self._policies.get(site)
        if said is None or said[:2] != (octets, documents):
            url = f"{site}/robots.txt"
            now = self.clock.now().isoformat()
            policy = RobotsPolicy.unreachable(url) if octets is None else parse_robots(octets, url=url)
            policy = policy.with_evidence({"fetched_at": now, "url": url})
            if documents is not None:
                dated = (one._replace(evidence={"fetched_at": now, **one.evidence}) for one in documents.documents)
                policy = with_documents(policy, SiteDocuments(tuple(dated)))
            said = self._policies[site] = octets, documents, policy
        return said[2]

    def crawl(
        self,
        path: str,
        body: str | bytes = "",
        *,
        status: int = 200,
        headers: tuple[tuple[str, str], ...] = HTML,
        site: str = SITE,
        for_use: bool = False,
        unread: str = "",
    ) -> bool:
        """Crawls a URL as far as its site permits; whether it does. `for_use`: also for the use of pages that name it.

        `unread`: why its body could not be read.
        """
        url = site + path
        robots = self.policy(site)
        decision = robots.decide(url, crawler=self.store.operator.crawler, at=self.clock.now())
        now = self.clock.now()
        exemption = Review(self.store, now).exemption(url, robots) if for_use else None
        decision = decision if exemption is None else exemption.decision()
        if decision.permitted:
            octets = body.encode() if isinstance(body, str) else body
            fetched = Fetched(url, now, status, headers, octets, robots, decision, opened=exemption, unread=unread)
            self.last = self.keeper.keep(fetched)
        else:
            self.keeper.refuse(url, decision, robots, now)
        self.keeper.flush()
        return decision.permitted

    def pass_days(self, days: float) -> None:
        """Lets time pass."""
        self.clock.advance(timedelta(days=days))

    def sweep(self) -> Swept:
        """Sweeps now; a dry run told the same before."""
        held = self.acts()
        dry = sweep(self.store, dry=True)
        assert self.acts() == held
        swept = sweep(self.store)
        assert (dry.reviewed, told(dry)) == (swept.reviewed, told(swept))
        return swept

    def found(self, query: str) -> set[str]:
        """The paths (or URLs of other sites) of the versions that the index finds."""
        numbers = [number for number, _ in self.store.database.search(words_of(query), 100, 0)]
        return {version.url.removeprefix(SITE) for version in self.store.resources.by_versions(numbers).values()}

    def copies(self, path: str, site: str = SITE) -> list[bytes]:
        """The octets of the copies of a URL, the newest first."""
        resource = self.store.resources.find(site + path)
        versions = [] if resource is None else self.store.resources.versions(resource.id, held=True)
        return [self.store.copies.read(one.place).body for one in versions if one.place is not None]

    def acts(self, path: str | None = None, site: str = SITE) -> list[str]:
        """Acts with their usages, of a path or of all."""
        url = None if path is None else site + path
        return [f"{entry.act.act} {entry.act.usage}" for entry in self.store.ledger.entries(url)]

    def entries(self, path: str, site: str = SITE) -> list[Act]:
        """Acts of a path."""
        return [entry.act for entry in self.store.ledger.entries(site + path)]

    def octets(self) -> bytes:
        """Every octet that is kept anywhere: database, log and copies."""
        return b"".join(file.read_bytes() for file in sorted(self.directory.rglob("*")) if file.is_file())


def documents(**octets: bytes | int | None) -> SiteDocuments:
    """Documents of the site: `tdmrep`, `ai_txt` and `licence`, each its octets, its status, or None for no answer."""
    kinds: dict[str, tuple[Kind, str]] = {
        "tdmrep": ("tdmrep.json", "/.well-known/tdmrep.json"),
        "ai_txt": ("ai.txt", "/ai.txt"),
        "licence": ("licence", "/licence.xml"),
        "policy": ("tdm-policy", "/policy.json"),
    }
    found = []
    for name, said in octets.items():
        kind, path = kinds[name]
        status = said if isinstance(said, int) else None if said is None else 200
        found.append(KeptDocument(kind, SITE + path, status, said if isinstance(said, bytes) else None, {}))
    return SiteDocuments(tuple(found))


def told(swept: Swept) -> list[Act]:
    """The acts of a sweep, without the digests of new copies, of which each has a number of its own."""
    return [replace(act, detail={**act.detail, "copy": ""}) for act in swept.acts]

"""Resources, and the versions of them that were crawled: what is kept of each, since when, and until when.

Both tables are one module, for most questions join them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from acap.harvest.act import decided_by
from acap.harvest.copies import Place
from acap.harvest.latest import Latest
from acap.harvest.resource import Resource, Version
from acap.harvest.store.database import Database, Row, rows_by_key
from acap.harvest.values import instant, microseconds
from acap.retrieval.answers import Headers

_AT_ONCE = 500
_FEW = 50
_REASONS = 1_000  # that are counted by themselves
_LAST = 2**62  # no version has a higher number
_RESOURCE = (
    "SELECT id, url, site, current, first_crawled, last_crawled, first_indexed, first_preserved, first_presented, "
    "review_at, speaking, heard, passages FROM resources"
)
_VERSION = (
    "SELECT v.id, v.resource, r.url, v.crawled_at, v.confirmed_at, v.succeeded_at, v.status, v.headers, v.media, "
    "v.length, v.sha256, v.policy, v.skeleton, v.decisions, v.is_indexed, v.terms, v.parts, v.file, v.start, "
    "v.extent FROM versions v JOIN resources r ON r.id = v.resource"
)
_HELD = "(v.is_indexed = 1 OR v.file IS NOT NULL)"
FIRSTS = ("first_crawled", "first_indexed", "first_preserved", "first_presented")


class Resources:
    """The resources and versions of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._requires: bool | None = None  # whether any version requires another resource; few stores have one

    def find(self, url: str) -> Resource | None:
        """The resource of a URL, in the form of `retrieval.canonical`."""
        rows = self._database.rows(f"{_RESOURCE} WHERE url = ?", (url,))
        return _resource(rows[0]) if rows else None

    def known(self, urls: Iterable[str]) -> frozenset[str]:
        """Those of some URLs that were crawled, or wait for it."""
        left, crawled = list(urls), set[str]()
        while some := left[:_AT_ONCE]:
            left = left[_AT_ONCE:]
            marks = ", ".join("?" * len(some))
            rows = self._database.rows(
                f"SELECT url FROM resources WHERE url IN ({marks}) UNION "  # noqa: S608  the values are parameters; all else is our own text
                f"SELECT url FROM schedule WHERE run = (SELECT max(id) FROM runs) AND url IN ({marks}) "
                "AND state = 'waiting'",
                (*some, *some),
            )
            crawled.update(url for (url,) in rows)
        return frozenset(crawled)

    def get(self, number: int) -> Resource:
        """A resource by its number."""
        return _resource(self._database.rows(f"{_RESOURCE} WHERE id = ?", (number,))[0])

    def touch(self, url: str, site: str, at: datetime) -> Resource:
        """The resource of a URL, new if it is; it is being crawled at this instant."""
        now = microseconds(at)
        rows = self._database.rows(
            "INSERT INTO resources (url, site, first_crawled, last_crawled) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (url) DO UPDATE SET last_crawled = CASE WHEN resources.last_crawled > excluded.last_crawled "
            "THEN resources.last_crawled ELSE excluded.last_crawled END, "
            "first_crawled = coalesce(resources.first_crawled, excluded.first_crawled) "
            "RETURNING id, url, site, current, first_crawled, last_crawled, first_indexed, first_preserved, "
            "first_presented, review_at, speaking, heard, passages",
            (url, site, now, now),
        )
        return _resource(rows[0])

    def first(self, number: int, fact: str, at: datetime) -> None:
        """Notes that something took place for the first time, if it did."""
        assert fact in FIRSTS
        self._database.run(
            f"UPDATE resources SET {fact} = coalesce({fact}, ?) WHERE id = ?",  # noqa: S608  the values are parameters; all else is our own text
            (microseconds(at), number),
        )

    def keep_statements(
        self,
        resource: Resource,
        *,
        speaking: int | None = None,
        later_headers: Headers = (),
        passages: str | None = None,
    ) -> Resource:
        """Keeps the statements of a response; `speaking`: the version that it brought or confirmed by a body."""
        now = replace(
            resource, later_headers=later_headers, speaking=resource.speaking if speaking is None else speaking,
            passages=resource.passages if passages is None else passages,
        )  # fmt: skip
        if now != resource:
            self._database.run(
                "UPDATE resources SET speaking = ?, heard = ?, passages = ? WHERE id = ?",
                (now.speaking, json.dumps(now.later_headers), now.passages, resource.id),
            )
        return now

    def reviewed(self, number: int, at: datetime, firsts: Collection[str], again_at: datetime | None) -> None:
        """Notes a review at an instant: what took place for the first time, and when the next one is due."""
        assert set(firsts) <= set(FIRSTS)
        facts = "".join(f"{fact} = coalesce({fact}, ?), " for fact in sorted(firsts))
        self._database.run(
            f"UPDATE resources SET {facts}review_at = ? WHERE id = ?",  # noqa: S608  the values are parameters; all else is our own text
            (*[microseconds(at)] * len(firsts), None if again_at is None else microseconds(again_at), number),
        )

    def review_site(self, site: str, at: datetime) -> None:
        """Makes everything that is kept of a site due for review."""
        now = microseconds(at)
        self._database.run(
            "UPDATE resources SET review_at = ? WHERE site = ? AND (review_at IS NULL OR review_at > ?)",
            (now, site, now),
        )

    def due(self, at: datetime, limit: int = 500) -> list[Resource]:
        """Resources that have to be judged again by an instant."""
        rows = self._database.rows(
            f"{_RESOURCE} WHERE review_at <= ? ORDER BY review_at, id LIMIT ?", (microseconds(at), limit)
        )
        return [_resource(row) for row in rows]

    def upcoming(self, limit: int = 50) -> list[Resource]:
        """Resources by the time at which they have to be judged again."""
        rows = self._database.rows(f"{_RESOURCE} WHERE review_at IS NOT NULL ORDER BY review_at, id LIMIT ?", (limit,))
        return [_resource(row) for row in rows]

    def of_site(self, site: str) -> list[Resource]:
        """The resources of a site of which something is kept."""
        rows = self._database.rows(
            f"{_RESOURCE} r WHERE site = ? "  # noqa: S608  the values are parameters; all else is our own text
            f"AND EXISTS (SELECT 1 FROM versions v WHERE v.resource = r.id AND {_HELD}) ORDER BY id",
            (site,),
        )
        return [_resource(row) for row in rows]

    def may_name_licences(self, site: str) -> Iterator[Version]:
        """The versions of a site of which something is kept, and whose headers or elements may name a licence."""
        words = (
            f"lower({where}) LIKE '%{word}%'" for where in ("v.skeleton", "v.headers") for word in ("licen", "rsl")
        )
        # A header may write any letter with a backslash before it (RFC 9110 5.6.4), which JSON writes twice.
        may = f"({' OR '.join(words)} OR replace(v.headers, '\\\\', '') <> v.headers)"
        sql = f"{_VERSION} WHERE v.id > ? AND r.site = ? AND {_HELD} AND {may} ORDER BY v.id LIMIT {_FEW}"
        return map(_version, rows_by_key(self._database, lambda last: self._database.rows(sql, (last, site)), 0))

    def add(
        self,
        resource: Resource,
        at: datetime,
        *,
        is_current: bool,
        status: int,
        headers: Headers,
        media: str,
        length: int,
        sha256: str,
        policy: int,
        skeleton: str,
        decisions: dict[str, Any],
    ) -> Version:
        """A new version; if it is the current one from now on, those before it are succeeded."""
        now = microseconds(at)
        if is_current and resource.current is not None:
            self._database.run(
                "UPDATE versions SET succeeded_at = ? WHERE resource = ? AND succeeded_at IS NULL", (now, resource.id)
            )
        rows = self._database.rows(
            "INSERT INTO versions (resource, crawled_at, confirmed_at, status, headers, media, length, sha256, policy, "
            "skeleton, decisions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (
                resource.id, now, now, status, json.dumps(headers), media, length, sha256, policy, skeleton,
                json.dumps(decisions),
            ),
        )  # fmt: skip
        number = int(rows[0][0])
        if is_current:
            self._database.run("UPDATE resources SET current = ? WHERE id = ?", (number, resource.id))
        return Version(
            number, resource.id, resource.url, at, at, None, status, headers, media, length, sha256, policy, skeleton,
            decisions, is_indexed=False, terms="", parts="", place=None,
        )  # fmt: skip

    def confirm(
        self, version: Version, at: datetime, *, policy: int, headers: Headers, decisions: dict[str, Any]
    ) -> Version:
        """The resource was crawled again and is as it was."""
        self._database.run(
            "UPDATE versions SET confirmed_at = ?, policy = ?, headers = ?, decisions = ? WHERE id = ?",
            (microseconds(at), policy, json.dumps(headers), json.dumps(decisions), version.id),
        )
        return replace(version, confirmed_at=at, policy=policy, headers=headers, decisions=decisions)

    def version(self, number: int) -> Version | None:
        """A version by its number."""
        rows = self._database.rows(f"{_VERSION} WHERE v.id = ?", (number,))
        return _version(rows[0]) if rows else None

    def current_of(self, resource: Resource | None) -> Version | None:
        """The current version of a resource; None without one."""
        return None if resource is None or resource.current is None else self.version(resource.current)

    def latest(self, resource: Resource, at: datetime | None = None) -> Latest | None:
        """The latest response of a resource; None if none was read yet. `at` as of `Resource.facts`."""
        version = None if resource.speaking is None else self.version(resource.speaking)
        if version is None:
            return None
        return Latest(version, resource.facts(version, at), resource.later_headers, resource.passages)

    def versions(self, resource: int, *, held: bool = False) -> list[Version]:
        """The versions of a resource, the newest first; `held`: only those of which something is kept."""
        more = f"AND {_HELD}" if held else ""
        rows = self._database.rows(f"{_VERSION} WHERE v.resource = ? {more} ORDER BY v.id DESC", (resource,))
        return [_version(row) for row in rows]

    def set_indexed(self, version: int, terms: str | None) -> None:
        """Sets the parts of the version that are in the index; None: it is not in the index."""
        self._database.run(
            "UPDATE versions SET is_indexed = ?, terms = ? WHERE id = ?", (int(terms is not None), terms or "", version)
        )

    def set_place(self, version: int, place: Place | None, parts: str = "") -> None:
        """Where the version's copy is, and which parts of it that has; None: nowhere."""
        file, start, extent = (None, None, None) if place is None else (place.file, place.offset, place.length)
        self._database.run(
            "UPDATE versions SET file = ?, start = ?, extent = ?, parts = ? WHERE id = ?",
            (file, start, extent, parts, version),
        )

    def require(self, version: int, requirements: Iterable[tuple[str, str, str]]) -> None:
        """What a version requires: a usage, the restriction, and the URL of another resource."""
        self._requires = True
        self._database.many(
            "INSERT INTO requirements (version, usage, restriction, url) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            ((version, *one) for one in requirements),
        )

    def requirements(self, version: int | None = None) -> dict[int, list[tuple[str, str, str]]]:
        """What versions require, or one of them, by their numbers."""
        where, values = ("", ()) if version is None else ("WHERE version = ?", (version,))
        required: dict[int, list[tuple[str, str, str]]] = {}
        for number, usage, restriction, url in self._database.rows(
            f"SELECT version, usage, restriction, url FROM requirements {where}",  # noqa: S608  the values are parameters; all else is our own text
            values,
        ):
            required.setdefault(number, []).append((usage, restriction, url))
        return required

    @property
    def any_requires(self) -> bool:
        """Whether any version requires another resource."""
        if self._requires is None:
            self._requires = bool(self._database.rows("SELECT 1 FROM requirements LIMIT 1"))
        return self._requires

    def using(self, url: str, site: str, *, index: bool) -> Iterator[Version]:
        """Versions of a site's resources that may require another resource, for the index or to be presented.

        Those that are current or kept, the newest first. What they require is as it was when they were crawled.
        """
        usages = "q.usage = 'index'" if index else "q.usage <> 'index'"
        naming = f"SELECT q.version FROM requirements q WHERE q.url = ? AND q.version < ? AND {usages}"  # noqa: S608  the values are parameters; all else is our own text
        where = f"v.id IN ({naming}) AND r.site = ? AND (r.current = v.id OR {_HELD})"
        sql = f"{_VERSION} WHERE {where} ORDER BY v.id DESC LIMIT {_FEW}"

        def some(last: int) -> list[Row]:
            return self._database.rows(sql, (url, last, site))

        return map(_version, rows_by_key(self._database, some, _LAST, falling=True))

    def used_by(self, resource: int, site: str) -> list[Resource]:
        """Other resources of the site that versions of a resource require, of which something is kept."""
        if not self.any_requires:
            return []
        rows = self._database.rows(
            f"{_RESOURCE} r WHERE site = ? AND id <> ? AND url IN (SELECT q.url FROM requirements q "  # noqa: S608  the values are parameters; all else is our own text
            "JOIN versions u ON u.id = q.version WHERE u.resource = ?) "
            f"AND EXISTS (SELECT 1 FROM versions v WHERE v.resource = r.id AND {_HELD}) ORDER BY id",
            (site, resource, resource),
        )
        return [_resource(row) for row in rows]

    def requiring(self, url: str, usage: str, restriction: str) -> list[Version]:
        """The current versions that require a resource for a usage."""
        if not self.any_requires:
            return []
        rows = self._database.rows(
            f"{_VERSION} JOIN requirements q ON q.version = v.id WHERE q.url = ? AND q.usage = ? AND q.restriction = ? "
            "AND r.current = v.id ORDER BY v.id",
            (url, usage, restriction),
        )
        return [_version(row) for row in rows]

    def places(self, file: str) -> list[Place]:
        """Where the copies in a file are."""

        rows = self._database.rows("SELECT file, start, extent FROM versions WHERE file = ? ORDER BY start", (file,))
        return [Place(*row) for row in rows]

    def at_place(self, place: Place) -> list[Version]:
        """The versions whose copy is at a place."""
        rows = self._database.rows(f"{_VERSION} WHERE v.file = ? AND v.start = ?", (place.file, place.offset))
        return [_version(row) for row in rows]

    def move(self, moves: Iterable[tuple[Place, Place]]) -> None:
        """Copies are somewhere else from now on."""
        self._database.many(
            "UPDATE versions SET file = ?, start = ?, extent = ? WHERE file = ? AND start = ?",
            ((new.file, new.offset, new.length, old.file, old.offset) for old, new in moves),
        )

    def every(self) -> Iterator[Resource]:
        """All resources that are known."""
        return map(_resource, self._each(f"{_RESOURCE} WHERE id > ? ORDER BY id"))

    def every_version(self) -> Iterator[Version]:
        """All versions that are known."""
        return map(_version, self._each(f"{_VERSION} WHERE v.id > ? ORDER BY v.id"))

    def _each(self, sql: str) -> Iterator[Row]:
        return rows_by_key(self._database, lambda last: self._database.rows(f"{sql} LIMIT {_AT_ONCE}", (last,)), 0)

    def by_versions(self, numbers: Sequence[int]) -> dict[int, Version]:
        """Versions by their numbers."""
        if not numbers:
            return {}
        marks = ", ".join("?" * len(numbers))
        rows = self._database.rows(f"{_VERSION} WHERE v.id IN ({marks})", numbers)
        return {row[0]: _version(row) for row in rows}

    def kept_for(self, usage: str) -> dict[int, str]:
        """The versions that are kept for a usage, `index` or `preserve`: their URLs, by their numbers."""
        condition = {"index": "v.is_indexed = 1", "preserve": "v.file IS NOT NULL"}[usage]
        rows = self._database.rows(
            f"SELECT v.id, r.url FROM versions v JOIN resources r ON r.id = v.resource WHERE {condition}"  # noqa: S608  the values are parameters; all else is our own text
        )
        return {int(number): url for number, url in rows}

    def by_site(self) -> dict[str, tuple[int, int, int]]:
        """What is kept of each site: resources, versions that are indexed, versions that are preserved."""
        rows = self._database.rows(
            "SELECT r.site, count(DISTINCT r.id), coalesce(sum(v.is_indexed), 0), count(v.file) "  # noqa: S608  the values are parameters; all else is our own text
            "FROM resources r "
            f"JOIN versions v ON v.resource = r.id WHERE {_HELD} GROUP BY r.site"
        )
        return {site: (int(held), int(indexed), int(kept)) for site, held, indexed, kept in rows}

    def unkept(self, sites: Collection[str] | None = None) -> Counter[tuple[str, str]]:
        """How many pages, of these sites, are not kept for `index` or `preserve`, by that usage and what decided.

        A page counts that was read, and by its last decision may not be kept.
        """
        counts: Counter[tuple[str, str]] = Counter()
        for _, site, decisions, is_indexed, file in self._each(
            "SELECT v.id, r.site, v.decisions, v.is_indexed, v.file FROM versions v JOIN resources r "
            "ON r.current = v.id WHERE v.id > ? AND (v.is_indexed = 0 OR v.file IS NULL) ORDER BY v.id"
        ):
            if sites is not None and site not in sites:
                continue
            record = json.loads(decisions)
            for usage, is_kept in (("index", is_indexed), ("preserve", file is not None)):
                decision = record.get(usage, {})
                if is_kept or decision.get("outcome") in (None, "permitted"):
                    continue
                key = usage, f"{decision['outcome']}: {decided_by(decision)}"
                counts[key if key in counts or len(counts) < _REASONS else (usage, "other reasons")] += 1
        return counts

    def counts(self) -> dict[str, int]:
        """What is kept: `resources`, `indexed`, `preserved` versions, and their `octets` as received."""
        known, held, indexed, preserved, octets = self._database.rows(
            "SELECT (SELECT count(*) FROM resources), count(DISTINCT resource), "
            "coalesce(sum(is_indexed), 0), count(file), "
            "coalesce(sum(CASE WHEN file IS NULL THEN 0 ELSE length END), 0) "
            "FROM versions WHERE is_indexed = 1 OR file IS NOT NULL"
        )[0]
        names = ("known", "held", "indexed", "preserved", "octets")
        return dict(zip(names, map(int, (known, held, indexed, preserved, octets)), strict=True))


def _resource(row: Row) -> Resource:
    number, url, site, current, *rest = row
    *times, speaking, headers_json, passages = rest
    later_headers = () if headers_json == "[]" else tuple((name, value) for name, value in json.loads(headers_json))
    first_crawled, last_crawled, *firsts, review_at = map(instant, times)
    first_indexed, first_preserved, first_presented = firsts
    return Resource(
        number, url, site, current, first_crawled, last_crawled, first_indexed, first_preserved, first_presented,
        review_at, speaking, later_headers, passages,
    )  # fmt: skip


def _version(row: Row) -> Version:

    number, resource, url, crawled, confirmed, succeeded, status, headers, *rest = row
    media, length, sha256, policy, skeleton, decisions, is_indexed, terms, parts, file, start, extent = rest
    crawled_at, confirmed_at = instant(crawled), instant(confirmed)
    assert crawled_at is not None
    assert confirmed_at is not None
    return Version(
        number, resource, url, crawled_at, confirmed_at, instant(succeeded), status,
        tuple((name, value) for name, value in json.loads(headers)), media, length, sha256, policy, skeleton,
        json.loads(decisions), bool(is_indexed), terms, parts,
        None if file is None else Place(file, start, extent),
    )  # fmt: skip

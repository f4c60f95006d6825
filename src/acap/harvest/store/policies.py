"""Policies as fetched: octets, headers and time of every robots.txt, with what else its site says, and the current one.

The laws of this module:

1. The last policy of a site that could be reached is current, for 30 days. Captures of archives count by their time.
2. A policy from the future does not count: a clock was wrong, and it is unknown which, so nothing is permitted. A
   policy that is received after it is later all the same, whatever the clock shows then.
3. What a site says beside its robots.txt (`harvest.documents`) belongs to its policy: a policy with other documents is
   another one. A policy that tells nothing of them, as one of an archive, leaves them as they are.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from acap import _native
from acap.archives.archived_answers import PolicyAnswer
from acap.archives.site_documents import DOCUMENTS, STALE, SiteDocuments, documents_of, with_documents
from acap.harvest.store.database import Database, Row, StoreError, rows_by_key
from acap.harvest.values import instant, microseconds
from acap.retrieval.locations import robots_url
from acap.retrieval.retrieved import stated_at
from acap.robots import RobotsPolicy, parse_robots

_READY = 256  # policies kept read
_LOOKED_AT = 50  # documents, from the last one back, until one is a robots.txt
_READ_AT_ONCE = 100


class PolicyShelf:
    """The policies of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._read: OrderedDict[int, RobotsPolicy] = OrderedDict()
        self._noted: dict[int, tuple[RobotsPolicy, int]] = {}
        self._uncited: set[int] = set()

    def note(self, policy: RobotsPolicy, at: datetime) -> tuple[int, bool]:
        """Keeps a policy as fetched; its number, and whether the current policy of the site has changed its content.

        A site out of reach changes nothing: kept versions are judged by the policy before. `at` is the time of a policy
        that has no evidence of its retrieval.
        """
        if (number := self.noted(policy)) is not None:
            return number, False
        url = policy.url or ""
        state, evidence, documents = policy.state, dict(policy.evidence), documents_of(policy)
        fetched, now = microseconds(stated_at(evidence) or at), microseconds(at)
        supplied = [[uri, None if data is None else base64.b64encode(data).decode()] for uri, data in policy.supplied]
        standing = self._standing(url) if documents is None and state != "unreachable" else None
        if standing is not None and fetched >= standing.at:
            documents = documents_of(self.get(standing.number))
        site_documents = [] if documents is None else documents.to_json()
        if documents is not None:
            evidence[DOCUMENTS] = {document.url: dict(document.evidence) for document in documents.documents}
        content = _content(url, state, policy.dialect, policy.octets, supplied, site_documents)
        number = self._number(url, content, fetched, may_return=not site_documents)
        if number is not None:
            return self._remember(policy, number), False
        before = self._newest(url, _SETTLED)
        if before is not None and before.at > now >= fetched and not evidence.get("archive"):
            fetched = before.at + 1  # when that was fetched a clock was wrong
        stood = self._stands(url, before)
        self._database.run(
            "INSERT INTO documents (content, octets, supplied, site) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (content) DO NOTHING",
            (content, policy.octets, json.dumps(supplied), json.dumps(site_documents)),
        )
        inserted = self._database.rows(
            "INSERT INTO policies (url, fetched_at, state, dialect, evidence, content) VALUES (?, ?, ?, ?, ?, ?) "
            "RETURNING id",
            (url, fetched, state, policy.dialect, json.dumps(evidence), content),
        )
        self._uncited.add(int(inserted[0][0]))
        # A policy fetched before the last one changes nothing, nor does a document that is not a robots.txt.
        stands = self._standing(url)
        changed = stands is not None and (stood is None or stands.content != stood.content)
        return self._remember(policy, int(inserted[0][0])), changed

    def noted(self, policy: RobotsPolicy) -> int | None:
        """The number of a policy that was noted; None if it was not, or is no longer remembered."""
        known = self._noted.get(id(policy))
        return known[1] if known is not None and known[0] is policy else None

    def evidence(self, number: int) -> dict[str, str]:
        """What the first entry that cites a policy records of it: SHA-256 of all that is kept of it."""
        if number not in self._uncited:
            return {}
        self._uncited.discard(number)
        return {"document": dict(self.digests(number))[number]}

    def digests(self, number: int | None = None) -> Iterator[tuple[int, str]]:
        """SHA-256 of all that is kept of a policy, or of each."""
        after, limit = (0, _READ_AT_ONCE) if number is None else (number - 1, 1)
        sql = (
            "SELECT p.id, p.url, p.fetched_at, p.state, p.dialect, p.evidence, p.content, d.octets, d.supplied, "
            "d.site FROM policies p LEFT JOIN documents d ON d.content = p.content WHERE p.id > ? ORDER BY p.id LIMIT ?"
        )
        rows = rows_by_key(self._database, lambda last: self._database.rows(sql, (last, limit)), after)
        for policy, *columns, octets, supplied, site in islice(rows, None if number is None else 1):
            digest = None if octets is None else hashlib.sha256(bytes(octets)).hexdigest()
            # Without documents it is what it was before there were any.
            values = [*columns, digest, supplied, *([] if site in (None, _NONE) else [site])]
            yield policy, hashlib.sha256(json.dumps(values).encode()).hexdigest()

    def _number(self, url: str, content: str, fetched: int, *, may_return: bool) -> int | None:
        """The number of a policy that is known; unless it `may_return`, only if it is the last one of its instant.

        While a robots.txt is fresh other documents may change, and change back.
        """
        rows = self._database.rows(
            "SELECT id, content FROM policies WHERE url = ? AND fetched_at = ? ORDER BY id DESC", (url, fetched)
        )
        same = [int(number) for number, known in rows if known == content]
        return same[0] if same and (may_return or rows[0][1] == content) else None

    def _remember(self, policy: RobotsPolicy, number: int) -> int:
        if len(self._noted) >= _READY:
            self._noted.clear()
        self._noted[id(policy)] = policy, number
        return number

    def forget_noted(self) -> None:
        """After a transaction that was undone: nothing is taken for noted any more, and numbers may be given again."""
        self._noted.clear()
        self._read.clear()
        self._uncited.clear()

    def get(self, number: int) -> RobotsPolicy:
        """A policy by its number. Raises StoreError if there is none."""
        ready = self._read.get(number)
        if ready is None:
            rows = self._database.rows(
                "SELECT p.url, p.state, p.dialect, d.octets, d.supplied, d.site, p.evidence FROM policies p "
                "JOIN documents d ON d.content = p.content WHERE p.id = ?",
                (number,),
            )
            if not rows:
                raise StoreError(f"`{self._database.place}` is damaged: policy {number} is missing")
            ready = self._read[number] = _policy(rows[0])
            if len(self._read) > _READY:
                with suppress(KeyError):  # another thread may have done so
                    self._read.popitem(last=False)
        return ready

    def speaking(self, url: str, at: datetime) -> tuple[int, RobotsPolicy] | None:
        """The current policy of a URL's site at an instant, and its number; None if none is known.

        That is the last one of a site that could be reached, unless it is from the future. It counts for 30 days; then
        nothing is permitted until the site answers again, whether it was asked meanwhile or not (RFC 9309 2.3.1.4).
        """
        at_site = robots_url(url)
        settled, now = self._standing(at_site), microseconds(at)
        if settled is not None:
            policy = self.get(settled.number)
            fetched_at = stated_at(policy.evidence)
            if 0 <= now - (settled.at if fetched_at is None else microseconds(fetched_at)) <= _STALE:
                return settled.number, policy
        newest = self._newest(at_site)
        if newest is None:
            return None
        known = self.get(newest.number)
        if newest.state == "unreachable":
            return newest.number, known
        silent = RobotsPolicy.unreachable(at_site, dialect=known.dialect)
        return newest.number, silent.with_evidence(dict(known.evidence))

    def last(self, url: str) -> tuple[int, RobotsPolicy] | None:
        """The last policy of a URL's site that could be reached, however long ago, and its number; None without one."""
        settled = self._standing(robots_url(url))
        return None if settled is None else (settled.number, self.get(settled.number))

    def last_file(self, url: str) -> tuple[datetime, bytes] | None:
        """The last robots.txt from its URL, and its time; None if there was none, or its absence was the last answer.

        Other documents in its place (a login page) are skipped.
        """
        noted = self._file(url)
        if noted is None:
            return None
        policy = self.get(noted.number)
        at = stated_at(policy.evidence) or instant(noted.at)
        return None if at is None else (at, policy.octets)

    def _standing(self, url: str) -> _Noted | None:
        """The last one of a site that could be reached; another document does not replace a known robots.txt.

        An archive may bring the file only after it.
        """
        return self._stands(url, self._newest(url, _SETTLED))

    def _stands(self, url: str, settled: _Noted | None) -> _Noted | None:
        if settled is None or settled.state != "present" or _native.is_robots(self.get(settled.number).octets):
            return settled
        return self._file(url) or settled

    def _file(self, url: str) -> _Noted | None:
        rows = self._database.rows(
            "SELECT p.id, p.fetched_at, p.state, p.content, d.octets FROM policies p "
            "JOIN documents d ON d.content = p.content "
            "WHERE p.url = ? AND p.state <> 'unreachable' ORDER BY p.fetched_at DESC, p.id DESC LIMIT ?",
            (url, _LOOKED_AT),
        )
        for *noted, octets in rows:
            found = _Noted(*noted)
            if found.state != "present":
                return None
            if _native.is_robots(bytes(octets)):
                return found
        return None

    def history(self, url: str) -> Iterator[PolicyAnswer]:
        """All known answers at the URL of a robots.txt, in the order of time."""
        octets: dict[str, bytes] = {}
        for number, at, state, content, evidence in self._database.rows(
            "SELECT id, fetched_at, state, content, evidence FROM policies WHERE url = ? ORDER BY fetched_at, id",
            (url,),
        ):
            if state == "present" and content not in octets:
                [(document,)] = self._database.rows("SELECT octets FROM documents WHERE content = ?", (content,))
                octets[content] = bytes(document)
            if (when := instant(at)) is not None:
                policy = partial(self.get, int(number))
                yield PolicyAnswer(when, state, octets.get(content, b""), json.loads(evidence), policy)

    def is_confirmed(self, number: int, other: int) -> bool:
        """Whether two policies as fetched have the same content."""
        if number == other:
            return True
        rows = self._database.rows("SELECT DISTINCT content FROM policies WHERE id IN (?, ?)", (number, other))
        return len(rows) == 1

    def is_last(self, number: int, url: str) -> bool:
        """Whether the last policy of a URL's site has the same content as the numbered one."""
        settled = self._standing(robots_url(url))
        return settled is None or self.is_confirmed(number, settled.number)

    def fetched_at(self, number: int) -> datetime:
        """When the policy was fetched, or confirmed."""
        rows = self._database.rows("SELECT fetched_at FROM policies WHERE id = ?", (number,))
        at = instant(rows[0][0]) if rows else None
        if at is None:
            raise StoreError(f"`{self._database.place}` is damaged: policy {number} is missing")
        return at

    def sites(self) -> list[tuple[str, datetime, str]]:
        """Every known robots.txt: its URL, when it was last fetched, and its state."""
        rows = self._database.rows(
            "SELECT url, fetched_at, state FROM policies p WHERE NOT EXISTS (SELECT 1 FROM policies q "
            "WHERE q.url = p.url AND (q.fetched_at, q.id) > (p.fetched_at, p.id)) ORDER BY url"
        )
        return [(url, at, state) for url, fetched, state in rows if (at := instant(fetched)) is not None]

    def _newest(self, url: str, more: str = "") -> _Noted | None:
        """The one fetched last; one from an archive may have come later."""
        rows = self._database.rows(
            f"SELECT id, fetched_at, state, content FROM policies WHERE url = ? {more} "  # noqa: S608  the values are parameters; all else is our own text
            "ORDER BY fetched_at DESC, id DESC LIMIT 1",
            (url,),
        )
        return _Noted(*rows[0]) if rows else None


class _Noted(NamedTuple):
    number: int
    at: int
    state: str
    content: str


_NONE = json.dumps([])
_SETTLED = "AND state <> 'unreachable'"
_STALE = STALE // timedelta(microseconds=1)


def _policy(row: Row) -> RobotsPolicy:
    url, state, dialect, octets, supplied, site, stored = row
    if state == "present":
        policy = parse_robots(bytes(octets), url=url, dialect=dialect)
        for uri, data in json.loads(supplied):
            policy = policy.with_reference(uri, None if data is None else base64.b64decode(data))
    elif state == "absent":
        policy = RobotsPolicy.absent(url, dialect=dialect)
    else:
        policy = RobotsPolicy.unreachable(url, dialect=dialect)
    evidence = json.loads(stored)
    of_documents = evidence.pop(DOCUMENTS, None)
    policy = policy.with_evidence(evidence)
    if of_documents is None:
        return policy
    return with_documents(policy, SiteDocuments.from_json(json.loads(site), of_documents))


def _content(
    url: str, state: str, dialect: str, octets: bytes, supplied: list[list[Any]], site: list[list[Any]]
) -> str:
    values = [url, state, dialect, hashlib.sha256(octets).hexdigest(), supplied]
    text = json.dumps([*values, site] if site else values)
    return hashlib.sha256(text.encode()).hexdigest()

"""Carrying plans out: one transaction applies their changes, and the ledger enters their acts at its end.

The laws of this module:

1. All plans of a transaction are carried out, or none.
2. A plan is made after the one before it was carried out, so that it is made from what is kept then.
3. What only the store knows is filled in here: the number of a new version, and the digest of its terms in the index.
4. Whatever becomes of a resource, of a URL to fetch or of a policy is a plan. What has no judgement is none: the first
   and last instant of a run, the settling of take-downs after a sweep, what is presented, and the export of a ledger.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from acap.archives import Capture
from acap.harvest.account import terms_digest, text_digest
from acap.harvest.act import Act
from acap.harvest.changes import (
    NEW,
    Change,
    ChangeSet,
    Closed,
    Due,
    Indexed,
    PolicyReceived,
    Postponed,
    Preserved,
    Received,
    RequestDone,
    Requested,
    Required,
    Scheduled,
    SiteDue,
    Spent,
    WrittenCopy,
)
from acap.harvest.copies import Place
from acap.harvest.store import Store
from acap.retrieval.locations import site_of


def commit(store: Store, plans: Iterable[ChangeSet]) -> list[Act]:
    """Carries plans out in one transaction, each before the next is made; gives the acts. Raises StoreError."""
    acts: list[Act] = []
    copies: list[Place] = []
    with store.transaction():
        for plan in plans:
            applied = _Applied(store, copies)
            for change in plan.changes:
                applied.apply(change)
            acts += map(applied.act, plan.acts)
        store.commit_copies(copies)
        store.ledger.append(acts)
    return acts


def write_copies(store: Store, captures: list[Capture]) -> list[WrittenCopy]:
    """Writes and syncs copies, which count once a plan that has them is carried out. Raises StoreError."""
    return [WrittenCopy(place, store.copies.digest(place)) for place in store.append(captures)]


class _Applied:
    """The changes of one plan."""

    def __init__(self, store: Store, copies: list[Place]) -> None:
        self._store = store
        self._copies = copies
        self._new = NEW
        self._terms: dict[int, str] = {}

    def act(self, act: Act) -> Act:
        """The act, with what only the store knows."""
        if act.version is None:
            return act
        version = self._number(act.version)
        detail = {"terms": self._terms[version]} if act.act == "indexed" else act.detail
        return replace(act, version=version, detail=detail)

    def _number(self, version: int) -> int:
        return self._new if version == NEW else version

    def apply(self, change: Change) -> None:
        """Makes a change."""
        store = self._store
        match change:
            case PolicyReceived(policy, at):
                store.policies.note(policy, at)
            case Received():
                self._receive(change)
            case Required(version, requirements):
                store.resources.require(self._number(version), requirements)
            case Indexed(version, None):
                store.hide_terms(version)
            case Indexed(version, (title, text), parts):
                number = self._number(version)
                self._terms[number] = terms_digest(store.database.put_terms(number, title, text), parts)
                store.resources.set_indexed(number, parts)
            case Preserved():
                self._preserve(change)
            case Due(resource, at, due, firsts):
                store.resources.reviewed(resource, at, firsts, due)
            case SiteDue(site, at):
                store.resources.review_site(site, at)
            case Requested(action, url, stated_in, at, again):
                store.requests.make(action, url, stated_in, at, again=again)
            case RequestDone(action, url, at):
                store.requests.done(action, url, at)
            case Closed(task, state, why):
                store.schedule.close(task, state, why)
            case Postponed(task, due, why, attempt):
                store.schedule.postpone(task, due, why, attempt=attempt)
            case Scheduled(run, wanted, at, again):
                store.schedule.add(run, wanted, at)
                if again:
                    store.schedule.reopen(run, wanted, at)
            case Spent(run, seconds, octets):
                store.schedule.spend(run, seconds, octets)

    def _receive(self, change: Received) -> None:
        resources, version = self._store.resources, change.version
        resource = resources.touch(version.url, site_of(version.url), change.at)
        if version.id == NEW:
            added = resources.add(
                resource, version.crawled_at, is_current=change.is_current, status=version.status,
                headers=version.headers, media=version.media, length=version.length, sha256=version.sha256,
                policy=version.policy, skeleton=version.skeleton, decisions=version.decisions,
            )  # fmt: skip
            self._new = added.id
        elif change.is_current:
            resources.confirm(
                version, version.confirmed_at, policy=version.policy, headers=version.headers,
                decisions=version.decisions,
            )  # fmt: skip
        resources.keep_statements(
            resource, speaking=self._number(version.id) if change.speaks else None, later_headers=change.later_headers,
            passages=change.passages,
        )  # fmt: skip

    def _preserve(self, change: Preserved) -> None:
        store, number = self._store, self._number(change.version)
        if change.before is not None:
            store.hide_copy(number, change.before)
        if change.copy is None:
            return
        place, digest = change.copy
        self._copies.append(place)
        store.resources.set_place(number, place, change.parts)
        # Others may read it before its act is entered.
        store.tell_of_copy(number, {"copy": digest, "parts": text_digest(change.parts)})

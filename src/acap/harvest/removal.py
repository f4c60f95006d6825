"""Removal by the operator: all versions of a URL are deleted, and it is not crawled again until it is readmitted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from acap.harvest.act import REMOVAL, Act
from acap.harvest.changes import ChangeSet, Due, Requested
from acap.harvest.commit import commit
from acap.harvest.plan import plan_removal
from acap.harvest.review import Review
from acap.harvest.store import Store
from acap.retrieval.locations import canonical


def remove(store: Store, url: str, at: datetime | None = None, *, why: str = "") -> list[Act]:
    """Removes all versions of a URL; the caller has the turn to write. Raises ValueError if it is not a URL."""
    acts = commit(store, _plans(store, canonical(url), at or store.clock.now(), why))
    store.erase()
    return acts


def _plans(store: Store, url: str, at: datetime, why: str) -> Iterator[ChangeSet]:
    yield ChangeSet((Requested(REMOVAL, url, why, at),))
    resource = store.resources.find(url)
    if resource is None:
        return
    for version in store.resources.versions(resource.id, held=True):
        yield plan_removal(version, at, why)
    yield ChangeSet((Due(resource.id, at, None),))
    review = Review(store, at)
    yield from review.supply(url)
    # Resources kept for its use alone are deleted with it.
    for used in store.resources.used_by(resource.id, resource.site):
        yield from Review(store, at).resource(used)

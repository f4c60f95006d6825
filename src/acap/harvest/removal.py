"""Removal by the operator: all versions of a URL are deleted, and it is not crawled again until it is readmitted."""

from __future__ import annotations

from datetime import datetime

from acap.harvest.act import Act
from acap.harvest.review import Review
from acap.harvest.store import Store
from acap.harvest.store.requests import REMOVAL
from acap.retrieval.locations import canonical


def remove(store: Store, url: str, at: datetime | None = None, *, why: str = "") -> list[Act]:
    """Removes all versions of a URL; the caller has the turn to write. Raises ValueError for what is no URL."""
    now = at or store.clock.now()
    url = canonical(url)
    acts: list[Act] = []
    with store.transaction():
        store.requests.make(REMOVAL, url, why, now)
        resource = store.resources.find(url)
        for version in store.resources.versions(resource.id, held=True) if resource is not None else ():
            detail = {"by": "operator", **({"why": why} if why else {})}
            if version.is_indexed:
                store.hide_terms(version.id)
                acts.append(Act("removed", now, url, "index", version.id, detail=detail))
            if version.place is not None:
                store.hide_copy(version.id, version.place)
                acts.append(Act("removed", now, url, "preserve", version.id, detail=detail))
        if resource is not None:
            store.resources.review(resource.id, None)
            acts += Review(store, store.operator.crawler, now).supply(url)
            # Resources held for its use alone are deleted with it.
            for used in store.resources.used_by(resource.id, resource.site):
                acts += Review(store, store.operator.crawler, now).resource(used)
        store.ledger.append(acts)
    store.erase()
    return acts

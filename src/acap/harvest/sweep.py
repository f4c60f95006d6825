"""The sweep: what may not be held any longer goes (P1 4.5.3.1, G 2.5.1).

Looked at is whatever is due: its time limit is over, its site says something new, it was asked to be taken down, or it
was refused when it should be crawled again. A second sweep at the same instant finds nothing to do.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acap.harvest.review import Review
from acap.harvest.store.requests import TAKE_DOWN

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from acap.harvest.store import Act, Resource, Store


_SETTLED = 500
"""Of so many URLs requests are settled at once."""


@dataclass
class Swept:
    """What a sweep did: resources that were looked at, and its acts.

    `erased`: no octets of what went are left. `is_cut`: its time was up before all that is due was looked at, or before
    the files with copies of what went were written anew.
    """

    reviewed: int = 0
    acts: list[Act] = field(default_factory=list)
    erased: bool = True
    is_cut: bool = False

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """How often what was done: act and usage."""
        return Counter((act.act, act.usage) for act in self.acts)


class _UndoneError(Exception):
    """Ends a transaction that was only to see what would be done."""


def sweep(
    store: Store,
    at: datetime | None = None,
    *,
    dry: bool = False,
    seconds: float | None = None,
    on_act: Callable[[Act], None] | None = None,
) -> Swept:
    """Judges again what is due at an instant, by default now; the caller has the turn to write.

    `dry`: only says what would be done: it is done, and undone, in one transaction, so that others who write wait for
    it. `seconds`: after which no other resource is looked at and no other requests are settled, and for as long again
    octets of what went are erased; what was begun is done, one resource and one file at least. A sweep that `is_cut`
    goes on with the next. Each resource is a transaction of its own, so that a sweep can be broken off anywhere.

    Raises:
        StoreError: the store cannot be written.
    """
    now = at or store.clock.now()
    swept = Swept()
    until = None if seconds is None else time.monotonic() + seconds
    if dry:
        try:
            with store.transaction():
                _look(store, now, swept, until, on_act)
                raise _UndoneError
        except _UndoneError:
            store.discard_uncommitted()
        return swept
    _look(store, now, swept, until, on_act)
    _end(store, now, swept, until)
    swept.erased = store.erase(seconds)
    swept.is_cut |= seconds is not None and store.has_files_to_erase
    return swept


def _look(store: Store, now: datetime, swept: Swept, until: float | None, on_act: Callable[[Act], None] | None) -> None:
    """Judges everything that is due."""
    seen: set[int] = set()
    again: set[int] | None = None
    while not swept.is_cut:
        due = [resource for resource in store.resources.due(now, 500 + len(seen)) if resource.id not in seen]
        if not due and again is None:
            # What a page needed that was looked at before it may be needed no more.
            again = {resource.id for resource in store.resources.due(now, 500 + len(seen))}
            seen -= again
            continue
        if not due:
            break
        for resource in due:
            if until is not None and seen and time.monotonic() > until:
                swept.is_cut = True
                break
            seen.add(resource.id)
            acts = _review(store, resource, now)
            swept.reviewed += 1
            swept.acts += acts
            if on_act is not None:
                for act in acts:
                    on_act(act)


def _end(store: Store, now: datetime, swept: Swept, until: float | None) -> None:
    """Once all that is due was looked at, take-downs are carried out."""
    while not swept.is_cut and store.requests.settle(TAKE_DOWN, now, _SETTLED) == _SETTLED:
        swept.is_cut = until is not None and time.monotonic() > until


def _review(store: Store, resource: Resource, at: datetime) -> list[Act]:
    with store.transaction():
        acts = Review(store, store.operator.crawler, at).resource(resource)
        store.ledger.append(acts)
    return acts
